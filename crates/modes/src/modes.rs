//! Fracture modes: Sellán, Luong, Mattos Da Silva, Ramakrishnan, Yang and Jacobson, *Breaking Good: Fracture Modes for Realtime
//! Destruction* (2022), on a graph of cells.
//!
//! Departures: modes are scalar, because the vector problem decouples into one scalar problem an axis; the inner problem is solved exactly by
//! cut pursuit instead of a conic solver; large graphs are solved on a coarser one first.

use std::ops::ControlFlow;

use web_time::Instant;

use crate::join::{Joined, Part};
use crate::partition::Partition;
use crate::pursuit::Found;
use crate::search::{Step, find};
use crate::{CellGraph, Eta, ModesError};

/// What to look for.
///
/// ```
/// use smithereens_modes::{Options, Search};
/// let exact = Options { count: 5, search: Search::Exact, ..Options::default() };
/// assert_eq!(exact.sliver, 0.001);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// How many scalar modes to find. Each is a vector mode an axis.
    pub count: usize,
    /// How hard it is to part cells.
    pub eta: Eta,
    /// How thoroughly to search.
    pub search: Search,
    /// Cells with one neighbour and less than this part of the volume never come off alone. They would be chips.
    pub sliver: f64,
}

/// How thoroughly modes are searched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Search {
    /// On about 3,000 cells first, then near the cuts found there. Graphs that are smaller are searched exactly.
    #[default]
    Multilevel,
    /// All cuts of all cells.
    Exact,
}

impl Default for Options {
    fn default() -> Options {
        Options { count: 10, eta: Eta::default(), search: Search::default(), sliver: 1e-3 }
    }
}

/// A scalar mode: how far each piece moves.
#[derive(Clone, Debug, PartialEq)]
pub struct Mode {
    /// What it costs: the sum of area × η × jump over all faces, without the factor of an axis, in m^½ (m² × m^-³ᐟ²).
    pub energy: f64,
    /// The area of the faces that it opens, in square metres.
    pub area: f64,
    /// The first axis whose motions have it. Axes with the same factors of faces share modes.
    pub problem: usize,
    /// Its pieces: connected cells that move as one.
    pub pieces: Partition,
    /// How far each piece moves, in m^-³ᐟ²: the squares, times volumes, sum to one.
    pub values: Vec<f64>,
}

impl Mode {
    /// How far a cell moves; none if there is no such cell.
    pub fn of_cell(&self, cell: u32) -> Option<f64> {
        let piece = *self.pieces.of_cells().get(cell as usize)?;
        self.values.get(piece as usize).copied()
    }
}

/// A scalar mode as a motion along an axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VectorMode {
    /// 0, 1 or 2.
    pub axis: usize,
    /// The index of the scalar mode.
    pub mode: usize,
    /// What it costs, with the factor of its axis.
    pub energy: f64,
}

/// What was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Modes {
    /// Scalar modes, in order of energy.
    pub scalar: Vec<Mode>,
    /// Vector modes, in order of energy.
    pub vector: Vec<VectorMode>,
    /// What hangs together without any fracture. Parts move apart for nothing, and are not modes.
    pub parts: Partition,
    /// What was done.
    pub report: Report,
}

/// What was done, and how long it took.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// Cells that were given.
    pub cells: usize,
    /// Cells that were left after those that never part had been joined.
    pub joined: usize,
    /// Milliseconds for the eigenvectors.
    pub spectrum_ms: f64,
    /// Milliseconds for all.
    pub total_ms: f64,
    /// Each mode that was found, in the order in which it was.
    pub modes: Vec<ModeReport>,
    /// Headings that led to no mode.
    pub failed: usize,
    /// Whether it was stopped before its end.
    pub stopped: bool,
}

/// What a mode took.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ModeReport {
    /// Milliseconds.
    pub ms: f64,
    /// Cells of the coarsest graph that was searched.
    pub coarse_cells: usize,
    /// How often the heading was turned.
    pub turns: usize,
    /// How many minimum cuts were made.
    pub cuts: usize,
    /// Iterations of all programmes.
    pub iterations: usize,
    /// The most pieces a programme had.
    pub most_pieces: usize,
}

/// How far the search is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// The eigenvectors of a part are found.
    Spectrum,
    /// So many modes of all are.
    Modes {
        /// How many are found.
        done: usize,
        /// How many there will be at most, in all parts.
        of: usize,
    },
}

