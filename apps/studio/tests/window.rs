//! The sandbox as its user has it, without a screen.

mod play;

use eframe::egui::{Event, Key, Modifiers, PointerButton, Pos2, Vec2};
use egui_kittest::Harness;
use glam::DVec2;
use smithereens_flat::Body;
use smithereens_studio::Studio;
use smithereens_studio::flat::{Blow, Summary};

use play::{Hand, Place};

struct Window(Harness<'static, Studio>);

impl Window {
    fn open() -> Window {
        let harness =
            Harness::builder().with_size(Vec2::new(1280.0, 800.0)).build_eframe(|_| Studio::default());
        Window(harness)
    }

    fn button(&mut self, at: Place, pressed: bool) {
        let pos = Pos2::from(at);
        self.0.event(Event::PointerButton {
            pos,
            button: PointerButton::Primary,
            pressed,
            modifiers: Modifiers::NONE,
        });
        self.0.step();
    }
}

impl Hand for Window {
    fn point(&mut self, at: Place) {
        self.0.event(Event::PointerMoved(at.into()));
        self.0.step();
    }

    fn press(&mut self, at: Place) {
        self.button(at, true);
    }

    fn release(&mut self, at: Place) {
        self.button(at, false);
    }

    fn key(&mut self, name: &str) {
        let key =
            Key::from_name(if name == " " { "Space" } else { name }).or(Key::from_name(&name.to_uppercase()));
        self.0.key_press(key.expect("a key"));
        self.0.step();
    }

    fn wait(&mut self) {
        self.0.step();
    }

    fn look(&mut self) -> Summary {
        self.0.state().sandbox.summary()
    }
}

#[test]
fn it_is_played_with() {
    play::play(&mut Window::open());
}

#[test]
fn every_scene_opens_plays_and_is_saved() {
    let mut studio = Studio::default();
    for name in smithereens_flat::scene::built_in().iter().map(|scene| scene.name) {
        studio.sandbox.open_built_in(name).unwrap();
        (0..30).for_each(|_| studio.sandbox.stage.world.step());
        let (text, before) = (studio.sandbox.to_text(), studio.sandbox.summary());
        studio.sandbox.open_text("saved", &text).unwrap_or_else(|error| panic!("{name}: {error}"));
        let after = studio.sandbox.summary();
        assert_eq!(after.bodies, before.bodies, "{name}");
        let bodies = |summary: &Summary| summary.area;
        assert!(bodies(&after) <= bodies(&before), "{name}: debris is not saved");
        (0..30).for_each(|_| studio.sandbox.stage.step());
    }
}

/// The interactive prototype of Sellán et al. 2022, their Figure 4: the same body, struck in different places.
#[test]
fn a_body_breaks_by_nature_where_it_is_struck() {
    let struck = |along: f64, strength: f64| {
        let mut studio = Studio::default();
        let world = &mut studio.sandbox.stage.world;
        let bone = world.bodies().find(|body| body.name() == "bone").expect("a bone");
        let (place, bounds) = (world.pose(bone.id).expect("a place"), bone.compound().bounds());
        studio.sandbox.blow = Blow { by_material: true, strength, ..Blow::default() };
        let (size, id) = (bounds.size(), bone.id);
        studio.sandbox.strike(place.point(bounds.center() + DVec2::new(along * size.x * 0.5, 0.0)));
        let parts = |body: &&Body| body.id == id || body.parent() == Some(id);
        let world = &studio.sandbox.stage.world;
        let mut areas: Vec<f64> =
            world.bodies().filter(parts).map(|body| body.compound().mass().area).collect();
        areas.sort_by(f64::total_cmp);
        areas
    };
    assert_eq!(struck(0.0, 0.05).len(), 1, "a tap does nothing");
    let (shaft, left, right) = (struck(0.0, 8.0), struck(-0.8, 8.0), struck(0.8, 8.0));
    assert!(shaft.len() > 1 && left.len() > 1 && right.len() > 1, "{shaft:?} {left:?} {right:?}");
    assert_ne!(shaft, left, "where it is struck decides");
    let all = |areas: &[f64]| areas.iter().sum::<f64>();
    assert!((all(&shaft) - all(&left)).abs() < 1e-12 && (all(&right) - all(&left)).abs() < 1e-12);
}

#[test]
fn a_wrong_scene_is_refused_and_nothing_changes() {
    let mut studio = Studio::default();
    let before = studio.sandbox.summary();
    let error = studio.sandbox.take_file("a", "[[body]]\nshape = 7\n").unwrap_err();
    assert!(!error.is_empty());
    assert!(studio.sandbox.open_built_in("no such").unwrap_err().contains("playground"));
    assert_eq!(studio.sandbox.summary(), before);
}

#[test]
fn whatever_is_done_nothing_panics() {
    let mut window = Window::open();
    let mut state = 7u64;
    let mut draw = move |below: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    let keys = [
        "D",
        "B",
        "F",
        "C",
        "S",
        "X",
        "Space",
        "Period",
        "R",
        "P",
        "OpenBracket",
        "Enter",
        "Escape",
        "Backspace",
        "Home",
    ];
    for turn in 0..1500 {
        let at = [draw(1280) as f32, draw(800) as f32];
        match draw(8) {
            0 => window.key(keys[draw(keys.len() as u64) as usize]),
            1 => {
                window.press(at);
                let to = [draw(1280) as f32, draw(800) as f32];
                window.point(to);
                window.release(to);
            }
            2 if turn % 10 == 0 => window.0.key_press_modifiers(Modifiers::COMMAND, Key::Z),
            _ => window.click(at),
        }
        let seen = window.look();
        assert!(seen.area.is_finite() && seen.area >= 0.0);
    }
}
