//! Clipping a convex polyhedron by a half-space.
//!
//! One bit a vertex, from the side test, decides everything. On a convex the vertices cut away are
//! one connected patch, and so are those that stay; rounding can break that rule where a plane grazes several
//! vertices, and then only the patch around the deepest vertex goes, or only that around the highest stays.

use glam::DVec3;

use crate::{Convex, ConvexFace, Halfspace, Side};

/// What a clip did to a convex.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clip {
    /// Nothing was cut away.
    Whole,
    /// A part was cut away.
    Part,
    /// All was cut away.
    Nothing,
}

/// Memory that clips of convexes reuse.
#[derive(Clone, Debug, Default)]
pub struct ConvexClipper {
    depth: Vec<f64>,
    out: Vec<bool>,
    renumbered: Vec<u32>,
    edges: Vec<CutEdge>,
    crossings: Vec<Crossing>,
    next: Convex,
    cap: Vec<u32>,
    stack: Vec<u32>,
}

/// An edge that the plane cuts, the vertex made on it, and the one after it on the cap.
#[derive(Clone, Copy, Debug)]
struct CutEdge {
    kept: u32,
    lost: u32,
    vertex: u32,
    after: u32,
}

/// Where the loop of a face crosses the plane: the cut edges it leaves and enters by, and the ends of the
/// latter.
#[derive(Clone, Copy, Debug)]
struct Crossing {
    leaving: u32,
    entering: u32,
    kept: u32,
    lost: u32,
}

impl Default for Crossing {
    fn default() -> Crossing {
        Crossing { leaving: NONE, entering: NONE, kept: NONE, lost: NONE }
    }
}

const NONE: u32 = u32::MAX;

impl Convex {
    /// The part that the half-space keeps; `None` if nothing is left.
    pub fn clipped(&self, halfspace: &Halfspace) -> Option<Convex> {
        let mut convex = self.clone();
        match ConvexClipper::default().clip(&mut convex, halfspace) {
            Clip::Nothing => None,
            Clip::Whole | Clip::Part => Some(convex),
        }
    }

    /// Both parts: what the half-space keeps, and what it cuts away.
    pub fn split(&self, halfspace: &Halfspace) -> (Option<Convex>, Option<Convex>) {
        (self.clipped(halfspace), self.clipped(&halfspace.complement()))
    }
}

impl ConvexClipper {
    /// Clips `convex` in place. Left as it was unless the answer is [`Clip::Part`].
    pub fn clip(&mut self, convex: &mut Convex, halfspace: &Halfspace) -> Clip {
        match self.classify(convex, halfspace) {
            Clip::Part => {}
            other => return other,
        }
        if !self.find_cut_edges(convex) && !self.find_one_patch(convex) {
            return Clip::Whole;
        }
        self.rebuild(convex, halfspace);
        std::mem::swap(convex, &mut self.next);
        Clip::Part
    }

    fn classify(&mut self, convex: &Convex, halfspace: &Halfspace) -> Clip {
        self.depth.clear();
        self.depth.extend(convex.vertices.iter().map(|&v| halfspace.depth(v)));
        self.out.clear();
        let front = halfspace.side == Side::Front;
        self.out.extend(self.depth.iter().map(|&d| d > 0.0 || (front && d == 0.0)));
        let lost = self.out.iter().filter(|&&o| o).count();
        match lost {
            0 => Clip::Whole,
            n if n == self.out.len() => Clip::Nothing,
            _ => Clip::Part,
        }
    }

    /// Lists the cut edges in the order of the cap; `false` unless they make one cycle with each
    /// face crossed at most once.
    fn find_cut_edges(&mut self, convex: &Convex) -> bool {
        self.edges.clear();
        self.crossings.clear();
        self.crossings.resize(convex.faces.len(), Crossing::default());
        for face in 0..convex.faces.len() {
            let corners = convex.face_vertices(face);
            let Some(&(mut a)) = corners.last() else { continue };
            let mut a_out = self.out[a as usize];
            for &b in corners {
                let b_out = self.out[b as usize];
                if a_out != b_out {
                    let crossing = &mut self.crossings[face];
                    match b_out {
                        true if crossing.leaving == NONE => {
                            crossing.leaving = self.edges.len() as u32;
                            self.edges.push(CutEdge { kept: a, lost: b, vertex: NONE, after: NONE });
                        }
                        false if crossing.kept == NONE => (crossing.kept, crossing.lost) = (b, a),
                        _ => return false,
                    }
                }
                (a, a_out) = (b, b_out);
            }
        }
        for crossing in self.crossings.iter_mut().filter(|c| c.kept != NONE) {
            let found = self.edges.iter().position(|e| e.kept == crossing.kept && e.lost == crossing.lost);
            let Some(entering) = found else { return false };
            crossing.entering = entering as u32;
            self.edges[entering].after = crossing.leaving;
        }
        self.is_one_cycle()
    }

