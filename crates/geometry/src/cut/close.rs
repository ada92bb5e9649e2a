//! Closing what a cell cuts out of a surface: which of the cell's edges and vertices are inside.
//!
//! The chords of the clipped faces run over the cell's facets. Where they turn from facet k to facet
//! l they meet the cell's edge between the two, and there the inside of the solid begins or ends
//! along that edge. On every facet the turns in and out balance, since chords are closed chains between
//! turns; so counting begins as +1 and ends as -1 along the edges gives every vertex of the cell a
//! number that does not depend on the way, up to one constant: 1 inside, 0 outside. If all numbers
//! are equal, the volume tells the constant: it lies between nothing and the whole cell.
//!
//! Begins and ends on an edge are joined in order. Any joining is closed; in order it is also right.
//! Where the volume is near nothing or near the whole, the caller is asked about one point. Where a turn is not at the
//! edge that its facets share, rounding has mixed up facets that nearly coincide, and the cell is given up as tangled.

use glam::DVec3;

use super::build::{CapEdge, PieceBuilder, Turn};
use super::cell::Cell;
use super::face::NONE;

/// A turn on an edge of the cell.
#[derive(Clone, Copy, Debug)]
struct Crossing {
    edge: u32,
    /// Along the edge, in squared lengths.
    place: f64,
    vertex: u32,
    begins: bool,
}

/// Closes pieces of cells; its memory is reused.
#[derive(Debug, Default)]
pub(crate) struct Closer {
    crossings: Vec<Crossing>,
    inside: Vec<i32>,
    minted: Vec<u32>,
    begins: Vec<u32>,
    ends: Vec<u32>,
    area: Vec<DVec3>,
    way: Vec<(f64, u32)>,
    places: Vec<u32>,
    sorted: Vec<CapEdge>,
}

/// The piece cannot be closed here: the surface passes through itself, or rounding has lost a face.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Tangled;

const UNKNOWN: i32 = i32::MIN;

/// A volume within this part of the cell's of nothing or of the whole says neither.
const DOUBTFUL: f64 = 1e-6;

impl Closer {
    /// Adds the caps to a piece whose clipped faces are all there. `is_middle_inside` is asked
    /// where the piece is nearly nothing or nearly the whole cell.
    pub fn close(
        &mut self,
        builder: &mut PieceBuilder,
        cell: &Cell,
        is_middle_inside: impl FnOnce() -> bool,
    ) -> Result<(), Tangled> {
        self.find_crossings(builder, cell)?;
        self.number_vertices(cell)?;
        self.settle_constant(builder, cell, is_middle_inside)?;
        self.join_crossings(builder, cell);
        self.sort_by_label(&builder.cap_edges, cell.halfspaces().len());
        let mut closed = true;
        for group in self.sorted.chunk_by(|a, b| a.label == b.label) {
            let halfspace = &cell.halfspaces()[group[0].label as usize];
            closed &= builder.cap(group, &halfspace.outward(), halfspace.cut());
        }
        if closed { Ok(()) } else { Err(Tangled) }
    }

    /// Puts the edges of each facet together, in order.
    fn sort_by_label(&mut self, edges: &[CapEdge], labels: usize) {
        self.places.clear();
        self.places.resize(labels + 1, 0);
        edges.iter().for_each(|e| self.places[e.label as usize + 1] += 1);
        for label in 0..labels {
            self.places[label + 1] += self.places[label];
        }
        self.sorted.clear();
        self.sorted.resize(edges.len(), CapEdge { label: NONE, from: NONE, to: NONE });
        for edge in edges {
            let place = &mut self.places[edge.label as usize];
            self.sorted[*place as usize] = *edge;
            *place += 1;
        }
    }

    fn find_crossings(&mut self, builder: &PieceBuilder, cell: &Cell) -> Result<(), Tangled> {
        self.crossings.clear();
        for turn in &builder.turns {
            let position = builder.mesh.positions[turn.vertex as usize];
            if !self.cross(cell, *turn, position) {
                self.cross_far(cell, *turn, position)?;
            }
        }
        self.crossings.sort_unstable_by(|a, b| {
            a.edge.cmp(&b.edge).then(a.place.total_cmp(&b.place)).then(a.vertex.cmp(&b.vertex))
        });
        Ok(())
    }

