//! A solid as a lattice sees it: the lattice points inside, and where the surface crosses the lattice's edges.
//!
//! Moving a node a little moves a few lattice points from cell to cell, which is a thousand times cheaper to follow than cutting the
//! solid anew. The crossings are exact, so that hulls of them are those of the solid but for what lies between the
//! lattice's lines.

use glam::DVec3;
use rayon::prelude::*;
use smithereens_geometry::{Mesh, Solid, triangulate::Triangulator};

/// No lattice point, or no crossing.
pub(super) const NONE: u32 = u32::MAX;

/// Where the surface crosses an edge of the lattice.
#[derive(Clone, Copy, Debug)]
pub(super) struct Crossing {
    pub at: DVec3,
    /// The end of the edge that is inside, as an index into the points.
    pub point: u32,
}

/// What the lattice sees.
#[derive(Clone, Debug)]
pub(super) struct Samples {
    /// The lattice points inside the solid.
    pub points: Vec<DVec3>,
    /// Crossings of lattice edges with the surface.
    pub crossings: Vec<Crossing>,
    /// For each point, one past its last crossing: they are in order of their points.
    crossing_ends: Vec<u32>,
    /// For each crossing, one past its last join.
    join_ends: Vec<u32>,
    /// The crossings that the surface joins to each within a square of the lattice.
    joins: Vec<u32>,
    /// The volume of the solid.
    pub volume: f64,
    /// For each lattice place, the point there.
    rank: Vec<u32>,
    /// For each point, its place.
    place: Vec<u32>,
    strides: [usize; 3],
    /// For each point, those at the next places along the axes, ahead and then behind.
    beside: Vec<[u32; 6]>,
    /// The steps to the 26 places around one, nearest first.
    around: [isize; 26],
}

/// Where the surface crosses the lines of a lattice along one axis.
struct Lines {
    /// By line, where its crossings start.
    starts: Vec<u32>,
    /// How far along, and 1 where the solid begins, -1 where it ends.
    crossings: Vec<(f64, i32)>,
}

/// A lattice over a box, with an empty rim all around.
struct Lattice {
    origin: DVec3,
    spacing: f64,
    size: [usize; 3],
}

impl Lattice {
    fn at(&self, index: [usize; 3]) -> DVec3 {
        self.origin + DVec3::from(index.map(|i| i as f64)) * self.spacing
    }

    fn strides(&self) -> [usize; 3] {
        [1, self.size[0], self.size[0] * self.size[1]]
    }

    /// The steps to the places around one, nearest first.
    fn around(&self) -> [isize; 26] {
        let [sx, sy, sz] = self.strides().map(|s| s as isize);
        AROUND.map(|[x, y, z]| isize::from(x) * sx + isize::from(y) * sy + isize::from(z) * sz)
    }

    /// The first and the last index along an axis of what lies between two places, in spacings. The first is past the last if nothing does.
    #[inline]
    fn between(&self, axis: usize, low: f64, high: f64) -> (usize, usize) {
        let last = (self.size[axis] - 1) as f64;
        let (low, high) = (low.clamp(0.0, last), high.clamp(0.0, last));
        // A cast rounds down, at a tenth of what asking for that costs.
        let first = low as usize;
        (if (first as f64) < low { first + 1 } else { first }, high as usize)
    }

    /// The two axes across a line along `axis`, and how many lines there are.
    fn across(&self, axis: usize) -> ([usize; 2], usize) {
        let others = [(axis + 1) % 3, (axis + 2) % 3];
        (others, self.size[others[0]] * self.size[others[1]])
    }
}

impl Samples {
    /// Samples a solid at about `count` points inside.
    pub fn new(solid: &Solid, count: usize) -> Samples {
        let bounds = solid.mesh().bounds();
        let volume = solid.volume();
        let spacing = (volume / count.max(1) as f64).cbrt().max(bounds.extent() / MOST_A_SIDE);
        // Off the places where models like to have their vertices.
        let shift = DVec3::new(1.03, 1.02, 1.04) + DVec3::new(1.2e-5, 2.3e-5, 3.1e-5);
        let lattice = Lattice {
            origin: bounds.min - shift * spacing,
            spacing,
            size: (bounds.size() / spacing).to_array().map(|s| s.ceil() as usize + 4),
        };
        let hits = Hits::of(&lattice, solid.mesh());
        let lines = |axis: usize| {
            let hits: Vec<&[Hit]> = hits.iter().map(|hits| &hits.0[axis][..]).collect();
            Lines::new(lattice.across(axis).1, hits.concat())
        };
        let lines: Vec<Lines> = (0..3).into_par_iter().map(lines).collect();
        Samples::from_lines(&lattice, &lines, volume)
    }

