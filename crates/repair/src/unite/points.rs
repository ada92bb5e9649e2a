//! Points where edges pierce triangles and chords cross, as exact fractions: each is made once, and is one number.

use std::cmp::Ordering;
use std::collections::HashMap;

use glam::DVec3;
use num_bigint::{BigInt, Sign};
use num_integer::Integer;
use num_traits::{One, Signed, ToPrimitive, Zero};

use super::grid::{self, Place};

/// A point as a fraction in lowest terms: three numerators and a positive denominator.
type Fraction = [BigInt; 4];

/// All points: the vertices first, then what was made. No vertex may come after.
#[derive(Debug, Default)]
pub(super) struct Points {
    places: Vec<Place>,
    made: Vec<Fraction>,
    /// About where each is, in steps: right to `ROUNDING`.
    near: Vec<DVec3>,
    // Only looked up in, never walked through: their order does not matter.
    vertices: HashMap<Place, u32>,
    known: HashMap<Fraction, u32>,
    pierced: HashMap<(u32, u32, u32), u32>,
}

/// What a coordinate in [`Points::near`] may be wrong by: two roundings of a number below 2^39.
const ROUNDING: f64 = 1.0 / 4096.0;

impl Points {
    /// The vertex at a place, and whether it is new.
    pub fn vertex(&mut self, place: Place) -> (u32, bool) {
        let next = self.places.len() as u32;
        let number = *self.vertices.entry(place).or_insert(next);
        if number == next {
            self.places.push(place);
            self.near.push(DVec3::from_array(place.map(|x| x as f64)));
        }
        (number, number == next)
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.near.len()
    }

    /// The place of a vertex.
    pub fn place(&self, vertex: u32) -> Place {
        self.places[vertex as usize]
    }

    /// About where a point is, in steps.
    pub fn near(&self, point: u32) -> DVec3 {
        self.near[point as usize]
    }

    fn fraction(&self, point: u32) -> Fraction {
        match self.places.get(point as usize) {
            Some(place) => {
                let [x, y, z] = place.map(BigInt::from);
                [x, y, z, BigInt::one()]
            }
            None => self.made[point as usize - self.places.len()].clone(),
        }
    }

    fn made(&mut self, fraction: Fraction) -> u32 {
        let fraction = reduced(fraction);
        if fraction[3].is_one() {
            let place = [0, 1, 2].map(|k| fraction[k].to_i64().unwrap_or(i64::MAX));
            if let Some(&vertex) = self.vertices.get(&place) {
                return vertex;
            }
        }
        if let Some(&known) = self.known.get(&fraction) {
            return known;
        }
        let number = self.near.len() as u32;
        let number_of = |k: usize| fraction[k].to_f64().unwrap_or(0.0);
        self.near.push(DVec3::new(number_of(0), number_of(1), number_of(2)) / number_of(3));
        self.known.insert(fraction.clone(), number);
        self.made.push(fraction);
        number
    }

    /// Where an edge goes through the plane of a triangle that parts its ends, by `before` and `after`: the volumes between
    /// the triangle and either end.
    pub fn pierce(&mut self, [from, to]: [u32; 2], triangle: u32, [before, after]: [i128; 2]) -> u32 {
        let key = (from.min(to), from.max(to), triangle);
        if let Some(&known) = self.pierced.get(&key) {
            return known;
        }
        let (p, q) = (self.place(from), self.place(to));
        let (share, whole) = (BigInt::from(before), BigInt::from(before - after));
        let along = |k: usize| BigInt::from(p[k]) * &whole + &share * BigInt::from(q[k] - p[k]);
        let point = self.made([along(0), along(1), along(2), whole]);
        self.pierced.insert(key, point);
        point
    }

    /// Where two lines in the plane of a triangle cross.
    pub fn cross(&mut self, a: [u32; 2], b: [u32; 2], triangle: [Place; 3]) -> u32 {
        let normal = grid::normal(triangle);
        let [i, j] = grid::kept_axes(normal);
        let k = 3 - i - j;
        let line = |ends: [u32; 2]| {
            let [p, q] = ends.map(|e| self.fraction(e)).map(|f| [f[i].clone(), f[j].clone(), f[3].clone()]);
            cross(&p, &q)
        };
        let [u, v, w] = cross(&line(a), &line(b));
        let normal = normal.map(BigInt::from);
        let offset: BigInt = (0..3).map(|k| &normal[k] * BigInt::from(triangle[0][k])).sum();
        let mut point = [const { BigInt::ZERO }; 4];
        point[k] = offset * &w - &normal[i] * &u - &normal[j] * &v;
        point[i] = u * &normal[k];
        point[j] = v * &normal[k];
        point[3] = w * &normal[k];
        self.made(point)
    }

