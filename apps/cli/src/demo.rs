//! `smithereens demo`: a torus, hit three times, or one of the scenes that come with the program. Needs no files.

use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Context, Result};
use glam::DVec3;
use serde_json::{Value, json};
use smithereens::pattern::PatternKind;
use smithereens::{Compound, FractureOptions, Fragment, Impact, Mesh, Report, fracture};
use smithereens_formats::Material;

use crate::arguments::{Demo, DemoName};
use crate::drawn::{Drawn, Pose};
use crate::outputs::Outputs;
use crate::pattern::{self, Choice};
use crate::picture::{self, Shot};
use crate::settle::{Loose, settle};
use crate::stages::{Stages, milliseconds};
use crate::{check, looks, report, say, scene, scenes, shatter, simulate, torus};

/// Where the torus is hit: the angle about the ring in turns, the angle about the tube, how far it reaches, into how many
/// cells it breaks.
const HITS: [(f64, f64, f64, usize); 3] = [(0.14, 0.1, 0.5, 36), (0.5, 0.2, 0.4, 28), (0.77, 0.3, 0.27, 20)];
/// Stone, in kg/m³.
const DENSITY: f64 = 2500.0;
/// How far fragments fly, in radii of their hit.
const FLIGHT: f64 = 0.3;
/// The size of the picture, in pixels.
const PICTURE: (u32, u32) = (1200, 675);
const VIEW: DVec3 = DVec3::new(-0.2, -0.68, -1.0);

/// A fragment and the hit that made it loose; `None` for what still stands.
struct Part {
    fragment: Fragment,
    hit: Option<Impact>,
}

/// A hit, as it is reported.
struct Event {
    milliseconds: f64,
    report: Report,
}

/// Runs the command.
pub fn run(arguments: &Demo) -> Result<()> {
    match arguments.name {
        DemoName::Torus => torus_demo(arguments),
        DemoName::Columns => simulate::demo(arguments, "columns", scenes::COLUMNS),
        DemoName::Glass => simulate::demo(arguments, "glass", scenes::GLASS),
        DemoName::Arena => simulate::demo(arguments, "arena", scenes::ARENA),
        DemoName::Dust => simulate::demo(arguments, "dust", scenes::DUST),
        DemoName::Bunnies => simulate::demo(arguments, "bunnies", scenes::BUNNIES),
        DemoName::Dragon => simulate::demo(arguments, "dragon", scenes::DRAGON),
        DemoName::Arch => simulate::demo(arguments, "arch", scenes::ARCH),
        DemoName::Tower => simulate::demo(arguments, "tower", scenes::TOWER),
        DemoName::Bridge => simulate::demo(arguments, "bridge", scenes::BRIDGE),
        DemoName::Cantilever => simulate::demo(arguments, "cantilever", scenes::CANTILEVER),
        DemoName::CarDoor => simulate::demo(arguments, "car-door", scenes::CAR_DOOR),
        DemoName::Cup => simulate::demo(arguments, "cup", scenes::CUP),
        DemoName::Dumbbell => simulate::demo(arguments, "dumbbell", scenes::DUMBBELL),
        DemoName::Vases => simulate::demo(arguments, "vases", scenes::VASES),
        DemoName::DominoCity => simulate::demo(arguments, "domino-city", scenes::DOMINO_CITY),
    }
}

fn torus_demo(arguments: &Demo) -> Result<()> {
    let mut stages = Stages::new(5, arguments.quiet);
    let before = stages.run("prepare", |_| torus::compound())?;
    let (parts, events) = stages.run("fracture", |_| strike(&before, arguments.seed))?;
    let poses = stages.run("settle", |_| poses(&parts, arguments.seed));
    let fragments: Vec<Fragment> = parts.into_iter().map(|p| p.fragment).collect();
    let mut materials = vec![looks::stone()];
    let drawn = stages.run("draw", |_| shatter::draw(&fragments, &poses, &materials))?;
    materials.push(looks::interior(&materials, None));
    let shot = Shot { size: arguments.picture_size.unwrap_or(PICTURE), view: VIEW };
    let png = stages.run("picture", |tell| picture::take(&drawn, &materials, &shot, tell))?;
    let files = [("glb", encode(&fragments, &drawn, &materials)?), ("png", png)];
    let report = full_report(arguments, &before, &fragments, &drawn, &events);
    write(arguments, files, shatter::with_times(report, &stages))?;
    stages.finish();
    if !arguments.quiet {
        summarise(arguments, &before, &fragments, &events, &stages);
    }
    Ok(())
}

/// Hits all there is, one hit after the other.
fn strike(torus: &Compound, seed: u64) -> Result<(Vec<Part>, Vec<Event>)> {
    let mesh = torus::mesh();
    let whole = Fragment { compound: torus.clone(), colour: None, exposed: Vec::new() };
    let mut parts = vec![Part { fragment: whole, hit: None }];
    let mut events = Vec::new();
    for (index, &(turn, tilt, radius, cells)) in HITS.iter().enumerate() {
        let (point, out) = torus::surface(turn, tilt);
        let impact = Impact { direction: -out, radius, ..Impact::at(point) };
        let (next, event) = hit(parts, &mesh, &impact, cells, seed.wrapping_add(index as u64))?;
        parts = next;
        events.push(event);
    }
    Ok((parts, events))
}

