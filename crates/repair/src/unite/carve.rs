//! A triangle cut along all its chords.

use std::collections::BTreeSet;

use super::meet::Facet;
use super::points::Points;
use super::triangulation::{Stuck, Triangulation};

/// What lies on a triangle: points, and chords between points.
#[derive(Clone, Debug, Default)]
pub(super) struct Marks {
    pub points: Vec<u32>,
    pub chords: Vec<[u32; 2]>,
}

impl Marks {
    /// Leaves out what is there twice, and what the triangle has without it; returns whether anything is left.
    pub fn tidy(&mut self, facet: &Facet) -> bool {
        self.chords.iter_mut().for_each(|chord| chord.sort_unstable());
        self.chords.sort_unstable();
        self.chords.dedup();
        let is_corner = |p: &u32| facet.vertices.contains(p);
        self.chords.retain(|[a, b]| !(is_corner(a) && is_corner(b)));
        self.points.extend(self.chords.iter().flatten());
        self.points.sort_unstable();
        self.points.dedup();
        self.points.retain(|p| !is_corner(p));
        !self.points.is_empty()
    }
}

/// Makes the points where chords cross inside the triangle.
pub(super) fn cross_chords(points: &mut Points, facet: &Facet, marks: &mut Marks) {
    let axes = facet.axes();
    let mut order: Vec<(Span, [u32; 2])> =
        marks.chords.iter().map(|&chord| (Span::of(points, axes, chord), chord)).collect();
    order.sort_by(|a, b| a.0.low[0].total_cmp(&b.0.low[0]).then(a.1.cmp(&b.1)));
    for (index, (span, a)) in order.iter().enumerate() {
        let near = order[index + 1..].iter().take_while(|other| other.0.low[0] <= span.high[0]);
        for (_, b) in near.filter(|other| span.overlaps(&other.0)) {
            if do_cross(points, axes, *a, *b) {
                marks.points.push(points.cross(*a, *b, facet.places));
            }
        }
    }
    marks.points.sort_unstable();
    marks.points.dedup();
    marks.points.retain(|p| !facet.vertices.contains(p));
}

/// Whether two chords cross between their ends.
fn do_cross(points: &Points, axes: [usize; 2], [a, b]: [u32; 2], [c, d]: [u32; 2]) -> bool {
    points.turn(axes, a, b, c) * points.turn(axes, a, b, d) < 0
        && points.turn(axes, c, d, a) * points.turn(axes, c, d, b) < 0
}

/// The box around a chord as it is seen, a step wider than need be.
#[derive(Clone, Copy)]
struct Span {
    low: [f64; 2],
    high: [f64; 2],
}

impl Span {
    fn of(points: &Points, axes: [usize; 2], [a, b]: [u32; 2]) -> Span {
        let (p, q) = (points.near(a), points.near(b));
        Span { low: axes.map(|k| p[k].min(q[k]) - 1.0), high: axes.map(|k| p[k].max(q[k]) + 1.0) }
    }

    fn overlaps(&self, other: &Span) -> bool {
        (0..2).all(|k| self.low[k] <= other.high[k] && other.low[k] <= self.high[k])
    }
}

/// The triangles into which points and chords cut a triangle, wound as it is. `also` are edges that another triangle in
/// the same plane has, so that both are cut alike where they cover each other.
pub(super) fn carve(
    points: &Points,
    facet: &Facet,
    marks: &Marks,
    also: &[[u32; 2]],
) -> Result<Vec<[u32; 3]>, Stuck> {
    let axes = facet.axes();
    let mut triangulation = Triangulation::new(facet.vertices, |a, b, c| points.turn(axes, a, b, c));
    let mut last = facet.vertices[0];
    for &point in &marks.points {
        triangulation.insert(point, last)?;
        last = point;
    }
    for [a, b] in parts_of_chords(points, axes, marks).into_iter().chain(also.iter().copied()) {
        triangulation.fix(a, b)?;
    }
    triangulation.improve(|[p, q], [c, d]| {
        let at = |v: u32| points.near(v);
        let across = |v: u32| (at(p) - at(v)).angle_between(at(q) - at(v));
        // Delaunay: the angles across an edge are at most half a turn. The margin keeps ties from flipping for ever.
        across(c) + across(d) > std::f64::consts::PI + 1e-6
    });
    Ok(triangulation.triangles())
}

/// Chords, cut at every point that lies on them.
fn parts_of_chords(points: &Points, axes: [usize; 2], marks: &Marks) -> BTreeSet<[u32; 2]> {
    let mut sorted = marks.points.clone();
    let place = |point: u32| points.near(point)[axes[0]];
    sorted.sort_by(|&a, &b| place(a).total_cmp(&place(b)).then(a.cmp(&b)));
    let mut parts = BTreeSet::new();
    for &chord in &marks.chords {
        let span = Span::of(points, axes, chord);
        let first = sorted.partition_point(|&p| place(p) < span.low[0]);
        let mut on: Vec<u32> = sorted[first..]
            .iter()
            .copied()
            .take_while(|&p| place(p) <= span.high[0])
            .filter(|&p| is_on(points, axes, &span, chord, p))
            .collect();
        on.extend(chord);
        let axis = longer_axis(axes, &span);
        on.sort_by(|&a, &b| points.order(axis, a, b).then(a.cmp(&b)));
        parts.extend(on.windows(2).map(|pair| [pair[0].min(pair[1]), pair[0].max(pair[1])]));
    }
    parts
}

fn longer_axis(axes: [usize; 2], span: &Span) -> usize {
    let size = |k: usize| span.high[k] - span.low[k];
    if size(0) >= size(1) { axes[0] } else { axes[1] }
}

/// Whether a point lies on a chord between its ends.
fn is_on(points: &Points, axes: [usize; 2], span: &Span, [a, b]: [u32; 2], point: u32) -> bool {
    let height = points.near(point)[axes[1]];
    if point == a || point == b || height < span.low[1] || height > span.high[1] {
        return false;
    }
    let axis = longer_axis(axes, span);
    points.turn(axes, a, b, point) == 0 && points.order(axis, a, point) == points.order(axis, point, b)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chords_that_cross_and_lie_on_each_other_cut_a_triangle() {
        let mut points = Points::default();
        let places = [
            [0, 0, 0],
            [90, 0, 0],
            [0, 90, 0],
            [10, 10, 0],
            [60, 10, 0],
            [20, 40, 0],
            [20, 0, 0],
            [30, 10, 0],
        ];
        let v = places.map(|place| points.vertex(place).0);
        let facet = Facet::new(0, [v[0], v[1], v[2]], &points);
        let mut marks =
            Marks { points: vec![], chords: vec![[v[3], v[4]], [v[5], v[6]], [v[7], v[4]], [v[4], v[3]]] };
        assert!(marks.tidy(&facet));
        assert_eq!(marks.chords.len(), 3);
        cross_chords(&mut points, &facet, &mut marks);
        assert_eq!(points.len(), 9, "one crossing at (20, 10)");
        assert_eq!(parts_of_chords(&points, facet.axes(), &marks).len(), 5);
        let triangles = carve(&points, &facet, &marks, &[]).unwrap();
        let area =
            |[a, b, c]: [u32; 3]| (points.near(b) - points.near(a)).cross(points.near(c) - points.near(a)).z;
        assert!(triangles.iter().all(|&t| area(t) > 0.0));
        assert_eq!(triangles.iter().map(|&t| area(t)).sum::<f64>(), 8_100.0);
    }
}
