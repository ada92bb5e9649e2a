//! What two triangles have in common: nothing, a point, a chord, or part of a plane. Exact, so touching counts.

use super::grid::{self, Place};
use super::points::Points;

/// A triangle between vertices of [`Points`].
#[derive(Clone, Copy, Debug)]
pub(super) struct Facet {
    pub number: u32,
    pub vertices: [u32; 3],
    pub places: [Place; 3],
    pub normal: [i128; 3],
}

impl Facet {
    pub fn new(number: u32, vertices: [u32; 3], points: &Points) -> Facet {
        let places = vertices.map(|v| points.place(v));
        Facet { number, vertices, places, normal: grid::normal(places) }
    }

    /// Whether its corners are in line: it has no sides.
    pub fn is_flat(&self) -> bool {
        self.normal == [0; 3]
    }

    /// The axes along which it is seen best.
    pub fn axes(&self) -> [usize; 2] {
        grid::kept_axes(self.normal)
    }

    fn edge(&self, k: usize) -> [u32; 2] {
        [self.vertices[k], self.vertices[(k + 1) % 3]]
    }

    /// Whether a place in its plane is in it, or on its border.
    fn holds(&self, place: Place) -> bool {
        let axes = self.axes();
        (0..3).all(|k| grid::area(axes, self.places[k], self.places[(k + 1) % 3], place) >= 0)
    }

    /// The volumes between this triangle and the corners of another.
    fn sides(&self, other: &Facet) -> [i128; 3] {
        other.places.map(|place| grid::volume(self.places, place))
    }
}

/// What two triangles have in common.
#[derive(Clone, Debug, Default)]
pub(super) struct Meeting {
    pub points: Vec<u32>,
    pub chords: Vec<[u32; 2]>,
    /// Whether they lie in one plane and may cover each other.
    pub is_coplanar: bool,
}

/// Whether two triangles may have more in common than corners and edges that both of them have. Much faster than [`meet`].
pub(super) fn may_meet(a: &Facet, b: &Facet) -> bool {
    if a.is_flat() || b.is_flat() {
        return true;
    }
    may_reach(&a.sides(b), a, b) && may_reach(&b.sides(a), b, a)
}

/// Whether, by the sides on which its corners are, `b` reaches the plane of `a` with more than corners that `a` has.
fn may_reach(sides: &[i128; 3], a: &Facet, b: &Facet) -> bool {
    let (mut above, mut below, mut new) = (false, false, false);
    for (side, vertex) in sides.iter().zip(b.vertices) {
        above |= *side > 0;
        below |= *side < 0;
        new |= *side == 0 && !a.vertices.contains(&vertex);
    }
    (above && below) || new || !(above || below)
}

/// All that two triangles have in common.
pub(super) fn meet(points: &mut Points, a: &Facet, b: &Facet) -> Meeting {
    let mut meeting = Meeting::default();
    if a.is_flat() || b.is_flat() {
        meet_flat(&mut meeting, a, b);
        return meeting;
    }
    let (of_b, of_a) = (a.sides(b), b.sides(a));
    if of_b == [0; 3] {
        meeting.is_coplanar = true;
        cover(&mut meeting, points, a, b);
        cover(&mut meeting, points, b, a);
    } else {
        pierce(&mut meeting.points, points, a, of_a, b);
        pierce(&mut meeting.points, points, b, of_b, a);
    }
    meeting.points.sort_unstable();
    meeting.points.dedup();
    if let (false, &[from, to]) = (meeting.is_coplanar, meeting.points.as_slice()) {
        meeting.chords.push([from, to]);
    }
    meeting
}

/// A triangle whose corners are in line will be dropped; but what it joins must get its corners first.
fn meet_flat(meeting: &mut Meeting, a: &Facet, b: &Facet) {
    for (flat, other) in [(a, b), (b, a)] {
        if !other.is_flat() {
            let on = (0..3)
                .filter(|&k| grid::volume(other.places, flat.places[k]) == 0 && other.holds(flat.places[k]));
            meeting.points.extend(on.map(|k| flat.vertices[k]));
        }
    }
}

