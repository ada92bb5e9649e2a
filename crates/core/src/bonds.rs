//! The bonds of a compound, each with both of its pieces.
//!
//! A bond is held twice, once with each piece: so the bonds of a piece lie side by side and are found at once. Like the
//! pieces they are cut into runs, which compounds share as long as no bond in them changes.

use std::sync::Arc;

use crate::Bond;

/// The bonds of a compound.
#[derive(Clone, Debug, Default)]
pub struct Bonds {
    runs: Vec<Arc<Run>>,
    /// Bonds with each of their pieces: two a bond.
    held: usize,
}

/// Pieces a run.
const RUN: usize = 64;

/// The bonds of some pieces in a row.
#[derive(Clone, Debug)]
struct Run {
    /// Where the bonds of each piece end.
    ends: [u32; RUN],
    bonds: Vec<Bond>,
}

impl Run {
    fn of(&self, piece: usize) -> &[Bond] {
        let start = if piece == 0 { 0 } else { self.ends[piece - 1] };
        &self.bonds[start as usize..self.ends[piece] as usize]
    }
}

/// A bond as its piece holds it.
pub(crate) type Held = (u32, Bond);

/// A bond with both of its pieces.
pub(crate) fn held_twice(bond: &Bond) -> [Held; 2] {
    [(bond.a, *bond), (bond.b, *bond)]
}

/// Bonds of a piece are in order of the pieces that they join.
fn sort(held: &mut [Held]) {
    held.sort_unstable_by_key(|(piece, bond)| (*piece, bond.a, bond.b, bond.id));
}

impl Bonds {
    /// In order, bonds fall into place behind those of their pieces that came before: nothing is sorted.
    pub(crate) fn new(bonds: &[Bond]) -> Bonds {
        let name = |bond: &Bond| (bond.a, bond.b, bond.id);
        if !bonds.is_sorted_by_key(name) {
            let mut sorted = bonds.to_vec();
            sorted.sort_unstable_by_key(name);
            return Bonds::new(&sorted);
        }
        let pieces = bonds.iter().map(|bond| bond.a.max(bond.b) as usize + 1).max().unwrap_or(0);
        let mut runs = vec![Run { ends: [0; RUN], bonds: Vec::new() }; pieces.div_ceil(RUN)];
        for (piece, _) in bonds.iter().flat_map(held_twice) {
            runs[piece as usize / RUN].ends[piece as usize % RUN] += 1;
        }
        for run in &mut runs {
            let mut held = 0;
            for end in &mut run.ends {
                held += std::mem::replace(end, held);
            }
            run.bonds = bonds[..1].repeat(held as usize);
        }
        for (piece, bond) in bonds.iter().flat_map(held_twice) {
            let run = &mut runs[piece as usize / RUN];
            let place = &mut run.ends[piece as usize % RUN];
            run.bonds[*place as usize] = bond;
            *place += 1;
        }
        Bonds { runs: runs.into_iter().map(Arc::new).collect(), held: 2 * bonds.len() }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.held / 2
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.held == 0
    }

    /// The bonds of a piece, in order of the pieces that they join.
    pub fn of(&self, piece: u32) -> &[Bond] {
        self.runs.get(piece as usize / RUN).map_or(&[], |run| run.of(piece as usize % RUN))
    }

    /// All of them, in order of their first piece, then of their second.
    pub fn iter(&self) -> BondsIter<'_> {
        BondsIter { bonds: self, piece: 0, rest: self.of(0).iter() }
    }

    /// The bonds of the first `pieces` pieces, where those that `changed` lists, in order, hold `held` and no others.
    pub(crate) fn edited(&self, pieces: usize, changed: &[u32], mut held: Vec<Held>) -> Bonds {
        sort(&mut held);
        let mut edited = Bonds { runs: Vec::with_capacity(pieces.div_ceil(RUN)), held: self.held };
        let (mut changed, mut held) = (changed, &held[..]);
        for start in (0..pieces).step_by(RUN) {
            let end = (start + RUN).min(pieces) as u32;
            let old = self.runs.get(start / RUN);
            let own = changed.partition_point(|&piece| piece < end);
            let ends_here = |run: &&Arc<Run>| run.ends[end as usize - start - 1] == run.ends[RUN - 1];
            if let Some(run) = old.filter(|run| own == 0 && ends_here(run)) {
                edited.runs.push(run.clone());
                continue;
            }
            let run = changed_run(old, start as u32..end, &changed[..own], &mut held);
            edited.held = edited.held + run.bonds.len() - old.map_or(0, |run| run.bonds.len());
            edited.runs.push(Arc::new(run));
            changed = &changed[own..];
        }
        let gone = self.runs.get(edited.runs.len()..).unwrap_or_default();
        edited.held -= gone.iter().map(|run| run.bonds.len()).sum::<usize>();
        edited
    }

    /// Heap memory in bytes.
    pub(crate) fn heap_bytes(&self) -> usize {
        let runs = self.runs.len() * (size_of::<Run>() + size_of::<Arc<Run>>());
        runs + self.held * size_of::<Bond>()
    }
}

