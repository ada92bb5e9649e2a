//! Cases that break cutters: everything that rounding, ties and bad luck can do, from a seed.

use glam::DVec3;
use smithereens::pattern::{Pattern, PatternKind};
use smithereens_geometry::{Aabb, Mesh, Plane, Solid, Tolerance};

use crate::chance::Chance;
use crate::fixtures;

/// A solid and a plane to cut it by.
#[derive(Clone, Debug)]
pub struct CutCase {
    /// What is nasty about it.
    pub name: String,
    /// The solid.
    pub solid: Solid,
    /// The plane.
    pub plane: Plane,
}

/// A solid and points whose Voronoi cells cut it.
#[derive(Clone, Debug)]
pub struct PointCase {
    /// What is nasty about it.
    pub name: String,
    /// The solid.
    pub solid: Solid,
    /// The points.
    pub points: Vec<DVec3>,
    /// A box around both.
    pub bounds: Aabb,
}

/// A solid and a pattern that covers it.
#[derive(Clone, Debug)]
pub struct PatternCase {
    /// What is nasty about it.
    pub name: String,
    /// The solid.
    pub solid: Solid,
    /// The pattern.
    pub pattern: Pattern,
}

/// A solid and a plane that hits it where it hurts.
pub fn cut_case(seed: u64) -> CutCase {
    let mut chance = Chance::new(seed);
    let (shape, solid) = solid(&mut chance);
    let (kind, plane) = plane(solid.mesh(), &mut chance);
    CutCase { name: format!("seed {seed}: {shape}, {kind}"), solid, plane }
}

/// A solid and points that hit it where it hurts.
pub fn point_case(seed: u64) -> PointCase {
    let mut chance = Chance::new(seed);
    let (shape, solid) = solid(&mut chance);
    let bounds = solid.mesh().bounds();
    let bounds = bounds.grown(bounds.extent() * [0.0, 0.01, 0.5][chance.below(3)]);
    let (kind, points) = points(solid.mesh(), &bounds, &mut chance);
    PointCase { name: format!("seed {seed}: {shape}, {kind}"), solid, points, bounds }
}

/// A solid and a pattern of any kind around it.
pub fn pattern_case(seed: u64) -> PatternCase {
    let mut chance = Chance::new(seed);
    let (shape, solid) = solid(&mut chance);
    let kind = PatternKind::ALL[chance.below(PatternKind::ALL.len())];
    let bounds = solid.mesh().bounds();
    let bounds = bounds.grown(bounds.extent() * 0.1);
    let pattern = kind
        .pattern(1 + chance.below(40), bounds, chance.bits())
        .unwrap_or_else(|error| panic!("seed {seed}: {kind}: {error}"));
    PatternCase { name: format!("seed {seed}: {shape}, {kind}"), solid, pattern }
}

/// What rounding may change of a solid's volume: its surface times some roundings of its coordinates. For solids
/// neither thin nor far away this is far less than the relative 1e-9 that is allowed on top.
pub fn volume_slack(mesh: &Mesh) -> f64 {
    const ROUNDINGS: f64 = 64.0;
    let volume = mesh.signed_volume().abs();
    volume * 1e-9 + mesh.area() * reach(mesh) * f64::EPSILON * ROUNDINGS
}

/// The farthest coordinate from the origin: what rounding is relative to.
pub fn reach(mesh: &Mesh) -> f64 {
    let bounds = mesh.bounds();
    bounds.min.abs().max(bounds.max.abs()).max_element()
}

