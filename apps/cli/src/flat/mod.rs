//! `smithereens flat`: a scene in the plane in; pictures, a film and a report out. Or the sandbox.

mod chronicle;
mod sandbox;

use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, Result, anyhow, bail};
use smithereens_flat::Material;
use smithereens_flat::draw::{DrawOptions, Film, draw, sheet};
use smithereens_flat::scene::{Scene, Stage, built_in};

use crate::arguments::Flat;
use crate::outputs::{self, Outputs};
use crate::shatter::with_times;
use crate::stages::{Stages, Tell};
use crate::{note, say};

use chronicle::Chronicle;

/// Sizes of pictures where none is given: one, or one of many.
const ONE: [u32; 2] = [960, 540];
const MANY: [u32; 2] = [640, 360];

/// What is written of a scene.
enum Wanted {
    /// Nothing but numbers.
    Numbers,
    /// A moment.
    Svg(f64),
    Png(f64),
    /// From a moment on.
    Gif(f64),
    /// So many moments.
    Sheet(u32),
}

/// Runs the command.
pub fn run(arguments: &Flat) -> Result<()> {
    if arguments.list {
        built_in().iter().for_each(|scene| say(&format!("{:10} {}", scene.name, scene.about)));
        return Ok(());
    }
    let Flat { output, report, save, .. } = arguments;
    let files: Vec<&Path> = [output, report, save].into_iter().flatten().map(PathBuf::as_path).collect();
    if files.is_empty() {
        return sandbox::open(arguments);
    }
    let Some(path) = &arguments.scene else {
        bail!("name a scene: a file, or one of {}", names());
    };
    outputs::check(path, &files)?;
    let text = read(path)?;
    play(arguments, &text, &path.display().to_string())
}

/// The text of a scene: a file's, or that of one that comes with the program.
fn read(path: &Path) -> Result<String> {
    let own = built_in().iter().find(|scene| Path::new(scene.name) == path);
    match own {
        Some(scene) if !path.is_file() => Ok(scene.text.to_owned()),
        _ => std::fs::read_to_string(path)
            .with_context(|| format!("cannot read {}: name a file, or one of {}", path.display(), names())),
    }
}

fn names() -> String {
    built_in().iter().map(|scene| scene.name).collect::<Vec<_>>().join(", ")
}

fn wanted(arguments: &Flat, duration: f64) -> Result<Wanted> {
    let Some(path) = &arguments.output else { return Ok(Wanted::Numbers) };
    let ending = path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    let at = arguments.at.unwrap_or(duration).min(duration);
    match (ending.as_str(), arguments.sheet) {
        ("png", Some(count)) => Ok(Wanted::Sheet(count)),
        (_, Some(_)) => bail!("cannot write {}: a sheet is a .png", path.display()),
        ("svg", None) => Ok(Wanted::Svg(at)),
        ("png", None) => Ok(Wanted::Png(at)),
        ("gif", None) => Ok(Wanted::Gif(arguments.at.unwrap_or(0.0))),
        _ => bail!("cannot write {}: give it the ending .svg, .png or .gif", path.display()),
    }
}

fn play(arguments: &Flat, text: &str, place: &str) -> Result<()> {
    let fault = |error: &dyn std::fmt::Display| anyhow!("{place}: {error}");
    let mut scene = Scene::read_with(text, materials(arguments)?).map_err(|e| fault(&e))?;
    scene.seed = arguments.seed.unwrap_or(scene.seed);
    scene.duration = arguments.until.unwrap_or(scene.duration);
    let wanted = wanted(arguments, scene.duration)?;
    let mut stages = Stages::new(3, arguments.quiet);
    let stage = stages.run("prepare", |_| scene.stage()).map_err(|e| fault(&e))?;
    let mut shooting = Shooting::new(arguments, &wanted, &stage);
    let (stage, chronicle) = stages.run("simulate", |tell| simulate(stage, &mut shooting, tell));
    let mut files = Outputs::default();
    if let Some(path) = &arguments.output {
        files.add(path, stages.run("picture", |_| shooting.develop(&wanted, arguments.fps))?);
    }
    if let Some(path) = &arguments.report {
        files.add(path, with_times(chronicle.to_json(&stage), &stages));
    }
    if let Some(path) = &arguments.save {
        files.add(path, save(&stage).into_bytes());
    }
    files.write()?;
    stages.finish();
    if !arguments.quiet {
        say(&chronicle.line(&stage));
        tell_files(arguments);
    }
    Ok(())
}

