//! Shapes to break: lattices of cubes, and jittered tetrahedra in whatever a function says is inside.
#![allow(dead_code, reason = "each test uses some of them")]

use std::collections::BTreeMap;

use glam::{DVec3, IVec3};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use smithereens_modes::{Cell, CellGraph, Face};

/// Cubes of a size inside a shape that lies within `half` of the origin.
pub fn cubes(half: DVec3, size: f64, is_inside: impl Fn(DVec3) -> bool) -> CellGraph {
    let count = (half / size).ceil().as_ivec3();
    let (mut cells, mut at) = (Vec::new(), BTreeMap::new());
    for x in -count.x..count.x {
        for y in -count.y..count.y {
            for z in -count.z..count.z {
                let centre = (IVec3::new(x, y, z).as_dvec3() + 0.5) * size;
                if is_inside(centre) {
                    at.insert([x, y, z], cells.len() as u32);
                    cells.push(Cell { volume: size * size * size, centre });
                }
            }
        }
    }
    let mut faces = Vec::new();
    for (&[x, y, z], &cell) in &at {
        for next in [[x + 1, y, z], [x, y + 1, z], [x, y, z + 1]] {
            faces.extend(at.get(&next).map(|&other| Face::between(&cells, [cell, other], size * size)));
        }
    }
    CellGraph::new(cells, faces).expect("sound cubes")
}

/// A box of cubes of size one.
pub fn block(x: i32, y: i32, z: i32) -> CellGraph {
    let (low, high) = (-IVec3::new(x, y, z) / 2, IVec3::new(x, y, z) - IVec3::new(x, y, z) / 2);
    let inside = |p: DVec3| p.cmpgt(low.as_dvec3()).all() && p.cmplt(high.as_dvec3()).all();
    cubes(IVec3::new(x, y, z).as_dvec3(), 1.0, inside)
}

/// About so many tetrahedra of a jittered body-centred lattice inside a shape; the largest part of what hangs together.
pub fn tetrahedra(count: usize, half: DVec3, seed: u64, is_inside: impl Fn(DVec3) -> bool) -> CellGraph {
    let mut random = Pcg64::seed_from_u64(seed);
    let point = |random: &mut Pcg64| DVec3::from_array([(); 3].map(|()| random.random_range(-1.0..1.0)));
    let hits = (0..20_000).filter(|_| is_inside(point(&mut random) * half)).count();
    let volume = 8.0 * half.element_product() * hits as f64 / 20_000.0;
    let size = libm::cbrt(12.0 * volume / count as f64);
    let cubes = (half * 2.0 / size).ceil().as_ivec3() + 2;
    let lattice = Lattice { cubes, size, origin: -cubes.as_dvec3() * size / 2.0 };
    let points: Vec<DVec3> =
        lattice.points().into_iter().map(|p| p + point(&mut random) * 0.12 * size).collect();
    let kept = lattice.tetrahedra();
    let centre = |t: &[u32; 4]| t.iter().map(|&p| points[p as usize]).sum::<DVec3>() / 4.0;
    let kept: Vec<[u32; 4]> = kept.into_iter().filter(|t| is_inside(centre(t))).collect();
    largest_part(graph_of(&points, &kept))
}

struct Lattice {
    cubes: IVec3,
    size: f64,
    origin: DVec3,
}

impl Lattice {
    fn corner(&self, at: IVec3) -> u32 {
        let n = self.cubes + 1;
        ((at.x * n.y + at.y) * n.z + at.z) as u32
    }

    fn centre(&self, at: IVec3) -> u32 {
        let corners = (self.cubes + 1).element_product();
        (corners + (at.x * self.cubes.y + at.y) * self.cubes.z + at.z) as u32
    }

    fn points(&self) -> Vec<DVec3> {
        let corners = each(self.cubes + 1).map(|at| self.origin + at.as_dvec3() * self.size);
        corners.chain(each(self.cubes).map(|at| self.origin + (at.as_dvec3() + 0.5) * self.size)).collect()
    }

    /// Four around each line between the centres of two cubes.
    fn tetrahedra(&self) -> Vec<[u32; 4]> {
        let mut all = Vec::new();
        for (axis, at) in (0..3).flat_map(|axis| each(self.cubes).map(move |at| (axis, at))) {
            let unit = |k: usize| IVec3::from_array(std::array::from_fn(|i| i32::from(i == k % 3)));
            let next = at + unit(axis);
            if next.cmpge(self.cubes).any() {
                continue;
            }
            let (u, v) = (unit(axis + 1), unit(axis + 2));
            let ring = [next, next + u, next + u + v, next + v].map(|corner| self.corner(corner));
            let ends = [self.centre(at), self.centre(next)];
            all.extend((0..4).map(|k| [ends[0], ends[1], ring[k], ring[(k + 1) % 4]]));
        }
        all
    }
}