    fn is_one_cycle(&mut self) -> bool {
        if self.edges.len() < 3 {
            return false;
        }
        self.cap.clear();
        let mut at = 0;
        loop {
            self.cap.push(at);
            at = self.edges[at as usize].after;
            if at == 0 {
                break;
            }
            if at == NONE || self.cap.len() > self.edges.len() {
                return false;
            }
        }
        self.cap.len() == self.edges.len()
    }

    /// Rounding has torn the side that goes, or the side that stays: only the largest part of each counts.
    /// With both in one part, the edges between them make one cycle.
    fn find_one_patch(&mut self, convex: &Convex) -> bool {
        let farthest = |side: f64, depth: &[f64]| {
            let deeper = |a: usize, b: usize| if depth[b] * side > depth[a] * side { b } else { a };
            (0..depth.len()).fold(0, deeper) as u32
        };
        self.keep_patch_only(convex, farthest(1.0, &self.depth), true);
        if self.find_cut_edges(convex) {
            return true;
        }
        self.keep_patch_only(convex, farthest(-1.0, &self.depth), false);
        self.find_cut_edges(convex)
    }

    /// Of the vertices that are `out` or not, gives those that do not hang together with `start` to the
    /// others.
    fn keep_patch_only(&mut self, convex: &Convex, start: u32, out: bool) {
        let candidates = std::mem::replace(&mut self.out, vec![!out; convex.vertices.len()]);
        self.out[start as usize] = out;
        self.stack.clear();
        self.stack.push(start);
        while let Some(vertex) = self.stack.pop() {
            for face in 0..convex.faces.len() {
                let corners = convex.face_vertices(face);
                for (i, &a) in corners.iter().enumerate() {
                    let b = corners[(i + 1) % corners.len()];
                    if a == vertex && candidates[b as usize] == out && self.out[b as usize] != out {
                        self.out[b as usize] = out;
                        self.stack.push(b);
                    }
                }
            }
        }
    }

    fn rebuild(&mut self, convex: &Convex, halfspace: &Halfspace) {
        self.next.vertices.clear();
        self.next.corners.clear();
        self.next.faces.clear();
        self.renumbered.clear();
        for (vertex, &position) in convex.vertices.iter().enumerate() {
            self.renumbered.push(self.next.vertices.len() as u32);
            if !self.out[vertex] {
                self.next.vertices.push(position);
            }
        }
        for edge in &mut self.edges {
            edge.vertex = self.next.vertices.len() as u32;
            let point = cut_point(convex, &self.depth, halfspace.side, edge.kept, edge.lost);
            self.next.vertices.push(point);
        }
        for face in 0..convex.faces.len() {
            self.rebuild_face(convex, face);
        }
        self.next.corners.extend(self.cap.iter().map(|&e| self.edges[e as usize].vertex));
        self.next.faces.push(ConvexFace {
            plane: halfspace.outward(),
            cut: halfspace.cut(),
            end: self.next.corners.len() as u32,
        });
    }

