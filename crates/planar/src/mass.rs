//! Area, centre and moment of inertia.

use glam::DVec2;

/// Area, centre and moment of inertia, at a density of one.
///
/// ```
/// use smithereens_planar::{Aabb, Convex};
/// let mass = Convex::from_box(&Aabb::square(1.0)).mass();
/// assert_eq!(mass.area, 4.0);
/// assert!((mass.inertia - 4.0 * (4.0 + 4.0) / 12.0).abs() < 1e-12);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Mass {
    /// The area, which is the mass.
    pub area: f64,
    /// The centre of mass.
    pub center: DVec2,
    /// The moment of inertia about the centre.
    pub inertia: f64,
}

impl Mass {
    /// The mass within closed loops: counter-clockwise ones count, clockwise ones are holes.
    pub fn of_loops<'a>(loops: impl Iterator<Item = &'a [DVec2]> + Clone) -> Mass {
        let Some(&origin) = loops.clone().flatten().next() else { return Mass::default() };
        let edges = loops.flat_map(|points| {
            points.iter().enumerate().map(move |(i, &p)| (p, points[(i + 1) % points.len()]))
        });
        Mass::of_edges(origin, edges)
    }

    /// The mass within directed edges that make closed loops. The origin should be near.
    pub(crate) fn of_edges(origin: DVec2, edges: impl Iterator<Item = (DVec2, DVec2)>) -> Mass {
        let (mut area, mut moment, mut second) = (0.0, DVec2::ZERO, 0.0);
        for (from, to) in edges {
            let (a, b) = (from - origin, to - origin);
            let twice = a.perp_dot(b);
            area += twice;
            moment += (a + b) * twice;
            second += (a.dot(a) + a.dot(b) + b.dot(b)) * twice;
        }
        let (area, second) = (area * 0.5, second / 12.0);
        if area == 0.0 {
            return Mass { center: origin, ..Mass::default() };
        }
        let center = moment / (6.0 * area);
        Mass { area, center: origin + center, inertia: second - area * center.length_squared() }
    }

    /// All masses together.
    ///
    /// ```
    /// use smithereens_planar::{Aabb, Convex, Mass};
    /// use glam::DVec2;
    /// let half = |x: f64| Convex::from_box(&Aabb::new(DVec2::new(x, 0.0), DVec2::new(x + 1.0, 1.0))).mass();
    /// let whole = Mass::sum([half(0.0), half(1.0)].iter());
    /// assert_eq!((whole.area, whole.center), (2.0, DVec2::new(1.0, 0.5)));
    /// assert!((whole.inertia - 2.0 * (4.0 + 1.0) / 12.0).abs() < 1e-12);
    /// ```
    pub fn sum<'a>(masses: impl Iterator<Item = &'a Mass> + Clone) -> Mass {
        let area: f64 = masses.clone().map(|m| m.area).sum();
        let Some(origin) = masses.clone().next().map(|m| m.center) else { return Mass::default() };
        if area == 0.0 {
            return Mass { center: origin, ..Mass::default() };
        }
        let moment: DVec2 = masses.clone().map(|m| (m.center - origin) * m.area).sum();
        let center = origin + moment / area;
        let inertia = masses.map(|m| m.inertia + m.area * m.center.distance_squared(center)).sum();
        Mass { area, center, inertia }
    }
}
