//! How hard it is to part two cells: the field η of Eq. 26.
//!
//! The paper weighs each component of the jump across a face. A mode that moves along one axis only sees that axis's weights, so
//! each axis is a scalar problem of its own, and axes whose weights are multiples of each other share one.

use glam::DVec3;

use crate::{CellGraph, Face, ModesError};

/// Factors from here on mean that a face never breaks: beyond them sums would lose the other faces' digits.
pub const UNBREAKABLE: f64 = 1e6;

/// How much harder than plain it is to part cells, by axis of motion and by face.
///
/// ```
/// use glam::DVec3;
/// use smithereens_modes::{Eta, UNBREAKABLE};
/// // Wood: parts that move along z come off ten times as easily.
/// let wood = Eta { axes: DVec3::new(10.0, 10.0, 1.0), ..Eta::default() };
/// assert_eq!(wood.axes.z, 1.0);
/// # let cells = vec![smithereens_modes::Cell { volume: 1.0, centre: DVec3::ZERO }];
/// # let graph = smithereens_modes::CellGraph::new(cells, vec![])?;
/// // A handle that stays whole.
/// let is_handle = |cell: u32| cell < 100;
/// let cup = Eta::of_faces(&graph, |face| if face.cells.iter().any(|&c| is_handle(c)) { UNBREAKABLE } else { 1.0 });
/// assert_eq!(cup.faces.len(), graph.faces().len());
/// # Ok::<(), smithereens_modes::ModesError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Eta {
    /// A factor for motion along each axis, without a unit.
    pub axes: DVec3,
    /// A factor for each face and axis, without a unit; empty means one everywhere. From [`UNBREAKABLE`] on, or infinite, in any
    /// axis: the face never breaks.
    pub faces: Vec<DVec3>,
}

impl Default for Eta {
    fn default() -> Eta {
        Eta { axes: DVec3::ONE, faces: Vec::new() }
    }
}

impl Eta {
    /// The same factor for all motions and faces. It changes energies, not pieces.
    pub fn isotropic(factor: f64) -> Eta {
        Eta { axes: DVec3::splat(factor), faces: Vec::new() }
    }

    /// A factor a face, the same for all motions: by the face's cells, for regions; by its normal, for a grain.
    pub fn of_faces(graph: &CellGraph, factor: impl Fn(&Face) -> f64) -> Eta {
        let faces = graph.faces().iter().map(|face| DVec3::splat(factor(face))).collect();
        Eta { axes: DVec3::ONE, faces }
    }

    /// Says what is wrong with it.
    pub(crate) fn check(&self, graph: &CellGraph) -> Result<(), ModesError> {
        for (axis, factor) in self.axes.to_array().into_iter().enumerate() {
            if !(factor.is_finite() && factor > 0.0) {
                return Err(ModesError::AxisFactor { axis, factor });
            }
        }
        let (given, faces) = (self.faces.len(), graph.faces().len());
        if given != 0 && given != faces {
            return Err(ModesError::FactorCount { given, faces });
        }
        for (face, factors) in (0..).zip(&self.faces) {
            if let Some(factor) = factors.to_array().into_iter().find(|&f| f.is_nan() || f <= 0.0) {
                return Err(ModesError::Factor { face, factor });
            }
        }
        Ok(())
    }

    /// The factor of a face for motion along an axis, without the axis's own.
    pub(crate) fn of_face(&self, face: usize, axis: usize) -> f64 {
        self.faces.get(face).map_or(1.0, |factors| factors[axis])
    }

    /// Whether a face may break.
    pub(crate) fn is_breakable(&self, face: usize) -> bool {
        self.faces.get(face).is_none_or(|factors| factors.max_element() < UNBREAKABLE)
    }

    /// For each axis, the first axis with the same factors on all faces.
    pub(crate) fn problems(&self) -> [usize; 3] {
        let same = |a: usize, b: usize| self.faces.iter().all(|factors| factors[a] == factors[b]);
        [0, 1, 2].map(|axis| (0..axis).find(|&earlier| same(earlier, axis)).unwrap_or(axis))
    }
}
