//! Fragments that fill their hull collide as that: one collider instead of one a piece.
//!
//! What overlaps as it was modelled breaks into fragments of many pieces, and so does what was decomposed. Each lies in a cell of the
//! pattern, which is convex: its hull lies there too, clear of the fragments in other cells. What is left to see to are other parts of the
//! same cell, and pieces that the hit did not reach.

use rayon::prelude::*;
use smithereens::{Compound, Convex, Fragment, Piece};

/// Fragments of more pieces are not thought of: it takes longer than it saves.
const MOST_PIECES: usize = 48;
/// Of the extent of a hull: what reaches no deeper into it only touches.
const TOUCH: f64 = 1e-6;

/// The hull of each fragment that may collide as that. `air` is how much of a hull may be empty, of the fragment's volume;
/// negative, and none does.
pub(crate) fn lumps(fragments: &[Fragment], air: f64) -> Vec<Option<Convex>> {
    if air < 0.0 {
        return vec![None; fragments.len()];
    }
    let lump = |(index, fragment): (usize, &Fragment)| {
        let hull = hull(&fragment.compound, air)?;
        let others = fragments.iter().enumerate().filter(|(other, _)| *other != index);
        let is_clear = others.map(|(_, other)| &other.compound).all(|other| is_clear_of(&hull, other));
        is_clear.then_some(hull)
    };
    fragments.par_iter().enumerate().map(lump).collect()
}

fn solid_pieces(compound: &Compound) -> impl Iterator<Item = &Piece> {
    compound.pieces().iter().map(|piece| &**piece).filter(|piece| !piece.is_ghost())
}

/// The hull of several pieces, if they fill it.
fn hull(compound: &Compound, air: f64) -> Option<Convex> {
    let count = solid_pieces(compound).take(MOST_PIECES + 1).count();
    if !(2..=MOST_PIECES).contains(&count) {
        return None;
    }
    let points: Vec<_> =
        solid_pieces(compound).flat_map(|piece| piece.convex().vertices()).copied().collect();
    let hull = Convex::hull(&points)?;
    (hull.volume() <= compound.mass().volume * (1.0 + air)).then_some(hull)
}

fn is_clear_of(hull: &Convex, other: &Compound) -> bool {
    let bounds = hull.bounds();
    let touch = bounds.extent() * TOUCH;
    let near = |piece: &&Piece| piece.bounds().overlaps(&bounds);
    !other.bounds().overlaps(&bounds)
        || solid_pieces(other).filter(near).all(|piece| {
            is_beyond_a_face(hull, piece.convex(), touch) || is_beyond_a_face(piece.convex(), hull, touch)
        })
}

/// Whether a convex lies beyond one of another's faces, but for a touch.
fn is_beyond_a_face(of: &Convex, other: &Convex, touch: f64) -> bool {
    of.faces().iter().any(|face| {
        let plane = face.halfspace().outward();
        other.vertices().iter().all(|vertex| plane.distance(*vertex) >= -touch)
    })
}

#[cfg(test)]
mod tests {
    use glam::DVec3;
    use smithereens::pattern::Uniform;
    use smithereens::{Aabb, FractureOptions, Impact, fracture};

    use super::*;

    fn boxes(boxes: &[(DVec3, DVec3)]) -> Compound {
        let convex = |&(min, max): &(DVec3, DVec3)| Convex::from_box(&Aabb::new(min, max));
        Compound::from_convexes(boxes.iter().map(convex).collect()).expect("boxes")
    }

    fn whole(compound: Compound) -> Fragment {
        Fragment { compound, colour: None, exposed: Vec::new() }
    }

    #[test]
    fn what_fills_its_hull_is_a_lump_and_what_does_not_is_none() {
        let half = (DVec3::ZERO, DVec3::ONE);
        let wall = boxes(&[half, (DVec3::X, DVec3::new(2.0, 1.0, 1.0))]);
        let corner = boxes(&[half, (DVec3::X, DVec3::new(2.0, 3.0, 1.0))]);
        let found = lumps(&[whole(wall)], 0.1);
        assert!((found[0].as_ref().expect("a lump").volume() - 2.0).abs() < 1e-12);
        assert_eq!(lumps(&[whole(corner)], 0.1), [None]);
        assert_eq!(lumps(&[whole(boxes(&[half]))], 0.1), [None], "one piece is its own hull");
    }

    #[test]
    fn what_would_reach_into_another_is_none() {
        let (low, high) = (DVec3::ZERO, DVec3::ONE);
        let corner = boxes(&[(low, high), (DVec3::X, DVec3::new(2.0, 1.1, 1.0))]);
        let in_it = boxes(&[(DVec3::new(0.0, 1.0, 0.0), DVec3::new(0.9, 2.0, 1.0))]);
        let aside = boxes(&[(DVec3::new(0.0, 1.2, 0.0), DVec3::new(0.9, 2.0, 1.0))]);
        assert!(lumps(&[whole(corner.clone()), whole(aside)], 0.2)[0].is_some());
        assert!(lumps(&[whole(corner), whole(in_it)], 0.2)[0].is_none());
    }

    /// Lumps of one fracture do not overlap each other, nor pieces of other fragments.
    #[test]
    fn lumps_of_a_fracture_are_clear_of_each_other() {
        let wall: Vec<(DVec3, DVec3)> = (0..24)
            .map(|i| DVec3::new(f64::from(i % 6), f64::from(i / 6), 0.0) * 0.5)
            .map(|at| (at, at + 0.5))
            .collect();
        let wall = boxes(&wall);
        let mut lumped = 0;
        for seed in 0..8 {
            let pattern = Uniform { cells: 60, bounds: Aabb::cube(2.5), seed }.pattern().expect("a pattern");
            let impact = Impact { radius: 0.9, ..Impact::at(DVec3::new(1.5, 1.0, 0.25)) };
            let broken = fracture(&wall, &pattern, &impact, &FractureOptions::default()).expect("a fracture");
            let lumps = lumps(&broken.fragments, 0.1);
            let shapes = |index: usize| match &lumps[index] {
                Some(lump) => vec![lump.clone()],
                None => solid_pieces(&broken.fragments[index].compound).map(|p| p.convex().clone()).collect(),
            };
            lumped += lumps.iter().flatten().count();
            for a in 0..lumps.len() {
                for (x, y) in (0..a).flat_map(|b| pairs(shapes(a), shapes(b))) {
                    let faces: Vec<_> = x.faces().iter().map(|face| face.halfspace()).collect();
                    let shared = faces.iter().try_fold(y, |rest, face| rest.clipped(face));
                    assert!(shared.is_none_or(|shared| shared.volume() < 1e-6), "seed {seed}");
                }
            }
        }
        assert!(lumped > 40, "{lumped} lumps");
    }

    fn pairs(a: Vec<Convex>, b: Vec<Convex>) -> Vec<(Convex, Convex)> {
        a.iter().flat_map(|x| b.iter().map(move |y| (x.clone(), y.clone()))).collect()
    }
}
