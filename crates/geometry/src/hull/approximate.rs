//! The approximate hull: few points that span as much as they can.
//!
//! Müller, Chentanez & Kim 2013, Algorithm 1: an incremental hull that always takes the point that adds most volume,
//! and stops after some points. Each point knows the volume it would add: the sum of the tetrahedra it makes with the
//! facets it sees. A step subtracts what the facets gave that it removes, and adds what its new ones give.
//!
//! Departures: which facets a point sees is decided by exact predicates, so that the hull stays closed whatever the
//! rounding; and points that would add nothing are forgotten for good, as the hull only grows. [`crate::fit_hull`]
//! says how the normals are used.

use glam::DVec3;

use super::exact::{normal, scaled};
use super::facets::{Facet, Facets};
use crate::trivalent::{Four, greater, greatest};

/// The unit normals of the facets of a hull of at most `vertices` points, chosen so that it is large; at least four
/// are. `None` if the points are flat or not finite.
pub(crate) fn approximate_normals(points: &[DVec3], vertices: usize) -> Option<Vec<DVec3>> {
    if points.iter().any(|p| !p.is_finite()) {
        return None;
    }
    let scaled = scaled(points);
    let facets = grow(&scaled, vertices)?;
    let unit = |facet: &Facet| {
        let [a, b, c] = facet.vertices.map(|v| scaled[v as usize]);
        let long = normal(a, b, c);
        // Made longer first: the square of a sliver's normal may underflow.
        (long / long.abs().max_element()).try_normalize()
    };
    Some(facets.all().iter().filter(|f| f.alive).filter_map(unit).collect())
}

/// The hull after so many points.
fn grow(points: &[DVec3], vertices: usize) -> Option<Facets<'_>> {
    let farther = |best: (u32, f64), (p, i): (&DVec3, u32)| if p.x > best.1 { (i, p.x) } else { best };
    let (start, _) = points.iter().zip(0..).fold((0, f64::NEG_INFINITY), farther);
    let mut facets = Facets::tetrahedron(points, start)?;
    let origin = points[start as usize];
    let shadow = |facet: &Facet| Shadow::of(facet, points, origin);
    let first: Vec<Shadow> = facets.all().iter().map(shadow).collect();
    let mut candidates = Candidates::new(points, origin, &first);
    let mut taken = 4;
    while taken < vertices {
        let Some(best) = candidates.take_best() else { break };
        // By rounding alone it may have seemed to be outside.
        let Some((lost, first)) = facets.include(best) else { continue };
        let (lost, added): (Vec<u32>, _) = (lost.to_vec(), &facets.all()[first..]);
        let lost: Vec<Shadow> = lost.iter().map(|&f| shadow(&facets.all()[f as usize])).collect();
        let added: Vec<Shadow> = added.iter().map(shadow).collect();
        candidates.update(&lost, &added);
        taken += 1;
    }
    Some(facets)
}

/// A facet as points see it: six times the volume of the tetrahedron it makes with `p` is `normal · p - offset`.
#[derive(Clone, Copy)]
struct Shadow {
    normal: DVec3,
    offset: f64,
}

impl Shadow {
    fn of(facet: &Facet, points: &[DVec3], origin: DVec3) -> Shadow {
        let [a, b, c] = facet.vertices.map(|v| points[v as usize] - origin);
        let normal = (b - a).cross(c - a);
        Shadow { normal, offset: normal.dot(a) }
    }

    /// The volumes that four points make with the facet, of those that see it.
    #[inline]
    fn tetrahedra(&self, Four { x, y, z }: &Four) -> [f64; 4] {
        let Shadow { normal: n, offset } = *self;
        greater(std::array::from_fn(|i| x[i] * n.x + y[i] * n.y + z[i] * n.z - offset), [0.0; 4])
    }
}

/// Of the volume of the first tetrahedron, what counts as nothing: sums that have lost their digits.
const NOTHING: f64 = 1e-13;

/// The points that may add something, four at a time.
struct Candidates {
    places: Vec<Four>,
    /// Six times the volume that each would add.
    gains: Vec<[f64; 4]>,
    /// Which points they are.
    names: Vec<u32>,
    /// Gains up to this are none.
    nothing: f64,
}

