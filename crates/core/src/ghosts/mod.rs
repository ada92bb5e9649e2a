//! Ghosts: what pieces have in common that overlap.
//!
//! Müller et al. 2013, section 4.3: for each pair of overlapping convexes a ghost of negative volume, so that volumes
//! add up and the pair hangs together. Departures:
//!
//! - What three pieces have in common is taken off three times and was there three times: it counts once more, as a
//!   ghost of three layers, and so on (inclusion and exclusion). A set of pieces is only made larger while it has
//!   something in common.
//! - A piece wholly inside another has one ghost, with the one around it: all others would come in pairs that cancel.
//! - A ghost is bound to its pieces because it lies in them, not by faces in one plane: so pieces inside others are
//!   bound, too.
//! - Skins that do not fill their convexes are put first, and a ghost is what the skin of its first piece has in the
//!   convexes of the others. So the sum is what each skin has outside of the convexes after it: never negative, in no
//!   cell, and exact if the others fill their convexes. Where they do not, the ghost counts by the share of it that
//!   is in their skins.

mod pairs;
mod skins;

use smithereens_geometry::{Clip, Convex, ConvexClipper, Cut, Solid, Tolerance};

use self::pairs::Pairs;
use crate::{CompoundError, Piece};

/// A ghost, and the pieces that it lies in.
pub(crate) struct Ghost {
    pub piece: Piece,
    pub parents: Vec<u32>,
}

/// So many ghosts a piece, and some more, are what models have that are put together from parts.
const MOST_A_PIECE: usize = 64;
const MOST: usize = 4096;

/// The ghosts of pieces whose planes have identities.
pub(crate) fn ghosts(pieces: &[Piece], tolerance: &Tolerance) -> Result<Vec<Ghost>, CompoundError> {
    let pairs = Pairs::find(pieces, tolerance);
    let mut search =
        Search { pieces, pairs: &pairs, tolerance, ghosts: Vec::new(), clipper: ConvexClipper::default() };
    for first in 0..pieces.len() as u32 {
        search.of_first(pairs.by_rank(first))?;
    }
    Ok(search.ghosts)
}

struct Search<'a> {
    pieces: &'a [Piece],
    pairs: &'a Pairs,
    tolerance: &'a Tolerance,
    ghosts: Vec<Ghost>,
    clipper: ConvexClipper,
}

/// What some pieces have in common.
struct Common {
    parents: Vec<u32>,
    convex: Convex,
    /// The skin of the first piece in it, if that does not fill its convex.
    skin: Option<Solid>,
    /// How much of it is in the skins of all.
    share: f64,
}

impl Search<'_> {
    /// Finds the ghosts whose first piece this is.
    fn of_first(&mut self, first: u32) -> Result<(), CompoundError> {
        let piece = &self.pieces[first as usize];
        let skin = piece.skin().filter(|_| !self.pairs.fills(first)).cloned();
        let common = Common { parents: vec![first], convex: piece.convex().clone(), skin, share: 1.0 };
        match self.pairs.around(first) {
            Some(around) => {
                let parents = vec![first, around];
                self.keep(&Common { parents, ..common })
            }
            None => self.extend(&common, self.pairs.after(first)),
        }
    }

    /// Finds the ghosts of these pieces and one or more of the `candidates`, which overlap all of them.
    fn extend(&mut self, common: &Common, candidates: &[u32]) -> Result<(), CompoundError> {
        for (index, &next) in candidates.iter().enumerate() {
            let Some(smaller) = self.within(common, next) else { continue };
            self.keep(&smaller)?;
            let overlaps_next = |other: &u32| self.pairs.after(next).contains(other);
            let rest: Vec<u32> = candidates[index + 1..].iter().copied().filter(overlaps_next).collect();
            self.extend(&smaller, &rest)?;
        }
        Ok(())
    }

    /// What these pieces have in common with another.
    fn within(&mut self, common: &Common, other: u32) -> Option<Common> {
        let shape = self.pieces[other as usize].convex();
        let convex = intersection(&common.convex, shape, &mut self.clipper)?;
        if is_thin(&convex, self.tolerance) {
            return None;
        }
        let skin = match &common.skin {
            Some(skin) => Some(skin.clipped_by(shape)?),
            None => None,
        };
        let parents = common.parents.iter().copied().chain([other]).collect();
        let share = common.share * self.pairs.share(common.parents[0], other);
        Some(Common { parents, convex, skin, share })
    }

    /// Whether all these pieces end in a plane. Where one goes on beyond it, what the others have there is covered all the same:
    /// a face of the ghost would take that off.
    fn end_in(&self, parents: &[u32], cut: Cut) -> bool {
        let ends = |&piece: &u32| {
            self.pieces[piece as usize].convex().faces().iter().any(|face| face.cut == Some(cut))
        };
        parents.iter().all(ends)
    }

    /// Makes a ghost of each part that hangs together.
    fn keep(&mut self, common: &Common) -> Result<(), CompoundError> {
        let Common { parents, convex, skin, share } = common;
        let weight = if parents.len().is_multiple_of(2) { -share } else { *share };
        let pieces = match skin {
            Some(skin) => {
                let parts = skin.clone().parts().into_iter();
                parts.map(|part| Piece::surface(convex.clone(), part)).collect()
            }
            None => vec![Piece::interior(convex.clone())],
        };
        for mut piece in pieces.into_iter().filter(|p| p.mass().volume > self.tolerance.volume()) {
            piece.retain_cuts(|cut| self.end_in(parents, cut));
            let piece = piece.bared(self.tolerance).into_ghost(parents.len() as u32, weight);
            self.ghosts.push(Ghost { piece, parents: parents.clone() });
        }
        if self.ghosts.len() > MOST + MOST_A_PIECE * self.pieces.len() {
            return Err(CompoundError::TooManyOverlaps(parents[0] as usize));
        }
        Ok(())
    }
}

/// Whether two convexes overlap by more than the tolerance.
pub(crate) fn do_overlap(a: &Convex, b: &Convex, tolerance: &Tolerance) -> bool {
    let common = intersection(a, b, &mut ConvexClipper::default());
    common.is_some_and(|convex| !is_thin(&convex, tolerance))
}

/// What two convexes have in common, with the marks of both.
fn intersection(a: &Convex, b: &Convex, clipper: &mut ConvexClipper) -> Option<Convex> {
    let mut convex = a.clone();
    let gone = b.faces().iter().any(|face| clipper.clip(&mut convex, &face.halfspace()) == Clip::Nothing);
    (!gone).then_some(convex)
}

/// Whether a convex is no thicker than the tolerance: pieces that touch may overlap as much.
fn is_thin(convex: &Convex, tolerance: &Tolerance) -> bool {
    let surface: f64 = (0..convex.faces().len()).map(|face| convex.face_area(face)).sum();
    convex.volume() <= tolerance.volume().max(surface * tolerance.length())
}
