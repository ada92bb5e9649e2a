//! Which blocker is a point in? Boxes and balls sorted into bins, over all of the scene.

use glam::{UVec3, Vec3A};

use crate::shape::Form;

/// The most bins.
const MOST_BINS: f32 = 65_536.0;
/// No bin is smaller than so many cells of air.
const CELLS_A_BIN: f32 = 2.0;

/// Everything that stands still.
#[derive(Clone, Debug, Default)]
pub(crate) struct Blockers {
    forms: Vec<Form>,
    low: Vec3A,
    inverse: f32,
    size: UVec3,
    /// Where each bin's list begins; one more at the end.
    starts: Vec<u32>,
    lists: Vec<u32>,
}

impl Blockers {
    pub fn new(forms: Vec<Form>, cell: f32) -> Blockers {
        let low = forms.iter().map(|f| f.at - f.reach()).fold(Vec3A::INFINITY, Vec3A::min);
        let high = forms.iter().map(|f| f.at + f.reach()).fold(Vec3A::NEG_INFINITY, Vec3A::max);
        if forms.is_empty() {
            return Blockers::default();
        }
        let span = (high - low).max(Vec3A::splat(1e-3));
        let mut side = CELLS_A_BIN * cell;
        while (span / side).ceil().element_product() > MOST_BINS {
            side *= 1.25;
        }
        let size = (span / side).ceil().as_uvec3().max(UVec3::ONE);
        let mut blockers =
            Blockers { forms, low, inverse: 1.0 / side, size, starts: Vec::new(), lists: Vec::new() };
        blockers.fill();
        blockers
    }

    /// Counts what is in each bin, and lays lists of that length side by side: sorting would take ten times as long.
    fn fill(&mut self) {
        let bins = self.size.element_product() as usize;
        let mut starts = vec![0; bins + 1];
        self.each_bin(|bin, _| starts[bin + 1] += 1);
        let mut sum = 0;
        for start in &mut starts {
            sum += *start;
            *start = sum;
        }
        let (mut next, mut lists) = (starts.clone(), vec![0; sum as usize]);
        self.each_bin(|bin, index| {
            lists[next[bin] as usize] = index;
            next[bin] += 1;
        });
        (self.starts, self.lists) = (starts, lists);
    }

    /// Calls for each bin that a form may reach into, form after form.
    fn each_bin(&self, mut call: impl FnMut(usize, u32)) {
        let bin = |point: Vec3A| {
            ((point - self.low) * self.inverse).max(Vec3A::ZERO).as_uvec3().min(self.size - UVec3::ONE)
        };
        for (index, form) in (0..).zip(&self.forms) {
            let (first, last) = (bin(form.at - form.reach()), bin(form.at + form.reach()));
            for (z, y) in (first.z..=last.z).flat_map(|z| (first.y..=last.y).map(move |y| (z, y))) {
                let row = (z * self.size.y + y) * self.size.x;
                (first.x..=last.x).for_each(|x| call((row + x) as usize, index));
            }
        }
    }

    pub fn is_empty(&self) -> bool {
        self.forms.is_empty()
    }

    /// The first of the blockers that a point is in.
    pub fn at(&self, point: Vec3A) -> Option<&Form> {
        self.near(point).iter().map(|index| &self.forms[*index as usize]).find(|form| form.has(point))
    }

    /// Those that may have a point in them.
    fn near(&self, point: Vec3A) -> &[u32] {
        let place = (point - self.low) * self.inverse;
        if self.forms.is_empty() || place.min_element() < 0.0 {
            return &[];
        }
        // Rounding puts what is on the upper border beyond the last bin.
        let bin = place.as_uvec3().min(self.size);
        if !bin.cmplt(self.size).all() {
            return if (place - self.size.as_vec3a()).max_element() < 1e-3 {
                self.near_end(bin)
            } else {
                &[]
            };
        }
        self.list(bin)
    }

    fn near_end(&self, bin: UVec3) -> &[u32] {
        self.list(bin.min(self.size - UVec3::ONE))
    }

    fn list(&self, bin: UVec3) -> &[u32] {
        let index = ((bin.z * self.size.y + bin.y) * self.size.x + bin.x) as usize;
        &self.lists[self.starts[index] as usize..self.starts[index + 1] as usize]
    }

    /// All of them.
    pub fn forms(&self) -> &[Form] {
        &self.forms
    }
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
        let blockers = Blockers::new(forms.clone(), 0.5);
        let mut inside = 0;
        for _ in 0..20_000 {
            let point = (chance.point() * 14.0).as_vec3a();
            let expected = forms.iter().find(|form| form.has(point));
            assert_eq!(blockers.at(point), expected);
            inside += usize::from(expected.is_some());
        }
        assert!(inside > 500);
        assert_eq!(Blockers::default().at(Vec3A::ZERO), None);
    }
}
