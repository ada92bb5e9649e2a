//! Fracture: work where the hit is, nowhere else.
//!
//! Karo & Yu, section 4.2, with the steps of Müller et al. 2013: align the pattern with the impact, intersect pieces and cells, weld what
//! fills a cell, group by colour, find islands. Departures: a pattern is extended over what is near instead of scaled, touching is decided by line
//! identity, cells of one colour stay together, and impulses are left to who moves bodies.

mod align;
mod cut;
mod fragments;
mod gather;

pub(crate) use fragments::fragments;
pub use fragments::{Exposed, Fragment};

use std::sync::Arc;

use glam::DVec2;
use thiserror::Error;

use crate::pattern::Pattern;
use crate::{Aabb, Compound, Impact, Piece};
use align::align;
use cut::{Cutting, cut_all, weld};
use gather::{FAR, Gathering};

/// What becomes of a pattern that does not cover the pieces near the impact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Cover {
    /// It goes on over them, as far as it knows how: the same Voronoi points in a larger box, more bricks. See [`Pattern::extended`].
    #[default]
    Extend,
    /// It is scaled, evenly and about the impact, until its box holds them: step 2 of Karo & Yu's algorithm.
    Scale,
    /// It stays as it is. What lies outside its box stays together.
    Leave,
}

/// How a fracture treats what it cuts.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FractureOptions {
    /// What becomes of a pattern that is too small.
    pub cover: Cover,
    /// Fragments of less area become debris, in square units of the compound.
    pub min_area: f64,
}

/// Why a fracture cannot begin.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum FractureError {
    /// A number of the impact is NaN or infinite.
    #[error("the impact's {0} is not finite")]
    NotFinite(&'static str),
    /// The radius reaches nothing.
    #[error("the impact's radius is {0}: give a positive number, or infinity for all")]
    Radius(f64),
    /// The deformation flattens the pattern.
    #[error("the impact's deformation flattens the pattern")]
    Singular,
    /// The smallest area is no number.
    #[error("the smallest area is {0}: give zero or a positive number")]
    MinArea(f64),
}

/// What was too small to keep even as debris.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Dropped {
    /// How many slivers.
    pub count: usize,
    /// Their area.
    pub area: f64,
}

/// What a fracture did.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Report {
    /// Pieces within the impact's reach.
    pub touched: usize,
    /// Cells with something in them, those around the pattern's box included.
    pub cells: usize,
    /// Pieces after the cuts.
    pub pieces: usize,
    /// Cells whose pieces were welded to one.
    pub welds: usize,
    /// Fragments.
    pub fragments: usize,
    /// Fragments more than there are colours: parts of one colour that do not hang together.
    pub islands: usize,
    /// The length of the edges newly laid open.
    pub exposed_length: f64,
    /// Slivers.
    pub dropped: Dropped,
}

/// What a fracture made.
#[derive(Clone, Debug)]
pub struct Fracture {
    /// The fragments, in order of their first piece: untouched pieces as they were, then new ones.
    pub fragments: Vec<Fragment>,
    /// Pieces of fragments that were too small: for particles, say.
    pub debris: Vec<Arc<Piece>>,
    /// What was done.
    pub report: Report,
}

impl Fracture {
    /// The area of all fragments and of what was too small: that of the compound.
    pub fn area(&self) -> f64 {
        let kept: f64 = self.fragments.iter().map(|fragment| fragment.compound.mass().area).sum();
        kept + self.debris.iter().map(|piece| piece.mass().area).sum::<f64>() + self.report.dropped.area
    }
}

