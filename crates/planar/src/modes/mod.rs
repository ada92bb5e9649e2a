//! Where a shape breaks by nature: its fracture modes (Sellán et al. 2022), in the plane as in the interactive prototype of their Figure 4.
//!
//! Modes, pieces and the table of impacts are those of `smithereens_modes`, which works on graphs of cells: here a cell has an area for a volume and
//! edges for faces. [`Cells`] cuts a shape into them, [`Brittle`] makes it ready, and its [`Weakness`] says what a [`Strike`] parts.

mod brittle;
mod cells;
mod weakness;

pub use brittle::{Brittle, BrittleOptions};
pub use cells::{CellOptions, Cells};
pub use smithereens_modes::{Mode, ModesError, Projection};
pub use weakness::{Strike, Weakness};