fn hit(
    parts: Vec<Part>,
    mesh: &Mesh,
    impact: &Impact,
    cells: usize,
    seed: u64,
) -> Result<(Vec<Part>, Event)> {
    let pattern = pattern::make(&Choice::Kind(PatternKind::Voronoi), cells, seed, mesh, impact)?;
    let start = Instant::now();
    let mut total = Report::default();
    let mut next = Vec::new();
    for part in parts {
        let bounds = part.fragment.compound.bounds();
        if bounds.distance_squared(impact.point) > impact.radius * impact.radius {
            next.push(part);
            continue;
        }
        let broken = fracture(&part.fragment.compound, &pattern, impact, &FractureOptions::default())?;
        total.touched += broken.report.touched;
        total.dropped.count += broken.report.dropped.count;
        total.dropped.volume += broken.report.dropped.volume;
        let hit_by = |fragment: &Fragment| if fragment.colour.is_some() { Some(*impact) } else { part.hit };
        next.extend(broken.fragments.into_iter().map(|fragment| Part { hit: hit_by(&fragment), fragment }));
    }
    total.fragments = next.len();
    Ok((next, Event { milliseconds: milliseconds(start.elapsed()), report: total }))
}

/// What still stands stays; what is loose lies about.
fn poses(parts: &[Part], seed: u64) -> Vec<Pose> {
    let standing: Vec<DVec3> = parts.iter().filter(|p| p.hit.is_none()).flat_map(vertices).collect();
    let floor = -torus::TUBE;
    let loose = |part: &Part| {
        let hit = part.hit?;
        let compound_center = part.fragment.compound.mass().center;
        // From under the surface, so that everything flies out.
        let flight = compound_center - (hit.point + hit.direction * hit.radius);
        Some(flight.normalize_or_zero() * hit.radius * FLIGHT)
    };
    let flights: Vec<Option<DVec3>> = parts.iter().map(loose).collect();
    let flying: Vec<Loose> = parts
        .iter()
        .zip(&flights)
        .filter_map(|(part, flight)| Some(Loose { compound: &part.fragment.compound, flight: (*flight)? }))
        .collect();
    let mut settled = settle(&flying, &standing, floor, seed).into_iter();
    let pose = |(part, flight): (&Part, &Option<DVec3>)| {
        let lying = flight.and_then(|_| settled.next());
        lying.unwrap_or_else(|| Pose::of(&part.fragment.compound))
    };
    parts.iter().zip(&flights).map(pose).collect()
}

fn vertices(part: &Part) -> impl Iterator<Item = DVec3> {
    let skins = part.fragment.compound.pieces().iter().filter_map(|p| p.skin());
    skins.flat_map(|skin| skin.mesh().positions.iter().copied())
}

fn encode(fragments: &[Fragment], drawn: &[Drawn], materials: &[Material]) -> Result<Vec<u8>> {
    let compounds: Vec<&Compound> = fragments.iter().map(|f| &f.compound).collect();
    Ok(smithereens_formats::write_glb(&scene::glb(drawn, &compounds, materials, DENSITY))?)
}

fn write(arguments: &Demo, files: [(&str, Vec<u8>); 2], report: Vec<u8>) -> Result<()> {
    std::fs::create_dir_all(&arguments.out)
        .with_context(|| format!("cannot make the folder {}", arguments.out.display()))?;
    let mut outputs = Outputs::default();
    for (ending, bytes) in files.into_iter().chain([("json", report)]) {
        outputs.add(&file(arguments, ending), bytes);
    }
    outputs.write()
}

fn file(arguments: &Demo, ending: &str) -> PathBuf {
    arguments.out.join(format!("demo.{ending}"))
}

fn full_report(
    arguments: &Demo,
    before: &Compound,
    fragments: &[Fragment],
    drawn: &[Drawn],
    events: &[Event],
) -> Value {
    let findings = report::examine(fragments, drawn, DENSITY);
    let (start, end) = (before.mass().volume * DENSITY, report::volume(fragments) * DENSITY);
    let line = |e: &Event| json!({ "ms": e.milliseconds, "touched": e.report.touched, "fragments": e.report.fragments });
    let mut times: Vec<f64> = events.iter().map(|e| e.milliseconds).collect();
    times.sort_by(f64::total_cmp);
    let (median, most) = (times[times.len() / 2], times[times.len() - 1]);
    json!({
        "input": report::input(std::slice::from_ref(before)),
        "output": report::output(fragments, drawn, &findings),
        "fragments": findings.iter().map(|f| &f.line).collect::<Vec<_>>(),
        "dropped": report::dropped(&dropped(events)),
        "compounds": fragments.len(),
        "pieces": fragments.iter().map(|f| f.compound.pieces().len()).sum::<usize>(),
        "event_ms": { "count": events.len(), "median": median, "p99": most, "max": most },
        "events": events.iter().map(line).collect::<Vec<_>>(),
        "mass": { "start": start, "end": end, "worst_error": (end - start).abs() / start },
        "density": DENSITY,
        "seed": arguments.seed,
        "state_hash": format!("{:016x}", check::state_hash(fragments.iter().map(|f| &f.compound))),
    })
}

fn dropped(events: &[Event]) -> smithereens::Dropped {
    let each = || events.iter().map(|e| e.report.dropped);
    smithereens::Dropped {
        count: each().map(|d| d.count).sum(),
        volume: each().fold(0.0, |sum, d| sum + d.volume),
    }
}

fn summarise(arguments: &Demo, before: &Compound, fragments: &[Fragment], events: &[Event], stages: &Stages) {
    let hits: Vec<String> = events.iter().map(|e| format!("{:.1}", e.milliseconds)).collect();
    say(&format!(
        "A torus of {} pieces, hit three times ({} ms): {} fragments; all in {:.0} ms",
        before.pieces().len(),
        hits.join(", "),
        fragments.len(),
        milliseconds(stages.total()),
    ));
    say(&format!("Look at {}", file(arguments, "png").display()));
    say(&format!("{} opens in Blender or any glTF viewer", file(arguments, "glb").display()));
    say(&format!("{} tells each fragment's volume and mass", file(arguments, "json").display()));
}
