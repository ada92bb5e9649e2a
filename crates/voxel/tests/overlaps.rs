//! What two octrees share: volumes and forces as geometry has them, in general position.

use glam::{DAffine3, DQuat, DVec3};
use smithereens_testing::chance::Chance;
use smithereens_voxel::{Error, Grid, Husk, Octree, Response};

fn ball(level: u32, radius: f64) -> Octree {
    let grid = Grid::new(level, DVec3::splat(-1.0), 2.0).unwrap();
    Octree::of_field(grid, |point| point.length() - radius, [180, 170, 150, 255]).unwrap()
}

fn block(level: u32, half: DVec3) -> Octree {
    let grid = Grid::new(level, DVec3::splat(-1.0), 2.0).unwrap();
    Octree::of_field(grid, |point| (point.abs() - half).max_element(), [180, 170, 150, 255]).unwrap()
}

/// The volume of what two balls share.
fn lens(radius: f64, apart: f64) -> f64 {
    let height = radius - 0.5 * apart;
    2.0 * std::f64::consts::PI * height * height * (radius - height / 3.0)
}

#[test]
fn balls_share_a_lens_from_all_directions() {
    let ball = ball(8, 0.7);
    let husk = Husk::of(&ball, 6).unwrap();
    let mut chance = Chance::new(1);
    for case in 0..24 {
        let apart = [0.5, 0.8, 1.0][case % 3];
        let away = chance.direction();
        let turn = DQuat::from_axis_angle(chance.direction(), chance.between(0.0, 3.0));
        let map = DAffine3::from_rotation_translation(turn, away * apart);
        let overlap = husk.overlap(&husk, &map);
        let expected = lens(0.7, apart);
        assert!((overlap.volume / expected - 1.0).abs() < 0.2, "{apart}: {} {expected}", overlap.volume);
        let response = Response { stiffness: 1.0, friction: 0.0 };
        let [first, second] = overlap.forces(&response, |_| DVec3::ZERO);
        // Balls part along the line between their middles, both as hard, and do not turn about them.
        assert!(first.force.normalize().dot(-away) > 0.99 && second.force.normalize().dot(away) > 0.99);
        assert!((first.force + second.force).length() < 0.1 * first.force.length());
        assert!(first.torque.length() < 0.05 * first.force.length());
        // The volume falls with the area of the lens's rim as they part.
        let area = std::f64::consts::PI * (0.49 - 0.25 * apart * apart);
        assert!(
            (second.force.length() / overlap.volume / area - 1.0).abs() < 0.2,
            "{apart}: {}",
            second.force.length()
        );
    }
}

#[test]
fn a_block_sinks_into_another_and_is_pushed_out() {
    let (floor, block) = (block(8, DVec3::new(0.9, 0.3, 0.9)), block(7, DVec3::splat(0.4)));
    let (floor, block) = (Husk::of(&floor, 6).unwrap(), Husk::of(&block, 5).unwrap());
    let mut last = 0.0;
    for depth in [0.1, 0.2, 0.3] {
        let map = DAffine3::from_translation(DVec3::new(0.03, 0.7 - depth, -0.05));
        let overlap = floor.overlap(&block, &map);
        let expected = 0.64 * depth;
        assert!((overlap.volume - expected).abs() < 0.64 * 0.05, "{depth}: {} {expected}", overlap.volume);
        assert!(overlap.volume > last);
        last = overlap.volume;
        let [down, up] = overlap.forces(&Response { stiffness: 1.0, friction: 0.0 }, |_| DVec3::ZERO);
        assert!(up.force.normalize().y > 0.95 && down.force.y < 0.0, "{up:?}");
    }
}

#[test]
fn what_slides_is_held_back() {
    let (floor, block) = (block(7, DVec3::new(0.9, 0.3, 0.9)), block(7, DVec3::splat(0.4)));
    let (floor, block) = (Husk::of(&floor, 5).unwrap(), Husk::of(&block, 5).unwrap());
    let overlap = floor.overlap(&block, &DAffine3::from_translation(DVec3::Y * 0.6));
    let rub = |velocity: DVec3| overlap.forces(&Response { stiffness: 0.0, friction: 1.0 }, |_| velocity);
    let [floor, block] = rub(DVec3::X);
    assert!(floor.force.x > 0.1 && (floor.force + block.force).length() < 1e-12);
    assert_eq!(rub(DVec3::ZERO)[0].force, DVec3::ZERO);
}

#[test]
fn what_is_apart_shares_nothing_and_what_is_inside_shares_all() {
    let (large, small) = (ball(8, 0.9), ball(7, 0.4));
    let (large, small) = (Husk::of(&large, 6).unwrap(), Husk::of(&small, 5).unwrap());
    let apart = large.overlap(&small, &DAffine3::from_translation(DVec3::X * 1.6));
    assert_eq!((apart.volume, apart.points.len()), (0.0, 0));
    let inside = large.overlap(&small, &DAffine3::from_translation(DVec3::X * 0.2));
    let expected = 4.0 / 3.0 * std::f64::consts::PI * 0.064;
    assert!((inside.volume / expected - 1.0).abs() < 0.15, "{} {expected}", inside.volume);
    assert!(inside.of_object(false).count() == 0 && inside.of_object(true).count() > 100);
}

#[test]
fn finer_levels_are_nearer_and_too_fine_ones_are_refused() {
    let ball = ball(8, 0.7);
    let map = DAffine3::from_translation(DVec3::new(0.5, 0.4, 0.3));
    let apart = DVec3::new(0.5, 0.4, 0.3).length();
    let error = |level| {
        let husk = Husk::of(&ball, level).unwrap();
        (husk.overlap(&husk, &map).volume / lens(0.7, apart) - 1.0).abs()
    };
    let (coarse, fine) = (error(4), error(6));
    assert!(fine < coarse && fine < 0.1, "{coarse} {fine}");
    assert!(matches!(Husk::of(&ball, 7), Err(Error::Option { name: "level", .. })));
}
