//! Shells that pass through one another become one: an exact union of a closed surface with itself.
//!
//! 1. `grid`: every vertex is put on a grid of two in a trillion of the extent, so that side tests are exact;
//! 2. `meet`: what any two triangles have in common, points and chords, also in one plane; `points` makes each point once;
//! 3. `carve`: each triangle is cut along its chords (`triangulation`);
//! 4. `layers`: triangles on the same corners become one layer, and the order `around` every edge tells how often the surface
//!    winds around what is in front of it and behind it;
//! 5. what has the inside (one or more) on one side and the outside (zero or less) on the other is kept.
//!
//! The border of a region of space has no holes: the result is closed by construction. Only places are rounded, at the end.

mod around;
mod arrangement;
mod carve;
mod grid;
mod layers;
mod meet;
mod points;
mod triangulation;

use smithereens_geometry::{Aabb, MassSum, Mesh, islands::islands};
use thiserror::Error;

use crate::inspect::crossing::do_cross;
use crate::soup::Soup;
use arrangement::Arrangement;
use layers::windings;
use triangulation::Stuck;

/// Shells are united if more than this share of the volume is counted twice: less is rounding.
const DOUBLED: f64 = 1e-9;

/// A mesh whose shells are one.
pub(crate) struct United {
    pub soup: Soup,
    /// How many shells were cut, or went.
    pub shells: usize,
}

/// Why shells could not be united.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Unfit {
    /// An edge has only one side.
    #[error("the surface is not closed")]
    Open,
    /// Triangles in one plane have other edges where they overlap.
    #[error("triangles that cover each other were not cut alike")]
    Folded,
    /// Winding numbers around an edge contradict each other.
    #[error("going around an edge and back gives another winding number")]
    Twisted,
    /// Whether a shell is inside another cannot be told.
    #[error("a shell touches another too closely to tell if it is inside")]
    Near,
    /// A triangle's chords cannot be made edges.
    #[error("a triangle could not be cut along its chords")]
    Stuck,
    /// The result has another volume than it should.
    #[error("the volume is more than that of all shells, or none")]
    Volume,
    /// The result is no solid.
    #[error("what came out encloses nothing")]
    NoSolid,
}

/// Where overlaps are looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Look {
    /// Between shells.
    Between,
    /// Also within a shell: does it pass through itself? Takes longer.
    Within,
}

impl From<Stuck> for Unfit {
    fn from(_: Stuck) -> Unfit {
        Unfit::Stuck
    }
}

/// Makes shells that pass through one another, or lie in one another and look the same way, one; and each that passes through
/// itself, if that is looked for. Nothing, if no volume is counted twice, nor turned inside out. The mesh must be closed, as that
/// of a solid is.
pub(crate) fn unite(mesh: &Mesh, look: Look) -> Result<Option<United>, Unfit> {
    let shells = islands(mesh);
    let overlap = do_overlap(mesh, &shells);
    if !overlap && look == Look::Between {
        return Ok(None);
    }
    let (soup, _) = Soup::of(mesh);
    if !overlap && !do_cross(&soup) {
        return Ok(None);
    }
    let arrangement = Arrangement::of(&soup)?;
    let front = windings(&arrangement.points, &arrangement.layers, |point| arrangement.place(point))?;
    let united = arrangement.volume(&front, |winding| i32::from(winding > 0));
    let doubled = arrangement.volume(&front, |winding| (winding - 1).max(0));
    let folded = arrangement.volume(&front, |winding| (-winding).max(0));
    let wrong = if look == Look::Within { doubled + folded } else { doubled };
    if wrong <= DOUBLED * united.abs() {
        return Ok(None);
    }
    if !is_expected(mesh, &shells, united, folded) {
        return Err(Unfit::Volume);
    }
    Ok(Some(arrangement.united(&soup, &front, &shells)))
}

/// Whether the boxes around two shells overlap.
fn do_overlap(mesh: &Mesh, shells: &[Vec<u32>]) -> bool {
    let place = |c: usize| mesh.positions[mesh.corners[c] as usize];
    let around = |shell: &Vec<u32>| {
        Aabb::of_points(shell.iter().flat_map(|&f| mesh.face_corners(f as usize)).map(place))
    };
    let mut boxes: Vec<Aabb> = shells.iter().map(around).collect();
    boxes.sort_by(|a, b| a.min.x.total_cmp(&b.min.x));
    (0..boxes.len()).any(|i| {
        let mut near = boxes[i + 1..].iter().take_while(|b| b.min.x <= boxes[i].max.x);
        near.any(|b| b.overlaps(&boxes[i]))
    })
}

/// Whether a volume is that of something, and at most that of all shells and of what they take off where they are folded inside out. It
/// may be less than that of the largest: one that passes through itself counts part of its own volume twice, and a cavity may cut
/// into it.
fn is_expected(mesh: &Mesh, shells: &[Vec<u32>], united: f64, folded: f64) -> bool {
    let volumes: Vec<f64> = shells.iter().map(|shell| shell_volume(mesh, shell)).collect();
    let most: f64 = volumes.iter().filter(|v| **v > 0.0).sum();
    united.is_finite() && united > 0.0 && united <= (most + folded.max(0.0)) * (1.0 + DOUBLED)
}

fn shell_volume(mesh: &Mesh, shell: &[u32]) -> f64 {
    let at = |c: usize| mesh.positions[mesh.corners[c] as usize];
    let mut sum = MassSum::about(at(mesh.face_corners(shell[0] as usize).start));
    let loops = shell.iter().flat_map(|&f| mesh.face_loops(f as usize));
    loops.for_each(|index| sum.add_polygon(mesh.loop_corners(index).map(at)));
    sum.volume()
}
