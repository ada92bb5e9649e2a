//! What pictures promise: the same bytes however they are made, shadows where light is kept away, and no panic on
//! anything a scene can hold.

use std::sync::Mutex;

use glam::{Mat3, Quat, Vec2, Vec3, vec3};
use smithereens_picture::{
    Camera, Error, Grain, Image, Material, Options, Scene, Shape, Sky, Sprite, Sun, Surface, render,
    render_with_progress,
};

/// Sun from -x, 45° high, over a floor at height 0, seen from straight above with +x to the right; 10 units wide.
fn floor_seen_from_above() -> Scene {
    let mut scene = Scene::default();
    scene.materials.push(Material::matt([0.5; 3]));
    scene.camera = Camera { eye: Vec3::Y * 50.0, target: Vec3::ZERO, up: Vec3::NEG_Z, vertical_fov: 0.2 };
    scene.sun = Sun { direction: vec3(-1.0, 1.0, 0.0), ..Sun::default() };
    scene.backdrop.vignette = 0.0;
    scene
}

fn push_box(scene: &mut Scene, min: Vec3, max: Vec3) {
    let corner = |i: u32| Vec3::select(glam::BVec3::new(i & 1 > 0, i & 2 > 0, i & 4 > 0), max, min);
    let positions: Vec<Vec3> = (0..8).map(corner).collect();
    let faces = [[0, 1, 3, 2], [4, 5, 7, 6], [0, 1, 5, 4], [2, 3, 7, 6], [0, 2, 6, 4], [1, 3, 7, 5]];
    let indices: Vec<u32> = faces.iter().flat_map(|&[a, b, c, d]| [a, b, c, a, c, d]).collect();
    assert_eq!(scene.push(Surface { positions: &positions, indices: &indices, ..Surface::default() }), 0);
}

/// A ball with smooth normals, `rings` from pole to pole.
fn push_ball(scene: &mut Scene, rings: u32, centre: Vec3, radius: f32, material: usize) {
    let sides = 2 * rings;
    let turn = std::f32::consts::PI / rings as f32;
    let normal = |i: u32, j: u32| {
        let ((sin_i, cos_i), (sin_j, cos_j)) =
            (libm::sincosf(i as f32 * turn), libm::sincosf(j as f32 * turn));
        vec3(sin_i * cos_j, cos_i, sin_i * sin_j)
    };
    let normals: Vec<Vec3> = (0..=rings).flat_map(|i| (0..=sides).map(move |j| normal(i, j))).collect();
    let positions: Vec<Vec3> = normals.iter().map(|n| *n * radius + centre).collect();
    let uvs: Vec<Vec2> = normals.iter().map(|n| Vec2::new(n.x, n.y)).collect();
    let corner = |i, j| i * (sides + 1) + j;
    let quads = (0..rings).flat_map(|i| (0..sides).map(move |j| (i, j)));
    let indices: Vec<u32> = quads
        .flat_map(|(i, j)| {
            let [a, b, c, d] = [corner(i, j), corner(i, j + 1), corner(i + 1, j + 1), corner(i + 1, j)];
            [a, b, c, a, c, d]
        })
        .collect();
    scene.push(Surface { positions: &positions, normals: &normals, uvs: &uvs, indices: &indices, material });
}

fn small() -> Options {
    Options { width: 100, height: 100, ..Options::default() }
}

/// Mean brightness of a 3x3 patch around a point given in units of [`floor_seen_from_above`].
fn brightness_at(image: &Image, x: f32, z: f32) -> i32 {
    let pixel = |v: f32, size: u32| ((v / 10.03 + 0.5) * size as f32) as u32;
    let (px, py) = (pixel(x, image.width()), pixel(z, image.height()));
    let patch = (0..9).map(|i| image.pixel(px + i % 3 - 1, py + i / 3 - 1));
    patch.map(|rgb| rgb.into_iter().map(i32::from).sum::<i32>()).sum::<i32>() / 27
}

fn everything() -> Scene {
    everything_scaled(1.0)
}

