//! What lies on a face stays on it, however many corners that has.

use glam::{DQuat, DVec3};
use smithereens::{Aabb, Compound, Convex, Halfspace, Plane};
use smithereens_simulate::{BodyId, Material, NewBody, Options, Pose, World};
use smithereens_testing::chance::Chance;

/// A world in which nothing is held before it has come to an end by itself.
fn world() -> World {
    let options = Options { rest_after: f64::INFINITY, ..Options::default() };
    let mut world = World::new(options, Material::table());
    world.add_ground(0.0, 0.8);
    world
}

/// A convex as fragments are: a block with planes across its corners.
fn fragment(chance: &mut Chance, planes: usize) -> Convex {
    let cut = |_| {
        let normal = chance.direction();
        Halfspace::behind(Plane { normal, offset: chance.between(0.15, 0.35) })
    };
    let cuts: Vec<Halfspace> = (0..planes).map(cut).collect();
    Convex::from_halfspaces(&Aabb::cube(0.3), &cuts).expect("what is left of a block")
}

/// A prism over a polygon that is not regular.
fn prism(chance: &mut Chance, corners: usize, height: f64) -> Convex {
    let wide = chance.between(0.25, 0.35);
    let ring = (0..corners).map(|i| {
        let angle = (i as f64 + 0.6 * chance.unit()) * std::f64::consts::TAU / corners as f64;
        DVec3::new(angle.cos() * wide, 0.0, angle.sin() * wide)
    });
    let points: Vec<DVec3> = ring.flat_map(|p| [p, p + DVec3::Y * height]).collect();
    Convex::hull(&points).expect("a prism")
}

/// Whether a body that stands on a face would stay there: its centre is over the inside of it, by some way.
fn is_safe(convex: &Convex, face: usize, room: f64) -> bool {
    let normal = convex.faces()[face].halfspace().outward().normal;
    let center = convex.mass().center;
    let corners: Vec<DVec3> = convex.face_points(face).collect();
    (0..corners.len()).all(|i| {
        let (a, b) = (corners[i], corners[(i + 1) % corners.len()]);
        let inward = normal.cross(b - a).normalize_or_zero();
        inward.dot(center - a) > room
    })
}

/// Puts a convex on the floor, face down, and tells by how many degrees it has tipped after two seconds, and how high its lowest corner is.
fn turned(convex: &Convex, face: usize) -> (f64, f64) {
    let mut world = world();
    let plane = convex.faces()[face].halfspace().outward();
    let turn = DQuat::from_rotation_arc(plane.normal, -DVec3::Y);
    let on_floor = DVec3::new(0.0, plane.offset, 0.0);
    let compound = Compound::from_convexes(vec![convex.clone()]).expect("a compound");
    let id: BodyId = world.add(NewBody::at(compound, Pose { at: on_floor, turn })).expect("a body");
    (0..120).for_each(|_| world.step());
    let now = world.pose(id).expect("it is there").turn;
    let up = (now * plane.normal).dot(-DVec3::Y).clamp(-1.0, 1.0).acos().to_degrees();
    let lowest = convex.vertices().iter().map(|&v| world.pose(id).expect("it is there").point(v).y);
    (up, lowest.fold(f64::INFINITY, f64::min))
}

#[test]
fn prisms_stay_upright_however_many_corners_they_have() {
    let mut chance = Chance::new(4);
    for corners in 5..24 {
        for height in [0.1, 0.4, 0.9] {
            let prism = prism(&mut chance, corners, height);
            for face in (0..prism.faces().len()).filter(|&face| prism.face_vertices(face).len() == corners) {
                let (turn, lowest) = turned(&prism, face);
                assert!(turn < 0.3, "{corners} corners, {height} m high: turned by {turn} degrees");
                assert!(lowest > -0.006, "{corners} corners, {height} m high: {lowest} m under the floor");
            }
        }
    }
}

#[test]
fn fragments_stay_on_the_faces_they_lie_on() {
    let mut chance = Chance::new(9);
    let mut tried = 0;
    for case in 0..60 {
        let cell = fragment(&mut chance, 8 + case % 14);
        for face in (0..cell.faces().len()).filter(|&face| is_safe(&cell, face, 0.02)) {
            let (turn, lowest) = turned(&cell, face);
            let corners = cell.face_vertices(face).len();
            assert!(turn < 1.0, "case {case}, a face of {corners} corners: turned by {turn} degrees");
            assert!(lowest > -0.008, "case {case}: {lowest} m under the floor");
            tried += usize::from(corners > 4);
        }
    }
    assert!(tried > 60, "{tried} faces of more than four corners");
}
