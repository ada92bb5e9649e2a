//! The room for two dimensions: a sandbox.
//!
//! Karo & Yu, section 4.3, whole: bodies are drawn, dragged, broken by a click and by projectiles, and patterns are drawn as control points. On top of it: holes, undo,
//! slow motion, files, falling under own weight, and shapes that break by nature (the interactive prototype of Sellán et al. 2022, their Figure 4).

mod board;
mod clock;
mod draft;
mod draw;
mod files;
mod keys;
mod paint;
mod panel;
mod sandbox;
mod summary;
mod tool;
mod touch;
mod view;

pub use paint::PAPER;
pub use sandbox::{Blow, Gun, Ink, Sandbox};
pub use summary::{Spot, Summary};
pub use tool::Tool;
