//! All dust of a scene, and the air that carries it.

use std::sync::Arc;

use glam::Vec3;
use rayon::prelude::*;

use crate::air::{Air, Push};
use crate::blockers::{Blockers, found_again};
use crate::books::Books;
use crate::convert::narrow;
use crate::crowd;
use crate::lanes::Vec3x4;
use crate::particle::{self, Fate, Particle, Surroundings, Trace};
use crate::puff::Newborn;
use crate::report::Times;
use crate::shape::{Form, Moving};
use crate::window::{Frame, Window};
use crate::{Blocker, Error, Mover, Options, Puff, Report, random};

/// Particles that are worth a task.
const PARTICLES: usize = 1024;
/// Particles to be that are.
const NEWBORN: usize = 128;
/// Blockers that are.
const BLOCKERS: usize = 256;
/// After so many steps particles are sorted by place, and after so many the window is looked at.
const SORTED_EVERY: u64 = 32;
const FRAMED_EVERY: u64 = 4;

/// All dust of a scene, and the air that carries it.
///
/// ```
/// use glam::DVec3;
/// use smithereens_dust::{Dust, Options, Puff};
/// let mut dust = Dust::new(Options::default())?;
/// let corners = [DVec3::Y, DVec3::Y + DVec3::Z, DVec3::Y + DVec3::X];
/// dust.add(&Puff { corners, velocity: DVec3::ZERO, mass: 0.2 });
/// for _ in 0..60 {
///     dust.step(1.0 / 60.0, &[])?;
/// }
/// assert!((dust.books().total() / 0.2 - 1.0).abs() < 1e-9);
/// # Ok::<(), smithereens_dust::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Dust {
    pub(crate) options: Options,
    pub(crate) blockers_given: Vec<Blocker>,
    blockers: Blockers,
    pub(crate) air: Option<Air>,
    pub(crate) push: Push,
    pub(crate) particles: Vec<Particle>,
    /// What they left behind in the last step, what they were before they were sorted, and the air of the last window: kept for the memory only.
    traces: Vec<Trace>,
    spare: Vec<Particle>,
    spare_air: Air,
    /// Born since the last step.
    pub(crate) fresh: Vec<Newborn>,
    /// Whether there were any before the last step: the window is to be looked at.
    pub(crate) is_grown: bool,
    /// What was too little for a particle, in kilograms: the next has it.
    pub(crate) waiting: f64,
    pub(crate) settled: f64,
    pub(crate) retired: f64,
    pub(crate) injected: f64,
    pub(crate) dropped_puffs: usize,
    pub(crate) steps: u64,
    pub(crate) draws: u32,
}

impl Dust {
    /// Clear air.
    pub fn new(options: Options) -> Result<Dust, Error> {
        options.check()?;
        Ok(Dust {
            options,
            blockers_given: Vec::new(),
            blockers: Blockers::default(),
            air: None,
            push: Push::default(),
            particles: Vec::new(),
            traces: Vec::new(),
            spare: Vec::new(),
            spare_air: Air::default(),
            fresh: Vec::new(),
            is_grown: false,
            waiting: 0.0,
            settled: 0.0,
            retired: 0.0,
            injected: 0.0,
            dropped_puffs: 0,
            steps: 0,
            draws: 0,
        })
    }

    /// What this dust is like.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// Says what stands still, all of it; returns how many cannot be: a number in them is not finite, or a length is not above 0.
    ///
    /// Costs a few milliseconds for thousands, less for those that were there before, in the same order: to be called when something has changed.
    pub fn set_blockers(&mut self, blockers: &[Blocker]) -> usize {
        let before = &self.blockers;
        let known = found_again(&self.blockers_given, blockers);
        let mut new = forms_of_new(blockers, &known).into_iter();
        let (mut given, mut forms) = (Vec::with_capacity(blockers.len()), Vec::with_capacity(blockers.len()));
        let mut kept = Vec::with_capacity(blockers.len());
        for (blocker, known) in blockers.iter().zip(known) {
            let form = known.map_or_else(|| new.next().flatten(), |index| Some(before.forms()[index]));
            if let Some(form) = form {
                given.push(*blocker);
                forms.push(form);
                kept.push(known);
            }
        }
        let forms = Arc::new(forms);
        let (air, cell) = (&mut self.air, self.options.cell as f32);
        let close = || air.iter_mut().for_each(|air| air.change_blockers(before.forms(), &forms, &kept));
        let sort = || Blockers::new(Arc::clone(&forms), cell, before, &kept);
        ((), self.blockers) = rayon::join(close, sort);
        self.blockers_given = given;
        blockers.len() - self.blockers_given.len()
    }

