//! The scenes that come with the program.

/// An arch whose keystone is shot.
pub const ARCH: &str = include_str!("../../../scenes/arch.toml");
/// A Roman arena that is laid in ruins.
pub const ARENA: &str = include_str!("../../../scenes/arena.toml");
/// A bridge that loses a pier.
pub const BRIDGE: &str = include_str!("../../../scenes/bridge.toml");
/// Bunnies thrown at a wall.
pub const BUNNIES: &str = include_str!("../../../scenes/bunnies.toml");
/// A car door that is hit by balls, and dents.
pub const CAR_DOOR: &str = include_str!("../../../scenes/car-door.toml");
/// Beams that are held at one end.
pub const CANTILEVER: &str = include_str!("../../../scenes/cantilever.toml");
/// A roof that loses two of its columns.
pub const COLUMNS: &str = include_str!("../../../scenes/columns.toml");
/// Five thousand dominoes.
pub const DOMINO_CITY: &str = include_str!("../../../scenes/domino-city.toml");
/// The first seconds of the arena, with dust.
pub const DUST: &str = include_str!("../../../scenes/dust.toml");
/// A dragon that is shot.
pub const DRAGON: &str = include_str!("../../../scenes/dragon.toml");
/// Cups that fall and are shot: handles break before bowls.
pub const CUP: &str = include_str!("../../../scenes/cup.toml");
/// Dumbbells that break at their necks.
pub const DUMBBELL: &str = include_str!("../../../scenes/dumbbell.toml");
/// A window that is shot three times.
pub const GLASS: &str = include_str!("../../../scenes/glass.toml");
/// A row of vases, and a ball.
pub const VASES: &str = include_str!("../../../scenes/vases.toml");
/// A tower that loses half of its base.
pub const TOWER: &str = include_str!("../../../scenes/tower.toml");
