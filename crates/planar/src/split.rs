//! A compound comes apart along its own bonds: nothing is cut.

use std::collections::BTreeSet;

use crate::fracture::fragments;
use crate::{Bond, Compound, Cut, Exposed, Fragment, LineId, Side};

impl Compound {
    /// What is left when some bonds break: a fragment for all that hangs together, in order of their first piece. Pieces stay what they are.
    ///
    /// ```
    /// use smithereens_planar::{Aabb, Compound, Convex};
    /// use glam::DVec2;
    /// let brick = |x: f64| Convex::from_box(&Aabb::new(DVec2::new(x, 0.0), DVec2::new(x + 1.0, 1.0)));
    /// let row = Compound::from_convexes(vec![brick(0.0), brick(1.0), brick(2.0)])?;
    /// let last = row.bonds()[1];
    /// let fragments = row.split(&[last]);
    /// assert_eq!(fragments.iter().map(|f| f.compound.pieces().len()).collect::<Vec<_>>(), [2, 1]);
    /// assert_eq!(fragments[0].exposed[0].length, 1.0);
    /// # Ok::<(), smithereens_planar::CompoundError>(())
    /// ```
    pub fn split(&self, broken: &[Bond]) -> Vec<Fragment> {
        let name = |bond: &Bond| -> (u32, u32, LineId) { (bond.a, bond.b, bond.id) };
        let broken: BTreeSet<_> = broken.iter().map(name).collect();
        self.split_where(|bond| broken.contains(&name(bond)))
    }

    /// The same for all bonds that `breaks` says yes to.
    pub fn split_where(&self, breaks: impl Fn(&Bond) -> bool) -> Vec<Fragment> {
        let (gone, left): (Vec<Bond>, Vec<Bond>) = self.bonds().iter().copied().partition(breaks);
        let exposed = gone.iter().flat_map(sides).collect();
        fragments(self.pieces(), left, exposed, |_| None, self.next_line())
    }
}

/// What a broken bond lays open.
fn sides(bond: &Bond) -> [Exposed; 2] {
    let side = |piece, side| Exposed { piece, cut: Cut::new(bond.id, side), length: bond.length };
    [side(bond.a, Side::Behind), side(bond.b, Side::Front)]
}
