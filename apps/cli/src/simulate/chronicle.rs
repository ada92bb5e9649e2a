//! What happened in a simulation, in numbers.

use std::time::Duration;

use serde_json::{Value, json};
use smithereens_simulate::scene::Stage;
use smithereens_simulate::{Cloud, Debris, Event, Recorder, StepTimes, Turn};

use crate::stages::milliseconds;

/// What happened, step after step.
pub struct Chronicle {
    steps: Vec<(Duration, StepTimes)>,
    events: Vec<Event>,
    turns: Vec<Turn>,
    bodies_max: usize,
    mass_start: f64,
    mass_added: f64,
    mass_worst: f64,
    placed: usize,
    particles_max: usize,
    chips_max: usize,
}

impl Chronicle {
    /// At the beginning of a scene.
    pub fn new(stage: &Stage) -> Chronicle {
        Chronicle {
            steps: Vec::new(),
            events: Vec::new(),
            turns: Vec::new(),
            bodies_max: stage.world.destruction.bodies().len(),
            mass_start: stage.world.mass(),
            mass_added: 0.0,
            mass_worst: 0.0,
            placed: stage.placed.len(),
            particles_max: 0,
            chips_max: 0,
        }
    }

    /// After a step.
    pub fn add(&mut self, stage: &Stage, time: Duration) {
        let destruction = &stage.world.destruction;
        self.steps.push((time, stage.world.times));
        self.turns.push(destruction.turn());
        self.events.extend(destruction.events().iter().cloned());
        self.bodies_max = self.bodies_max.max(destruction.bodies().len());
        let particles = stage.world.cloud().map_or(0, |cloud| cloud.report().particles);
        self.particles_max = self.particles_max.max(particles);
        self.chips_max = self.chips_max.max(stage.world.debris().map_or(0, |debris| debris.chips().len()));
        let now = stage.world.mass();
        if stage.placed.len() > self.placed {
            // A projectile came in, and cannot have broken yet.
            self.placed = stage.placed.len();
            self.mass_added = now - self.mass_start;
        }
        let error = (now - self.mass_start - self.mass_added).abs() / (self.mass_start + self.mass_added);
        self.mass_worst = self.mass_worst.max(error);
    }

    /// What the clock decided, step after step.
    pub fn turns(&self) -> Vec<Turn> {
        self.turns.clone()
    }

    /// How many fractures there were.
    pub fn events(&self) -> usize {
        self.events.len()
    }

    /// The time of each fracture, in milliseconds, with the step in which it ended.
    pub fn event_times(&self) -> Vec<(u64, f64)> {
        self.events.iter().map(|event| (event.step, milliseconds(event.time))).collect()
    }

    /// The times of each step, in milliseconds: all of it, and what fractures took.
    pub fn step_times(&self) -> Vec<(f64, f64)> {
        self.steps.iter().map(|(all, times)| (milliseconds(*all), milliseconds(times.fracture))).collect()
    }