fn everything_scaled(scale: f32) -> Scene {
    let mut scene = Scene::default();
    let checks =
        Image::new(2, 2, [[220, 200, 180], [90, 60, 50], [90, 60, 50], [220, 200, 180]].concat()).unwrap();
    let texture = Some(std::sync::Arc::new(checks));
    let grain = Some(Grain { size: 0.3 * scale, contrast: 0.3, bump: 0.2 });
    scene.materials.push(Material { grain, ..Material::default() });
    scene.materials.push(Material { texture, roughness: 0.3, ..Material::matt([0.9; 3]) });
    push_box(&mut scene, vec3(-2.0, 0.0, -1.0) * scale, vec3(-0.5, 1.0, 0.5) * scale);
    push_ball(&mut scene, 12, vec3(0.8, 1.0, 0.2) * scale, scale, 1);
    scene.frame(vec3(-0.4, -0.5, -1.0), 16.0 / 9.0);
    scene
}

/// The contract: this number changes only when pictures are meant to change. It holds on any number of threads, and in debug and
/// release alike.
#[test]
fn golden_picture_is_the_same_on_one_and_two_threads() {
    let options = Options { width: 96, height: 54, ..Options::default() };
    for threads in [1, 2] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let image = pool.install(|| render(&everything(), &options)).unwrap();
        assert_eq!(format!("{image:?}"), "Image(96x54, 08a68eac511dbd3d)", "{threads} threads");
    }
}

/// Few samples with a shared sky are nearer to many than as few without, on one thread and on two alike.
#[test]
fn a_shared_sky_has_less_noise() {
    let few = Options { width: 96, height: 54, most_samples: 4, ..Options::default() };
    let many = render(&everything(), &Options { samples: 256, most_samples: 256, ..few }).unwrap();
    let off = |image: &Image| -> i32 {
        let pairs = image.bytes().iter().zip(many.bytes());
        pairs.map(|(&a, &b)| (i32::from(a) - i32::from(b)).pow(2)).sum()
    };
    let shared = [1, 2].map(|threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| render(&everything(), &Options { shared_sky: 2, ..few })).unwrap()
    });
    assert_eq!(shared[0], shared[1]);
    let (with, without) = (off(&shared[0]), off(&render(&everything(), &few).unwrap()));
    assert!(4 * with < 3 * without, "{with} {without}");
}

/// Shapes that are placed look like surfaces that are pushed where the shapes are.
#[test]
fn placed_shapes_look_like_surfaces_in_their_place() {
    let options = Options { width: 96, height: 54, ..Options::default() };
    let corners = [vec3(-1.0, 0.0, -1.0), vec3(1.0, 0.0, -1.0), vec3(0.0, 0.0, 1.0), vec3(0.0, 2.0, 0.0)];
    let indices = [0, 1, 3, 1, 2, 3, 2, 0, 3];
    let shape = Shape::new([Surface { positions: &corners, indices: &indices, ..Surface::default() }]).into();
    let (mut placed, mut pushed) = (everything(), everything());
    // Rotations whose length is one to the bit.
    let half = Quat::from_xyzw(0.5, 0.5, 0.5, 0.5);
    let turns = [Quat::IDENTITY, Quat::from_xyzw(0.0, 1.0, 0.0, 0.0), half, half * half];
    for (step, turn) in turns.into_iter().enumerate() {
        let at = vec3(step as f32 - 2.0, 0.0, -1.5);
        assert_eq!(placed.place(&shape, turn, at), 0);
        let there = corners.map(|c| Mat3::from_quat(turn) * c + at);
        pushed.push(Surface { positions: &there, indices: &indices, ..Surface::default() });
    }
    assert_eq!(placed.triangle_count(), pushed.triangle_count());
    assert_eq!(placed.bounds(), pushed.bounds());
    assert_eq!(render(&placed, &options).unwrap(), render(&pushed, &options).unwrap());
}

