//! A plane between two sets of points, by the nearest point of their difference to the origin (Gilbert, Johnson, Keerthi 1988).

use glam::DVec3;

/// A direction along which one set ends before the other begins.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Gap {
    /// Of unit length.
    pub normal: DVec3,
    /// How far the first set reaches along it.
    pub end: f64,
    /// Where the second begins.
    pub start: f64,
}

/// Sets are shrunk by this part of themselves: what touches has a gap then.
const SHRUNK: f64 = 1e-6;
/// How near to the widest gap the search ends.
const NEAR: f64 = 1e-9;
const STEPS: usize = 64;

/// A gap between two sets of points; `None` if their hulls overlap. Those of sets that touch may overlap by a hair: then the gap
/// starts before its end.
pub(crate) fn gap_between(first: &[DVec3], second: &[DVec3]) -> Option<Gap> {
    let (a, b) = (Shrunk::new(first)?, Shrunk::new(second)?);
    let mut simplex = Simplex { points: [a.middle - b.middle; 4], count: 1 };
    let mut found = None;
    for _ in 0..STEPS {
        let nearest = simplex.reduce_to_nearest();
        let Some(away) = nearest.try_normalize() else { break };
        let next = a.farthest(-away) - b.farthest(away);
        let gap = away.dot(next);
        if gap > 0.0 {
            found = Some(-away);
        }
        if gap >= nearest.length() * (1.0 - NEAR) || simplex.count == 4 || simplex.has(next) {
            break;
        }
        simplex.points[simplex.count] = next;
        simplex.count += 1;
    }
    let normal = found?;
    let along = |points: &[DVec3], normal: DVec3| {
        points.iter().map(|p| p.dot(normal)).fold(f64::NEG_INFINITY, f64::max)
    };
    Some(Gap { normal, end: along(first, normal), start: -along(second, -normal) })
}

/// Points drawn a hair towards their middle.
struct Shrunk<'a> {
    points: &'a [DVec3],
    middle: DVec3,
}

impl Shrunk<'_> {
    fn new(points: &[DVec3]) -> Option<Shrunk<'_>> {
        let middle = points.iter().sum::<DVec3>() / points.len() as f64;
        (!points.is_empty()).then_some(Shrunk { points, middle })
    }

    fn farthest(&self, direction: DVec3) -> DVec3 {
        let mut best = (f64::NEG_INFINITY, self.middle);
        for &point in self.points {
            let along = point.dot(direction);
            best = if along > best.0 { (along, point) } else { best };
        }
        best.1.lerp(self.middle, SHRUNK)
    }
}

/// One to four points.
struct Simplex {
    points: [DVec3; 4],
    count: usize,
}

impl Simplex {
    fn has(&self, point: DVec3) -> bool {
        self.points[..self.count].contains(&point)
    }

    /// The place of the simplex that is nearest to the origin; what is left spans it.
    fn reduce_to_nearest(&mut self) -> DVec3 {
        let [a, b, c, d] = self.points;
        let (nearest, kept) = match self.count {
            1 => (a, vec![a]),
            2 => nearest_of_edge(a, b),
            3 => nearest_of_triangle(a, b, c),
            _ => nearest_of_tetrahedron(a, b, c, d),
        };
        self.count = kept.len();
        self.points[..kept.len()].copy_from_slice(&kept);
        nearest
    }
}

fn nearest_of_edge(a: DVec3, b: DVec3) -> (DVec3, Vec<DVec3>) {
    let along = b - a;
    let part = -a.dot(along) / along.length_squared();
    if part.is_nan() || part <= 0.0 {
        (a, vec![a])
    } else if part >= 1.0 {
        (b, vec![b])
    } else {
        (a + along * part, vec![a, b])
    }
}

fn nearest_of_triangle(a: DVec3, b: DVec3, c: DVec3) -> (DVec3, Vec<DVec3>) {
    let normal = (b - a).cross(c - a);
    let is_beyond = |from: DVec3, to: DVec3| (to - from).cross(normal).dot(-from) >= 0.0;
    let edges = [(a, b), (b, c), (c, a)].into_iter().filter(|&(from, to)| is_beyond(from, to));
    let nearest = edges.map(|(from, to)| nearest_of_edge(from, to)).min_by(by_distance);
    nearest.unwrap_or_else(|| (normal * (a.dot(normal) / normal.length_squared()), vec![a, b, c]))
}

