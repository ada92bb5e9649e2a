//! Scenes: what is written is what happens, and what is wrong is told with its line.

use smithereens::Compound;
use smithereens_simulate::scene::{ModelEntry, Scene, Stage};

fn none(model: &ModelEntry) -> Result<Compound, String> {
    Err(format!("{} is not here", model.file.get_ref().display()))
}

fn stage(text: &str) -> Result<Stage, String> {
    Scene::parse(text).and_then(|scene| scene.stage(none)).map_err(|e| e.to_string())
}

const TEMPLE: &str = r#"
seed = 5
duration = 3.0

[material.marble]
like = "stone"
density = 2700
strength = 20000
cells = 24
radius = 0.4

[[body]]
name = "column"
shape = { cylinder = { radius = 0.3, height = 3.0 } }
material = "marble"
at = [0, 1.5, 0]
anchor = "bottom"
copies = { count = [3, 1, 1], step = [2, 0, 0] }

[[body]]
name = "roof"
shape = { parts = [{ box = [6, 0.5, 1.5] }, { box = [4, 0.8, 1.0], at = [0, 0.4, 0] }] }
at = [2, 3.26, 0]

[[projectile]]
time = 0.2
from = [2.05, 1.2, -5]
velocity = [0, 0.5, 60]
radius = 0.12

[[explosion]]
time = 1.0
at = [4, 0.5, 0.5]
radius = 1.5
force = 3e5
impulse = 4000
"#;

#[test]
fn a_temple_falls() {
    let mut stage = stage(TEMPLE).expect("a scene");
    assert_eq!(stage.placed.len(), 4);
    let mass = stage.world.destruction.mass();
    let roof = stage.placed[3].body;
    let before = stage.world.pose(roof).expect("a roof").at.y;
    while stage.steps() < stage.all_steps() {
        stage.step().expect("a step");
    }
    let ball = 0.12_f64.powi(3) * 4.19 * 7800.0;
    let now = stage.world.destruction.mass() + stage.world.destruction.retired().mass;
    assert!((now - mass - ball).abs() < 0.15 * ball, "{now} kg after {mass}");
    assert!(stage.world.destruction.bodies().count() > 20);
    let after = stage.world.pose(roof).map_or(f64::NEG_INFINITY, |pose| pose.at.y);
    assert!(after < before - 0.2, "the roof came down: {after} after {before}");
}

#[test]
fn the_same_scene_gives_the_same_state() {
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
        pool.install(|| {
            let mut stage = stage(TEMPLE).expect("a scene");
            (0..120).for_each(|_| stage.step().expect("a step"));
            stage.world.state_hash()
        })
    };
    assert_eq!(run(1), run(2));
}

#[test]
fn faults_name_their_line() {
    let cases = [
        ("duration = 0\n", "duration is 0"),
        ("rate = 1\n", "rate is 1"),
        ("\n\nlength = 3\n", "line 3: unknown field `length`"),
        ("[[body]]\nshape = { cube = 1 }\n", "line 2: unknown variant `cube`"),
        ("[[body]]\nshape = { box = [1, 0, 1] }\n", "line 1: the shape has no volume"),
        (
            "[[body]]\nshape = { ball = 1 }\nmaterial = \"cheese\"\n",
            "line 3: there is no material \"cheese\"",
        ),
        (
            "[[body]]\nshape = { ball = 1 }\ngrain = { cells = 4 }\nmodes = { cells = 20, count = 1 }\n",
            "line 3: what breaks by nature has no other grain",
        ),
        (
            "[[body]]\nshape = { ball = 1 }\nmodes = { cells = 0 }\n",
            "line 3: modes: the number of cells is 0",
        ),
        ("[[body]]\nshape = { ball = 1 }\nmodes = { cells = 9999999 }\n", "line 3: modes: give up to 100000"),
        ("[[body]]\nshape = { ball = 1 }\nanchor = \"side\"\n", "line 3: there is no side \"side\""),
        ("[[body]]\n\nshape = { model = { file = \"x.obj\" } }\n", "line 3: x.obj is not here"),
        ("\n[material.cheese]\nlike = \"butter\"\n", "line 2: material cheese: it is like \"butter\""),
        ("[material.cheese]\npattern = \"holes\"\n", "line 1: material cheese: there is no pattern"),
        ("[material.cheese]\ndensity = -1\n", "line 1: material cheese: a number is out of range"),
        (
            "[[body]]\nshape = { ball = 1 }\ncopies = { count = [9999, 9999, 9999], step = [1, 1, 1] }\n",
            "999700029999 copies",
        ),
        ("\n[[explosion]]\ntime = 1\nat = [0, 0, 0]\nradius = 0\nforce = 1\n", "line 2: radius, force"),
        ("[[body]]\nshape = { parts = [{ at = [0, 0, 0] }] }\n", "line 1: part 1: give one of"),
    ];
    for (text, wanted) in cases {
        let error = stage(text).err().unwrap_or_else(|| panic!("{text:?} is no fault"));
        assert!(error.starts_with(wanted), "{text:?}: {error}");
    }
}

/// A scene saved in the middle comes to the same end as one that goes on, on another number of threads too.
#[test]
fn a_scene_resumes_where_it_was_saved() {
    let mut first = stage(TEMPLE).expect("a scene");
    (0..70).for_each(|_| first.step().expect("a step"));
    let bytes = first.save();
    let mut second = stage(TEMPLE).expect("a scene").resume(&bytes).expect("the scene");
    assert_eq!((second.steps(), second.placed.len()), (70, first.placed.len()));
    (70..150).for_each(|_| first.step().expect("a step"));
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a pool");
    pool.install(|| (70..150).for_each(|_| second.step().expect("a step")));
    assert_eq!(first.world.state_hash(), second.world.state_hash());
    assert!(stage(TEMPLE).expect("a scene").resume(&bytes[..50]).is_err());
}