#[test]
fn shapes_that_are_nowhere_are_skipped() {
    let mut scene = Scene::default();
    let positions = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::NAN];
    let surface = Surface { positions: &positions, indices: &[0, 1, 2, 1, 2, 3], ..Surface::default() };
    let shape = Shape::new([surface]).into();
    for (turn, at) in [(Quat::NAN, Vec3::ZERO), (Quat::IDENTITY, Vec3::NAN), (Quat::IDENTITY, Vec3::X * 1e13)]
    {
        assert_eq!(scene.place(&shape, turn, at), 2);
    }
    assert_eq!(scene.place(&shape, Quat::IDENTITY, Vec3::ZERO), 1);
    assert_eq!((scene.triangle_count(), scene.skipped()), (1, 7));
    assert!(matches!(render(&scene, &small()), Err(Error::Material { material: 0, count: 0 })));
}

/// No length is absolute: pebbles and mountains look alike. Powers of two scale without rounding, so to the bit.
#[test]
fn the_unit_of_length_does_not_matter() {
    let options = Options { width: 48, height: 27, ..Options::default() };
    let one = render(&everything(), &options).unwrap();
    for scale in [1.0 / 4096.0, 4096.0] {
        assert_eq!(render(&everything_scaled(scale), &options).unwrap(), one, "{scale}");
    }
}

#[test]
fn another_seed_is_another_noise_of_the_same_picture() {
    let options = Options { width: 48, height: 27, ..Options::default() };
    let one = render(&everything(), &options).unwrap();
    let other = render(&everything(), &Options { seed: 1, ..options }).unwrap();
    assert_ne!(one, other);
    let apart: i32 =
        one.bytes().iter().zip(other.bytes()).map(|(&a, &b)| (i32::from(a) - i32::from(b)).abs()).sum();
    assert!(apart / (one.bytes().len() as i32) < 8);
}

#[test]
fn a_box_shades_the_floor_away_from_the_sun() {
    let mut scene = floor_seen_from_above();
    push_box(&mut scene, vec3(-1.0, 0.0, -1.0), vec3(1.0, 2.0, 1.0));
    let image = render(&scene, &small()).unwrap();
    let (shade, sunny, open) =
        (brightness_at(&image, 2.0, 0.0), brightness_at(&image, -3.0, 0.0), brightness_at(&image, 2.0, 3.5));
    assert!(shade < sunny - 50 && shade < open - 50, "{shade} {sunny} {open}");
    let past_the_shadow = brightness_at(&image, 4.0, 0.0);
    assert!(past_the_shadow > shade + 50, "{past_the_shadow} {shade}");
}

#[test]
fn the_floor_is_darker_next_to_a_box_than_far_away() {
    let mut scene = floor_seen_from_above();
    scene.sun.color = [0.0; 3];
    push_box(&mut scene, vec3(-1.0, 0.0, -1.0), vec3(1.0, 2.0, 1.0));
    let image = render(&scene, &small()).unwrap();
    let near = [(1.2, 0.0), (-1.2, 0.0), (0.0, 1.2), (0.0, -1.2)].map(|(x, z)| brightness_at(&image, x, z));
    let far = [(4.5, 0.0), (-4.5, 0.0), (0.0, 4.5), (0.0, -4.5)].map(|(x, z)| brightness_at(&image, x, z));
    assert!(near.iter().max().unwrap() + 20 < *far.iter().min().unwrap(), "{near:?} {far:?}");
}

#[test]
fn a_crack_between_two_boxes_is_dark() {
    let mut scene = floor_seen_from_above();
    scene.ground = None;
    push_box(&mut scene, vec3(-3.0, 0.0, -3.0), vec3(-0.2, 3.0, 3.0));
    push_box(&mut scene, vec3(0.2, 0.0, -3.0), vec3(3.0, 3.0, 3.0));
    push_box(&mut scene, vec3(-3.0, -1.0, -3.0), vec3(3.0, 0.0, 3.0));
    let image = render(&scene, &small()).unwrap();
    assert!(2 * brightness_at(&image, 0.0, 0.0) < brightness_at(&image, 1.5, 0.0));
}