    /// Puts a turn on the edge between its facets; `false` if there is none at the turn's place.
    fn cross(&mut self, cell: &Cell, turn: Turn, position: DVec3) -> bool {
        let between = |left, right| {
            cell.edges().iter().position(|e| (e.left, e.right) == (left, right)).map(|i| i as u32)
        };
        // Turning to a facet, the cap on that facet goes on along the edge from here.
        let (edge, begins) = match (between(turn.to, turn.from), between(turn.from, turn.to)) {
            (Some(edge), _) => (edge, true),
            (_, Some(edge)) => (edge, false),
            _ => return false,
        };
        let ends = ends_of(cell, edge);
        if ends.distance(position) > cell.tolerance().length() {
            return false;
        }
        let place = (position - ends.start).dot(ends.along);
        self.crossings.push(Crossing { edge, place, vertex: turn.vertex, begins });
        true
    }

    /// By rounding, a turn can be between facets that do not touch, or touch elsewhere: it goes over those between,
    /// by the way that stays nearest to it.
    fn cross_far(&mut self, cell: &Cell, turn: Turn, position: DVec3) -> Result<(), Tangled> {
        self.find_way(cell, turn, position);
        let mut facet = turn.from;
        while facet != turn.to {
            let next = self.way[facet as usize].1;
            if next == NONE || !self.cross(cell, Turn { from: facet, to: next, ..turn }, position) {
                return Err(Tangled);
            }
            facet = next;
        }
        Ok(())
    }

    /// For each facet the next one on the way to where the turn goes. The way costs the distances of the edges it
    /// crosses from the turn.
    fn find_way(&mut self, cell: &Cell, turn: Turn, position: DVec3) {
        self.way.clear();
        self.way.resize(cell.halfspaces().len(), (f64::INFINITY, NONE));
        self.way[turn.to as usize] = (0.0, turn.to);
        let mut changed = true;
        while changed {
            changed = false;
            for (index, edge) in cell.edges().iter().enumerate() {
                let distance = ends_of(cell, index as u32).distance(position);
                for (here, there) in [(edge.left, edge.right), (edge.right, edge.left)] {
                    let cost = self.way[here as usize].0 + distance;
                    if cost < self.way[there as usize].0 {
                        self.way[there as usize] = (cost, here);
                        changed = true;
                    }
                }
            }
        }
    }

    /// How often the inside begins less how often it ends, from the first vertex to each other.
    fn number_vertices(&mut self, cell: &Cell) -> Result<(), Tangled> {
        self.inside.clear();
        self.inside.resize(cell.convex().vertices().len(), UNKNOWN);
        self.inside[0] = 0;
        let mut changed = true;
        while changed {
            changed = false;
            let mut first = 0;
            for (index, edge) in cell.edges().iter().enumerate() {
                let mut change = 0;
                while first < self.crossings.len() && self.crossings[first].edge == index as u32 {
                    change += if self.crossings[first].begins { 1 } else { -1 };
                    first += 1;
                }
                let (start, end) = (edge.start as usize, edge.end as usize);
                if self.inside[start] != UNKNOWN && self.inside[end] == UNKNOWN {
                    self.inside[end] = self.inside[start] + change;
                    changed = true;
                } else if self.inside[end] != UNKNOWN && self.inside[start] == UNKNOWN {
                    self.inside[start] = self.inside[end] - change;
                    changed = true;
                }
            }
        }
        if self.inside.contains(&UNKNOWN) { Err(Tangled) } else { Ok(()) }
    }