    /// The report. People and scripts rely on the names.
    pub fn to_json(&self, stage: &Stage, recorder: &Recorder) -> Value {
        let destruction = &stage.world.destruction;
        let event = sorted(self.event_times().into_iter().map(|(_, ms)| ms));
        let all = sorted(self.step_times().into_iter().map(|(ms, _)| ms));
        let mean = |pick: &dyn Fn(&StepTimes) -> Duration| {
            self.steps.iter().map(|(_, times)| milliseconds(pick(times))).sum::<f64>()
                / self.steps.len().max(1) as f64
        };
        let line = |event: &Event| {
            json!({
                "frame": event.step,
                "ms": milliseconds(event.time),
                "touched": event.touched,
                "fragments": event.fragments,
                "retired": event.retired,
            })
        };
        let retired = destruction.retired();
        json!({
            "frames": recorder.frames(),
            "steps_per_second": self.steps_per_second(),
            "compounds": destruction.bodies().len(),
            "pieces": destruction.bodies().map(|(_, body)| body.compound().pieces().len()).sum::<usize>(),
            "bodies_max": self.bodies_max,
            "event_ms": {
                "count": event.len(),
                "median": quantile(&event, 0.5),
                "p99": quantile(&event, 0.99),
                "max": quantile(&event, 1.0),
            },
            "events": self.events.iter().map(line).collect::<Vec<_>>(),
            "frame_ms": {
                "mean": all.iter().sum::<f64>() / all.len().max(1) as f64,
                "p99": quantile(&all, 0.99),
                "fracture": mean(&|times| times.fracture),
                "physics": mean(&|times| times.physics),
                "stress": mean(&|times| times.stress),
                "debris": mean(&|times| times.debris),
                "dust": mean(&|times| times.dust),
            },
            "mass": {
                "start": self.mass_start + self.mass_added,
                "end": destruction.mass(),
                "retired": retired.mass,
                "debris": stage.world.debris().map_or(0.0, Debris::mass),
                "dust": stage.world.cloud().map_or(0.0, Cloud::mass),
                "worst_error": self.mass_worst,
            },
            "retired": { "small": retired.small, "thin": retired.thin, "over_cap": retired.over_cap },
            "debris": stage.world.debris().map(|debris| self.debris(debris, retired.debris)),
            "dust": stage.world.cloud().map(|cloud| self.dust(cloud)),
            "memory_mb": peak_memory(),
            "frozen": destruction.frozen().len(),
            "waiting": destruction.waiting(),
            "late": destruction.late(),
            "resting": destruction.resting(),
            "limits": self.limits(stage),
            "seed": stage.scene().seed,
            "state_hash": format!("{:016x}", stage.world.state_hash()),
        })
    }

    /// The debris: how much there is, and what it took.
    fn debris(&self, debris: &Debris, retired: usize) -> Value {
        let ms = sorted(self.steps.iter().map(|(_, times)| milliseconds(times.debris)));
        json!({
            "count": debris.chips().len(),
            "count_max": self.chips_max,
            "born": debris.born(),
            "flying": debris.flying(),
            "retired": retired,
            "mass": debris.mass(),
            "ms": {
                "mean": ms.iter().sum::<f64>() / ms.len().max(1) as f64,
                "p99": quantile(&ms, 0.99),
                "max": quantile(&ms, 1.0),
            },
        })
    }

    /// The same as a line, for people; nothing if there is none.
    fn debris_line(report: &Value) -> String {
        let Some(debris) = report["debris"].as_object() else { return String::new() };
        let number = |value: &Value| value.as_f64().unwrap_or(0.0);
        format!(
            "debris: {} chips of {:.1} kg, {} at most, {} on their way, {} retired; {:.2} ms a step, 99 of 100 within {:.2}\n",
            debris["count"],
            number(&debris["mass"]),
            debris["count_max"],
            debris["flying"],
            debris["retired"],
            number(&debris["ms"]["mean"]),
            number(&debris["ms"]["p99"]),
        )
    }

    /// The dust: how much there is, where it is, and what it took.
    fn dust(&self, cloud: &Cloud) -> Value {
        let ms = sorted(self.steps.iter().map(|(_, times)| milliseconds(times.dust)));
        let (books, last) = (cloud.dust().books(), cloud.report());
        json!({
            "particles": last.particles,
            "particles_max": self.particles_max,
            "cells": last.cells,
            "cell": last.cell,
            "ms": {
                "mean": ms.iter().sum::<f64>() / ms.len().max(1) as f64,
                "p99": quantile(&ms, 0.99),
                "max": quantile(&ms, 1.0),
            },
            "mass": {
                "injected": books.injected,
                "aloft": books.aloft,
                "settled": books.settled,
                "retired": books.retired,
            },
        })
    }

