//! Cameras: where the eye is, and the ray through each point of the picture.

use glam::{BVec3, Vec2, Vec3};

use crate::Error;

/// A pinhole camera.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// Where the eye is.
    pub eye: Vec3,
    /// The point in the middle of the picture.
    pub target: Vec3,
    /// What points up in the picture.
    pub up: Vec3,
    /// The angle from the bottom to the top of the picture, in radians.
    pub vertical_fov: f32,
}

/// The share of the picture's half that [`Camera::framing`] fills.
const FILL: f32 = 0.84;

impl Camera {
    /// A camera that looks along `direction` and has the whole box in the picture, with some air around it.
    /// `aspect` is width over height.
    ///
    /// ```
    /// use glam::{Vec3, vec3};
    /// use smithereens_picture::Camera;
    /// let camera = Camera::framing(Vec3::ZERO, Vec3::ONE, vec3(-1.0, -0.5, -2.0), Vec3::Y, 16.0 / 9.0);
    /// assert!(camera.eye.z > 2.0);
    /// ```
    pub fn framing(min: Vec3, max: Vec3, direction: Vec3, up: Vec3, aspect: f32) -> Camera {
        let corners = (0..8).map(|i| Vec3::select(BVec3::new(i & 1 > 0, i & 2 > 0, i & 4 > 0), min, max));
        Camera::framing_points(corners, direction, up, aspect)
    }

    /// As [`Camera::framing`], but fits points, as closely as any camera in this direction can.
    pub fn framing_points(
        points: impl Iterator<Item = Vec3>,
        direction: Vec3,
        up: Vec3,
        aspect: f32,
    ) -> Camera {
        let forward = direction.try_normalize().unwrap_or(Vec3::NEG_Z);
        let across = up.cross(forward).length_squared() > 1e-6 * up.length_squared();
        let up = if across { up } else { forward.any_orthonormal_vector() };
        let camera = Camera { eye: -forward, target: Vec3::ZERO, up, ..Camera::default() };
        let Ok(view) = camera.view(aspect) else { return camera };
        let fit = points.fold(Fit::default(), |fit, point| fit.with(&view, point));
        let (eye, depth) = fit.eye_and_depth(&view);
        if !eye.is_finite() {
            return camera;
        }
        Camera { eye, target: eye + forward * depth, ..camera }
    }

    /// The camera with its axes worked out, for a picture of this width over height.
    pub(crate) fn view(&self, aspect: f32) -> Result<View, Error> {
        let unusable = Error::Camera { eye: self.eye, target: self.target };
        let forward = (self.target - self.eye).try_normalize();
        let right = forward.and_then(|f| f.cross(self.up).try_normalize());
        let (Some(forward), Some(right)) = (forward, right) else { return Err(unusable) };
        let half_height = libm::tanf(0.5 * self.vertical_fov);
        if !(half_height > 0.0 && half_height.is_finite() && aspect > 0.0 && self.eye.is_finite()) {
            return Err(unusable);
        }
        Ok(View {
            eye: self.eye,
            forward,
            right,
            up: right.cross(forward),
            half_width: half_height * aspect,
            half_height,
        })
    }
}

impl Default for Camera {
    /// Ten units away on +z, looking at the origin through a 30° lens.
    fn default() -> Camera {
        Camera { eye: Vec3::Z * 10.0, target: Vec3::ZERO, up: Vec3::Y, vertical_fov: 0.52 }
    }
}

/// A camera's orthonormal axes, and half the picture's size at distance 1.
#[derive(Clone, Copy, Debug)]
pub(crate) struct View {
    pub eye: Vec3,
    forward: Vec3,
    right: Vec3,
    up: Vec3,
    half_width: f32,
    half_height: f32,
}

impl View {
    /// The unit direction through a point of the picture: x from -1 (left) to 1, y from -1 (top) to 1.
    pub fn direction(&self, x: f32, y: f32) -> Vec3 {
        (self.forward + self.right * (x * self.half_width) - self.up * (y * self.half_height)).normalize()
    }

    /// Where a ball is seen, from -1 to 1, how far away it is, and its radius as a share of half the picture's height. None behind the eye.
    pub fn place(&self, point: Vec3, radius: f32) -> Option<(Vec2, f32, f32)> {
        let way = point - self.eye;
        let depth = way.dot(self.forward);
        let seen = radius / (depth * self.half_height);
        // What is all around the eye is no ball in front of it.
        let place =
            Vec2::new(way.dot(self.right) / self.half_width, -way.dot(self.up) / self.half_height) / depth;
        (depth > 0.2 * radius && seen < 20.0 && place.is_finite()).then(|| (place, way.length(), seen))
    }

