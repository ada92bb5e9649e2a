//! Slivers: parts of a cell too thin for the lattice that nodes are searched on.

use glam::DVec3;

use super::decomposition::Decomposition;
use crate::draw::Draw;

/// How often to try at most.
const TRIES: usize = 16;
/// How far a node is moved, of the size of an average cell.
const REACH: f64 = 0.12;
/// How much worse hulls may fit, of the solid's volume, for a piece less.
const WORTH: f64 = 0.004;

/// Moves nodes a little, by chance, until their cells cut no more than `most` pieces: a sliver goes to the cell next to it. What
/// cannot be had for little is left.
pub(super) fn absorb(exact: &mut Decomposition, most: usize, draw: &mut Draw) {
    let size = (exact.solid().volume() / exact.nodes().len().max(1) as f64).cbrt();
    let mut ratio = exact.hull_ratio();
    for _ in 0..TRIES {
        let pieces = exact.compound().pieces().len();
        let Some((node, place)) = sliver(exact).filter(|_| pieces > most) else { return };
        let step = draw.normal() * (size * REACH);
        let node = if draw.unit() < 0.5 { node } else { second_nearest(exact.nodes(), node, place) };
        let mut moved = exact.clone();
        if moved.move_node(node, exact.nodes()[node] + step).is_err() {
            continue;
        }
        if moved.compound().pieces().len() < pieces {
            let new = moved.hull_ratio();
            if new <= ratio + WORTH {
                (*exact, ratio) = (moved, new);
            }
        }
    }
}

/// The least piece of a cell that has several, as its node and its place.
fn sliver(exact: &Decomposition) -> Option<(usize, DVec3)> {
    let crowded = (0..exact.nodes().len()).filter(|&node| exact.pieces_of(node).len() > 1);
    let pieces = crowded.flat_map(|node| exact.pieces_of(node).iter().map(move |piece| (node, piece.mass())));
    let least = pieces.min_by(|a, b| a.1.volume.total_cmp(&b.1.volume))?;
    Some((least.0, least.1.center))
}

/// The node nearest to a place but for one.
fn second_nearest(nodes: &[DVec3], but: usize, place: DVec3) -> usize {
    let others = (0..nodes.len()).filter(|&node| node != but);
    let nearest =
        others.min_by(|&a, &b| nodes[a].distance_squared(place).total_cmp(&nodes[b].distance_squared(place)));
    nearest.unwrap_or(but)
}
