//! What never parts is one from the start: cells across unbreakable faces, and small cells with one neighbour.

use crate::modes::{Mode, Options};
use crate::net::Net;
use crate::partition::{Forest, Partition};
use crate::pursuit::Found;
use crate::{CellGraph, Eta, Face};

/// The net of one axis, and what its cells are made of.
pub(crate) struct Joined {
    pub net: Net,
    /// Which cell of the net each cell of the graph is in.
    pub groups: Partition,
    /// What hangs together in the net.
    pub parts: Partition,
    /// The volume of all cells: masses of the net sum to one.
    volume: f64,
}

/// What hangs together: an index of the parts, and its net.
#[derive(Default)]
pub(crate) struct Part {
    pub index: usize,
    pub net: Net,
}

impl Joined {
    pub fn new(graph: &CellGraph, options: &Options, axis: usize) -> Joined {
        let volume = graph.volume();
        let groups = groups(graph, &options.eta, options.sliver);
        let masses = graph.cells().iter().map(|cell| cell.volume / volume).collect();
        let edges = graph.faces().iter().map(|face| face.cells).collect();
        let weight = |(k, face): (usize, &Face)| {
            // Inside a group weights are never looked at, and may be infinite.
            let is_inside = groups.of(face.cells[0] as usize) == groups.of(face.cells[1] as usize);
            if is_inside { 0.0 } else { face.area * options.eta.of_face(k, axis) }
        };
        let weights: Vec<f64> = graph.faces().iter().enumerate().map(weight).collect();
        let total = weights.iter().sum::<f64>().max(f64::MIN_POSITIVE);
        let weights: Vec<f64> = weights.iter().map(|weight| weight / total).collect();
        let stiffness =
            weights.iter().zip(graph.faces()).map(|(weight, face)| weight / face.distance).collect();
        let net = Net::new(masses, edges, weights, stiffness).aggregate(&groups);
        let parts = Partition::connected(net.len(), &net.edges, |_, _| true);
        Joined { net, groups, parts, volume }
    }

    /// The net of each part that can break.
    pub fn breakable(&self) -> Vec<Part> {
        let mut all: Vec<Part> =
            (0..self.parts.count()).map(|index| Part { index, ..Part::default() }).collect();
        let mut names = Vec::with_capacity(self.net.len());
        for (cell, mass) in self.net.masses.iter().enumerate() {
            let masses = &mut all[self.parts.of(cell)].net.masses;
            names.push(masses.len() as u32);
            masses.push(*mass);
        }
        for (k, edge) in self.net.edges.iter().enumerate() {
            let net = &mut all[self.parts.of(edge[0] as usize)].net;
            net.edges.push(edge.map(|cell| names[cell as usize]));
            net.weights.push(self.net.weights[k]);
            net.stiffness.push(self.net.stiffness[k]);
        }
        all.retain(|part| part.net.len() > 1);
        all.iter_mut().for_each(|part| part.net = std::mem::take(&mut part.net).linked());
        all
    }

    /// A mode of a part as one of the whole net: the other parts rest.
    pub fn lift(&self, part: usize, found: &Found) -> Found {
        let mut cells = found.pieces.of_cells().iter();
        let own = found.pieces.count() as u32;
        let of =
            |&other: &u32| if other as usize == part { cells.next().copied() } else { Some(own + other) };
        let labels: Vec<u32> = self.parts.of_cells().iter().filter_map(of).collect();
        let pieces = Partition::numbered(labels.iter().copied());
        let value = |cell: usize| found.values.get(labels[cell] as usize).copied().unwrap_or(0.0);
        let values = pieces.first_cells().into_iter().map(value).collect();
        Found { pieces, values }
    }

    /// A mode of the net as a mode of the graph, in its units.
    pub fn mode(&self, graph: &CellGraph, eta: &Eta, axis: usize, found: Found) -> Mode {
        let scale = 1.0 / self.volume.sqrt();
        let values: Vec<f64> = found.values.iter().map(|value| value * scale).collect();
        let pieces = self.groups.through(&found.pieces);
        let (mut energy, mut area) = (0.0, 0.0);
        for (k, face) in graph.faces().iter().enumerate() {
            let [a, b] = face.cells.map(|cell| pieces.of(cell as usize));
            if a != b {
                energy += face.area * eta.of_face(k, axis) * (values[a] - values[b]).abs();
                area += face.area;
            }
        }
        Mode { energy, area, problem: axis, pieces, values }
    }
}

/// How many neighbours a cell has, and which if it has one. Neighbours are counted, not faces.
#[derive(Clone, Copy)]
enum Neighbours {
    None,
    One(u32),
    More,
}

impl Neighbours {
    fn and(self, other: u32) -> Neighbours {
        match self {
            Neighbours::None => Neighbours::One(other),
            Neighbours::One(same) if same == other => self,
            _ => Neighbours::More,
        }
    }
}

fn groups(graph: &CellGraph, eta: &Eta, sliver: f64) -> Partition {
    let cells = graph.cells();
    let mut forest = Forest::new(cells.len());
    let mut neighbours = vec![Neighbours::None; cells.len()];
    for (k, face) in graph.faces().iter().enumerate() {
        let [a, b] = face.cells;
        if !eta.is_breakable(k) {
            forest.join(a, b);
        }
        neighbours[a as usize] = neighbours[a as usize].and(b);
        neighbours[b as usize] = neighbours[b as usize].and(a);
    }
    for (index, (cell, known)) in (0..).zip(cells.iter().zip(&neighbours)) {
        if let Neighbours::One(other) = *known
            && cell.volume < sliver * graph.volume()
        {
            forest.join(index, other);
        }
    }
    forest.partition()
}
