//! Convex polygons: corners counter-clockwise, each edge on a line with an identity.
//!
//! Hulls by monotone chain (Andrew 1979), as in Karo & Yu, section 4.1. Their intersection of two convexes takes the hull of corners and
//! crossings; here one is clipped by the lines of the other, which keeps identities and needs no hull.

use glam::{DAffine2, DVec2};

use crate::line::{crossing, side_at};
use crate::{Aabb, Cut, Halfplane, Line, Mass, Side};

/// An edge of a polygon, from its start to the start of the next.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Edge {
    /// Where it starts.
    pub start: DVec2,
    /// Its line, looking outward.
    pub line: Line,
    /// The mark of the cut that made it.
    pub cut: Option<Cut>,
}

impl Edge {
    /// What lies on the inner side of it; `None` for an edge that no cut made.
    pub fn halfplane(&self) -> Option<Halfplane> {
        let cut = self.cut?;
        let line = if cut.side() == Side::Behind { self.line } else { self.line.flipped() };
        Some(Halfplane { line, side: cut.side(), id: Some(cut.id()) })
    }
}

/// A convex polygon, or nothing.
///
/// Corners that a cut made are rounded, so that it is convex up to rounding.
///
/// ```
/// use smithereens_planar::{Aabb, Convex, Halfplane, Line, Side};
/// use glam::DVec2;
/// let square = Convex::from_box(&Aabb::square(1.0));
/// let upper = Halfplane { line: Line::new(DVec2::Y, 0.5), side: Side::Front, id: None };
/// let (kept, rest) = square.split(&upper);
/// assert_eq!((kept.unwrap().area(), rest.unwrap().area()), (1.0, 3.0));
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Convex {
    edges: Vec<Edge>,
}

impl Convex {
    /// The box as a convex: its lower, right, upper and left edge.
    pub fn from_box(bounds: &Aabb) -> Convex {
        Convex::from_corners(&bounds.corners())
    }

    /// The least convex around points; `None` if they enclose no area.
    ///
    /// ```
    /// use smithereens_planar::Convex;
    /// use glam::DVec2;
    /// let [a, b, c] = [DVec2::ZERO, DVec2::X, DVec2::Y];
    /// assert_eq!(Convex::hull(&[a, b, c, DVec2::splat(0.2)]).unwrap().edges().len(), 3);
    /// assert!(Convex::hull(&[a, b, b * 3.0]).is_none());
    /// ```
    pub fn hull(points: &[DVec2]) -> Option<Convex> {
        let mut sorted: Vec<DVec2> = points.iter().copied().filter(|p| p.is_finite()).collect();
        sorted.sort_unstable_by(|p, q| p.x.total_cmp(&q.x).then(p.y.total_cmp(&q.y)));
        sorted.dedup();
        let mut lower = chain(sorted.iter().copied());
        let upper = chain(sorted.iter().rev().copied());
        lower.pop();
        lower.extend_from_slice(&upper[..upper.len().saturating_sub(1)]);
        let convex = Convex::from_corners(&lower);
        (convex.edges.len() > 2 && convex.area() > 0.0).then_some(convex)
    }

    /// A convex of corners that are known to turn left. Those that repeat the one before go.
    pub(crate) fn from_corners(corners: &[DVec2]) -> Convex {
        let next = |i: usize| corners[(i + 1) % corners.len()];
        let edge = |(i, &start): (usize, &DVec2)| {
            Some(Edge { start, line: Line::between(start, next(i))?, cut: None })
        };
        Convex { edges: corners.iter().enumerate().filter_map(edge).collect() }
    }

    /// A convex of edges that are known to be in order.
    pub(crate) fn from_edges(edges: Vec<Edge>) -> Convex {
        Convex { edges }
    }

    /// The edges, counter-clockwise.
    pub fn edges(&self) -> &[Edge] {
        &self.edges
    }

