//! Identities for the planes between Voronoi cells.

use rayon::prelude::*;

use super::{Across, VoronoiCell};
use crate::{Cut, PlaneId, Side};

/// Cells a thread takes at a time.
const CELLS_A_TASK: usize = 256;

/// Marks the faces of Voronoi cells with identities from `first` on: a wall of the box by its
/// number, the face between two points by a number of their own. Returns how many were used.
pub fn mark_cells(cells: &mut [VoronoiCell], first: u64) -> u64 {
    let pairs = Pairs::of(cells);
    cells.par_iter_mut().with_min_len(CELLS_A_TASK).enumerate().for_each(|(index, cell)| {
        for (face, across) in cell.convex.faces.iter_mut().zip(&cell.across) {
            face.cut = Some(match *across {
                Across::Wall(wall) => Cut::new(PlaneId::new(first + wall as u64), wall_side(wall)),
                Across::Point(other) => {
                    let rank = pairs.rank(index as u32, other).unwrap_or(0);
                    let side = if (index as u32) < other { Side::Behind } else { Side::Front };
                    Cut::new(PlaneId::new(first + 6 + rank as u64), side)
                }
            });
        }
    });
    6 + pairs.high.len() as u64
}

/// The canonical plane of a wall has its normal along the positive axis.
fn wall_side(wall: u8) -> Side {
    if wall & 1 == 0 { Side::Front } else { Side::Behind }
}

/// The pairs of cells that share a face, in order: for each cell the higher numbers of those next to it.
struct Pairs {
    starts: Vec<u32>,
    high: Vec<u32>,
}

impl Pairs {
    fn of(cells: &[VoronoiCell]) -> Pairs {
        let mut pairs = Pairs { starts: vec![0], high: Vec::new() };
        for (index, cell) in (0u32..).zip(cells) {
            let start = pairs.high.len();
            pairs.high.extend(neighbours(cell).filter(|&other| other > index));
            pairs.high[start..].sort_unstable();
            pairs.starts.push(pairs.high.len() as u32);
        }
        // By rounding, a face may be there from the side of the higher cell only.
        let is_stray = |&(index, other): &(u32, u32)| other < index && pairs.rank(index, other).is_none();
        let strays: Vec<(u32, u32)> = (0u32..)
            .zip(cells)
            .flat_map(|(index, cell)| neighbours(cell).map(move |other| (index, other)))
            .filter(is_stray)
            .collect();
        if strays.is_empty() { pairs } else { pairs.with(strays) }
    }

    #[cold]
    fn with(self, strays: Vec<(u32, u32)>) -> Pairs {
        let mut all: Vec<(u32, u32)> = strays.into_iter().map(|(high, low)| (low, high)).collect();
        for (low, span) in (0u32..).zip(self.starts.windows(2)) {
            all.extend(self.high[span[0] as usize..span[1] as usize].iter().map(|&high| (low, high)));
        }
        all.sort_unstable();
        let start_of = |low: u32| all.partition_point(|pair| pair.0 < low) as u32;
        Pairs {
            starts: (0..self.starts.len() as u32).map(start_of).collect(),
            high: all.iter().map(|pair| pair.1).collect(),
        }
    }

    fn rank(&self, a: u32, b: u32) -> Option<u32> {
        let (low, high) = (a.min(b) as usize, a.max(b));
        let (start, end) = (self.starts[low], self.starts[low + 1]);
        let found = self.high[start as usize..end as usize].iter().position(|&h| h == high)?;
        Some(start + found as u32)
    }
}

fn neighbours(cell: &VoronoiCell) -> impl Iterator<Item = u32> {
    cell.across.iter().filter_map(|across| match *across {
        Across::Point(other) => Some(other),
        Across::Wall(_) => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_face_that_only_the_higher_cell_has_gets_its_own_number() {
        let cell = |across: &[u32]| VoronoiCell {
            across: across.iter().map(|&other| Across::Point(other)).collect(),
            ..VoronoiCell::default()
        };
        let pairs = Pairs::of(&[cell(&[3, 1]), cell(&[0, 2]), cell(&[3, 1]), cell(&[2, 1, 0])]);
        let ranks = [(0, 1), (0, 3), (1, 2), (1, 3), (2, 3)].map(|(a, b)| pairs.rank(b, a));
        assert_eq!(ranks, [0, 1, 2, 3, 4].map(Some));
        assert_eq!(pairs.rank(0, 2), None);
    }
}
