//! Patterns by splitting: a box is cut in two, the parts again, each cut by a plane of its own.
//!
//! A binary space partition is convex and without gaps whatever the planes are, so that a generator
//! only has to choose them well.

use smithereens_geometry::{Aabb, Convex, Halfspace, Plane, PlaneId, Side, Tolerance};

use super::{Pattern, PatternCell, PatternError, WALLS, check_box, whole_box};

/// Splits convexes and collects the cells that are done.
pub(super) struct Splitter {
    bounds: Aabb,
    sliver: f64,
    planes: u64,
    cells: Vec<PatternCell>,
}

impl Splitter {
    /// A splitter of a box, and the box.
    pub fn new(bounds: &Aabb) -> Result<(Splitter, Convex), PatternError> {
        check_box(bounds)?;
        let sliver = Tolerance::for_box(bounds).volume();
        Ok((Splitter { bounds: *bounds, sliver, planes: WALLS, cells: Vec::new() }, whole_box(bounds)))
    }

    /// An identity for a plane that cuts several convexes.
    pub fn mint(&mut self) -> PlaneId {
        self.planes += 1;
        PlaneId::new(self.planes - 1)
    }

    /// The parts behind and in front of a plane of its own.
    pub fn split(&mut self, convex: Convex, plane: Plane) -> (Option<Convex>, Option<Convex>) {
        let id = self.mint();
        self.split_by(convex, plane, id)
    }

    /// The parts behind and in front of a plane. A part too thin to matter is not cut off.
    pub fn split_by(&self, convex: Convex, plane: Plane, id: PlaneId) -> (Option<Convex>, Option<Convex>) {
        let halfspace = Halfspace { plane, side: Side::Behind, id: Some(id) };
        let (behind, front) = convex.split(&halfspace);
        let is_sliver = |part: &Option<Convex>| part.as_ref().is_none_or(|p| p.volume() <= self.sliver);
        if is_sliver(&front) {
            (Some(convex), None)
        } else if is_sliver(&behind) {
            (None, Some(convex))
        } else {
            (behind, front)
        }
    }

    /// Cuts off what is behind one plane after the other, and gives that and the rest in order.
    pub fn slice(&mut self, convex: Convex, planes: impl IntoIterator<Item = Plane>) -> Vec<Convex> {
        let mut parts = Vec::new();
        let mut rest = Some(convex);
        for plane in planes {
            let Some(convex) = rest.take() else { break };
            let (behind, front) = self.split(convex, plane);
            parts.extend(behind);
            rest = front;
        }
        parts.extend(rest);
        parts
    }

    /// A convex that is done, in a colour of its own.
    pub fn keep(&mut self, convex: Convex) {
        let colour = self.cells.len() as u32;
        self.keep_coloured(convex, colour);
    }

    /// A convex that is done.
    pub fn keep_coloured(&mut self, convex: Convex, colour: u32) {
        self.cells.push(PatternCell { convex, colour });
    }

    /// How many cells are done.
    pub fn kept(&self) -> usize {
        self.cells.len()
    }

    /// The pattern of all cells that are done.
    pub fn finish(self) -> Result<Pattern, PatternError> {
        Pattern::from_cells(self.cells, self.bounds)
    }
}
