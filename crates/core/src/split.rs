//! A compound comes apart along its own bonds: nothing is cut.

use std::collections::BTreeSet;

use smithereens_geometry::{Cut, Frame, PlaneId, Section, Side, Tolerance};

use crate::bond::plane_of;
use crate::fracture::{Exposed, Fragment, Gathering, NewBonds};
use crate::{Bond, Bonds, Compound, Piece};

/// A bond by its pieces and its plane.
type Name = (u32, u32, PlaneId);

fn name(bond: &Bond) -> Name {
    (bond.a, bond.b, bond.id)
}

impl Compound {
    /// What is left when some bonds break: a fragment for all that hangs together, in order of their first piece. Pieces stay what they are.
    ///
    /// Bonds between a piece and a ghost do not break: pieces that overlap would be in each other's way.
    ///
    /// ```
    /// use smithereens::{Aabb, Compound, Convex};
    /// use glam::DVec3;
    /// let brick = |x: f64| Convex::from_box(&Aabb::new(DVec3::new(x, 0.0, 0.0), DVec3::new(x + 1.0, 1.0, 1.0)));
    /// let row = Compound::from_convexes(vec![brick(0.0), brick(1.0), brick(2.0)])?;
    /// let last = *row.bonds().iter().last().unwrap();
    /// let fragments = row.split(&[last]);
    /// assert_eq!(fragments.iter().map(|f| f.compound.pieces().len()).collect::<Vec<_>>(), [2, 1]);
    /// assert!(fragments.iter().all(|f| (f.exposed[0].area - 1.0).abs() < 1e-12));
    /// # Ok::<(), smithereens::CompoundError>(())
    /// ```
    pub fn split(&self, broken: &[Bond]) -> Vec<Fragment> {
        let broken: BTreeSet<Name> = broken.iter().map(name).collect();
        self.split_where(|bond| broken.contains(&name(bond)))
    }

    /// The same for all bonds that `breaks` says yes to.
    ///
    /// ```
    /// use smithereens::{Aabb, Compound, Convex};
    /// use glam::DVec3;
    /// let brick = |x: f64| Convex::from_box(&Aabb::new(DVec3::new(x, 0.0, 0.0), DVec3::new(x + 1.0, 1.0, 1.0)));
    /// let row = Compound::from_convexes(vec![brick(0.0), brick(1.0), brick(2.0)])?;
    /// assert_eq!(row.split_where(|bond| bond.centroid.x < 1.5).len(), 2);
    /// # Ok::<(), smithereens::CompoundError>(())
    /// ```
    pub fn split_where(&self, breaks: impl Fn(&Bond) -> bool) -> Vec<Fragment> {
        let (gone, left): (Vec<Bond>, Vec<Bond>) =
            self.bonds().iter().copied().partition(|bond| !bond.is_overlap() && breaks(bond));
        let parent = self.with_bonds(Bonds::new(&left));
        let gathering = Gathering {
            touched: Vec::new(),
            is_touched: vec![false; parent.pieces.len()],
            new: Vec::new(),
            overlaps: Vec::new(),
            planes: parent.next_plane..parent.next_plane,
            tolerance: Tolerance::for_box(&parent.bounds()),
            parent,
        };
        gathering.fragments(&laid_open(&gone))
    }

    /// The part of its plane that a bond covers, with its second moments; nothing for a bond with a ghost.
    pub fn section_of(&self, bond: &Bond) -> Option<Section> {
        let [a, b] = [self.pieces.get(bond.a as usize)?, self.pieces.get(bond.b as usize)?];
        let [behind, front] = [Side::Behind, Side::Front].map(|side| Cut::new(bond.id, side));
        let frame = Frame::new(&plane_of(a, behind)?, bond.centroid);
        let outline = |piece: &Piece, cut: Cut| {
            let mut faces = Vec::new();
            piece.list_cut_faces(|own| own == cut, &mut faces);
            let faces: Vec<u32> = faces.into_iter().map(|(_, face)| face).collect();
            (!faces.is_empty()).then(|| piece.outline(&faces, frame))
        };
        outline(a, behind)?.section(&outline(b, front)?, &Tolerance::for_box(&self.bounds()))
    }
}