    fn from_lines(lattice: &Lattice, lines: &[Lines], volume: f64) -> Samples {
        let mut samples = Samples {
            points: Vec::new(),
            crossings: Vec::new(),
            crossing_ends: Vec::new(),
            join_ends: Vec::new(),
            joins: Vec::new(),
            volume,
            rank: vec![NONE; lattice.size.iter().product()],
            place: Vec::new(),
            strides: lattice.strides(),
            beside: Vec::new(),
            around: lattice.around(),
        };
        samples.add_points(lattice, &lines[2]);
        let [sx, sy, sz] = samples.strides;
        let beside = |&place: &u32| {
            let place = place as usize;
            [place + sx, place + sy, place + sz, place - sx, place - sy, place - sz].map(|p| samples.rank[p])
        };
        samples.beside = samples.place.iter().map(beside).collect();
        let crossing_of_edge = samples.add_crossings(lattice, lines);
        samples.add_joins(lattice, &crossing_of_edge);
        samples
    }

    fn add_points(&mut self, lattice: &Lattice, lines: &Lines) {
        let [nx, ny, nz] = lattice.size;
        for z in 1..nz - 1 {
            for y in 1..ny - 1 {
                for x in 1..nx - 1 {
                    let at = lattice.at([x, y, z]);
                    if lines.winding(y * nx + x, at.z) > 0 {
                        let place = x + y * self.strides[1] + z * self.strides[2];
                        self.rank[place] = self.points.len() as u32;
                        self.place.push(place as u32);
                        self.points.push(at);
                    }
                }
            }
        }
    }

    /// Returns, for each edge of the lattice from its lower end, the crossing on it.
    fn add_crossings(&mut self, lattice: &Lattice, lines: &[Lines]) -> Vec<u32> {
        let mut crossing_of_edge = vec![NONE; self.rank.len() * 3];
        let [nx, ny, _] = lattice.size;
        for point in 0..self.points.len() {
            let place = self.place[point] as usize;
            let index = [place % nx, place / nx % ny, place / nx / ny];
            for axis in 0..3 {
                let ([u, v], _) = lattice.across(axis);
                let line = index[v] * lattice.size[u] + index[u];
                for ahead in [false, true] {
                    let stride = self.strides[axis];
                    let other = if ahead { place + stride } else { place - stride };
                    if self.rank[other] != NONE {
                        continue;
                    }
                    let mut at = self.points[point];
                    at[axis] = lines[axis].nearest(line, at[axis], lattice.spacing, ahead);
                    crossing_of_edge[place.min(other) * 3 + axis] = self.crossings.len() as u32;
                    self.crossings.push(Crossing { at, point: point as u32 });
                }
            }
            self.crossing_ends.push(self.crossings.len() as u32);
        }
        crossing_of_edge
    }

    /// Joins the crossings on the sides of every square of the lattice, as marching squares do.
    fn add_joins(&mut self, lattice: &Lattice, crossing_of_edge: &[u32]) {
        let [nx, ny, nz] = lattice.size;
        let mut pairs: Vec<[u32; 2]> = Vec::new();
        for base in 0..(nz - 1) * nx * ny - nx - 1 {
            for axis in 0..3 {
                let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
                let (su, sv) = (self.strides[u], self.strides[v]);
                let corners = [base, base + su, base + su + sv, base + sv];
                if corners[2] >= self.rank.len() {
                    continue;
                }
                let is_inside = corners.map(|c| self.rank[c] != NONE);
                if is_inside.iter().all(|&i| i == is_inside[0]) {
                    continue;
                }
                let sides = [
                    crossing_of_edge[corners[0] * 3 + u],
                    crossing_of_edge[corners[1] * 3 + v],
                    crossing_of_edge[corners[3] * 3 + u],
                    crossing_of_edge[corners[0] * 3 + v],
                ];
                add_pairs(sides, is_inside[0], &mut pairs);
            }
        }
        pairs.extend_from_within(..);
        let half = pairs.len() / 2;
        pairs[half..].iter_mut().for_each(|pair| pair.reverse());
        pairs.sort_unstable();
        self.joins = pairs.iter().map(|pair| pair[1]).collect();
        let end = |crossing: u32| pairs.partition_point(|pair| pair[0] <= crossing) as u32;
        self.join_ends = (0..self.crossings.len() as u32).map(end).collect();
    }