    /// What stands still.
    pub fn blockers(&self) -> &[Blocker] {
        &self.blockers_given
    }

    /// Whether nothing is in the air.
    pub fn is_clear(&self) -> bool {
        self.particles.is_empty() && self.fresh.is_empty()
    }

    /// Adds dust from a face; returns whether it was taken. If a number in it is not finite or there is no dust in it, it is left out, and counted.
    pub fn add(&mut self, puff: &Puff) -> bool {
        let seed = self.draw();
        let Some(count) = puff.count(&self.options, seed) else {
            self.dropped_puffs += 1;
            return false;
        };
        self.injected += puff.mass;
        let room = self.options.most_particles - self.fresh.len().min(self.options.most_particles);
        let count = count.min(room);
        if count == 0 {
            self.thicken(puff.mass, seed, room == 0);
            return true;
        }
        let mass = puff.mass + std::mem::take(&mut self.waiting);
        let share = mass / count as f64;
        for index in 0..count {
            // The last has what is left: nothing is lost to rounding.
            let part = if index + 1 < count { share } else { mass - share * (count - 1) as f64 };
            let seed = self.draw();
            self.fresh.push(Newborn { puff: *puff, mass: part, seed });
        }
        true
    }

    /// Dust without a particle of its own: it goes to one that was just born if no more can be, or waits for the next.
    fn thicken(&mut self, mass: f64, seed: u32, is_full: bool) {
        let count = self.fresh.len() as u64;
        match self.fresh.get_mut(((u64::from(random::hash(seed)) * count) >> 32) as usize) {
            Some(newborn) if is_full => newborn.mass += mass,
            _ => self.waiting += mass,
        }
    }

    fn draw(&mut self) -> u32 {
        self.draws = self.draws.wrapping_add(1);
        random::hash(self.draws ^ random::hash(self.options.seed))
    }

    /// Goes on by a time step, in seconds, with what moves now. Movers that are not finite are left out, and counted.
    pub fn step(&mut self, time: f64, movers: &[Mover]) -> Result<Report, Error> {
        if !(time > 0.0 && time <= 0.1) {
            return Err(Error::Time(time));
        }
        let mut times = Times::default();
        let moving: Vec<Moving> = movers.iter().filter_map(Mover::form).collect();
        times.keep.take(|| self.keep());
        if let Some(air) = &mut self.air {
            let (floor, cycles) = (self.options.floor.is_some(), self.options.cycles);
            air.step(time as f32, &self.push, &moving, floor, cycles, &mut times);
        }
        times.particles.take(|| self.move_particles(time as f32));
        let strays = times.particles.take(|| self.gather());
        self.steps += 1;
        Ok(Report {
            particles: self.particles.len(),
            cells: self.air.as_ref().map_or(0, |air| air.layout().cells()),
            cell: self.air.as_ref().map_or(self.options.cell, |air| f64::from(air.window.cell)),
            strays,
            dropped_movers: movers.len() - moving.len(),
            times,
        })
    }

    /// Lets in what was born, retires what is too much, and moves the window after the dust.
    fn keep(&mut self) {
        let is_new = !self.fresh.is_empty();
        let options = &self.options;
        self.particles.par_extend(
            self.fresh.par_drain(..).with_min_len(NEWBORN).map(|newborn| newborn.particle(options)),
        );
        let most = self.options.most_particles;
        self.retired += crowd::retire_oldest(&mut self.particles, most);
        if self.steps.is_multiple_of(SORTED_EVERY) {
            let side = 4.0 * self.options.cell as f32;
            crowd::sort_by_place(&mut self.particles, side, &mut self.spare);
        }
        // Not while much else is to be done: that can wait for a step.
        let was_new = std::mem::replace(&mut self.is_grown, is_new);
        let is_time = was_new || self.steps.is_multiple_of(FRAMED_EVERY);
        if self.air.is_none() || is_time && !is_new {
            self.frame();
        }
    }

