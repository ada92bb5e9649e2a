//! The pieces of a compound, in runs that compounds share.
//!
//! A fracture changes few of a large compound's pieces. So the list is cut into short runs, and what stays of the
//! compound shares all runs but those in which a piece changed: it costs a count a run, not one a piece.

use std::ops::Index;
use std::sync::Arc;

use glam::DVec3;
use rayon::prelude::*;
use smithereens_geometry::{Aabb, Mass};

use crate::Piece;

/// The pieces of a compound.
#[derive(Clone, Debug)]
pub struct Pieces {
    runs: Vec<Run>,
    len: usize,
}

/// Short enough that copying one costs little, long enough that there are few.
const RUN: usize = 64;

/// Enough runs that a task is worth its while.
const RUNS_A_TASK: usize = 16;

/// What is asked of whole runs lies side by side; the rest is shared.
#[derive(Clone, Debug)]
struct Run {
    bounds: Aabb,
    /// What counts.
    mass: Mass,
    /// What counts less: its sum is apart, as sums that may come to nothing have no centre.
    less: Mass,
    pieces: Arc<[Arc<Piece>]>,
    boxes: Arc<[Aabb]>,
}

impl Run {
    fn new(pieces: Arc<[Arc<Piece>]>) -> Run {
        let boxes: Arc<[Aabb]> = pieces.iter().map(|p| *p.bounds()).collect();
        Run {
            bounds: boxes.iter().fold(Aabb::EMPTY, |all, b| all.union(*b)),
            mass: Mass::total(pieces.iter().map(|p| p.mass()).filter(|m| m.volume >= 0.0)),
            less: Mass::total(pieces.iter().map(|p| p.mass()).filter(|m| m.volume < 0.0)),
            pieces,
            boxes,
        }
    }
}

impl Pieces {
    pub(crate) fn new(pieces: Vec<Arc<Piece>>) -> Pieces {
        let runs = pieces.par_chunks(RUN).with_min_len(RUNS_A_TASK).map(|run| Run::new(run.into())).collect();
        Pieces { runs, len: pieces.len() }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// A piece, if the index is one.
    pub fn get(&self, index: usize) -> Option<&Arc<Piece>> {
        self.runs.get(index / RUN)?.pieces.get(index % RUN)
    }

    /// All of them, in order.
    pub fn iter(&self) -> PiecesIter<'_> {
        PiecesIter { pieces: self, next: 0 }
    }

    /// Their mass as one body. The runs are fixed and added in order: the same bits on any number of threads.
    pub(crate) fn mass(&self) -> Mass {
        let mass = Mass::total(self.runs.iter().map(|run| &run.mass));
        if !self.have_ghosts() {
            return mass;
        }
        Mass::total([mass, Mass::total(self.runs.iter().map(|run| &run.less))].iter())
    }

    /// Whether any are ghosts. Where some are, some have two layers: these count less.
    pub(crate) fn have_ghosts(&self) -> bool {
        self.runs.iter().any(|run| run.less.volume < 0.0)
    }

    /// The box around all.
    pub(crate) fn bounds(&self) -> Aabb {
        self.runs.iter().fold(Aabb::EMPTY, |all, run| all.union(run.bounds))
    }

    /// The pieces whose boxes a sphere reaches, in order.
    pub(crate) fn near(&self, point: DVec3, radius: f64) -> impl Iterator<Item = u32> {
        let reached = move |b: &Aabb| b.distance_squared(point) <= radius * radius;
        let runs = self.runs.iter().enumerate().filter(move |(_, run)| reached(&run.bounds));
        runs.flat_map(move |(index, run)| {
            let boxes = run.boxes.iter().zip((index * RUN) as u32..);
            boxes.filter(move |(b, _)| reached(b)).map(|(_, piece)| piece)
        })
    }

