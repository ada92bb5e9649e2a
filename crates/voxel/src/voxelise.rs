//! From a mesh to an octree.
//!
//! 1. The cube of the grid has 2²⁰ steps a side, at every level, and vertices are moved to the nearest. Then all that follows is decided in whole
//!    numbers, and the voxels of a level are exactly those of the next finer one, coarsened.
//! 2. A voxel is boundary if a triangle meets it: the separating axes of a triangle and a box, without rounding (Akenine-Möller 2001). None is missed and none is
//!    added, and two voxels that differ in one coordinate by one share their faces, so that the shell has no gap at any connectivity.
//! 3. What no triangle meets is inside or outside as a whole. `rows` counts how often the surface winds around it.
//! 4. Of the triangles that meet a voxel the one nearest to its middle gives it normal and colour.

use glam::{DVec3, Vec2};
use rayon::prelude::*;
use smithereens_geometry::triangulate::Triangulator;
use smithereens_geometry::{Mesh, Slot, Solid};

use crate::brick::{Brick, bit, bits};
use crate::look::{Kind as LookKind, Look, Skin};
use crate::morton::encode;
use crate::octree::{Octree, voxel_of};
use crate::rows::Rows;
use crate::settle::settle;
use crate::trunk::Trunk;
use crate::{Error, Grid, Interior, Paint, Payload};

/// Steps along an edge of the cube, as a power of two.
pub(crate) const FINENESS: u32 = 20;

/// A triangle in steps.
pub(crate) type Steps = [[i64; 3]; 3];

/// Voxels of a brick that a triangle meets.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Met {
    code: u32,
    triangle: u32,
    mask: u64,
}

impl Octree {
    /// A solid at a level, in a cube a little larger than it: its surface, and all that is inside.
    ///
    /// ```
    /// use smithereens_voxel::{Kind, Octree};
    /// use smithereens_geometry::{Aabb, Convex, Slot, Solid};
    /// let cube = Solid::new(Convex::from_box(&Aabb::cube(1.0)).to_mesh(Slot(0))).unwrap();
    /// let octree = Octree::of_solid(&cube, 4, &[200, 200, 200, 255])?;
    /// assert_eq!(octree.kind(4, [0, 7, 7]), Kind::Boundary);
    /// assert_eq!(octree.kind(4, [7, 7, 7]), Kind::Internal);
    /// # Ok::<(), smithereens_voxel::Error>(())
    /// ```
    pub fn of_solid(solid: &Solid, level: u32, paint: &dyn Paint) -> Result<Octree, Error> {
        let grid = Grid::around(&solid.mesh().bounds(), level)?;
        Octree::of_solids(&[solid], grid, paint)
    }

    /// Several solids in one grid: what is in any of them is inside. What lies outside the grid is left out.
    pub fn of_solids(solids: &[&Solid], grid: Grid, paint: &dyn Paint) -> Result<Octree, Error> {
        let surface = Surface::of(solids.iter().map(|solid| solid.mesh()), grid)?;
        let rows = Rows::of(&surface.steps, grid.level());
        surface.octree(Some(&rows), paint)
    }

    /// The surface of a mesh alone, which need not be closed: nothing is inside.
    pub fn of_shell(mesh: &Mesh, level: u32, paint: &dyn Paint) -> Result<Octree, Error> {
        if mesh.positions.is_empty() {
            return Err(Error::Empty);
        }
        let grid = Grid::around(&mesh.bounds(), level)?;
        Surface::of([mesh], grid)?.octree(None, paint)
    }
}

/// The triangles of a surface.
struct Surface<'a> {
    grid: Grid,
    steps: Vec<Steps>,
    /// The mesh, the face and the corners of each triangle.
    sources: Vec<(&'a Mesh, u32, [u32; 3])>,
}

