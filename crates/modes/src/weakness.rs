//! Where a body breaks by nature, and which of its pieces a strike parts (Sections 3.3 and 3.4 of the paper).
//!
//! What is known of a body when it is made goes with it and with all its fragments: the centres of its cells, the piece of each, and the table of
//! impacts. So a fragment breaks again along the modes restricted to it, and so does what another fracture has cut.

use glam::DVec3;
use serde::{Deserialize, Serialize};
use smithereens::{Bond, Compound, Convex, Fracture, Piece, Plane, Report, UnionFind};
use web_time::Instant;

use crate::fences::Fences;
use crate::nearest::Nearest;
use crate::{Blow, Cells, ImpactTable, ModesError, Pieces, Projection};

/// A blow on a body, in the coordinates of its compound.
///
/// Only impulse over density and threshold counts: twice the impulse is half the threshold.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Strike {
    /// Where.
    pub point: DVec3,
    /// How hard and in which direction, in newton seconds.
    pub impulse: DVec3,
    /// What the solid weighs, in kilograms a cubic metre.
    pub density: f64,
    /// How much the velocities of two pieces must differ to part them, in metres a second.
    pub threshold: f64,
    /// What is farther away than this stays together, in metres. Infinite: all may break.
    pub radius: f64,
    /// What the blow is projected onto.
    pub projection: Projection,
}

/// What a body does under a strike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// There is no fault within the radius: it is not for its modes to say whether it breaks.
    NoFault,
    /// Its faults hold.
    Holds,
    /// It comes apart.
    Parts,
}

/// Where a body breaks by nature.
#[derive(Clone, Debug, PartialEq)]
pub struct Weakness {
    cells: Nearest,
    /// The piece of each cell.
    piece_of_cell: Vec<u32>,
    /// Cells that can be hit: the table has a column for each.
    contacts: Nearest,
    contact_cells: Vec<u32>,
    table: ImpactTable,
    /// The piece of each piece of the compound it was made with, by the bits of its centre; sorted.
    known: Vec<([u64; 3], u32)>,
    /// The cluster that each of these is.
    cluster_of_known: Vec<u32>,
    fences: Fences,
    volume: f64,
}

impl Weakness {
    /// What is known of a body of these cells, whose compound's pieces lie in one of `pieces` each, as `piece_of` tells.
    pub(crate) fn new(
        cells: &Cells,
        pieces: &Pieces,
        (table, contact_cells): (ImpactTable, Vec<u32>),
        compound: &Compound,
        piece_of: &[u32],
    ) -> Weakness {
        let centres: Vec<DVec3> = cells.graph().cells().iter().map(|cell| cell.centre).collect();
        let contacts = contact_cells.iter().map(|&cell| centres[cell as usize]).collect();
        let name = |(piece, &of): (&std::sync::Arc<Piece>, &u32)| (bits(piece), of);
        let mut known: Vec<([u64; 3], u32)> = compound.pieces().iter().zip(piece_of).map(name).collect();
        known.sort_unstable();
        Weakness {
            cells: Nearest::new(centres),
            piece_of_cell: pieces.partition.of_cells().to_vec(),
            contacts: Nearest::new(contacts),
            contact_cells,
            table,
            known,
            cluster_of_known: Vec::new(),
            fences: Fences::default(),
            volume: cells.graph().volume(),
        }
    }

    /// The same with what its pieces collide as; `cluster_of` tells which cluster each piece of its compound is.
    pub(crate) fn with_fences(self, fences: Fences, compound: &Compound, cluster_of: &[u32]) -> Weakness {
        let mut cluster_of_known = vec![0; self.known.len()];
        for (piece, &cluster) in compound.pieces().iter().zip(cluster_of) {
            if let Some(index) = self.index_of(piece) {
                cluster_of_known[index] = cluster;
            }
        }
        Weakness { cluster_of_known, fences, ..self }
    }

    /// How many pieces it can come apart into.
    pub fn pieces(&self) -> usize {
        self.table.pieces()
    }

    /// The volume of the whole body, in cubic metres: an impulse of this times density times threshold would make all of it that fast.
    pub fn volume(&self) -> f64 {
        self.volume
    }

