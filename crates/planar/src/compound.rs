//! Pieces and bonds that move as one.

use std::cmp::Ordering;
use std::sync::Arc;

use glam::DVec2;
use serde::{Deserialize, Serialize};
use smithereens_geometry::UnionFind;
use thiserror::Error;

use crate::contact::Contacts;
use crate::identify::identify_lines;
use crate::saved::Saved;
use crate::{Aabb, Bond, Convex, LineId, Mass, Piece, Shape, Side, Tolerance};

/// Why convexes make no compound.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum CompoundError {
    /// There are none.
    #[error("a compound needs a piece")]
    Empty,
    /// One is flat.
    #[error("piece {0} encloses no area: remove it or give it width")]
    NoArea(usize),
    /// Two are in each other's way.
    #[error("pieces {} and {} overlap: unite them, or take them apart", pieces[0], pieces[1])]
    Overlap {
        /// The pieces.
        pieces: [usize; 2],
    },
}

/// Pieces and bonds that move as one: Karo & Yu's welded polygon. Clones share everything.
///
/// ```
/// use smithereens_planar::{Aabb, Compound, Shape};
/// let frame = Shape::new(&Aabb::square(2.0).corners(), &[Aabb::square(1.0).corners().to_vec()])?;
/// let compound = Compound::from_shape(&frame);
/// assert_eq!((compound.pieces().len(), compound.bonds().len()), (4, 4));
/// assert_eq!(compound.mass().area, 12.0);
/// # Ok::<(), smithereens_planar::ShapeError>(())
/// ```
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(try_from = "Saved", into = "Saved")]
pub struct Compound {
    pieces: Arc<[Arc<Piece>]>,
    bonds: Arc<[Bond]>,
    mass: Mass,
    bounds: Aabb,
    /// All identities from here on are unused.
    next_line: u64,
}

impl Compound {
    /// A compound of a shape, decomposed into convexes.
    pub fn from_shape(shape: &Shape) -> Compound {
        let (convexes, next_line) = shape.decompose_from(0);
        let bonds = bonds_of_diagonals(&convexes, next_line);
        let pieces = convexes.into_iter().map(|convex| Arc::new(Piece::new(convex))).collect();
        Compound::assemble(pieces, bonds, next_line)
    }

    /// A compound of a user's own convexes. They are bonded where edges of theirs lie in one line, look at each other and overlap.
    ///
    /// ```
    /// use smithereens_planar::{Aabb, Compound, Convex};
    /// use glam::DVec2;
    /// let brick = |x: f64| Convex::from_box(&Aabb::new(DVec2::new(x, 0.0), DVec2::new(x + 1.0, 1.0)));
    /// let row = Compound::from_convexes(vec![brick(0.0), brick(1.0), brick(5.0)])?;
    /// assert_eq!((row.bonds().len(), row.islands().len()), (1, 2));
    /// # Ok::<(), smithereens_planar::CompoundError>(())
    /// ```
    pub fn from_convexes(convexes: Vec<Convex>) -> Result<Compound, CompoundError> {
        let mut convexes = convexes;
        if convexes.is_empty() {
            return Err(CompoundError::Empty);
        }
        if let Some(flat) =
            convexes.iter().position(|convex| convex.area().partial_cmp(&0.0) != Some(Ordering::Greater))
        {
            return Err(CompoundError::NoArea(flat));
        }
        let bounds = convexes.iter().fold(Aabb::EMPTY, |bounds, convex| bounds.union(convex.bounds()));
        let tolerance = Tolerance::for_box(&bounds);
        if let Some(pieces) = first_overlap(&convexes, &tolerance) {
            return Err(CompoundError::Overlap { pieces });
        }
        let next_line = identify_lines(&mut convexes, &tolerance);
        Ok(Compound::of_marked(convexes, tolerance.length(), next_line))
    }

    /// A compound of convexes whose edges have their marks, with the bonds longer than `least`.
    pub(crate) fn of_marked(convexes: Vec<Convex>, least: f64, next_line: u64) -> Compound {
        let pieces = convexes.into_iter().map(|convex| Arc::new(Piece::new(convex))).collect();
        Compound::bonded(pieces, least, next_line)
    }

    /// A compound of pieces whose edges have their marks, with the bonds longer than `least`.
    pub(crate) fn bonded(pieces: Vec<Arc<Piece>>, least: f64, next_line: u64) -> Compound {
        let mut contacts = Contacts::default();
        (0..).zip(&pieces).for_each(|(index, piece)| contacts.add(index, 0, piece, |_| true));
        let bonds = contacts.find_bonds(least, |a, b| a != b);
        Compound::assemble(pieces, bonds, next_line)
    }

