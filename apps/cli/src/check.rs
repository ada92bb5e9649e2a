//! What the report claims about fragments, looked at anew rather than taken from the library's word.

use smithereens::{Compound, Mesh};

/// Whether every edge is run along as often in one direction as in the other.
pub fn is_closed(mesh: &Mesh) -> bool {
    let mut edges: Vec<(u32, u32, bool)> = Vec::with_capacity(mesh.corners.len());
    for face in 0..mesh.faces.len() {
        edges.extend(mesh.edges_of(face).map(|(a, b)| (a.min(b), a.max(b), a < b)));
    }
    edges.sort_unstable();
    let balanced = |group: &[(u32, u32, bool)]| 2 * group.iter().filter(|e| e.2).count() == group.len();
    !mesh.faces.is_empty() && edges.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)).all(balanced)
}

/// Whether the mesh of every piece is closed.
pub fn all_closed(compound: &Compound) -> bool {
    compound.pieces().iter().all(|piece| match piece.skin() {
        Some(skin) => is_closed(skin.mesh()),
        None => is_closed(&piece.to_mesh()),
    })
}

/// A 64-bit FNV-1a hash of every bit of the fragments' geometry: two runs agree if and only if their hashes do, but for
/// a chance of one in 2^64.
pub fn state_hash<'a>(compounds: impl Iterator<Item = &'a Compound>) -> u64 {
    let mut hash = Fnv(0xcbf2_9ce4_8422_2325);
    for compound in compounds {
        hash.add(compound.pieces().len() as u64);
        for piece in compound.pieces() {
            let mesh = piece.to_mesh();
            hash.add(mesh.positions.len() as u64);
            mesh.positions.iter().flat_map(|p| p.to_array()).for_each(|x| hash.add(x.to_bits()));
            mesh.corners.iter().chain(&mesh.loop_ends).for_each(|&v| hash.add(v.into()));
            mesh.faces.iter().for_each(|f| hash.add(u64::from(f.loops_end) << 32 | u64::from(f.slot.0)));
            piece.convex().vertices().iter().flat_map(|p| p.to_array()).for_each(|x| hash.add(x.to_bits()));
        }
    }
    hash.0
}

struct Fnv(u64);

impl Fnv {
    fn add(&mut self, word: u64) {
        for byte in word.to_le_bytes() {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use smithereens::{Aabb, Convex, Slot};

    #[test]
    fn a_missing_face_is_noticed() {
        let mut cube = Convex::from_box(&Aabb::cube(1.0)).to_mesh(Slot(0));
        assert!(is_closed(&cube));
        cube.faces.pop();
        assert!(!is_closed(&cube));
        assert!(!is_closed(&Mesh::default()));
    }

    #[test]
    fn the_hash_sees_the_last_bit() {
        let cube = |side: f64| Compound::from_convexes(vec![Convex::from_box(&Aabb::cube(side))]).unwrap();
        let hash = |side| state_hash([cube(side)].iter());
        assert_eq!(hash(1.0), hash(1.0));
        assert_ne!(hash(1.0), hash(1.0 + f64::EPSILON));
    }
}