/// A small fixture, perhaps squashed, scaled, moved far away or jittered by ulps.
fn solid(chance: &mut Chance) -> (String, Solid) {
    let (name, solid) = match chance.below(9) {
        0 => ("box", fixtures::boxed(DVec3::new(1.0, 2.0, 3.0))),
        1 => ("subdivided box", fixtures::subdivided_box(DVec3::ONE, 3)),
        2 => ("ico sphere", fixtures::ico_sphere(1.0, 1)),
        3 => ("uv sphere", fixtures::uv_sphere(1.0, 12, 6)),
        4 => ("torus", fixtures::torus(1.0, 0.4, 12, 6)),
        5 => ("column", fixtures::column(0.5, 2.0, 5)),
        6 => ("hollow box", fixtures::hollow_box(1.0, 0.5)),
        7 => ("touching boxes", fixtures::touching_boxes()),
        _ => ("spiky blob", fixtures::spiky_blob(0.4, 1.6, 1, chance.bits())),
    };
    let mut mesh = solid.clone().into_mesh();
    let deformed = deform(&mut mesh, chance);
    // A deformation may flatten a face so that it is no solid: the fixture itself always is.
    match Solid::new(mesh) {
        Ok(deformed_solid) => (format!("{deformed} {name}"), deformed_solid),
        Err(_) => (name.to_owned(), solid),
    }
}

fn deform(mesh: &mut Mesh, chance: &mut Chance) -> &'static str {
    let mut each = |change: &mut dyn FnMut(DVec3) -> DVec3| {
        mesh.positions.iter_mut().for_each(|p| *p = change(*p));
    };
    match chance.below(7) {
        0 => {
            each(&mut |p| chance.ulps(p, 3));
            "jittered"
        }
        1 => {
            let scale = chance.magnitude(1e-6, 1e6);
            each(&mut |p| p * scale);
            "scaled"
        }
        2 => {
            let place = chance.direction() * chance.magnitude(10.0, 1e6);
            each(&mut |p| p + place);
            "far"
        }
        3 => {
            let thin = DVec3::new(1.0, 1.0, chance.magnitude(1e-5, 1e-1));
            each(&mut |p| p * thin);
            "flattened"
        }
        4 => {
            let thin = DVec3::new(chance.magnitude(1e-5, 1e-1), 1.0, chance.magnitude(1e-5, 1e-1));
            each(&mut |p| p * thin);
            "needle-like"
        }
        5 => {
            let turn = glam::DQuat::from_axis_angle(chance.direction(), chance.between(0.0, 6.0));
            each(&mut |p| turn * p);
            "turned"
        }
        _ => "plain",
    }
}

fn any_vertex(mesh: &Mesh, chance: &mut Chance) -> DVec3 {
    mesh.positions[chance.below(mesh.positions.len())]
}

/// A vertex and the next one around a face.
fn any_edge(mesh: &Mesh, chance: &mut Chance) -> (DVec3, DVec3) {
    let face = chance.below(mesh.faces.len());
    let edges: Vec<(u32, u32)> = mesh.edges_of(face).collect();
    let (a, b) = edges[chance.below(edges.len())];
    (mesh.positions[a as usize], mesh.positions[b as usize])
}

fn plane(mesh: &Mesh, chance: &mut Chance) -> (&'static str, Plane) {
    let bounds = mesh.bounds();
    let random = |chance: &mut Chance| {
        let point = bounds.center() + bounds.size() * chance.point() * 0.5;
        Plane::through(point, chance.direction())
    };
    let turned =
        |plane: Plane, chance: &mut Chance| if chance.below(2) == 0 { plane } else { plane.flipped() };
    let (name, plane) = match chance.below(9) {
        0 => ("through a vertex", Plane::through(any_vertex(mesh, chance), chance.direction())),
        1 => {
            let [a, b, c] = [(); 3].map(|()| any_vertex(mesh, chance));
            ("through three vertices", Plane::through(a, (b - a).cross(c - a)))
        }
        2 => ("along a face", along_face(mesh, chance)),
        3 => {
            let moved = |p: Plane, chance: &mut Chance| Plane {
                offset: chance.ulps(DVec3::splat(p.offset), 4).x,
                ..p
            };
            ("an ulp off a face", along_face(mesh, chance).map(|p| moved(p, chance)))
        }
        4 => {
            let (a, b) = any_edge(mesh, chance);
            ("along an edge", Plane::through(a, (b - a).cross(chance.direction())))
        }
        5 => {
            let axis = DVec3::AXES[chance.below(3)];
            ("at a vertex's coordinate", Some(Plane::new(axis, any_vertex(mesh, chance).dot(axis))))
        }
        6 => {
            let axis = DVec3::AXES[chance.below(3)];
            ("through the middle", Some(Plane::new(axis, bounds.center().dot(axis))))
        }
        7 => {
            let normal = chance.direction();
            let top = mesh.positions.iter().map(|p| p.dot(normal)).fold(f64::NEG_INFINITY, f64::max);
            ("grazing", Some(Plane::new(normal, chance.ulps(DVec3::splat(top), 2).x)))
        }
        _ => ("anywhere", random(chance)),
    };
    let plane = plane.or_else(|| random(chance)).unwrap_or(Plane::new(DVec3::X, bounds.center().x));
    (name, turned(plane, chance))
}

