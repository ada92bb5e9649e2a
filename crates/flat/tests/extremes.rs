//! Numbers that nobody means, but somebody will give.

use glam::DVec2;
use smithereens_flat::planar::{Aabb, Shape};
use smithereens_flat::scene::Scene;
use smithereens_flat::{Hit, Material, NewBody, Options, Pose, Shot, World};

const EXTREMES: [f64; 10] = [0.0, -0.0, 1e-300, -1e-20, 1e-9, 1e9, -1e20, 1e38, 1e39, -1e300];

fn survive(world: &mut World) {
    for _ in 0..4 {
        world.step();
        let ids: Vec<_> = world.bodies().map(|body| body.id).collect();
        for id in ids {
            if let Some(pose) = world.pose(id) {
                let _ = world.fracture(&Hit::at(id, pose.at));
            }
        }
        world.grab(DVec2::ZERO);
        world.drag(DVec2::splat(1e300));
    }
    let area = world.area();
    assert!(area.is_finite(), "{area}");
    world.state_hash();
    let _ = Scene::of(world).write();
    let _ = World::load(&world.save());
}

#[test]
fn no_number_of_a_body_is_too_much() {
    let shape = Shape::new(&Aabb::square(0.5).corners(), &[]).unwrap();
    for extreme in EXTREMES {
        for which in 0..7 {
            let mut world =
                World::new(Options { stress: which == 3, ..Options::default() }, Material::table()).unwrap();
            let body = NewBody::of(&shape, Pose::IDENTITY);
            let new = match which {
                0 => NewBody { pose: Pose::at(DVec2::new(extreme, 0.0)), ..body },
                1 => NewBody { velocity: DVec2::new(0.0, extreme), ..body },
                2 => NewBody { spin: extreme, ..body },
                3 => NewBody { pose: Pose { turn: extreme, at: DVec2::ZERO }, ..body },
                4 => match Shape::new(&Aabb::square(extreme.abs()).corners(), &[]) {
                    Ok(shape) => NewBody::of(&shape, Pose::IDENTITY),
                    Err(_) => continue,
                },
                5 => NewBody { anchors: vec![Aabb::square(extreme)], ..body },
                _ => {
                    let _ = world.set_options(Options { gravity: DVec2::splat(extreme), ..*world.options() });
                    body
                }
            };
            let _ = world.add(new);
            let shot = Shot { from: DVec2::new(-3.0, 0.1), toward: DVec2::splat(extreme), ..Shot::default() };
            world.fire(&shot);
            world.fire(&Shot { from: DVec2::splat(extreme), speed: extreme.abs(), ..Shot::default() });
            survive(&mut world);
        }
    }
}

