//! Which blocker is a point in? Boxes and balls sorted into bins, over all of the scene, and into the octants of bins: half of all points that ask are next
//! to a wall, and few of what is in a bin is next to them.

use std::sync::Arc;

use glam::{IVec3, UVec3, Vec3A};
use rayon::prelude::*;

use crate::shape::Form;

/// The most bins.
const MOST_BINS: f32 = 65_536.0;
/// No bin is smaller than so many cells of air.
const CELLS_A_BIN: f32 = 2.0;
/// Forms that are worth a task.
const FORMS: usize = 128;
/// How far ahead something is looked for that was there before: so many may be gone at once.
const AHEAD: usize = 512;

/// Everything that stands still.
#[derive(Clone, Debug, Default)]
pub(crate) struct Blockers {
    forms: Arc<Vec<Form>>,
    /// The side of a bin. Bins lie on a lattice through the origin: they stay where they are when something comes or goes.
    side: f32,
    inverse: f32,
    /// The first bin on it, its lowest corner, and how many there are.
    first: IVec3,
    low: Vec3A,
    size: UVec3,
    /// Where each form is.
    spots: Vec<Arc<[Spot]>>,
    /// Where each bin's list begins, and where the last ends.
    starts: Vec<u32>,
    lists: Vec<Entry>,
    /// The octants of each bin that anything may reach into: most points ask for no more.
    full: Vec<u8>,
}

/// A bin that a form reaches into.
#[derive(Clone, Copy, Debug)]
struct Spot {
    bin: IVec3,
    octants: u8,
}

/// A form in a bin.
#[derive(Clone, Copy, Debug, Default)]
struct Entry {
    form: u32,
    /// The octants of the bin that it may reach into, a bit each: x first, then y.
    octants: u8,
}

impl Blockers {
    /// Sorts forms into bins. What is known of those that were there `before` is kept: `known` has where they were.
    pub fn new(forms: Arc<Vec<Form>>, cell: f32, before: &Blockers, known: &[Option<usize>]) -> Blockers {
        let low = forms.iter().map(|f| f.at - f.reach()).fold(Vec3A::INFINITY, Vec3A::min);
        let high = forms.iter().map(|f| f.at + f.reach()).fold(Vec3A::NEG_INFINITY, Vec3A::max);
        if forms.is_empty() {
            return Blockers::default();
        }
        let mut side = CELLS_A_BIN * cell;
        while ((high - low) / side).ceil().element_product() > MOST_BINS {
            side *= 1.25;
        }
        let (first, last) = (bin_of(low, side), bin_of(high, side));
        let size = (last - first).as_uvec3() + 1;
        let low = first.as_vec3a() * side;
        let mut blockers =
            Blockers { forms, side, first, low, inverse: 1.0 / side, size, ..Blockers::default() };
        blockers.find_bins(before, known);
        blockers.fill();
        blockers
    }

    /// Finds the bins that each form reaches into.
    fn find_bins(&mut self, before: &Blockers, known: &[Option<usize>]) {
        let is_same = self.side == before.side;
        let forms = self.forms.par_iter().zip(known).with_min_len(FORMS);
        let spots = forms.map(|(form, known)| match known {
            Some(index) if is_same => before.spots[*index].clone(),
            _ => spots(form, self.side).collect(),
        });
        self.spots = spots.collect();
    }

    /// Counts what is in each bin, and lays lists of that length side by side: sorting would take ten times as long.
    fn fill(&mut self) {
        let (row, plane) = (self.size.x, self.size.x * self.size.y);
        let place = |bin: IVec3| {
            let bin = (bin - self.first).as_uvec3();
            (bin.x + row * bin.y + plane * bin.z) as usize
        };
        let all = || self.spots.iter().flat_map(|spots| spots.iter());
        // Two places on: one for the sum before each, one that moves on while lists are filled.
        let mut starts = vec![0; self.size.element_product() as usize + 2];
        all().for_each(|spot| starts[place(spot.bin) + 2] += 1);
        let mut sum = 0;
        for start in &mut starts {
            sum += *start;
            *start = sum;
        }
        let mut lists = vec![Entry::default(); sum as usize];
        let mut full = vec![0; self.size.element_product() as usize];
        for (form, spots) in (0..).zip(&self.spots) {
            for Spot { bin, octants } in spots.iter().copied() {
                full[place(bin)] |= octants;
                let next = &mut starts[place(bin) + 1];
                lists[*next as usize] = Entry { form, octants };
                *next += 1;
            }
        }
        (self.starts, self.lists, self.full) = (starts, lists, full);
    }

