//! Pieces and bonds that move as one.

use std::sync::Arc;

use smithereens_geometry::{
    Aabb, Convex, Cut, Fit, Mass, Plane, PlaneId, Side, Solid, SolidError, Tolerance, UnionFind,
};
use thiserror::Error;

use crate::contact::Contacts;
use crate::ghosts::ghosts;
use crate::{Bond, Bonds, Piece, Pieces};

/// Why pieces make no compound.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum CompoundError {
    /// There are no pieces.
    #[error("a compound needs a piece")]
    Empty,
    /// A piece is flat.
    #[error("piece {0} encloses no volume: remove it or give it thickness")]
    NoVolume(usize),
    /// Too many pieces overlap in one place.
    #[error("piece {0} and others overlap in too many ways: unite some of them")]
    TooManyOverlaps(usize),
    /// A piece's mesh is no solid.
    #[error("piece {piece}: {error}")]
    NoSolid {
        /// The piece.
        piece: usize,
        /// What is wrong with its mesh.
        error: SolidError,
    },
}

/// Pieces and bonds that move as one.
///
/// Clones share everything. What stays of a compound after a fracture shares with it all but the pieces and bonds near
/// the impact.
///
/// ```
/// use smithereens::{Compound, Convex, Aabb, Fit, Slot, Solid};
/// let cube = Convex::from_box(&Aabb::cube(1.0)).to_mesh(Slot(0));
/// let compound = Compound::from_solid(Solid::new(cube)?, Fit::Dop26);
/// assert_eq!(compound.pieces().len(), 1);
/// assert!((compound.mass().volume - 8.0).abs() < 1e-12);
/// # Ok::<(), smithereens::SolidError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Compound {
    pub(crate) pieces: Arc<Pieces>,
    pub(crate) bonds: Arc<Bonds>,
    mass: Mass,
    bounds: Aabb,
    /// Whether all pieces hang together. Fragments do; a user's own pieces need not.
    pub(crate) in_one_part: bool,
    /// All identities from here on are unused.
    pub(crate) next_plane: u64,
}

impl Compound {
    /// A compound of one piece: the solid in its fitted convex.
    pub fn from_solid(solid: Solid, fit: Fit) -> Compound {
        let convex = fit.around(&solid.mesh().positions);
        let piece = Piece::surface(convex, solid);
        Compound::assemble(Pieces::new(vec![Arc::new(piece)]), Bonds::default(), 0)
    }

    /// A compound of a user's own convex pieces, each drawn as it is.
    ///
    /// Pieces are bonded where faces of theirs lie in one plane, look at each other and overlap: the
    /// planes are sorted by |d| and those that agree within the tolerance are taken for one (Müller
    /// et al. 2013, section 3.1).
    pub fn from_convexes(convexes: Vec<Convex>) -> Result<Compound, CompoundError> {
        let pieces = convexes.into_iter().map(Piece::interior).collect();
        Compound::from_pieces(pieces)
    }

    /// A compound of pieces of the user's, with or without a skin.
    ///
    /// Pieces may overlap, as columns that reach into a roof do, or lie inside others: what they have in common is added as
    /// ghosts after the pieces, so that it counts once and holds them together.
    ///
    /// ```
    /// use smithereens::{Aabb, Compound, Convex, Piece};
    /// use glam::DVec3;
    /// let boxed = |min, max| Piece::interior(Convex::from_box(&Aabb::new(min, max)));
    /// let roof = boxed(DVec3::new(0.0, 2.0, 0.0), DVec3::new(4.0, 3.0, 4.0));
    /// let column = boxed(DVec3::new(1.0, 0.0, 1.0), DVec3::new(2.0, 2.5, 2.0));
    /// let temple = Compound::from_pieces(vec![roof, column])?;
    /// assert!((temple.mass().volume - (16.0 + 2.0)).abs() < 1e-12);
    /// assert_eq!((temple.pieces().len(), temple.islands().len()), (3, 1)); // one is a ghost
    /// # Ok::<(), smithereens::CompoundError>(())
    /// ```
    pub fn from_pieces(pieces: Vec<Piece>) -> Result<Compound, CompoundError> {
        let mut pieces = pieces;
        // Ghosts and identities of other compounds say nothing about this one.
        pieces.retain(|piece| !piece.is_ghost());
        pieces.iter_mut().for_each(|piece| piece.retain_cuts(|_| false));
        if pieces.is_empty() {
            return Err(CompoundError::Empty);
        }
        if let Some(flat) = pieces.iter().position(|p| p.mass().volume <= 0.0) {
            return Err(CompoundError::NoVolume(flat));
        }
        let bounds = pieces.iter().fold(Aabb::EMPTY, |b, p| b.union(*p.bounds()));
        let tolerance = Tolerance::for_box(&bounds);
        let next_plane = identify_planes(&mut pieces, &tolerance);
        let mut overlaps = Vec::new();
        for ghost in ghosts(&pieces, &tolerance)? {
            let named = (pieces.len() as u32, &ghost.piece);
            overlaps.extend(ghost.parents.iter().map(|&parent| Bond::of_overlap(parent, named)));
            pieces.push(ghost.piece);
        }
        let pieces: Vec<Arc<Piece>> = pieces.into_iter().map(Arc::new).collect();
        let mut contacts = Contacts::default();
        (0..).zip(&pieces).for_each(|(index, piece)| contacts.add(index, 0, piece, |_| true));
        let mut bonds = contacts.find_bonds(&tolerance, |a, b| a != b);
        bonds.extend(overlaps);
        let mut compound = Compound::assemble(Pieces::new(pieces), Bonds::new(&bonds), next_plane);
        compound.in_one_part = compound.islands().len() == 1;
        Ok(compound)
    }

