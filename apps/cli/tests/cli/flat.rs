//! `smithereens flat`: a scene in the plane in; pictures, a film and a report out.

use crate::workshop::{Workshop, is_png};

const SHOT: &str = r#"
seed = 3
duration = 0.8
ground = 0

[[body]]
name = "plate"
shape = { box = [1.5, 1.5] }
material = "glass"
at = [0, 0.75]

[[body]]
name = "ring"
shape = { ring = { radius = 0.5, inner = 0.3 } }
at = [0, 2.1]

[[shot]]
time = 0.1
from = [-3, 0.9]
toward = [0, 0.8]
breaks = 1
"#;

#[test]
fn a_scene_is_drawn_and_reported() {
    let workshop = Workshop::new();
    workshop.file("shot.toml", SHOT);
    let run = workshop.run("flat shot.toml -o shot.png --report shot.json --size 80x60");
    assert_eq!(run.code, Some(0), "{}", run.err);
    assert!(is_png(&workshop.path("shot.png")));
    let report = workshop.json("shot.json");
    assert_eq!(report["frames"], 49);
    let count = report["event_ms"]["count"].as_u64().unwrap();
    assert!(count > 0 && report["compounds"].as_u64().unwrap() > 5, "{report}");
    assert_eq!(report["events"].as_array().map(Vec::len), Some(count as usize));
    assert!(report["area"]["worst_error"].as_f64().unwrap() < 1e-12, "{}", report["area"]);
    // The same once more, and on one thread.
    let one = [("RAYON_NUM_THREADS", "1")];
    let again =
        workshop.run_with("flat shot.toml -o again.png --report again.json --size 80x60 --quiet", &one);
    assert_eq!((again.code, again.out.as_str()), (Some(0), ""), "{}", again.err);
    assert_eq!(workshop.json("again.json")["state_hash"], report["state_hash"]);
    let bytes = |name: &str| std::fs::read(workshop.path(name)).unwrap();
    assert_eq!(bytes("again.png"), bytes("shot.png"));
    let other = workshop.run("flat shot.toml --seed 4 --report other.json");
    assert_eq!(other.code, Some(0), "{}", other.err);
    assert_ne!(workshop.json("other.json")["state_hash"], report["state_hash"]);
    // A vector picture, a film, and a page of pictures.
    let run = workshop.run("flat shot.toml -o shot.svg --at 0.3 --pieces --bonds");
    assert_eq!(run.code, Some(0), "{}", run.err);
    let svg = String::from_utf8(bytes("shot.svg")).unwrap();
    assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"));
    let run = workshop.run("flat shot.toml -o shot.gif --size 80x60 --fps 10");
    assert_eq!(run.code, Some(0), "{}", run.err);
    assert!(bytes("shot.gif").starts_with(b"GIF89a"));
    let run = workshop.run("flat shot.toml -o sheet.png --sheet 4 --size 40x30");
    assert!(run.code == Some(0) && is_png(&workshop.path("sheet.png")), "{}", run.err);
}

#[test]
fn scenes_that_come_with_it_are_listed_and_drawn_by_name() {
    let workshop = Workshop::new();
    let run = workshop.run("flat --list");
    assert_eq!(run.code, Some(0));
    assert!(run.out.lines().count() >= 6 && run.out.contains("pane"), "{}", run.out);
    let run = workshop.run("flat pane -o pane.png --until 0.1 --size 64x36");
    assert!(run.code == Some(0) && is_png(&workshop.path("pane.png")), "{}", run.err);
}

#[test]
fn what_a_scene_has_become_goes_on() {
    let workshop = Workshop::new();
    workshop.file("shot.toml", SHOT);
    let run = workshop.run("flat shot.toml --until 0.4 --save half.toml --report half.json");
    assert_eq!(run.code, Some(0), "{}", run.err);
    let run = workshop.run("flat half.toml --until 0.02 --report on.json");
    assert_eq!(run.code, Some(0), "{}", run.err);
    assert_eq!(workshop.json("on.json")["compounds"], workshop.json("half.json")["compounds"]);
}

#[test]
fn what_is_wrong_with_a_flat_scene_is_told_with_its_line() {
    let workshop = Workshop::new();
    let bow = "duration = 1\n\n[[body]]\nname = \"blob\"\nshape = { chain = { points = [[0, 0], [1, 1], [1, 0], [0, 1]] } }\n";
    workshop.file("bow.toml", bow);
    let run = workshop.run("flat bow.toml -o bow.png");
    assert_eq!(run.code, Some(1));
    let told = "bow.toml: line 3: body 'blob': edge 0 crosses edge 2 at (0.5, 0.5)";
    assert!(run.err.contains(told), "{}", run.err);
    assert!(!workshop.path("bow.png").exists());
    let run = workshop.run("flat nowhere -o x.png");
    assert!(run.code == Some(1) && run.err.contains("pane, wall"), "{}", run.err);
    let run = workshop.run("flat pane -o pane.bmp");
    assert!(run.code == Some(1) && run.err.contains(".svg, .png or .gif"), "{}", run.err);
}

#[test]
fn without_a_window_it_says_how_to_get_one() {
    let workshop = Workshop::new();
    // Elsewhere, so that a studio that was built is not beside it.
    let program = workshop.path(if cfg!(windows) { "program.exe" } else { "program" });
    std::fs::copy(env!("CARGO_BIN_EXE_smithereens"), &program).unwrap();
    let output =
        std::process::Command::new(&program).args(["flat", "pane"]).env("PATH", "").output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(told.contains("cargo run --release -p smithereens-studio"), "{told}");
}
