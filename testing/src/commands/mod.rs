//! Damaged meshes through the commands, as files and processes: `inspect`, `prepare`, and `shatter` of the body and of the file.
//!
//! Whatever the damage, a command succeeds, or says why not and leaves nothing behind; and what it reports of a success holds.

mod program;

pub use program::{Program, Run};

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

use serde_json::Value;
use smithereens_formats::read_bodies;

use crate::damage::damaged_case;
use crate::unchecked::Unchecked;

/// Where a mesh needs a new surface: coarse, as the shapes are simple.
const RESOLUTION: &str = "48";
/// What rounding may cost of a volume.
const ROUNDING: f64 = 1e-9;

/// What became of a damaged mesh.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Its seed, shape, damage, format and options.
    pub name: String,
    /// Whether it was mended.
    pub fate: Fate,
    /// How many fragments it broke into, all breaks counted.
    pub fragments: usize,
    /// The worst error of a volume, relative to it.
    pub error: f64,
    /// The longest that a command took, and which.
    pub slowest: (Duration, String),
    /// What went wrong, if anything: no mesh, however damaged, may make a command do that.
    pub fault: Option<String>,
}

/// Whether a mesh was mended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fate {
    /// By these steps; none if it was a solid all the same.
    Mended(Vec<String>),
    /// It was refused for this reason.
    Refused(String),
}

/// Sends the damaged mesh of a seed through all commands, in a folder of its own that goes in the end. The format and the options
/// follow from the seed, too.
pub fn run(program: &Program, folder: &Path, seed: u64) -> Outcome {
    let case = damaged_case(seed);
    let format = Unchecked::ALL[(seed % 5) as usize];
    let options = options(seed / 5);
    let model = format!("model.{}", format.ending());
    let mut journey = Journey {
        program,
        folder,
        model,
        options,
        outcome: Outcome {
            name: format!("{}, {}{}", case.name, format.ending(), options.map(|o| format!(" {o}")).concat()),
            fate: Fate::Mended(Vec::new()),
            fragments: 0,
            error: 0.0,
            slowest: (Duration::ZERO, String::new()),
            fault: None,
        },
    };
    let written = std::fs::create_dir_all(folder)
        .and_then(|()| std::fs::write(folder.join(&journey.model), format.write(&case.mesh)));
    let travelled = written.map_err(|error| error.to_string()).and_then(|()| journey.travel());
    journey.outcome.fault = travelled.err();
    std::fs::remove_dir_all(folder).ok();
    journey.outcome
}

/// What `prepare` and `shatter` are told: mostly to do what it takes, now and then not to; mostly in a hurry.
fn options(seed: u64) -> [&'static str; 2] {
    let level = match seed % 10 {
        0 => "--repair=off",
        1 => "--repair=light",
        2 => "--repair=remesh",
        _ => "--repair=auto",
    };
    [level, if seed.is_multiple_of(4) { "" } else { "--instant" }]
}

struct Journey<'a> {
    program: &'a Program,
    folder: &'a Path,
    model: String,
    options: [&'static str; 2],
    outcome: Outcome,
}