/// Breaks a compound along a pattern, where it was hit.
///
/// ```
/// use smithereens_planar::{Aabb, Compound, FractureOptions, Impact, Shape, fracture, pattern::Pattern};
/// use glam::DVec2;
/// let plate = Compound::from_shape(&Shape::new(&Aabb::square(1.0).corners(), &[])?);
/// let halves = Pattern::from_points(&[-DVec2::X, DVec2::X], Aabb::square(3.0))?;
/// let broken = fracture(&plate, &halves, &Impact::at(DVec2::ZERO), &FractureOptions::default())?;
/// assert_eq!(broken.fragments.len(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn fracture(
    compound: &Compound,
    pattern: &Pattern,
    impact: &Impact,
    options: &FractureOptions,
) -> Result<Fracture, FractureError> {
    check(impact, options)?;
    let tolerance = compound.tolerance();
    let is_touched: Vec<bool> =
        compound.pieces().iter().map(|piece| piece.is_near(impact.point, impact.radius)).collect();
    let touched: Vec<&Arc<Piece>> =
        compound.pieces().iter().zip(&is_touched).filter(|(_, touched)| **touched).map(|(p, _)| p).collect();
    let reach = touched.iter().fold(Aabb::EMPTY, |reach, piece| reach.union(*piece.bounds()));
    let first_line = compound.next_line();
    let aligned = align(pattern, impact, &reach, options.cover, first_line).ok_or(FractureError::Singular)?;
    let mut report = Report { touched: touched.len(), ..Report::default() };
    let mut cuttings = cut_all(&touched, &aligned, &tolerance, &mut report.dropped);
    report.cells = count_changes(cuttings.iter().map(|cutting| cutting.cell));
    report.welds = weld(&mut cuttings, &aligned);
    let colour = |cutting: &Cutting| match aligned.cells[cutting.cell as usize].colour {
        Some(colour) if cutting.piece.is_near(impact.point, impact.radius) => colour,
        _ => FAR,
    };
    let colours: Vec<u32> = cuttings.iter().map(colour).collect();
    let new = cuttings.into_iter().map(|cutting| cutting.piece).collect();
    let gathering = Gathering {
        parent: compound,
        is_touched,
        new,
        colours,
        lines: first_line..aligned.next_line,
        tolerance,
    };
    Ok(gathering.fracture(options.min_area, report))
}

fn check(impact: &Impact, options: &FractureOptions) -> Result<(), FractureError> {
    let finite = |is_finite: bool, name| if is_finite { Ok(()) } else { Err(FractureError::NotFinite(name)) };
    finite(impact.point.is_finite(), "point")?;
    finite(impact.direction.is_finite(), "direction")?;
    finite(impact.deformation.is_finite(), "deformation")?;
    if impact.radius.is_nan() || impact.radius <= 0.0 {
        return Err(FractureError::Radius(impact.radius));
    }
    if options.min_area.is_nan() || options.min_area < 0.0 {
        return Err(FractureError::MinArea(options.min_area));
    }
    Ok(())
}

/// How many runs of equal numbers there are.
fn count_changes(numbers: impl Iterator<Item = u32>) -> usize {
    let mut before = None;
    numbers.filter(|&number| before.replace(number) != Some(number)).count()
}

