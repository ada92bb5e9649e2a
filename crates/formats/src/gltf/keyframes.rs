//! Keys of an animation: as few of the recorded samples as reproduce the others.
//!
//! From each key the farthest sample is sought to which a player would go without leaving the samples between, by doubling steps and then halving:
//! O(n log n) for n samples. Whatever is kept was tested against every sample that it stands for, so the bound holds for all of them.
//! Tests run on the numbers as the file has them, in single precision.

use glam::{DQuat, DVec3, Quat, Vec3};

/// How far a played pose may be from the recorded one.
///
/// The bound holds for every recorded frame, at its time in the file. Both are of single precision: times are rounded down to it.
///
/// ```
/// let fine = smithereens_formats::Deviation { translation: 1e-4, ..Default::default() };
/// assert!(fine.rotation < 0.01);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Deviation {
    /// In units of length; 0 keeps every sample off a straight and even path.
    pub translation: f64,
    /// In radians; 0 keeps every sample off an even turn.
    pub rotation: f64,
}

impl Default for Deviation {
    /// Three millimetres where the unit is a metre, and a third of a degree: less than a pixel from some metres away. Of a free fall at
    /// 60 frames a second, every third is kept then; with one millimetre, each of them.
    fn default() -> Deviation {
        Deviation { translation: 3e-3, rotation: 6e-3 }
    }
}

/// A value at a time in seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Key<V> {
    pub(super) time: f32,
    pub(super) value: V,
}

/// The keys of a path of places; none if it stays within the bound of its first place.
pub(super) fn of_places(samples: &[Key<Vec3>], bound: f64) -> Vec<Key<Vec3>> {
    let bound = bound.max(0.0);
    let is_near = |a: Vec3, b: Vec3| a.as_dvec3().distance(b.as_dvec3()) <= bound;
    let is_even = |run: &[Key<Vec3>]| {
        let (from, to) = (run[0].value.as_dvec3(), run[run.len() - 1].value.as_dvec3());
        let is_met = |(s, t): (DVec3, f64)| s.distance(from.lerp(to, t)) <= bound;
        inner(run).map(|(s, t)| (s.as_dvec3(), t)).all(is_met)
    };
    reduced(samples, is_even, is_near)
}

/// The keys of a path of unit rotations, each in the hemisphere of the one before; none if it stays within the bound of its first.
///
/// Players go from key to key by slerp, as glTF has it, or by the cheaper nlerp, as Blender and many engines do: both must
/// meet the samples.
pub(super) fn of_turns(samples: &[Key<Quat>], bound: f64) -> Vec<Key<Quat>> {
    let bound = bound.max(0.0);
    // Rotations an angle apart are unit quaternions half that angle apart; this is the chord of it.
    let chord = 2.0 * libm::sin(bound.min(std::f64::consts::PI) / 4.0);
    let is_near = |a: Quat, b: Quat| is_same_turn(a.as_dquat(), b.as_dquat(), chord);
    let mut keys = reduced(samples, |run| is_even_turn(run, chord), is_near);
    for k in 1..keys.len() {
        if keys[k - 1].value.dot(keys[k].value) < 0.0 {
            keys[k].value = -keys[k].value;
        }
    }
    keys
}

fn is_even_turn(run: &[Key<Quat>], chord: f64) -> bool {
    let (from, mut to) = (run[0].value.as_dquat(), run[run.len() - 1].value.as_dquat());
    if from.dot(to) < 0.0 {
        to = -to;
    }
    let angle = 2.0 * libm::atan2((to - from).length(), (to + from).length());
    let sine = libm::sin(angle);
    inner(run).all(|(sample, t)| {
        let sample = sample.as_dquat();
        let straight = (from * (1.0 - t) + to * t).normalize();
        // The two ways differ by less than the cube of the angle: nothing, below what the file tells apart.
        let is_short = angle < f64::from(f32::EPSILON);
        let round = || (from * libm::sin((1.0 - t) * angle) + to * libm::sin(t * angle)) / sine;
        is_same_turn(sample, straight, chord) && (is_short || is_same_turn(sample, round(), chord))
    })
}