/// Flat triangles of a coarse ball must not show where light grazes it: it looks like a fine ball.
#[test]
fn a_coarse_ball_is_lit_like_a_fine_one() {
    let picture = |rings| {
        let mut scene = floor_seen_from_above();
        scene.ground = None;
        scene.sky = Sky { zenith: [0.1; 3], horizon: [0.1; 3] };
        scene.camera.vertical_fov = 0.034;
        push_ball(&mut scene, rings, Vec3::ZERO, 1.0, 0);
        render(&scene, &small()).unwrap()
    };
    let (coarse, fine) = (picture(12), picture(96));
    let inside = (0..100_u32 * 100)
        .map(|i| (i % 100, i / 100))
        .filter(|(x, y)| x.abs_diff(50).pow(2) + y.abs_diff(50).pow(2) < 45 * 45);
    let apart = inside.map(|(x, y)| coarse.pixel(x, y)[0].abs_diff(fine.pixel(x, y)[0])).max().unwrap();
    assert!(apart < 16, "{apart}");
}

#[test]
fn nothing_a_scene_can_hold_makes_a_picture_panic() {
    let options = Options { width: 24, height: 16, ..Options::default() };
    assert!(render(&Scene::default(), &options).is_ok());
    let mut scene = everything();
    assert_eq!(
        scene.push(Surface { positions: &[Vec3::NAN; 3], indices: &[0, 1, 2], ..Surface::default() }),
        1
    );
    let clean = render(&everything(), &options).unwrap();
    assert_eq!(render(&scene, &options).unwrap(), clean);
    let huge = [vec3(-1e12, 0.0, 0.0), vec3(1e12, 0.0, 1e11), vec3(0.0, 1e-30, 1e12)];
    scene.push(Surface {
        positions: &huge,
        normals: &[Vec3::Y; 3],
        indices: &[0, 1, 2],
        ..Surface::default()
    });
    scene.sun = Sun { direction: Vec3::NAN, color: [f32::INFINITY; 3], angular_radius: f32::NAN };
    scene.up = Vec3::ZERO;
    scene.exposure = f32::NAN;
    scene.materials[0].roughness = f32::NAN;
    let odd = Options {
        shared_sky: u32::MAX,
        samples: 0,
        most_samples: 0,
        shadow_rays: 0,
        occlusion_rays: 0,
        ..options
    };
    assert!(render(&scene, &odd).is_ok());
}

#[test]
fn bad_requests_are_told_apart() {
    let scene = everything();
    let empty = Options { width: 0, ..Options::default() };
    assert!(matches!(render(&scene, &empty), Err(Error::Size { width: 0, .. })));
    let mut unpainted = everything();
    unpainted.materials.truncate(1);
    assert!(matches!(render(&unpainted, &small()), Err(Error::Material { material: 1, count: 1 })));
    let mut blind = everything();
    blind.camera.eye = blind.camera.target;
    let error = render(&blind, &small()).unwrap_err();
    assert!(error.to_string().contains("cannot look at"), "{error}");
}

#[test]
fn progress_ends_at_one() {
    let told = Mutex::new(Vec::new());
    let options = Options { width: 8, height: 5, ..Options::default() };
    render_with_progress(&everything(), &options, |share| told.lock().unwrap().push(share)).unwrap();
    let told = told.into_inner().unwrap();
    assert_eq!(told.len(), 10);
    assert_eq!(told.iter().copied().fold(0.0, f32::max), 1.0);
}

fn sprite(at: Vec3, radius: f32, opacity: f32) -> Sprite {
    Sprite { at, radius, turn: 0.4, opacity, color: [0.7, 0.6, 0.5], variant: 3 }
}

/// A cloud of dust around a point.
fn cloud(at: Vec3, count: u32) -> impl Iterator<Item = Sprite> {
    (0..count).map(move |i| {
        let place = vec3((i * 37 % 101) as f32, (i * 59 % 103) as f32, (i * 83 % 107) as f32) / 52.0 - 1.0;
        Sprite { turn: i as f32, variant: i, ..sprite(at + place * 0.5, 0.4, 0.2) }
    })
}

