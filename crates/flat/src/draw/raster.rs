//! From paths to pixels: how much of each pixel a path covers, exactly.
//!
//! Every edge adds, to the pixels it goes through, the signed area between it and their right sides; a running sum along the row is the cover then (as in
//! Levien's font-rs). Only sums, products and square roots: the same bytes on every machine.

use std::f64::consts::FRAC_1_SQRT_2;

use glam::DVec2;

use super::image::Image;
use super::picture::{Ink, Mark, Picture};

impl Picture {
    /// The picture in pixels.
    pub fn image(&self) -> Image {
        let mut canvas = Canvas::new(self.size, self.background);
        for mark in &self.marks {
            match mark {
                Mark::Fill { loops, ink } => {
                    loops.iter().for_each(|points| canvas.add_loop(points));
                    canvas.paint(*ink);
                }
                Mark::Stroke { lines, width, ink } => {
                    lines.iter().for_each(|points| canvas.add_line(points, *width));
                    canvas.paint(*ink);
                }
            }
        }
        canvas.image()
    }
}

/// Corners of the round end of a line.
const ROUND: [DVec2; 8] = [
    DVec2::new(1.0, 0.0),
    DVec2::new(FRAC_1_SQRT_2, FRAC_1_SQRT_2),
    DVec2::new(0.0, 1.0),
    DVec2::new(-FRAC_1_SQRT_2, FRAC_1_SQRT_2),
    DVec2::new(-1.0, 0.0),
    DVec2::new(-FRAC_1_SQRT_2, -FRAC_1_SQRT_2),
    DVec2::new(0.0, -1.0),
    DVec2::new(FRAC_1_SQRT_2, -FRAC_1_SQRT_2),
];
/// Lines thinner than this, in pixels, have no round corners: nobody sees them.
const THIN: f64 = 1.6;

struct Canvas {
    width: usize,
    height: usize,
    colours: Vec<[f32; 3]>,
    /// Changes of cover along each row.
    changes: Vec<f64>,
    /// The pixels that the path may touch: columns and rows.
    from: [usize; 2],
    to: [usize; 2],
}

impl Canvas {
    fn new(size: [u32; 2], background: [[f32; 3]; 2]) -> Canvas {
        let [width, height] = size.map(|pixels| pixels as usize);
        let mut colours = Vec::with_capacity(width * height);
        for row in 0..height {
            let part = (row as f32 + 0.5) / height as f32;
            let [top, bottom] = background;
            let mix = |i: usize| top[i] + (bottom[i] - top[i]) * part;
            colours.extend(std::iter::repeat_n([mix(0), mix(1), mix(2)], width));
        }
        let changes = vec![0.0; (width + 2) * height];
        Canvas { width, height, colours, changes, from: [width, height], to: [0, 0] }
    }

    fn add_loop(&mut self, points: &[DVec2]) {
        if !points.iter().all(|point| point.is_finite()) {
            return;
        }
        for (index, &a) in points.iter().enumerate() {
            self.add_edge(a, points[(index + 1) % points.len()]);
        }
    }

    /// A line as a box a segment, and a disc a corner; all run the same way round, so that they add up to more than one at most.
    fn add_line(&mut self, points: &[DVec2], width: f64) {
        let half = width * 0.5;
        for pair in points.windows(2) {
            let Some(way) = (pair[1] - pair[0]).try_normalize() else { continue };
            let side = way.perp() * half;
            self.add_loop(&[pair[0] - side, pair[1] - side, pair[1] + side, pair[0] + side]);
        }
        if width > THIN {
            for &point in points {
                let corners: Vec<DVec2> = ROUND.iter().map(|way| point + *way * half).collect();
                self.add_loop(&corners);
            }
        }
    }

    fn add_edge(&mut self, a: DVec2, b: DVec2) {
        if a.y == b.y {
            return;
        }
        let (sign, top, bottom) = if a.y < b.y { (1.0, a, b) } else { (-1.0, b, a) };
        let (height, width) = (self.height as f64, self.width as f64);
        if bottom.y <= 0.0 || top.y >= height {
            return;
        }
        let slope = (bottom.x - top.x) / (bottom.y - top.y);
        let first = top.y.max(0.0);
        let last = bottom.y.min(height);
        let rows = first as usize..(libm::ceil(last) as usize).min(self.height);
        for row in rows {
            let (low, high) = ((row as f64).max(first), (row as f64 + 1.0).min(last));
            if high <= low {
                continue;
            }
            let at = |y: f64| (top.x + (y - top.y) * slope).clamp(0.0, width);
            self.add_in_row(row, at(low), at(high), sign * (high - low));
        }
    }