    /// The crossings next to a point, as a range.
    #[inline]
    pub fn crossings_of(&self, point: u32) -> std::ops::Range<u32> {
        let start = if point == 0 { 0 } else { self.crossing_ends[point as usize - 1] };
        start..self.crossing_ends[point as usize]
    }

    /// The crossings that the surface joins to one.
    #[inline]
    pub fn joined_to(&self, crossing: u32) -> &[u32] {
        let start = if crossing == 0 { 0 } else { self.join_ends[crossing as usize - 1] };
        &self.joins[start as usize..self.join_ends[crossing as usize] as usize]
    }

    /// The points at the next places along the axes, ahead and then behind, [`NONE`] where there is none.
    #[inline]
    pub fn beside(&self, point: u32) -> [u32; 6] {
        self.beside[point as usize]
    }

    /// Those of them that are ahead.
    #[inline]
    pub fn ahead(&self, point: u32) -> [u32; 3] {
        let [x, y, z, ..] = self.beside[point as usize];
        [x, y, z]
    }

    /// The points at the 26 places around, nearest first.
    pub fn around(&self, point: u32) -> impl Iterator<Item = u32> + '_ {
        let place = self.place[point as usize] as isize;
        self.around.iter().map(move |&step| self.rank[(place + step) as usize])
    }
}

/// Joins the crossings on the sides of a square, of which some have none.
fn add_pairs(sides: [u32; 4], is_first_inside: bool, pairs: &mut Vec<[u32; 2]>) {
    let mut crossed = sides.into_iter().filter(|&c| c != NONE);
    match [crossed.next(), crossed.next(), crossed.next(), crossed.next()] {
        [Some(a), Some(b), None, None] => pairs.push([a, b]),
        [Some(a), Some(b), Some(c), Some(d)] if is_first_inside => pairs.extend([[a, d], [b, c]]),
        [Some(a), Some(b), Some(c), Some(d)] => pairs.extend([[a, b], [c, d]]),
        _ => {}
    }
}

/// A solid that is almost nothing in its box gets no more lattice lines than this.
const MOST_A_SIDE: f64 = 192.0;

/// Steps to the places around, by their length.
const AROUND: [[i8; 3]; 26] = {
    let mut steps = [[0; 3]; 26];
    let (mut length, mut count) = (1, 0);
    while length <= 3 {
        let mut code = 0;
        while code < 27 {
            let step = [(code % 3) as i8 - 1, (code / 3 % 3) as i8 - 1, (code / 9) as i8 - 1];
            if step[0] * step[0] + step[1] * step[1] + step[2] * step[2] == length {
                steps[count] = step;
                count += 1;
            }
            code += 1;
        }
        length += 1;
    }
    steps
};

impl Lines {
    fn new(count: usize, mut hits: Vec<Hit>) -> Lines {
        hits.sort_unstable_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)).then(a.2.cmp(&b.2)));
        let starts = (0..=count as u32).map(|line| hits.partition_point(|h| h.0 < line) as u32).collect();
        Lines { starts, crossings: hits.into_iter().map(|(_, along, turn)| (along, turn)).collect() }
    }

    fn of(&self, line: usize) -> &[(f64, i32)] {
        &self.crossings[self.starts[line] as usize..self.starts[line + 1] as usize]
    }

    /// How often the surface winds around a place on a line.
    fn winding(&self, line: usize, along: f64) -> i32 {
        self.of(line).iter().take_while(|c| c.0 <= along).map(|c| c.1).sum()
    }

    /// The crossing nearest to a place, ahead of it or behind, within a spacing; half a spacing away if rounding hides it.
    fn nearest(&self, line: usize, along: f64, spacing: f64, ahead: bool) -> f64 {
        let sign = if ahead { 1.0 } else { -1.0 };
        let within = |c: &&(f64, i32)| (0.0..=spacing).contains(&((c.0 - along) * sign));
        let distances = self.of(line).iter().filter(within).map(|c| (c.0 - along) * sign);
        along + sign * distances.reduce(f64::min).unwrap_or(spacing * 0.5)
    }
}

/// A line, how far along the surface crosses it, and 1 where the solid begins, -1 where it ends.
type Hit = (u32, f64, i32);

/// Where triangles cross the lines along each axis.
#[derive(Default)]
struct Hits([Vec<Hit>; 3]);

const FACES_A_TASK: usize = 4096;
const VERTICES_A_TASK: usize = 4096;

