//! Which of the cuttings overlap.
//!
//! A ghost is cut like the pieces that it lies in, by the same cells. So within a cell a cutting of a ghost lies in
//! one cutting of each of them, and binds them: they overlap there. A ghost may also lie in pieces that were not
//! touched. Then what overlaps these stays with them: a fragment that sticks in another would be pushed out of it at
//! once.

use smithereens_geometry::{Tolerance, UnionFind};

use super::cut::{Cutting, Dropped};
use crate::ghosts::do_overlap;
use crate::{Bond, Compound};

/// The overlaps of cuttings.
pub(crate) struct Overlaps {
    compound: Compound,
    /// For each piece of the compound whether it was touched.
    pub is_touched: Vec<bool>,
    /// Bonds of ghosts with the pieces they lie in. Cuttings are named after all of the compound's pieces.
    pub bonds: Vec<Bond>,
    /// The cuttings that overlap, as sets, and for each cutting whether it is held by what was not touched; nothing where
    /// there are no ghosts.
    sets: Option<(UnionFind, Vec<bool>)>,
}

impl Overlaps {
    pub fn new(compound: &Compound, touched: &[u32]) -> Overlaps {
        let mut is_touched = vec![false; compound.pieces.len()];
        touched.iter().for_each(|&p| is_touched[p as usize] = true);
        Overlaps { compound: compound.clone(), is_touched, bonds: Vec::new(), sets: None }
    }

    /// Whether a cutting is of a ghost that also lies in pieces that were not touched.
    pub fn is_held(&self, cutting: &Cutting) -> bool {
        cutting.piece.is_ghost() && self.holders(cutting).next().is_some()
    }

    /// The pieces of the compound that a ghost lies in.
    fn parents(&self, ghost: &Cutting) -> impl Iterator<Item = u32> {
        let bonds = self.compound.bonds.of(ghost.from).iter();
        bonds.filter(|bond| bond.is_overlap()).map(|bond| bond.a)
    }

    /// Those of them that were not touched.
    fn holders(&self, ghost: &Cutting) -> impl Iterator<Item = u32> {
        self.parents(ghost).filter(|&piece| !self.is_touched[piece as usize])
    }

    /// Which of the pieces in its cell a ghost is bound to, of each parent those that it lies in. Convexes that were
    /// fitted to skins may all be too small for it; then those that it overlaps.
    fn around(&self, ghost: &Cutting, pieces: &[&Cutting], tolerance: &Tolerance) -> Vec<u32> {
        let mut around = Vec::new();
        for parent in self.parents(ghost) {
            let own = || (0..).zip(pieces).filter(|(_, piece)| piece.from == parent);
            let before = around.len();
            around.extend(own().filter(|(_, c)| ghost.piece.lies_in(&c.piece, tolerance)).map(|(i, _)| i));
            if around.len() == before {
                let overlaps = |c: &Cutting| do_overlap(ghost.piece.convex(), c.piece.convex(), tolerance);
                around.extend(own().filter(|(_, cutting)| overlaps(cutting)).map(|(i, _)| i));
            }
        }
        around
    }

    /// Finds the cuttings that each ghost lies in, within its cell. Ghosts that lie in none are dropped: what they lay
    /// in was.
    pub fn find(
        &mut self,
        cuttings: Vec<Cutting>,
        tolerance: &Tolerance,
        dropped: &mut Dropped,
    ) -> Vec<Cutting> {
        if !cuttings.iter().any(|cutting| cutting.piece.is_ghost()) {
            return cuttings;
        }
        let (mut kept, mut pairs): (Vec<Cutting>, _) = (Vec::with_capacity(cuttings.len()), Vec::new());
        for cell in cuttings.chunk_by(|a, b| a.cell == b.cell) {
            let first = kept.len() as u32;
            let (ghosts, pieces): (Vec<&Cutting>, Vec<&Cutting>) =
                cell.iter().partition(|cutting| cutting.piece.is_ghost());
            kept.extend(pieces.iter().copied().cloned());
            for ghost in ghosts {
                let around = self.around(ghost, &pieces, tolerance);
                if around.is_empty() {
                    dropped.add(Dropped::of(&ghost.piece));
                    continue;
                }
                pairs.extend(around.into_iter().map(|piece| (first + piece, kept.len() as u32)));
                kept.push(ghost.clone());
            }
        }
        self.bind(&kept, &pairs);
        kept
    }

    /// Binds each ghost to the pieces it lies in.
    fn bind(&mut self, cuttings: &[Cutting], pairs: &[(u32, u32)]) {
        let name = |cutting: u32| self.compound.pieces.len() as u32 + cutting;
        let ghost = |cutting: u32| (name(cutting), &*cuttings[cutting as usize].piece);
        let mut sets = UnionFind::new(cuttings.len());
        pairs.iter().for_each(|&(piece, ghost)| sets.join(piece, ghost));
        let mut bonds: Vec<Bond> = pairs.iter().map(|&(p, g)| Bond::of_overlap(name(p), ghost(g))).collect();
        let held: Vec<bool> = cuttings.iter().map(|cutting| self.is_held(cutting)).collect();
        for (index, cutting) in (0..).zip(cuttings).filter(|(index, _)| held[*index as usize]) {
            bonds.extend(self.holders(cutting).map(|piece| Bond::of_overlap(piece, ghost(index))));
        }
        (self.bonds, self.sets) = (bonds, Some((sets, held)));
    }

    /// Whether the cuttings are within the impact, given which are by themselves: those that overlap are if one is,
    /// unless they are held.
    pub fn spread(&mut self, within: Vec<bool>) -> Vec<bool> {
        let Some((sets, held)) = &mut self.sets else { return within };
        let roots: Vec<usize> = (0..within.len() as u32).map(|c| sets.root(c) as usize).collect();
        let (mut reached, mut stays) = (vec![false; within.len()], vec![false; within.len()]);
        for (cutting, &root) in roots.iter().enumerate() {
            reached[root] |= within[cutting];
            stays[root] |= held[cutting];
        }
        roots.iter().map(|&root| reached[root] && !stays[root]).collect()
    }
}
