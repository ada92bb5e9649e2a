//! Compounds as bytes, which give the same bits back.
//!
//! Little-endian words: a version, the pieces, the bonds, a checksum. What can be computed again (mass, boxes, islands) is, and comes
//! out the same. Bytes from elsewhere are not trusted: what they refer to is there and what they enclose is closed, or they are refused.

use std::sync::Arc;

use glam::{DVec3, Vec2, Vec3};
use smithereens_geometry::{Convex, Cut, Face, Mesh, Plane, PlaneId, Side, Slot, Solid, SolidError};
use thiserror::Error;

use crate::{Bond, Bonds, Compound, Piece, Pieces};

/// Why bytes are no compound.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum SavedError {
    /// They end before they should, or are something else.
    #[error("the saved compound is cut short or damaged")]
    Damaged,
    /// They were written by a later version.
    #[error("the saved compound has version {0}, this program reads up to {VERSION}: update it")]
    Version(u32),
    /// A piece refers to what is not there.
    #[error("piece {0} of the saved compound refers to what is not there")]
    OutOfRange(usize),
    /// The skin of a piece is not closed.
    #[error("the skin of piece {piece} of the saved compound: {error}")]
    NoSolid {
        /// The piece.
        piece: usize,
        /// What is wrong.
        error: SolidError,
    },
}

const VERSION: u32 = 1;

impl Compound {
    /// All of it as bytes.
    ///
    /// ```
    /// use smithereens::{Aabb, Compound, Convex};
    /// let compound = Compound::from_convexes(vec![Convex::from_box(&Aabb::cube(1.0))])?;
    /// let back = Compound::from_bytes(&compound.to_bytes())?;
    /// assert_eq!(back.pieces()[0].convex(), compound.pieces()[0].convex());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Sink::default();
        out.u32(VERSION);
        out.u64(self.next_plane);
        out.count(self.pieces.len());
        self.pieces.iter().for_each(|piece| out.piece(piece));
        out.count(self.bonds.len());
        for bond in self.bonds.iter() {
            out.u32(bond.a);
            out.u32(bond.b);
            out.u64(bond.id.number());
            out.f64(bond.area);
            out.vector(bond.centroid);
        }
        let sum = checksum(&out.0);
        out.u64(sum);
        out.0
    }

    /// The compound that the bytes were made from, to the bit.
    pub fn from_bytes(bytes: &[u8]) -> Result<Compound, SavedError> {
        let (body, sum) = bytes.split_last_chunk::<8>().ok_or(SavedError::Damaged)?;
        let mut source = Source(body);
        let version = source.u32()?;
        if version > VERSION {
            return Err(SavedError::Version(version));
        }
        if checksum(body) != u64::from_le_bytes(*sum) {
            return Err(SavedError::Damaged);
        }
        let next_plane = source.u64()?;
        let count = source.count(8)?;
        let pieces = (0..count).map(|piece| source.piece(piece)).collect::<Result<Vec<_>, _>>()?;
        let bonds = source.bonds(pieces.len() as u32)?;
        let pieces = Pieces::new(pieces.into_iter().map(Arc::new).collect());
        let mut compound = Compound::assemble(pieces, Bonds::new(&bonds), next_plane);
        compound.in_one_part = compound.islands().len() == 1;
        Ok(compound)
    }
}

/// Fowler, Noll and Vo's hash: damage is noticed, intent is not.
fn checksum(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0xCBF2_9CE4_8422_2325, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01B3))
}

#[derive(Default)]
struct Sink(Vec<u8>);

impl Sink {
    fn u32(&mut self, word: u32) {
        self.0.extend(word.to_le_bytes());
    }

    fn u64(&mut self, word: u64) {
        self.0.extend(word.to_le_bytes());
    }

    fn f64(&mut self, number: f64) {
        self.0.extend(number.to_le_bytes());
    }

    fn f32s<const N: usize>(&mut self, numbers: [f32; N]) {
        numbers.iter().for_each(|n| self.0.extend(n.to_le_bytes()));
    }

    fn vector(&mut self, v: DVec3) {
        v.to_array().into_iter().for_each(|n| self.f64(n));
    }

    fn count(&mut self, count: usize) {
        self.u64(count as u64);
    }

    /// Zero for no cut.
    fn cut(&mut self, cut: Option<Cut>) {
        let word = |cut: Cut| 1 + (cut.id().number() << 1 | u64::from(cut.side() == Side::Front));
        self.u64(cut.map_or(0, word));
    }

