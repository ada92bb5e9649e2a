//! A fracture as a job: driven to the end on all threads, or advanced under a budget and resumed.

use std::time::Duration;

use rayon::prelude::*;
use smithereens_geometry::{Aabb, CarvePlan, Carved, Knife, KnifeRack, Tolerance};
use web_time::Instant;

use super::align::{Aligned, align};
use super::cut::{CutContext, Cutting, Cuttings, Dropped, Target, split_planes};
use super::fragments::Fragment;
use super::gather::{FAR, Gathering, NewBonds, NewPiece};
use super::overlaps::Overlaps;
use super::reach::{is_touched, touched_pieces};
use super::weld::weld;
use super::{FractureError, FractureOptions, Impact, Report};
use crate::Compound;
use crate::awake::awake;
use crate::pattern::Pattern;

/// What a fracture made.
#[derive(Clone, Debug)]
pub struct Fracture {
    /// The fragments, in order of their first piece: untouched pieces as they were, then new ones. One, unchanged, if
    /// nothing was touched and the compound hangs together.
    pub fragments: Vec<Fragment>,
    /// What was done.
    pub report: Report,
}

/// How far a job is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Progress {
    /// This part of the touched pieces is cut, from 0 to 1.
    Cutting(f64),
    /// Pieces are cut; bonds and fragments are being put together.
    Gathering,
    /// [`FractureJob::finish`] has nothing left to do.
    Done,
}

/// A fracture under way. It owns all it needs, so it can be sent to another thread.
///
/// ```
/// use smithereens::{pattern::Pattern, Aabb, Compound, Convex, Fit, FractureJob, FractureOptions, Impact, Progress, Slot, Solid};
/// use glam::DVec3;
/// use std::time::Duration;
/// # let cube = Solid::new(Convex::from_box(&Aabb::cube(1.0)).to_mesh(Slot(0)))?;
/// # let compound = Compound::from_solid(cube, Fit::Dop26);
/// # let pattern = Pattern::from_points(&[-DVec3::X, DVec3::X], Aabb::cube(3.0))?;
/// let impact = Impact::at(DVec3::ZERO);
/// let mut job = FractureJob::new(&compound, &pattern, &impact, &FractureOptions::default())?;
/// while job.advance(Duration::from_micros(100)) != Progress::Done {
///     // draw a frame
/// }
/// assert_eq!(job.finish().fragments.len(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct FractureJob {
    compound: Compound,
    aligned: Aligned,
    colours: Vec<u32>,
    impact: Impact,
    options: FractureOptions,
    tolerance: Tolerance,
    planes: std::ops::Range<u64>,
    /// From here on they are of planes that split pieces within a cell.
    first_split: u64,
    touched: Vec<u32>,
    stage: Stage,
    report: Report,
}

enum Stage {
    Cut { done: Vec<Cuttings>, piece: Option<Box<PieceUnderKnife>> },
    Bond(Gathering),
    Gather(Gathering, NewBonds),
    Done(Vec<Fragment>),
}

/// A piece whose skin is being carved, cell after cell.
struct PieceUnderKnife {
    plan: CarvePlan,
    carved: Vec<Option<Carved>>,
    knife: Knife,
}

impl FractureJob {
    /// Checks the impact, aligns the pattern, and finds the pieces it touches.
    pub fn new(
        compound: &Compound,
        pattern: &Pattern,
        impact: &Impact,
        options: &FractureOptions,
    ) -> Result<FractureJob, FractureError> {
        check(impact, options)?;
        let start = Instant::now();
        let tolerance = Tolerance::for_box(&compound.bounds());
        let touched = touched_pieces(compound, impact);
        let bounds = |&p: &u32| *compound.pieces[p as usize].bounds();
        let reach = touched.iter().map(bounds).fold(Aabb::EMPTY, Aabb::union);
        let first = compound.next_plane;
        let reach = if reach.is_empty() { *pattern.bounds() } else { reach };
        let aligned =
            align(pattern, &impact.body_from_pattern(), first, &reach).ok_or(FractureError::Singular)?;
        let first_split = first + pattern.planes();
        let mut report = Report { touched: touched.len(), ..Report::default() };
        report.times.align = start.elapsed();
        Ok(FractureJob {
            compound: compound.clone(),
            colours: pattern.cells().iter().map(|c| c.colour).collect(),
            impact: *impact,
            options: *options,
            tolerance,
            first_split,
            planes: first..first_split + touched.len() as u64 * split_planes(&aligned.partition),
            aligned,
            touched,
            stage: Stage::Cut { done: Vec::new(), piece: None },
            report,
        })
    }