    /// A direction as it lies in the picture: to the right, and down.
    pub fn plane(&self, direction: Vec3) -> Vec2 {
        Vec2::new(direction.dot(self.right), -direction.dot(self.up))
    }
}

/// How far points reach beyond each side of a picture taken from the origin, and how deep they lie.
///
/// A point is within the right border if `right - slope * depth` is at most that of the eye. So the farthest point for
/// each border is all that matters, and two opposite borders determine the eye.
struct Fit {
    right: f32,
    left: f32,
    top: f32,
    bottom: f32,
    nearest: f32,
    deepest: f32,
}

impl Default for Fit {
    fn default() -> Fit {
        let none = f32::NEG_INFINITY;
        Fit { right: none, left: none, top: none, bottom: none, nearest: f32::INFINITY, deepest: none }
    }
}

impl Fit {
    fn with(self, view: &View, point: Vec3) -> Fit {
        let (x, y, depth) = (point.dot(view.right), point.dot(view.up), point.dot(view.forward));
        let (wide, high) = (FILL * view.half_width * depth, FILL * view.half_height * depth);
        Fit {
            right: self.right.max(x - wide),
            left: self.left.max(-x - wide),
            top: self.top.max(y - high),
            bottom: self.bottom.max(-y - high),
            nearest: self.nearest.min(depth),
            deepest: self.deepest.max(depth),
        }
    }

    /// The closest eye that has all points in the picture, and how far from it their middle is.
    fn eye_and_depth(&self, view: &View) -> (Vec3, f32) {
        let back = (self.right + self.left) / (2.0 * FILL * view.half_width);
        let back = back.max((self.top + self.bottom) / (2.0 * FILL * view.half_height));
        let middle = 0.5 * (self.nearest + self.deepest);
        // A single point fits at any distance: stand one unit off.
        let depth = if middle + back > 0.0 { middle + back } else { 1.0 };
        let sideways = view.right * (0.5 * (self.right - self.left));
        let upward = view.up * (0.5 * (self.top - self.bottom));
        (sideways + upward + view.forward * (middle - depth), depth)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::vec3;

    #[test]
    fn framing_contains_the_box_and_fills_the_picture() {
        let (min, max) = (vec3(-3.0, 0.5, 2.0), vec3(1.0, 1.5, 9.0));
        for direction in [vec3(-1.0, -1.0, -1.0), Vec3::X, Vec3::NEG_Y, vec3(0.2, 3.0, -0.1)] {
            for aspect in [0.4, 1.0, 16.0 / 9.0] {
                let camera = Camera::framing(min, max, direction, Vec3::Y, aspect);
                let view = camera.view(aspect).unwrap();
                let mut reach: f32 = 0.0;
                for i in 0..8 {
                    let corner = Vec3::select(BVec3::new(i & 1 > 0, i & 2 > 0, i & 4 > 0), min, max);
                    let offset = corner - view.eye;
                    let depth = offset.dot(view.forward);
                    assert!(depth > 0.0);
                    reach = reach.max((offset.dot(view.right) / (depth * view.half_width)).abs());
                    reach = reach.max((offset.dot(view.up) / (depth * view.half_height)).abs());
                }
                assert!((0.8..=0.9).contains(&reach), "{direction} {aspect}: {reach}");
            }
        }
    }

    #[test]
    fn a_camera_without_direction_is_refused() {
        let blind = Camera { eye: Vec3::ZERO, target: Vec3::ZERO, ..Camera::default() };
        assert!(matches!(blind.view(1.0), Err(Error::Camera { .. })));
        let nowhere = Camera { eye: Vec3::NAN, ..Camera::default() };
        assert!(nowhere.view(1.0).is_err());
        let rolled = Camera { up: Vec3::Z, ..Camera::default() };
        assert!(rolled.view(1.0).is_err());
    }

    #[test]
    fn a_box_of_no_size_still_gives_a_camera() {
        assert!(Camera::framing(Vec3::ONE, Vec3::ONE, Vec3::NEG_Z, Vec3::Y, 1.5).view(1.5).is_ok());
    }
}