/// What the scene has become, as one that goes on for as long, seen from where it was.
fn save(stage: &Stage) -> String {
    let (view, scene) = (stage.scene().view_of(&stage.world), stage.scene());
    let corners = [view.min.to_array(), view.max.to_array()];
    let mut now = Scene::of(&stage.world);
    (now.about, now.duration, now.view) = (scene.about.clone(), scene.duration, Some(corners));
    now.write()
}

/// The materials that come with the program, and those of a file.
fn materials(arguments: &Flat) -> Result<Vec<Material>> {
    let Some(path) = &arguments.materials else { return Ok(Material::table()) };
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    Material::read(&text).map_err(|e| anyhow!("{}: {e}", path.display()))
}

/// Pictures, taken as time goes on.
struct Shooting {
    options: DrawOptions,
    /// After which steps, in order.
    moments: Vec<u64>,
    film: Film,
    svg: String,
}

impl Shooting {
    fn new(arguments: &Flat, wanted: &Wanted, stage: &Stage) -> Shooting {
        let one = matches!(wanted, Wanted::Svg(_) | Wanted::Png(_));
        let size = arguments.size.map_or(if one { ONE } else { MANY }, |(width, height)| [width, height]);
        let (rate, all) = (stage.scene().rate, stage.all_steps());
        let step_at = |time: f64| ((time * rate).round() as u64).min(all);
        let moments = match *wanted {
            Wanted::Numbers => Vec::new(),
            Wanted::Svg(at) | Wanted::Png(at) => vec![step_at(at)],
            Wanted::Gif(from) => {
                let fps = f64::from(arguments.fps);
                let mut moments: Vec<u64> = (0..)
                    .map(|frame| step_at(from + f64::from(frame) / fps))
                    .take_while(|&step| step < all)
                    .collect();
                moments.dedup();
                moments.push(all);
                moments
            }
            Wanted::Sheet(count) => {
                let last = u64::from(count - 1);
                (0..=last).map(|index| index * all / last).collect()
            }
        };
        let options = DrawOptions {
            size,
            view: Some(stage.scene().view_of(&stage.world)),
            grid: !arguments.no_grid,
            pieces: arguments.pieces,
            bonds: arguments.bonds,
            ..DrawOptions::default()
        };
        let svg = if matches!(wanted, Wanted::Svg(_)) { "svg".to_owned() } else { String::new() };
        Shooting { options, moments, film: Film::default(), svg }
    }

    /// Takes a picture, if it is time.
    fn look(&mut self, stage: &Stage) {
        if self.moments.binary_search(&stage.steps()).is_err() {
            return;
        }
        let picture = draw(&stage.world, &self.options);
        if self.svg.is_empty() {
            self.film.push(picture.image());
        } else {
            self.svg = picture.svg();
        }
    }

    fn develop(self, wanted: &Wanted, fps: u32) -> Result<Vec<u8>> {
        let images = self.film.images();
        Ok(match wanted {
            Wanted::Numbers => Vec::new(),
            Wanted::Svg(_) => self.svg.into_bytes(),
            Wanted::Png(_) => images.first().map(|image| image.png()).unwrap_or_default(),
            Wanted::Gif(_) => self.film.gif(f64::from(fps))?,
            Wanted::Sheet(count) => {
                // As many columns as rows, about; wider than high.
                let columns = (f64::from(*count).sqrt().ceil() as u32).clamp(1, 4);
                sheet(images, columns).png()
            }
        })
    }
}

/// Lets time pass.
fn simulate(mut stage: Stage, shooting: &mut Shooting, tell: &dyn Tell) -> (Stage, Chronicle) {
    let mut chronicle = Chronicle::new(&stage);
    let all = stage.all_steps();
    shooting.look(&stage);
    while stage.steps() < all {
        let start = Instant::now();
        // Within the pool: called from outside, this thread would be one more than there are cores.
        rayon::scope(|_| stage.step());
        chronicle.add(&mut stage, start.elapsed());
        shooting.look(&stage);
        let (bodies, events) = (stage.world.bodies().len(), chronicle.events());
        tell.tell(stage.steps() as f32 / all as f32);
        tell.say(&format!("frame {}/{all}, {bodies} bodies, {events} events", stage.steps()));
    }
    if stage.world.bodies().len() == 0 {
        note("note: nothing is left of the scene: all bodies have left its box");
    }
    (stage, chronicle)
}

fn tell_files(arguments: &Flat) {
    let lines = [
        (&arguments.output, "the picture"),
        (&arguments.report, "all numbers"),
        (&arguments.save, "what the scene has become: a scene that goes on from there"),
    ];
    for (path, what) in lines {
        if let Some(path) = path {
            say(&format!("{}: {what}", path.display()));
        }
    }
}
