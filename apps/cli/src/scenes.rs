//! The scenes that come with the program.

/// A Roman arena that is laid in ruins.
pub const ARENA: &str = include_str!("../../../scenes/arena.toml");
/// Bunnies thrown at a wall.
pub const BUNNIES: &str = include_str!("../../../scenes/bunnies.toml");
/// A roof that loses two of its columns.
pub const COLUMNS: &str = include_str!("../../../scenes/columns.toml");
/// Five thousand dominoes.
pub const DOMINO_CITY: &str = include_str!("../../../scenes/domino-city.toml");
/// The first seconds of the arena, with dust.
pub const DUST: &str = include_str!("../../../scenes/dust.toml");
/// A dragon that is shot.
pub const DRAGON: &str = include_str!("../../../scenes/dragon.toml");
/// A window that is shot three times.
pub const GLASS: &str = include_str!("../../../scenes/glass.toml");
