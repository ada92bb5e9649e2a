//! A user's own cells, as the planes that bound them.

use smithereens_geometry::{Aabb, Clip, Convex, ConvexClipper, Halfspace, Plane, PlaneId, Side};

use super::{Pattern, PatternCell, PatternError, WALLS, check_box, parameter, wall_cut, whole_box};

/// A face of a cell.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(deny_unknown_fields))]
pub struct CellFace {
    /// The plane's identity: the cell across the face has the same. 0 to 5 are the walls of the box: -x, +x, -y, +y, -z, +z.
    pub id: u64,
    /// The side of the plane that the cell lies on.
    #[cfg_attr(feature = "serde", serde(with = "super::plain::side"))]
    pub side: Side,
    /// The plane: unit normal and offset. The same in both cells, to the bit.
    #[cfg_attr(feature = "serde", serde(with = "super::plain::plane"))]
    pub plane: Plane,
}

/// A cell: what is inside all its faces.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(deny_unknown_fields))]
pub struct CellShape {
    /// What it belongs to.
    pub colour: u32,
    /// Its faces.
    pub faces: Vec<CellFace>,
}

/// A pattern of the user's own cells, which fill a box without overlap.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(deny_unknown_fields))]
pub struct Cells {
    /// The box, with the impact at the origin.
    #[cfg_attr(feature = "serde", serde(with = "super::plain::bounds"))]
    pub bounds: Aabb,
    /// The cells.
    #[cfg_attr(feature = "serde", serde(rename = "cell"))]
    pub cells: Vec<CellShape>,
}

impl Default for Cells {
    /// The unit cube about the origin as one cell.
    fn default() -> Cells {
        Cells { bounds: Aabb::cube(1.0), cells: vec![CellShape::default()] }
    }
}

impl From<&Pattern> for Cells {
    fn from(pattern: &Pattern) -> Cells {
        Cells { bounds: *pattern.bounds(), cells: pattern.cells().iter().map(CellShape::of).collect() }
    }
}

impl CellShape {
    fn of(cell: &PatternCell) -> CellShape {
        let face = |h: Halfspace| h.id.map(|id| CellFace { id: id.number(), side: h.side, plane: h.plane });
        let faces = cell.convex.faces().iter().filter_map(|f| face(f.halfspace())).collect();
        CellShape { colour: cell.colour, faces }
    }
}

impl Cells {
    /// Makes the pattern.
    pub fn pattern(&self) -> Result<Pattern, PatternError> {
        check_box(&self.bounds)?;
        parameter::count("the number of cells", self.cells.len(), 1)?;
        self.check_planes()?;
        let mut clipper = ConvexClipper::default();
        let mut cells = Vec::with_capacity(self.cells.len());
        for (index, shape) in self.cells.iter().enumerate() {
            let convex = shape.convex(&self.bounds, &mut clipper).ok_or(PatternError::NoCell(index))?;
            cells.push(PatternCell { convex, colour: shape.colour });
        }
        Pattern::from_cells(cells, self.bounds)
    }

    /// Every face must lie on a sound plane, and an identity stand for one plane only.
    fn check_planes(&self) -> Result<(), PatternError> {
        let mut known: Vec<(u64, Plane, usize)> = Vec::new();
        for (cell, shape) in self.cells.iter().enumerate() {
            for (face, f) in shape.faces.iter().enumerate() {
                let unit = (f.plane.normal.length_squared() - 1.0).abs() <= UNIT;
                if !unit || !f.plane.offset.is_finite() || f.id > MOST_ID {
                    return Err(PatternError::NoPlane { cell, face });
                }
                known.push((f.id, f.plane, cell));
            }
        }
        known.sort_by_key(|&(id, _, cell)| (id, cell));
        for pair in known.windows(2) {
            if pair[0].0 == pair[1].0 && pair[0].1 != pair[1].1 {
                return Err(PatternError::TwoPlanes { id: pair[0].0, cells: [pair[0].2, pair[1].2] });
            }
        }
        self.check_walls()
    }

    fn check_walls(&self) -> Result<(), PatternError> {
        let whole = whole_box(&self.bounds);
        for (cell, shape) in self.cells.iter().enumerate() {
            for (face, f) in shape.faces.iter().enumerate().filter(|(_, f)| f.id < WALLS) {
                let wall = whole.faces()[f.id as usize].halfspace();
                if wall.plane != f.plane || wall_cut(f.id as u8).side() != f.side {
                    return Err(PatternError::NoPlane { cell, face });
                }
            }
        }
        Ok(())
    }
}

/// How far the square of a unit normal's length may be from one: a few roundings.
const UNIT: f64 = 16.0 * f64::EPSILON;
/// Greater numbers wrap.
const MOST_ID: u64 = u64::MAX >> 2;

impl CellShape {
    /// The box clipped by all faces but the walls, which it has; `None` if nothing is left.
    fn convex(&self, bounds: &Aabb, clipper: &mut ConvexClipper) -> Option<Convex> {
        let mut convex = whole_box(bounds);
        for face in self.faces.iter().filter(|f| f.id >= WALLS) {
            let id = Some(PlaneId::new(face.id));
            let halfspace = Halfspace { plane: face.plane, side: face.side, id };
            if clipper.clip(&mut convex, &halfspace) == Clip::Nothing {
                return None;
            }
        }
        Some(convex)
    }
}
