//! What happened in a scene of the plane, in numbers: with the names of `simulate`.

use std::time::Duration;

use serde_json::{Value, json};
use smithereens_flat::scene::Stage;
use smithereens_flat::{Cause, Event, StepTimes};

use crate::simulate::chronicle::peak_memory;
use crate::stages::milliseconds;

/// What happened, step after step.
pub struct Chronicle {
    steps: Vec<(Duration, StepTimes)>,
    events: Vec<Event>,
    bodies_max: usize,
    debris_max: usize,
    area: f64,
    area_worst: f64,
    mass: f64,
    mass_worst: f64,
}

impl Chronicle {
    /// At the beginning of a scene.
    pub fn new(stage: &Stage) -> Chronicle {
        Chronicle {
            steps: Vec::new(),
            events: Vec::new(),
            bodies_max: stage.world.bodies().len(),
            debris_max: 0,
            area: stage.world.area(),
            area_worst: 0.0,
            mass: stage.world.mass(),
            mass_worst: 0.0,
        }
    }

    /// After a step.
    pub fn add(&mut self, stage: &mut Stage, time: Duration) {
        let world = &mut stage.world;
        self.steps.push((time, world.times()));
        self.events.extend(world.drain_events());
        self.bodies_max = self.bodies_max.max(world.bodies().len());
        self.debris_max = self.debris_max.max(world.debris().chips().len());
        let part = |now: f64, then: f64| if then > 0.0 { (now - then).abs() / then } else { 0.0 };
        self.area_worst = self.area_worst.max(part(world.area(), self.area));
        self.mass_worst = self.mass_worst.max(part(world.mass(), self.mass));
    }

    /// How many bodies broke.
    pub fn events(&self) -> usize {
        self.events.len()
    }

    /// What happened, in a line.
    pub fn line(&self, stage: &Stage) -> String {
        let world = &stage.world;
        format!(
            "{:.2} s: {} bodies, {} broke, {} pieces of debris; {:.0} steps a second",
            world.time(),
            world.bodies().len(),
            self.events.len(),
            world.debris().chips().len(),
            self.steps_per_second()
        )
    }

    fn steps_per_second(&self) -> f64 {
        let all: Duration = self.steps.iter().map(|step| step.0).sum();
        self.steps.len() as f64 / all.as_secs_f64().max(1e-9)
    }

    /// All of it.
    pub fn to_json(&self, stage: &Stage) -> Value {
        let world = &stage.world;
        let mut times: Vec<f64> = self.events.iter().map(|event| milliseconds(event.time)).collect();
        times.sort_by(f64::total_cmp);
        let frames: Vec<f64> = self.steps.iter().map(|step| milliseconds(step.0)).collect();
        let mut sorted = frames.clone();
        sorted.sort_by(f64::total_cmp);
        let mean = |list: &mut dyn Iterator<Item = f64>| list.sum::<f64>() / frames.len().max(1) as f64;
        let part = |pick: fn(&StepTimes) -> Duration| {
            mean(&mut self.steps.iter().map(|step| milliseconds(pick(&step.1))))
        };
        let event = |event: &Event| {
            json!({
                "frame": event.step,
                "ms": milliseconds(event.time),
                "body": event.body.0,
                "cause": cause(event.cause),
                "at": event.at.to_array(),
                "touched": event.touched,
                "fragments": event.fragments,
                "debris": event.debris,
            })
        };
        let retired = world.retired();
        json!({
            "frames": self.steps.len() + 1,
            "steps_per_second": self.steps_per_second(),
            "compounds": world.bodies().len(),
            "pieces": world.bodies().map(|body| body.compound().pieces().len()).sum::<usize>(),
            "bodies_max": self.bodies_max,
            "debris_max": self.debris_max,
            "event_ms": {
                "count": times.len(),
                "median": quantile(&times, 0.5),
                "p99": quantile(&times, 0.99),
                "max": quantile(&times, 1.0),
            },
            "events": self.events.iter().map(event).collect::<Vec<_>>(),
            "frame_ms": {
                "mean": mean(&mut frames.iter().copied()),
                "p99": quantile(&sorted, 0.99),
                "fracture": part(|times| times.fracture),
                "stress": part(|times| times.stress),
                "physics": part(|times| times.physics),
                "debris": part(|times| times.debris),
            },
            "area": { "start": self.area, "end": world.area(), "worst_error": self.area_worst },
            "mass": { "start": self.mass, "end": world.mass(), "worst_error": self.mass_worst },
            "retired": {
                "left": retired.left,
                "over_cap": retired.over_cap,
                "debris": retired.debris,
                "slivers": retired.slivers,
                "area": retired.area,
            },
            "memory_mb": peak_memory(),
            "seed": world.options().seed,
            "state_hash": format!("{:016x}", world.state_hash()),
        })
    }
}

fn cause(cause: Cause) -> &'static str {
    match cause {
        Cause::Hit => "hit",
        Cause::Contact => "contact",
        Cause::Shot => "shot",
        Cause::Stress => "stress",
    }
}

/// Of sorted numbers; zero if there are none.
fn quantile(sorted: &[f64], part: f64) -> f64 {
    let index = (part * sorted.len().saturating_sub(1) as f64).round() as usize;
    sorted.get(index).copied().unwrap_or(0.0)
}
