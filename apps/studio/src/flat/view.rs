//! What part of the plane is seen: from metres to points of the screen and back.

use eframe::egui::{Pos2, Rect, Vec2};
use glam::DVec2;
use smithereens_planar::Aabb;

/// The least and the most points that a metre takes.
const SCALES: std::ops::RangeInclusive<f64> = 1e-3..=1e5;

/// A place in the plane in the middle of the canvas, and how large all is. In the plane y is up.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct View {
    /// What is in the middle.
    pub middle: DVec2,
    /// How many points of the screen a metre takes.
    pub scale: f64,
    /// Where it is drawn.
    pub canvas: Rect,
}

impl View {
    /// A view that shows all of a box, with a margin.
    pub fn of(bounds: &Aabb, canvas: Rect) -> View {
        let room = DVec2::new(f64::from(canvas.width()), f64::from(canvas.height())) * 0.92;
        let size = bounds.size().max(DVec2::splat(1e-6));
        let scale = (room / size).min_element().clamp(*SCALES.start(), *SCALES.end());
        View { middle: bounds.center(), scale, canvas }
    }

    /// Where a place is seen.
    pub fn screen_from_plane(&self, place: DVec2) -> Pos2 {
        let away = (place - self.middle) * self.scale;
        self.canvas.center() + Vec2::new(away.x as f32, -away.y as f32)
    }

    /// The place that is seen there.
    pub fn plane_from_screen(&self, seen: Pos2) -> DVec2 {
        let away = seen - self.canvas.center();
        self.middle + DVec2::new(f64::from(away.x), -f64::from(away.y)) / self.scale
    }

    /// How long a length of the plane is on the screen.
    pub fn length(&self, length: f64) -> f32 {
        (length * self.scale) as f32
    }

    /// How long something on the screen is in the plane.
    pub fn points(&self, points: f32) -> f64 {
        f64::from(points) / self.scale
    }

    /// What is in the canvas.
    pub fn bounds(&self) -> Aabb {
        Aabb::around([
            self.plane_from_screen(self.canvas.left_bottom()),
            self.plane_from_screen(self.canvas.right_top()),
        ])
    }

    /// Moves what is seen along with the pointer.
    pub fn pan(&mut self, by: Vec2) {
        self.middle -= DVec2::new(f64::from(by.x), -f64::from(by.y)) / self.scale;
    }

    /// Makes all larger about a place on the screen, which stays where it is.
    pub fn zoom(&mut self, about: Pos2, factor: f32) {
        let held = self.plane_from_screen(about);
        self.scale = (self.scale * f64::from(factor)).clamp(*SCALES.start(), *SCALES.end());
        self.middle += held - self.plane_from_screen(about);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn view() -> View {
        View::of(&Aabb::square(2.0), Rect::from_min_size(Pos2::new(100.0, 50.0), Vec2::new(800.0, 400.0)))
    }

    #[test]
    fn what_is_seen_is_where_it_was() {
        let view = view();
        for place in [DVec2::ZERO, DVec2::new(1.5, -0.25), DVec2::new(-2.0, 2.0)] {
            assert!(view.plane_from_screen(view.screen_from_plane(place)).distance(place) < 1e-5);
            assert!(view.canvas.contains(view.screen_from_plane(place)));
        }
        assert!(view.screen_from_plane(DVec2::Y).y < view.screen_from_plane(DVec2::ZERO).y, "y is up");
    }

    #[test]
    fn what_is_under_the_pointer_stays_there() {
        let mut view = view();
        let pointer = Pos2::new(300.0, 100.0);
        let before = view.plane_from_screen(pointer);
        view.zoom(pointer, 3.0);
        assert!(view.plane_from_screen(pointer).distance(before) < 1e-6);
        view.pan(Vec2::new(10.0, -20.0));
        assert!(view.plane_from_screen(pointer + Vec2::new(10.0, -20.0)).distance(before) < 1e-6);
        view.zoom(pointer, 0.0);
        assert!(view.plane_from_screen(pointer).is_finite());
    }
}
