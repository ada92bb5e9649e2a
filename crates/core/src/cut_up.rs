//! A compound cut along a pattern, with nothing coming apart: pieces that hang together, and may come apart later.

use glam::DVec3;

use crate::pattern::Pattern;
use crate::{Bond, Bonds, Compound, Dropped, FractureError, FractureOptions, Impact, Pieces, fracture};

/// A compound in the pieces that the cells of a pattern make of it.
#[derive(Clone, Debug)]
pub struct CutUp {
    /// All pieces, bonded where they were cut apart. What did not touch before still does not.
    pub compound: Compound,
    /// What was too small to keep.
    pub dropped: Dropped,
}

impl Compound {
    /// Cuts along a pattern in the compound's own coordinates, whatever its colours are: the result still moves as one.
    ///
    /// ```
    /// use smithereens::{pattern::Pattern, Aabb, Compound, Convex, Fit, FractureOptions, Slot, Solid};
    /// use glam::DVec3;
    /// let cube = Solid::new(Convex::from_box(&Aabb::cube(1.0)).to_mesh(Slot(0)))?;
    /// let pattern = Pattern::from_points(&[-DVec3::X, DVec3::X], Aabb::cube(3.0))?;
    /// let cut = Compound::from_solid(cube, Fit::Dop26).cut_up(&pattern, &FractureOptions::default())?;
    /// assert_eq!((cut.compound.pieces().len(), cut.compound.bonds().len()), (2, 1));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn cut_up(&self, pattern: &Pattern, options: &FractureOptions) -> Result<CutUp, FractureError> {
        let together = pattern.clone().coloured(|_| 0);
        let broken = fracture(self, &together, &Impact::at(DVec3::ZERO), options)?;
        let dropped = broken.report.dropped;
        let mut islands: Vec<Compound> = broken.fragments.into_iter().map(|f| f.compound).collect();
        let compound = match islands.len() {
            1 => islands.remove(0),
            _ => side_by_side(&islands),
        };
        Ok(CutUp { compound, dropped })
    }
}

/// Parts of one fracture, whose planes have the same identities, as one compound.
fn side_by_side(parts: &[Compound]) -> Compound {
    let (mut pieces, mut bonds) = (Vec::new(), Vec::new());
    for part in parts {
        let first = pieces.len() as u32;
        pieces.extend(part.pieces().iter().cloned());
        bonds.extend(part.bonds().iter().map(|b| Bond { a: b.a + first, b: b.b + first, ..*b }));
    }
    let next_plane = parts.iter().map(|part| part.next_plane).max().unwrap_or(0);
    let mut all = Compound::assemble(Pieces::new(pieces), Bonds::new(&bonds), next_plane);
    all.in_one_part = parts.len() < 2;
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pattern::Uniform;
    use smithereens_geometry::{Aabb, Convex, Fit};
    use smithereens_testing::fixtures;

    #[test]
    fn nothing_is_lost_and_what_hung_together_still_does() {
        for (name, solid) in fixtures::all() {
            let whole = Compound::from_solid(solid.clone(), Fit::Dop26);
            let bounds = whole.bounds().grown(whole.bounds().extent() * 0.1);
            let pattern = Uniform { cells: 40, bounds, seed: 3 }.pattern().unwrap();
            let cut = whole.cut_up(&pattern, &FractureOptions::default()).unwrap();
            let volume = cut.compound.mass().volume + cut.dropped.volume;
            assert!((volume / solid.volume() - 1.0).abs() < 1e-9, "{name}");
            let together = pattern.coloured(|_| 7);
            let apart = fracture(&whole, &together, &Impact::at(DVec3::ZERO), &FractureOptions::default());
            assert_eq!(cut.compound.islands().len(), apart.unwrap().fragments.len(), "{name}");
        }
    }

    #[test]
    fn parts_that_do_not_touch_stay_in_one_compound() {
        let boxed = |x: f64| Convex::from_box(&Aabb::new(DVec3::X * x, DVec3::X * x + 1.0));
        let pair = Compound::from_convexes(vec![boxed(0.0), boxed(3.0)]).unwrap();
        let pattern = Uniform { cells: 30, bounds: Aabb::cube(6.0), seed: 1 }.pattern().unwrap();
        let cut = pair.cut_up(&pattern, &FractureOptions::default()).unwrap().compound;
        assert!((cut.mass().volume - 2.0).abs() < 1e-12);
        let islands = cut.islands();
        assert_eq!(islands.len(), 2);
        for bond in cut.bonds() {
            let holds = |island: &Vec<u32>, piece| island.contains(&piece);
            assert!(islands.iter().any(|island| holds(island, bond.a) && holds(island, bond.b)));
        }
    }
}