    /// A compound of pieces and their bonds.
    pub(crate) fn assemble(pieces: Vec<Arc<Piece>>, bonds: Vec<Bond>, next_line: u64) -> Compound {
        Compound {
            mass: Mass::sum(pieces.iter().map(|piece| piece.mass())),
            bounds: pieces.iter().fold(Aabb::EMPTY, |bounds, piece| bounds.union(*piece.bounds())),
            pieces: pieces.into(),
            bonds: bonds.into(),
            next_line,
        }
    }

    /// The pieces.
    pub fn pieces(&self) -> &[Arc<Piece>] {
        &self.pieces
    }

    /// The bonds.
    pub fn bonds(&self) -> &[Bond] {
        &self.bonds
    }

    /// Area, centre and moment of inertia at a density of one.
    pub fn mass(&self) -> &Mass {
        &self.mass
    }

    /// The box around all pieces.
    pub fn bounds(&self) -> Aabb {
        self.bounds
    }

    /// The lengths that do not matter for it.
    pub fn tolerance(&self) -> Tolerance {
        Tolerance::for_box(&self.bounds)
    }

    /// The number of the first line identity that it does not use. What a fracture cuts has numbers from there on.
    pub fn next_line(&self) -> u64 {
        self.next_line
    }

    /// The pieces that hang together by bonds, as lists of indices.
    pub fn islands(&self) -> Vec<Vec<u32>> {
        islands(self.pieces.len(), self.bonds.iter())
    }
}

/// What hangs together of so many pieces, in order of first pieces.
pub(crate) fn islands<'a>(pieces: usize, bonds: impl Iterator<Item = &'a Bond>) -> Vec<Vec<u32>> {
    let mut sets = UnionFind::new(pieces);
    bonds.for_each(|bond| sets.join(bond.a, bond.b));
    let mut place = vec![u32::MAX; pieces];
    let mut lists: Vec<Vec<u32>> = Vec::new();
    for piece in 0..pieces as u32 {
        let root = sets.root(piece) as usize;
        if place[root] == u32::MAX {
            place[root] = lists.len() as u32;
            lists.push(Vec::new());
        }
        lists[place[root] as usize].push(piece);
    }
    lists
}

/// The bonds of a decomposed shape: each identity has two edges with the same ends. So a shape hangs together, however narrow it is in places.
fn bonds_of_diagonals(convexes: &[Convex], next_line: u64) -> Vec<Bond> {
    /// A piece and the ends of its edge.
    type Owner = (u32, [DVec2; 2]);
    let mut sides: Vec<[Option<Owner>; 2]> = vec![[None; 2]; next_line as usize];
    for (piece, convex) in (0..).zip(convexes) {
        for (index, edge) in convex.edges().iter().enumerate() {
            let Some(cut) = edge.cut else { continue };
            sides[cut.id().number() as usize][usize::from(cut.side() == Side::Front)] =
                Some((piece, convex.ends(index)));
        }
    }
    let bond = |(number, sides): (u64, [Option<Owner>; 2])| {
        let [Some((a, [from, to])), Some((b, _))] = sides else { return None };
        let (length, middle) = (from.distance(to), (from + to) * 0.5);
        Some(Bond { a, b, id: LineId::new(number), length, middle })
    };
    (0..).zip(sides).filter_map(bond).collect()
}

/// The first two convexes that have more than a sliver in common.
fn first_overlap(convexes: &[Convex], tolerance: &Tolerance) -> Option<[usize; 2]> {
    let bounds: Vec<Aabb> = convexes.iter().map(Convex::bounds).collect();
    let depth = tolerance.length() * bounds.iter().fold(Aabb::EMPTY, |b, own| b.union(*own)).extent();
    let overlaps = |a: usize, b: usize| {
        bounds[a].meets(&bounds[b])
            && convexes[a].intersection(&convexes[b]).is_some_and(|common| common.area() > depth)
    };
    let after = |a: usize| (a + 1..convexes.len()).find(|&b| overlaps(a, b)).map(|b| [a, b]);
    (0..convexes.len()).find_map(after)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn convexes_in_each_other_s_way_are_named() {
        let square = |x: f64| Convex::from_box(&Aabb::new(DVec2::new(x, 0.0), DVec2::new(x + 1.0, 1.0)));
        let error = |convexes| Compound::from_convexes(convexes).unwrap_err();
        assert_eq!(error(vec![]), CompoundError::Empty);
        assert_eq!(error(vec![square(0.0), Convex::default()]), CompoundError::NoArea(1));
        let overlapping = vec![square(0.0), square(4.0), square(0.5)];
        assert_eq!(error(overlapping), CompoundError::Overlap { pieces: [0, 2] });
    }
}
