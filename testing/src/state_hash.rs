//! One number for a shape, for golden tests: the same bits, the same number.

use smithereens_geometry::{Convex, Mesh};

/// FNV-1a over words of 64 bits: simple enough to be the same for ever.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StateHash(u64);

impl Default for StateHash {
    fn default() -> StateHash {
        StateHash(0xcbf2_9ce4_8422_2325)
    }
}

impl StateHash {
    /// Adds a word.
    pub fn word(&mut self, word: u64) -> &mut StateHash {
        for byte in word.to_le_bytes() {
            self.0 = (self.0 ^ byte as u64).wrapping_mul(0x100_0000_01b3);
        }
        self
    }

    /// Adds the bits of a number.
    pub fn number(&mut self, number: f64) -> &mut StateHash {
        self.word(number.to_bits())
    }

    /// Adds the positions, topology, slots and marks of a mesh.
    pub fn mesh(&mut self, mesh: &Mesh) -> &mut StateHash {
        self.word(mesh.positions.len() as u64).word(mesh.corners.len() as u64);
        for x in mesh.positions.iter().flat_map(|p| p.to_array()) {
            self.number(x);
        }
        for &index in mesh.corners.iter().chain(&mesh.loop_ends) {
            self.word(index as u64);
        }
        for face in &mesh.faces {
            self.word(face.loops_end as u64).word(face.slot.0 as u64).cut(face.cut);
        }
        self
    }

    /// Adds the vertices, planes, topology and marks of a convex.
    pub fn convex(&mut self, convex: &Convex) -> &mut StateHash {
        self.word(convex.vertices().len() as u64).word(convex.faces().len() as u64);
        for x in convex.vertices().iter().flat_map(|p| p.to_array()) {
            self.number(x);
        }
        for (index, face) in convex.faces().iter().enumerate() {
            face.plane.normal.to_array().into_iter().for_each(|x| _ = self.number(x));
            self.number(face.plane.offset).cut(face.cut);
            convex.face_vertices(index).iter().for_each(|&v| _ = self.word(v as u64));
        }
        self
    }

    fn cut(&mut self, cut: Option<smithereens_geometry::Cut>) -> &mut StateHash {
        match cut {
            Some(cut) => self.word(cut.id().number() << 1 | (cut.side() as u64)),
            None => self.word(u64::MAX),
        }
    }

    /// The number.
    pub fn value(&self) -> u64 {
        self.0
    }
}

/// The hash of one mesh.
pub fn hash_mesh(mesh: &Mesh) -> u64 {
    StateHash::default().mesh(mesh).value()
}

/// The hash of convexes in order.
pub fn hash_convexes<'a>(convexes: impl IntoIterator<Item = &'a Convex>) -> u64 {
    let mut hash = StateHash::default();
    convexes.into_iter().for_each(|c| _ = hash.convex(c));
    hash.value()
}

#[cfg(test)]
mod tests {
    use super::*;
    use smithereens_geometry::{Aabb, Slot};

    /// FNV-1a of eight bytes is known: golden hashes of today hold tomorrow.
    #[test]
    fn the_hash_is_fnv() {
        let mut bytes = [0; 8];
        bytes[..6].copy_from_slice(b"foobar");
        let mut by_hand = 0xcbf2_9ce4_8422_2325_u64;
        bytes.iter().for_each(|&b| by_hand = (by_hand ^ b as u64).wrapping_mul(0x100_0000_01b3));
        assert_eq!(StateHash::default().word(u64::from_le_bytes(bytes)).value(), by_hand);
    }

    #[test]
    fn one_bit_makes_another_hash() {
        let cube = Convex::from_box(&Aabb::cube(1.0)).to_mesh(Slot(0));
        let mut moved = cube.clone();
        moved.positions[3].x = moved.positions[3].x.next_up();
        assert_eq!(hash_mesh(&cube), hash_mesh(&cube.clone()));
        assert_ne!(hash_mesh(&cube), hash_mesh(&moved));
    }
}
