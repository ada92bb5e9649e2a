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

    /// Sorts by line and finds the bonds longer than `least` between edges that `wanted` says yes to, in order of lines.
    pub fn find_bonds(&mut self, least: f64, wanted: impl Fn(u32, u32) -> bool) -> Vec<Bond> {
        let group = |contact: &Contact| (contact.cut.id(), contact.colour);
        self.0.sort_unstable_by(|x, y| {
            group(x)
                .cmp(&group(y))
                .then(x.low.total_cmp(&y.low))
                .then((x.piece, x.cut).cmp(&(y.piece, y.cut)))
        });
        let mut bonds = Vec::with_capacity(self.0.len() / 2);
        let mut open: Vec<usize> = Vec::new();
        let mut start = 0;
        while start < self.0.len() {
            let same = self.0[start..].iter().take_while(|other| group(other) == group(&self.0[start]));
            let end = start + same.count();
            open.clear();
            for index in start..end {
                let here = self.0[index];
                open.retain(|&other| self.0[other].high > here.low);
                for &other in &open {
                    let there = self.0[other];
                    let length = here.high.min(there.high) - here.low;
                    let is_across = here.cut.side() != there.cut.side();
                    if is_across && length > least && wanted(here.piece, there.piece) {
                        self.0[index].covered += length;
                        self.0[other].covered += length;
                        bonds.push(bond(&here, &there, length));
                    }
                }
                open.push(index);
            }
            start = end;
        }
        bonds
    }
}

/// A bond of two contacts that overlap by so much from where the first starts.
fn bond(here: &Contact, there: &Contact, length: f64) -> Bond {
    let is_behind = here.cut.side() == Side::Behind;
    let (a, b) = if is_behind { (here.piece, there.piece) } else { (there.piece, here.piece) };
    let along = here.line.direction() * (here.low + length * 0.5);
    let middle = here.line.normal * here.line.offset + along;
    Bond { a, b, id: LineId::new(here.cut.id().number()), length, middle }
}