    /// A compound of pieces that hang together.
    pub(crate) fn assemble(pieces: Pieces, bonds: Bonds, next_plane: u64) -> Compound {
        Compound {
            mass: pieces.mass(),
            bounds: pieces.bounds(),
            pieces: Arc::new(pieces),
            bonds: Arc::new(bonds),
            in_one_part: true,
            next_plane,
        }
    }

    /// The same pieces with other bonds.
    pub(crate) fn with_bonds(&self, bonds: Bonds) -> Compound {
        Compound { bonds: Arc::new(bonds), ..self.clone() }
    }

    /// The pieces.
    pub fn pieces(&self) -> &Pieces {
        &self.pieces
    }

    /// The bonds.
    pub fn bonds(&self) -> &Bonds {
        &self.bonds
    }

    /// Volume, centre and inertia at a density of one.
    pub fn mass(&self) -> &Mass {
        &self.mass
    }

    /// The box around all convexes.
    pub fn bounds(&self) -> Aabb {
        self.bounds
    }

    /// The plane of a bond; its normal points from piece `a` to piece `b`.
    pub fn plane_of(&self, bond: &Bond) -> Option<Plane> {
        let piece = self.pieces.get(bond.a as usize)?;
        crate::bond::plane_of(piece, Cut::new(bond.id, Side::Behind))
    }

    /// The pieces that hang together by bonds, as lists of indices.
    pub fn islands(&self) -> Vec<Vec<u32>> {
        let mut sets = UnionFind::new(self.pieces.len());
        self.bonds.iter().for_each(|b| sets.join(b.a, b.b));
        let mut lists: Vec<Vec<u32>> = vec![Vec::new(); self.pieces.len()];
        (0..self.pieces.len() as u32).for_each(|p| lists[sets.root(p) as usize].push(p));
        lists.retain(|l| !l.is_empty());
        lists
    }

    /// Heap memory in bytes, shared pieces included.
    pub fn heap_bytes(&self) -> usize {
        self.pieces.heap_bytes() + self.bonds.heap_bytes()
    }
}

/// Gives faces in the same plane the same identity. Returns the first unused one.
fn identify_planes(pieces: &mut [Piece], tolerance: &Tolerance) -> u64 {
    let mut faces = Vec::new();
    for (piece, p) in pieces.iter().enumerate() {
        for (face, f) in p.convex().faces().iter().enumerate() {
            faces.push((f.plane, piece as u32, face as u32));
        }
    }
    faces.sort_by(|x, y| {
        let by = |a: f64, b: f64| a.total_cmp(&b);
        by(x.0.offset.abs(), y.0.offset.abs()).then((x.1, x.2).cmp(&(y.1, y.2)))
    });
    let mut next = 0;
    let mut planes: Vec<(Plane, u64)> = Vec::new();
    let mut oldest = 0;
    for (plane, piece, face) in faces {
        while oldest < planes.len() && planes[oldest].0.offset.abs() < plane.offset.abs() - tolerance.length()
        {
            oldest += 1;
        }
        let same = |p: &Plane| {
            let turn = p.normal.dot(plane.normal).signum();
            (p.normal * turn - plane.normal).abs().max_element() <= Tolerance::RELATIVE
                && (p.offset * turn - plane.offset).abs() <= tolerance.length()
        };
        let known = planes[oldest..].iter().find(|(p, _)| same(p)).copied();
        let (canonical, id) = known.unwrap_or_else(|| {
            planes.push((plane, next));
            next += 1;
            (plane, next - 1)
        });
        let side = if canonical.normal.dot(plane.normal) > 0.0 { Side::Behind } else { Side::Front };
        pieces[piece as usize].mark(face as usize, Cut::new(PlaneId::new(id), side), tolerance);
    }
    next
}
