//! Pieces become one shape, decomposed anew.

use crate::nest::nest;
use crate::{Compound, Edge, Shape};

/// An edge between two numbered corners.
type Named = (u32, u32, Edge);

/// A compound of fewer pieces.
#[derive(Clone, Debug)]
pub struct Merged {
    /// The pieces of all groups, and their bonds.
    pub compound: Compound,
    /// The group of each piece.
    pub group_of: Vec<u32>,
}

impl Compound {
    /// Makes of each group of pieces the fewest convexes that their outline allows. `group_of` tells the group of each piece.
    ///
    /// Edges that two pieces of a group share are the same up to rounding: corners nearer than the tolerance become one, and each edge goes with
    /// its like. What is left is closed, whether or not all edges found theirs.
    ///
    /// ```
    /// use smithereens_planar::{Aabb, Compound, Convex};
    /// use glam::DVec2;
    /// let brick = |x: f64| Convex::from_box(&Aabb::new(DVec2::new(x, 0.0), DVec2::new(x + 1.0, 1.0)));
    /// let row = Compound::from_convexes(vec![brick(0.0), brick(1.0), brick(2.0)])?;
    /// let merged = row.merged(&[0, 0, 1]);
    /// assert_eq!(merged.group_of, [0, 1]);
    /// assert_eq!((merged.compound.bonds().len(), merged.compound.mass().area), (1, 3.0));
    /// # Ok::<(), smithereens_planar::CompoundError>(())
    /// ```
    pub fn merged(&self, group_of: &[u32]) -> Merged {
        let corners = Corners::of(self);
        let groups = group_of.iter().copied().max().map_or(0, |most| most + 1);
        let mut members: Vec<Vec<usize>> = vec![Vec::new(); groups as usize];
        (0..self.pieces().len())
            .zip(group_of)
            .for_each(|(piece, &group)| members[group as usize].push(piece));
        let mut next_line = self.next_line();
        let (mut convexes, mut of) = (Vec::new(), Vec::new());
        for (group, members) in (0..).zip(&members) {
            for shape in nest(corners.outline(self, members)) {
                let (made, next) = shape.decompose_from(next_line);
                let kept = made.into_iter().filter(|convex| convex.area() > 0.0);
                convexes.extend(kept);
                of.resize(convexes.len(), group);
                next_line = next;
            }
        }
        let compound = Compound::of_marked(convexes, self.tolerance().length(), next_line);
        Merged { compound, group_of: of }
    }
}

impl Compound {
    /// The outline of all pieces together: a shape for all that hangs together along edges, with its holes. Edges between two pieces are not in it;
    /// the others keep their marks.
    ///
    /// ```
    /// use smithereens_planar::{Aabb, Compound, Shape};
    /// let frame = Shape::new(&Aabb::square(2.0).corners(), &[Aabb::square(1.0).corners().to_vec()])?;
    /// let outline = Compound::from_shape(&frame).outline();
    /// assert_eq!((outline.len(), outline[0].loops().count(), outline[0].edges().len()), (1, 2, 8));
    /// # Ok::<(), smithereens_planar::ShapeError>(())
    /// ```
    pub fn outline(&self) -> Vec<Shape> {
        let all: Vec<usize> = (0..self.pieces().len()).collect();
        nest(Corners::of(self).outline(self, &all))
    }
}

/// The corners of all pieces; those nearer than the tolerance have the same number.
struct Corners {
    of_piece: Vec<Vec<u32>>,
    at: Vec<glam::DVec2>,
    /// What is nearer is one.
    near: f64,
}

impl Corners {
    fn of(compound: &Compound) -> Corners {
        let pieces = compound.pieces();
        let mut all: Vec<(glam::DVec2, usize, usize)> = Vec::new();
        for (piece, p) in pieces.iter().enumerate() {
            all.extend(p.convex().corners().enumerate().map(|(corner, at)| (at, piece, corner)));
        }
        all.sort_by(|a, b| {
            a.0.x.total_cmp(&b.0.x).then(a.0.y.total_cmp(&b.0.y)).then((a.1, a.2).cmp(&(b.1, b.2)))
        });
        let near = compound.tolerance().length();
        let mut of_piece: Vec<Vec<u32>> = pieces.iter().map(|p| vec![0; p.convex().edges().len()]).collect();
        let mut at: Vec<glam::DVec2> = Vec::new();
        let mut oldest = 0;
        for (corner, piece, index) in all {
            while oldest < at.len() && at[oldest].x < corner.x - near {
                oldest += 1;
            }
            let known = at[oldest..].iter().position(|known| (*known - corner).abs().max_element() <= near);
            of_piece[piece][index] = known.map_or(at.len(), |known| oldest + known) as u32;
            if known.is_none() {
                at.push(corner);
            }
        }
        Corners { of_piece, at, near }
    }

    /// The loops around some pieces: all their edges but those that run both ways.
    fn outline(&self, compound: &Compound, members: &[usize]) -> Vec<Vec<Edge>> {
        let mut edges: Vec<Named> = Vec::new();
        for &piece in members {
            let names = &self.of_piece[piece];
            let convex = compound.pieces()[piece].convex();
            for (index, edge) in convex.edges().iter().enumerate() {
                let (from, to) = (names[index], names[(index + 1) % names.len()]);
                if from != to {
                    edges.push((from, to, Edge { start: self.at[from as usize], ..*edge }));
                }
            }
        }
        // Where one edge of a piece lies along two of another, what is left has corners within edges.
        let open = self.parted(&left_over(edges));
        self.walk(left_over(open))
    }

