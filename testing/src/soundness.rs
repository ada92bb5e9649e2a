//! All that must hold after a fracture, checked at once.

use glam::DVec3;
use smithereens::{Compound, Fracture, Piece};
use smithereens_geometry::{Aabb, ConvexClipper, Inside, Tolerance};

use crate::assertions::{assert_closed, assert_convex, assert_finite, shared_volume};
use crate::state_hash::StateHash;

/// Panics with the culprit unless every fragment is closed, oriented, convex where it should be, of positive
/// volume and in one part, convexes overlap only where what is in them does, and all fragments together have the volume that was
/// broken, to `relative`.
pub fn assert_fracture_sound(before: &Compound, fracture: &Fracture, relative: f64) {
    assert_fragments_sound(before, fracture, relative);
    let pieces = fracture.fragments.iter().flat_map(|f| f.compound.pieces()).map(|piece| &**piece);
    assert_pieces_apart(&pieces.collect::<Vec<_>>(), relative);
}

/// The same but for overlaps: what is left of a mesh that passes through itself passes through itself.
pub fn assert_fragments_sound(before: &Compound, fracture: &Fracture, relative: f64) {
    for fragment in &fracture.fragments {
        let compound = &fragment.compound;
        assert_eq!(compound.islands().len(), 1, "a fragment is in one part");
        assert!(compound.pieces().iter().any(|p| !p.is_ghost()), "a fragment has only ghosts");
        assert!(compound.mass().volume > 0.0, "a fragment has volume {}", compound.mass().volume);
        compound.pieces().iter().for_each(|piece| assert_piece_sound(piece));
        for bond in compound.bonds() {
            assert!(bond.area > 0.0 && bond.a != bond.b, "{bond:?}");
            assert!(bond.centroid.is_finite(), "{bond:?}");
        }
    }
    let after: f64 = fracture.fragments.iter().map(|f| f.compound.mass().volume).sum();
    let whole = before.mass().volume;
    let error = (after + fracture.report.dropped.volume - whole).abs() / whole;
    assert!(error <= relative, "volume {whole} became {after}: off by {error:e}");
}

/// Panics unless convexes of pieces share less than `relative` of their volumes, or a sheet of a hundred-millionth of the extent. Pieces
/// whose solids overlap may share more, and so may all if there are ghosts.
pub fn assert_pieces_apart(pieces: &[&Piece], relative: f64) {
    if pieces.iter().any(|piece| piece.is_ghost()) {
        return;
    }
    let hair =
        Tolerance::for_box(&pieces.iter().map(|p| *p.bounds()).fold(Aabb::EMPTY, Aabb::union)).length();
    let mut order: Vec<&Piece> = pieces.to_vec();
    order.sort_by(|a, b| a.bounds().min.x.total_cmp(&b.bounds().min.x));
    let mut clipper = ConvexClipper::default();
    for (i, a) in order.iter().enumerate() {
        for b in order[i + 1..].iter().take_while(|b| b.bounds().min.x <= a.bounds().max.x) {
            if !a.bounds().overlaps(b.bounds()) {
                continue;
            }
            let shared = shared_volume(a.convex(), b.convex(), &mut clipper);
            let least = a.convex().volume().min(b.convex().volume());
            let sheet = 100.0 * hair * a.bounds().extent().min(b.bounds().extent()).powi(2);
            if shared > relative * least + sheet {
                assert!(share_a_place(a, b), "convexes share {shared:e} of {least:e}");
            }
        }
    }
}

/// Whether a corner, or the middle of a face, of one piece is inside the other.
fn share_a_place(a: &Piece, b: &Piece) -> bool {
    [(a, b), (b, a)].into_iter().any(|(inner, outer)| {
        let (inner, outer) = (inner.to_mesh(), outer.to_mesh());
        let inside = Inside::of(&outer);
        let middle = |face: usize| {
            let corners = &inner.corners[inner.face_corners(face)];
            corners.iter().map(|&v| inner.positions[v as usize]).sum::<DVec3>() / corners.len() as f64
        };
        let middles = (0..inner.faces.len()).map(middle);
        inner.positions.iter().copied().chain(middles).any(|point| inside.contains(point))
    })
}

/// Panics unless the piece's mesh is closed and its convex convex and around it.
pub fn assert_piece_sound(piece: &Piece) {
    let volume = piece.mass().volume * piece.weight();
    assert!(volume > 0.0, "a piece has volume {volume}");
    assert_convex(piece.convex());
    let mesh = piece.to_mesh();
    assert_finite(&mesh);
    assert_closed(&mesh);
    let tolerance = Tolerance::for_box(&mesh.bounds());
    let reach = mesh.bounds().min.abs().max(mesh.bounds().max.abs()).max_element();
    let hair = tolerance.length().max(reach * Tolerance::RELATIVE) * 100.0;
    for &point in &mesh.positions {
        let depth = piece.convex().depth(point);
        assert!(depth <= hair, "a vertex of the skin is {depth:e} outside of its convex");
    }
}

/// A hash over every bit of a fracture's fragments.
pub fn hash_fracture(fracture: &Fracture) -> u64 {
    let mut hash = StateHash::default();
    for fragment in &fracture.fragments {
        hash.word(fragment.compound.pieces().len() as u64);
        hash.word(fragment.colour.map_or(u64::MAX, u64::from));
        for piece in fragment.compound.pieces() {
            hash.mesh(&piece.to_mesh()).convex(piece.convex());
        }
        for bond in fragment.compound.bonds() {
            hash.word(bond.a.into()).word(bond.b.into()).word(bond.id.number()).number(bond.area);
            hash.number(bond.centroid.x).number(bond.centroid.y).number(bond.centroid.z);
        }
        for exposed in &fragment.exposed {
            hash.word(exposed.piece.into()).word(exposed.cut.id().number()).number(exposed.area);
        }
    }
    hash.value()
}
