//! What falls off as something breaks, before it is debris: chips of the faces laid open, and all of what is no body any more.

use glam::DVec3;
use smithereens::Compound;

use crate::hash::Hash;
use crate::{DebrisOptions, MaterialId};

/// What is retired becomes no more chips than this.
const MOST_PARTS: f64 = 8.0;
/// No more chips than this fall off a fragment by one fracture.
const MOST_FLAKES: usize = 48;
/// How far from its middle towards its corners the chips of something lie.
const SPREAD: f64 = 0.6;
/// Chips are thrown with the material's push times a number up to this, and as much any way.
const THROW: f64 = 2.0;

/// Debris that is wanted, and what nobody has taken yet.
#[derive(Clone, Debug)]
pub(crate) struct Shed {
    pub options: DebrisOptions,
    pub crumbs: Vec<Crumb>,
}

/// A chip to be.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Crumb {
    pub material: MaterialId,
    /// In kilograms.
    pub mass: f64,
    /// In cubic metres.
    pub volume: f64,
    pub at: DVec3,
    pub velocity: DVec3,
    pub spin: DVec3,
    /// Decides what it looks like, and how it is turned.
    pub draw: u64,
}

/// A chip of a fragment, in the fragment's coordinates.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Flake {
    pub at: DVec3,
    /// How much faster it is than what it comes from, in metres per second.
    pub throw: DVec3,
    /// In cubic metres.
    pub volume: f64,
    pub draw: u64,
}

/// Something that is a body no more.
#[derive(Clone, Debug)]
pub(crate) struct Rubble {
    /// In kilograms.
    pub mass: f64,
    /// What it becomes; none where there is no debris, or it is too small for any.
    pub flakes: Vec<Flake>,
}

/// How chips come off: from where the hit was, and how fast.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Throw {
    pub hit: DVec3,
    pub push: f64,
}

/// Numbers that are the same in every run, and others for another place in it.
pub(crate) struct Draws(u64);

impl Draws {
    pub fn of(words: &[u64]) -> Draws {
        let mut hash = Hash::default();
        words.iter().for_each(|&word| hash.add(word));
        Draws(hash.value())
    }