impl Journey<'_> {
    fn travel(&mut self) -> Result<(), String> {
        self.inspect()?;
        let refused = self.prepare()?;
        if refused.is_none() {
            self.shatter("body.glb", "hit.glb")?;
        }
        let model = self.model.clone();
        let also_refused = self.shatter(&model, "broken.obj")?;
        match (&refused, &also_refused) {
            (None, None) | (Some(_), Some(_)) => Ok(()),
            _ => Err(format!("prepare said {refused:?}, but shatter {also_refused:?}")),
        }
    }

    fn inspect(&mut self) -> Result<(), String> {
        let model = self.model.clone();
        let (run, refused) = self.attempt(&["inspect", &model, "--json"], &[])?;
        if refused.is_some() {
            return Ok(());
        }
        let found: Value =
            serde_json::from_str(&run.out).map_err(|e| format!("inspect: {e}: {}", run.out))?;
        let advice = found["advice"].as_str().unwrap_or_default();
        if advice.is_empty() { Err(format!("inspect gives no advice: {}", run.out)) } else { Ok(()) }
    }

    /// Decomposes the model. Returns why it was refused, if it was.
    fn prepare(&mut self) -> Result<Option<String>, String> {
        let (model, [level, effort]) = (self.model.clone(), self.options);
        let words = ["prepare", &model, "-o", "body.glb", "--pieces", "6", "--report", "prepared.json"];
        let words = [&words[..], &["--resolution", RESOLUTION, level, effort]].concat();
        let (_, refused) = self.attempt(&words, &["body.glb", "prepared.json"])?;
        if let Some(reason) = refused {
            self.outcome.fate = Fate::Refused(reason.clone());
            return Ok(Some(reason));
        }
        let report = self.report("prepared.json")?;
        let steps = report["repair"].as_array().into_iter().flatten();
        let steps = steps.map(|step| step["step"].as_str().unwrap_or_default().to_owned()).collect();
        self.outcome.fate = Fate::Mended(steps);
        let bytes = std::fs::read(self.folder.join("body.glb")).map_err(|e| e.to_string())?;
        let file = read_bodies(&bytes, None).map_err(|e| e.to_string())?.ok_or("prepare wrote no body")?;
        let saved: f64 = file.bodies.iter().map(|body| body.compound.mass().volume).sum();
        let bodies = report["bodies"].as_array().map_or(&[][..], |bodies| bodies);
        let told: f64 =
            bodies.iter().map(|body| number(&body["volume"]) - number(&body["dropped"]["volume"])).sum();
        if bodies.is_empty() || bodies.iter().any(|body| body["closed"] != true) {
            return Err(format!("prepare: not all bodies are closed: {bodies:?}"));
        }
        self.compare("prepare", told, saved)?;
        Ok(None)
    }

    /// Breaks a file. Returns why it was refused, if it was.
    fn shatter(&mut self, file: &str, output: &str) -> Result<Option<String>, String> {
        let words = ["shatter", file, "-o", output, "--cells", "12", "--report", "broken.json"];
        let words = [&words[..], &["--resolution", RESOLUTION, self.options[0]]].concat();
        let mtl = output.replace(".obj", ".mtl");
        let (_, refused) = self.attempt(&words, &[output, &mtl, "broken.json"])?;
        if refused.is_some() {
            return Ok(refused);
        }
        let report = self.report("broken.json")?;
        let fragments = report["fragments"].as_array().map_or(&[][..], |fragments| fragments);
        let is_sound = |f: &Value| f["closed"] == true && number(&f["volume"]) > 0.0;
        if let Some(culprit) = fragments.iter().find(|f| !is_sound(f)) {
            return Err(format!("shatter {file}: a fragment is open or of no volume: {culprit}"));
        }
        if fragments.is_empty() || report["output"]["closed"] != true {
            return Err(format!("shatter {file}: {}", report["output"]));
        }
        self.outcome.fragments += fragments.len();
        let kept: f64 = fragments.iter().map(|f| number(&f["volume"])).sum();
        self.compare(file, number(&report["input"]["volume"]), kept + number(&report["dropped"]["volume"]))?;
        Ok(None)
    }

    fn compare(&mut self, what: &str, before: f64, after: f64) -> Result<(), String> {
        let error = (after - before).abs() / before;
        self.outcome.error = self.outcome.error.max(error);
        let is_kept = before > 0.0 && error <= ROUNDING;
        if is_kept { Ok(()) } else { Err(format!("{what}: volume {before} became {after}")) }
    }

    fn report(&self, name: &str) -> Result<Value, String> {
        let text = std::fs::read(self.folder.join(name)).map_err(|error| format!("{name}: {error}"))?;
        serde_json::from_slice(&text).map_err(|error| format!("{name}: {error}"))
    }

    /// Runs a command that is to write some files. Returns why it refused, if it did.
    fn attempt(&mut self, words: &[&str], outputs: &[&str]) -> Result<(Run, Option<String>), String> {
        let words: Vec<&str> = words.iter().copied().filter(|word| !word.is_empty()).collect();
        let command = words.join(" ");
        let before = self.files()?;
        let run = self.program.run(self.folder, &words)?;
        if run.time > self.outcome.slowest.0 {
            self.outcome.slowest = (run.time, command.clone());
        }
        let said = format!("`{command}` ended with {:?}: {}", run.code, run.err);
        if run.err.contains("panicked") || run.err.contains("fault of the program") {
            return Err(said);
        }
        let refused = match run.code {
            Some(0) => None,
            Some(1) => match run.err.split_once("error: ") {
                Some((_, reason)) if !reason.trim().is_empty() => Some(reason.trim().to_owned()),
                _ => return Err(said),
            },
            _ => return Err(said),
        };
        let wanted = outputs.iter().filter(|_| refused.is_none()).map(|&name| name.to_owned());
        let expected: BTreeSet<String> = before.into_iter().chain(wanted).collect();
        let found = self.files()?;
        if found == expected { Ok((run, refused)) } else { Err(format!("{said} and left {found:?}")) }
    }

    fn files(&self) -> Result<BTreeSet<String>, String> {
        let entries = std::fs::read_dir(self.folder).map_err(|error| error.to_string())?;
        let name = |entry: std::io::Result<std::fs::DirEntry>| {
            entry.map(|e| e.file_name().to_string_lossy().into_owned()).map_err(|error| error.to_string())
        };
        entries.map(name).collect()
    }
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or(f64::NAN)
}
