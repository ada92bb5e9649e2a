//! A shape cut into cells: the over-segmentation that modes choose their faults from.
//!
//! Voronoi cells of relaxed points, cut by the same path as every fracture. What is in one cell but does not hang together there are several cells.

use std::collections::BTreeMap;

use glam::{DVec2, DVec3};
use smithereens_modes::{Cell, CellGraph, Face, ModesError};

use crate::draw::Draw;
use crate::pattern::Pattern;
use crate::{Aabb, Compound, FractureOptions, Impact, Shape, fracture};

/// How a shape is cut into cells.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CellOptions {
    /// About how many there are.
    pub count: usize,
    /// Another seed, other cells.
    pub seed: u64,
}

impl Default for CellOptions {
    fn default() -> CellOptions {
        CellOptions { count: 2000, seed: 0 }
    }
}

/// A shape cut into cells.
///
/// ```
/// use smithereens_planar::{Aabb, Shape, modes::{CellOptions, Cells}};
/// let square = Shape::new(&Aabb::square(1.0).corners(), &[])?;
/// let cells = Cells::of(&square, &CellOptions { count: 100, ..CellOptions::default() })?;
/// assert!((cells.graph().volume() - 4.0).abs() < 1e-9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Cells {
    compound: Compound,
    /// The cell of each piece of the compound.
    of_piece: Vec<u32>,
    graph: CellGraph,
    /// Cells with a part of the border.
    on_border: Vec<u32>,
}

/// Most cells of a shape.
const MOST_CELLS: usize = 100_000;
/// How far seeds are moved off their lattice at first, as a part of its pitch.
const SCATTER: f64 = 0.25;
const RELAXATIONS: usize = 4;
/// Room around the shape, as a part of its extent.
const MARGIN: f64 = 0.05;

impl Cells {
    /// Cuts a shape.
    pub fn of(shape: &Shape, options: &CellOptions) -> Result<Cells, ModesError> {
        if !(1..=MOST_CELLS).contains(&options.count) {
            let (value, must) = (options.count as f64, "there must be 1 to 100,000");
            return Err(ModesError::Option { name: "the number of cells", value, must });
        }
        let body = Compound::from_shape(shape);
        let mut seeds = lattice(shape, options);
        for _ in 0..RELAXATIONS {
            let (cut, cell_of) = cut(&body, &seeds)?;
            relax(&mut seeds, &cut, &cell_of);
        }
        let (compound, seed_of) = cut(&body, &seeds)?;
        Cells::of_compound(compound, &seed_of)
    }

    /// Takes the pieces of a compound that lie in one seed's cell and hang together there for a cell.
    fn of_compound(compound: Compound, seed_of: &[u32]) -> Result<Cells, ModesError> {
        let inner = compound.bonds().iter().filter(|b| seed_of[b.a as usize] == seed_of[b.b as usize]);
        let islands = crate::compound::islands(seed_of.len(), inner);
        let mut of_piece = vec![0; seed_of.len()];
        for (cell, island) in (0..).zip(&islands) {
            island.iter().for_each(|&piece| of_piece[piece as usize] = cell);
        }
        let cell = |island: &Vec<u32>| {
            let masses = island.iter().map(|&piece| compound.pieces()[piece as usize].mass());
            let mass = crate::Mass::sum(masses);
            Cell { volume: mass.area, centre: mass.center.extend(0.0) }
        };
        let cells: Vec<Cell> = islands.iter().map(cell).collect();
        let graph = CellGraph::new(cells.clone(), faces(&compound, &of_piece, &cells))?;
        let on_border = |&piece: &u32| {
            compound.pieces()[piece as usize].convex().edges().iter().any(|edge| edge.cut.is_none())
        };
        let numbered = (0..).zip(&islands);
        let on_border = numbered.filter(|(_, island)| island.iter().any(on_border)).map(|(cell, _)| cell);
        Ok(Cells { on_border: on_border.collect(), compound, of_piece, graph })
    }

    /// The cells as a graph: areas for volumes, lengths for areas, in the plane z = 0.
    pub fn graph(&self) -> &CellGraph {
        &self.graph
    }

    /// The pieces that cells consist of.
    pub fn compound(&self) -> &Compound {
        &self.compound
    }

    /// The cell of each of these.
    pub fn of_piece(&self) -> &[u32] {
        &self.of_piece
    }

    /// The cells with a part of the shape's border: those that can be hit.
    pub fn on_border(&self) -> &[u32] {
        &self.on_border
    }
}