    pub fn is_empty(&self) -> bool {
        self.forms.is_empty()
    }

    /// The first of the blockers that a point is in.
    #[inline]
    pub fn at(&self, point: Vec3A) -> Option<&Form> {
        let place = (point - self.low) * self.inverse;
        let is_in = place.min_element() >= 0.0 && place.cmplt(self.size.as_vec3a()).all();
        if !is_in {
            return None;
        }
        // Above 0, so that cutting off is rounding down: the octant, and the bin that it is in.
        let [x, y, z] = place.to_array().map(|along| (along * 2.0) as i32 as u32);
        let bin = ((z / 2 * self.size.y + y / 2) * self.size.x + x / 2) as usize;
        let octant = 1 << (x % 2 + y % 2 * 2 + z % 2 * 4);
        if self.full[bin] & octant == 0 {
            return None;
        }
        self.among(bin, octant, point)
    }

    /// The first of the blockers in an octant of a bin that a point is in.
    fn among(&self, bin: usize, octant: u8, point: Vec3A) -> Option<&Form> {
        let list = &self.lists[self.starts[bin] as usize..self.starts[bin + 1] as usize];
        let near = list.iter().filter(|entry| entry.octants & octant != 0);
        near.map(|entry| &self.forms[entry.form as usize]).find(|form| form.has(point))
    }

    /// All of them.
    pub fn forms(&self) -> &[Form] {
        &self.forms
    }
}

/// The bin of a lattice that a point is in.
fn bin_of(point: Vec3A, side: f32) -> IVec3 {
    (point / side).floor().as_ivec3()
}

/// The bins that a form reaches into, or nearly, and in which of their octants it is.
fn spots(form: &Form, side: f32) -> impl Iterator<Item = Spot> {
    let (first, last) = (bin_of(form.at - form.reach(), side), bin_of(form.at + form.reach(), side));
    let rows = (first.z..=last.z).flat_map(move |z| (first.y..=last.y).map(move |y| (z, y)));
    let bins = rows.flat_map(move |(z, y)| (first.x..=last.x).map(move |x| IVec3::new(x, y, z)));
    let spots = bins.map(move |bin| {
        let middle = (bin.as_vec3a() + 0.5) * side;
        Spot { bin, octants: form.octants_near(middle, 0.25 * side) }
    });
    spots.filter(|spot| spot.octants != 0)
}

/// Where things were in a list before, if they were: what is left of it is in the same order.
pub(crate) fn found_again<T: PartialEq>(before: &[T], now: &[T]) -> Vec<Option<usize>> {
    let mut next = 0;
    let find = |thing: &T| {
        let ahead = &before[next..before.len().min(next + AHEAD)];
        let found = next + ahead.iter().position(|other| other == thing)?;
        next = found + 1;
        Some(found)
    };
    now.iter().map(find).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Blocker, Shape};
    use glam::DQuat;
    use smithereens_testing::chance::Chance;

    #[test]
    fn bins_find_what_a_search_through_all_finds() {
        let mut chance = Chance::new(1);
        let blocker = |chance: &mut Chance| {
            let half = (chance.point() + 1.2) * 0.8;
            let shape = if chance.below(3) == 0 { Shape::Ball(half.x) } else { Shape::Box(half) };
            Blocker {
                shape,
                at: chance.point() * 12.0,
                turn: DQuat::from_axis_angle(chance.direction(), 1.0),
            }
        };
        let forms: Vec<Form> = (0..200).map(|_| blocker(&mut chance).form().unwrap()).collect();
        let blockers = Blockers::new(Arc::new(forms.clone()), 0.5, &Blockers::default(), &[None; 200]);
        let mut inside = 0;
        for _ in 0..20_000 {
            let point = (chance.point() * 14.0).as_vec3a();
            let expected = forms.iter().find(|form| form.has(point));
            assert_eq!(blockers.at(point), expected);
            inside += usize::from(expected.is_some());
        }
        assert!(inside > 500);
        let left: Vec<Form> = forms.iter().enumerate().filter(|(i, _)| i % 7 != 3).map(|(_, f)| *f).collect();
        let known = found_again(&forms, &left);
        assert!(known.iter().all(Option::is_some));
        let after = Blockers::new(Arc::new(left.clone()), 0.5, &blockers, &known);
        for _ in 0..20_000 {
            let point = (chance.point() * 14.0).as_vec3a();
            assert_eq!(after.at(point), left.iter().find(|form| form.has(point)));
        }
        assert_eq!(Blockers::default().at(Vec3A::ZERO), None);
    }
}
