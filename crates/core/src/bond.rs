//! What holds pieces together: faces in one plane that overlap.
//!
//! Müller et al. 2013, section 3.1, property (c). The paper sorts all faces by the distance |d| of their planes
//! and compares those that agree up to an epsilon. Here every cut has an identity, so the sort is by that and
//! exact; see [`crate::compound`] for the one place where |d| is still compared, and [`crate::contact`] for the
//! search.

use glam::DVec3;
use smithereens_geometry::{Cut, Plane, PlaneId, Side};

use crate::Piece;

/// Two pieces share a part of a plane, which [`crate::Compound::plane_of`] tells; or a piece and a ghost in it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bond {
    /// The piece behind the plane, as an index into the compound's pieces; the one around the ghost.
    pub a: u32,
    /// The piece in front of it; the ghost.
    pub b: u32,
    /// The plane's identity.
    pub id: PlaneId,
    /// The area of the overlap.
    pub area: f64,
    /// The centroid of the overlap.
    pub centroid: DVec3,
}

/// The identity that bonds of overlapping pieces have instead of a plane's. No face carries it.
const OVERLAP: u64 = u64::MAX >> 2;

impl Bond {
    /// Binds a piece and a ghost in it. The area is that of the ghost's shadow, the mean over all directions.
    pub(crate) fn of_overlap(piece: u32, ghost: (u32, &Piece)) -> Bond {
        let convex = ghost.1.convex();
        let surface: f64 = (0..convex.faces().len()).map(|face| convex.face_area(face)).sum();
        let (area, centroid) = (surface / 4.0, ghost.1.mass().center);
        Bond { a: piece, b: ghost.0, id: PlaneId::new(OVERLAP), area, centroid }
    }

    /// Whether it binds a piece and a ghost in it, instead of two pieces that touch.
    pub fn is_overlap(&self) -> bool {
        self.id.number() == OVERLAP
    }

    /// The piece on the other side.
    pub fn other(&self, piece: u32) -> u32 {
        if piece == self.a { self.b } else { self.a }
    }
}

/// The plane of a cut in its canonical orientation.
pub(crate) fn plane_of(piece: &Piece, cut: Cut) -> Option<Plane> {
    let outward = match piece.convex().faces().iter().find(|f| f.cut == Some(cut)) {
        Some(face) => face.plane,
        None => {
            let mesh = piece.skin()?.mesh();
            let face = mesh.faces.iter().position(|f| f.cut == Some(cut))?;
            let point = mesh.positions[mesh.corners[mesh.face_corners(face).start] as usize];
            Plane::through(point, mesh.face_area_vector(face))?
        }
    };
    Some(if cut.side() == Side::Behind { outward } else { outward.flipped() })
}