fn each(count: IVec3) -> impl Iterator<Item = IVec3> {
    let row = move |x| (0..count.y).flat_map(move |y| (0..count.z).map(move |z| IVec3::new(x, y, z)));
    (0..count.x).flat_map(row)
}

fn graph_of(points: &[DVec3], tetrahedra: &[[u32; 4]]) -> CellGraph {
    let corner = |t: &[u32; 4], k: usize| points[t[k] as usize];
    let cell = |t: &[u32; 4]| {
        let [a, b, c] = [1, 2, 3].map(|k| corner(t, k) - corner(t, 0));
        Cell {
            volume: a.dot(b.cross(c)).abs() / 6.0,
            centre: (0..4).map(|k| corner(t, k)).sum::<DVec3>() / 4.0,
        }
    };
    let cells: Vec<Cell> = tetrahedra.iter().map(cell).collect();
    let mut sides: Vec<([u32; 3], u32)> = Vec::new();
    for (index, t) in (0..).zip(tetrahedra) {
        for skip in 0..4 {
            let mut side: Vec<u32> = (0..4).filter(|&k| k != skip).map(|k| t[k]).collect();
            side.sort_unstable();
            sides.push(([side[0], side[1], side[2]], index));
        }
    }
    sides.sort_unstable();
    let pairs = sides.windows(2).filter(|pair| pair[0].0 == pair[1].0);
    let faces = pairs.map(|pair| {
        let [a, b, c] = pair[0].0.map(|p| points[p as usize]);
        Face::between(&cells, [pair[0].1, pair[1].1], (b - a).cross(c - a).length() / 2.0)
    });
    let faces = faces.collect();
    CellGraph::new(cells, faces).expect("sound tetrahedra")
}

fn largest_part(graph: CellGraph) -> CellGraph {
    let mut part: Vec<u32> = (0..graph.cells().len() as u32).collect();
    // Labels sink to the lowest of what hangs together.
    loop {
        let before = part.clone();
        for face in graph.faces() {
            let [a, b] = face.cells.map(|cell| cell as usize);
            let low = part[part[a] as usize].min(part[part[b] as usize]);
            (part[a], part[b]) = (low, low);
        }
        if part == before {
            break;
        }
    }
    let mut sizes = vec![0; part.len()];
    part.iter().for_each(|&p| sizes[p as usize] += 1);
    let largest = (0..sizes.len()).max_by_key(|&p| sizes[p]).expect("a part") as u32;
    subgraph(&graph, |cell| part[cell as usize] == largest)
}

/// The cells that are kept, and the faces between them.
pub fn subgraph(graph: &CellGraph, keep: impl Fn(u32) -> bool) -> CellGraph {
    let kept: Vec<u32> = (0..graph.cells().len() as u32).filter(|&cell| keep(cell)).collect();
    let new = |cell: u32| kept.binary_search(&cell).ok().map(|index| index as u32);
    let faces = graph.faces().iter().filter_map(|face| {
        let [a, b] = face.cells;
        Some(Face { cells: [new(a)?, new(b)?], ..*face })
    });
    let cells = kept.iter().map(|&cell| graph.cells()[cell as usize]).collect();
    CellGraph::new(cells, faces.collect()).expect("a sound part")
}

/// Body, head, two ears and a tail, about one metre long.
pub fn is_in_rabbit(p: DVec3) -> bool {
    let ball = |centre: DVec3, radii: DVec3| ((p - centre) / radii).length_squared() < 1.0;
    ball(DVec3::new(0.0, -0.15, 0.0), DVec3::new(0.42, 0.3, 0.3))
        || ball(DVec3::new(-0.3, 0.15, 0.0), DVec3::new(0.2, 0.18, 0.17))
        || ball(DVec3::new(-0.27, 0.42, 0.1), DVec3::new(0.07, 0.24, 0.05))
        || ball(DVec3::new(-0.27, 0.42, -0.1), DVec3::new(0.07, 0.24, 0.05))
        || ball(DVec3::new(0.43, -0.1, 0.0), DVec3::new(0.1, 0.1, 0.1))
}

/// The box around the rabbit.
pub const RABBIT: DVec3 = DVec3::new(0.55, 0.7, 0.32);

/// Two balls and a thin bar between them, along x.
pub fn is_in_dumbbell(p: DVec3) -> bool {
    let ball = |x: f64| p.distance(DVec3::X * x) < 0.35;
    ball(-0.6) || ball(0.6) || (p.y * p.y + p.z * p.z < 0.11 * 0.11 && p.x.abs() < 0.6)
}

/// The box around the dumbbell.
pub const DUMBBELL: DVec3 = DVec3::new(0.96, 0.36, 0.36);
