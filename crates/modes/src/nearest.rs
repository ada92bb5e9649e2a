//! Which of many points is nearest to a place.

use glam::DVec3;

/// Points in boxes of about two each.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Nearest {
    points: Vec<DVec3>,
    origin: DVec3,
    size: f64,
    counts: [i64; 3],
    /// Where the points of each box start in `order`.
    starts: Vec<u32>,
    order: Vec<u32>,
}

/// Boxes along an axis at most: beyond, empty ones would cost more than they save.
const MOST_BOXES: f64 = 256.0;

impl Nearest {
    /// Points must be finite.
    pub fn new(points: Vec<DVec3>) -> Nearest {
        let [low, high] =
            points.iter().fold([DVec3::INFINITY, DVec3::NEG_INFINITY], |[low, high], &point| {
                [low.min(point), high.max(point)]
            });
        let extent = (high - low).max(DVec3::ZERO);
        let longest = extent.max_element().max(f64::MIN_POSITIVE);
        // A flat or long cloud has fewer dimensions to spread over.
        let room = extent.max(DVec3::splat(longest * 1e-3)).element_product();
        let size = libm::cbrt(room * 2.0 / points.len().max(1) as f64).max(longest / MOST_BOXES);
        let counts = (extent / size).to_array().map(|along| along as i64 + 1);
        let mut nearest =
            Nearest { points, origin: low, size, counts, starts: Vec::new(), order: Vec::new() };
        nearest.sort_into_boxes();
        nearest
    }

    fn sort_into_boxes(&mut self) {
        let boxes: Vec<usize> = self.points.iter().map(|&p| self.number(self.box_at(p))).collect();
        let all = self.counts.iter().product::<i64>() as usize;
        self.starts = vec![0; all + 1];
        boxes.iter().for_each(|&index| self.starts[index + 1] += 1);
        (0..all).for_each(|index| self.starts[index + 1] += self.starts[index]);
        let mut next = self.starts.clone();
        self.order = vec![0; boxes.len()];
        for (point, &index) in (0..).zip(&boxes) {
            self.order[next[index] as usize] = point;
            next[index] += 1;
        }
    }

    fn box_at(&self, place: DVec3) -> [i64; 3] {
        let along = ((place - self.origin) / self.size).to_array();
        std::array::from_fn(|axis| (along[axis].floor() as i64).clamp(0, self.counts[axis] - 1))
    }

    fn number(&self, [x, y, z]: [i64; 3]) -> usize {
        ((z * self.counts[1] + y) * self.counts[0] + x) as usize
    }

    /// The points.
    pub fn points(&self) -> &[DVec3] {
        &self.points
    }

    /// The nearest of the points that are wanted, the first of equals; `None` if there is none.
    pub fn find(&self, place: DVec3, is_wanted: impl Fn(u32) -> bool) -> Option<u32> {
        let middle = self.box_at(place);
        let mut best: Option<(f64, u32)> = None;
        for ring in 0..=self.counts.into_iter().max().unwrap_or(0) {
            self.look(middle, ring, |point| {
                let far = self.points[point as usize].distance_squared(place);
                if best.is_none_or(|known| (far, point) < known) && is_wanted(point) {
                    best = Some((far, point));
                }
            });
            // What is left is in boxes at least so far away.
            let reach = ring as f64 * self.size;
            if best.is_some_and(|(far, _)| far <= reach * reach) {
                break;
            }
        }
        best.map(|(_, point)| point)
    }

    /// All points no farther from a place than a reach, with the squares of how far they are.
    pub fn within(&self, place: DVec3, reach: f64, mut see: impl FnMut(u32, f64)) {
        let [low, high] = [place - reach, place + reach].map(|corner| self.box_at(corner));
        for (z, y) in (low[2]..=high[2]).flat_map(|z| (low[1]..=high[1]).map(move |y| (z, y))) {
            let [first, last] = [low[0], high[0]].map(|x| self.number([x, y, z]));
            for &point in &self.order[self.starts[first] as usize..self.starts[last + 1] as usize] {
                let squared = self.points[point as usize].distance_squared(place);
                if squared <= reach * reach {
                    see(point, squared);
                }
            }
        }
    }

    /// The points in boxes so many boxes away.
    fn look(&self, middle: [i64; 3], ring: i64, mut see: impl FnMut(u32)) {
        let range =
            |axis: usize| (middle[axis] - ring).max(0)..=(middle[axis] + ring).min(self.counts[axis] - 1);
        for z in range(2) {
            for y in range(1) {
                let is_side = (z - middle[2]).abs() == ring || (y - middle[1]).abs() == ring;
                let mut see_box = |x: i64| {
                    let index = self.number([x, y, z]);
                    let list = self.starts[index] as usize..self.starts[index + 1] as usize;
                    self.order[list].iter().for_each(|&point| see(point));
                };
                if is_side {
                    range(0).for_each(&mut see_box);
                } else {
                    let ends = [middle[0] - ring, middle[0] + ring];
                    ends.into_iter().filter(|x| range(0).contains(x)).for_each(&mut see_box);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};

    #[test]
    fn the_nearest_is_found_wherever_one_asks() {
        let mut random = rand_pcg::Pcg64Mcg::seed_from_u64(3);
        for (count, flat) in [(1, 1.0), (2, 0.0), (40, 1.0), (700, 1e-6), (700, 1.0), (50, 0.0)] {
            let mut draw = |reach: f64| {
                let mut one = || (random.random::<f64>() * 2.0 - 1.0) * reach;
                DVec3::new(one(), one() * flat, one())
            };
            let points: Vec<DVec3> = (0..count).map(|_| draw(1.0)).collect();
            let nearest = Nearest::new(points.clone());
            for _ in 0..300 {
                let place = draw(1.5) + DVec3::Y * draw(1.5).x;
                for least in [0, count / 2] {
                    let far = |&p: &u32| points[p as usize].distance_squared(place).to_bits();
                    let expected = (least..count).min_by_key(far);
                    assert_eq!(nearest.find(place, |point| point >= least), expected);
                }
            }
        }
    }
}