impl<'a> Surface<'a> {
    fn of(meshes: impl IntoIterator<Item = &'a Mesh>, grid: Grid) -> Result<Surface<'a>, Error> {
        let mut surface = Surface { grid, steps: Vec::new(), sources: Vec::new() };
        let scale = f64::from(1 << FINENESS) / grid.side();
        let step = |point: DVec3| ((point - grid.origin()) * scale).to_array().map(|x| x.round() as i64);
        // Farther away than this nothing can reach the grid, and products would leave 64 bits.
        let is_near = |step: &[i64; 3]| step.iter().all(|x| x.abs() <= 1 << (FINENESS + 1));
        let mut triangulator = Triangulator::default();
        for mesh in meshes {
            for face in 0..mesh.faces.len() {
                if !is_sound(mesh, face) {
                    continue;
                }
                for &corners in triangulator.triangles(mesh, face) {
                    let points = corners.map(|corner| mesh.positions[mesh.corners[corner as usize] as usize]);
                    let steps = points.map(step);
                    if steps.iter().all(is_near) {
                        surface.steps.push(steps);
                        surface.sources.push((mesh, face as u32, corners));
                    }
                }
            }
        }
        if surface.steps.is_empty() { Err(Error::Empty) } else { Ok(surface) }
    }

    fn octree(&self, rows: Option<&Rows>, paint: &dyn Paint) -> Result<Octree, Error> {
        let met = self.meet();
        let runs: Vec<&[Met]> = met.chunk_by(|a, b| a.code == b.code).collect();
        let brick = |(index, run): (usize, &&[Met])| {
            let boundary = run.iter().fold(0, |all, met| all | met.mask);
            let inside = rows.map_or(0, |rows| rows.inside_brick(run[0].code)) & !boundary;
            Brick::new(run[0].code, boundary, inside, Look::new(LookKind::Skin(index as u32)))
        };
        let mut trunk = Trunk::new(self.grid.depth());
        trunk.bricks = runs.par_iter().enumerate().with_min_len(256).map(brick).collect();
        trunk.grow(|depth, code| rows.is_some_and(|rows| rows.is_inside_node(depth, code)));
        settle(&mut trunk);
        let of_brick = |(brick, run): (&Brick, &&[Met])| self.payloads(brick, run, paint);
        let payloads: Vec<Vec<Payload>> =
            trunk.bricks.par_iter().zip(&runs).with_min_len(256).map(of_brick).collect();
        let masks = trunk.bricks.iter().map(|brick| brick.boundary).collect();
        let skin = Skin::shared(masks, payloads.concat());
        Ok(Octree { grid: self.grid, trunk, skin, interior: Interior::default() })
    }

    /// Which voxels each triangle meets, in order of their bricks, then of the triangles.
    fn meet(&self) -> Vec<Met> {
        let of_triangle = |(index, steps): (usize, &Steps)| {
            let mut met = Vec::new();
            meet_triangle(steps, self.grid.level(), |code, mask| {
                met.push(Met { code, triangle: index as u32, mask });
            });
            met
        };
        let lists: Vec<Vec<Met>> =
            self.steps.par_iter().enumerate().with_min_len(256).map(of_triangle).collect();
        let mut met = lists.concat();
        met.par_sort_unstable();
        met
    }

    fn payloads(&self, brick: &Brick, run: &[Met], paint: &dyn Paint) -> Vec<Payload> {
        let payload = |bit: u32| {
            let middle = self.grid.center_of(voxel_of(brick, bit));
            let met = run.iter().filter(|met| met.mask >> bit & 1 == 1);
            let nearest = met.map(|met| (met.triangle, self.nearest(met.triangle, middle)));
            let least = |a: (u32, (f64, DVec3)), b: (u32, (f64, DVec3))| if b.1.0 < a.1.0 { b } else { a };
            let (triangle, (_, weights)) = nearest.reduce(least).unwrap_or_default();
            self.payload(triangle, weights, paint)
        };
        bits(brick.boundary).map(payload).collect()
    }

    /// The squared distance of a point from a triangle, and the weights of the corners at the nearest point.
    fn nearest(&self, triangle: u32, point: DVec3) -> (f64, DVec3) {
        let (mesh, _, corners) = self.sources[triangle as usize];
        let [a, b, c] = corners.map(|corner| mesh.positions[mesh.corners[corner as usize] as usize]);
        let weights = nearest_weights(point, a, b, c);
        let on = a * weights.x + b * weights.y + c * weights.z;
        (on.distance_squared(point), weights)
    }

    fn payload(&self, triangle: u32, weights: DVec3, paint: &dyn Paint) -> Payload {
        let (mesh, face, corners) = self.sources[triangle as usize];
        let [a, b, c] = corners.map(|corner| corner as usize);
        let [p, q, r] = corners.map(|corner| mesh.positions[mesh.corners[corner as usize] as usize]);
        let flat = (q - p).cross(r - p);
        let mut normal = flat;
        if mesh.has_normals() {
            let mixed = mesh.normals[a].as_dvec3() * weights.x
                + mesh.normals[b].as_dvec3() * weights.y
                + mesh.normals[c].as_dvec3() * weights.z;
            normal = if mixed.length_squared() > 1e-12 { mixed } else { flat };
        }
        let uv = if mesh.has_uvs() {
            let [x, y, z] = weights.as_vec3().to_array();
            mesh.uvs[a] * x + mesh.uvs[b] * y + mesh.uvs[c] * z
        } else {
            Vec2::ZERO
        };
        let slot = mesh.faces.get(face as usize).map_or(Slot(0), |face| face.slot);
        Payload::new(paint.color(slot, uv), normal)
    }
}

/// Whether a face's corners are all there and finite.
fn is_sound(mesh: &Mesh, face: usize) -> bool {
    let mut vertices = mesh.loops_of(face).flatten();
    vertices.all(|&vertex| mesh.positions.get(vertex as usize).is_some_and(|point| point.is_finite()))
}

/// Calls `met` with the code of each brick that a triangle meets, and which of its voxels.
fn meet_triangle(steps: &Steps, level: u32, mut met: impl FnMut(u32, u64)) {
    let shift = FINENESS - level;
    let axes = Axes::of(steps, 1 << shift);
    let bricks = Axes::of(steps, 4 << shift);
    let resolution = 1_i64 << level;
    let range = |axis: usize| {
        let (low, high) = (steps.iter().map(|p| p[axis]).min(), steps.iter().map(|p| p[axis]).max());
        // A triangle in the face between two voxels meets both.
        let low = (low.unwrap_or(0) - 1) >> shift;
        let high = high.unwrap_or(0) >> shift;
        (low.clamp(0, resolution), high.clamp(-1, resolution - 1))
    };
    let ranges = [range(0), range(1), range(2)];
    let of_bricks = |axis: usize| ranges[axis].0 >> 2..=ranges[axis].1 >> 2;
    for z in of_bricks(2) {
        for y in of_bricks(1) {
            for x in of_bricks(0) {
                if ranges.iter().any(|(low, high)| low > high) || !bricks.meets([x, y, z]) {
                    continue;
                }
                let mask = mask_of(&axes, [x, y, z], &ranges);
                if mask != 0 {
                    met(encode([x as u32, y as u32, z as u32]), mask);
                }
            }
        }
    }
}

fn mask_of(axes: &Axes, brick: [i64; 3], ranges: &[(i64, i64); 3]) -> u64 {
    let within = |axis: usize| {
        let (low, high) = ranges[axis];
        low.max(brick[axis] * 4)..=high.min(brick[axis] * 4 + 3)
    };
    let mut mask = 0;
    for z in within(2) {
        for y in within(1) {
            if !axes.meets_row(y, z) {
                continue;
            }
            for x in within(0) {
                if axes.meets([x, y, z]) {
                    mask |= 1 << bit([x as u32 & 3, y as u32 & 3, z as u32 & 3]);
                }
            }
        }
    }
    mask
}

/// What separates a triangle from a box of one size, beside the sides of the box: its plane, and its edges seen along each axis.
struct Axes {
    size: i64,
    /// The normal, and the least and greatest value it may have at the least corner of a box that meets the plane.
    plane: ([i64; 3], i64, i64),
    /// Edges seen along x, y and z: what multiplies the next two coordinates, and what is added.
    edges: [[(i64, i64, i64); 3]; 3],
}

impl Axes {
    fn of(steps: &Steps, size: i64) -> Axes {
        let sub = |a: [i64; 3], b: [i64; 3]| [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
        let [p, q, r] = *steps;
        let sides = [sub(q, p), sub(r, q), sub(p, r)];
        let [u, v] = [sub(q, p), sub(r, p)];
        let normal = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
        let reach = |sign: i64| (0..3).map(|k| (normal[k] * sign).max(0)).sum::<i64>();
        let at = |n: [i64; 3]| n[0] * p[0] + n[1] * p[1] + n[2] * p[2];
        // For a box at x the plane is met if n·x - n·p goes from at most the one to at least the other end over its corners.
        let plane = (normal, at(normal) - reach(1) * size, at(normal) + reach(-1) * size);
        let edges = std::array::from_fn(|axis| {
            let (b, c) = ((axis + 1) % 3, (axis + 2) % 3);
            let turn = if normal[axis] >= 0 { 1 } else { -1 };
            std::array::from_fn(|i| {
                let (along_b, along_c) = (-sides[i][c] * turn, sides[i][b] * turn);
                let inner = (along_b.max(0) + along_c.max(0)) * size;
                (along_b, along_c, inner - along_b * steps[i][b] - along_c * steps[i][c])
            })
        });
        Axes { size, plane, edges }
    }

    /// Whether a row of boxes along x can meet the triangle, by what is seen along x.
    fn meets_row(&self, y: i64, z: i64) -> bool {
        let (y, z) = (y * self.size, z * self.size);
        self.edges[0].iter().all(|&(b, c, d)| b * y + c * z + d >= 0)
    }

    fn meets(&self, at: [i64; 3]) -> bool {
        let [x, y, z] = at.map(|x| x * self.size);
        let (normal, low, high) = self.plane;
        let value = normal[0] * x + normal[1] * y + normal[2] * z;
        value >= low
            && value <= high
            && self.edges[0].iter().all(|&(b, c, d)| b * y + c * z + d >= 0)
            && self.edges[1].iter().all(|&(b, c, d)| b * z + c * x + d >= 0)
            && self.edges[2].iter().all(|&(b, c, d)| b * x + c * y + d >= 0)
    }
}

/// The weights of the corners of a triangle at its point nearest to another (Ericson 2005, Section 5.1.5).
fn nearest_weights(point: DVec3, a: DVec3, b: DVec3, c: DVec3) -> DVec3 {
    let (ab, ac, ap) = (b - a, c - a, point - a);
    let (d1, d2) = (ab.dot(ap), ac.dot(ap));
    if d1 <= 0.0 && d2 <= 0.0 {
        return DVec3::X;
    }
    let bp = point - b;
    let (d3, d4) = (ab.dot(bp), ac.dot(bp));
    if d3 >= 0.0 && d4 <= d3 {
        return DVec3::Y;
    }
    let vc = d1 * d4 - d3 * d2;
    if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        let t = d1 / (d1 - d3);
        return DVec3::new(1.0 - t, t, 0.0);
    }
    let cp = point - c;
    let (d5, d6) = (ab.dot(cp), ac.dot(cp));
    if d6 >= 0.0 && d5 <= d6 {
        return DVec3::Z;
    }
    let vb = d5 * d2 - d1 * d6;
    if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        let t = d2 / (d2 - d6);
        return DVec3::new(1.0 - t, 0.0, t);
    }
    let va = d3 * d6 - d5 * d4;
    if va <= 0.0 && d4 - d3 >= 0.0 && d5 - d6 >= 0.0 {
        let t = (d4 - d3) / ((d4 - d3) + (d5 - d6));
        return DVec3::new(0.0, 1.0 - t, t);
    }
    let sum = va + vb + vc;
    if sum > 0.0 { DVec3::new(va, vb, vc) / sum } else { DVec3::X }
}

