//! How the surface passes through a cell, for every choice of inside corners.
//!
//! Nielson, *Dual Marching Cubes* (2004): a cell has one vertex for each patch of the surface in it, not one in all, so that
//! sheets which pass through the same cell stay apart. Where a side of a cell has its inside corners across from each
//! other, they are kept apart; both cells decide alike since they see the same side.

/// The corners at the ends of a cell's edges: four along x, four along y, four along z.
pub(crate) const EDGES: [[usize; 2]; 12] =
    [[0, 1], [2, 3], [4, 5], [6, 7], [0, 2], [1, 3], [4, 6], [5, 7], [0, 4], [1, 5], [2, 6], [3, 7]];

/// No patch crosses this edge.
pub(crate) const NO_PATCH: u8 = u8::MAX;

/// The corners around each side of a cell.
const SIDES: [[usize; 4]; 6] =
    [[0, 2, 6, 4], [1, 3, 7, 5], [0, 1, 5, 4], [2, 3, 7, 6], [0, 1, 3, 2], [4, 5, 7, 6]];

/// The patch that crosses each edge of a cell, for all cases.
pub(crate) struct Cases([[u8; 12]; 256]);

impl Cases {
    /// Works all cases out.
    pub fn new() -> Cases {
        Cases(std::array::from_fn(patches))
    }

    /// The patch that crosses each edge.
    pub fn patches(&self, case: u8) -> &[u8; 12] {
        &self.0[case as usize]
    }

    /// How many patches there are.
    pub fn count(&self, case: u8) -> usize {
        self.patches(case).iter().filter(|p| **p != NO_PATCH).map(|p| *p as usize + 1).max().unwrap_or(0)
    }
}

fn patches(case: usize) -> [u8; 12] {
    let inside = |corner: usize| case >> corner & 1 == 1;
    let crossed = |edge: usize| inside(EDGES[edge][0]) != inside(EDGES[edge][1]);
    // The least edge of the patch that each edge belongs to.
    let mut least: [usize; 12] = std::array::from_fn(|edge| edge);
    let mut join = |a: usize, b: usize| {
        let (low, high) = (least[a].min(least[b]), least[a].max(least[b]));
        least.iter_mut().filter(|l| **l == high).for_each(|l| *l = low);
    };
    for side in SIDES {
        let edges: [usize; 4] = std::array::from_fn(|i| edge_between(side[i], side[(i + 1) % 4]));
        let across: Vec<usize> = (0..4).filter(|&i| crossed(edges[i])).collect();
        match across[..] {
            [a, b] => join(edges[a], edges[b]),
            // All four: the two edges at an inside corner belong together.
            [_, _, _, _] => {
                (0..4).filter(|&i| inside(side[i])).for_each(|i| join(edges[(i + 3) % 4], edges[i]));
            }
            _ => {}
        }
    }
    number(least, crossed)
}

fn number(least: [usize; 12], crossed: impl Fn(usize) -> bool) -> [u8; 12] {
    let mut patches = [NO_PATCH; 12];
    let mut count = 0;
    for edge in (0..12).filter(|&e| crossed(e)) {
        if least[edge] == edge {
            patches[edge] = count;
            count += 1;
        } else {
            patches[edge] = patches[least[edge]];
        }
    }
    patches
}

fn edge_between(a: usize, b: usize) -> usize {
    EDGES.iter().position(|e| *e == [a.min(b), a.max(b)]).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn corners_across_from_each_other_have_patches_of_their_own() {
        let cases = Cases::new();
        assert_eq!((cases.count(0), cases.count(255), cases.count(1)), (0, 0, 1));
        assert_eq!(cases.count(0b0000_0011), 1);
        assert_eq!(cases.count(0b0000_1001), 2, "across a side");
        assert_eq!(cases.count(0b1000_0001), 2, "across the cell");
        assert_eq!(cases.count(0b0110_1001), 4);
        for case in 0..=255_u8 {
            let crossed = EDGES.iter().filter(|[a, b]| (case >> a ^ case >> b) & 1 == 1).count();
            assert_eq!(cases.patches(case).iter().filter(|p| **p != NO_PATCH).count(), crossed);
        }
    }
}
