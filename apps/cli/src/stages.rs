//! The stages of a command: how long each took, and a bar for those who watch.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde_json::{Map, Value, json};

/// Stages under way.
pub struct Stages {
    bar: ProgressBar,
    start: Instant,
    times: Vec<(&'static str, Duration)>,
}

const STEPS: u64 = 100;

impl Stages {
    /// A bar for this many stages; none if nobody watches or wants it.
    pub fn new(count: u64, quiet: bool) -> Stages {
        let watched = std::io::stderr().is_terminal() && !quiet;
        let target = if watched { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let bar = ProgressBar::with_draw_target(Some(count * STEPS), target);
        if let Ok(style) =
            ProgressStyle::with_template("{spinner} {msg:12} [{bar:36}] {percent:>3}% {elapsed}")
        {
            bar.set_style(style.progress_chars("=> "));
        }
        if watched {
            bar.enable_steady_tick(Duration::from_millis(80));
        }
        Stages { bar, start: Instant::now(), times: Vec::new() }
    }

    /// Runs a stage; it may tell the share done.
    pub fn run<T>(&mut self, name: &'static str, work: impl FnOnce(&dyn Tell) -> T) -> T {
        self.bar.set_message(name);
        let begin = Instant::now();
        let before = self.bar.position();
        let result = work(&Teller { bar: &self.bar, before });
        self.bar.set_position(before + STEPS);
        self.times.push((name, begin.elapsed()));
        result
    }

    /// Runs a stage that measures its own parts, to be added by [`Stages::add`].
    pub fn watch<T>(&mut self, name: &'static str, work: impl FnOnce(&dyn Tell) -> T) -> T {
        let result = self.run(name, work);
        self.times.pop();
        result
    }

    /// Adds a time measured elsewhere.
    pub fn add(&mut self, name: &'static str, time: Duration) {
        self.times.push((name, time));
    }

    /// All is done.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }

    /// The time since the beginning.
    pub fn total(&self) -> Duration {
        self.start.elapsed()
    }

    /// All times in milliseconds, and the time since the beginning as `total`.
    pub fn to_json(&self) -> Value {
        let times = self.times.iter().map(|(name, time)| ((*name).to_owned(), json!(milliseconds(*time))));
        let mut map: Map<String, Value> = times.collect();
        map.insert("total".to_owned(), json!(milliseconds(self.total())));
        map.into()
    }
}

/// A duration in milliseconds, to the microsecond.
pub fn milliseconds(time: Duration) -> f64 {
    time.as_micros() as f64 / 1000.0
}

/// Takes the share done of a stage, from any thread.
pub trait Tell: Sync {
    /// From 0 to 1.
    fn tell(&self, share: f32);

    /// What is going on, in a few words.
    fn say(&self, text: &str);
}

struct Teller<'a> {
    bar: &'a ProgressBar,
    before: u64,
}

impl Tell for Teller<'_> {
    fn tell(&self, share: f32) {
        self.bar.set_position(self.before + (share * STEPS as f32) as u64);
    }

    fn say(&self, text: &str) {
        self.bar.set_message(text.to_owned());
    }
}
