//! Dust as it is saved: what cannot be worked out again.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::air::{Air, Push};
use crate::grid::Layout;
use crate::particle::Particle;
use crate::puff::Newborn;
use crate::shape::Form;
use crate::window::Window;
use crate::{Blocker, Dust, Error, Options};

#[derive(Serialize, Deserialize)]
struct Saved {
    options: Options,
    blockers: Vec<Blocker>,
    air: Option<SavedAir>,
    particles: Vec<Particle>,
    fresh: Vec<Newborn>,
    is_grown: bool,
    /// Waiting, settled, retired, injected.
    masses: [f64; 4],
    dropped_puffs: usize,
    steps: u64,
    draws: u32,
}

#[derive(Serialize, Deserialize)]
struct SavedAir {
    window: Window,
    steps: u64,
    faces: [Vec<f32>; 3],
    pressure: Vec<f32>,
    push: Vec<glam::Vec4>,
    rows: Vec<bool>,
}

impl Saved {
    fn of(dust: &Dust) -> Saved {
        let air = |air: &Air| SavedAir {
            window: air.window,
            steps: air.steps,
            faces: air.faces.each_ref().map(|grid| grid.data.clone()),
            pressure: air.pressure.finest().pressure.clone(),
            push: dust.push.cells.clone(),
            rows: dust.push.rows.clone(),
        };
        Saved {
            options: dust.options,
            blockers: dust.blockers_given.clone(),
            air: dust.air.as_ref().map(air),
            particles: dust.particles.clone(),
            fresh: dust.fresh.clone(),
            is_grown: dust.is_grown,
            masses: [dust.waiting, dust.settled, dust.retired, dust.injected],
            dropped_puffs: dust.dropped_puffs,
            steps: dust.steps,
            draws: dust.draws,
        }
    }

    fn dust(self) -> Result<Dust, Error> {
        let mut dust = Dust::new(self.options)?;
        [dust.waiting, dust.settled, dust.retired, dust.injected] = self.masses;
        (dust.particles, dust.fresh, dust.is_grown) = (self.particles, self.fresh, self.is_grown);
        (dust.dropped_puffs, dust.steps, dust.draws) = (self.dropped_puffs, self.steps, self.draws);
        let newborn = dust.fresh.iter().map(|newborn| newborn.particle(&dust.options));
        if dust.particles.iter().copied().chain(newborn).any(|p| !p.is_sound()) || dust.masses_are_absurd() {
            return Err(Error::Saved("a particle is nowhere"));
        }
        dust.set_blockers(&self.blockers);
        if let Some(air) = self.air {
            dust.push = Push { cells: Vec::new(), rows: Vec::new() };
            let forms: Vec<Form> = self.blockers.iter().filter_map(Blocker::form).collect();
            dust.air = Some(air.air(&forms, dust.options.most_cells, &mut dust.push)?);
        }
        Ok(dust)
    }
}

impl SavedAir {
    fn air(self, blockers: &[Form], most_cells: usize, push: &mut Push) -> Result<Air, Error> {
        let size = self.window.size.to_array();
        let cells = size.iter().try_fold(1_u32, |cells, n| cells.checked_mul(*n)).unwrap_or(0);
        let is_window =
            size.iter().all(|n| *n > 0 && n % 8 == 0) && (1..=most_cells.max(512) as u32).contains(&cells);
        if !is_window || !self.window.is_sound() {
            return Err(Error::Saved("its window has no size"));
        }
        let layout = Layout::new(self.window.size);
        let mut air = Air::new(self.window, blockers, Air::default());
        let fits = self.faces.iter().all(|faces| faces.len() == layout.len())
            && self.pressure.len() == air.pressure.finest().pressure.len()
            && self.push.len() == layout.len()
            && self.rows.len() * layout.stride[1] == layout.len();
        let numbers = self.faces.iter().flatten().chain(&self.pressure);
        if !fits || numbers.chain(self.push.iter().flat_map(|v| v.as_ref())).any(|number| !number.is_finite())
        {
            return Err(Error::Saved("its air is not all there"));
        }
        for (grid, data) in air.faces.iter_mut().zip(self.faces) {
            grid.data = data;
        }
        air.pressure.finest_mut().pressure = self.pressure;
        air.steps = self.steps;
        air.find_centres();
        *push = Push { cells: self.push, rows: self.rows };
        Ok(air)
    }
}

impl Dust {
    fn masses_are_absurd(&self) -> bool {
        [self.waiting, self.settled, self.retired, self.injected]
            .iter()
            .any(|mass| !(0.0..=1e30).contains(mass))
    }

    /// A number for all that it is: the same for the same dust, another for other.
    pub fn state_hash(&self) -> u64 {
        let mut hash = Hash(0xCBF2_9CE4_8422_2325);
        let newborn = self.fresh.iter().map(|newborn| newborn.particle(&self.options));
        for particle in self.particles.iter().copied().chain(newborn) {
            particle.words().into_iter().for_each(|word| hash.add(word));
        }
        for number in self.air.iter().flat_map(|air| air.faces.iter().flat_map(|faces| &faces.data)) {
            hash.add(u64::from(number.to_bits()));
        }
        [self.waiting, self.settled, self.retired, self.injected]
            .iter()
            .for_each(|mass| hash.add(mass.to_bits()));
        hash.add(self.steps);
        hash.0
    }
}

/// FNV-1a (Fowler, Noll, Vo), over words: a byte at a time would take longer than a step.
struct Hash(u64);

impl Hash {
    fn add(&mut self, word: u64) {
        self.0 = (self.0 ^ word).wrapping_mul(0x0100_0000_01B3).rotate_left(23);
    }
}

impl Serialize for Dust {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Saved::of(self).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Dust {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Dust, D::Error> {
        Saved::deserialize(deserializer)?.dust().map_err(serde::de::Error::custom)
    }
}