impl Hits {
    /// All crossings of a surface, in several lots.
    fn of(lattice: &Lattice, mesh: &Mesh) -> Vec<Hits> {
        // In lattice spacings: a vertex is on the corners of six triangles.
        let scaled = mesh.positions.par_iter().with_min_len(VERTICES_A_TASK);
        let scaled: Vec<DVec3> = scaled.map(|&p| (p - lattice.origin) / lattice.spacing).collect();
        let tasks: Vec<usize> = (0..mesh.faces.len()).step_by(FACES_A_TASK).collect();
        let hits = |first: usize| {
            let (mut triangulator, mut hits) = (Triangulator::default(), Hits::default());
            for face in first..(first + FACES_A_TASK).min(mesh.faces.len()) {
                for corners in triangulator.triangles(mesh, face) {
                    let triangle = corners.map(|c| mesh.corners[c as usize]);
                    hits.add(lattice, &mesh.positions, &scaled, triangle);
                }
            }
            hits
        };
        tasks.into_par_iter().map(hits).collect()
    }

    fn add(&mut self, lattice: &Lattice, positions: &[DVec3], scaled: &[DVec3], triangle: [u32; 3]) {
        let [a, b, c] = triangle.map(|vertex| scaled[vertex as usize]);
        let (low, high) = (a.min(b).min(c), a.max(b).max(c));
        let [x, y, z] = [0, 1, 2].map(|axis| lattice.between(axis, low[axis], high[axis]));
        // Of fine meshes, most triangles are on no line.
        let is_on = [x, y, z].map(|(first, last)| first <= last);
        if is_on.into_iter().filter(|&on| on).count() < 2 {
            return;
        }
        let corners = triangle.map(|vertex| positions[vertex as usize]);
        for (axis, ranges) in [[y, z], [z, x], [x, y]].into_iter().enumerate() {
            add_hits(lattice, axis, corners, triangle, ranges, &mut self.0[axis]);
        }
    }
}

/// The lines that a triangle is on, of some, and where.
///
/// Which side of an edge a line passes is asked of the edge from its lower vertex to the other, so that both triangles at it
/// get one answer: no line slips through.
fn add_hits(
    lattice: &Lattice,
    axis: usize,
    corners: [DVec3; 3],
    triangle: [u32; 3],
    [(u0, u1), (v0, v1)]: [(usize, usize); 2],
    hits: &mut Vec<Hit>,
) {
    let ([u, v], _) = lattice.across(axis);
    for j in v0..=v1 {
        for i in u0..=u1 {
            let (x, y) = (
                lattice.origin[u] + i as f64 * lattice.spacing,
                lattice.origin[v] + j as f64 * lattice.spacing,
            );
            let turn = |from: usize, to: usize| {
                let is_up = triangle[from] < triangle[to];
                let (a, b) = if is_up { (corners[from], corners[to]) } else { (corners[to], corners[from]) };
                let cross = (b[u] - a[u]) * (y - a[v]) - (b[v] - a[v]) * (x - a[u]);
                (if is_up { cross } else { -cross }, (cross >= 0.0) == is_up)
            };
            let [(a, left_of_a), (b, left_of_b), (c, left_of_c)] = [turn(1, 2), turn(2, 0), turn(0, 1)];
            let sum = a + b + c;
            if left_of_a == left_of_b && left_of_b == left_of_c && sum != 0.0 {
                let along = (a * corners[0][axis] + b * corners[1][axis] + c * corners[2][axis]) / sum;
                // A face that looks back along the axis is where the solid begins.
                let turn = if left_of_a { -1 } else { 1 };
                hits.push(((j * lattice.size[u] + i) as u32, along, turn));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use smithereens_geometry::Inside;
    use smithereens_testing::fixtures;

    #[test]
    fn points_fill_the_solid_and_crossings_lie_on_its_surface() {
        for (name, solid) in fixtures::all() {
            let samples = Samples::new(&solid, 20_000);
            // A plate is a few points thick: one layer more or less counts.
            let each = (samples.points.len() as f64 / 20_000.0 - 1.0).abs();
            assert!(each < 0.25, "{name}: {} points", samples.points.len());
            let inside = Inside::of(solid.mesh());
            assert!(samples.points.iter().all(|&p| inside.contains(p)), "{name}");
            let steps = samples.crossings.iter().map(|c| (c.at - samples.points[c.point as usize]).length());
            let spacing = (samples.volume / 20_000.0).cbrt();
            assert!(steps.fold(0.0, f64::max) <= spacing * 1.000_001, "{name}");
            assert!(samples.joins.len() >= samples.crossings.len(), "{name}");
        }
    }
}
