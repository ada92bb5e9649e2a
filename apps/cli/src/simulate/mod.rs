//! `smithereens simulate`: a scene in, an animation, pictures and a report out.

mod cast;
mod chips;
pub mod chronicle;
mod film;
mod haze;
mod plot;
mod replay;
mod wardrobe;

use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, Result, anyhow, bail};
use smithereens_simulate::scene::{Scene, Stage};
use smithereens_simulate::{Material, Recorder, Turn};

use crate::arguments::{Demo, Simulate};
use crate::outputs::{self, Outputs};
use crate::shatter::with_times;
use crate::stages::{Stages, Tell};
use crate::{note, say};

use cast::Cast;
use chronicle::Chronicle;
use film::Film;
use haze::{Haze, Wanted};
use replay::RunLog;

/// Runs the command.
pub fn run(arguments: &Simulate) -> Result<()> {
    let Simulate { output, report, plot, sheet, log, save, .. } = arguments;
    let wanted = [output, report, plot, sheet, log, save].into_iter().flatten();
    let wanted: Vec<&Path> = wanted.map(|path| path.as_path()).collect();
    outputs::check(&arguments.scene, &wanted)?;
    let text = std::fs::read_to_string(&arguments.scene)
        .with_context(|| format!("cannot read {}", arguments.scene.display()))?;
    let folder = arguments.scene.parent().unwrap_or(Path::new("."));
    let place = arguments.scene.display().to_string();
    play(arguments, &text, folder, &place, None)
}

/// Plays a scene that comes with the program, and writes all there is of it to a folder.
pub fn demo(arguments: &Demo, name: &str, text: &str) -> Result<()> {
    std::fs::create_dir_all(&arguments.out)
        .with_context(|| format!("cannot make the folder {}", arguments.out.display()))?;
    let file = |ending: &str| Some(arguments.out.join(format!("{name}.{ending}")));
    let all = Simulate {
        scene: PathBuf::from(name),
        output: file("glb"),
        report: file("json"),
        plot: file("svg"),
        sheet: file("png"),
        frames: None,
        dust: None,
        materials: None,
        log: None,
        replay: None,
        save: None,
        resume: None,
        until: None,
        seed: Some(arguments.seed).filter(|&seed| seed != 0),
        picture_size: arguments.picture_size.unwrap_or(SHEET_PICTURE),
        quiet: arguments.quiet,
    };
    play(&all, text, Path::new("."), name, arguments.model.as_deref())
}

/// The size of a picture on the sheet of a demo.
const SHEET_PICTURE: (u32, u32) = (480, 270);

/// The materials that come with the program, and those of a file.
fn materials(file: Option<&Path>) -> Result<Vec<Material>> {
    let Some(path) = file else { return Ok(Material::table()) };
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    Material::read(&text).map_err(|e| anyhow!("{}: {e}", path.display()))
}

/// Plays a scene and writes what is wanted of it. A model may take the place of what others stand for.
fn play(arguments: &Simulate, text: &str, folder: &Path, place: &str, model: Option<&Path>) -> Result<()> {
    let pictures = u64::from(arguments.sheet.is_some()) + u64::from(arguments.frames.is_some());
    let mut stages = Stages::new(3 + pictures + u64::from(arguments.output.is_some()), arguments.quiet);
    let fault = |error: &dyn std::fmt::Display| anyhow!("{place}: {error}");
    let mut scene =
        Scene::parse_with(text, materials(arguments.materials.as_deref())?).map_err(|e| fault(&e))?;
    let replay = arguments.replay.as_ref().map(|path| RunLog::read(path, text)).transpose()?;
    let seed = replay.as_ref().map(|log| log.seed).or(arguments.seed);
    scene.seed = seed.unwrap_or(scene.seed);
    scene.duration = arguments.until.unwrap_or(scene.duration);
    if let Some(model) = model {
        cast::recast(&mut scene, model)?;
    }
    let mut cast = Cast::default();
    let stage = stages.run("prepare", |tell| cast.stage(scene, folder, tell)).map_err(|e| fault(&e))?;
    let stage = match &arguments.resume {
        Some(path) => resume(stage, path, &mut cast)?,
        None => stage,
    };
    cast.notes.iter().for_each(|text| note(&format!("note: {text}")));
    let turns = replay.as_ref().map_or(&[][..], |log| &log.turns);
    let mut haze = haze(arguments, &stage)?;
    let (mut stage, recorder, chronicle) = stages
        .run("simulate", |tell| simulate(stage, &mut cast, &mut haze, turns, tell))
        .map_err(|e| fault(&e))?;
    if let Some(log) = &replay {
        log.check(&stage)?;
    }
    let film = stages.run("film", |_| Film::new(&stage, &cast, &recorder, haze));
    let mut files = Outputs::default();
    if let Some(path) = &arguments.output {
        files.add(path, stages.run("animation", |tell| film.animation(tell))?);
    }
    if let Some(path) = &arguments.sheet {
        files.add(path, stages.run("sheet", |tell| film.sheet(arguments.picture_size, tell))?);
    }
    if let Some(folder) = &arguments.frames {
        stages.run("frames", |tell| film.frames(folder, arguments.picture_size, tell))?;
    }
    if let Some(path) = &arguments.plot {
        files.add(path, plot::svg(&chronicle).into_bytes());
    }
    if let Some(path) = &arguments.log {
        let log = RunLog::of(&stage, text, chronicle.turns());
        files.add(path, serde_json::to_vec(&log)?);
    }
    if let Some(path) = &arguments.report {
        files.add(path, with_times(chronicle.to_json(&stage, &recorder), &stages));
    }
    if let Some(path) = &arguments.save {
        files.add(path, stage.save());
    }
    files.write()?;
    stages.finish();
    if !arguments.quiet {
        say(&chronicle.table(&stage, &recorder));
        tell_files(arguments, recorder.tracks().len() + recorder.chips().len());
    }
    Ok(())
}