    /// Steele, Lea, Flood 2014: SplitMix.
    pub fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// From 0 to 1, without 1.
    pub fn part(&mut self) -> f64 {
        (self.word() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Any way, no longer than 1.
    pub fn way(&mut self) -> DVec3 {
        let way = DVec3::new(self.part(), self.part(), self.part()) * 2.0 - 1.0;
        way / way.length().max(1.0)
    }
}

impl Throw {
    fn at(&self, place: DVec3, draws: &mut Draws) -> DVec3 {
        let away = (place - self.hit).normalize_or_zero() * (THROW * draws.part());
        (away + draws.way()) * self.push
    }
}

/// The volume of a ball.
pub(crate) fn ball_volume(radius: f64) -> f64 {
    4.0 / 3.0 * std::f64::consts::PI * radius * radius * radius
}

/// The radius of a ball.
pub(crate) fn ball_radius(volume: f64) -> f64 {
    libm::cbrt(volume * 0.75 * std::f64::consts::FRAC_1_PI)
}

impl Rubble {
    /// What a compound becomes that is a body no more: as many chips as it is long or large.
    pub fn of(
        compound: &Compound,
        mass: f64,
        options: Option<&DebrisOptions>,
        throw: &Throw,
        draws: &mut Draws,
    ) -> Rubble {
        let flakes = options.map_or(Vec::new(), |options| lumps(compound, options, throw, draws));
        Rubble { mass, flakes }
    }
}

fn lumps(compound: &Compound, options: &DebrisOptions, throw: &Throw, draws: &mut Draws) -> Vec<Flake> {
    let mass = compound.mass();
    let room = mass.volume / ball_volume(options.smallest);
    if room.is_nan() || room < 1.0 || !mass.center.is_finite() {
        return Vec::new();
    }
    let slender = compound.bounds().size().max_element() / (2.0 * ball_radius(mass.volume));
    let wanted = slender.max((mass.volume / ball_volume(options.largest)).ceil());
    // Half as large as the others some may be, and not too small then.
    let count = wanted.min(0.5 * room).clamp(1.0, MOST_PARTS) as usize;
    let solid = compound.pieces().iter().filter(|piece| !piece.is_ghost());
    let corners: Vec<DVec3> = solid.flat_map(|piece| piece.convex().vertices().to_vec()).collect();
    let shares: Vec<f64> = (0..count).map(|_| 0.5 + draws.part()).collect();
    let all: f64 = shares.iter().sum();
    let lump = |(index, share): (usize, f64)| {
        let corner = corners.get(index * corners.len() / count).copied().unwrap_or(mass.center);
        let at = if count > 1 { mass.center + (corner - mass.center) * SPREAD } else { mass.center };
        let throw = throw.at(at, draws);
        Flake { at, throw, volume: mass.volume * share / all, draw: draws.word() }
    };
    shares.into_iter().enumerate().map(lump).collect()
}

/// Chips of faces: of so many cubic metres on average, and no more than `most`. Small ones are more than large ones.
pub(crate) fn flakes(
    faces: &[([DVec3; 3], f64)],
    volume: f64,
    most: f64,
    options: &DebrisOptions,
    throw: &Throw,
    draws: &mut Draws,
) -> Vec<Flake> {
    let (mut flakes, mut left, mut room) = (Vec::new(), volume, most);
    while left > 0.0 && flakes.len() < MOST_FLAKES && !faces.is_empty() {
        let (size, luck) = (draws.part(), draws.part());
        let radius = options.smallest * libm::pow(options.largest / options.smallest, size * size);
        let volume = ball_volume(radius);
        // What is left is less than a chip: one in as many falls off.
        if volume > room || luck * volume >= left {
            break;
        }
        (left, room) = (left - volume, room - volume);
        let at = rim(faces, draws);
        flakes.push(Flake { at, throw: throw.at(at, draws), volume, draw: draws.word() });
    }
    flakes
}

/// Anywhere along the sides of the triangles, the larger the more often: it is edges that spall.
fn rim(faces: &[([DVec3; 3], f64)], draws: &mut Draws) -> DVec3 {
    let mut part = draws.part();
    let face = faces.iter().position(|(_, share)| {
        part -= share;
        part < 0.0
    });
    let corners = faces[face.unwrap_or(faces.len() - 1)].0;
    let (side, along) = ((draws.word() % 3) as usize, draws.part());
    corners[side].lerp(corners[(side + 1) % 3], along)
}

#[cfg(test)]
mod tests {
    use smithereens::{Aabb, Convex};

    use super::*;

    const THROW: Throw = Throw { hit: DVec3::ZERO, push: 0.4 };

    fn boxed(size: DVec3) -> Compound {
        let convex = Convex::from_box(&Aabb::new(-size * 0.5, size * 0.5));
        Compound::from_convexes(vec![convex]).expect("a box")
    }

    #[test]
    fn rubble_keeps_its_volume_and_what_is_long_becomes_several() {
        let options = DebrisOptions::default();
        let of = |size: DVec3| {
            let rubble = Rubble::of(&boxed(size), 1.0, Some(&options), &THROW, &mut Draws::of(&[1]));
            let volume: f64 = rubble.flakes.iter().map(|flake| flake.volume).sum();
            assert!((volume / size.element_product() - 1.0).abs() < 1e-12);
            rubble.flakes.len()
        };
        assert_eq!(of(DVec3::splat(0.02)), 1);
        assert_eq!(of(DVec3::new(0.2, 0.02, 0.02)), 3);
        assert_eq!(of(DVec3::new(0.3, 0.3, 0.005)), 4, "{}", ball_volume(options.largest));
        let small = boxed(DVec3::splat(0.002));
        assert!(Rubble::of(&small, 1.0, Some(&options), &THROW, &mut Draws::of(&[1])).flakes.is_empty());
    }

    #[test]
    fn faces_give_as_much_as_was_asked_for_on_average() {
        let options = DebrisOptions::default();
        let faces = [([DVec3::ZERO, DVec3::X, DVec3::Y], 1.0)];
        for wanted in [2e-6, 2e-5] {
            let all: f64 = (0..4000)
                .flat_map(|n| flakes(&faces, wanted, 1.0, &options, &THROW, &mut Draws::of(&[n])))
                .map(|flake| flake.volume)
                .sum();
            assert!((all / (4000.0 * wanted) - 1.0).abs() < 0.1, "{all} of {}", 4000.0 * wanted);
        }
        let most = ball_volume(options.smallest);
        for n in 0..200 {
            let some = flakes(&faces, 1e-3, most, &options, &THROW, &mut Draws::of(&[n]));
            assert!(some.iter().map(|flake| flake.volume).sum::<f64>() <= most);
        }
    }
}
