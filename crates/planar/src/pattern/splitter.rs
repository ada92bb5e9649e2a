//! Patterns by splitting: a box is cut in two, the parts again. That is convex and without gaps whatever the lines are.

use super::{Pattern, PatternCell, PatternError, Source, check_box};
use crate::{Aabb, Convex, Halfplane, Line, LineId, Side, Tolerance, voronoi::WALLS};

/// Splits convexes and collects the cells that are done.
pub(super) struct Splitter {
    bounds: Aabb,
    sliver: f64,
    next: u64,
    cells: Vec<PatternCell>,
}

impl Splitter {
    /// A splitter of a box, and the box.
    pub fn new(bounds: &Aabb) -> Result<(Splitter, Convex), PatternError> {
        check_box(bounds)?;
        let sliver = Tolerance::for_box(bounds).area();
        Ok((Splitter { bounds: *bounds, sliver, next: WALLS, cells: Vec::new() }, Pattern::whole_box(bounds)))
    }

    /// An identity for a line that cuts several convexes.
    pub fn mint(&mut self) -> LineId {
        self.next += 1;
        LineId::new(self.next - 1)
    }

    /// The parts behind and in front of a line. A part too thin to matter is not cut off.
    pub fn split_by(&self, convex: Convex, line: Line, id: LineId) -> (Option<Convex>, Option<Convex>) {
        let (behind, front) = convex.split(&Halfplane { line, side: Side::Behind, id: Some(id) });
        let matters = |part: &Option<Convex>| part.as_ref().is_some_and(|part| part.area() > self.sliver);
        match (matters(&behind), matters(&front)) {
            (true, true) => (behind, front),
            (false, true) => (None, Some(convex)),
            _ => (Some(convex), None),
        }
    }

    /// Cuts off what is behind one line after the other, each of its own identity, and gives that and the rest in order.
    pub fn slice(&mut self, convex: Convex, lines: impl IntoIterator<Item = Line>) -> Vec<Convex> {
        let mut parts = Vec::new();
        let mut rest = Some(convex);
        for line in lines {
            let id = self.mint();
            let Some(convex) = rest.take() else { break };
            let (behind, front) = self.split_by(convex, line, id);
            parts.extend(behind);
            rest = front;
        }
        parts.extend(rest);
        parts
    }

    /// A convex that is done, in a colour or one of its own.
    pub fn keep(&mut self, convex: Convex, colour: Option<u32>) {
        let colour = colour.unwrap_or(self.cells.len() as u32);
        self.cells.push(PatternCell { convex, colour });
    }

    /// How many cells are done.
    pub fn kept(&self) -> usize {
        self.cells.len()
    }

    /// The pattern of all cells that are done.
    pub fn finish(self, source: Source) -> Result<Pattern, PatternError> {
        Pattern::made_from(self.cells, self.bounds, source)
    }
}