/// A scene as it was when it was saved.
fn resume(stage: Stage, path: &Path, cast: &mut Cast) -> Result<Stage> {
    let bytes = std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    let stage = stage.resume(&bytes).with_context(|| format!("cannot go on from {}", path.display()))?;
    cast.resume(&stage);
    Ok(stage)
}

/// What is wanted of the dust of a scene that begins where it is.
fn haze(arguments: &Simulate, stage: &Stage) -> Result<Haze> {
    let wanted = match (&arguments.frames, &arguments.sheet) {
        (Some(_), _) => Wanted::All,
        (None, Some(_)) => {
            Wanted::Some(film::sheet_frames(stage.all_steps().saturating_sub(stage.steps()) + 1))
        }
        (None, None) => Wanted::Some(Vec::new()),
    };
    if arguments.dust.is_some() && stage.world.cloud().is_none() {
        bail!("--dust writes the dust of a scene, and this one has none: add a table [dust] to it");
    }
    Haze::new(stage, wanted, arguments.dust.as_deref())
}

/// Lets time pass, with the turns of a run before as long as there are some.
fn simulate(
    mut stage: Stage,
    cast: &mut Cast,
    haze: &mut Haze,
    turns: &[Turn],
    tell: &dyn Tell,
) -> Result<(Stage, Recorder, Chronicle)> {
    let mut recorder = Recorder::default();
    let mut chronicle = Chronicle::new(&stage);
    let all = stage.all_steps();
    haze.record(&stage, recorder.frames())?;
    recorder.record(&stage.world);
    while stage.steps() < all {
        let start = Instant::now();
        // Within the pool: called from outside, this thread would be one more than there are cores.
        rayon::scope(|_| match turns.get(stage.steps() as usize) {
            Some(turn) => stage.step_as(*turn),
            None => stage.step(),
        })?;
        chronicle.add(&stage, start.elapsed());
        cast.follow(&stage);
        haze.record(&stage, recorder.frames())?;
        recorder.record(&stage.world);
        let (bodies, events) = (stage.world.destruction.bodies().len(), chronicle.events());
        tell.tell(stage.steps() as f32 / all as f32);
        tell.say(&format!("frame {}/{all}, {bodies} bodies, {events} events", stage.steps()));
    }
    Ok((stage, recorder, chronicle))
}

/// Blender's importer takes a time that grows with the square of this.
const MANY_NODES: usize = 8000;

fn tell_files(arguments: &Simulate, nodes: usize) {
    let animation = match nodes {
        ..MANY_NODES => "open it in Blender or any glTF viewer, and play",
        _ => {
            "open it in a glTF viewer, and play (too many nodes for Blender: write fewer seconds with simulate --until)"
        }
    };
    let lines = [
        (&arguments.output, animation),
        (&arguments.sheet, "how it went, on one page"),
        (&arguments.frames, "a picture a frame"),
        (&arguments.dust, "the dust of each frame, as points"),
        (&arguments.plot, "the times of fractures and steps, drawn"),
        (&arguments.report, "all numbers"),
        (&arguments.log, "what the clock decided: --replay does it again"),
        (&arguments.save, "the state at the end: --resume goes on from it"),
    ];
    for (path, what) in lines {
        if let Some(path) = path {
            say(&format!("{}: {what}", path.display()));
        }
    }
}