/// Points on a lattice of triangles, moved a little: about as many in the shape as cells are wanted.
fn lattice(shape: &Shape, options: &CellOptions) -> Vec<DVec2> {
    let bounds = shape.bounds();
    let pitch = libm::sqrt(shape.area() / options.count as f64 * 2.0 / libm::sqrt(3.0));
    // A thin shape misses most of the lattice, and has no more of it than it can use.
    let pitch = pitch.max(bounds.extent() / (options.count as f64 * 4.0));
    let height = pitch * libm::sqrt(3.0) * 0.5;
    let [columns, rows] = [bounds.size().x / pitch, bounds.size().y / height].map(|n| n as usize + 2);
    let mut draw = Draw::new(options.seed);
    let mut seeds = Vec::with_capacity(options.count);
    for row in 0..rows {
        for column in 0..columns {
            let at = DVec2::new((column as f64 + (row % 2) as f64 * 0.5) * pitch, row as f64 * height);
            let scatter = DVec2::new(draw.about_zero(SCATTER), draw.about_zero(SCATTER)) * pitch;
            let point = bounds.min + at + scatter;
            if shape.contains(point) {
                seeds.push(point);
            }
        }
    }
    if seeds.is_empty() {
        seeds.push(shape.mass().center);
    }
    seeds
}

/// Cuts a body by the Voronoi cells of seeds, and says whose cell each piece lies in.
fn cut(body: &Compound, seeds: &[DVec2]) -> Result<(Compound, Vec<u32>), ModesError> {
    let bounds = body.bounds();
    let room = bounds.grown(bounds.extent() * MARGIN);
    // Moved to the seeds' middle: a pattern has its impact at the origin.
    let middle = bounds.center();
    let seeds: Vec<DVec2> = seeds.iter().map(|seed| *seed - middle).collect();
    let box_around = Aabb::new(room.min - middle, room.max - middle);
    let colours = (0..seeds.len() as u32).collect();
    let points = crate::pattern::Points { points: seeds, colours, bounds: box_around };
    let pattern: Pattern = points.pattern().map_err(|_| ModesError::NoCells)?;
    let broken = fracture(body, &pattern, &Impact::at(middle), &FractureOptions::default());
    let broken = broken.map_err(|_| ModesError::Impact)?;
    let mut pieces = Vec::new();
    let mut seed_of = Vec::new();
    for fragment in &broken.fragments {
        pieces.extend_from_slice(fragment.compound.pieces());
        seed_of.resize(pieces.len(), fragment.colour.unwrap_or(0));
    }
    let next_line = broken.fragments.first().map_or(0, |fragment| fragment.compound.next_line());
    Ok((Compound::bonded(pieces, body.tolerance().length(), next_line), seed_of))
}

/// Seeds go to the middle of what of the shape is in their cell (Lloyd's relaxation); those with nothing go.
fn relax(seeds: &mut Vec<DVec2>, cut: &Compound, seed_of: &[u32]) {
    let mut sums = vec![(0.0, DVec2::ZERO); seeds.len()];
    for (piece, &seed) in cut.pieces().iter().zip(seed_of) {
        let (sum, mass) = (&mut sums[seed as usize], piece.mass());
        sum.0 += mass.area;
        sum.1 += (mass.center - seeds[seed as usize]) * mass.area;
    }
    let moved = seeds.iter().zip(sums).filter(|(_, (area, _))| *area > 0.0);
    *seeds = moved.map(|(seed, (area, moment))| *seed + moment / area).collect();
}

/// A face for each two cells that touch: the length that they share.
fn faces(compound: &Compound, of_piece: &[u32], cells: &[Cell]) -> Vec<Face> {
    let mut lengths: BTreeMap<[u32; 2], f64> = BTreeMap::new();
    for bond in compound.bonds() {
        let [a, b] = [bond.a, bond.b].map(|piece| of_piece[piece as usize]);
        if a != b {
            *lengths.entry([a.min(b), a.max(b)]).or_default() += bond.length;
        }
    }
    let least = compound.tolerance().length();
    let face = |(pair, length): ([u32; 2], f64)| {
        let plain = Face::between(cells, pair, length);
        let normal = if plain.distance > least { plain.normal } else { DVec3::X };
        Face { normal, distance: plain.distance.max(least), ..plain }
    };
    lengths.into_iter().map(face).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_about_as_many_as_asked_for_and_of_about_the_same_size() {
        let hole = Aabb::square(0.5).corners().to_vec();
        let frame = Shape::new(&Aabb::square(1.0).corners(), &[hole]).unwrap();
        for count in [50, 1000] {
            let cells = Cells::of(&frame, &CellOptions { count, seed: 1 }).unwrap();
            let graph = cells.graph();
            let part = graph.cells().len() as f64 / count as f64;
            assert!((0.8..1.3).contains(&part), "{} of {count}", graph.cells().len());
            assert!((graph.volume() - 3.0).abs() < 1e-9);
            let mean = 3.0 / graph.cells().len() as f64;
            let small = graph.cells().iter().filter(|cell| cell.volume < mean * 0.3).count();
            assert!(small * 20 < graph.cells().len(), "{small} of {}", graph.cells().len());
        }
    }
}
