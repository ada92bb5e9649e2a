//! A compound in fewer pieces: those of a group become one, with one skin around them.
//!
//! Pieces that were cut apart share faces: the same polygon on both sides, up to rounding. Corners of cut faces that are
//! nearer than the tolerance become one vertex, and a face that has its like on the other side goes with it. Each piece is closed, so
//! what is left of a group is closed, whether or not all faces between its pieces found their like: those that did not stay, as a
//! wall of no thickness.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use glam::DVec3;
use rayon::prelude::*;
use smithereens_geometry::{Aabb, Cut, Fit, Mesh, PlaneId, Side, Solid, Tolerance};
use thiserror::Error;

use crate::{Bond, Bonds, Compound, Piece, Pieces};

/// Why pieces cannot be merged.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum MergeError {
    /// The list of groups is for another compound.
    #[error("there are groups for {given} pieces, but the compound has {pieces}")]
    OtherCompound {
        /// How many pieces have a group.
        given: usize,
        /// How many there are.
        pieces: usize,
    },
    /// Pieces overlap.
    #[error("piece {0} is a ghost: pieces that overlap cannot be merged; unite them first")]
    Ghost(usize),
}

/// A compound in fewer pieces.
#[derive(Clone, Debug)]
pub struct Merged {
    /// The compound.
    pub compound: Compound,
    /// The pieces of the compound before that each piece is made of.
    pub members: Vec<Vec<u32>>,
}

impl Compound {
    /// The same solid with the pieces of each group as one, in the order of their first pieces. Groups may have any numbers. The convex of a merged piece
    /// encloses it, and may overlap those of its neighbours where it is not convex.
    ///
    /// ```
    /// use smithereens::{Aabb, Compound, Convex, Fit};
    /// use glam::DVec3;
    /// let brick = |x: f64| Convex::from_box(&Aabb::new(DVec3::new(x, 0.0, 0.0), DVec3::new(x + 1.0, 1.0, 1.0)));
    /// let row = Compound::from_convexes(vec![brick(0.0), brick(1.0), brick(2.0)])?;
    /// let merged = row.merged(&[7, 7, 3], Fit::Dop26)?;
    /// assert_eq!(merged.members, [vec![0, 1], vec![2]]);
    /// let two = merged.compound;
    /// assert_eq!((two.pieces().len(), two.bonds().len()), (2, 1));
    /// assert!((two.pieces()[0].mass().volume - 2.0).abs() < 1e-12);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn merged(&self, group_of: &[u32], fit: Fit) -> Result<Merged, MergeError> {
        if group_of.len() != self.pieces.len() {
            return Err(MergeError::OtherCompound { given: group_of.len(), pieces: self.pieces.len() });
        }
        if let Some(ghost) = self.pieces.iter().position(|piece| piece.is_ghost()) {
            return Err(MergeError::Ghost(ghost));
        }
        let groups = Groups::new(group_of);
        let inner = groups.inner_bonds(self);
        let (with_uvs, tolerance) = (self.has_uvs(), Tolerance::for_box(&self.bounds()));
        let merge = |(members, bonds): (&Vec<u32>, &Vec<Bond>)| match members[..] {
            [only] => Some(self.pieces[only as usize].clone()),
            _ => {
                let mut union = Union::new(self, members, with_uvs, &tolerance);
                bonds.iter().for_each(|bond| union.cancel(bond));
                union.piece(fit).map(Arc::new)
            }
        };
        let merged: Vec<Option<Arc<Piece>>> = groups.members.par_iter().zip(&inner).map(merge).collect();
        match merged.iter().cloned().collect() {
            Some(pieces) => {
                let compound = self.regrouped(pieces, &groups);
                Ok(Merged { compound, members: groups.members })
            }
            // Where rounding folds faces over, halves of the group are merged instead, down to the pieces where it does.
            None => self.merged(&groups.halved(self, |group| merged[group].is_none()), fit),
        }
    }

    fn regrouped(&self, pieces: Vec<Arc<Piece>>, groups: &Groups) -> Compound {
        let bonds = Bonds::new(&groups.outer_bonds(self));
        let mut merged = Compound::assemble(Pieces::new(pieces), bonds, self.next_plane);
        merged.in_one_part = merged.islands().len() == 1;
        merged
    }
}