    /// How many pieces its compound was made of.
    pub fn len(&self) -> usize {
        self.known.len()
    }

    /// Whether that is none.
    pub fn is_empty(&self) -> bool {
        self.known.is_empty()
    }

    /// Which of the pieces of its compound a piece is, in an order of its own; `None` for one that something else has cut.
    pub fn index_of(&self, piece: &Piece) -> Option<usize> {
        self.known.binary_search_by_key(&bits(piece), |known| known.0).ok()
    }

    /// The piece that holds a piece of a compound: the body's own, of a fragment, or cut from one.
    pub fn piece_of(&self, piece: &Piece) -> u32 {
        self.index_of(piece).map_or_else(|| self.piece_at(piece.mass().center), |index| self.known[index].1)
    }

    /// What a piece is to collide as: its convex without what reaches over into other pieces. Convexes enclose their pieces, and faults are not flat:
    /// those of neighbours overlap by about a cell, and would push each other apart.
    ///
    /// ```
    /// # use glam::DVec3;
    /// # use smithereens::{Aabb, Convex, Slot, Solid};
    /// # use smithereens_modes::{Brittle, BrittleOptions, CellOptions};
    /// # let bar = Aabb::new(DVec3::ZERO, DVec3::new(4.0, 1.0, 1.0));
    /// # let bar = Solid::new(Convex::from_box(&bar).to_mesh(Slot(0)))?;
    /// # let cells = CellOptions { count: 100, ..CellOptions::default() };
    /// let brittle = Brittle::of(&bar, &BrittleOptions { cells, ..BrittleOptions::default() })?;
    /// for piece in brittle.compound.pieces().iter() {
    ///     assert!(brittle.weakness.collider(piece).volume() <= piece.convex().volume());
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn collider(&self, piece: &Piece) -> Convex {
        let cluster = match self.index_of(piece) {
            Some(index) => self.cluster_of_known.get(index).copied(),
            None => self.cluster_at(piece.mass().center),
        };
        let kept = cluster.and_then(|cluster| self.fences.keep(cluster, piece.convex()));
        kept.unwrap_or_else(|| piece.convex().clone())
    }

    fn cluster_at(&self, place: DVec3) -> Option<u32> {
        let cell = self.cells.find(place, |_| true)?;
        self.fences.cluster_of_cell.get(cell as usize).copied()
    }

    /// The piece at a place, or the nearest.
    pub fn piece_at(&self, place: DVec3) -> u32 {
        self.cells.find(place, |_| true).map_or(0, |cell| self.piece_of_cell[cell as usize])
    }

    /// Which pieces a strike leaves together: a number for each, as [`Weakness::piece_of`] names them. The nearest place of those in `is_there` is hit.
    pub fn strike(&self, strike: &Strike, is_there: impl Fn(u32) -> bool) -> Result<Vec<u32>, ModesError> {
        if !strike.point.is_finite() || strike.radius.is_nan() || strike.radius <= 0.0 {
            return Err(ModesError::Impact);
        }
        let is_there =
            |contact: u32| is_there(self.piece_of_cell[self.contact_cells[contact as usize] as usize]);
        let found =
            self.contacts.find(strike.point, is_there).or_else(|| self.contacts.find(strike.point, |_| true));
        let cell =
            found.map(|contact| self.contact_cells[contact as usize]).ok_or(ModesError::NoContact(0))?;
        let blow =
            Blow { cell, impulse: strike.impulse, density: strike.density, threshold: strike.threshold };
        Ok(self.table.strike(&blow, strike.projection)?.fragments.of_cells().to_vec())
    }

