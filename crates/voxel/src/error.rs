//! What can be wrong with what is asked for.

use glam::DVec3;
use thiserror::Error;

use crate::Grid;

/// Why there is no octree, with the culprit.
#[derive(Debug, Error)]
pub enum Error {
    /// There is no such level.
    #[error("there is no level {level}: an octree has levels 1 to {}, that is 2 to {} voxels a side", Grid::DEEPEST, 1 << Grid::DEEPEST)]
    Level {
        /// What was asked for.
        level: u32,
    },
    /// A cube is nowhere, or has no extent.
    #[error("a cube of side {side} at {origin} cannot be cut into voxels: give it a place and a length")]
    Cube {
        /// Its least corner.
        origin: DVec3,
        /// Its side.
        side: f64,
    },
    /// A mesh has nothing that could be cut into voxels.
    #[error("the mesh is empty: it has no face whose corners are all there and finite")]
    Empty,
    /// A list of voxels is not in order.
    #[error(
        "voxel {index} is not after the one before it in Morton order: sort the voxels, and give each once"
    )]
    Order {
        /// Its place in the list.
        index: usize,
    },
    /// A voxel is outside the grid.
    #[error("voxel {index} lies at {voxel:?}, outside a grid of {resolution} voxels a side")]
    Outside {
        /// Its place in the list.
        index: usize,
        /// Where it lies.
        voxel: [u32; 3],
        /// Voxels along an edge of the grid.
        resolution: u32,
    },
    /// A distance is not a number.
    #[error("the distance at {point} is not a number")]
    Distance {
        /// Where it was asked for.
        point: DVec3,
    },
    /// A seed is nowhere.
    #[error("seed {index} is not finite: {point}")]
    Seed {
        /// Its place in the list.
        index: usize,
        /// Where it is said to be.
        point: DVec3,
    },
    /// A seed is too far away.
    #[error("seed {index} at {point} is more than four times the size of the grid away from it")]
    Far {
        /// Its place in the list.
        index: usize,
        /// Where it is.
        point: DVec3,
    },
    /// There are no seeds.
    #[error("a pattern needs a seed at least")]
    NoSeeds,
    /// There are more seeds than can be counted.
    #[error("a pattern of {count} seeds is too much: give {} at most", crate::Seeds::MOST)]
    TooManySeeds {
        /// How many.
        count: usize,
    },
    /// There are too many voxels for a kind of file.
    #[error(
        "an octree of level {level} has too many voxels for a .vox file: make it of level {most} or less"
    )]
    TooDeep {
        /// Its level.
        level: u32,
        /// The deepest that can be written.
        most: u32,
    },
    /// An option has no meaning.
    #[error("{name} is {value}: {wanted}")]
    Option {
        /// Which.
        name: &'static str,
        /// What it is.
        value: f64,
        /// What it should be.
        wanted: &'static str,
    },
    /// A file is no voxel file, or a damaged one.
    #[error("{0}")]
    File(#[from] FileError),
}

/// What is wrong with a file.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum FileError {
    /// It does not start as such a file does.
    #[error("this is no voxel file: it does not start with {expected:?}")]
    Magic {
        /// What it should start with.
        expected: &'static str,
    },
    /// It is of a version that is not known.
    #[error("this voxel file is of version {version}, and only version {known} is known: save it again")]
    Version {
        /// Its version.
        version: u32,
        /// What can be read.
        known: u32,
    },
    /// It ends early.
    #[error(
        "the file is cut short: {what} should take {needed} bytes from byte {at} on, and {left} are left"
    )]
    Short {
        /// What is missing.
        what: &'static str,
        /// Where it starts.
        at: usize,
        /// How long it is.
        needed: usize,
        /// What is there.
        left: usize,
    },
    /// It goes on after its end.
    #[error("the file has {left} bytes too many, from byte {at} on")]
    Long {
        /// Where it should end.
        at: usize,
        /// How many there are.
        left: usize,
    },
    /// Its bytes are not those that were written.
    #[error("the file is damaged: its check sum is {found:08x}, and its bytes give {expected:08x}")]
    Sum {
        /// What the file says.
        found: u32,
        /// What it should say.
        expected: u32,
    },
    /// Its parts do not fit together.
    #[error("the file is damaged: {what} {index} {problem}")]
    Damaged {
        /// What.
        what: &'static str,
        /// Which.
        index: usize,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// A file of MagicaVoxel's cannot be read.
    #[error("the .vox file cannot be read: {problem}")]
    Vox {
        /// Why.
        problem: String,
    },
}
