//! The light steps in order: what is there stays where it is, and what is missing is added.

use crate::bvh::Bvh;
use crate::clean::{drop_collapsed, drop_duplicates};
use crate::holes;
use crate::orient::{orient_alike, orient_outward};
use crate::repair::{Level, RepairOptions};
use crate::sheets;
use crate::soup::Soup;
use crate::step::{Step, StepKind};
use crate::twins::{NONE, Parts, pair, parts};
use crate::weld::{near_tolerance, weld_equal, weld_near};
use crate::winding_tree::WindingTree;

/// What became of a soup.
pub(crate) enum Mended {
    /// A closed surface, wound outward.
    Closed(Soup),
    /// So many edges are open that filling between them would be guesswork.
    Hopeless(Soup),
}

/// A soup is hopeless if more than this share of its edges stays open,
const MOST_OPEN: f64 = 0.3;
/// and more than this many parts are.
const MOST_PARTS: usize = 16;

/// Runs all light steps.
pub(crate) fn mend(mut soup: Soup, options: &RepairOptions, steps: &mut Vec<Step>) -> Mended {
    clean(&mut soup, steps);
    let mut twins = join_edges(&mut soup, steps);
    if options.level != Level::Light && is_hopeless(&soup, &twins) {
        return Mended::Hopeless(soup);
    }
    drop_scraps(&mut soup, &mut twins, steps);
    tell(steps, StepKind::Split, soup.separate_fans(&twins));
    close(&mut soup, &mut twins, options, steps);
    let parts = parts(&soup, &twins);
    if let Some(keep) = sheets::without_flat(&soup, &parts) {
        tell(steps, StepKind::DropFlat, holes::retain(&mut soup, &mut twins, &keep));
    }
    let parts = self::parts(&soup, &twins);
    tell(steps, StepKind::TurnOutward, orient_outward(&mut soup, &parts));
    Mended::Closed(soup)
}

fn is_hopeless(soup: &Soup, twins: &[u32]) -> bool {
    let open = twins.iter().filter(|t| **t == NONE).count();
    open as f64 > MOST_OPEN * twins.len() as f64 && {
        let open_parts = sheets::open_parts(&parts(soup, twins), twins);
        open_parts.into_iter().filter(|open| *open).count() > MOST_PARTS
    }
}

/// Adds to a step of the same kind, if that is what was done before.
fn tell(steps: &mut Vec<Step>, kind: StepKind, changed: usize) {
    match steps.iter_mut().find(|s| s.kind == kind) {
        Some(step) => step.changed += changed,
        None if changed > 0 => steps.push(Step::new(kind, changed)),
        None => {}
    }
}

fn clean(soup: &mut Soup, steps: &mut Vec<Step>) {
    tell(steps, StepKind::Weld, weld_equal(soup));
    drop_useless(soup, steps);
    let tolerance = near_tolerance(soup);
    if tolerance > 0.0 {
        let welded = weld_near(soup, tolerance);
        tell(steps, StepKind::Weld, welded);
        if welded > 0 {
            drop_useless(soup, steps);
        }
    }
    tell(steps, StepKind::OrientAlike, orient_alike(soup));
}

fn drop_useless(soup: &mut Soup, steps: &mut Vec<Step>) {
    tell(steps, StepKind::DropDegenerate, drop_collapsed(soup));
    tell(steps, StepKind::DropDuplicate, drop_duplicates(soup));
}

fn join_edges(soup: &mut Soup, steps: &mut Vec<Step>) -> Vec<u32> {
    let (mut twins, _) = pair(soup);
    tell(steps, StepKind::Zip, holes::zip(soup, &mut twins));
    twins
}

fn drop_scraps(soup: &mut Soup, twins: &mut Vec<u32>, steps: &mut Vec<Step>) {
    let parts = parts(soup, twins);
    let open = sheets::open_parts(&parts, twins);
    let keep = sheets::without_scraps(soup, &parts, &open);
    tell(steps, StepKind::DropScraps, holes::retain(soup, twins, &keep));
}

/// Fills holes; what is a sheet gets a thickness instead, or goes if it is buried.
fn close(soup: &mut Soup, twins: &mut Vec<u32>, options: &RepairOptions, steps: &mut Vec<Step>) {
    let parts = parts(soup, twins);
    let mut loops_of: Vec<Vec<Vec<u32>>> = vec![Vec::new(); parts.triangles.len()];
    for edges in holes::loops(soup, twins) {
        loops_of[parts.of[edges[0] as usize / 3] as usize].push(edges);
    }
    let mut found = Vec::new();
    for (part, loops) in loops_of.iter().enumerate().filter(|(_, loops)| !loops.is_empty()) {
        let triangles = soup.triangles.len();
        let filled = sheets::fill_all(soup, twins, loops);
        let is_sheet = sheets::is_sheet(soup, &parts.triangles[part], &filled);
        if options.level != Level::Light && is_sheet {
            soup.triangles.truncate(triangles);
            twins.truncate(triangles * 3);
            loops.iter().flatten().for_each(|&edge| twins[edge as usize] = NONE);
            found.push(part);
        } else {
            tell(steps, StepKind::FillHoles, loops.len());
        }
    }
    treat_sheets(soup, twins, &parts, &found, options, steps);
}

fn treat_sheets(
    soup: &mut Soup,
    twins: &mut Vec<u32>,
    parts: &Parts,
    found: &[usize],
    options: &RepairOptions,
    steps: &mut Vec<Step>,
) {
    if found.is_empty() {
        return;
    }
    let mut is_sheet = vec![false; soup.triangles.len()];
    found.iter().flat_map(|&p| &parts.triangles[p]).for_each(|&t| is_sheet[t as usize] = true);
    let rest: Vec<u32> = (0..soup.triangles.len() as u32).filter(|&t| !is_sheet[t as usize]).collect();
    let rest = WindingTree::of_part(soup, &rest);
    let tree = Bvh::of(soup);
    let thickness = soup.bounds().extent() * options.thickness;
    let mut keep = vec![true; soup.triangles.len()];
    let mut thickened = 0;
    for &part in found {
        let sheet = &parts.triangles[part];
        if sheets::is_buried(soup, &rest, sheet) {
            sheet.iter().for_each(|&t| keep[t as usize] = false);
        } else {
            sheets::thicken(soup, twins, sheet, &tree, thickness);
            thickened += 1;
        }
    }
    keep.resize(soup.triangles.len(), true);
    tell(steps, StepKind::Thicken, thickened);
    tell(steps, StepKind::DropFlat, holes::retain(soup, twins, &keep));
}