#[cfg(test)]
mod tests {
    use super::*;
    use smithereens_testing::chance::Chance;

    /// Whether a triangle meets a box, by clipping it to the box with fractions that are exact enough to tell clear cases apart.
    fn clipped_meets(steps: &Steps, low: [i64; 3], size: i64) -> Option<bool> {
        let depth = |grow: f64| {
            let mut polygon: Vec<DVec3> =
                steps.iter().map(|p| DVec3::from_array(p.map(|x| x as f64))).collect();
            for axis in 0..3 {
                for (sign, bound) in
                    [(1.0, low[axis] as f64 - grow), (-1.0, -((low[axis] + size) as f64 + grow))]
                {
                    let inside = |p: DVec3| p[axis] * sign - bound;
                    let mut next = Vec::new();
                    for i in 0..polygon.len() {
                        let (p, q) = (polygon[i], polygon[(i + 1) % polygon.len()]);
                        let (a, b) = (inside(p), inside(q));
                        if a >= 0.0 {
                            next.push(p);
                        }
                        if (a >= 0.0) != (b >= 0.0) {
                            next.push(p + (q - p) * (a / (a - b)));
                        }
                    }
                    polygon = next;
                }
            }
            !polygon.is_empty()
        };
        let (grown, shrunk) = (depth(1e-3), depth(-1e-3));
        (grown == shrunk).then_some(grown)
    }