/// Which pieces become one.
struct Groups {
    /// For each piece the index of its group.
    of_piece: Vec<u32>,
    members: Vec<Vec<u32>>,
}

impl Groups {
    fn new(group_of: &[u32]) -> Groups {
        let mut index: BTreeMap<u32, u32> = BTreeMap::new();
        let mut groups = Groups { of_piece: Vec::with_capacity(group_of.len()), members: Vec::new() };
        for (piece, &group) in (0..).zip(group_of) {
            let group = *index.entry(group).or_insert_with(|| {
                groups.members.push(Vec::new());
                groups.members.len() as u32 - 1
            });
            groups.members[group as usize].push(piece);
            groups.of_piece.push(group);
        }
        groups
    }

    /// A group for each piece, with some groups in two halves, side by side.
    fn halved(&self, compound: &Compound, is_halved: impl Fn(usize) -> bool) -> Vec<u32> {
        let mut group_of = self.of_piece.clone();
        let halved = (0..self.members.len()).filter(|&group| is_halved(group));
        for (new, group) in (self.members.len() as u32..).zip(halved) {
            let center = |piece: u32| compound.pieces[piece as usize].mass().center;
            let mut order = self.members[group].clone();
            let axis = Aabb::of_points(order.iter().map(|&piece| center(piece))).size().max_position();
            order.sort_by(|&a, &b| center(a)[axis].total_cmp(&center(b)[axis]).then(a.cmp(&b)));
            order[..order.len() / 2].iter().for_each(|&piece| group_of[piece as usize] = new);
        }
        group_of
    }

    fn of(&self, bond: &Bond) -> [u32; 2] {
        [bond.a, bond.b].map(|piece| self.of_piece[piece as usize])
    }

    /// The bonds within each group.
    fn inner_bonds(&self, compound: &Compound) -> Vec<Vec<Bond>> {
        let mut inner = vec![Vec::new(); self.members.len()];
        for bond in compound.bonds() {
            let [a, b] = self.of(bond);
            if a == b {
                inner[a as usize].push(*bond);
            }
        }
        inner
    }

    /// The bonds between groups, those of one plane as one.
    fn outer_bonds(&self, compound: &Compound) -> Vec<Bond> {
        let mut sums: BTreeMap<(u32, u32, PlaneId), (f64, DVec3)> = BTreeMap::new();
        for bond in compound.bonds() {
            let [a, b] = self.of(bond);
            if a != b {
                let sum = sums.entry((a, b, bond.id)).or_default();
                *sum = (sum.0 + bond.area, sum.1 + bond.centroid * bond.area);
            }
        }
        let bond = |((a, b, id), (area, moment)): (_, (f64, DVec3))| {
            let centroid = if area > 0.0 { moment / area } else { moment };
            Bond { a, b, id, area, centroid }
        };
        sums.into_iter().map(bond).collect()
    }
}

/// The meshes of a group side by side, with common vertices where they were cut apart.
struct Union {
    mesh: Mesh,
    /// The faces that each cut made.
    cut_faces: BTreeMap<(u32, Cut), Vec<u32>>,
    is_gone: Vec<bool>,
}

impl Union {
    fn new(compound: &Compound, members: &[u32], with_uvs: bool, tolerance: &Tolerance) -> Union {
        let mut union = Union { mesh: Mesh::default(), cut_faces: BTreeMap::new(), is_gone: Vec::new() };
        for &piece in members {
            let first = union.mesh.faces.len() as u32;
            let mesh = compound.pieces[piece as usize].drawn_mesh(with_uvs);
            for (face, f) in (first..).zip(&mesh.faces) {
                if let Some(cut) = f.cut {
                    union.cut_faces.entry((piece, cut)).or_default().push(face);
                }
            }
            union.mesh.append(&mesh);
        }
        union.is_gone = vec![false; union.mesh.faces.len()];
        union.snap(tolerance);
        union
    }

