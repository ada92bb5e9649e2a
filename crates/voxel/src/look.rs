//! Where the payload of a boundary voxel is. A fracture copies none: pieces share the colours and normals of the surface they were cut from, the *skin*; a face
//! of a cell has one normal for all its voxels; and what is inside is coloured by its place.

use std::sync::Arc;

use crate::payload::{Normal, Payload};

/// Where the payload of a brick is: two bits say how, thirty where.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Look(u32);

/// What a [`Look`] says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// All of it is in this brick of the skin.
    Skin(u32),
    /// All voxels have this normal of the faces.
    Face(u32),
    /// See this entry of the mixed ones.
    Mixed(u32),
}

impl Look {
    const PLACE: u32 = (1 << 30) - 1;

    pub fn new(kind: Kind) -> Look {
        match kind {
            Kind::Skin(brick) => Look(brick & Look::PLACE),
            Kind::Face(face) => Look(face & Look::PLACE | 1 << 30),
            Kind::Mixed(entry) => Look(entry & Look::PLACE | 2 << 30),
        }
    }

    pub fn kind(self) -> Kind {
        let place = self.0 & Look::PLACE;
        match self.0 >> 30 {
            0 => Kind::Skin(place),
            1 => Kind::Face(place),
            _ => Kind::Mixed(place),
        }
    }
}

/// The normals of voxels that cuts made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cut {
    /// This normal of the faces.
    Face(u32),
    /// The mean of the normals of all faces that go through a voxel: so many crossings from this one on.
    Through {
        /// The first crossing.
        first: u32,
        /// How many.
        count: u32,
    },
}

/// Voxels of a brick that a face goes through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Crossing {
    pub voxels: u64,
    pub face: u32,
}

/// A brick with voxels of the skin and of cuts, or of several cuts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Mixed {
    /// The brick of the skin that has the payload of those voxels that are in it.
    pub skin: Option<u32>,
    /// The normals of all others.
    pub cut: Cut,
}

/// Normals of cuts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Cuts {
    /// A normal a face of a cell.
    pub faces: Vec<Normal>,
    /// What faces cross of bricks that several of them cross.
    pub crossings: Vec<Crossing>,
    pub mixed: Vec<Mixed>,
}

impl Cuts {
    pub fn clear(&mut self) {
        self.faces.clear();
        self.crossings.clear();
        self.mixed.clear();
    }

    pub fn bytes(&self) -> usize {
        size_of_val(&*self.faces) + size_of_val(&*self.crossings) + size_of_val(&*self.mixed)
    }

    /// The crossings of a brick that looks like this, but for what is of the skin.
    pub fn crossings(&self, look: Look) -> impl Iterator<Item = Crossing> + '_ {
        let cut = match look.kind() {
            Kind::Skin(_) => None,
            Kind::Face(face) => Some(Cut::Face(face)),
            Kind::Mixed(entry) => Some(self.mixed[entry as usize].cut),
        };
        let (single, run) = match cut {
            None => (None, &[][..]),
            Some(Cut::Face(face)) => (Some(Crossing { voxels: !0, face }), &[][..]),
            Some(Cut::Through { first, count }) => {
                (None, &self.crossings[first as usize..(first + count) as usize])
            }
        };
        single.into_iter().chain(run.iter().copied())
    }

    /// The mean of the normals of all faces that go through a voxel (Section 4.4).
    fn normal(&self, look: Look, bit: u32) -> Normal {
        let mut through = self.crossings(look).filter(|crossing| crossing.voxels >> bit & 1 == 1);
        let Some(first) = through.next() else { return Normal::default() };
        let first = self.faces[first.face as usize];
        let (mut sum, mut is_one) = (first.vector(), true);
        for crossing in through {
            sum += self.faces[crossing.face as usize].vector();
            is_one = false;
        }
        // Faces on both sides of a sliver cancel.
        if is_one || sum.length_squared() < 1e-6 { first } else { Normal::of(sum) }
    }
}

/// The surface of an object as it was made: payloads of boundary voxels, brick by brick. All pieces of the object share it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Skin {
    /// The boundary voxels of each brick.
    pub masks: Vec<u64>,
    /// The payload of the first one of each brick.
    pub firsts: Vec<u32>,
    pub payloads: Vec<Payload>,
}

impl Skin {
    pub fn shared(masks: Vec<u64>, payloads: Vec<Payload>) -> Arc<Skin> {
        let mut next = 0;
        let first = |mask: &u64| {
            let first = next;
            next += mask.count_ones();
            first
        };
        let firsts = masks.iter().map(first).collect();
        Arc::new(Skin { masks, firsts, payloads })
    }

    pub fn bytes(&self) -> usize {
        size_of_val(&*self.masks) + size_of_val(&*self.firsts) + size_of_val(&*self.payloads)
    }

    fn payload(&self, brick: u32, bit: u32) -> Option<Payload> {
        let mask = self.masks[brick as usize];
        let rank = (mask & ((1 << bit) - 1)).count_ones();
        (mask >> bit & 1 == 1).then(|| self.payloads[(self.firsts[brick as usize] + rank) as usize])
    }
}

/// What a boundary voxel shows.
pub(crate) enum Shown {
    /// The surface of the object as it was made.
    Skin(Payload),
    /// Its inside, with this normal.
    Cut(Normal),
}

/// What a boundary voxel of a brick shows.
pub(crate) fn shown(skin: &Skin, cuts: &Cuts, look: Look, bit: u32) -> Shown {
    let payload = skin_of(cuts, look).and_then(|brick| skin.payload(brick, bit));
    payload.map_or_else(|| Shown::Cut(cuts.normal(look, bit)), Shown::Skin)
}

/// The brick of the skin in which some of the payload is.
pub(crate) fn skin_of(cuts: &Cuts, look: Look) -> Option<u32> {
    match look.kind() {
        Kind::Skin(brick) => Some(brick),
        Kind::Face(_) => None,
        Kind::Mixed(entry) => cuts.mixed[entry as usize].skin,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DVec3;

    #[test]
    fn looks_say_where_payloads_are() {
        for kind in [Kind::Skin(7), Kind::Face(0), Kind::Mixed(1 << 29)] {
            assert_eq!(Look::new(kind).kind(), kind);
        }
        let payload = Payload::new([9, 8, 7, 255], DVec3::X);
        let skin = Skin::shared(vec![0, 0b1010], vec![payload, Payload::default()]);
        let [down, left] = [-DVec3::Y, -DVec3::X];
        let cuts = Cuts {
            faces: [down, left].map(Normal::of).to_vec(),
            crossings: vec![
                Crossing { voxels: 0b0110_0000, face: 0 },
                Crossing { voxels: 0b0100_0000, face: 1 },
            ],
            mixed: vec![Mixed { skin: Some(1), cut: Cut::Through { first: 0, count: 2 } }],
        };
        let mixed = Look::new(Kind::Mixed(0));
        assert!(matches!(shown(&skin, &cuts, mixed, 1), Shown::Skin(p) if p == payload));
        let normal = |bit| match shown(&skin, &cuts, mixed, bit) {
            Shown::Cut(normal) => normal.vector(),
            Shown::Skin(_) => DVec3::NAN,
        };
        assert!(normal(5).distance(down) < 1e-4);
        assert!(normal(6).distance((down + left).normalize()) < 1e-4);
    }
}