/// What the breaking of bonds lays open.
fn laid_open(gone: &[Bond]) -> NewBonds {
    let sides = |bond: &Bond| {
        let side = |piece, side| Exposed { piece, cut: Cut::new(bond.id, side), area: bond.area };
        [side(bond.a, Side::Behind), side(bond.b, Side::Front)]
    };
    let mut exposed: Vec<Exposed> = gone.iter().flat_map(sides).collect();
    exposed.sort_by_key(|own| (own.piece, own.cut));
    let mut near: Vec<u32> = gone.iter().flat_map(|bond| [bond.a, bond.b]).collect();
    near.sort_unstable();
    near.dedup();
    NewBonds { bonds: Vec::new(), near, exposed }
}

#[cfg(test)]
mod tests {
    use glam::DVec3;
    use smithereens_geometry::{Aabb, Convex};

    use super::*;

    /// A block of cubes, some of whose bonds break by chance.
    #[test]
    fn what_comes_apart_is_what_no_bond_holds() {
        let cube = |i: u32| {
            let at = DVec3::new(f64::from(i % 4), f64::from(i / 4 % 3), f64::from(i / 12));
            Convex::from_box(&Aabb::new(at, at + 1.0))
        };
        let block = Compound::from_convexes((0..36).map(cube).collect()).unwrap();
        let mut state = 7u64;
        for share in 0..40 {
            let mut draw = || {
                state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                (state >> 33) % 40
            };
            let bonds: Vec<Bond> = block.bonds().iter().copied().collect();
            let broken: Vec<Bond> = bonds.iter().filter(|_| draw() < share).copied().collect();
            let fragments = block.split(&broken);
            let volume: f64 = fragments.iter().map(|f| f.compound.mass().volume).sum();
            assert!((volume - 36.0).abs() < 1e-9);
            let left: usize = fragments.iter().map(|f| f.compound.bonds().len()).sum();
            assert_eq!(left, bonds.len() - broken.len());
            assert!(fragments.iter().all(|f| f.compound.islands().len() == 1));
            let open: f64 = fragments.iter().flat_map(|f| &f.exposed).map(|own| own.area).sum();
            assert!((open - 2.0 * broken.len() as f64).abs() < 1e-9);
            // What is left comes apart again as it would have at once.
            let again = fragments.iter().map(|f| {
                let all: Vec<Bond> = f.compound.bonds().iter().copied().collect();
                f.compound.split(&all).len()
            });
            assert_eq!(again.sum::<usize>(), 36);
        }
    }

    #[test]
    fn sections_are_those_of_the_bonds() {
        let beam =
            |x: f64| Convex::from_box(&Aabb::new(DVec3::new(x, 0.0, 0.0), DVec3::new(x + 1.0, 0.4, 0.2)));
        let beam = Compound::from_convexes(vec![beam(0.0), beam(1.0)]).unwrap();
        let bond = *beam.bonds().iter().next().unwrap();
        let section = beam.section_of(&bond).unwrap();
        assert!((section.area - bond.area).abs() < 1e-12);
        assert!(section.centroid.abs_diff_eq(bond.centroid, 1e-12));
        let second = section.second;
        assert!((second.y_axis.y - 0.2 * 0.4f64.powi(3) / 12.0).abs() < 1e-12);
        assert!((second.z_axis.z - 0.4 * 0.2f64.powi(3) / 12.0).abs() < 1e-12);
    }

    #[test]
    fn what_overlaps_stays_together() {
        let boxed =
            |x: f64| Convex::from_box(&Aabb::new(DVec3::new(x, 0.0, 0.0), DVec3::new(x + 1.5, 1.0, 1.0)));
        let pair = Compound::from_convexes(vec![boxed(0.0), boxed(1.0)]).unwrap();
        let all: Vec<Bond> = pair.bonds().iter().copied().collect();
        assert_eq!(pair.split(&all).len(), 1);
    }
}
