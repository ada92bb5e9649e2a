//! Fields of a box of cells, carried over to another box: as they are where cells are the same, blended where those are larger or smaller.

use rayon::prelude::*;

/// How numbers of a box lie in memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    /// Where the first is.
    pub first: usize,
    /// What lies between neighbours along each axis; along the first it is 1.
    pub stride: [usize; 3],
    /// How many there are along each axis.
    pub count: [usize; 3],
}

/// Where along an axis the numbers of one box come from in another: number i is at `from + i * step`, in the other's numbers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Along {
    pub from: f32,
    pub step: f32,
}

/// A number between two neighbours: the first of them, and the share that either has. Beyond the ends there is nothing.
#[derive(Clone, Copy, Debug)]
struct Blend {
    at: usize,
    shares: [f32; 2],
}

impl Along {
    /// The blends of `count` numbers, from a row of `others`.
    fn blends(&self, count: usize, others: usize) -> Vec<Blend> {
        let blend = |i: usize| {
            let place = self.from + i as f32 * self.step;
            let base = place.floor();
            let (f, last) = (place - base, others as i64 - 1);
            let share = |at: i64, share: f32| if (0..=last).contains(&at) { share } else { 0.0 };
            let at = base as i64;
            let shares = [share(at, 1.0 - f), share(at + 1, f)];
            // Both neighbours must be there to be read, with or without a share.
            match at {
                _ if at < 0 => Blend { at: 0, shares: [shares[1], 0.0] },
                _ if at >= last => Blend { at: (last - 1).max(0) as usize, shares: [0.0, shares[0]] },
                _ => Blend { at: at as usize, shares },
            }
        };
        (0..count).map(blend).collect()
    }
}

/// Fills a box with what another has in the same places, times a factor; nothing where there is no other. Boxes are at least two numbers wide.
pub(crate) fn carry(
    to: &mut [f32],
    place: &Place,
    from: &[f32],
    source: &Place,
    ways: &[Along; 3],
    factor: f32,
) {
    let blends: [Vec<Blend>; 3] =
        std::array::from_fn(|axis| ways[axis].blends(place.count[axis], source.count[axis]));
    let [_, row, plane] = place.stride;
    let planes = to[place.first..].par_chunks_mut(plane).zip(&blends[2]);
    planes.for_each(|(to, z)| {
        let mut mixed = vec![0.0; source.count[0]];
        for (to, y) in to.chunks_mut(row).zip(&blends[1]) {
            mix_rows(&mut mixed, from, source, y, z, factor);
            for (number, x) in to.iter_mut().zip(&blends[0]) {
                *number = x.shares[0] * mixed[x.at] + x.shares[1] * mixed[x.at + 1];
            }
        }
    });
}

/// The four rows around a row along x, blended.
fn mix_rows(mixed: &mut [f32], from: &[f32], source: &Place, y: &Blend, z: &Blend, factor: f32) {
    mixed.fill(0.0);
    for (i, j) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
        let share = y.shares[i] * z.shares[j] * factor;
        if share != 0.0 {
            let first = source.first + (y.at + i) * source.stride[1] + (z.at + j) * source.stride[2];
            let row = &from[first..first + mixed.len()];
            mixed.iter_mut().zip(row).for_each(|(sum, number)| *sum += share * number);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: Place = Place { first: 3, stride: [1, 9, 72], count: [7, 6, 5] };

    /// A plane, as a field: blending has nothing to lose.
    fn plane(at: [f32; 3]) -> f32 {
        1.0 + 2.0 * at[0] - 3.0 * at[1] + 0.5 * at[2]
    }

    fn source() -> Vec<f32> {
        let mut data = vec![f32::NAN; 400];
        for (z, y, x) in (0..5).flat_map(|z| (0..6).flat_map(move |y| (0..7).map(move |x| (z, y, x)))) {
            data[3 + x + 9 * y + 72 * z] = plane([x, y, z].map(|n| n as f32));
        }
        data
    }

    fn carried(ways: [Along; 3], count: [usize; 3]) -> (Vec<f32>, Place) {
        let place = Place { first: 2, stride: [1, count[0] + 3, (count[0] + 3) * (count[1] + 2)], count };
        let mut data = vec![0.0; place.stride[2] * (count[2] + 1)];
        carry(&mut data, &place, &source(), &SOURCE, &ways, 1.0);
        (data, place)
    }

    #[test]
    fn what_is_between_is_blended_and_what_is_outside_is_nothing() {
        for (from, step) in [(0.0, 1.0), (-2.0, 1.0), (3.0, 1.0), (0.3, 0.8), (-1.7, 1.25), (-40.0, 1.0)] {
            let (data, place) = carried([Along { from, step }; 3], [8, 9, 10]);
            for (z, y, x) in (0..10).flat_map(|z| (0..9).flat_map(move |y| (0..8).map(move |x| (z, y, x)))) {
                let at = [x, y, z].map(|n| from + n as f32 * step);
                let found = data[place.first + x + place.stride[1] * y + place.stride[2] * z];
                let ends = SOURCE.count.map(|n| n as f32 - 1.0);
                if (0..3).all(|axis| at[axis] >= 0.0 && at[axis] <= ends[axis]) {
                    assert!((found - plane(at)).abs() < 1e-4, "{from} {step}: {at:?} {found}");
                }
                if (0..3).any(|axis| at[axis] <= -1.0 || at[axis] >= ends[axis] + 1.0) {
                    assert_eq!(found, 0.0, "{from} {step}: {at:?}");
                }
            }
        }
    }

    #[test]
    fn the_same_cells_keep_their_bits() {
        let shift = [1, -2, 3];
        let (data, place) = carried(shift.map(|n| Along { from: n as f32, step: 1.0 }), [5, 8, 4]);
        let source = source();
        for (z, y, x) in (0..2).flat_map(|z| (2..8).flat_map(move |y| (0..5).map(move |x| (z, y, x)))) {
            let found = data[place.first + x + place.stride[1] * y + place.stride[2] * z];
            assert_eq!(found, source[3 + (x + 1) + 9 * (y - 2) + 72 * (z + 3)]);
        }
    }
}
