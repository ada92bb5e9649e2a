//! The upper envelope of memberships: which piece a place belongs to most (Section 3.6 of the paper; Abdrashitov et al. 2021).
//!
//! Memberships are linear on tetrahedra, so that where one exceeds another is a half-space: each tetrahedron falls into a convex cell for each piece
//! that is ahead somewhere in it. Neighbours see the same numbers on the face between them, and so their cells meet there. What comes out is a pattern, as any other.

use glam::{DMat3, DVec3};
use rayon::prelude::*;
use smithereens::pattern::{Pattern, PatternCell};
use smithereens::{Clip, Compound, Convex, ConvexClipper, Halfspace, Plane, PlaneId, Side};

use crate::cubes::{Cubes, Tetrahedron};
use crate::membership::{Degrees, Membership};

/// Which piece each place belongs to.
pub(crate) struct Envelope {
    cubes: Cubes,
    /// At the corners of cubes that may hold something.
    degrees: Vec<Degrees>,
}

/// Memberships are whole multiples of this part. So a tie is a tie, and what is ahead is ahead by enough for a plane to be where it should.
const STEP: f64 = 1.0 / 65536.0;

impl Envelope {
    /// Asks for memberships at the corners of cubes of this size around all pieces.
    pub fn new(compound: &Compound, membership: &Membership, size: f64) -> Envelope {
        let cubes = Cubes::around(compound, size);
        let mut asked: Vec<(u32, DVec3)> = cubes.used().flat_map(|cube| cubes.corners(cube)).collect();
        asked.sort_unstable_by_key(|&(vertex, _)| vertex);
        asked.dedup_by_key(|&mut (vertex, _)| vertex);
        let whole = |(piece, degree): (u32, f64)| (piece, (degree / STEP).round() * STEP);
        let degrees_at = |&(_, place): &(u32, DVec3)| -> Degrees {
            membership.at(place).into_iter().map(whole).filter(|&(_, degree)| degree > 0.0).collect()
        };
        let found: Vec<Degrees> = asked.par_iter().with_min_len(64).map(degrees_at).collect();
        let mut degrees = vec![Degrees::new(); cubes.vertices()];
        for ((vertex, _), found) in asked.into_iter().zip(found) {
            degrees[vertex as usize] = found;
        }
        Envelope { cubes, degrees }
    }

    /// The piece that a place belongs to most, the lowest of equals.
    pub fn piece_at(&self, place: DVec3) -> u32 {
        let (vertices, shares) = self.cubes.find(place);
        let mut sums: Degrees = Vec::new();
        for (vertex, share) in vertices.into_iter().zip(shares) {
            sums.extend(self.of(vertex).iter().map(|&(piece, degree)| (piece, degree * share)));
        }
        sums.sort_by_key(|&(piece, _)| piece);
        let sums = sums.chunk_by(|a, b| a.0 == b.0).map(|of| (of[0].0, of.iter().map(|x| x.1).sum::<f64>()));
        let best = sums.reduce(|best, next| if next.1 > best.1 { next } else { best });
        best.map_or(0, |(piece, _)| piece)
    }

    fn of(&self, vertex: u32) -> &Degrees {
        &self.degrees[vertex as usize]
    }

    /// The cells, each in the colour of its piece. None if there is no room for any.
    pub fn pattern(&self) -> Option<Pattern> {
        let used: Vec<_> = self.cubes.used().collect();
        let split = |&cube| -> Vec<Shape> {
            let tetrahedra = self.cubes.tetrahedra(cube);
            tetrahedra.iter().flat_map(|tetrahedron| self.shapes(tetrahedron)).collect()
        };
        let shapes: Vec<Vec<Shape>> = used.par_iter().with_min_len(16).map(split).collect();
        let mut cells = self.cubes.empty_boxes(self.cubes.first_free_id());
        let boxes = cells.len() as u64;
        let mut next = self.cubes.first_free_id() + boxes * IDS_A_BOX;
        for shape in shapes.into_iter().flatten() {
            match shape {
                Shape::Cell(cell) => cells.push(*cell),
                Shape::Borders(borders) => {
                    cells.extend(borders.cells(next));
                    next += borders.planes.len() as u64;
                }
            }
        }
        Pattern::from_cells(cells, self.cubes.bounds()).ok()
    }