    /// The part of an edge in one row: from one x to another, over so much of its height.
    fn add_in_row(&mut self, row: usize, x0: f64, x1: f64, height: f64) {
        let (left, right) = if x0 < x1 { (x0, x1) } else { (x1, x0) };
        let (first, last) = (left as usize, (libm::ceil(right) as usize).max(left as usize + 1));
        self.from = [self.from[0].min(first), self.from[1].min(row)];
        self.to = [self.to[0].max(last), self.to[1].max(row + 1)];
        let line = &mut self.changes[row * (self.width + 2)..(row + 1) * (self.width + 2)];
        if last == first + 1 {
            // Within one pixel: what is right of the middle.
            let cover = 1.0 - ((left + right) * 0.5 - first as f64);
            line[first] += height * cover;
            line[first + 1] += height * (1.0 - cover);
            return;
        }
        let per_pixel = height / (right - left);
        // The area to the right of the edge in each pixel it goes through; `before` is what pixels up to here have.
        let mut before = 0.0;
        for (pixel, change) in (first..last).zip(&mut line[first..last]) {
            let (from, to) = ((pixel as f64).max(left), (pixel as f64 + 1.0).min(right));
            let passed = (from - left) * per_pixel;
            let own = (to - from) * per_pixel;
            let cover = passed + own * (1.0 - ((from + to) * 0.5 - pixel as f64));
            // What was passed before covers the whole pixel; what is passed within it, the part to the right.
            *change += cover - before;
            before = cover;
        }
        line[last] += height - before;
    }

    /// Paints what was added, and forgets it.
    fn paint(&mut self, ink: Ink) {
        let columns = self.from[0]..(self.to[0] + 1).min(self.width + 2);
        for row in self.from[1]..self.to[1] {
            let line = &mut self.changes[row * (self.width + 2)..(row + 1) * (self.width + 2)];
            let mut cover = 0.0;
            for column in columns.clone() {
                cover += std::mem::take(&mut line[column]);
                if column >= self.width {
                    continue;
                }
                let part = (cover.abs().min(1.0)) as f32 * ink.cover;
                if part > 1e-4 {
                    let colour = &mut self.colours[row * self.width + column];
                    for (own, new) in colour.iter_mut().zip(ink.colour) {
                        *own += (new - *own) * part;
                    }
                }
            }
        }
        (self.from, self.to) = ([self.width, self.height], [0, 0]);
    }

    fn image(&self) -> Image {
        let byte = |x: f32| (x.clamp(0.0, 1.0) * 255.0 + 0.5) as u8;
        let pixels = self.colours.iter().map(|colour| colour.map(byte)).collect();
        Image::new([self.width as u32, self.height as u32], pixels)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The sum of what a path darkens, in pixels.
    fn area(mark: Mark) -> f64 {
        let mut picture = Picture::new([40, 30], [[1.0; 3]; 2]);
        picture.marks.push(mark);
        let image = picture.image();
        image.pixels().iter().map(|pixel| 1.0 - f64::from(pixel[0]) / 255.0).sum()
    }

    fn fill(loops: &[&[[f64; 2]]]) -> f64 {
        let loops = loops.iter().map(|points| points.iter().map(|&p| DVec2::from(p)).collect()).collect();
        area(Mark::Fill { loops, ink: Ink::black(1.0) })
    }

    #[test]
    fn a_path_covers_its_area() {
        let square: &[[f64; 2]] = &[[3.25, 4.5], [13.75, 4.5], [13.75, 20.25], [3.25, 20.25]];
        assert!((fill(&[square]) - 10.5 * 15.75).abs() < 0.3);
        let hole: &[[f64; 2]] = &[[5.0, 6.0], [5.0, 10.0], [9.0, 10.0], [9.0, 6.0]];
        assert!((fill(&[square, hole]) - (10.5 * 15.75 - 16.0)).abs() < 0.3);
        let flat: &[[f64; 2]] = &[[1.3, 2.2], [38.7, 5.9], [20.1, 6.4]];
        let twice = (38.7 - 1.3) * (6.4 - 2.2) - (5.9 - 2.2) * (20.1 - 1.3);
        assert!((fill(&[flat]) - twice / 2.0).abs() < 0.5, "{} {}", fill(&[flat]), twice / 2.0);
    }

    #[test]
    fn what_lies_outside_does_not_matter() {
        let wide: &[[f64; 2]] = &[[-100.0, -50.0], [500.0, -50.0], [500.0, 400.0], [-100.0, 400.0]];
        assert!((fill(&[wide]) - 1200.0).abs() < 1e-9);
        let half: &[[f64; 2]] = &[[-100.0, 10.0], [500.0, 10.0], [500.0, 400.0], [-100.0, 400.0]];
        assert!((fill(&[half]) - 800.0).abs() < 1e-9);
        assert_eq!(fill(&[&[[f64::NAN, 0.0], [3.0, 4.0], [5.0, 1.0]]]), 0.0);
    }

    #[test]
    fn a_line_is_as_wide_as_it_is_long() {
        let lines = vec![vec![DVec2::new(5.0, 5.0), DVec2::new(30.0, 20.0)]];
        let drawn = area(Mark::Stroke { lines, width: 1.5, ink: Ink::black(1.0) });
        assert!((drawn - 1.5 * 25.0f64.hypot(15.0)).abs() < 1.0, "{drawn}");
    }
}
