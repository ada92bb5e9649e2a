//! Whirls smaller than a cell: how much energy they have, and which way they are now.
//!
//! After Pfaff, Thuerey, Cohen, Tariq and Gross, "Scalable Fluid Simulation using Anisotropic Turbulence Particles" (2010): each particle carries the
//! energy of the whirls around it, made where the flow of the grid is sheared, more along some axes than along others, and lost to heat. There the
//! energy scales a noise that is looked up; here, after Müller, Chentanez and Kim (2013), each particle has an orientation. It turns with the whirls,
//! and an arrow fixed to it is the velocity they give: a particle goes around in loops as wide as its whirls. Particles are born with
//! the orientation of their neighbours, and so the dust of a whirl goes around together until the flow tears it apart.

use wide::f32x4;

use crate::lanes::{Quatx4, Vec3x4};

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

/// What the whirls around particles have of it after a while: the mean square of their velocity along each axis.
#[inline(always)]
pub(crate) fn grown(energy: Vec3x4, slopes: &[Vec3x4; 3], cell: f32, time: f32) -> Vec3x4 {
    let length = LENGTH * cell;
    let total = energy.element_sum() * 0.5;
    let root = total.sqrt();
    let [x, y, z] = *slopes;
    // The strain's rows: half the sum of the slopes and of those across.
    let (xy, xz, yz) = ((y.x + x.y) * 0.5, (z.x + x.z) * 0.5, (z.y + y.z) * 0.5);
    let strain = [Vec3x4::new(x.x, xy, xz), Vec3x4::new(xy, y.y, yz), Vec3x4::new(xz, yz, z.z)];
    let squares = strain.map(Vec3x4::length_squared);
    let size = ((squares[0] + squares[1] + squares[2]) * 2.0).sqrt();
    let viscosity = root * (VISCOSITY * length) + size * (FIRST * FIRST * length * length);
    let made = Vec3x4::new(
        strain[0].dot(Vec3x4::new(x.x, y.x, z.x)),
        strain[1].dot(Vec3x4::new(x.y, y.y, z.y)),
        strain[2].dot(Vec3x4::new(x.z, y.z, z.z)),
    );
    let made = made.map(|along| along.fast_max(f32x4::ZERO)) * (viscosity * (4.0 * time));
    let rate = root * (LOSS / length * time);
    let shared = rate * total * (SPREAD * (2.0 / 3.0));
    let kept = f32x4::ONE / (rate * (1.0 + SPREAD) + 1.0);
    (energy + made).map(|along| ((along + shared) * kept).fast_min(f32x4::splat(MOST)))
}

/// The orientations after a while: turned by the whirl of the grid's flow, and by those below.
#[inline(always)]
pub(crate) fn turned(turn: Quatx4, slopes: &[Vec3x4; 3], energy: Vec3x4, cell: f32, time: f32) -> Quatx4 {
    let [x, y, z] = *slopes;
    let whirl = Vec3x4::new(y.z - z.y, z.x - x.z, x.y - y.x) * 0.5;
    let own = (energy.element_sum() * 0.5).sqrt() * (TURNS / (LENGTH * cell));
    let spin = (whirl + turn.third_axis() * own) * (0.5 * time);
    turn.turned_by(spin.clamp_length_max(0.5))
}

/// The velocity that the whirls give particles now.
#[inline(always)]
pub(crate) fn velocity(turn: Quatx4, energy: Vec3x4) -> Vec3x4 {
    (energy * 3.0).map(f32x4::sqrt) * turn.first_axis()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lanes::LANES;
    use glam::{Quat, Vec3A};

    /// All lanes alike, of which the first is looked at.
    fn grown(energy: Vec3A, slopes: &[Vec3A; 3], cell: f32, time: f32) -> Vec3A {
        super::grown(Vec3x4::splat(energy), &slopes.map(Vec3x4::splat), cell, time).to_lanes()[0]
    }

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
        let turn = Quat::from_xyzw(0.5, 0.1, -0.4, 0.6).normalize();
        let (mut turn, energy) = (Quatx4::from_lanes([turn; LANES]), Vec3x4::splat(Vec3A::splat(0.3)));
        let (mut at, mut most) = (Vec3A::ZERO, 0.0_f32);
        for _ in 0..3000 {
            at += velocity(turn, energy).to_lanes()[0] / 60.0;
            turn = turned(turn, &[Vec3x4::default(); 3], energy, 0.5, 1.0 / 60.0);
            most = most.max(at.length());
        }
        assert!((0.1..0.6).contains(&most), "{most}");
    }
}
