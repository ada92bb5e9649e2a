//! Air carries itself along: a cubic for each axis in turn, between the neighbours it came from.
//!
//! After Leonard, "A stable and accurate convective modelling procedure based on quadratic upstream interpolation" (1979): for air that moves by less
//! than a cell a step, the value is that of the cubic through two points before and two behind where the air was. Semi-Lagrangian with a straight line
//! between two points is the usual way; at the speed of dust, a tenth of a cell a step, it is as thick as honey (docs/algorithms/dust.md has the
//! numbers). Neighbours in a row are worked on side by side, as nothing is looked up.

use rayon::prelude::*;

use crate::grid::{Grid, LOW, PLANES};

/// Moves `field` along an axis into `out`. `carrier` has the velocity along the axis; it is the mean of the values here and `back` before.
/// `cells` is by how many cells a velocity of one moves in the step.
pub(crate) fn sweep(out: &mut Grid, field: &Grid, carrier: &Grid, back: usize, axis: usize, cells: f32) {
    let (layout, step) = (field.layout, field.layout.stride[axis]);
    let [columns, rows, planes] = field.last.map(|last| last + 1);
    let plane_len = layout.stride[2];
    let planes = out.data.par_chunks_mut(plane_len).enumerate().skip(LOW).take(planes);
    planes.with_min_len(PLANES).for_each(|(plane, out)| {
        for row in 0..rows {
            let from = layout.at(0, row as isize, 0) % plane_len;
            let at = plane * plane_len + from;
            let of = |start: usize| &field.data[start..start + columns];
            let before = [of(at - 2 * step), of(at - step)];
            let behind = [of(at + step), of(at + 2 * step)];
            let carriers = [&carrier.data[at..at + columns], &carrier.data[at - back..at - back + columns]];
            cubic(&mut out[from..from + columns], before, of(at), behind, carriers, 0.5 * cells);
        }
    });
}

/// A row of values where they were `cells` times the sum of the carriers ago. Never beyond the two values next to that: no new extremes.
#[inline(always)]
fn cubic(
    out: &mut [f32],
    before: [&[f32]; 2],
    here: &[f32],
    behind: [&[f32]; 2],
    carriers: [&[f32]; 2],
    cells: f32,
) {
    let count = out.len();
    let ([m2, m1], [p1, p2], [a, b]) =
        (before.map(|s| &s[..count]), behind.map(|s| &s[..count]), carriers.map(|s| &s[..count]));
    let here = &here[..count];
    for i in 0..count {
        // Beyond one cell a step the cubic is not the one to ask: the fastest air is carried by one.
        let courant = ((a[i] + b[i]) * cells).clamp(-1.0, 1.0);
        let t = courant.abs();
        let forward = courant >= 0.0;
        let (down, up, far) = if forward { (p1[i], m1[i], m2[i]) } else { (m1[i], p1[i], p2[i]) };
        let (rest, more, two) = (1.0 - t, 1.0 + t, 2.0 - t);
        let value = (0.5 * two) * (more * (rest * here[i] + t * up))
            - (t * rest * (1.0 / 6.0)) * (two * down + more * far);
        out[i] = value.max(here[i].min(up)).min(here[i].max(up));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::Layout;
    use glam::UVec3;

    fn row(values: [f32; 5], courant: f32) -> f32 {
        let [m2, m1, here, p1, p2] = values.map(|v| [v]);
        let mut out = [f32::NAN];
        let carriers = [&[courant][..], &[courant][..]];
        cubic(&mut out, [&m2, &m1], &here, [&p1, &p2], carriers, 0.5);
        out[0]
    }

    #[test]
    fn a_cubic_is_moved_exactly_where_it_rises() {
        let curve = |x: f32| 0.05 * x * x * x + 0.2 * x * x + 3.0 * x;
        for courant in [-1.0, -0.7, -0.1, 0.0, 0.25, 0.9, 1.0] {
            let moved = row([-2.0, -1.0, 0.0, 1.0, 2.0].map(curve), courant);
            assert!((moved - curve(-courant)).abs() < 1e-5, "{courant}: {moved}");
        }
        assert_eq!(row([1.0, 2.0, 3.0, 4.0, 5.0], 7.0), 2.0, "at most one cell");
    }

    #[test]
    fn nothing_grows_and_still_air_is_still_to_the_bit() {
        let spike = [0.1, 0.3, 0.7, -0.2, 0.9];
        assert_eq!(row(spike, 0.0).to_bits(), 0.7_f32.to_bits());
        for courant in (-20..=20).map(|c| c as f32 * 0.05) {
            let moved = row(spike, courant);
            assert!((-0.2..=0.7).contains(&moved), "{courant}: {moved}");
        }
    }

    #[test]
    fn all_axes_move_alike() {
        let layout = Layout::new(UVec3::splat(8));
        for axis in 0..3 {
            let (mut field, mut carrier) =
                (Grid::centred(layout, Grid::default()), Grid::centred(layout, Grid::default()));
            carrier.data.fill(1.0);
            let mut at = [4; 3];
            field.data[layout.at(4, 4, 4)] = 1.0;
            let mut out = Grid::centred(layout, Grid::default());
            sweep(&mut out, &field, &carrier, layout.stride[(axis + 1) % 3], axis, 1.0);
            at[axis] += 1;
            assert_eq!(out.data[layout.at(at[0], at[1], at[2])], 1.0);
            assert_eq!(out.data.iter().sum::<f32>(), 1.0);
        }
    }
}
