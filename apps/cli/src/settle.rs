//! Loose fragments as they would lie: on their largest face, on the floor, beside each other. Not physics, but a
//! picture of what physics does.

use glam::{DQuat, DVec2, DVec3, Vec3Swizzles};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use smithereens::Compound;

use crate::drawn::Pose;

/// A fragment, and how it came off.
pub struct Loose<'a> {
    /// The fragment.
    pub compound: &'a Compound,
    /// The way it flew, and how far.
    pub flight: DVec3,
}

/// The steps by which a place is moved on until it is free, relative to the fragment's size.
const STEP: f64 = 0.1;
const MOST_STEPS: usize = 400;
/// The share of a fragment's reach that must stay free: its outline is no circle.
const CROWDING: f64 = 0.72;

/// Finds places on the floor at height `floor`, clear of `standing` points and of each other, largest first.
pub fn settle(loose: &[Loose], standing: &[DVec3], floor: f64, seed: u64) -> Vec<Pose> {
    let mut random = Pcg64Mcg::seed_from_u64(seed);
    let mut order: Vec<usize> = (0..loose.len()).collect();
    let volume = |index: &usize| loose[*index].compound.mass().volume;
    order.sort_by(|a, b| volume(b).total_cmp(&volume(a)));
    let mut poses: Vec<Pose> = loose.iter().map(|l| Pose::of(l.compound)).collect();
    let mut taken: Vec<(DVec2, f64)> = standing.iter().map(|p| (p.xz(), 0.0)).collect();
    for index in order {
        let turn = lying(loose[index].compound, &mut random);
        let spread = random.random::<f64>();
        let (pose, circle) = place(&loose[index], turn, spread, &taken, floor);
        poses[index] = pose;
        taken.push(circle);
    }
    poses
}

fn place(
    loose: &Loose,
    turn: DQuat,
    spread: f64,
    taken: &[(DVec2, f64)],
    floor: f64,
) -> (Pose, (DVec2, f64)) {
    let center = loose.compound.mass().center;
    let vertices = loose.compound.pieces().iter().flat_map(|piece| match piece.skin() {
        Some(skin) => skin.mesh().positions.iter(),
        None => piece.convex().vertices().iter(),
    });
    let (mut reach, mut lowest) = (0.0, 0.0);
    for &vertex in vertices {
        let about = turn * (vertex - center);
        reach = about.xz().length().max(reach);
        lowest = about.y.min(lowest);
    }
    let radius: f64 = reach * CROWDING;
    let along = loose.flight.xz().normalize_or(DVec2::X);
    let mut at = center.xz() + loose.flight.xz() * (0.4 + spread);
    let is_free = |at: DVec2| taken.iter().all(|(other, r)| other.distance(at) > r + radius);
    for _ in 0..MOST_STEPS {
        if is_free(at) {
            break;
        }
        at += along * (reach * STEP);
    }
    let place = DVec3::new(at.x, floor - lowest, at.y);
    (Pose { place, turn }, (at, radius))
}

/// On its largest face, turned at random about the vertical.
fn lying(compound: &Compound, random: &mut Pcg64Mcg) -> DQuat {
    let mut largest = (0.0, DVec3::NEG_Y);
    for piece in compound.pieces().iter().filter(|piece| !piece.is_ghost()) {
        for (index, face) in piece.convex().faces().iter().enumerate() {
            let area = piece.convex().face_area(index);
            if area > largest.0 {
                largest = (area, face.plane.normal);
            }
        }
    }
    let down = DQuat::from_rotation_arc(largest.1, DVec3::NEG_Y);
    let (sine, cosine) = libm::sincos(std::f64::consts::PI * random.random::<f64>());
    DQuat::from_xyzw(0.0, sine, 0.0, cosine) * down
}
