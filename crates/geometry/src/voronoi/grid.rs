//! Points sorted into boxes, to find those near a place.

use glam::DVec3;
use rayon::prelude::*;

use crate::Aabb;

/// Points sorted into boxes.
pub(super) struct PointGrid {
    min: DVec3,
    pub pitch: f64,
    pub size: [i32; 3],
    starts: Vec<u32>,
    /// Points and their indices, box after box.
    points: Vec<(DVec3, u32)>,
}

const POINTS_PER_BOX: f64 = 3.0;
const MOST_BOXES_PER_POINT: f64 = 8.0;

impl PointGrid {
    pub fn new(points: &[DVec3]) -> PointGrid {
        let boxes = (points.len() as f64 / POINTS_PER_BOX).max(1.0);
        let grid = PointGrid::with_boxes(points, boxes);
        // Points that crowd in a part of the box, as seeds in a thin solid do, want smaller boxes.
        let crowding = grid.crowding() / (POINTS_PER_BOX + 1.0);
        if crowding < 2.0 {
            return grid;
        }
        PointGrid::with_boxes(points, boxes * crowding.min(MOST_BOXES_PER_POINT * POINTS_PER_BOX))
    }

    fn with_boxes(points: &[DVec3], boxes: f64) -> PointGrid {
        let all = Aabb::of_points(points.iter().copied());
        let extent = if all.extent() > 0.0 { all.extent() } else { 1.0 };
        let size = all.size().max(DVec3::splat(extent * 1e-3)); // flat sets have a little depth
        let pitch = (size.element_product() / boxes).cbrt();
        let counts = (size / pitch).ceil().max(DVec3::ONE);
        let mut grid = PointGrid {
            min: all.min,
            pitch,
            size: counts.to_array().map(|c| c as i32),
            starts: Vec::new(),
            points: Vec::new(),
        };
        grid.sort(points);
        grid
    }

    /// Whether each point is the first of those within `hair` of it.
    pub fn first_of_each(&self, points: &[DVec3], hair: f64) -> Vec<bool> {
        let is_first = |(index, &point): (usize, &DVec3)| {
            let (low, high) = (self.place(point - hair), self.place(point + hair));
            !(low[2]..=high[2]).any(|z| {
                (low[1]..=high[1]).any(|y| {
                    (low[0]..=high[0]).any(|x| {
                        let mut near = self.points_in([x, y, z]).iter();
                        near.any(|&(p, i)| (i as usize) < index && p.distance_squared(point) <= hair * hair)
                    })
                })
            })
        };
        points.par_iter().enumerate().with_min_len(1024).map(is_first).collect()
    }

    pub fn points_in(&self, place: [i32; 3]) -> &[(DVec3, u32)] {
        self.points_in_row(place, 1)
    }

    /// The points in some boxes, from a place on along x.
    pub fn points_in_row(&self, place: [i32; 3], boxes: usize) -> &[(DVec3, u32)] {
        let first = self.box_of(place);
        &self.points[self.starts[first] as usize..self.starts[first + boxes] as usize]
    }

    /// With how many points a point shares its box, itself included, on average.
    fn crowding(&self) -> f64 {
        let squares: f64 = self.starts.windows(2).map(|w| f64::from(w[1] - w[0]).powi(2)).sum();
        squares / self.points.len().max(1) as f64
    }

    fn sort(&mut self, points: &[DVec3]) {
        let boxes: usize = self.size.iter().map(|&s| s as usize).product();
        let index: Vec<u32> = points.iter().map(|&p| self.box_of(self.place(p)) as u32).collect();
        self.starts = vec![0; boxes + 1];
        index.iter().for_each(|&b| self.starts[b as usize + 1] += 1);
        for b in 0..boxes {
            self.starts[b + 1] += self.starts[b];
        }
        let mut next = self.starts.clone();
        self.points = vec![(DVec3::ZERO, 0); points.len()];
        for (i, &b) in index.iter().enumerate() {
            self.points[next[b as usize] as usize] = (points[i], i as u32);
            next[b as usize] += 1;
        }
    }

    /// A point in units of the boxes.
    pub fn coordinates(&self, point: DVec3) -> DVec3 {
        (point - self.min) / self.pitch
    }

    pub fn place(&self, point: DVec3) -> [i32; 3] {
        let at = self.coordinates(point);
        std::array::from_fn(|axis| (at[axis] as i32).clamp(0, self.size[axis] - 1))
    }

    fn box_of(&self, place: [i32; 3]) -> usize {
        ((place[2] * self.size[1] + place[1]) * self.size[0] + place[0]) as usize
    }
}
