//! Where the voxels of an object are: a cube in the object's space, halved so many times.

use glam::DVec3;
use smithereens_geometry::Aabb;

use crate::Error;

/// A cube of 2ˡ × 2ˡ × 2ˡ voxels.
///
/// ```
/// use smithereens_voxel::Grid;
/// use glam::DVec3;
/// let grid = Grid::new(3, DVec3::ZERO, 16.0)?;
/// assert_eq!((grid.resolution(), grid.voxel_size()), (8, 2.0));
/// assert_eq!(grid.center_of([0, 0, 7]), DVec3::new(1.0, 1.0, 15.0));
/// assert!(Grid::new(40, DVec3::ZERO, 16.0).is_err());
/// # Ok::<(), smithereens_voxel::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grid {
    level: u32,
    origin: DVec3,
    side: f64,
}

/// The share of the cube that is kept free on each side of a model.
const MARGIN: f64 = 1.0 / 256.0;

impl Grid {
    /// The deepest level there is: 4,096 voxels a side.
    pub const DEEPEST: u32 = 12;

    /// A cube with its least corner at `origin`, of this side.
    pub fn new(level: u32, origin: DVec3, side: f64) -> Result<Grid, Error> {
        if !(1..=Grid::DEEPEST).contains(&level) {
            return Err(Error::Level { level });
        }
        if !(origin.is_finite() && side.is_finite() && side > 0.0) {
            return Err(Error::Cube { origin, side });
        }
        Ok(Grid { level, origin, side })
    }

    /// The cube around a box, a little larger than its longest side, with the box in its middle.
    pub fn around(bounds: &Aabb, level: u32) -> Result<Grid, Error> {
        let side = bounds.extent() / (1.0 - 2.0 * MARGIN);
        Grid::new(level, bounds.center() - DVec3::splat(0.5 * side), side)
    }

    /// How often the cube is halved.
    pub fn level(&self) -> u32 {
        self.level
    }

    /// Its least corner.
    pub fn origin(&self) -> DVec3 {
        self.origin
    }

    /// The length of an edge of the cube.
    pub fn side(&self) -> f64 {
        self.side
    }

    /// How many voxels there are along an edge.
    pub fn resolution(&self) -> u32 {
        1 << self.level
    }

    /// The length of an edge of a voxel.
    pub fn voxel_size(&self) -> f64 {
        self.side / f64::from(self.resolution())
    }

    /// The volume of a voxel.
    pub fn voxel_volume(&self) -> f64 {
        self.voxel_size() * self.voxel_size() * self.voxel_size()
    }

    /// The middle of a voxel.
    pub fn center_of(&self, voxel: [u32; 3]) -> DVec3 {
        self.point(DVec3::from_array(voxel.map(|x| f64::from(x) + 0.5)))
    }

    /// A place that is given in voxels from the origin.
    pub fn point(&self, place: DVec3) -> DVec3 {
        self.origin + place * self.voxel_size()
    }

    /// A point in voxels from the origin.
    pub fn place(&self, point: DVec3) -> DVec3 {
        (point - self.origin) / self.voxel_size()
    }

    /// How often the cube is halved down to bricks of 4 × 4 × 4 voxels. A grid of two voxels a side lies in the corner of one.
    pub(crate) fn depth(&self) -> usize {
        self.level.saturating_sub(2) as usize
    }
}