    /// Which way three points turn, seen along two axes: 1 if counter-clockwise, 0 if they are in line. Exact.
    pub fn turn(&self, [i, j]: [usize; 2], a: u32, b: u32, c: u32) -> i32 {
        let [p, q, r] = [a, b, c].map(|point| self.near(point));
        let (u, v) = (q - p, r - p);
        let (left, right) = (u[i] * v[j], u[j] * v[i]);
        let sizes = u[i].abs() + u[j].abs() + v[i].abs() + v[j].abs();
        let doubt = 4.0 * ROUNDING * (sizes + ROUNDING) + 4.0 * f64::EPSILON * (left.abs() + right.abs());
        if (left - right).abs() > doubt {
            return if left > right { 1 } else { -1 };
        }
        if [a, b, c].iter().all(|&point| (point as usize) < self.places.len()) {
            return grid::area([i, j], self.place(a), self.place(b), self.place(c)).signum() as i32;
        }
        let [p, q, r] = [a, b, c].map(|point| self.fraction(point));
        let flat = |f: &Fraction| [f[i].clone(), f[j].clone(), f[3].clone()];
        let normal = cross(&flat(&p), &flat(&q));
        sign(&(&normal[0] * &r[i] + &normal[1] * &r[j] + &normal[2] * &r[3]))
    }

    /// The order of two points along an axis. Exact.
    pub fn order(&self, axis: usize, a: u32, b: u32) -> Ordering {
        let (p, q) = (self.near(a)[axis], self.near(b)[axis]);
        if (p - q).abs() > 2.0 * ROUNDING {
            return p.total_cmp(&q);
        }
        let (p, q) = (self.fraction(a), self.fraction(b));
        (&p[axis] * &q[3]).cmp(&(&q[axis] * &p[3]))
    }

    /// A vector from one point to another, of any length. Exact.
    pub fn direction(&self, from: u32, to: u32) -> [BigInt; 3] {
        let (p, q) = (self.fraction(from), self.fraction(to));
        std::array::from_fn(|k| &q[k] * &p[3] - &p[k] * &q[3])
    }
}

/// The sign of a number: -1, 0, 1.
pub(super) fn sign(number: &BigInt) -> i32 {
    match number.sign() {
        Sign::Minus => -1,
        Sign::NoSign => 0,
        Sign::Plus => 1,
    }
}

/// The cross product.
pub(super) fn cross(a: &[BigInt; 3], b: &[BigInt; 3]) -> [BigInt; 3] {
    let component = |i: usize, j: usize| &a[i] * &b[j] - &a[j] * &b[i];
    [component(1, 2), component(2, 0), component(0, 1)]
}

/// In lowest terms, with a positive denominator, so that equal points are equal numbers.
fn reduced(mut fraction: Fraction) -> Fraction {
    let mut divisor = fraction[3].abs();
    for numerator in &fraction[..3] {
        if !numerator.is_zero() && !divisor.is_one() {
            divisor = divisor.gcd(numerator);
        }
    }
    if fraction[3].is_negative() {
        divisor = -divisor;
    }
    if !divisor.is_one() {
        fraction.iter_mut().for_each(|number| *number /= &divisor);
    }
    fraction
}

#[cfg(test)]
mod tests {
    use super::*;

    const FLAT: [Place; 3] = [[0, 0, 0], [9, 0, 0], [0, 9, 0]];

    #[test]
    fn a_point_is_one_number_whichever_way_it_is_made() {
        let mut points = Points::default();
        let [a, b, c, d, e, f] = [[1, 2, -7], [1, 2, 3], [0, 1, 0], [3, 4, 0], [1, 0, 0], [1, 5, 0]]
            .map(|place| points.vertex(place).0);
        let sides = [a, b].map(|v| grid::volume(FLAT, points.place(v)));
        let pierced = points.pierce([a, b], 0, sides);
        assert_eq!(points.near(pierced), DVec3::new(1.0, 2.0, 0.0));
        assert_eq!(points.cross([c, d], [e, f], FLAT), pierced);
        assert_eq!(points.turn([0, 1], c, pierced, d), 0);
        assert_eq!(points.turn([0, 1], c, pierced, e), -1);
        assert_eq!(points.order(1, pierced, c), Ordering::Greater);
    }
}
