//! Particles as a crowd: the oldest leave, neighbours stand together, and the box around nearly all.

use glam::{Vec3, Vec3A};
use rayon::prelude::*;

use crate::particle::Particle;

/// One in so many particles at either end of an axis does not count for the box: a grain that flies far must not take the air along.
const OUTLIERS: usize = 500;
/// Slices of the box along an axis in which particles are counted.
const SLICES: usize = 256;
/// The most rooms that particles are sorted into.
const MOST_ROOMS: f32 = 32_768.0;
/// Particles that are worth a task.
const TASK: usize = 4096;

/// Takes out the oldest until there are few enough; the mass of them.
pub(crate) fn retire_oldest(particles: &mut Vec<Particle>, most: usize) -> f64 {
    let Some(surplus) = particles.len().checked_sub(most).filter(|surplus| *surplus > 0) else { return 0.0 };
    // Positive numbers sort like their bits; the index tells equals apart.
    let key = |(index, p): (usize, &Particle)| (u64::from((p.age / p.life).to_bits()) << 32) | index as u64;
    let mut keys: Vec<u64> = particles.iter().enumerate().map(key).collect();
    let first = keys.len() - surplus;
    let (_, &mut least, _) = keys.select_nth_unstable(first);
    let mut index = 0;
    let mut mass = 0.0;
    particles.retain(|particle| {
        let stays = key((index, particle)) < least;
        index += 1;
        mass += if stays { 0.0 } else { particle.mass };
        stays
    });
    mass
}

/// Brings those together in memory that are in the same room, with sides of this length or, where there would be too many rooms, of more. `spare` is memory
/// for it: new memory would take longer to get than the rest of this.
pub(crate) fn sort_by_place(particles: &mut Vec<Particle>, side: f32, spare: &mut Vec<Particle>) {
    let Some((low, high)) = bounds(particles) else { return };
    let (low, span) = (Vec3A::from(low), Vec3A::from(high - low));
    let mut side = side;
    while (span / side).floor().element_product() > MOST_ROOMS {
        side *= 2.0;
    }
    let last = (span / side).as_uvec3();
    // Who is outside of the box is in one of the rooms at its border.
    let room = |p: &Particle| {
        let room = ((p.at - low) / side).as_uvec3().min(last);
        room.x + (last.x + 1) * (room.y + (last.y + 1) * room.z)
    };
    let rooms: Vec<u32> = particles.par_iter().with_min_len(TASK).map(room).collect();
    let order = counted(&rooms, (last + 1).element_product() as usize);
    let sorted = order.par_iter().with_min_len(TASK).map(|index| particles[*index as usize]);
    sorted.collect_into_vec(spare);
    std::mem::swap(particles, spare);
}

/// The indices of numbers below `end`, from the least to the greatest; of equals the first is first.
fn counted(numbers: &[u32], end: usize) -> Vec<u32> {
    let mut next = vec![0_u32; end + 1];
    numbers.iter().for_each(|number| next[*number as usize + 1] += 1);
    (0..end).for_each(|number| next[number + 1] += next[number]);
    let mut order = vec![0; numbers.len()];
    for (index, number) in (0..).zip(numbers) {
        let place = &mut next[*number as usize];
        order[*place as usize] = index;
        *place += 1;
    }
    order
}