    fn settle_constant(
        &mut self,
        builder: &PieceBuilder,
        cell: &Cell,
        is_middle_inside: impl FnOnce() -> bool,
    ) -> Result<(), Tangled> {
        let least = self.inside.iter().copied().min().unwrap_or(0);
        let most = self.inside.iter().copied().max().unwrap_or(0);
        let constant = match most - least {
            1 => -least,
            0 => {
                self.inside.fill(0);
                let filled = self.volume(builder, cell) / cell.volume();
                match filled.round() {
                    near if (filled - near).abs() < DOUBTFUL => is_middle_inside() as i32 - near as i32,
                    _ => -filled.floor() as i32,
                }
            }
            _ => return Err(Tangled),
        };
        self.inside.iter_mut().for_each(|n| *n += constant);
        if self.inside.iter().all(|n| (0..=1).contains(n)) { Ok(()) } else { Err(Tangled) }
    }

    /// The volume of the piece, were its caps made with the numbers as they are.
    fn volume(&mut self, builder: &PieceBuilder, cell: &Cell) -> f64 {
        let (mesh, origin) = (&builder.mesh, cell.middle());
        let at = |v: u32| mesh.positions[v as usize] - origin;
        let mut volume6 = 0.0;
        for index in 0..mesh.loop_ends.len() {
            let corners = &mesh.corners[mesh.loop_corners(index)];
            for pair in corners[1..].windows(2) {
                volume6 += at(corners[0]).dot(at(pair[0]).cross(at(pair[1])));
            }
        }
        self.area.clear();
        self.area.resize(cell.halfspaces().len(), DVec3::ZERO);
        for edge in &builder.cap_edges {
            self.area[edge.label as usize] += at(edge.from).cross(at(edge.to));
        }
        for crossing in &self.crossings {
            let edge = cell.edges()[crossing.edge as usize];
            let CellEnds { start, along } = ends_of(cell, crossing.edge);
            let sign = if crossing.begins { -1.0 } else { 1.0 };
            let strip = (start - origin).cross(along) * (sign * crossing.place / along.length_squared());
            self.area[edge.left as usize] += strip;
            self.area[edge.right as usize] -= strip;
        }
        for (halfspace, area) in cell.halfspaces().iter().zip(&self.area) {
            let outward = halfspace.outward();
            volume6 -= outward.distance(origin) * outward.normal.dot(*area);
        }
        volume6 / 6.0
    }

    fn join_crossings(&mut self, builder: &mut PieceBuilder, cell: &Cell) {
        self.minted.clear();
        for (vertex, &position) in cell.convex().vertices().iter().enumerate() {
            self.minted.push(builder.mesh.positions.len() as u32);
            if self.inside[vertex] == 1 {
                builder.mesh.positions.push(position);
            }
        }
        let mut first = 0;
        for (index, edge) in cell.edges().iter().enumerate() {
            self.begins.clear();
            self.ends.clear();
            if self.inside[edge.start as usize] == 1 {
                self.begins.push(self.minted[edge.start as usize]);
            }
            while first < self.crossings.len() && self.crossings[first].edge == index as u32 {
                let crossing = self.crossings[first];
                if crossing.begins { &mut self.begins } else { &mut self.ends }.push(crossing.vertex);
                first += 1;
            }
            if self.inside[edge.end as usize] == 1 {
                self.ends.push(self.minted[edge.end as usize]);
            }
            for (&begin, &end) in self.begins.iter().zip(&self.ends) {
                builder.cap_edges.push(CapEdge { label: edge.left, from: begin, to: end });
                builder.cap_edges.push(CapEdge { label: edge.right, from: end, to: begin });
            }
        }
    }
}

struct CellEnds {
    start: DVec3,
    along: DVec3,
}

impl CellEnds {
    /// Distance of a point from the edge.
    fn distance(&self, point: DVec3) -> f64 {
        let place = (point - self.start).dot(self.along) / self.along.length_squared();
        let nearest = if place.is_finite() { self.along * place.clamp(0.0, 1.0) } else { DVec3::ZERO };
        (point - self.start - nearest).length()
    }
}

fn ends_of(cell: &Cell, edge: u32) -> CellEnds {
    let edge = cell.edges()[edge as usize];
    let vertices = cell.convex().vertices();
    let start = vertices[edge.start as usize];
    CellEnds { start, along: vertices[edge.end as usize] - start }
}