    fn frame(&mut self) {
        let always = self.options.always.and_then(|[low, high]| Some((narrow(low)?, narrow(high)?)));
        let bounds = [crowd::bounds(&self.particles), always];
        let join = |a: (Vec3, Vec3), b: (Vec3, Vec3)| (a.0.min(b.0), a.1.max(b.1));
        let Some((low, high)) = bounds.into_iter().flatten().reduce(join) else {
            self.air = None;
            return;
        };
        let frame = Frame {
            cell: self.options.cell as f32,
            floor: self.options.floor.map(|floor| floor as f32),
            most_cells: self.options.most_cells,
        };
        let best = Window::around(low, high, &frame);
        let serves =
            |window: &Window| window.serves(low, high, &best, frame.floor.is_some()) || *window == best;
        if self.air.as_ref().is_some_and(|air| serves(&air.window)) {
            return;
        }
        let memory = std::mem::take(&mut self.spare_air);
        let moved = match &self.air {
            Some(air) => air.moved(best, self.blockers.forms(), memory),
            None => Air::new(best, self.blockers.forms(), memory),
        };
        self.push.clear(&moved.layout());
        self.spare_air = self.air.replace(moved).unwrap_or_default();
    }

    fn move_particles(&mut self, time: f32) {
        let gravity = self.options.gravity.as_vec3().into();
        let around = Surroundings {
            air: self.air.as_ref().map(Air::sampler),
            blockers: &self.blockers,
            floor: self.options.floor.map(|floor| floor as f32),
            gravity,
            weight: self.options.gravity.length().max(1e-3) as f32,
            time,
            cell: self.air.as_ref().map_or(self.options.cell as f32, |air| air.window.cell),
            swirl: self.options.swirl as f32,
            step: self.steps as u32,
        };
        self.traces.resize(self.particles.len(), Trace::default());
        let tasks = self.particles.par_chunks_mut(PARTICLES).zip(self.traces.par_chunks_mut(PARTICLES));
        tasks.for_each(|(particles, traces)| particle::step_all(particles, traces, &around));
    }

    /// Collects what particles leave behind, in their order: momentum in cells, masses in books. Returns how many are outside of the window.
    fn gather(&mut self) -> usize {
        if let Some(air) = &self.air {
            let layout = air.layout();
            self.push.clear(&layout);
            let row = layout.stride[1] as u32;
            for trace in &self.traces {
                if let Some(cell) = trace.cell {
                    self.push.add(cell, cell / row, trace.push);
                }
            }
        }
        let strays = self.traces.iter().filter(|trace| trace.cell.is_none()).count();
        // From the last to the first, so that those not looked at yet stay where they are.
        for index in (0..self.traces.len()).rev().filter(|index| self.traces[*index].fate != Fate::Aloft) {
            let gone = self.particles.swap_remove(index);
            match self.traces[index].fate {
                Fate::Settled => self.settled += gone.mass,
                _ => self.retired += gone.mass,
            }
        }
        strays
    }

    /// Where all the dust is.
    pub fn books(&self) -> Books {
        let aloft: f64 = self.particles.iter().map(|particle| particle.mass).sum();
        let fresh: f64 = self.fresh.iter().map(|newborn| newborn.mass).sum();
        Books {
            injected: self.injected,
            aloft: aloft + fresh + self.waiting,
            settled: self.settled,
            retired: self.retired,
            dropped_puffs: self.dropped_puffs,
        }
    }

    /// How fast the air at a point flows, in metres a second; still where there is no dust near.
    pub fn air_at(&self, point: glam::DVec3) -> glam::DVec3 {
        let breeze =
            |(at, air): (Vec3, &Air)| air.sampler().breeze(Vec3x4::splat(at.into())).velocity.to_lanes()[0];
        narrow(point).zip(self.air.as_ref()).map(breeze).unwrap_or_default().as_dvec3()
    }

    /// By how much more flows out of cells of air than into them, in metres a second: the root of the mean of squares, and the most.
    pub fn outflow_left(&self) -> (f64, f64) {
        let (mean, most) = self.air.as_ref().map_or((0.0, 0.0), Air::outflow_left);
        (f64::from(mean), f64::from(most))
    }

    /// Gives all air of the window a velocity, for example wind; pressure makes of it what can flow there in the next step.
    pub fn blow(&mut self, wind: impl Fn(glam::DVec3) -> glam::DVec3) {
        if self.air.is_none() {
            self.frame();
        }
        if let Some(air) = &mut self.air {
            air.set_velocity(|at| narrow(wind(at.as_dvec3())).unwrap_or_default());
        }
    }
}

/// The forms of blockers that were not known before, in their order; none for what cannot be.
fn forms_of_new(blockers: &[Blocker], known: &[Option<usize>]) -> Vec<Option<Form>> {
    let new = blockers.par_iter().zip(known).with_min_len(BLOCKERS).filter(|(_, known)| known.is_none());
    new.map(|(blocker, _)| blocker.form()).collect()
}
