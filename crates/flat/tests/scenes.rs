//! What scenes can say, and what is said about those that are wrong.

use glam::DVec2;
use smithereens_flat::Cause;
use smithereens_flat::scene::{Scene, Stage, built_in};

fn stage(text: &str) -> Stage {
    Scene::read(text).and_then(Scene::stage).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn error(text: &str) -> String {
    match Scene::read(text).and_then(Scene::stage) {
        Ok(_) => panic!("nothing is wrong with\n{text}"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn every_shape_is_a_body_of_its_area() {
    let shapes = [
        ("{ box = [2, 1] }", 2.0),
        ("{ regular = { sides = 4, radius = 1 } }", 2.0),
        ("{ ring = { radius = 1, inner = 0.5 } }", 2.346_517),
        ("{ polygon = [[0, 0], [1, 0], [1, 1], [0, 1], [0.5, 0.5]] }", 1.0),
        (
            "{ chain = { points = [[0, 0], [2, 0], [2, 2], [0, 2]], holes = [[[0.5, 0.5], [1, 0.5], [1, 1]]] } }",
            3.875,
        ),
        ("{ wall = { count = [4, 3], brick = [0.5, 0.2] } }", 1.2),
        ("{ pieces = [[[0, 0], [1, 0], [1, 1], [0, 1]], [[1, 0], [2, 0], [2, 1], [1, 1]]] }", 2.0),
    ];
    for (shape, area) in shapes {
        let stage = stage(&format!("[[body]]\nshape = {shape}\n"));
        assert_eq!(stage.world.bodies().len(), 1, "{shape}");
        assert!((stage.world.area() - area).abs() < 1e-6, "{shape}: {}", stage.world.area());
    }
    for shape in [
        "{ disc = 1 }",
        "{ blob = { radius = 1, holes = [[0, 0, 0.2]] } }",
        "{ arch = { radius = 2, thickness = 0.5 } }",
    ] {
        assert_eq!(stage(&format!("[[body]]\nshape = {shape}\n")).world.bodies().len(), 1, "{shape}");
    }
}

#[test]
fn bodies_are_copied_and_alike() {
    let stage = stage(
        "[[body]]\nname = \"brick\"\nshape = { box = [0.4, 0.2] }\ncopies = { count = [3, 2], step = [0.5, 0.2], shift = 0.25 }\n\
         [[body]]\nshape = { of = \"brick\" }\nat = [9, 9]\n",
    );
    let at: Vec<DVec2> = stage.world.bodies().map(|body| stage.world.pose(body.id).unwrap().at).collect();
    assert_eq!(at.len(), 7);
    assert!(at[4].distance(DVec2::new(0.75, 0.2)) < 1e-6 && at[6].distance(DVec2::splat(9.0)) < 1e-6);
}

#[test]
fn what_is_to_happen_happens_in_its_time() {
    let mut stage = stage(
        "gravity = [0, 0]\n[[pattern]]\nname = \"halves\"\npoints = [[-0.5, 0], [0.5, 0]]\n[[body]]\nshape = { box = [2, 2] }\n\
         [[hit]]\ntime = 0.5\nat = [0, 0]\npattern = \"halves\"\nradius = inf\n\
         [[shot]]\ntime = 1.0\nfrom = [-6, 0]\ntoward = [0, 0]\nspeed = 60\nbreaks = 1\ncount = 2\nevery = 0.25\n",
    );
    let causes = |stage: &Stage| stage.world.events().iter().map(|event| event.cause).collect::<Vec<_>>();
    (0..29).for_each(|_| stage.step());
    assert_eq!(causes(&stage), []);
    (0..2).for_each(|_| stage.step());
    assert_eq!((causes(&stage), stage.world.bodies().len()), (vec![Cause::Hit], 2));
    (0..58).for_each(|_| stage.step());
    assert_eq!(causes(&stage)[1..], [Cause::Shot, Cause::Shot]);
}

#[test]
fn a_grain_is_where_a_body_comes_apart() {
    let stage = stage(
        "[[body]]\nshape = { box = [4, 1] }\ngrain = { pattern = \"bricks\", cells = 40 }\nfixed = true\n",
    );
    let body = stage.world.bodies().next().unwrap();
    assert!((30..80).contains(&body.compound().pieces().len()) && body.is_fixed());
    assert!(body.outline().loops().iter().all(|own| own.is_broken.iter().all(|broken| !broken)));
}

#[test]
fn modes_are_found_when_a_scene_is_staged() {
    let stage = stage("[[body]]\nshape = { box = [4, 1] }\nmodes = { cells = 200, count = 3 }\n");
    assert!(stage.world.bodies().next().unwrap().weakness().is_some());
}

#[test]
fn what_is_wrong_is_named_with_its_line() {
    let bow =
        "\n[[body]]\nname = \"blob\"\nshape = { chain = { points = [[0, 0], [1, 1], [1, 0], [0, 1]] } }\n";
    assert_eq!(error(bow), "line 2: body 'blob': edge 0 crosses edge 2 at (0.5, 0.5)");
    let body = |rest: &str| format!("[[body]]\nshape = {{ box = [1, 1] }}\n{rest}");
    assert!(
        error(&body("material = \"cheese\"\n"))
            .starts_with("line 1: body 'body-1': there is no material \"cheese\": use stone")
    );
    assert!(error(&body("anchor = \"front\"\n")).contains("there is no side \"front\""));
    assert!(
        error("[[body]]\nshape = { of = \"nobody\" }\n")
            .contains("there is no body \"nobody\" before this one")
    );
    assert!(
        error(&body("grain = { pattern = \"lace\" }\n"))
            .contains("there is no pattern \"lace\": use voronoi")
    );
    assert!(
        error(&body("\n[[hit]]\ntime = 0\nat = [0, 0]\npattern = \"lace\"\n"))
            .starts_with("line 4: there is no pattern")
    );
    assert!(error(&body("\n[[hit]]\ntime = 0\nat = [0, 0]\nradius = -1\n")).starts_with("line 4: "));
    assert!(error(&body("\n[[shot]]\ntime = 0\nfrom = [0, 0]\ntoward = [0, 0]\n")).starts_with("line 4: "));
    assert!(error(&body("colour = 3\n")).starts_with("line 3: unknown field"));
    assert!(error("duration = -1\n").contains("duration is -1"));
    assert!(error("box = [[0, 0], [0, 3]]\n").contains("box has no area"));
    assert!(
        error("[[pattern]]\nname = \"x\"\nkind = \"web\"\nsectors = 1\n")
            .starts_with("line 1: pattern \"x\": sectors is 1")
    );
    assert!(error("[material.x]\nlike = \"cheese\"\n").starts_with("line 1: material \"x\""));
    assert!(
        error("[[body]]\nshape = { ring = { radius = 1, inner = 2 } }\n").contains("hole 0 lies outside")
    );
    assert!(error("[[body]]\nshape = { box = [0, 1] }\n").contains("no area"));
    let odd = "[material.x]\nlike = \"stone\"\nbreaks = [{ above = 1, pattern = \"lace\", cells = 3, radius = 1 }]\n";
    assert!(error(odd).contains("there is no pattern \"lace\""));
}

/// Scenes that come with the library in which something breaks by itself.
const BREAKING: [&str; 7] = ["pane", "wall", "arch", "bridge", "blob", "nature", "figure-1"];

#[test]
fn scenes_that_come_with_the_library_say_what_they_show() {
    for scene in built_in() {
        let mut stage = stage(scene.text);
        assert!(stage.all_steps() > 60 && !scene.about.is_empty());
        let area = stage.world.area();
        while stage.steps() < stage.all_steps() {
            stage.step();
        }
        assert!(
            !stage.world.events().is_empty() || !BREAKING.contains(&scene.name),
            "{}: nothing breaks",
            scene.name
        );
        assert!((stage.world.area() - area).abs() < area * 1e-12, "{}", scene.name);
        let round = Scene::read(&stage.scene().write()).unwrap();
        assert_eq!(round.bodies.len(), stage.scene().bodies.len());
    }
    let mut arch = stage(built_in().iter().find(|scene| scene.name == "arch").unwrap().text);
    (0..59).for_each(|_| arch.step());
    assert!(arch.world.events().is_empty(), "it stands until it is hit");
}