    /// Makes corners of cut faces that are at one place one vertex.
    fn snap(&mut self, tolerance: &Tolerance) {
        let mut places = Places::new(tolerance);
        let mut to: Vec<u32> = (0..self.mesh.positions.len() as u32).collect();
        let mut is_seen = vec![false; to.len()];
        for &face in self.cut_faces.values().flatten() {
            for corner in self.mesh.face_corners(face as usize) {
                let vertex = self.mesh.corners[corner];
                if !std::mem::replace(&mut is_seen[vertex as usize], true) {
                    to[vertex as usize] = places.first_at(vertex, &self.mesh.positions);
                }
            }
        }
        self.mesh.corners.iter_mut().for_each(|corner| *corner = to[*corner as usize]);
    }

    /// Takes away the faces of a bond that have their like on the other side.
    fn cancel(&mut self, bond: &Bond) {
        // Of two faces of one shape, each goes with one other.
        let faces = |piece: u32, side: Side| {
            let faces = self.cut_faces.get(&(piece, Cut::new(bond.id, side)));
            faces.into_iter().flatten().copied().filter(|&face| !self.is_gone[face as usize])
        };
        let [behind, front] = [faces(bond.a, Side::Behind), faces(bond.b, Side::Front)];
        let mut others: Vec<(Vec<Vec<u32>>, u32)> =
            front.map(|face| (loops_of(&self.mesh, face, true), face)).collect();
        let mut gone = Vec::new();
        for face in behind {
            let loops = loops_of(&self.mesh, face, false);
            if let Some(like) = others.iter().position(|(other, _)| *other == loops) {
                gone.extend([face, others.swap_remove(like).1]);
            }
        }
        gone.into_iter().for_each(|face| self.is_gone[face as usize] = true);
    }

    /// What is left, in a fitted convex; nothing if that is flat.
    fn piece(self, fit: Fit) -> Option<Piece> {
        let mut left = Mesh { positions: self.mesh.positions.clone(), ..Mesh::default() };
        for face in (0..self.mesh.faces.len()).filter(|&face| !self.is_gone[face]) {
            left.copy_face(&self.mesh, face, |vertex| vertex);
        }
        left.drop_unused_vertices();
        let skin = Solid::new(left).ok()?;
        Some(Piece::surface(fit.around(&skin.mesh().positions), skin))
    }
}

/// The loops of a face in an order that depends on nothing but them.
fn loops_of(mesh: &Mesh, face: u32, reversed: bool) -> Vec<Vec<u32>> {
    let normal = |vertices: &[u32]| {
        let mut vertices = vertices.to_vec();
        if reversed {
            vertices.reverse();
        }
        vertices.dedup();
        while vertices.len() > 1 && vertices.first() == vertices.last() {
            vertices.pop();
        }
        let least = (0..vertices.len()).min_by_key(|&i| vertices[i]).unwrap_or(0);
        vertices.rotate_left(least);
        vertices
    };
    let mut loops: Vec<Vec<u32>> = mesh.loops_of(face as usize).map(normal).filter(|l| l.len() > 2).collect();
    loops.sort_unstable();
    loops
}

/// Vertices by place: the first of those nearer to each other than the tolerance.
struct Places {
    reach: f64,
    /// Looked up, never walked through.
    known: HashMap<[i64; 3], Vec<u32>>,
}

impl Places {
    fn new(tolerance: &Tolerance) -> Places {
        Places { reach: tolerance.length(), known: HashMap::new() }
    }

    fn first_at(&mut self, vertex: u32, positions: &[DVec3]) -> u32 {
        let place = positions[vertex as usize];
        let around = Aabb::new(place, place).grown(self.reach);
        let [low, high] = [around.min, around.max].map(|corner| self.box_of(corner));
        for x in low[0]..=high[0] {
            for y in low[1]..=high[1] {
                for z in low[2]..=high[2] {
                    let near = self.known.get(&[x, y, z]).into_iter().flatten();
                    let mut near =
                        near.filter(|&&other| positions[other as usize].distance(place) <= self.reach);
                    if let Some(&first) = near.next() {
                        return first;
                    }
                }
            }
        }
        self.known.entry(self.box_of(place)).or_default().push(vertex);
        vertex
    }

    /// Boxes are wide against the reach, so that most places are in one.
    fn box_of(&self, place: DVec3) -> [i64; 3] {
        (place / (self.reach * 16.0)).floor().to_array().map(|along| along as i64)
    }
}
