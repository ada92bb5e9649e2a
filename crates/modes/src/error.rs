//! What is wrong with a graph of cells, or with what is asked of it.

use thiserror::Error;

/// Why a graph, a material or an impact cannot be taken.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum ModesError {
    /// There is nothing to break.
    #[error("there are no cells: give at least one")]
    NoCells,
    /// More cells or faces than can be counted.
    #[error("there are more than two billion cells or faces")]
    TooMany,
    /// A cell's volume is zero or less, infinite or not a number.
    #[error("cell {cell} has volume {volume}: it must be finite and above zero")]
    Volume {
        /// The cell.
        cell: u32,
        /// What it has.
        volume: f64,
    },
    /// A cell's centre is infinite or not a number.
    #[error("cell {0} has a centre that is not finite: give it numbers")]
    CentreNotFinite(u32),
    /// All volumes together, or all areas, cannot be held by a number.
    #[error("volumes or areas are too large or too small to be summed: use other units")]
    OutOfRange,
    /// A face names a cell that is not there.
    #[error("face {face} names cell {cell}, but there are {cells}")]
    NoSuchCell {
        /// The face.
        face: u32,
        /// What it names.
        cell: u32,
        /// How many cells there are.
        cells: u32,
    },
    /// A face joins a cell with itself.
    #[error("face {face} joins cell {cell} with itself: remove it")]
    JoinsItself {
        /// The face.
        face: u32,
        /// The cell.
        cell: u32,
    },
    /// A face's area is zero or less, infinite or not a number.
    #[error("face {face} has area {area}: it must be finite and above zero, or the face removed")]
    Area {
        /// The face.
        face: u32,
        /// What it has.
        area: f64,
    },
    /// A face's distance of centres is zero or less, infinite or not a number.
    #[error("face {face} has centres {distance} apart: that must be finite and above zero")]
    Distance {
        /// The face.
        face: u32,
        /// What it has.
        distance: f64,
    },
    /// A face's normal is zero, infinite or not a number.
    #[error("face {0} has no normal: give the direction from one cell to the other")]
    Normal(u32),
    /// A material field is for another number of faces.
    #[error("the material has factors for {given} faces, but there are {faces}")]
    FactorCount {
        /// How many factors there are.
        given: usize,
        /// How many faces there are.
        faces: usize,
    },
    /// A factor of the material is zero or less, or not a number.
    #[error("the material's factor of face {face} is {factor}: it must be above zero, and may be infinite")]
    Factor {
        /// The face.
        face: u32,
        /// What it has.
        factor: f64,
    },
    /// A factor of an axis is zero or less, infinite or not a number.
    #[error("the material's factor of axis {axis} is {factor}: it must be finite and above zero")]
    AxisFactor {
        /// 0, 1 or 2.
        axis: usize,
        /// What it has.
        factor: f64,
    },
    /// An option is out of its range.
    #[error("{name} is {value}: {must}")]
    Option {
        /// Which.
        name: &'static str,
        /// What it is.
        value: f64,
        /// What it must be.
        must: &'static str,
    },
    /// Modes, pieces or a graph of different numbers of cells are put together.
    #[error("these are of {given} cells, but the graph has {cells}")]
    OtherGraph {
        /// Cells of what was given.
        given: usize,
        /// Cells of the graph.
        cells: usize,
    },
    /// An impact is on a cell of which the table knows nothing.
    #[error("the table has no cell {0} to hit: name it among the contacts when the table is made")]
    NoContact(u32),
    /// A number of an impact is out of range.
    #[error("an impact needs a finite place and impulse, and a density, a threshold and a radius above zero")]
    Impact,
    /// A compound has pieces that overlap.
    #[error("piece {0} is a ghost: pieces that overlap are no cells; unite them first")]
    Ghost(u32),
    /// Saved bytes are something else, or are cut short.
    #[error("what is saved of the body's modes is cut short, damaged or of a later version")]
    Damaged,
}
