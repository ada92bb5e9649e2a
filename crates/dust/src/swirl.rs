//! Whirls smaller than a cell: how much energy they have, and which way they are now.
//!
//! After Pfaff, Thuerey, Cohen, Tariq and Gross, "Scalable Fluid Simulation using Anisotropic Turbulence Particles" (2010): each particle carries the
//! energy of the whirls around it, made where the flow of the grid is sheared, more along some axes than along others, and lost to heat. There the
//! energy scales a noise that is looked up; here, after Müller, Chentanez and Kim (2013), each particle has an orientation. It turns with the whirls,
//! and an arrow fixed to it is the velocity they give: a particle goes around in loops as wide as its whirls. Particles are born with
//! the orientation of their neighbours, and so the dust of a whirl goes around together until the flow tears it apart.

use glam::{Quat, Vec3A};

use crate::air::Breeze;

/// The size of the largest of these whirls, in cells.
const LENGTH: f32 = 0.5;
/// Of the eddy viscosity: with energy, and without any yet (Smagorinsky's).
const VISCOSITY: f32 = 0.1;
const FIRST: f32 = 0.12;
/// How fast energy is lost, and how fast it spreads from one axis to the others (Rotta).
const LOSS: f32 = 0.3;
const SPREAD: f32 = 0.9;
/// The most energy along an axis, in square metres a second squared.
const MOST: f32 = 25.0;
/// How fast whirls turn, in radians over the time that they need for their own length.
const TURNS: f32 = 1.5;

/// What the whirls around a particle have of it after a while: the mean square of their velocity along each axis.
pub(crate) fn grown(energy: Vec3A, slopes: &[Vec3A; 3], cell: f32, time: f32) -> Vec3A {
    let length = LENGTH * cell;
    let total = 0.5 * energy.element_sum();
    let root = total.sqrt();
    let [x, y, z] = *slopes;
    // The strain's rows: half the sum of the slopes and of those across.
    let strain = [
        Vec3A::new(x.x, 0.5 * (y.x + x.y), 0.5 * (z.x + x.z)),
        Vec3A::new(0.5 * (x.y + y.x), y.y, 0.5 * (z.y + y.z)),
        Vec3A::new(0.5 * (x.z + z.x), 0.5 * (y.z + z.y), z.z),
    ];
    let size = (2.0 * strain.iter().map(|row| row.length_squared()).sum::<f32>()).sqrt();
    let viscosity = VISCOSITY * root * length + FIRST * FIRST * length * length * size;
    let rows = [Vec3A::new(x.x, y.x, z.x), Vec3A::new(x.y, y.y, z.y), Vec3A::new(x.z, y.z, z.z)];
    let made = Vec3A::from_array(std::array::from_fn(|axis| strain[axis].dot(rows[axis]))).max(Vec3A::ZERO);
    let rate = LOSS * root / length * time;
    let shared = SPREAD * rate * (2.0 / 3.0) * total;
    ((energy + made * (4.0 * viscosity * time) + shared) / (1.0 + rate * (1.0 + SPREAD)))
        .min(Vec3A::splat(MOST))
}

/// The orientation after a while: turned by the whirl of the grid's flow, and by those below.
pub(crate) fn turned(turn: Quat, breeze: &Breeze, energy: Vec3A, cell: f32, time: f32) -> Quat {
    let [x, y, z] = breeze.slopes;
    let whirl = 0.5 * Vec3A::new(y.z - z.y, z.x - x.z, x.y - y.x);
    let own = (0.5 * energy.element_sum()).sqrt() * (TURNS / (LENGTH * cell));
    let spin = (whirl + turn * Vec3A::Z * own) * (0.5 * time);
    let spin = spin.clamp_length_max(0.5);
    let turned = turn + Quat::from_xyzw(spin.x, spin.y, spin.z, 0.0) * turn;
    // A step of Newton's towards length 1, where it nearly is: no root.
    turned * (1.5 - 0.5 * turned.length_squared())
}

/// The velocity that the whirls give a particle now.
pub(crate) fn velocity(turn: Quat, energy: Vec3A) -> Vec3A {
    let arrow = turn * Vec3A::X;
    (energy * 3.0).map(f32::sqrt) * arrow
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Air that flows along x, faster the higher: as over a floor.
    const SHEAR: [Vec3A; 3] = [Vec3A::ZERO, Vec3A::new(4.0, 0.0, 0.0), Vec3A::ZERO];

    #[test]
    fn shear_makes_whirls_along_the_flow_and_their_energy_finds_its_level() {
        let after = |steps: usize| (0..steps).fold(Vec3A::ZERO, |e, _| grown(e, &SHEAR, 0.5, 1.0 / 60.0));
        let (early, late, later) = (after(6), after(1200), after(2400));
        assert!(early.x > 0.0 && early.x > 4.0 * early.y && early.y == early.z, "{early}");
        assert!(late.x > late.y && late.y > 0.1 * late.x, "{late}");
        assert!((late - later).length() < 0.02 * late.length(), "{late} {later}");
        // Near a wall, whirls are about as fast as the flow differs over their own length (the logarithmic layer: 2.4 to 2.5).
        assert!((0.4..1.2).contains(&(late.x.sqrt() / (4.0 * 0.25))), "{late}");
    }

    #[test]
    fn without_shear_they_die_and_without_anything_nothing_begins() {
        let calm = [Vec3A::ZERO; 3];
        let mut energy = Vec3A::new(1.0, 0.2, 0.0);
        let mut last = energy.element_sum();
        for _ in 0..600 {
            energy = grown(energy, &calm, 0.5, 1.0 / 60.0);
            assert!(energy.element_sum() < last && energy.min_element() >= 0.0);
            last = energy.element_sum();
        }
        assert!(last < 0.05 && energy.y / energy.x > 0.5, "{energy}");
        assert_eq!(grown(Vec3A::ZERO, &calm, 0.5, 0.1), Vec3A::ZERO);
    }

    #[test]
    fn a_particle_goes_around_in_loops_of_the_size_of_its_whirls() {
        let (mut turn, energy) = (Quat::from_xyzw(0.5, 0.1, -0.4, 0.6).normalize(), Vec3A::splat(0.3));
        let (mut at, mut most) = (Vec3A::ZERO, 0.0_f32);
        for _ in 0..3000 {
            at += velocity(turn, energy) / 60.0;
            turn = turned(turn, &Breeze::default(), energy, 0.5, 1.0 / 60.0);
            most = most.max(at.length());
        }
        assert!((0.1..0.6).contains(&most), "{most}");
    }
}