    /// The first `len` pieces, with those in `changes` put at their places; they are sorted, and fill all places that
    /// there were not before.
    pub(crate) fn edited(&self, len: usize, changes: Vec<(u32, Arc<Piece>)>) -> Pieces {
        let mut changes = changes.into_iter().peekable();
        let mut runs = Vec::with_capacity(len.div_ceil(RUN));
        for start in (0..len).step_by(RUN) {
            let (before, after) = (self.len.saturating_sub(start).min(RUN), (len - start).min(RUN));
            let old = self.runs.get(start / RUN);
            let is_changed = changes.peek().is_some_and(|c| (c.0 as usize) < start + RUN);
            if let Some(run) = old.filter(|_| !is_changed && before == after) {
                runs.push(run.clone());
                continue;
            }
            let mut pieces = Vec::with_capacity(after);
            pieces.extend_from_slice(old.map_or(&[], |run| &run.pieces[..before.min(after)]));
            while let Some((place, piece)) = changes.next_if(|c| (c.0 as usize) < start + RUN) {
                match pieces.get_mut(place as usize - start) {
                    Some(old) => *old = piece,
                    None => pieces.push(piece),
                }
            }
            runs.push(Run::new(pieces.into()));
        }
        Pieces { runs, len }
    }

    /// Heap memory in bytes, shared pieces included.
    pub(crate) fn heap_bytes(&self) -> usize {
        let each = size_of::<Piece>() + size_of::<Arc<Piece>>() + size_of::<Aabb>();
        let pieces: usize = self.iter().map(|p| p.heap_bytes() + each).sum();
        pieces + self.runs.capacity() * size_of::<Run>()
    }
}

impl Index<usize> for Pieces {
    type Output = Arc<Piece>;

    fn index(&self, index: usize) -> &Arc<Piece> {
        &self.runs[index / RUN].pieces[index % RUN]
    }
}

/// The pieces of a compound, one after the other.
#[derive(Clone, Debug)]
pub struct PiecesIter<'a> {
    pieces: &'a Pieces,
    next: usize,
}

impl<'a> Iterator for PiecesIter<'a> {
    type Item = &'a Arc<Piece>;

    fn next(&mut self) -> Option<&'a Arc<Piece>> {
        let piece = self.pieces.get(self.next)?;
        self.next += 1;
        Some(piece)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.pieces.len - self.next;
        (left, Some(left))
    }
}

impl ExactSizeIterator for PiecesIter<'_> {}

impl<'a> IntoIterator for &'a Pieces {
    type Item = &'a Arc<Piece>;
    type IntoIter = PiecesIter<'a>;

    fn into_iter(self) -> PiecesIter<'a> {
        self.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use smithereens_geometry::Convex;

    fn boxed(x: f64) -> Arc<Piece> {
        let min = DVec3::new(x, 0.0, 0.0);
        Arc::new(Piece::interior(Convex::from_box(&Aabb::new(min, min + 1.0))))
    }

    #[test]
    fn an_edited_list_is_the_list_made_anew() {
        let row: Vec<Arc<Piece>> = (0..200).map(|i| boxed(i as f64)).collect();
        let list = Pieces::new(row.clone());
        for (len, places) in
            [(200, vec![3, 64, 199]), (190, vec![10]), (128, vec![]), (260, (200..260).collect())]
        {
            let mut expected = row.clone();
            expected.resize_with(len, || boxed(0.0));
            let changes: Vec<(u32, Arc<Piece>)> =
                places.iter().map(|&p| (p, boxed(1000.0 + p as f64))).collect();
            changes.iter().for_each(|(place, piece)| expected[*place as usize] = piece.clone());
            let edited = list.edited(len, changes);
            assert_eq!((edited.len(), edited.iter().len()), (len, len));
            assert!(edited.iter().zip(&expected).all(|(a, b)| Arc::ptr_eq(a, b)));
            let anew = Pieces::new(expected);
            assert_eq!((edited.mass(), edited.bounds()), (anew.mass(), anew.bounds()));
        }
    }

    #[test]
    fn a_sphere_reaches_what_is_near() {
        let list = Pieces::new((0..200).map(|i| boxed(i as f64)).collect());
        let near: Vec<u32> = list.near(DVec3::new(66.5, 0.5, 0.5), 2.0).collect();
        assert_eq!(near, [64, 65, 66, 67, 68]);
        assert_eq!(list.near(DVec3::ZERO, f64::INFINITY).count(), 200);
    }
}
