//! Few convexes for a polygon with holes.
//!
//! A constrained Delaunay triangulation (`spade`), from which diagonals go as long as what is left is convex (Hertel and Mehlhorn 1983):
//! at most four times as many convexes as can be, in practice far fewer. No corner is added, so convexes fill the shape exactly, with the corners that
//! it has. Karo & Yu (section 4.1) clip ears, which makes triangles only and takes no holes.

use glam::DVec2;
use spade::{ConstrainedDelaunayTriangulation, Point2, Triangulation};

use crate::{Convex, Cut, Edge, Line, LineId, Shape, Side, turn};

impl Shape {
    /// Convexes that fill it. Each edge between two of them carries an identity of its own, from zero on, on opposite sides; other edges keep
    /// their marks.
    ///
    /// ```
    /// use smithereens_planar::{Aabb, Shape};
    /// let frame = Shape::new(&Aabb::square(2.0).corners(), &[Aabb::square(1.0).corners().to_vec()])?;
    /// let convexes = frame.decompose();
    /// assert_eq!(convexes.len(), 4);
    /// assert_eq!(convexes.iter().map(|convex| convex.area()).sum::<f64>(), 12.0);
    /// # Ok::<(), smithereens_planar::ShapeError>(())
    /// ```
    pub fn decompose(&self) -> Vec<Convex> {
        self.decompose_from(0).0
    }

    /// The same with identities from `first` on, and the first that is left.
    pub(crate) fn decompose_from(&self, first: u64) -> (Vec<Convex>, u64) {
        let mut net = Net::of(self);
        net.join();
        net.convexes(self, first)
    }
}

const NONE: u32 = u32::MAX;

/// Polygons as half-edges: triangles at first, three in a row.
#[derive(Default)]
struct Net {
    from: Vec<DVec2>,
    next: Vec<u32>,
    before: Vec<u32>,
    /// The half-edge on the other side, if that is inside the shape and no edge of it is between.
    twin: Vec<u32>,
    /// The shape's edge that it is.
    source: Vec<u32>,
    is_gone: Vec<bool>,
}

type Triangles = ConstrainedDelaunayTriangulation<Point2<f64>>;

impl Net {
    /// The triangles of a shape.
    fn of(shape: &Shape) -> Net {
        let bounds = shape.bounds();
        // A power of two changes no bit, but keeps numbers where predicates are exact.
        let scale =
            libm::exp2(-libm::round(libm::log2(bounds.min.abs().max(bounds.max.abs()).max_element())));
        let mut triangles = Triangles::new();
        let mut corners: Vec<DVec2> = Vec::new();
        let handles: Vec<_> = shape
            .edges()
            .iter()
            .map(|edge| {
                let [x, y] = (edge.start * scale).to_array();
                let handle = triangles.insert(spade::mitigate_underflow(Point2::new(x, y))).ok();
                if handle.is_some_and(|handle| handle.index() == corners.len()) {
                    corners.push(edge.start);
                }
                handle
            })
            .collect();
        let mut sources: Vec<([u32; 2], u32)> = Vec::new();
        let mut first = 0;
        for edges in shape.loops() {
            for i in 0..edges.len() {
                let ends = [first + i, first + (i + 1) % edges.len()].map(|corner| handles[corner]);
                let [Some(from), Some(to)] = ends else { continue };
                if from == to {
                    continue;
                }
                let mut parts = triangles.try_add_constraint(from, to);
                if parts.is_empty() {
                    // What was cut may cross itself by a rounding: a corner more, there.
                    parts = triangles.add_constraint_and_split(from, to, |point| point);
                }
                let along = edges[(i + 1) % edges.len()].start - edges[i].start;
                for part in parts.into_iter().map(|part| triangles.directed_edge(part)) {
                    let [a, b] = part.positions().map(|at| along.dot(DVec2::new(at.x, at.y)));
                    let part = if a <= b { part } else { part.rev() };
                    let ends = [part.from(), part.to()].map(|vertex| vertex.index() as u32);
                    sources.push((ends, (first + i) as u32));
                }
            }
            first += edges.len();
        }
        sources.sort_unstable();
        let is_simple = triangles.num_vertices() == corners.len();
        let more = triangles.vertices().skip(corners.len()).map(|vertex| vertex.position());
        corners.extend(more.collect::<Vec<_>>().iter().map(|point| DVec2::new(point.x, point.y) / scale));
        Net::of_triangles(&triangles, &corners, &sources, (shape, is_simple))
    }

