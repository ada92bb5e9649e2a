//! Bricks: blocks of 4 × 4 × 4 voxels, two bits a voxel.
//!
//! A voxel of a brick is bit x + 4y + 16z. Two bits say which of four it is: nothing, internal, boundary, or a boundary *copy*: a voxel that a fracture
//! has given to several pieces, and whose middle is in another. So of all copies one is counted, and volumes of pieces sum to that of the whole.

/// The place of a voxel in its brick.
pub(crate) fn bit([x, y, z]: [u32; 3]) -> u32 {
    (x & 3) | (y & 3) << 2 | (z & 3) << 4
}

/// The voxel of a bit, in its brick.
pub(crate) fn place(bit: u32) -> [u32; 3] {
    [bit & 3, bit >> 2 & 3, bit >> 4]
}

/// All bits of a mask, from the lowest on.
pub(crate) fn bits(mut mask: u64) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let bit = (mask != 0).then(|| mask.trailing_zeros())?;
        mask &= mask - 1;
        Some(bit)
    })
}

/// A brick that is not empty, and not wholly internal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Brick {
    /// Boundary voxels, copies among them.
    pub boundary: u64,
    /// Internal voxels and copies.
    pub inside: u64,
    /// The Morton code of the brick, and [`Brick::PARTED`].
    code: u32,
    /// Where the payload of its boundary voxels is.
    pub look: crate::look::Look,
}

impl Brick {
    /// Set where the voxels of the brick do not all hang together within it.
    const PARTED: u32 = 1 << 31;

    pub fn new(code: u32, boundary: u64, inside: u64, look: crate::look::Look) -> Brick {
        let parted = if is_one(boundary | inside) { 0 } else { Brick::PARTED };
        Brick { boundary, inside, code: code | parted, look }
    }

    /// A brick whose voxels are known to hang together: those that meet a convex do.
    pub fn of_convex(code: u32, boundary: u64, inside: u64, look: crate::look::Look) -> Brick {
        Brick { boundary, inside, code, look }
    }

    pub fn code(&self) -> u32 {
        self.code & !Brick::PARTED
    }

    pub fn is_parted(&self) -> bool {
        self.code & Brick::PARTED != 0
    }

    /// All voxels of it that are something.
    pub fn solid(&self) -> u64 {
        self.boundary | self.inside
    }

    pub fn internal(&self) -> u64 {
        self.inside & !self.boundary
    }

    /// The voxels that are counted: all but copies.
    pub fn owned(&self) -> u64 {
        self.boundary ^ self.inside
    }
}

const X0: u64 = 0x1111_1111_1111_1111;
const X3: u64 = X0 << 3;
const Y0: u64 = 0x000f_000f_000f_000f;
const Y3: u64 = Y0 << 12;
const Z0: u64 = 0xffff;
const Z3: u64 = Z0 << 48;

/// The mask and all voxels next to it along x, within the brick.
fn spread_x(mask: u64) -> u64 {
    mask | (mask << 1 & !X0) | (mask >> 1 & !X3)
}

fn spread_y(mask: u64) -> u64 {
    mask | (mask << 4 & !Y0) | (mask >> 4 & !Y3)
}

fn spread_z(mask: u64) -> u64 {
    mask | mask << 16 | mask >> 16
}

/// The mask and all voxels that share a face, an edge or a corner with it, within the brick.
pub(crate) fn spread(mask: u64) -> u64 {
    spread_z(spread_y(spread_x(mask)))
}

/// Which voxels of the neighbour in a direction share a face, an edge or a corner with a mask. Each part of the direction is -1, 0 or 1.
pub(crate) fn reach(mask: u64, [x, y, z]: [i32; 3]) -> u64 {
    let mask = match x {
        1 => (mask & X3) >> 3,
        -1 => (mask & X0) << 3,
        _ => spread_x(mask),
    };
    let mask = match y {
        1 => (mask & Y3) >> 12,
        -1 => (mask & Y0) << 12,
        _ => spread_y(mask),
    };
    match z {
        1 => (mask & Z3) >> 48,
        -1 => (mask & Z0) << 48,
        _ => spread_z(mask),
    }
}

/// What hangs together with `seed` within `mask`.
pub(crate) fn flood(seed: u64, mask: u64) -> u64 {
    let mut flooded = seed;
    loop {
        let next = spread(flooded) & mask;
        if next == flooded || next == mask {
            return next;
        }
        flooded = next;
    }
}

/// The parts of a mask that do not hang together, in order of their lowest bits.
pub(crate) fn parts(mask: u64) -> impl Iterator<Item = u64> {
    let mut rest = mask;
    std::iter::from_fn(move || {
        let part = (rest != 0).then(|| flood(rest & rest.wrapping_neg(), rest))?;
        rest &= !part;
        Some(part)
    })
}

/// Whether all voxels of a mask hang together.
pub(crate) fn is_one(mask: u64) -> bool {
    mask == 0 || flood(mask & mask.wrapping_neg(), mask) == mask
}

/// The 2 × 2 × 2 voxels of an octant of a brick.
pub(crate) fn octant(index: u32) -> u64 {
    0x0000_0000_0033_0033 << bit([(index & 1) * 2, (index >> 1 & 1) * 2, (index >> 2) * 2])
}

/// The mask with every octant filled that has a voxel in it.
pub(crate) fn coarse(mask: u64) -> u64 {
    (0..8).map(octant).filter(|octant| mask & octant != 0).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn touches(a: u32, b: u32, by: [i32; 3]) -> bool {
        let (a, b) = (place(a), place(b));
        (0..3).all(|k| (b[k] as i32 + 4 * by[k] - a[k] as i32).abs() <= 1)
    }

    #[test]
    fn neighbours_are_those_that_touch() {
        for direction in 0..27 {
            let by = [direction % 3 - 1, direction / 3 % 3 - 1, direction / 9 - 1];
            for a in 0..64 {
                let expected: u64 = (0..64).filter(|&b| touches(a, b, by)).map(|b| 1 << b).sum();
                let found = if by == [0; 3] { spread(1 << a) } else { reach(1 << a, by) };
                assert_eq!(found, expected, "{a} {by:?}");
            }
        }
    }

    #[test]
    fn parts_are_what_a_plain_flood_finds() {
        let mut mask = 0x9e37_79b9_7f4a_7c15_u64;
        for _ in 0..200 {
            mask = mask.wrapping_mul(0xd129_0d3c_5e3b_17a5).rotate_left(23) ^ 0x1234_5678;
            let mask = mask & mask.rotate_left(17);
            let mut labels: Vec<u32> = (0..64).collect();
            for _ in 0..64 {
                for a in bits(mask) {
                    for b in bits(mask).filter(|&b| touches(a, b, [0; 3])) {
                        labels[a as usize] = labels[a as usize].min(labels[b as usize]);
                    }
                }
            }
            let by_label: Vec<u64> = bits(mask)
                .filter(|&a| labels[a as usize] == a)
                .map(|a| bits(mask).filter(|&b| labels[b as usize] == a).map(|b| 1 << b).sum())
                .collect();
            assert_eq!(parts(mask).collect::<Vec<_>>(), by_label);
            assert_eq!(is_one(mask), by_label.len() < 2);
        }
    }

    #[test]
    fn octants_fill_the_brick() {
        assert_eq!((0..8).map(octant).fold(0, |all, octant| all | octant), !0);
        assert_eq!(coarse(1 << bit([3, 0, 2])), octant(0b101));
    }
}