/// The origin itself, with all four points, if it is within.
fn nearest_of_tetrahedron(a: DVec3, b: DVec3, c: DVec3, d: DVec3) -> (DVec3, Vec<DVec3>) {
    let is_beyond = |&(x, y, z, across): &(DVec3, DVec3, DVec3, DVec3)| {
        let normal = (y - x).cross(z - x);
        (-x).dot(normal) * (across - x).dot(normal) <= 0.0
    };
    let faces = [(a, b, c, d), (a, b, d, c), (a, c, d, b), (b, c, d, a)].into_iter().filter(is_beyond);
    let nearest = faces.map(|(x, y, z, _)| nearest_of_triangle(x, y, z)).min_by(by_distance);
    nearest.unwrap_or_else(|| (DVec3::ZERO, vec![a, b, c, d]))
}

fn by_distance(x: &(DVec3, Vec<DVec3>), y: &(DVec3, Vec<DVec3>)) -> std::cmp::Ordering {
    x.0.length_squared().total_cmp(&y.0.length_squared())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn noise(seed: &mut u64) -> f64 {
        *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (*seed >> 11) as f64 / (1u64 << 53) as f64 - 0.5
    }

    fn cloud(count: usize, seed: &mut u64) -> Vec<DVec3> {
        (0..count).map(|_| DVec3::new(noise(seed), noise(seed), noise(seed))).collect()
    }

    /// Sets pushed apart along a random direction until there is a gap of a given width, or an overlap.
    #[test]
    fn a_gap_is_found_if_and_only_if_there_is_one() {
        let mut seed = 1;
        for case in 0..4000 {
            let size = 1 + case % 40;
            let (a, mut b) = (cloud(size, &mut seed), cloud(1 + case % 7 * 30, &mut seed));
            let direction = cloud(1, &mut seed)[0].normalize();
            let end = a.iter().map(|p| p.dot(direction)).fold(f64::NEG_INFINITY, f64::max);
            let start = b.iter().map(|p| p.dot(direction)).fold(f64::INFINITY, f64::min);
            let width = [1e-9, 1e-6, 1e-3, 0.1, 3.0][case % 5];
            b.iter_mut().for_each(|p| *p += direction * (end - start + width));
            let gap = gap_between(&a, &b).expect("there is one");
            assert!(gap.end <= gap.start + 2e-6, "case {case}: {gap:?}");
            assert!(width < 1e-4 || gap.start - gap.end > width * 0.9, "case {case}: {width} {gap:?}");
            // One point of the second set moved to the middle of the first.
            let middle = a.iter().sum::<DVec3>() / a.len() as f64;
            b[0] = middle;
            if let Some(gap) = gap_between(&a, &b) {
                assert!(size <= 3 && gap.end <= gap.start + 1e-6, "case {case}: {gap:?}");
            }
        }
    }

    #[test]
    fn a_ring_around_a_rod_has_no_gap_and_empty_sets_have_none() {
        let ring: Vec<DVec3> =
            (0..24).map(|i| DVec3::new(libm::cos(f64::from(i)), libm::sin(f64::from(i)), 0.0)).collect();
        assert_eq!(gap_between(&ring, &[-DVec3::Z, DVec3::Z]), None);
        assert!(gap_between(&ring, &[DVec3::Z, DVec3::Z * 2.0]).is_some());
        assert_eq!(gap_between(&ring, &[]), None);
    }

    #[test]
    fn boxes_that_share_a_face_or_a_corner_have_a_gap_of_nothing() {
        let corners = |at: DVec3| -> Vec<DVec3> {
            (0..8)
                .map(|i| at + DVec3::new(f64::from(i & 1), f64::from(i >> 1 & 1), f64::from(i >> 2)))
                .collect()
        };
        for shift in [DVec3::X, DVec3::X + DVec3::Y, DVec3::ONE, -DVec3::Z] {
            let gap = gap_between(&corners(DVec3::ZERO), &corners(shift)).unwrap();
            assert!((gap.end - gap.start).abs() < 2e-6, "{shift}: {gap:?}");
        }
    }
}
