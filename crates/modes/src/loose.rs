//! Shells that touch nothing: in a cage they hang together with the rest all the same.
//!
//! An eye in its socket, the parts of a torn scan: nothing bonds them, and at the first blow all would fall off. So each goes with the cluster that is nearest, of its
//! own piece if there is one.

use crate::faults::Faults;
use crate::nearest::Nearest;
use crate::partition::Partition;

/// For each part its cluster, where those that no bond leads to from the largest island go with the nearest of it. Only pieces of one part of the cage are tied.
pub(crate) fn tied(clusters: &Partition, faults: &Faults, part_of_piece: impl Fn(u32) -> u32) -> Vec<u32> {
    let parts = faults.graph.cells();
    let edges: Vec<[u32; 2]> = faults.graph.faces().iter().map(|face| face.cells).collect();
    let islands = Partition::connected(parts.len(), &edges, |_, _| true);
    let volumes = islands.sums(&parts.iter().map(|part| part.volume).collect::<Vec<f64>>());
    let of_cage: Vec<u32> = faults.piece_of.iter().map(|&piece| part_of_piece(piece)).collect();
    let mut main: Vec<Option<usize>> = vec![None; of_cage.iter().max().map_or(0, |&part| part as usize + 1)];
    for (island, &part) in islands.of_cells().iter().zip(&of_cage) {
        let known = &mut main[part as usize];
        if known.is_none_or(|known| volumes[*island as usize] > volumes[known]) {
            *known = Some(*island as usize);
        }
    }
    let is_held = |part: u32| main[of_cage[part as usize] as usize] == Some(islands.of(part as usize));
    let places = Nearest::new(parts.iter().map(|part| part.centre).collect());
    let mut label = clusters.of_cells().to_vec();
    for (cluster, first) in clusters.first_cells().into_iter().enumerate() {
        if is_held(first as u32) {
            continue;
        }
        let [piece, part] = [faults.piece_of[first], of_cage[first]];
        let is_near = |other: u32| is_held(other) && of_cage[other as usize] == part;
        let is_own = |other: u32| is_near(other) && faults.piece_of[other as usize] == piece;
        let centre = parts[first].centre;
        let host = places.find(centre, is_own).or_else(|| places.find(centre, is_near));
        if let Some(host) = host {
            let (from, to) = (cluster as u32, clusters.of_cells()[host as usize]);
            let own = clusters.of_cells().iter().zip(&mut label).filter(|(own, _)| **own == from);
            own.for_each(|(_, label)| *label = to);
        }
    }
    label
}