    fn piece(&mut self, piece: &Piece) {
        self.convex(piece.convex());
        self.u32(piece.layers());
        self.f64(piece.weight());
        self.u32(u32::from(piece.skin().is_some()));
        if let Some(skin) = piece.skin() {
            self.mesh(skin.mesh());
        }
    }

    fn convex(&mut self, convex: &Convex) {
        self.count(convex.vertices().len());
        convex.vertices().iter().for_each(|&v| self.vector(v));
        self.count(convex.faces().len());
        for (index, face) in convex.faces().iter().enumerate() {
            self.vector(face.plane.normal);
            self.f64(face.plane.offset);
            self.cut(face.cut);
            self.words(convex.face_vertices(index));
        }
    }

    fn words(&mut self, words: &[u32]) {
        self.count(words.len());
        words.iter().for_each(|&w| self.u32(w));
    }

    fn mesh(&mut self, mesh: &Mesh) {
        self.count(mesh.positions.len());
        mesh.positions.iter().for_each(|&p| self.vector(p));
        self.words(&mesh.corners);
        self.words(&mesh.loop_ends);
        self.count(mesh.faces.len());
        for face in &mesh.faces {
            self.u32(face.slot.0);
            self.u32(face.loops_end);
            self.cut(face.cut);
        }
        self.count(mesh.normals.len());
        mesh.normals.iter().for_each(|n| self.f32s(n.to_array()));
        self.count(mesh.uvs.len());
        mesh.uvs.iter().for_each(|uv| self.f32s(uv.to_array()));
    }
}

/// What is left to read.
struct Source<'a>(&'a [u8]);

