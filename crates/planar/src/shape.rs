//! Polygons with holes.

use glam::DVec2;
use thiserror::Error;

use crate::convex::area_of;
use crate::validate::validate;
use crate::{Aabb, Edge, Mass, Tolerance};

/// A simple polygon with holes: one outer loop, counter-clockwise, then its holes, clockwise. Edges do not cross or touch.
///
/// What is cut from one is one too, but may touch itself where a line goes through a corner.
///
/// ```
/// use smithereens_planar::{Aabb, Shape};
/// let frame = Shape::new(&Aabb::square(2.0).corners(), &[Aabb::square(1.0).corners().to_vec()])?;
/// assert_eq!(frame.mass().area, 16.0 - 4.0);
/// # Ok::<(), smithereens_planar::ShapeError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Shape {
    edges: Vec<Edge>,
    /// Where each loop ends in `edges`.
    loop_ends: Vec<u32>,
}

/// Why loops are no shape. Corners and edges are numbered through all loops, the outer one first; edge *i* starts at corner *i*.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum ShapeError {
    /// A loop has fewer than three corners.
    #[error("loop {0} has fewer than three corners: give it more or leave it out")]
    TooFew(usize),
    /// A corner is NaN or infinite.
    #[error("corner {0} is not finite")]
    NotFinite(usize),
    /// The whole is too small, or too far from the origin for its size.
    #[error(
        "the shape is {extent} wide and reaches to {farthest}: use other units, or move it to the origin"
    )]
    OutOfRange {
        /// The longer side of its box.
        extent: f64,
        /// The largest coordinate.
        farthest: f64,
    },
    /// A corner is where the one before is.
    #[error("corner {0} repeats the one before it: remove it")]
    Repeats(usize),
    /// A loop turns back on itself.
    #[error("edge {next} goes back along edge {edge} from ({}, {}): remove the spike", at.x, at.y)]
    Folds {
        /// The edge.
        edge: usize,
        /// The edge after it.
        next: usize,
        /// The corner between them.
        at: DVec2,
    },
    /// Edges meet where they should not.
    #[error("edge {} crosses edge {} at ({}, {})", edges[0], edges[1], at.x, at.y)]
    Crosses {
        /// The edges.
        edges: [usize; 2],
        /// About where.
        at: DVec2,
    },
    /// A hole is not inside the outer loop.
    #[error("hole {0} lies outside the outer loop")]
    HoleOutside(usize),
    /// A hole is inside another.
    #[error("hole {hole} lies in hole {other}: what is in a hole is a shape of its own")]
    HoleInHole {
        /// The inner one.
        hole: usize,
        /// The outer one.
        other: usize,
    },
}

impl Shape {
    /// Takes an outer loop and holes, in whichever direction they run, or says what is wrong with them.
    ///
    /// ```
    /// use smithereens_planar::{Shape, ShapeError};
    /// use glam::DVec2;
    /// let bow = [DVec2::ZERO, DVec2::ONE, DVec2::X, DVec2::Y];
    /// let error = Shape::new(&bow, &[]).unwrap_err();
    /// assert_eq!(error.to_string(), "edge 0 crosses edge 2 at (0.5, 0.5)");
    /// ```
    pub fn new(outer: &[DVec2], holes: &[Vec<DVec2>]) -> Result<Shape, ShapeError> {
        let loops: Vec<&[DVec2]> = std::iter::once(outer).chain(holes.iter().map(Vec::as_slice)).collect();
        validate(&loops)?;
        let mut shape = Shape { edges: Vec::new(), loop_ends: Vec::new() };
        for (index, corners) in loops.into_iter().enumerate() {
            let is_left = Mass::of_loops(std::iter::once(corners)).area > 0.0;
            let turned: Vec<DVec2> = corners.iter().rev().copied().collect();
            shape.push_loop(&edges_between(if is_left == (index == 0) { corners } else { &turned }));
        }
        Ok(shape)
    }

    /// Nothing yet.
    pub(crate) fn empty() -> Shape {
        Shape { edges: Vec::new(), loop_ends: Vec::new() }
    }

    /// Adds a loop that is known to be sound.
    pub(crate) fn push_loop(&mut self, edges: &[Edge]) {
        self.edges.extend_from_slice(edges);
        self.loop_ends.push(self.edges.len() as u32);
    }

    /// The loops: the outer one, then holes.
    pub fn loops(&self) -> impl Iterator<Item = &[Edge]> + Clone {
        let starts = std::iter::once(0).chain(self.loop_ends.iter().copied());
        starts.zip(&self.loop_ends).map(|(start, &end)| &self.edges[start as usize..end as usize])
    }

    /// All edges, loop by loop.
    pub fn edges(&self) -> &[Edge] {
        &self.edges
    }

    /// The area.
    pub fn area(&self) -> f64 {
        self.loops().map(area_of).sum()
    }

    /// Area, centre and moment of inertia at a density of one.
    pub fn mass(&self) -> Mass {
        let Some(first) = self.edges.first() else { return Mass::default() };
        Mass::of_edges(first.start, self.loops().flat_map(crate::convex::pairs))
    }

    /// The box around it.
    pub fn bounds(&self) -> Aabb {
        Aabb::around(self.edges.iter().map(|edge| edge.start))
    }

    /// The lengths that do not matter for it.
    pub fn tolerance(&self) -> Tolerance {
        Tolerance::for_box(&self.bounds())
    }

    /// Whether a point is inside. Points on the border may or may not be.
    pub fn contains(&self, point: DVec2) -> bool {
        self.loops().map(|edges| winding(edges, point)).sum::<i32>() > 0
    }
}

/// How often a loop goes around a point, left turns positive. Exact, but for points on the border.
pub(crate) fn winding(edges: &[Edge], point: DVec2) -> i32 {
    let around = |(a, b): (DVec2, DVec2)| match (a.y <= point.y, b.y <= point.y) {
        (true, false) if turn(a, b, point) > 0.0 => 1,
        (false, true) if turn(a, b, point) < 0.0 => -1,
        _ => 0,
    };
    crate::convex::pairs(edges).map(around).sum()
}

/// Edges from corner to corner.
fn edges_between(corners: &[DVec2]) -> Vec<Edge> {
    crate::Convex::from_corners(corners).edges().to_vec()
}

/// Whether three points turn left (positive), right, or lie on one line (zero). Exact.
pub(crate) fn turn(a: DVec2, b: DVec2, c: DVec2) -> f64 {
    let coordinate = |p: DVec2| robust::Coord { x: p.x, y: p.y };
    robust::orient2d(coordinate(a), coordinate(b), coordinate(c))
}
