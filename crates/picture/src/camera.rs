//! Cameras: where the eye is, and the ray through each point of the picture.

use glam::Vec3;

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
const FILL: f32 = 0.86;

impl Camera {
    /// A camera that looks along `direction` and has the whole box in the picture, with some air around it.
    /// `aspect` is width over height.
    ///
    /// ```
    /// use glam::{Vec3, vec3};
    /// use smithereens_picture::Camera;
    /// let camera = Camera::framing(Vec3::ZERO, Vec3::ONE, vec3(-1.0, -0.5, -2.0), Vec3::Y, 16.0 / 9.0);
    /// assert_eq!(camera.target, Vec3::splat(0.5));
    /// ```
    pub fn framing(min: Vec3, max: Vec3, direction: Vec3, up: Vec3, aspect: f32) -> Camera {
        let mut camera = Camera { up, ..Camera::default() };
        let forward = direction.try_normalize().unwrap_or(Vec3::NEG_Z);
        camera.up = if up.cross(forward).length_squared() > 1e-6 * up.length_squared() {
            up
        } else {
            forward.any_orthonormal_vector()
        };
        camera.target = (min + max) * 0.5;
        camera.eye = camera.target - forward;
        let Ok(view) = camera.view(aspect) else { return camera };
        let corners =
            (0..8).map(|i| Vec3::select(glam::BVec3::new(i & 1 > 0, i & 2 > 0, i & 4 > 0), min, max));
        let distance = corners.map(|corner| view.distance_to_fit(corner - camera.target)).fold(0.0, f32::max);
        camera.eye = camera.target - forward * if distance > 0.0 { distance } else { 1.0 };
        camera
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

    fn distance_to_fit(&self, offset: Vec3) -> f32 {
        let across = offset.dot(self.right).abs() / (self.half_width * FILL);
        let upward = offset.dot(self.up).abs() / (self.half_height * FILL);
        across.max(upward) - offset.dot(self.forward)
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
                    let corner = Vec3::select(glam::BVec3::new(i & 1 > 0, i & 2 > 0, i & 4 > 0), min, max);
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