    /// The same as a line, for people; nothing if there is none.
    fn dust_line(report: &Value) -> String {
        let Some(dust) = report["dust"].as_object() else { return String::new() };
        let number = |value: &Value| value.as_f64().unwrap_or(0.0);
        let (ms, mass) = (&dust["ms"], &dust["mass"]);
        format!(
            "dust: {} particles, {} at most; {:.1} kg, of which {:.1} are in the air and {:.1} have settled; {:.1} ms a step, 99 of 100 within {:.1}\n",
            dust["particles"],
            dust["particles_max"],
            number(&mass["injected"]),
            number(&mass["aloft"]),
            number(&mass["settled"]),
            number(&ms["mean"]),
            number(&ms["p99"]),
        )
    }

    /// What the run was held to.
    fn limits(&self, stage: &Stage) -> Value {
        let options = stage.world.destruction.options();
        let most = |limit: usize| if limit == usize::MAX { Value::Null } else { json!(limit) };
        json!({
            "fracture_ms": options.budget.map(milliseconds),
            "bodies": most(options.most_bodies),
            "awake": most(options.most_awake),
            "smallest": options.smallest,
            "thinnest": options.thinnest,
            "patience": options.patience,
        })
    }

    fn steps_per_second(&self) -> f64 {
        let seconds: f64 = self.steps.iter().map(|(all, _)| all.as_secs_f64()).sum();
        self.steps.len() as f64 / seconds.max(1e-9)
    }

    /// The report as a table, for people.
    pub fn table(&self, stage: &Stage, recorder: &Recorder) -> String {
        let report = self.to_json(stage, recorder);
        let number = |value: &Value| value.as_f64().map_or("–".to_owned(), |x| format!("{x:.2}"));
        let (event, frame) = (&report["event_ms"], &report["frame_ms"]);
        format!(
            "{} frames, {} bodies of {} pieces in the end, {} at most, {} at rest; {} small, {} thin and {} too many retired
{} fractures: median {} ms, 99 of 100 within {} ms, longest {} ms; {} hits waited for too long
a step: {} ms on average ({} physics, {} fracture, {} stress), 99 of 100 within {} ms; {} steps a second
{}{}mass: {:.1} kg, kept to {:.1e}; memory: {} MB at most; state {}",
            report["frames"],
            report["compounds"],
            report["pieces"],
            report["bodies_max"],
            report["resting"],
            report["retired"]["small"],
            report["retired"]["thin"],
            report["retired"]["over_cap"],
            event["count"],
            number(&event["median"]),
            number(&event["p99"]),
            number(&event["max"]),
            report["late"],
            number(&frame["mean"]),
            number(&frame["physics"]),
            number(&frame["fracture"]),
            number(&frame["stress"]),
            number(&frame["p99"]),
            number(&report["steps_per_second"]),
            Chronicle::debris_line(&report),
            Chronicle::dust_line(&report),
            self.mass_start + self.mass_added,
            self.mass_worst,
            number(&report["memory_mb"]),
            report["state_hash"].as_str().unwrap_or_default(),
        )
    }
}

/// The most memory that the program has had so far, in megabytes, where the system tells it.
pub fn peak_memory() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    peak_of(&status)
}

/// The peak of the resident set in a status of Linux: a line such as `VmHWM:  1234 kB`.
fn peak_of(status: &str) -> Option<f64> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: f64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024.0 / 1e6)
}

fn sorted(values: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values
}

/// Null if there are none.
fn quantile(sorted: &[f64], part: f64) -> Option<f64> {
    let index = (sorted.len() as f64 * part).ceil() as usize;
    sorted.get(index.clamp(1, sorted.len().max(1)) - 1).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_read_from_the_status_and_missing_elsewhere() {
        assert_eq!(peak_of("Name:\tx\nVmHWM:\t  250000 kB\nVmRSS:\t 1 kB\n"), Some(256.0));
        assert_eq!(peak_of("VmHWM:\t many kB\n"), None);
        assert_eq!(peak_of(""), None);
    }
}