/// A run of which some pieces hold other bonds now; these are taken from the front of `held`.
fn changed_run(
    old: Option<&Arc<Run>>,
    pieces: std::ops::Range<u32>,
    changed: &[u32],
    held: &mut &[Held],
) -> Run {
    let room = old.map_or(0, |run| run.bonds.len()) + held.partition_point(|(piece, _)| *piece < pieces.end);
    let mut run = Run { ends: [0; RUN], bonds: Vec::with_capacity(room) };
    let mut changed = changed.iter().peekable();
    for (index, piece) in pieces.clone().enumerate() {
        if changed.next_if_eq(&&piece).is_some() {
            let own = held.iter().take_while(|(holder, _)| *holder == piece).count();
            run.bonds.extend(held[..own].iter().map(|(_, bond)| *bond));
            *held = &held[own..];
        } else if let Some(old) = old {
            run.bonds.extend_from_slice(old.of(index));
        }
        run.ends[index] = run.bonds.len() as u32;
    }
    run.ends[pieces.len()..].fill(run.bonds.len() as u32);
    run
}

/// The bonds of a compound, one after the other.
#[derive(Clone, Debug)]
pub struct BondsIter<'a> {
    bonds: &'a Bonds,
    piece: u32,
    rest: std::slice::Iter<'a, Bond>,
}

impl<'a> Iterator for BondsIter<'a> {
    type Item = &'a Bond;

    fn next(&mut self) -> Option<&'a Bond> {
        loop {
            match self.rest.find(|bond| bond.a == self.piece) {
                Some(bond) => return Some(bond),
                None if self.piece as usize / RUN >= self.bonds.runs.len() => return None,
                None => {
                    self.piece += 1;
                    self.rest = self.bonds.of(self.piece).iter();
                }
            }
        }
    }
}

impl<'a> IntoIterator for &'a Bonds {
    type Item = &'a Bond;
    type IntoIter = BondsIter<'a>;

    fn into_iter(self) -> BondsIter<'a> {
        self.iter()
    }
}

impl PartialEq for Bonds {
    fn eq(&self, other: &Bonds) -> bool {
        self.held == other.held && self.iter().eq(other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DVec3;
    use smithereens_geometry::PlaneId;

    fn bond(a: u32, b: u32) -> Bond {
        Bond { a, b, id: PlaneId::new(u64::from(a + b)), area: f64::from(a), centroid: DVec3::ZERO }
    }

    #[test]
    fn a_bond_is_found_from_both_sides() {
        let bonds = Bonds::new(&[bond(0, 70), bond(70, 3), bond(3, 0), bond(199, 5)]);
        assert_eq!(bonds.len(), 4);
        assert_eq!(bonds.of(70), [bond(0, 70), bond(70, 3)]);
        assert_eq!(bonds.of(0), [bond(0, 70), bond(3, 0)]);
        assert!(bonds.of(4).is_empty() && bonds.of(100_000).is_empty());
        assert!(bonds.iter().eq(&[bond(0, 70), bond(3, 0), bond(70, 3), bond(199, 5)]));
    }

    #[test]
    fn edited_bonds_are_the_bonds_made_anew() {
        let row: Vec<Bond> = (0..199).map(|i| bond(i, i + 1)).collect();
        let bonds = Bonds::new(&row);
        // The row loses its end and gets a bond from its middle to its start.
        let held = vec![(0, bond(0, 1)), (0, bond(70, 0)), (149, bond(148, 149))];
        let held = [held, vec![(70, bond(70, 0)), (70, bond(69, 70)), (70, bond(70, 71))]].concat();
        let edited = bonds.edited(150, &[0, 70, 149], held);
        let expected: Vec<Bond> = row[..149].iter().copied().chain([bond(70, 0)]).collect();
        assert_eq!(edited, Bonds::new(&expected));
        assert_eq!((edited.len(), edited.iter().count()), (150, 150));
        let cut = bonds.edited(200, &[150, 151], vec![(150, bond(149, 150)), (151, bond(151, 152))]);
        assert_eq!(cut.len(), 198);
        let shared: Vec<bool> = (0..4).map(|run| Arc::ptr_eq(&cut.runs[run], &bonds.runs[run])).collect();
        assert_eq!(shared, [true, true, false, true]);
    }
}