/// The box around all but a few.
pub(crate) fn bounds(particles: &[Particle]) -> Option<(Vec3, Vec3)> {
    let first = particles.first()?.at;
    let tasks = || particles.par_chunks(TASK);
    let around = |task: &[Particle]| {
        task.iter().fold((first, first), |(low, high), p| (low.min(p.at), high.max(p.at)))
    };
    let join = |a: (Vec3A, Vec3A), b: (Vec3A, Vec3A)| (a.0.min(b.0), a.1.max(b.1));
    let (low, high) = tasks().map(around).reduce(|| (first, first), join);
    let side = ((high - low) / SLICES as f32).max(Vec3A::splat(1e-6));
    let counts = tasks().map(|task| Slices::of(task, low, side)).reduce(Slices::default, Slices::add).0;
    let few = (particles.len() / OUTLIERS) as u32;
    let (mut least, mut most) = (low, high);
    for axis in 0..3 {
        let skipped = |counts: &mut dyn Iterator<Item = &u32>| {
            let mut sum = 0;
            counts.take_while(|count| (sum += **count, sum <= few).1).count()
        };
        least[axis] = low[axis] + side[axis] * skipped(&mut counts[axis].iter()) as f32;
        most[axis] = high[axis] - side[axis] * skipped(&mut counts[axis].iter().rev()) as f32;
    }
    Some((least.into(), most.max(least).into()))
}

/// How many particles are in each slice of a box, along each axis.
struct Slices([[u32; SLICES]; 3]);

impl Default for Slices {
    fn default() -> Slices {
        Slices([[0; SLICES]; 3])
    }
}

impl Slices {
    fn of(particles: &[Particle], low: Vec3A, side: Vec3A) -> Slices {
        let mut slices = Slices::default();
        for particle in particles {
            let slice = ((particle.at - low) / side).as_uvec3().to_array();
            (0..3).for_each(|axis| slices.0[axis][(slice[axis] as usize).min(SLICES - 1)] += 1);
        }
        slices
    }

    fn add(mut self, other: Slices) -> Slices {
        let all = self.0.iter_mut().flatten().zip(other.0.iter().flatten());
        all.for_each(|(count, more)| *count += more);
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::puff::Newborn;
    use crate::{Options, Puff, random};
    use glam::DVec3;

    fn crowd(count: u32) -> Vec<Particle> {
        let corners = [DVec3::ZERO, DVec3::X * 30.0, DVec3::Z * -30.0];
        let puff = Puff { corners, velocity: DVec3::ZERO, mass: 1.0 };
        let born = |i| {
            let newborn = Newborn { puff, mass: f64::from(i), seed: random::hash(i) };
            let particle = newborn.particle(&Options::default());
            Particle { age: random::unit(i, 3) * particle.life, ..particle }
        };
        (0..count).map(born).collect()
    }

    #[test]
    fn the_oldest_leave_with_their_mass() {
        let mut particles = crowd(1000);
        particles[7].age = particles[9].age / particles[9].life * particles[7].life;
        let all: f64 = particles.iter().map(|p| p.mass).sum();
        let gone = retire_oldest(&mut particles, 400);
        assert_eq!(particles.len(), 400);
        assert_eq!(particles.iter().map(|p| p.mass).sum::<f64>() + gone, all);
        assert!(particles.iter().all(|p| p.age / p.life < 0.5));
        assert_eq!(retire_oldest(&mut particles, 400), 0.0);
    }

    #[test]
    fn sorting_keeps_all_and_brings_neighbours_together() {
        let mut particles = crowd(3000);
        let way = |all: &[Particle]| all.windows(2).map(|pair| pair[0].at.distance(pair[1].at)).sum::<f32>();
        let before = way(&particles);
        sort_by_place(&mut particles, 2.0, &mut Vec::new());
        assert!(way(&particles) < 0.3 * before);
        let mut masses: Vec<u32> = particles.iter().map(|p| p.mass as u32).collect();
        masses.sort_unstable();
        assert!(masses.into_iter().eq(0..3000));
    }

    #[test]
    fn one_grain_far_away_does_not_count() {
        let mut particles = crowd(2000);
        let (low, high) = bounds(&particles).unwrap();
        assert!(low.x < 1.0 && high.x > 25.0);
        particles[5].at = Vec3A::splat(1000.0);
        let (_, far) = bounds(&particles).unwrap();
        assert!(far.x < 40.0, "{far}");
        assert_eq!(bounds(&[]), None);
        assert!(bounds(&particles[5..6]).is_some());
    }
}