    /// What becomes of a body under a strike, in microseconds.
    ///
    /// ```
    /// # use glam::DVec3;
    /// # use smithereens::{Aabb, Convex, Slot, Solid};
    /// # use smithereens_modes::{Answer, Brittle, BrittleOptions, CellOptions, Projection, Strike};
    /// # let bar = Aabb::new(DVec3::ZERO, DVec3::new(4.0, 1.0, 1.0));
    /// # let bar = Solid::new(Convex::from_box(&bar).to_mesh(Slot(0)))?;
    /// # let cells = CellOptions { count: 100, ..CellOptions::default() };
    /// # let Brittle { compound, weakness, .. } =
    /// #     Brittle::of(&bar, &BrittleOptions { cells, modes: 1, ..BrittleOptions::default() })?;
    /// # let point = DVec3::new(0.0, 0.5, 0.5);
    /// # let (impulse, radius, projection) = (DVec3::X * 4e3, f64::INFINITY, Projection::Modes);
    /// let strike = Strike { point, impulse, density: 1000.0, threshold: 0.5, radius, projection };
    /// assert_eq!(weakness.answer(&compound, &strike)?, Answer::Parts);
    /// let tap = Strike { impulse: DVec3::X, ..strike };
    /// assert_eq!(weakness.answer(&compound, &tap)?, Answer::Holds);
    /// let small = Strike { radius: 0.1, ..strike };
    /// assert_eq!(weakness.answer(&compound, &small)?, Answer::NoFault);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn answer(&self, compound: &Compound, strike: &Strike) -> Result<Answer, ModesError> {
        let parting = self.parting(compound, strike)?;
        let mut sets = UnionFind::new(compound.pieces().len());
        let (mut has_fault, mut parted) = (false, Vec::new());
        for bond in compound.bonds() {
            match parting.breaks(bond) {
                true => parted.push([bond.a, bond.b]),
                false => sets.join(bond.a, bond.b),
            }
            has_fault |= parting.is_fault(bond);
        }
        Ok(match (has_fault, parted.iter().any(|&[a, b]| sets.root(a) != sets.root(b))) {
            (_, true) => Answer::Parts,
            (true, false) => Answer::Holds,
            (false, false) => Answer::NoFault,
        })
    }

    fn parting(&self, compound: &Compound, strike: &Strike) -> Result<Parting, ModesError> {
        let of: Vec<u32> = compound.pieces().iter().map(|piece| self.piece_of(piece)).collect();
        let mut is_there = vec![false; self.pieces()];
        of.iter().for_each(|&piece| is_there[piece as usize] = true);
        let together = self.strike(strike, |piece| is_there[piece as usize])?;
        Ok(Parting { of, together, point: strike.point, radius: strike.radius })
    }

    /// Breaks a body, or a fragment of it: its pieces come apart along bonds, nothing is cut.
    pub fn fracture(&self, compound: &Compound, strike: &Strike) -> Result<Fracture, ModesError> {
        let start = Instant::now();
        let parting = self.parting(compound, strike)?;
        let fragments = compound.split_where(|bond| parting.breaks(bond));
        let pieces = compound.pieces().len();
        let mut report = Report { fragments: fragments.len(), pieces, ..Report::default() };
        report.touched = if fragments.len() > 1 { pieces } else { 0 };
        report.exposed = fragments.iter().map(|fragment| fragment.exposed.len()).sum();
        report.exposed_area = fragments.iter().flat_map(|fragment| &fragment.exposed).map(|e| e.area).sum();
        report.times.gather = start.elapsed();
        Ok(Fracture { fragments, report })
    }
}

/// Which bonds of a compound a strike breaks.
struct Parting {
    /// The piece that holds each piece of the compound.
    of: Vec<u32>,
    /// What stays together of those.
    together: Vec<u32>,
    point: DVec3,
    radius: f64,
}

impl Parting {
    fn of(&self, bond: &Bond) -> [u32; 2] {
        [bond.a, bond.b].map(|piece| self.of[piece as usize])
    }

    /// Whether it could break: it is between two pieces, and within reach.
    fn is_fault(&self, bond: &Bond) -> bool {
        let [a, b] = self.of(bond);
        a != b && !bond.is_overlap() && bond.centroid.distance(self.point) <= self.radius
    }

    fn breaks(&self, bond: &Bond) -> bool {
        let [a, b] = self.of(bond).map(|piece| self.together[piece as usize]);
        a != b && self.is_fault(bond)
    }
}

fn bits(piece: &Piece) -> [u64; 3] {
    piece.mass().center.to_array().map(f64::to_bits)
}

