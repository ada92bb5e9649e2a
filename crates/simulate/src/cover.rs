//! Pieces that another of the same body covers: whatever touches them touches that first, so that they need no collider.
//!
//! They are many where parts overlap as they were modelled, and in fragments of such.

use smithereens::{Compound, Piece};

/// How far a piece may stick out, in metres, and as a part of the extent of what covers it.
const STICK_OUT: f64 = 0.02;
const STICK_OUT_OF_EXTENT: f64 = 0.03;

/// For each piece, whether a larger one covers it. Ghosts cover nothing and are not covered.
pub(crate) fn covered(compound: &Compound) -> Vec<bool> {
    let pieces = compound.pieces();
    let mut order: Vec<usize> = (0..pieces.len()).filter(|&index| !pieces[index].is_ghost()).collect();
    let volume = |index: usize| pieces[index].convex().volume();
    order.sort_by(|&a, &b| volume(b).total_cmp(&volume(a)).then(a.cmp(&b)));
    let mut is_covered = vec![false; pieces.len()];
    for (place, &index) in order.iter().enumerate() {
        // What is covered itself is no cover: another would cover it, and so on, a little farther out each time.
        let mut larger = order[..place].iter().filter(|&&other| !is_covered[other]);
        is_covered[index] = larger.any(|&other| covers(&pieces[other], &pieces[index]));
    }
    is_covered
}

fn covers(larger: &Piece, piece: &Piece) -> bool {
    let reach = STICK_OUT.min(larger.bounds().extent() * STICK_OUT_OF_EXTENT);
    let bounds = larger.bounds().grown(reach);
    bounds.min.cmple(piece.bounds().min).all()
        && bounds.max.cmpge(piece.bounds().max).all()
        && piece.convex().vertices().iter().all(|vertex| larger.convex().depth(*vertex) <= reach)
}

#[cfg(test)]
mod tests {
    use glam::DVec3;
    use smithereens::{Aabb, Convex};

    use super::*;

    #[test]
    fn what_sticks_out_is_not_covered() {
        let at = |x: f64, half: f64| {
            let middle = DVec3::new(x, 0.0, 0.0);
            Convex::from_box(&Aabb::new(middle - half, middle + half))
        };
        let boxes =
            vec![at(0.0, 1.0), at(0.5, 0.51), at(0.5, 0.55), at(5.0, 0.5), at(0.0, 0.2), at(0.0, 1.0)];
        let compound = Compound::from_convexes(boxes).expect("boxes");
        assert_eq!(covered(&compound)[..6], [false, true, false, false, true, true]);
    }

    #[test]
    fn covers_do_not_cover_each_other_away() {
        // Each within reach of the one before: the first covers those that stick out of it by no more than that.
        let at = |i: u32| {
            let (half, middle) = (1.0 - 1e-9 * f64::from(i), DVec3::X * (0.015 * f64::from(i)));
            Convex::from_box(&Aabb::new(middle - half, middle + half))
        };
        let compound = Compound::from_convexes((0..6).map(at).collect()).expect("boxes");
        assert_eq!(covered(&compound)[..6], [false, true, false, true, false, true]);
    }
}