impl Source<'_> {
    fn take<const N: usize>(&mut self) -> Result<[u8; N], SavedError> {
        let (head, rest) = self.0.split_first_chunk::<N>().ok_or(SavedError::Damaged)?;
        self.0 = rest;
        Ok(*head)
    }

    fn u32(&mut self) -> Result<u32, SavedError> {
        self.take().map(u32::from_le_bytes)
    }

    fn u64(&mut self) -> Result<u64, SavedError> {
        self.take().map(u64::from_le_bytes)
    }

    fn f64(&mut self) -> Result<f64, SavedError> {
        let number = self.take().map(f64::from_le_bytes)?;
        if number.is_finite() { Ok(number) } else { Err(SavedError::Damaged) }
    }

    fn f32s<const N: usize>(&mut self) -> Result<[f32; N], SavedError> {
        let mut numbers = [0.0; N];
        for number in &mut numbers {
            *number = self.take().map(f32::from_le_bytes)?;
        }
        Ok(numbers)
    }

    fn vector(&mut self) -> Result<DVec3, SavedError> {
        Ok(DVec3::new(self.f64()?, self.f64()?, self.f64()?))
    }

    /// A number of things of `size` bytes at least, which must be there.
    fn count(&mut self, size: usize) -> Result<usize, SavedError> {
        let count = usize::try_from(self.u64()?).map_err(|_| SavedError::Damaged)?;
        let is_there = count.checked_mul(size).is_some_and(|bytes| bytes <= self.0.len());
        if is_there { Ok(count) } else { Err(SavedError::Damaged) }
    }

    fn words(&mut self) -> Result<Vec<u32>, SavedError> {
        (0..self.count(4)?).map(|_| self.u32()).collect()
    }

    fn cut(&mut self) -> Result<Option<Cut>, SavedError> {
        let Some(word) = self.u64()?.checked_sub(1) else { return Ok(None) };
        let side = if word & 1 == 1 { Side::Front } else { Side::Behind };
        if word >> 1 > u64::MAX >> 2 {
            return Err(SavedError::Damaged);
        }
        Ok(Some(Cut::new(PlaneId::new(word >> 1), side)))
    }

    fn piece(&mut self, piece: usize) -> Result<Piece, SavedError> {
        let convex = self.convex(piece)?;
        let (layers, weight) = (self.u32()?, self.f64()?);
        let whole = if self.u32()? == 0 {
            Piece::interior(convex)
        } else {
            let mesh = self.mesh()?;
            let skin = Solid::restored(mesh).map_err(|error| SavedError::NoSolid { piece, error })?;
            Piece::surface(convex, skin)
        };
        match layers {
            0 => Err(SavedError::Damaged),
            1 => Ok(whole),
            _ => Ok(whole.into_ghost(layers, weight)),
        }
    }

    fn convex(&mut self, piece: usize) -> Result<Convex, SavedError> {
        let vertices = (0..self.count(24)?).map(|_| self.vector()).collect::<Result<Vec<_>, _>>()?;
        let mut faces = Vec::new();
        for _ in 0..self.count(40)? {
            let plane = Plane::new(self.vector()?, self.f64()?);
            faces.push((plane, self.cut()?, self.words()?));
        }
        Convex::from_faces(vertices, &faces).ok_or(SavedError::OutOfRange(piece))
    }

    fn mesh(&mut self) -> Result<Mesh, SavedError> {
        let positions = (0..self.count(24)?).map(|_| self.vector()).collect::<Result<_, _>>()?;
        let (corners, loop_ends) = (self.words()?, self.words()?);
        let mut faces = Vec::new();
        for _ in 0..self.count(16)? {
            faces.push(Face { slot: Slot(self.u32()?), loops_end: self.u32()?, cut: self.cut()? });
        }
        let normals = (0..self.count(12)?).map(|_| self.f32s().map(Vec3::from)).collect::<Result<_, _>>()?;
        let uvs = (0..self.count(8)?).map(|_| self.f32s().map(Vec2::from)).collect::<Result<_, _>>()?;
        Ok(Mesh { positions, corners, normals, uvs, loop_ends, faces })
    }

    fn bonds(&mut self, pieces: u32) -> Result<Vec<Bond>, SavedError> {
        let mut bonds = Vec::new();
        for _ in 0..self.count(48)? {
            let (a, b, id) = (self.u32()?, self.u32()?, PlaneId::new(self.u64()? & (u64::MAX >> 2)));
            let (area, centroid) = (self.f64()?, self.vector()?);
            if a >= pieces || b >= pieces || a == b {
                return Err(SavedError::Damaged);
            }
            bonds.push(Bond { a, b, id, area, centroid });
        }
        Ok(bonds)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prepare::Decomposition;
    use crate::{Aabb, Fit};
    use smithereens_testing::{chance::Chance, fixtures, seeds};

    #[test]
    fn every_bit_comes_back() {
        for (name, solid) in fixtures::all() {
            let nodes = seeds::inside(&solid, 15, 1);
            let saved = Decomposition::new(solid, nodes, Fit::Dop26).unwrap().compound().clone();
            let back =
                Compound::from_bytes(&saved.to_bytes()).unwrap_or_else(|error| panic!("{name}: {error}"));
            assert_eq!(back.to_bytes(), saved.to_bytes());
            assert_eq!((back.mass(), back.bounds()), (saved.mass(), saved.bounds()));
            assert_eq!(back.bonds(), saved.bonds());
            for (a, b) in back.pieces().iter().zip(saved.pieces()) {
                assert_eq!((a.convex(), a.skin(), a.mass()), (b.convex(), b.skin(), b.mass()), "{name}");
            }
        }
    }

    #[test]
    fn ghosts_come_back_as_ghosts() {
        let boxes = [0.0, 0.6, 1.2].map(|x| Aabb::new(DVec3::splat(x), DVec3::splat(x + 1.0)));
        let saved = Compound::from_convexes(boxes.iter().map(Convex::from_box).collect()).unwrap();
        let back = Compound::from_bytes(&saved.to_bytes()).unwrap();
        assert!(back.pieces().iter().any(|p| p.is_ghost()) && back.bonds().iter().any(|b| b.is_overlap()));
        assert_eq!((back.mass(), back.bonds()), (saved.mass(), saved.bonds()));
        assert_eq!(back.to_bytes(), saved.to_bytes());
    }

    /// With the right checksum, so that damage reaches the checks behind it.
    #[test]
    fn damage_is_refused_and_never_panics() {
        let solid = fixtures::torus(1.0, 0.3, 12, 8);
        let nodes = seeds::inside(&solid, 4, 1);
        let saved = Decomposition::new(solid, nodes, Fit::Dop26).unwrap().compound().to_bytes();
        let mut chance = Chance::new(1);
        let mut refused = 0;
        for _ in 0..3000 {
            let mut bytes = saved[..saved.len() - 8].to_vec();
            for _ in 0..1 + chance.below(3) {
                let at = chance.below(bytes.len());
                bytes[at] = chance.bits() as u8;
            }
            if chance.below(4) == 0 {
                bytes.truncate(chance.below(bytes.len()));
            }
            let sum = checksum(&bytes);
            bytes.extend(sum.to_le_bytes());
            refused += usize::from(Compound::from_bytes(&bytes).is_err());
        }
        assert!(refused > 500, "{refused}");
        assert_eq!(Compound::from_bytes(&[]).err(), Some(SavedError::Damaged));
        let flipped: Vec<u8> =
            saved.iter().enumerate().map(|(i, b)| if i == 40 { b ^ 1 } else { *b }).collect();
        assert_eq!(Compound::from_bytes(&flipped).err(), Some(SavedError::Damaged));
    }
}