/// The points at which corners and edges of a triangle meet another one that is not in its plane.
fn pierce(found: &mut Vec<u32>, points: &mut Points, a: &Facet, sides: [i128; 3], b: &Facet) {
    for k in 0..3 {
        let next = (k + 1) % 3;
        if sides[k] == 0 && b.holds(a.places[k]) {
            found.push(a.vertices[k]);
        } else if sides[k].signum() * sides[next].signum() < 0 && goes_through(a.places[k], a.places[next], b)
        {
            found.push(points.pierce(a.edge(k), b.number, [sides[k], sides[next]]));
        }
    }
}

/// Whether the line through two places on both sides of a triangle's plane meets it.
fn goes_through(from: Place, to: Place, triangle: &Facet) -> bool {
    let turns = [0, 1, 2].map(|k| {
        let (p, q) = (triangle.places[k], triangle.places[(k + 1) % 3]);
        grid::volume([from, to, p], q).signum()
    });
    turns.iter().all(|t| *t >= 0) || turns.iter().all(|t| *t <= 0)
}

/// The parts of the edges of `a` that lie in `b`, which is in the same plane.
fn cover(meeting: &mut Meeting, points: &mut Points, a: &Facet, b: &Facet) {
    let axes = b.axes();
    for k in 0..3 {
        let (from, to) = (a.places[k], a.places[(k + 1) % 3]);
        let mut on_edge: Vec<u32> = Vec::new();
        on_edge.extend(b.holds(from).then_some(a.vertices[k]));
        on_edge.extend(b.holds(to).then_some(a.vertices[(k + 1) % 3]));
        for m in 0..3 {
            let (p, q) = (b.places[m], b.places[(m + 1) % 3]);
            let turn = |x: Place, y: Place, z: Place| grid::area(axes, x, y, z).signum();
            let (at_p, at_q) = (turn(from, to, p), turn(from, to, q));
            if at_p == 0 && is_between(p, from, to) {
                on_edge.push(b.vertices[m]);
            } else if at_p * at_q < 0 && turn(p, q, from) * turn(p, q, to) < 0 {
                on_edge.push(points.cross(a.edge(k), b.edge(m), b.places));
            }
        }
        on_edge.sort_unstable();
        on_edge.dedup();
        meeting.points.extend_from_slice(&on_edge);
        for (i, &first) in on_edge.iter().enumerate() {
            meeting.chords.extend(on_edge[i + 1..].iter().map(|&second| [first, second]));
        }
    }
}

/// Whether a place on the line through two others is between them.
fn is_between(place: Place, from: Place, to: Place) -> bool {
    (0..3).all(|k| (from[k].min(to[k])..=from[k].max(to[k])).contains(&place[k]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn meeting(a: [Place; 3], b: [Place; 3]) -> Meeting {
        let mut points = Points::default();
        let [a, b] = [a, b].map(|places| places.map(|place| points.vertex(place).0));
        let (a, b) = (Facet::new(0, a, &points), Facet::new(1, b, &points));
        let found = meet(&mut points, &a, &b);
        let more = found.points.iter().any(|p| !(a.vertices.contains(p) && b.vertices.contains(p)));
        assert!(!more || may_meet(&a, &b));
        found
    }

    const FLAT: [Place; 3] = [[0, 0, 0], [90, 0, 0], [0, 90, 0]];

    #[test]
    fn triangles_meet_in_nothing_a_point_or_a_chord() {
        let through = meeting(FLAT, [[20, 20, -9], [20, 20, 9], [200, 200, 0]]);
        assert_eq!((through.points.len(), through.chords.len()), (2, 1));
        assert_eq!(meeting(FLAT, [[20, 20, 0], [20, 20, 9], [200, 200, 9]]).points.len(), 1);
        assert_eq!(meeting(FLAT, [[20, 20, 1], [20, 20, 9], [200, 200, 9]]).points.len(), 0);
        assert_eq!(meeting(FLAT, [[0, 0, 0], [90, 0, 0], [0, 0, 9]]).chords.len(), 1);
    }

    #[test]
    fn triangles_in_a_plane_share_their_edges() {
        let inside = meeting(FLAT, [[10, 10, 0], [30, 10, 0], [10, 30, 0]]);
        assert_eq!((inside.points.len(), inside.chords.len(), inside.is_coplanar), (3, 3, true));
        let star = meeting(FLAT, [[40, -10, 0], [60, 60, 0], [-10, 40, 0]]);
        assert!(star.is_coplanar && star.points.len() >= 4, "{star:?}");
    }
}