    /// Works for about the given time, one unit after the other. The result is the same as without stops.
    pub fn advance(&mut self, budget: Duration) -> Progress {
        let start = Instant::now();
        loop {
            self.step();
            let progress = self.progress();
            if progress == Progress::Done || start.elapsed() >= budget {
                return progress;
            }
        }
    }

    /// How far the job is.
    pub fn progress(&self) -> Progress {
        match &self.stage {
            Stage::Cut { done, piece } => {
                let part = piece
                    .as_ref()
                    .map_or(0.0, |p| p.carved.len() as f64 / p.plan.surface_cells().len().max(1) as f64);
                Progress::Cutting((done.len() as f64 + part) / self.touched.len().max(1) as f64)
            }
            Stage::Bond(_) | Stage::Gather(..) => Progress::Gathering,
            Stage::Done(_) => Progress::Done,
        }
    }

    /// Drives the job to the end on all threads of the pool.
    pub fn finish(self) -> Fracture {
        awake(|| self.run())
    }

    pub(super) fn run(mut self) -> Fracture {
        loop {
            match &mut self.stage {
                Stage::Cut { done, piece: None } => {
                    let start = Instant::now();
                    let mut done = std::mem::take(done);
                    let rest = &self.touched[done.len()..];
                    let context = self.context();
                    let pieces = &self.compound.pieces;
                    let first = done.len();
                    let target = |(turn, &index): (usize, &u32)| Target {
                        index,
                        piece: &pieces[index as usize],
                        turn: first + turn,
                    };
                    done.par_extend(rest.par_iter().enumerate().map(|next| context.cut(target(next))));
                    self.report.times.intersect += start.elapsed();
                    self.end_cuts(done);
                }
                Stage::Done(fragments) => {
                    let fragments = std::mem::take(fragments);
                    return Fracture { fragments, report: self.report };
                }
                _ => self.step(),
            }
        }
    }