    fn rebuild_face(&mut self, convex: &Convex, face: usize) {
        let corners = convex.face_vertices(face);
        let before = self.next.corners.len();
        let crossing = self.crossings[face];
        if crossing.leaving == NONE {
            // All of it stays or all of it goes.
            let kept = if corners.first().is_some_and(|&v| self.out[v as usize]) { &[] } else { corners };
            let renumbered = &self.renumbered;
            self.next.corners.extend(kept.iter().map(|&v| renumbered[v as usize]));
        } else {
            for (i, &a) in corners.iter().enumerate() {
                let b = corners[if i + 1 == corners.len() { 0 } else { i + 1 }];
                let (a_out, b_out) = (self.out[a as usize], self.out[b as usize]);
                if !a_out {
                    self.next.corners.push(self.renumbered[a as usize]);
                }
                if a_out != b_out {
                    let edge = if a_out { crossing.entering } else { crossing.leaving };
                    self.next.corners.push(self.edges[edge as usize].vertex);
                }
            }
        }
        if self.next.corners.len() > before {
            self.next.faces.push(ConvexFace { end: self.next.corners.len() as u32, ..convex.faces[face] });
        }
    }
}

/// Where the plane cuts an edge: walked from behind to front, so that both sides get the same bits.
fn cut_point(convex: &Convex, depth: &[f64], kept_side: Side, kept: u32, lost: u32) -> DVec3 {
    let (behind, front) = match kept_side {
        Side::Behind => (kept, lost),
        Side::Front => (lost, kept),
    };
    let (b, f) = (depth[behind as usize].abs(), depth[front as usize].abs());
    let t = if b + f > 0.0 { b / (b + f) } else { 0.0 };
    let (from, to) = (convex.vertices[behind as usize], convex.vertices[front as usize]);
    from + (to - from) * t
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Aabb, Plane};

    fn closed(convex: &Convex) -> bool {
        let mut edges: Vec<(u32, u32)> = Vec::new();
        for face in 0..convex.faces.len() {
            let c = convex.face_vertices(face);
            edges.extend((0..c.len()).map(|i| (c[i], c[(i + 1) % c.len()])));
        }
        edges.iter().all(|&(a, b)| edges.iter().filter(|&&e| e == (b, a)).count() == 1)
    }

    #[test]
    fn both_parts_of_a_split_make_the_whole() {
        let cube = Convex::from_box(&Aabb::cube(1.0));
        for (normal, point) in [
            (DVec3::X, DVec3::ZERO),
            (DVec3::new(1.0, 1.0, 1.0), DVec3::ZERO),
            (DVec3::new(1.0, 1.0, 0.0), DVec3::ZERO), // through four vertices
            (DVec3::new(1.0, 1.0, 1.0), DVec3::new(1.0, 1.0, -1.0)), // through three
            (DVec3::new(0.3, -0.2, 0.9), DVec3::new(0.1, 0.2, 0.3)),
        ] {
            let halfspace = Halfspace::behind(Plane::through(point, normal).unwrap());
            let (behind, front) = cube.split(&halfspace);
            let parts: Vec<Convex> = behind.into_iter().chain(front).collect();
            assert!(parts.iter().all(closed), "{normal} {point}");
            assert!((parts.iter().map(Convex::volume).sum::<f64>() - 8.0).abs() < 1e-12);
        }
    }

    #[test]
    fn a_face_torn_by_rounding_leaves_a_sliver_and_not_the_whole() {
        // Two corners of a face, diagonally opposite, are a rounding behind the plane; all else is in front.
        let mut cube = Convex::from_box(&Aabb::cube(1.0));
        for vertex in cube.vertices.iter_mut().filter(|v| v.x > 0.0 && v.y == v.z) {
            vertex.x = 1.0_f64.next_up();
        }
        let sliver = cube.clipped(&Halfspace::behind(Plane::new(-DVec3::X, -1.0_f64.next_up()))).unwrap();
        assert!(closed(&sliver) && sliver.volume() < 1e-12, "{}", sliver.volume());
        let rest = cube.clipped(&Halfspace::behind(Plane::new(DVec3::X, 1.0))).unwrap();
        assert!(closed(&rest) && (rest.volume() - 8.0).abs() < 1e-12);
    }

    #[test]
    fn a_plane_on_a_face_cuts_all_or_nothing() {
        let cube = Convex::from_box(&Aabb::cube(1.0));
        let wall = Halfspace::behind(Plane::new(DVec3::X, 1.0));
        assert_eq!(cube.clipped(&wall).unwrap(), cube);
        let floor = Halfspace::behind(Plane::new(DVec3::X, -1.0));
        let rest = cube.clipped(&floor);
        assert!(rest.is_none_or(|r| r.volume().abs() < 1e-12));
    }
}
