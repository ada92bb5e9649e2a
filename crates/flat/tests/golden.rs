//! The same bits as ever: scenes that come with the library, two seconds of each, and a picture.
//!
//! A change of these numbers is a change of what users see: it is meant, or it is a bug. They are the same in debug and in release builds, and on any
//! number of threads.

use smithereens_flat::draw::{DrawOptions, draw};
use smithereens_flat::scene::{Scene, built_in};

const STATES: [(&str, u64); 7] = [
    ("pane", 0xaa8e9db04dae6903),
    ("wall", 0xf994f22c2f49116c),
    ("arch", 0x00e43a5b75c3914a),
    ("bridge", 0x36c74410b408c034),
    ("blob", 0x9bc064e1a992b217),
    ("nature", 0x2d7819528e4bab3d),
    ("figure-1", 0xae8b078fe844ee97),
];
const PICTURE: u64 = 0xe9502807b0e4becf;

#[test]
fn scenes_come_to_the_same() {
    let play = |&(name, _): &(&'static str, u64)| {
        let scene = built_in().iter().find(|scene| scene.name == name).unwrap();
        let mut stage = Scene::read(scene.text).unwrap().stage().unwrap();
        (0..120).for_each(|_| stage.step());
        (name, stage.world.state_hash())
    };
    let found: Vec<(&str, u64)> = STATES.iter().map(play).collect();
    assert_eq!(found, STATES, "as source: {found:#018x?}");
}

#[test]
fn a_picture_is_the_same() {
    let pane = built_in().iter().find(|scene| scene.name == "pane").unwrap();
    let mut stage = Scene::read(pane.text).unwrap().stage().unwrap();
    (0..40).for_each(|_| stage.step());
    let image = draw(&stage.world, &DrawOptions { size: [160, 90], ..DrawOptions::default() }).image();
    let fold = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01B3);
    let hash = image.pixels().as_flattened().iter().fold(0xCBF2_9CE4_8422_2325, fold);
    assert_eq!(hash, PICTURE, "{hash:#x}");
}