/// The contract for dust, as for the picture without it.
#[test]
fn golden_dust_is_the_same_on_one_and_two_threads() {
    let options = Options { width: 96, height: 54, ..Options::default() };
    let mut scene = everything();
    scene.sprites.extend(cloud(vec3(0.5, 0.6, 1.2), 300));
    for threads in [1, 2] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let image = pool.install(|| render(&scene, &options)).unwrap();
        assert_eq!(format!("{image:?}"), "Image(96x54, 3d9ab0a08d0ec91c)", "{threads} threads");
    }
}

#[test]
fn dust_casts_a_soft_shadow_away_from_the_sun() {
    let mut scene = floor_seen_from_above();
    scene.sprites.extend(cloud(Vec3::Y * 2.0, 200));
    let image = render(&scene, &small()).unwrap();
    let (shade, sunny) = (brightness_at(&image, 2.0, 0.0), brightness_at(&image, -2.0, 0.0));
    assert!(shade < sunny - 40, "{shade} {sunny}");
    let row: Vec<i32> = (0..60).map(|i| brightness_at(&image, 1.0 + i as f32 * 0.05, 0.0)).collect();
    let leap = row.windows(2).map(|pair| (pair[0] - pair[1]).abs()).max().unwrap();
    assert!(leap < 20, "soft: {row:?}");
}

/// What is behind a box is hidden by it, what is before it hides it, and where one goes through the other there is no line.
#[test]
fn dust_is_before_or_behind_things() {
    let boxed = |dust: Option<Vec3>| {
        let mut scene = floor_seen_from_above();
        scene.sun.direction = Vec3::Y;
        push_box(&mut scene, vec3(-2.0, 0.0, -2.0), vec3(2.0, 2.0, 2.0));
        scene.sprites.extend(dust.into_iter().flat_map(|at| cloud(at, 300)));
        render(&scene, &small()).unwrap()
    };
    let (clear, above, within) = (boxed(None), boxed(Some(Vec3::Y * 4.0)), boxed(Some(vec3(0.0, 0.8, 0.0))));
    let of = |image: &Image| brightness_at(image, 0.0, 0.0);
    assert_eq!(of(&within), of(&clear), "inside of the box nobody sees it");
    assert!((of(&above) - of(&clear)).abs() > 10, "{} {}", of(&above), of(&clear));
    let rising = |i: u8| {
        let mut scene = floor_seen_from_above();
        push_box(&mut scene, vec3(-2.0, 0.0, -2.0), vec3(2.0, 2.0, 2.0));
        scene.sprites.push(sprite(Vec3::Y * (1.4 + f32::from(i) * 0.04), 0.6, 0.9));
        of(&render(&scene, &small()).unwrap())
    };
    let heights: Vec<i32> = (0..30).map(rising).collect();
    assert!((heights[29] - heights[0]).abs() > 30, "{heights:?}");
    let leap = heights.windows(2).map(|pair| (pair[0] - pair[1]).abs()).max().unwrap();
    assert!(leap < 12, "{heights:?}");
}

#[test]
fn sprites_that_are_nowhere_change_nothing() {
    let options = Options { width: 48, height: 27, ..Options::default() };
    let clear = render(&everything(), &options).unwrap();
    let mut scene = everything();
    let sound = sprite(Vec3::ONE, 0.5, 0.5);
    scene.sprites = vec![
        Sprite { at: Vec3::NAN, ..sound },
        Sprite { radius: 0.0, ..sound },
        Sprite { radius: f32::INFINITY, ..sound },
        Sprite { opacity: 0.0, ..sound },
        Sprite { opacity: f32::NAN, ..sound },
        Sprite { turn: f32::NAN, ..sound },
        Sprite { color: [f32::NAN; 3], ..sound },
    ];
    assert_eq!(render(&scene, &options).unwrap(), clear);
    // Behind the eye, around it, huge, and without an end of light.
    let eye = scene.camera.eye;
    scene.sprites = vec![sprite(eye * 2.0, 0.5, 0.5), sprite(eye, 3.0, 2.0), sprite(Vec3::ZERO, 1e5, 0.5)];
    assert!(render(&scene, &options).is_ok());
}