    #[test]
    fn a_triangle_meets_what_it_meets() {
        let mut chance = Chance::new(5);
        let (mut clear, mut met) = (0, 0);
        for _ in 0..20_000 {
            let steps: Steps =
                std::array::from_fn(|_| std::array::from_fn(|_| chance.below(4000) as i64 - 1500));
            let size = 1000;
            let axes = Axes::of(&steps, size);
            let bounds =
                (0..3).all(|k| steps.iter().any(|p| p[k] <= size) && steps.iter().any(|p| p[k] >= 0));
            if let Some(expected) = clipped_meets(&steps, [0; 3], size) {
                assert_eq!(axes.meets([0; 3]) && bounds, expected, "{steps:?}");
                clear += 1;
                met += usize::from(expected);
            }
        }
        assert!(clear > 19_000 && met > 2_000 && met < clear - 2_000, "{clear} {met}");
    }

    #[test]
    fn the_nearest_point_is_nearer_than_any_other() {
        let mut chance = Chance::new(6);
        for _ in 0..300 {
            let [point, a, b, c] = [0; 4].map(|_| chance.point());
            let distance = |w: DVec3| (a * w.x + b * w.y + c * w.z).distance(point);
            let best = distance(nearest_weights(point, a, b, c));
            for _ in 0..100 {
                let (s, t) = (chance.unit(), chance.unit());
                let other = DVec3::new(1.0 - s, s * (1.0 - t), s * t);
                assert!(best <= distance(other) + 1e-9);
            }
        }
    }
}