#[test]
fn no_number_of_a_scene_is_too_much() {
    let numbers = ["0", "-1", "1e-300", "1e300", "-1e300", "inf", "nan", "4294967295", "9223372036854775807"];
    let places = [
        "duration = {}",
        "rate = {}",
        "gravity = [0, {}]",
        "ground = {}",
        "depth = {}",
        "seed = {}",
        "budget = { smallest = {} }",
        "budget = { bodies = {} }",
        "budget = { debris = {} }",
        "budget = { life = {} }",
        "box = [[-5, -5], [5, {}]]",
        "view = [[0, 0], [{}, 3]]",
        "[[body]]\nshape = { box = [1, {}] }",
        "[[body]]\nshape = { disc = {} }",
        "[[body]]\nshape = { ring = { radius = 1, inner = {} } }",
        "[[body]]\nshape = { regular = { sides = {}, radius = 1 } }",
        "[[body]]\nshape = { wall = { count = [{}, 2], brick = [0.3, 0.2] } }",
        "[[body]]\nshape = { wall = { count = [3, 2], brick = [{}, 0.2] } }",
        "[[body]]\nshape = { arch = { radius = 1, thickness = 1, stones = {} } }",
        "[[body]]\nshape = { arch = { radius = 1, thickness = {} } }",
        "[[body]]\nshape = { blob = { radius = 1, lobes = {} } }",
        "[[body]]\nshape = { blob = { radius = 1, depth = {} } }",
        "[[body]]\nshape = { polygon = [[0, 0], [1, {}], [0, 1]] }",
        "[[body]]\nshape = { chain = { points = [[0, 0], [1, {}], [0, 1]] } }",
        "[[body]]\nshape = { pieces = [[[0, 0], [1, {}], [0, 1]]] }",
        "[[body]]\nshape = { box = [1, 1] }\nturn = {}",
        "[[body]]\nshape = { box = [1, 1] }\nspin = {}",
        "[[body]]\nshape = { box = [1, 1] }\nat = [{}, 0]",
        "[[body]]\nshape = { box = [1, 1] }\ncopies = { count = [{}, 1], step = [2, 0] }",
        "[[body]]\nshape = { box = [1, 1] }\ncopies = { count = [2, 1], step = [{}, 0] }",
        "[[body]]\nshape = { box = [1, 1] }\ngrain = { cells = {} }",
        "[[body]]\nshape = { box = [1, 1] }\nmodes = { cells = {} }",
        "[[body]]\nshape = { box = [1, 1] }\nmodes = { count = {} }",
        "[[body]]\nshape = { box = [1, 1] }\n[[hit]]\nat = [0, 0]\ntime = {}",
        "[[body]]\nshape = { box = [1, 1] }\n[[hit]]\ntime = 0\nat = [0, {}]",
        "[[body]]\nshape = { box = [1, 1] }\n[[hit]]\ntime = 0\nat = [0, 0]\nstrength = {}",
        "[[body]]\nshape = { box = [1, 1] }\n[[hit]]\ntime = 0\nat = [0, 0]\nsize = {}",
        "[[body]]\nshape = { box = [1, 1] }\n[[hit]]\ntime = 0\nat = [0, 0]\nradius = {}",
        "[[body]]\nshape = { box = [1, 1] }\n[[hit]]\ntime = 0\nat = [0, 0]\npush = { impulse = {} }",
        "[[shot]]\ntime = 0\nfrom = [0, 0]\ntoward = [1, 0]\nspeed = {}",
        "[[shot]]\ntime = 0\nfrom = [0, 0]\ntoward = [1, 0]\nlength = {}",
        "[[shot]]\ntime = 0\nfrom = [0, 0]\ntoward = [1, 0]\ncount = {}",
        "[[pattern]]\nname = \"p\"\npoints = [[0, 0], [{}, 1]]",
        "[[pattern]]\nname = \"p\"\nkind = \"voronoi\"\ncells = {}",
        "[[pattern]]\nname = \"p\"\nkind = \"falloff\"\ncells = {}",
        "[[pattern]]\nname = \"p\"\nkind = \"planes\"\ncells = {}",
        "[[pattern]]\nname = \"p\"\nkind = \"slices\"\ncells = {}",
        "[[pattern]]\nname = \"p\"\nkind = \"web\"\ncells = {}",
        "[[pattern]]\nname = \"p\"\nkind = \"bricks\"\ncells = {}",
        "[[pattern]]\nname = \"p\"\nkind = \"bricks\"\nsize = [{}, 1]",
        "[[pattern]]\nname = \"p\"\nkind = \"bricks\"\nmortar = {}",
        "[material.x]\nlike = \"stone\"\ndensity = {}",
        "[material.x]\nlike = \"stone\"\nstrength = {}",
        "[material.x]\nlike = \"stone\"\nyoung = {}",
        "[material.x]\nlike = \"stone\"\npush = {}",
        "[material.x]\nlike = \"stone\"\nbreaks = [{ above = 1, pattern = \"web\", cells = {}, radius = 1 }]",
        "[material.x]\nlike = \"stone\"\nbreaks = [{ above = 1, pattern = \"web\", cells = 9, radius = {} }]",
    ];
    for place in places {
        for number in numbers {
            let text = place.replacen("{}", number, 1);
            let Ok(mut stage) = Scene::read(&text).and_then(Scene::stage) else { continue };
            (0..3).for_each(|_| stage.step());
            survive(&mut stage.world);
        }
    }
}