    /// Edges in two, or more, where corners of others lie within them.
    fn parted(&self, open: &[Named]) -> Vec<Named> {
        let mut parts = Vec::with_capacity(open.len());
        for &(from, to, edge) in open {
            let [start, end] = [from, to].map(|corner| self.at[corner as usize]);
            let (along, length) = ((end - start).normalize_or_zero(), start.distance(end));
            let within = open.iter().filter_map(|&(corner, ..)| {
                let away = self.at[corner as usize] - start;
                let place = along.dot(away);
                let is_on = along.perp_dot(away).abs() <= self.near && place > 0.0 && place < length;
                (is_on && corner != from && corner != to).then_some((place, corner))
            });
            let mut within: Vec<(f64, u32)> = within.collect();
            within.sort_by(|x, y| x.0.total_cmp(&y.0).then(x.1.cmp(&y.1)));
            within.dedup();
            let mut last = from;
            for next in within.into_iter().map(|(_, corner)| corner).chain([to]) {
                parts.push((last, next, Edge { start: self.at[last as usize], ..edge }));
                last = next;
            }
        }
        parts
    }

    /// Puts edges together to loops. Where several go on, the one that turns left most is taken: loops touch in corners, but do not cross.
    fn walk(&self, open: Vec<Named>) -> Vec<Vec<Edge>> {
        let mut is_used = vec![false; open.len()];
        let mut loops = Vec::new();
        for first in 0..open.len() {
            let mut edges = Vec::new();
            let mut here = first;
            while !std::mem::replace(&mut is_used[here], true) {
                edges.push(open[here].2);
                let (from, at, _) = open[here];
                let start = open.partition_point(|edge| edge.0 < at);
                let going = (start..open.len()).take_while(|&next| open[next].0 == at);
                let back = self.at[from as usize] - self.at[at as usize];
                let turn = |&next: &usize| {
                    let on = self.at[open[next].1 as usize] - self.at[at as usize];
                    let angle = libm::atan2(on.perp_dot(back), on.dot(back));
                    if angle <= 0.0 { angle + std::f64::consts::TAU } else { angle }
                };
                let left = going.filter(|&next| !is_used[next]);
                let Some(next) = left.min_by(|a, b| turn(a).total_cmp(&turn(b))) else { break };
                here = next;
            }
            loops.push(straightened(edges));
        }
        loops
    }
}

/// The edges that do not run both ways, in order.
fn left_over(mut edges: Vec<Named>) -> Vec<Named> {
    let ends = |edge: &Named| (edge.0.min(edge.1), edge.0.max(edge.1));
    edges.sort_by_key(|edge| (ends(edge), edge.0));
    let mut left: Vec<Named> = Vec::new();
    for same in edges.chunk_by(|a, b| ends(a) == ends(b)) {
        let up = same.iter().filter(|edge| edge.0 < edge.1).count();
        let (ups, downs) = (same.iter().filter(|e| e.0 < e.1), same.iter().filter(|e| e.0 > e.1));
        left.extend(ups.skip(same.len() - up));
        left.extend(downs.skip(up));
    }
    left.sort_by_key(|edge| (edge.0, edge.1));
    left
}

/// A loop without the corners between two parts of the same edge, which cuts have left.
fn straightened(edges: Vec<Edge>) -> Vec<Edge> {
    let is_turn = |&index: &usize| {
        let before = &edges[(index + edges.len() - 1) % edges.len()];
        (before.line, before.cut) != (edges[index].line, edges[index].cut)
    };
    (0..edges.len()).filter(is_turn).map(|index| edges[index]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pattern::Uniform;
    use crate::{Aabb, FractureOptions, Impact, Shape, fracture};
    use glam::DVec2;

    #[test]
    fn what_was_broken_is_put_together_again() {
        let hole = Aabb::square(1.0).corners().to_vec();
        let frame = Compound::from_shape(&Shape::new(&Aabb::square(2.0).corners(), &[hole]).unwrap());
        let whole = crate::pattern::Pattern::from_points(&[DVec2::ZERO], Aabb::square(3.0)).unwrap();
        let pattern = Uniform { cells: 200, bounds: Aabb::square(3.0), seed: 3 }.pattern().unwrap();
        let one_colour = pattern.coloured(|_| 0);
        let all = FractureOptions::default();
        let cells = fracture(&frame, &one_colour, &Impact::at(DVec2::ZERO), &all).unwrap();
        let cells = &cells.fragments[0].compound;
        let merged = cells.merged(&vec![0; cells.pieces().len()]);
        assert!((merged.compound.mass().area - 12.0).abs() < 1e-9);
        assert!(
            merged.compound.pieces().len() < cells.pieces().len() / 3,
            "{}",
            merged.compound.pieces().len()
        );
        assert_eq!(merged.compound.islands().len(), 1);
        let left: Vec<u32> =
            cells.pieces().iter().map(|piece| u32::from(piece.mass().center.x > 0.0)).collect();
        let halves = cells.merged(&left);
        assert!((halves.compound.mass().area - 12.0).abs() < 1e-9);
        let apart = halves
            .compound
            .split_where(|bond| halves.group_of[bond.a as usize] != halves.group_of[bond.b as usize]);
        assert_eq!(apart.len(), 2);
        assert_eq!(
            fracture(&halves.compound, &whole, &Impact::at(DVec2::ZERO), &all).unwrap().fragments.len(),
            1
        );
    }
}