    fn context(&self) -> CutContext<'_> {
        CutContext {
            partition: &self.aligned.partition,
            fit: self.options.fit,
            tolerance: self.tolerance,
            first_split: self.first_split,
            min_volume: self.options.min_volume.max(self.tolerance.volume()),
            rack: KnifeRack::default(),
        }
    }

    /// The smallest unit of work: a small piece, a cell of a large one, or a stage.
    fn step(&mut self) {
        let start = Instant::now();
        match std::mem::replace(&mut self.stage, Stage::Done(Vec::new())) {
            Stage::Cut { done, piece } => {
                self.cut_step(done, piece);
                self.report.times.intersect += start.elapsed();
            }
            Stage::Bond(gathering) => {
                let bonds = gathering.find_bonds();
                self.stage = Stage::Gather(gathering, bonds);
                self.report.times.bonds += start.elapsed();
            }
            Stage::Gather(gathering, bonds) => {
                let fragments = gathering.fragments(&bonds);
                self.complete(&fragments);
                self.stage = Stage::Done(fragments);
                self.report.times.gather += start.elapsed();
            }
            done @ Stage::Done(_) => self.stage = done,
        }
    }

    fn cut_step(&mut self, mut done: Vec<Cuttings>, piece: Option<Box<PieceUnderKnife>>) {
        let Some(&index) = self.touched.get(done.len()) else { return self.end_cuts(done) };
        let compound = self.compound.clone();
        let target = Target { index, piece: &compound.pieces[index as usize], turn: done.len() };
        let context = self.context();
        let large = target.piece.skin().filter(|s| s.mesh().faces.len() > SMALL);
        let Some(solid) = large.filter(|_| context.only_cell(target.piece).is_none()) else {
            done.push(context.cut(target));
            self.stage = Stage::Cut { done, piece: None };
            return;
        };
        let mut piece = piece.unwrap_or_else(|| {
            let plan = CarvePlan::new(solid, context.partition);
            Box::new(PieceUnderKnife { plan, carved: Vec::new(), knife: Knife::default() })
        });
        let carver = context.carver(target, solid, &piece.plan);
        match piece.plan.surface_cells().get(piece.carved.len()) {
            Some(&cell) => {
                let carved = carver.carve(cell, &mut piece.knife);
                piece.carved.push(carved);
                self.stage = Stage::Cut { done, piece: Some(piece) };
            }
            None => {
                let carved = carver.finish(std::mem::take(&mut piece.carved));
                done.push(context.take(target, carved));
                self.stage = Stage::Cut { done, piece: None };
            }
        }
    }

    fn end_cuts(&mut self, done: Vec<Cuttings>) {
        let start = Instant::now();
        let mut dropped = Dropped::default();
        let mut cuttings = Vec::new();
        for piece in done {
            dropped.add(piece.dropped);
            cuttings.extend(piece.cuttings);
        }
        cuttings.sort_by_key(|c: &Cutting| c.cell);
        self.report.cells = cuttings.chunk_by(|a, b| a.cell == b.cell).count();
        let mut overlaps = Overlaps::new(&self.compound, &self.touched);
        let (cuttings, welds) = weld(&self.aligned.partition, cuttings, |cutting| overlaps.is_held(cutting));
        let cuttings = overlaps.find(cuttings, &self.tolerance, &mut dropped);
        self.report.dropped = dropped;
        self.report.welds = welds;
        self.stage = Stage::Bond(self.gathering(cuttings, overlaps));
        self.report.times.weld += start.elapsed();
    }

    fn gathering(&mut self, cuttings: Vec<Cutting>, mut overlaps: Overlaps) -> Gathering {
        let colours = self.colours_of(&cuttings, &mut overlaps);
        let new = cuttings.into_iter().zip(colours);
        Gathering {
            parent: self.compound.clone(),
            touched: std::mem::take(&mut self.touched),
            new: new.map(|(cutting, colour)| NewPiece { colour, piece: cutting.piece }).collect(),
            planes: self.planes.clone(),
            tolerance: self.tolerance,
            overlaps: overlaps.bonds,
            is_touched: overlaps.is_touched,
        }
    }

    /// What lies beyond the impact joins the pieces that were not touched. Cuttings of a cell that overlap go one way.
    fn colours_of(&self, cuttings: &[Cutting], overlaps: &mut Overlaps) -> Vec<u32> {
        let within = |cutting: &Cutting| {
            cutting.cell < self.aligned.around
                && !cutting.piece.is_ghost()
                && is_touched(&cutting.piece, &self.impact)
        };
        let within = overlaps.spread(cuttings.iter().map(within).collect());
        let colour = |(cutting, within): (&Cutting, bool)| {
            if within { self.colours[cutting.cell as usize] } else { FAR }
        };
        cuttings.iter().zip(within).map(colour).collect()
    }

    fn complete(&mut self, fragments: &[Fragment]) {
        let report = &mut self.report;
        report.fragments = fragments.len();
        report.pieces = fragments.iter().map(|f| f.compound.pieces.len()).sum();
        let mut colours: Vec<Option<u32>> = fragments.iter().map(|f| f.colour).collect();
        colours.sort_unstable();
        colours.dedup();
        report.islands = fragments.len() - colours.len();
        report.exposed = fragments.iter().map(|f| f.exposed.len()).sum();
        report.exposed_area = fragments.iter().flat_map(|f| &f.exposed).map(|e| e.area).sum();
    }
}

/// Skins of fewer faces are cut in one step: that takes less than a frame's budget.
const SMALL: usize = 2000;

fn check(impact: &Impact, options: &FractureOptions) -> Result<(), FractureError> {
    if !impact.point.is_finite() {
        return Err(FractureError::NotFinite("point"));
    }
    if !impact.direction.is_finite() {
        return Err(FractureError::NotFinite("direction"));
    }
    if !impact.deformation.is_finite() {
        return Err(FractureError::NotFinite("deformation"));
    }
    if impact.radius.is_nan() || impact.radius <= 0.0 {
        return Err(FractureError::Radius(impact.radius));
    }
    if options.min_volume.is_nan() || options.min_volume < 0.0 {
        return Err(FractureError::MinVolume(options.min_volume));
    }
    Ok(())
}