    /// The corners, counter-clockwise.
    pub fn corners(&self) -> impl ExactSizeIterator<Item = DVec2> + Clone + '_ {
        self.edges.iter().map(|edge| edge.start)
    }

    /// Both ends of an edge.
    pub fn ends(&self, edge: usize) -> [DVec2; 2] {
        [self.edges[edge].start, self.edges[(edge + 1) % self.edges.len()].start]
    }

    /// The edges, to be marked.
    pub(crate) fn edges_mut(&mut self) -> &mut [Edge] {
        &mut self.edges
    }

    /// The box around it.
    pub fn bounds(&self) -> Aabb {
        Aabb::around(self.corners())
    }

    /// The area.
    pub fn area(&self) -> f64 {
        area_of(&self.edges)
    }

    /// Area, centre and moment of inertia at a density of one.
    pub fn mass(&self) -> Mass {
        let Some(first) = self.edges.first() else { return Mass::default() };
        Mass::of_edges(first.start, pairs(&self.edges))
    }

    /// The mean of the corners: a point inside.
    pub fn middle(&self) -> DVec2 {
        let Some(first) = self.edges.first() else { return DVec2::ZERO };
        let sum: DVec2 = self.corners().map(|corner| corner - first.start).sum();
        first.start + sum / self.edges.len() as f64
    }

    /// Whether a point lies behind all edges.
    pub fn contains(&self, point: DVec2) -> bool {
        !self.edges.is_empty() && self.edges.iter().all(|edge| edge.line.side(point) == Side::Behind)
    }

    /// How far away a point is; zero inside, infinite for nothing.
    pub fn distance(&self, point: DVec2) -> f64 {
        if self.contains(point) {
            return 0.0;
        }
        let to_edge = |edge: usize| {
            let [from, to] = self.ends(edge);
            let along = to - from;
            let part = ((point - from).dot(along) / along.length_squared()).clamp(0.0, 1.0);
            let nearest = if part.is_finite() { from + along * part } else { from };
            nearest.distance(point)
        };
        (0..self.edges.len()).map(to_edge).fold(f64::INFINITY, f64::min)
    }

    /// What lies in a halfplane; `None` if nothing does.
    pub fn clip(&self, halfplane: &Halfplane) -> Option<Convex> {
        let mut kept = Vec::with_capacity(self.edges.len() + 1);
        clip_edges(&self.edges, halfplane, &mut kept);
        (!kept.is_empty()).then_some(Convex { edges: kept })
    }

    /// What lies in a halfplane and what does not. Both have the same new corners, to the bit.
    pub fn split(&self, halfplane: &Halfplane) -> (Option<Convex>, Option<Convex>) {
        (self.clip(halfplane), self.clip(&halfplane.opposite()))
    }

    /// What two convexes have in common; `None` if that has no area. Edges keep their marks.
    ///
    /// ```
    /// use smithereens_planar::{Aabb, Convex};
    /// use glam::DVec2;
    /// let square = |x: f64| Convex::from_box(&Aabb::new(DVec2::splat(x), DVec2::splat(x + 2.0)));
    /// assert_eq!(square(0.0).intersection(&square(1.0)).unwrap().area(), 1.0);
    /// assert!(square(0.0).intersection(&square(2.0)).is_none());
    /// ```
    pub fn intersection(&self, other: &Convex) -> Option<Convex> {
        let mut common = self.clone();
        for edge in &other.edges {
            let plain = Halfplane { line: edge.line, side: Side::Behind, id: None };
            let halfplane = edge.halfplane().unwrap_or(plain);
            common = common.clip(&halfplane)?;
        }
        (common.area() > 0.0 && other.edges.len() > 2).then_some(common)
    }

    /// The image under an affine map; `None` if the map is singular.
    pub fn transformed(&self, map: &DAffine2) -> Option<Convex> {
        let image = |edge: &Edge| {
            Some(Edge {
                start: map.transform_point2(edge.start),
                line: edge.line.transformed(map)?,
                cut: edge.cut,
            })
        };
        let mut edges = self.edges.iter().map(image).collect::<Option<Vec<Edge>>>()?;
        if map.matrix2.x_axis.perp_dot(map.matrix2.y_axis) < 0.0 {
            mirror(&mut edges);
        }
        Some(Convex { edges })
    }
}

/// Turns the order of edges around: each starts then where it ended.
fn mirror(edges: &mut [Edge]) {
    let ends: Vec<DVec2> = pairs(edges).map(|(_, end)| end).collect();
    edges.iter_mut().zip(ends).for_each(|(edge, end)| edge.start = end);
    edges.reverse();
}

/// One chain of a hull: points that turn left, of points in order.
fn chain(points: impl Iterator<Item = DVec2>) -> Vec<DVec2> {
    let mut chain: Vec<DVec2> = Vec::new();
    for point in points {
        while let [.., before, last] = chain[..]
            && crate::turn(before, last, point) <= 0.0
        {
            chain.pop();
        }
        chain.push(point);
    }
    chain
}

/// The ends of all edges.
pub(crate) fn pairs(edges: &[Edge]) -> impl Iterator<Item = (DVec2, DVec2)> + Clone + '_ {
    let ends = edges.iter().skip(1).chain(edges.first());
    edges.iter().zip(ends).map(|(from, to)| (from.start, to.start))
}

/// The area within a loop of edges.
pub(crate) fn area_of(edges: &[Edge]) -> f64 {
    let Some(first) = edges.first() else { return 0.0 };
    let origin = first.start;
    pairs(edges).map(|(a, b)| (a - origin).perp_dot(b - origin)).sum::<f64>() * 0.5
}