/// What of it is saved; the rest follows.
#[derive(Serialize, Deserialize)]
struct Saved {
    version: u32,
    centres: Vec<[f64; 3]>,
    piece_of_cell: Vec<u32>,
    contact_cells: Vec<u32>,
    table: ImpactTable,
    known: Vec<([u64; 3], u32)>,
    cluster_of_known: Vec<u32>,
    cluster_of_cell: Vec<u32>,
    /// By cluster: normals and offsets.
    fences: Vec<Vec<([f64; 3], f64)>>,
    volume: f64,
}

const VERSION: u32 = 2;

impl Weakness {
    /// All of it as bytes.
    pub fn to_bytes(&self) -> Result<Vec<u8>, ModesError> {
        let saved = Saved {
            version: VERSION,
            centres: self.cells.points().iter().map(|point| point.to_array()).collect(),
            piece_of_cell: self.piece_of_cell.clone(),
            contact_cells: self.contact_cells.clone(),
            table: self.table.clone(),
            known: self.known.clone(),
            cluster_of_known: self.cluster_of_known.clone(),
            cluster_of_cell: self.fences.cluster_of_cell.clone(),
            fences: self
                .fences
                .of_cluster
                .iter()
                .map(|fences| fences.iter().map(numbers).collect())
                .collect(),
            volume: self.volume,
        };
        postcard::to_stdvec(&saved).map_err(|_| ModesError::Damaged)
    }

    /// What the bytes were made from, to the bit. Bytes from elsewhere are not trusted: what they refer to is there, or they are refused.
    pub fn from_bytes(bytes: &[u8]) -> Result<Weakness, ModesError> {
        let saved: Saved = postcard::from_bytes(bytes).map_err(|_| ModesError::Damaged)?;
        let centres: Vec<DVec3> = saved.centres.iter().map(|&point| DVec3::from(point)).collect();
        if !saved.is_sound() || !centres.iter().all(|centre| centre.is_finite()) {
            return Err(ModesError::Damaged);
        }
        let contacts = saved.contact_cells.iter().map(|&cell| centres[cell as usize]).collect();
        Ok(Weakness {
            cells: Nearest::new(centres),
            piece_of_cell: saved.piece_of_cell,
            contacts: Nearest::new(contacts),
            contact_cells: saved.contact_cells,
            table: saved.table,
            known: saved.known,
            cluster_of_known: saved.cluster_of_known,
            fences: Fences {
                cluster_of_cell: saved.cluster_of_cell,
                of_cluster: saved.fences.iter().map(|fences| fences.iter().map(plane).collect()).collect(),
            },
            volume: saved.volume,
        })
    }
}

fn numbers(plane: &Plane) -> ([f64; 3], f64) {
    (plane.normal.to_array(), plane.offset)
}

fn plane(&(normal, offset): &([f64; 3], f64)) -> Plane {
    Plane { normal: DVec3::from(normal), offset }
}

impl Saved {
    fn is_sound(&self) -> bool {
        let (cells, pieces) = (self.centres.len(), self.table.pieces() as u32);
        let is_piece = |piece: &u32| *piece < pieces;
        let is_cluster = |cluster: &u32| (*cluster as usize) < self.fences.len();
        let is_fence = |fence: &([f64; 3], f64)| {
            let Plane { normal, offset } = plane(fence);
            (normal.length_squared() - 1.0).abs() < 1e-6 && offset.is_finite()
        };
        self.version == VERSION
            && self.piece_of_cell.len() == cells
            && self.piece_of_cell.iter().all(is_piece)
            && self.known.iter().all(|(_, piece)| is_piece(piece))
            && self.known.is_sorted()
            && self.cluster_of_known.len() == self.known.len()
            && self.cluster_of_known.iter().all(is_cluster)
            && self.cluster_of_cell.len() == cells
            && self.cluster_of_cell.iter().all(is_cluster)
            && self.fences.iter().flatten().all(is_fence)
            && self.contact_cells.iter().all(|&cell| (cell as usize) < cells)
            && self.volume.is_finite()
            && self.table.is_sound(&self.contact_cells)
    }
}