/// The corners of a box as `map` moves them, in their box.
fn moved(bounds: &Aabb, map: &glam::DAffine2) -> Aabb {
    Aabb::around(bounds.corners().map(|corner: DVec2| map.transform_point2(corner)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pattern::{Slices, Uniform, Web};
    use crate::{Convex, Shape};
    use glam::{DMat2, DVec2};

    fn frame() -> Compound {
        let hole = Aabb::square(1.0).corners().to_vec();
        Compound::from_shape(&Shape::new(&Aabb::square(2.0).corners(), &[hole]).unwrap())
    }

    #[test]
    fn wrong_numbers_are_named() {
        let pattern = Uniform::default().pattern().unwrap();
        let error = |impact: Impact, min_area| {
            let options = FractureOptions { min_area, ..FractureOptions::default() };
            fracture(&frame(), &pattern, &impact, &options).unwrap_err()
        };
        let here = Impact::at(DVec2::ZERO);
        assert_eq!(error(Impact::at(DVec2::NAN), 0.0), FractureError::NotFinite("point"));
        assert_eq!(error(Impact { radius: 0.0, ..here }, 0.0), FractureError::Radius(0.0));
        assert_eq!(error(Impact { deformation: DMat2::ZERO, ..here }, 0.0), FractureError::Singular);
        assert_eq!(error(here, -1.0), FractureError::MinArea(-1.0));
    }

    #[test]
    fn what_is_far_is_shared_and_stays_together() {
        let whole = frame();
        let pattern = Uniform { bounds: Aabb::square(0.3), cells: 9, seed: 1 }.pattern().unwrap();
        let impact = Impact { radius: 0.3, ..Impact::at(DVec2::new(1.5, 0.0)) };
        let options = FractureOptions { cover: Cover::Leave, ..FractureOptions::default() };
        let broken = fracture(&whole, &pattern, &impact, &options).unwrap();
        assert!((broken.area() - 12.0).abs() < 1e-12);
        let rest = &broken.fragments[0];
        assert_eq!(rest.colour, None);
        assert!(rest.compound.mass().area > 11.0);
        let is_shared = |piece: &Arc<Piece>| whole.pieces().iter().any(|own| Arc::ptr_eq(own, piece));
        assert_eq!(rest.compound.pieces().iter().filter(|piece| is_shared(piece)).count(), 3);
        assert!(broken.fragments.len() > 5);
    }

    #[test]
    fn a_small_pattern_is_extended_scaled_or_left() {
        let whole = frame();
        let pattern = Uniform { bounds: Aabb::square(0.5), cells: 40, seed: 1 }.pattern().unwrap();
        let largest = |cover| {
            let options = FractureOptions { cover, ..FractureOptions::default() };
            let broken = fracture(&whole, &pattern, &Impact::at(DVec2::new(1.5, 0.0)), &options).unwrap();
            assert!((broken.area() - 12.0).abs() < 1e-12);
            broken.fragments.iter().map(|fragment| fragment.compound.mass().area).fold(0.0, f64::max)
        };
        let [extend, scale, leave] = [Cover::Extend, Cover::Scale, Cover::Leave].map(largest);
        assert!(scale < extend && extend < leave && leave > 10.9, "{scale} {extend} {leave}");
    }

    #[test]
    fn cells_that_pieces_fill_become_one_piece() {
        let tiles = (0..16).map(|i| {
            let low = DVec2::new(f64::from(i % 4), f64::from(i / 4));
            Convex::from_box(&Aabb::new(low, low + 1.0))
        });
        let wall = Compound::from_convexes(tiles.collect()).unwrap();
        let halves = Slices { slices: 2, bounds: Aabb::square(2.0), ..Slices::default() }.pattern().unwrap();
        let broken =
            fracture(&wall, &halves, &Impact::at(DVec2::splat(2.0)), &FractureOptions::default()).unwrap();
        assert_eq!((broken.report.welds, broken.report.pieces, broken.fragments.len()), (2, 2, 2));
    }

    #[test]
    fn what_is_too_small_is_debris() {
        let web = Web { radius: 0.8, ..Web::default() }.pattern().unwrap();
        let options = FractureOptions { min_area: 0.05, ..FractureOptions::default() };
        let broken = fracture(&frame(), &web, &Impact::at(DVec2::new(1.5, 0.0)), &options).unwrap();
        assert!(!broken.debris.is_empty());
        assert!(broken.fragments.iter().all(|fragment| fragment.compound.mass().area >= 0.05));
        assert!((broken.area() - 12.0).abs() < 1e-12);
    }

    #[test]
    fn islands_of_one_colour_come_apart() {
        let stripe = Pattern::from_points(&[DVec2::ZERO], Aabb::square(5.0)).unwrap();
        let halves = Slices { slices: 2, bounds: Aabb::square(5.0), ..Slices::default() }.pattern().unwrap();
        let all = FractureOptions::default();
        let one = fracture(&frame(), &stripe, &Impact::at(DVec2::ZERO), &all).unwrap();
        assert_eq!((one.fragments.len(), one.report.islands), (1, 0));
        let cs = &fracture(&frame(), &halves, &Impact::at(DVec2::ZERO), &all).unwrap().fragments[0]
            .compound
            .clone();
        let bars = fracture(cs, &halves, &Impact::at(DVec2::new(-0.5, 0.0)), &all).unwrap();
        assert_eq!((bars.fragments.len(), bars.report.islands), (3, 1));
    }
}