impl Candidates {
    fn new(points: &[DVec3], origin: DVec3, facets: &[Shadow]) -> Candidates {
        let inside = facets.iter().map(|f| f.offset).sum::<f64>().abs();
        let fours = points.len().div_ceil(4);
        // Places without a point hold the origin: it is a vertex, and adds nothing.
        let mut places = vec![Four::default(); fours];
        for (i, &point) in points.iter().enumerate() {
            places[i / 4].set(i % 4, point - origin);
        }
        let names = (0..points.len() as u32).collect();
        let mut candidates =
            Candidates { places, gains: vec![[0.0; 4]; fours], names, nothing: inside * NOTHING };
        candidates.update(&[], facets);
        candidates
    }

    /// Changes the gains as facets come and go.
    fn update(&mut self, lost: &[Shadow], added: &[Shadow]) {
        let mut left = 0;
        for (places, gains) in self.places.iter().zip(&mut self.gains) {
            let mut sum = *gains;
            for facet in lost {
                let volumes = facet.tetrahedra(places);
                sum = std::array::from_fn(|i| sum[i] - volumes[i]);
            }
            for facet in added {
                let volumes = facet.tetrahedra(places);
                sum = std::array::from_fn(|i| sum[i] + volumes[i]);
            }
            *gains = sum;
            left += sum.iter().filter(|&&gain| gain > self.nothing).count();
        }
        if left < self.names.len() - self.names.len() / 4 {
            self.forget();
        }
    }

    /// Forgets the points that would add nothing. Only where they are many: to move the others costs as much as some
    /// facets.
    fn forget(&mut self) {
        let mut kept = 0;
        for i in 0..self.names.len() {
            let gain = self.gains[i / 4][i % 4];
            if gain > self.nothing {
                let place = self.places[i / 4].get(i % 4);
                self.places[kept / 4].set(kept % 4, place);
                (self.gains[kept / 4][kept % 4], self.names[kept]) = (gain, self.names[i]);
                kept += 1;
            }
        }
        self.names.truncate(kept);
        self.places.truncate(kept.div_ceil(4));
        self.gains.truncate(kept.div_ceil(4));
        for i in kept..self.places.len() * 4 {
            self.places[i / 4].set(i % 4, DVec3::ZERO);
            self.gains[i / 4][i % 4] = 0.0;
        }
    }

    /// The point that adds most, the first of several; it adds nothing from now on. `None` if none adds anything.
    fn take_best(&mut self) -> Option<u32> {
        let most = greatest(self.gains.iter().fold([0.0; 4], |most, &gains| greater(gains, most)));
        if most <= self.nothing {
            return None;
        }
        let best = self.gains.as_flattened().iter().position(|&gain| gain == most)?;
        self.gains[best / 4][best % 4] = 0.0;
        self.names.get(best).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cube_s_corners_are_taken_and_no_points_more() {
        let mut points = crate::Aabb::cube(1.0).corners().to_vec();
        points.extend((0..50).map(|i| DVec3::splat(libm::sin(f64::from(i)) * 0.9)));
        points.extend_from_within(..);
        let normals = approximate_normals(&points, 100).unwrap();
        assert_eq!(normals.len(), 12); // two facets a face
        assert!(normals.iter().all(|n| (n.abs().max_element() - 1.0).abs() < 1e-15), "{normals:?}");
    }

    #[test]
    fn what_is_flat_or_no_number_has_no_hull() {
        let line: Vec<DVec3> = (0..9).map(|i| DVec3::ONE * f64::from(i)).collect();
        for points in [&line[..], &[DVec3::ONE; 7], &[], &[DVec3::NAN, DVec3::X, DVec3::Y, DVec3::Z]] {
            assert_eq!(approximate_normals(points, 20), None);
        }
    }

    #[test]
    fn the_largest_facets_come_with_few_points() {
        // A long tetrahedron with a small bump: four points have its shape.
        let mut points = vec![DVec3::ZERO, DVec3::X * 9.0, DVec3::Y, DVec3::Z];
        points.push(DVec3::new(3.0, 0.3, -0.01));
        assert_eq!(approximate_normals(&points, 4).unwrap().len(), 4);
        assert_eq!(approximate_normals(&points, 5).unwrap().len(), 6);
    }
}