    fn of_triangles(
        triangles: &Triangles,
        corners: &[DVec2],
        sources: &[([u32; 2], u32)],
        (shape, is_simple): (&Shape, bool),
    ) -> Net {
        let is_inside = if is_simple { flood(triangles) } else { asked(triangles, corners, shape) };
        let mut place = vec![NONE; is_inside.len()];
        let mut net = Net::default();
        for face in triangles.inner_faces().filter(|face| is_inside[face.index()]) {
            place[face.index()] = net.from.len() as u32;
            let first = net.from.len() as u32;
            for (k, edge) in (0..).zip(face.adjacent_edges()) {
                let ends = [edge.from(), edge.to()].map(|vertex| vertex.index() as u32);
                let source = sources.binary_search_by_key(&ends, |source| source.0);
                net.from.push(corners[ends[0] as usize]);
                net.next.push(first + (k + 1) % 3);
                net.before.push(first + (k + 2) % 3);
                net.source.push(source.map_or(NONE, |index| sources[index].1));
            }
        }
        net.is_gone = vec![false; net.from.len()];
        for face in triangles.inner_faces().filter(|face| is_inside[face.index()]) {
            for edge in face.adjacent_edges() {
                let across = edge.rev().face().as_inner().filter(|other| is_inside[other.index()]);
                let twin = across.filter(|_| !edge.is_constraint_edge()).map(|other| {
                    let of_other = other.adjacent_edges().map(|candidate| candidate.fix());
                    let k = of_other.iter().position(|&candidate| candidate == edge.rev().fix());
                    place[other.index()] + k.unwrap_or(0) as u32
                });
                net.twin.push(twin.unwrap_or(NONE));
            }
        }
        net
    }

    /// Takes diagonals away, the longest first, as long as both ends stay convex.
    fn join(&mut self) {
        let length =
            |h: u32| self.from[h as usize].distance_squared(self.from[self.next[h as usize] as usize]);
        let is_first = |&h: &u32| self.twin[h as usize] != NONE && h < self.twin[h as usize];
        let mut diagonals: Vec<(f64, u32)> =
            (0..self.from.len() as u32).filter(is_first).map(|h| (length(h), h)).collect();
        diagonals.sort_by(|x, y| y.0.total_cmp(&x.0).then(x.1.cmp(&y.1)));
        for (_, h) in diagonals {
            let twin = self.twin[h as usize];
            if self.is_convex_without(h, twin) && self.is_convex_without(twin, h) {
                self.link(self.before[h as usize], self.next[twin as usize]);
                self.link(self.before[twin as usize], self.next[h as usize]);
                self.is_gone[h as usize] = true;
                self.is_gone[twin as usize] = true;
            }
        }
    }

    /// Whether the corner where `h` starts is convex once `h` is gone.
    fn is_convex_without(&self, h: u32, twin: u32) -> bool {
        let before = self.from[self.before[h as usize] as usize];
        let after = self.from[self.next[self.next[twin as usize] as usize] as usize];
        turn(before, self.from[h as usize], after) >= 0.0
    }

    fn link(&mut self, before: u32, next: u32) {
        self.next[before as usize] = next;
        self.before[next as usize] = before;
    }

    /// What is left, as convexes, with diagonals named from `first` on.
    fn convexes(&self, shape: &Shape, first: u64) -> (Vec<Convex>, u64) {
        let mut next_line = first;
        let mut names: Vec<Option<(Line, u64)>> = vec![None; self.from.len()];
        let mut is_done = self.is_gone.clone();
        let mut convexes = Vec::new();
        for start in 0..self.from.len() {
            if is_done[start] {
                continue;
            }
            let mut edges = Vec::new();
            let mut h = start;
            while !std::mem::replace(&mut is_done[h], true) {
                edges.extend(self.edge(h, shape, &mut names, &mut next_line));
                h = self.next[h] as usize;
            }
            convexes.push(Convex::from_edges(edges));
        }
        (convexes, next_line)
    }