    fn shapes(&self, tetrahedron: &Tetrahedron) -> Option<Shape> {
        let convex = tetrahedron.convex()?;
        let rivals = self.rivals(tetrahedron);
        match rivals[..] {
            [] => Some(Shape::Cell(Box::new(PatternCell { convex, colour: 0 }))),
            [(colour, _)] => Some(Shape::Cell(Box::new(PatternCell { convex, colour }))),
            _ => Some(Shape::Borders(Borders::new(convex, tetrahedron, &rivals))),
        }
    }

    /// The pieces that may be ahead somewhere in a tetrahedron, with their memberships at its corners.
    fn rivals(&self, tetrahedron: &Tetrahedron) -> Vec<(u32, [f64; 4])> {
        let mut all: Vec<(u32, [f64; 4])> = Vec::new();
        for (corner, &vertex) in tetrahedron.vertices.iter().enumerate() {
            for &(piece, degree) in self.of(vertex) {
                let known = all.iter().position(|of| of.0 == piece);
                let at = known.unwrap_or_else(|| {
                    all.push((piece, [0.0; 4]));
                    all.len() - 1
                });
                all[at].1[corner] = degree;
            }
        }
        all.sort_by_key(|of| of.0);
        let beats = |a: &(u32, [f64; 4]), b: &(u32, [f64; 4])| {
            let ahead = a.1.iter().zip(&b.1);
            ahead.clone().all(|(a, b)| a >= b) && (a.0 < b.0 || ahead.clone().any(|(a, b)| a > b))
        };
        let is_beaten = |of: &(u32, [f64; 4])| all.iter().any(|other| other.0 != of.0 && beats(other, of));
        all.iter().filter(|of| !is_beaten(of)).copied().collect()
    }
}

/// Identities that an empty box takes.
const IDS_A_BOX: u64 = 6;

/// What a tetrahedron becomes.
enum Shape {
    /// It belongs to one piece.
    Cell(Box<PatternCell>),
    Borders(Borders),
}

/// A tetrahedron that several pieces share.
struct Borders {
    convex: Convex,
    pieces: Vec<u32>,
    /// For each pair of pieces, the lower first: where they are even. The lower one is ahead in front.
    planes: Vec<([usize; 2], Plane)>,
}

impl Borders {
    fn new(convex: Convex, tetrahedron: &Tetrahedron, rivals: &[(u32, [f64; 4])]) -> Borders {
        let [a, b, c, d] = tetrahedron.points;
        let edges = DMat3::from_cols(b - a, c - a, d - a).transpose().inverse();
        let pairs = (0..rivals.len()).flat_map(|i| (i + 1..rivals.len()).map(move |j| [i, j]));
        let plane = |[i, j]: [usize; 2]| {
            let ahead: [f64; 4] = std::array::from_fn(|k| rivals[i].1[k] - rivals[j].1[k]);
            let slope = edges * DVec3::new(ahead[1] - ahead[0], ahead[2] - ahead[0], ahead[3] - ahead[0]);
            let steep = slope.length();
            let normal = slope / steep;
            // Neither is ahead everywhere, so that there is a slope.
            ([i, j], Plane::new(normal, normal.dot(a) - ahead[0] / steep))
        };
        Borders { convex, pieces: rivals.iter().map(|of| of.0).collect(), planes: pairs.map(plane).collect() }
    }

    /// The part in which each piece is ahead, if there is one.
    fn cells(&self, first_id: u64) -> Vec<PatternCell> {
        let mut clipper = ConvexClipper::default();
        let mut cells = Vec::with_capacity(self.pieces.len());
        for (index, &colour) in self.pieces.iter().enumerate() {
            let mut convex = self.convex.clone();
            let is_gone = (first_id..).zip(&self.planes).any(|(id, &([i, j], plane))| {
                let side = if index == i { Side::Front } else { Side::Behind };
                let halfspace = Halfspace { plane, side, id: Some(PlaneId::new(id)) };
                (index == i || index == j) && clipper.clip(&mut convex, &halfspace) == Clip::Nothing
            });
            if !is_gone {
                cells.push(PatternCell { convex, colour });
            }
        }
        cells
    }
}