/// Whether two rotations are at most the chord apart; quaternions of opposite sign are the same one.
fn is_same_turn(a: DQuat, b: DQuat, chord: f64) -> bool {
    let apart = if a.dot(b) < 0.0 { a + b } else { a - b };
    apart.length_squared() <= chord * chord
}

/// The samples between the first and the last, with the part of the time that has passed.
fn inner<V: Copy>(run: &[Key<V>]) -> impl Iterator<Item = (V, f64)> {
    let (start, end) = (f64::from(run[0].time), f64::from(run[run.len() - 1].time));
    run[1..run.len() - 1].iter().map(move |k| (k.value, (f64::from(k.time) - start) / (end - start)))
}

/// The samples to keep. Before the first key and after the last one, a player holds their value.
fn reduced<V: Copy>(
    samples: &[Key<V>],
    is_even: impl Fn(&[Key<V>]) -> bool,
    is_near: impl Fn(V, V) -> bool,
) -> Vec<Key<V>> {
    let rests_from = |start: usize| samples[start..].iter().all(|s| is_near(samples[start].value, s.value));
    if samples.is_empty() || rests_from(0) {
        return Vec::new();
    }
    let mut kept = vec![0];
    let mut at = 0;
    while at + 1 < samples.len() {
        at += reach(&samples[at..], &is_even);
        kept.push(at);
    }
    // A body that comes to rest holds the value that it has then.
    if rests_from(kept[kept.len() - 2]) {
        kept.pop();
    }
    kept.into_iter().map(|k| samples[k]).collect()
}

/// How far a player can go evenly from the first sample; the next one is always in reach.
fn reach<V>(samples: &[Key<V>], is_even: impl Fn(&[Key<V>]) -> bool) -> usize {
    let last = samples.len() - 1;
    let mut good = 1;
    let mut bad = loop {
        if good == last {
            return last;
        }
        let next = (2 * good).min(last);
        if !is_even(&samples[..=next]) {
            break next;
        }
        good = next;
    };
    while bad - good > 1 {
        let middle = good + (bad - good) / 2;
        if is_even(&samples[..=middle]) {
            good = middle;
        } else {
            bad = middle;
        }
    }
    good
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path<V>(count: usize, value: impl Fn(f32) -> V) -> Vec<Key<V>> {
        let key = |i: usize| Key { time: i as f32 / 60.0, value: value(i as f32 / 60.0) };
        (0..count).map(key).collect()
    }

    #[test]
    fn even_paths_need_two_keys_and_resting_ones_none() {
        let line = path(600, |t| Vec3::new(3.0, -1.0, 2.0) * t);
        assert_eq!(of_places(&line, 1e-4), [line[0], line[599]]);
        let rest = path(600, |t| Vec3::splat(7.0 + 1e-5 * (40.0 * t).sin()));
        assert_eq!(of_places(&rest, 1e-3), []);
        assert_eq!(of_places(&[], 1e-3), []);
    }

    #[test]
    fn a_path_that_ends_at_rest_ends_with_the_start_of_the_rest() {
        let stop = path(600, |t| Vec3::X * t.min(1.0));
        assert_eq!(of_places(&stop, 1e-4), [stop[0], stop[60]]);
    }

    #[test]
    fn turns_stay_in_one_hemisphere_and_within_half_a_turn() {
        let spin = path(600, |t| Quat::from_rotation_y(9.0 * t));
        let keys = of_turns(&spin, 6e-3);
        assert!((20..120).contains(&keys.len()), "{} keys", keys.len());
        for pair in keys.windows(2) {
            assert!(pair[0].value.dot(pair[1].value) >= 0.0);
            assert!(pair[1].time - pair[0].time < std::f32::consts::PI / 9.0);
        }
        // The same rotations with signs at random are the same path.
        let mut flipped = spin.clone();
        flipped.iter_mut().step_by(7).for_each(|k| k.value = -k.value);
        assert_eq!(of_turns(&flipped, 6e-3).len(), keys.len());
    }

    #[test]
    fn bounds_that_are_none_keep_all() {
        let curve = path(50, |t| Vec3::new(t, t * t, 0.0));
        for bound in [0.0, -1.0, f64::NAN] {
            assert_eq!(of_places(&curve, bound), curve);
        }
    }
}