/// Finds the fracture modes of lowest energy.
///
/// A graph in several parts is searched part by part, and the lowest modes of all are taken. Fewer than asked for come back where there are no
/// more: `cells − parts` is the most.
///
/// ```
/// use glam::DVec3;
/// use smithereens_modes::{Cell, CellGraph, Face, Options, fracture_modes};
/// // Four cells in a row; the faces are large, small, large.
/// let cells: Vec<Cell> = (0..4).map(|i| Cell { volume: 1.0, centre: DVec3::X * f64::from(i) }).collect();
/// let areas = [1.0, 0.1, 1.0];
/// let faces = (0..3).map(|i| Face::between(&cells, [i, i + 1], areas[i as usize])).collect();
/// let graph = CellGraph::new(cells, faces)?;
///
/// let modes = fracture_modes(&graph, &Options { count: 3, ..Options::default() })?;
/// assert_eq!(modes.scalar[0].pieces.of_cells(), [0, 0, 1, 1]);
/// assert_eq!(modes.scalar[0].area, 0.1);
/// assert_eq!(modes.vector.len(), 9);
/// # Ok::<(), smithereens_modes::ModesError>(())
/// ```
pub fn fracture_modes(graph: &CellGraph, options: &Options) -> Result<Modes, ModesError> {
    fracture_modes_with(graph, options, |_| ControlFlow::Continue(()))
}

/// The same, telling how far it is after each step. On `Break` it returns what it has.
pub fn fracture_modes_with(
    graph: &CellGraph,
    options: &Options,
    mut progress: impl FnMut(Progress) -> ControlFlow<()>,
) -> Result<Modes, ModesError> {
    options.check(graph)?;
    let start = Instant::now();
    let problems = options.eta.problems();
    let distinct: Vec<usize> = (0..3).filter(|&axis| problems[axis] == axis).collect();
    let mut report = Report { cells: graph.cells().len(), ..Report::default() };
    let (mut scalar, mut parts) = (Vec::new(), Partition::default());
    let mut done = 0;
    for &axis in &distinct {
        let joined = Joined::new(graph, options, axis);
        let breakable = joined.breakable();
        let of = breakable.iter().map(|part| options.count.min(part.net.len() - 1)).sum::<usize>()
            * distinct.len();
        let mut tell = |step: Step| match step {
            Step::Spectrum => progress(Progress::Spectrum),
            Step::Mode => {
                done += 1;
                progress(Progress::Modes { done, of })
            }
        };
        let found = lowest(&breakable, options, &mut report, &mut tell);
        let mode =
            |(part, found): (usize, Found)| joined.mode(graph, &options.eta, axis, joined.lift(part, &found));
        scalar.extend(found.into_iter().map(mode));
        report.joined = joined.net.len();
        parts = joined.groups.through(&joined.parts);
        if report.stopped {
            break;
        }
    }
    scalar.sort_by(|a: &Mode, b: &Mode| a.energy.total_cmp(&b.energy));
    let vector = vector_modes(&scalar, &options.eta, problems);
    report.total_ms = ms(start);
    Ok(Modes { scalar, vector, parts, report })
}

/// The modes of lowest energy of all parts, each with the index of its part. What does not hang together breaks on its own.
fn lowest(
    parts: &[Part],
    options: &Options,
    report: &mut Report,
    tell: &mut dyn FnMut(Step) -> ControlFlow<()>,
) -> Vec<(usize, Found)> {
    let mut all: Vec<(f64, usize, Found)> = Vec::new();
    for part in parts {
        if report.stopped {
            break;
        }
        let found = find(&part.net, options, report, tell).into_iter();
        all.extend(found.map(|found| (part.net.energy(&found.spread()), part.index, found)));
    }
    all.sort_by(|a, b| a.0.total_cmp(&b.0));
    all.truncate(options.count);
    all.into_iter().map(|(_, part, found)| (part, found)).collect()
}

impl Options {
    fn check(&self, graph: &CellGraph) -> Result<(), ModesError> {
        if !(0.0..1.0).contains(&self.sliver) {
            let must = "it must be a part of the volume, from zero to below one";
            return Err(ModesError::Option { name: "sliver", value: self.sliver, must });
        }
        self.eta.check(graph)
    }
}

fn vector_modes(scalar: &[Mode], eta: &Eta, problems: [usize; 3]) -> Vec<VectorMode> {
    let of_axis = |axis: usize| {
        let modes = scalar.iter().enumerate().filter(move |(_, mode)| mode.problem == problems[axis]);
        modes.map(move |(index, mode)| VectorMode { axis, mode: index, energy: mode.energy * eta.axes[axis] })
    };
    let mut vector: Vec<VectorMode> = (0..3).flat_map(of_axis).collect();
    vector.sort_by(|a, b| a.energy.total_cmp(&b.energy));
    vector
}

pub(crate) fn ms(since: Instant) -> f64 {
    since.elapsed().as_secs_f64() * 1e3
}
