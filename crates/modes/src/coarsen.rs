//! Ever fewer, ever larger cells: pairs that are joined most tightly become one.

use crate::net::Net;
use crate::partition::Partition;

/// A coarser net, and which of its cells each fine cell is in.
#[derive(Clone, Debug)]
pub(crate) struct Coarse {
    pub net: Net,
    pub groups: Partition,
}

/// A round that leaves more than this part of the cells is the last: stars and chains of unlike cells pair badly.
const WORTH_IT: f64 = 0.93;

/// Joins pairs, round by round, until there are about `target` cells. Nothing is joined across `within`, so that whatever is constant
/// on its parts stays so.
pub(crate) fn coarsen(net: &Net, within: &Partition, target: usize) -> Coarse {
    let mut coarse = pair(net, within);
    let mut before = net.len();
    while coarse.net.len() > target && (coarse.net.len() as f64) < WORTH_IT * before as f64 {
        before = coarse.net.len();
        let next = pair(&coarse.net, &restrict(within, &coarse.groups));
        coarse = Coarse { net: next.net, groups: coarse.groups.through(&next.groups) };
    }
    coarse
}

/// The numbers of coarse cells in a partition that groups do not cross.
pub(crate) fn restrict(partition: &Partition, groups: &Partition) -> Partition {
    let numbers = groups.first_cells().into_iter().map(|cell| partition.of_cells()[cell]).collect();
    Partition::from_numbered(numbers, partition.count())
}

/// Joins each cell with the free neighbour it is tied to most: much shared weight for little mass.
fn pair(net: &Net, within: &Partition) -> Coarse {
    const FREE: u32 = u32::MAX;
    let inverse_roots: Vec<f64> = net.masses.iter().map(|mass| 1.0 / mass.sqrt()).collect();
    let (mut groups, mut count) = (vec![FREE; net.len()], 0);
    for cell in 0..net.len() {
        if groups[cell] != FREE {
            continue;
        }
        let (mut tightest, mut mate) = (0.0, None);
        for arc in net.arcs(cell) {
            let other = arc.to as usize;
            let tie = net.weights[arc.edge as usize] * inverse_roots[other];
            if groups[other] == FREE && tie > tightest && within.of(other) == within.of(cell) {
                (tightest, mate) = (tie, Some(other));
            }
        }
        groups[cell] = count;
        if let Some(mate) = mate {
            groups[mate] = count;
        }
        count += 1;
    }
    let groups = Partition::from_numbered(groups, count as usize);
    Coarse { net: net.aggregate(&groups), groups }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ring(cells: u32) -> Net {
        let edges = (0..cells).map(|cell| [cell, (cell + 1) % cells]).collect();
        let ones = vec![1.0; cells as usize];
        Net::new(ones.clone(), edges, ones.clone(), ones)
    }

    #[test]
    fn mass_is_kept_and_borders_are_not_crossed() {
        let net = ring(40);
        let halves = Partition::numbered((0..40).map(|cell| cell / 20));
        let coarse = coarsen(&net, &halves, 5);
        assert!(coarse.net.len() <= 6, "{}", coarse.net.len());
        assert_eq!(coarse.net.masses.iter().sum::<f64>(), 40.0);
        let restricted = restrict(&halves, &coarse.groups);
        for cell in 0..40 {
            assert_eq!(restricted.of(coarse.groups.of(cell)), halves.of(cell));
        }
    }

    #[test]
    fn what_cannot_be_paired_ends() {
        // A star: one pair a round at most.
        let edges = (1..50).map(|leaf| [0, leaf]).collect();
        let star = Net::new(vec![1.0; 50], edges, vec![1.0; 49], vec![1.0; 49]);
        let whole = Partition::numbered((0..50).map(|_| 0));
        assert_eq!(coarsen(&star, &whole, 5).net.len(), 49);
    }
}