/// The part of a loop of edges in a halfplane, as one loop (Sutherland and Hodgman 1974). What is kept and what is not share their new
/// corners and run along the line in opposite directions, so that areas add up whatever the rounding.
pub(crate) fn clip_edges(edges: &[Edge], halfplane: &Halfplane, kept: &mut Vec<Edge>) {
    kept.clear();
    let Some(last) = edges.last() else { return };
    let mut before = (last, halfplane.line.distance(last.start));
    for edge in edges {
        let here = (edge, halfplane.line.distance(edge.start));
        let side = |(_, distance): (&Edge, f64)| side_at(distance) == halfplane.side;
        match (side(before), side(here)) {
            (true, true) => add(kept, *before.0),
            (true, false) => {
                add(kept, *before.0);
                add(kept, halfplane.edge(meeting(before, here)));
            }
            (false, true) => add(kept, Edge { start: meeting(before, here), ..*before.0 }),
            (false, false) => {}
        }
        before = here;
    }
    while kept.len() > 1 && kept[kept.len() - 1].start == kept[0].start {
        kept.pop();
    }
    if kept.len() < 3 {
        kept.clear();
    }
}

/// Adds an edge; the one before goes if this one starts where that did.
fn add(kept: &mut Vec<Edge>, edge: Edge) {
    match kept.last_mut() {
        Some(last) if last.start == edge.start => *last = edge,
        _ => kept.push(edge),
    }
}

/// Where an edge between two corners on different sides meets the line.
fn meeting((from, at): (&Edge, f64), (to, there): (&Edge, f64)) -> DVec2 {
    let ends = [(from.start, at), (to.start, there)];
    let [behind, front] = if side_at(at) == Side::Behind { ends } else { [ends[1], ends[0]] };
    crossing(behind, front)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::LineId;
    use crate::draw::Draw;

    fn some_hull(draw: &mut Draw, points: usize) -> Convex {
        let cloud: Vec<DVec2> = (0..points).map(|_| draw.in_box(&Aabb::square(1.0))).collect();
        Convex::hull(&cloud).unwrap()
    }

    #[test]
    fn a_hull_is_convex_and_holds_all_points() {
        let mut draw = Draw::new(1);
        for points in [3, 4, 10, 100] {
            let cloud: Vec<DVec2> = (0..points).map(|_| draw.in_box(&Aabb::square(1.0))).collect();
            let hull = Convex::hull(&cloud).unwrap();
            let corners: Vec<DVec2> = hull.corners().collect();
            let n = corners.len();
            assert!(
                (0..n).all(|i| crate::turn(corners[i], corners[(i + 1) % n], corners[(i + 2) % n]) > 0.0)
            );
            assert!(cloud.iter().all(|&p| hull.distance(p) < 1e-15));
        }
    }

    #[test]
    fn halves_make_the_whole_and_share_their_bits() {
        let mut draw = Draw::new(2);
        for _ in 0..2000 {
            let convex = some_hull(&mut draw, 12);
            let line = Line::through(draw.in_box(&Aabb::square(0.7)), draw.direction()).unwrap();
            let halfplane = Halfplane { line, side: Side::Front, id: Some(LineId::new(3)) };
            let (front, behind) = convex.split(&halfplane);
            let areas = [&front, &behind].map(|half| half.as_ref().map_or(0.0, Convex::area));
            assert!((areas[0] + areas[1] - convex.area()).abs() < 1e-15 * 8.0);
            let (Some(front), Some(behind)) = (front, behind) else { continue };
            let cut_of = |half: &Convex| {
                let edge = half.edges().iter().position(|edge| edge.cut.is_some()).unwrap();
                half.ends(edge)
            };
            let ([a, b], [c, d]) = (cut_of(&front), cut_of(&behind));
            assert_eq!([a, b], [d, c]);
        }
    }

    #[test]
    fn the_intersection_is_what_is_in_both() {
        let mut draw = Draw::new(3);
        for _ in 0..300 {
            let [a, b] = [9, 5].map(|points| some_hull(&mut draw, points));
            let common = a.intersection(&b).unwrap_or_default();
            let other = b.intersection(&a).unwrap_or_default();
            assert!((common.area() - other.area()).abs() < 1e-14);
            for _ in 0..50 {
                let point = draw.in_box(&Aabb::square(1.0));
                assert_eq!(common.contains(point), a.contains(point) && b.contains(point));
            }
        }
    }

    #[test]
    fn a_mirrored_convex_is_a_convex() {
        let convex = some_hull(&mut Draw::new(4), 10);
        let map = DAffine2::from_scale(DVec2::new(-2.0, 1.0));
        let image = convex.transformed(&map).unwrap();
        assert!((image.area() - 2.0 * convex.area()).abs() < 1e-13);
        assert!(image.contains(map.transform_point2(convex.middle())));
        assert!(convex.transformed(&DAffine2::from_scale(DVec2::X)).is_none());
        for (edge, (from, to)) in image.edges().iter().zip(pairs(image.edges())) {
            assert!(edge.line.distance(from).abs() + edge.line.distance(to).abs() < 1e-12);
        }
    }
}
