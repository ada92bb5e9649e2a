//! `smithereens simulate`: a scene in, an animation, pictures and a report out.

mod cast;
mod chronicle;
mod film;
mod plot;
mod wardrobe;

use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, Result, anyhow};
use smithereens_simulate::Recorder;
use smithereens_simulate::scene::{Scene, Stage};

use crate::arguments::{Demo, Simulate};
use crate::outputs::{self, Outputs};
use crate::shatter::with_times;
use crate::stages::{Stages, Tell};
use crate::{note, say};

use cast::Cast;
use chronicle::Chronicle;
use film::Film;

/// Runs the command.
pub fn run(arguments: &Simulate) -> Result<()> {
    let wanted =
        [&arguments.output, &arguments.report, &arguments.plot, &arguments.sheet].into_iter().flatten();
    let wanted: Vec<&Path> = wanted.map(|path| path.as_path()).collect();
    outputs::check(&arguments.scene, &wanted)?;
    let text = std::fs::read_to_string(&arguments.scene)
        .with_context(|| format!("cannot read {}", arguments.scene.display()))?;
    let folder = arguments.scene.parent().unwrap_or(Path::new("."));
    let place = arguments.scene.display().to_string();
    play(arguments, &text, folder, &place)
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
        seed: Some(arguments.seed).filter(|&seed| seed != 0),
        picture_size: arguments.picture_size.unwrap_or(SHEET_PICTURE),
        quiet: arguments.quiet,
    };
    play(&all, text, Path::new("."), name)
}

/// The size of a picture on the sheet of a demo.
const SHEET_PICTURE: (u32, u32) = (480, 270);

/// Plays a scene and writes what is wanted of it.
fn play(arguments: &Simulate, text: &str, folder: &Path, place: &str) -> Result<()> {
    let pictures = u64::from(arguments.sheet.is_some()) + u64::from(arguments.frames.is_some());
    let mut stages = Stages::new(3 + pictures + u64::from(arguments.output.is_some()), arguments.quiet);
    let fault = |error: &dyn std::fmt::Display| anyhow!("{place}: {error}");
    let mut scene = Scene::parse(text).map_err(|e| fault(&e))?;
    scene.seed = arguments.seed.unwrap_or(scene.seed);
    let mut cast = Cast::default();
    let stage = stages.run("prepare", |tell| cast.stage(scene, folder, tell)).map_err(|e| fault(&e))?;
    cast.notes.iter().for_each(|text| note(&format!("note: {text}")));
    let (stage, recorder, chronicle) =
        stages.run("simulate", |tell| simulate(stage, &mut cast, tell)).map_err(|e| fault(&e))?;
    let film = stages.run("film", |_| Film::new(&stage, &cast, &recorder));
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
    if let Some(path) = &arguments.report {
        files.add(path, with_times(chronicle.to_json(&stage, &recorder), &stages));
    }
    files.write()?;
    stages.finish();
    if !arguments.quiet {
        say(&chronicle.table(&stage, &recorder));
        tell_files(arguments);
    }
    Ok(())
}

/// Lets time pass.
fn simulate(mut stage: Stage, cast: &mut Cast, tell: &dyn Tell) -> Result<(Stage, Recorder, Chronicle)> {
    let mut recorder = Recorder::default();
    let mut chronicle = Chronicle::new(&stage);
    let all = stage.all_steps();
    recorder.record(&stage.world);
    while stage.steps() < all {
        let start = Instant::now();
        stage.step()?;
        chronicle.add(&stage, start.elapsed());
        cast.follow(&stage);
        recorder.record(&stage.world);
        let (bodies, events) = (stage.world.destruction.bodies().count(), chronicle.events());
        tell.tell(stage.steps() as f32 / all as f32);
        tell.say(&format!("frame {}/{all}, {bodies} bodies, {events} events", stage.steps()));
    }
    Ok((stage, recorder, chronicle))
}

fn tell_files(arguments: &Simulate) {
    let lines = [
        (&arguments.output, "open it in Blender or any glTF viewer, and play"),
        (&arguments.sheet, "how it went, on one page"),
        (&arguments.frames, "a picture a frame"),
        (&arguments.plot, "the times of fractures and steps, drawn"),
        (&arguments.report, "all numbers"),
    ];
    for (path, what) in lines {
        if let Some(path) = path {
            say(&format!("{}: {what}", path.display()));
        }
    }
}
