//! The search for bonds: edges with the same line identity, on opposite sides, that overlap, within one colour.
//!
//! Karo & Yu do not say how they know which polygons are in contact; Müller et al. 2013 sort by |d| within an epsilon. Here every cut has an
//! identity, so the sort is by that and exact, and what is left is a sweep along each line.

use crate::{Bond, Cut, LineId, Piece, Side};

/// An edge that a cut made.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Contact {
    pub piece: u32,
    pub cut: Cut,
    colour: u32,
    /// Where it starts and ends along the line's direction.
    low: f64,
    high: f64,
    /// The line in its canonical orientation.
    line: crate::Line,
    /// How much of it bonds cover.
    pub covered: f64,
}

impl Contact {
    pub fn length(&self) -> f64 {
        self.high - self.low
    }
}

/// Edges that may touch.
#[derive(Default)]
pub(crate) struct Contacts(pub Vec<Contact>);

impl Contacts {
    /// Adds the wanted edges of a piece.
    pub fn add(&mut self, piece: u32, colour: u32, of: &Piece, is_wanted: impl Fn(Cut) -> bool) {
        let edges = of.convex().edges();
        for (index, edge) in edges.iter().enumerate() {
            let Some(cut) = edge.cut.filter(|&cut| is_wanted(cut)) else { continue };
            let is_behind = cut.side() == Side::Behind;
            let line = if is_behind { edge.line } else { edge.line.flipped() };
            let direction = line.direction();
            let end = edges[if index + 1 == edges.len() { 0 } else { index + 1 }].start;
            let [from, to] = [direction.dot(edge.start), direction.dot(end)];
            let (low, high) = if is_behind { (from, to) } else { (to, from) };
            self.0.push(Contact { piece, cut, colour, low, high, line, covered: 0.0 });
        }
    }

    /// Finds the bonds longer than `least` between edges that `wanted` says yes to, in order of lines.
    pub fn find_bonds(&mut self, least: f64, wanted: impl Fn(u32, u32) -> bool) -> Vec<Bond> {
        // Names are sorted instead of contacts, which are large.
        let name = |(index, contact): (u32, &Contact)| (contact.cut.id(), contact.colour, index);
        let mut names: Vec<(LineId, u32, u32)> = (0..).zip(&self.0).map(name).collect();
        names.sort_unstable();
        let mut bonds = Vec::with_capacity(self.0.len() / 2);
        for group in names.chunk_by_mut(|x, y| (x.0, x.1) == (y.0, y.1)) {
            if group.len() > 1 {
                group.sort_by(|x, y| self.0[x.2 as usize].low.total_cmp(&self.0[y.2 as usize].low));
                self.sweep(group, least, &wanted, &mut bonds);
            }
        }
        bonds
    }

    /// Goes along a line, over edges in order of where they start.
    fn sweep(
        &mut self,
        group: &[(LineId, u32, u32)],
        least: f64,
        wanted: &impl Fn(u32, u32) -> bool,
        bonds: &mut Vec<Bond>,
    ) {
        for (place, &(.., index)) in group.iter().enumerate() {
            let here = self.0[index as usize];
            for &(.., other) in &group[place + 1..] {
                let there = self.0[other as usize];
                if there.low >= here.high {
                    break;
                }
                let length = here.high.min(there.high) - there.low;
                let is_across = here.cut.side() != there.cut.side();
                if is_across && length > least && wanted(here.piece, there.piece) {
                    self.0[index as usize].covered += length;
                    self.0[other as usize].covered += length;
                    bonds.push(bond(&there, &here, length));
                }
            }
        }
    }
}

/// A bond of two contacts that overlap by so much from where the first starts.
fn bond(here: &Contact, there: &Contact, length: f64) -> Bond {
    let is_behind = here.cut.side() == Side::Behind;
    let (a, b) = if is_behind { (here.piece, there.piece) } else { (there.piece, here.piece) };
    let along = here.line.direction() * (here.low + length * 0.5);
    let middle = here.line.normal * here.line.offset + along;
    Bond { a, b, id: here.cut.id(), length, middle }
}