fn along_face(mesh: &Mesh, chance: &mut Chance) -> Option<Plane> {
    let face = chance.below(mesh.faces.len());
    let corner = mesh.corners[mesh.face_corners(face).start];
    Plane::through(mesh.positions[corner as usize], mesh.face_normal(face))
}

fn points(mesh: &Mesh, bounds: &Aabb, chance: &mut Chance) -> (&'static str, Vec<DVec3>) {
    let count = 2 + chance.below(30);
    let inside = |chance: &mut Chance| bounds.center() + bounds.size() * chance.point() * 0.5;
    let scattered = |chance: &mut Chance| (0..count).map(|_| inside(chance)).collect::<Vec<DVec3>>();
    match chance.below(8) {
        0 => ("grid of points", point_grid(bounds, 2 + chance.below(3))),
        1 => {
            let grid = point_grid(bounds, 2 + chance.below(2));
            ("grid of points an ulp off", grid.into_iter().map(|p| chance.ulps(p, 3)).collect())
        }
        2 => {
            let mut points = scattered(chance);
            points.extend_from_within(..);
            ("points twice", points)
        }
        3 => {
            let near = scattered(chance).into_iter().flat_map(|p| [p, chance.ulps(p, 2)]).collect();
            ("points an ulp apart", near)
        }
        4 => ("points mirrored at vertices", mirrored(mesh, bounds, count, chance)),
        5 => ("points at vertices", (0..count).map(|_| any_vertex(mesh, chance)).collect()),
        6 => {
            let (a, b) = (inside(chance), inside(chance));
            ("points in a line", (0..count).map(|i| a.lerp(b, i as f64 / count as f64)).collect())
        }
        _ => ("points anywhere", scattered(chance)),
    }
}

fn point_grid(bounds: &Aabb, side: usize) -> Vec<DVec3> {
    let place = |i: usize| (i as f64 + 0.5) / side as f64;
    (0..side * side * side)
        .map(|i| DVec3::new(place(i % side), place(i / side % side), place(i / side / side)))
        .map(|p| bounds.min + bounds.size() * p)
        .collect()
}

/// Pairs of points on both sides of vertices, at the same distance: the planes between them go through the vertices.
fn mirrored(mesh: &Mesh, bounds: &Aabb, count: usize, chance: &mut Chance) -> Vec<DVec3> {
    let least = Tolerance::for_box(bounds).length();
    let pair = |_| {
        let (vertex, distance) = (any_vertex(mesh, chance), chance.magnitude(least * 1e3, bounds.extent()));
        let away = if chance.below(2) == 0 { DVec3::AXES[chance.below(3)] } else { chance.direction() };
        [vertex - away * distance, vertex + away * distance]
    };
    (0..count.div_ceil(2)).flat_map(pair).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn the_same_seed_is_the_same_case_and_all_kinds_come_up() {
        let kind = |name: &str| name.split(", ").last().map(str::to_owned);
        let cuts: BTreeSet<_> = (0..300).map(|s| kind(&cut_case(s).name)).collect();
        let points: BTreeSet<_> = (0..300).map(|s| kind(&point_case(s).name)).collect();
        assert_eq!((cuts.len(), points.len()), (9, 8));
        for seed in 0..20 {
            assert_eq!(cut_case(seed).solid, cut_case(seed).solid);
            assert_eq!(point_case(seed).points, point_case(seed).points);
        }
    }
}