    fn edge(
        &self,
        h: usize,
        shape: &Shape,
        names: &mut [Option<(Line, u64)>],
        next_line: &mut u64,
    ) -> Option<Edge> {
        let start = self.from[h];
        if let Some(source) = shape.edges().get(self.source[h] as usize) {
            return Some(Edge { start, ..*source });
        }
        let line = Line::between(start, self.from[self.next[h] as usize])?;
        let Some(&named) = names.get(self.twin[h] as usize) else {
            return Some(Edge { start, line, cut: None });
        };
        let (line, id, side) = match named {
            Some((line, id)) => (line.flipped(), id, Side::Front),
            None => {
                names[h] = Some((line, *next_line));
                *next_line += 1;
                (line, *next_line - 1, Side::Behind)
            }
        };
        Some(Edge { start, line, cut: Some(Cut::new(LineId::new(id), side)) })
    }
}

/// Which triangles are inside a shape that crosses itself by rounding, by the index of their face: each is asked for itself.
fn asked(triangles: &Triangles, corners: &[DVec2], shape: &Shape) -> Vec<bool> {
    let mut is_inside = vec![false; triangles.num_all_faces()];
    for face in triangles.inner_faces() {
        let middle = face.vertices().map(|vertex| corners[vertex.index()]).into_iter().sum::<DVec2>() / 3.0;
        is_inside[face.index()] = shape.contains(middle);
    }
    is_inside
}

/// From the outside inward, each edge of the shape crossed once more is inside, then outside again.
fn flood(triangles: &Triangles) -> Vec<bool> {
    let mut is_inside = vec![false; triangles.num_all_faces()];
    let mut is_known = is_inside.clone();
    let hull = triangles.convex_hull().map(|outer| (outer.rev(), outer.is_constraint_edge()));
    let mut entered: Vec<_> = hull.collect();
    while let Some((edge, state)) = entered.pop() {
        let Some(face) = edge.face().as_inner() else { continue };
        if std::mem::replace(&mut is_known[face.index()], true) {
            continue;
        }
        is_inside[face.index()] = state;
        let sides = face.adjacent_edges().map(|side| (side.rev(), state != side.is_constraint_edge()));
        entered.extend(sides);
    }
    is_inside
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Aabb, Halfplane};

    #[test]
    fn neighbours_hold_the_same_line_on_opposite_sides() {
        let comb: Vec<DVec2> = (0..40)
            .map(|i| DVec2::new(f64::from(i / 2), f64::from((i + 1) / 2 % 2) * 5.0))
            .chain([DVec2::new(19.5, -1.0), DVec2::new(-0.5, -1.0)])
            .collect();
        let (convexes, lines) = Shape::new(&comb, &[]).unwrap().decompose_from(10);
        for id in 10..lines {
            let with = |side| {
                let cut = Some(Cut::new(LineId::new(id), side));
                let mut ends = convexes.iter().flat_map(|convex| {
                    let found = convex.edges().iter().position(|edge| edge.cut == cut);
                    found.map(|edge| (convex.edges()[edge].line, convex.ends(edge)))
                });
                ends.next().unwrap()
            };
            let ((line, [a, b]), (other, ends)) = (with(Side::Behind), with(Side::Front));
            assert_eq!((line, [b, a]), (other.flipped(), ends));
        }
        assert!(convexes.len() < 30, "{}", convexes.len());
    }

    #[test]
    fn what_was_cut_through_its_corners_is_decomposed() {
        let star: Vec<DVec2> = (0..16)
            .map(|i| crate::draw::at_angle(f64::from(i) * std::f64::consts::FRAC_PI_8) * f64::from(1 + i % 2))
            .collect();
        let star = Shape::new(&star, &[Aabb::square(0.3).corners().to_vec()]).unwrap();
        for normal in [DVec2::X, DVec2::Y, crate::draw::at_angle(std::f64::consts::FRAC_PI_8)] {
            for offset in [-0.3, 0.0, 0.3, 0.5, star.edges()[1].start.dot(normal)] {
                let halfplane = Halfplane { line: Line::new(normal, offset), side: Side::Behind, id: None };
                let (behind, front) = star.split(&halfplane);
                for part in behind.iter().chain(&front) {
                    let area: f64 = part.decompose().iter().map(Convex::area).sum();
                    assert!((area - part.area()).abs() < 1e-13, "{area} of {}", part.area());
                }
                let area: f64 = behind.iter().chain(&front).map(Shape::area).sum();
                assert!((area - star.area()).abs() < 1e-13);
            }
        }
    }
}
