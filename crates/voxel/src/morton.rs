//! Morton codes: the bits of three coordinates interleaved, x lowest. Voxels in the order of their codes are in the order in which an octree is
//! walked, so that every node is a run of them.

/// Spreads ten bits apart, two zeros between any two.
fn spread(x: u32) -> u32 {
    let x = x & 0x3ff;
    let x = (x | x << 16) & 0x0300_00ff;
    let x = (x | x << 8) & 0x0300_f00f;
    let x = (x | x << 4) & 0x030c_30c3;
    (x | x << 2) & 0x0924_9249
}

/// What [`spread`] spread.
fn gather(x: u32) -> u32 {
    let x = x & 0x0924_9249;
    let x = (x | x >> 2) & 0x030c_30c3;
    let x = (x | x >> 4) & 0x0300_f00f;
    let x = (x | x >> 8) & 0x0300_00ff;
    (x | x >> 16) & 0x3ff
}

/// The code of three coordinates below 1,024.
pub(crate) fn encode([x, y, z]: [u32; 3]) -> u32 {
    spread(x) | spread(y) << 1 | spread(z) << 2
}

/// The coordinates of a code.
pub(crate) fn decode(code: u32) -> [u32; 3] {
    [gather(code), gather(code >> 1), gather(code >> 2)]
}

/// The Morton code of a voxel: coordinates below 2²¹.
///
/// ```
/// use smithereens_voxel::{morton, unmorton};
/// assert_eq!(morton([1, 0, 1]), 0b101);
/// assert_eq!(unmorton(morton([4095, 17, 2048])), [4095, 17, 2048]);
/// ```
pub fn morton(voxel: [u32; 3]) -> u64 {
    let low = encode(voxel.map(|x| x & 0x3ff));
    let high = encode(voxel.map(|x| x >> 10 & 0x3ff));
    u64::from(low) | u64::from(high) << 30
}

/// The voxel of a Morton code.
pub fn unmorton(code: u64) -> [u32; 3] {
    let (low, high) = (decode(code as u32 & 0x3fff_ffff), decode((code >> 30) as u32 & 0x3fff_ffff));
    std::array::from_fn(|axis| low[axis] | high[axis] << 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_in_the_order_of_the_walk() {
        let children: Vec<u32> = (0..8).map(|q| encode([q & 1, q >> 1 & 1, q >> 2])).collect();
        assert_eq!(children, [0, 1, 2, 3, 4, 5, 6, 7]);
        for code in (0..1 << 30).step_by(7_654_321) {
            assert_eq!(encode(decode(code)), code);
            assert_eq!(morton(unmorton(u64::from(code) << 6 | 5)), u64::from(code) << 6 | 5);
        }
    }
}
