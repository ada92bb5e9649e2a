//! Where a ray meets a surface: its colour, its normals, and how it shines.

use glam::{Vec2, Vec3};

use crate::Material;
use crate::grain::turbulence;
use crate::ray::Hit;
use crate::scene::Triangle;

/// A point of a surface, ready to be lit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Point {
    /// Where rays to the light start: on the smooth surface that the flat triangles stand for.
    pub lifted: Vec3,
    /// The triangle's normal, on the viewer's side.
    pub facing: Vec3,
    /// The smooth, grainy normal.
    pub normal: Vec3,
    pub color: Vec3,
    pub roughness: f32,
    pub reflectance: f32,
}

impl Point {
    pub fn new(triangle: &Triangle, material: &Material, hit: &Hit, view: Vec3) -> Point {
        let [a, b, c] = triangle.corners;
        let position = blend(triangle.corners, hit.weights);
        let flat = (b - a).cross(c - a).normalize();
        let facing = if flat.dot(view) > 0.0 { -flat } else { flat };
        let mut point = Point {
            lifted: position,
            facing,
            normal: facing,
            color: material.base_color.into(),
            roughness: material.roughness.clamp(0.0, 1.0),
            reflectance: material.reflectance,
        };
        if let Some(normals) = triangle.normals {
            point.smooth(triangle, normals, hit.weights, view);
        }
        if let Some(texture) = &material.texture {
            let [p, q, r] = triangle.uvs;
            let uv: Vec2 = p * hit.weights[0] + q * hit.weights[1] + r * hit.weights[2];
            point.color *= texture.sample(uv.x, uv.y);
        }
        if let Some(grain) = material.grain.filter(|grain| grain.size > 0.0) {
            let (value, gradient) = turbulence(position / grain.size);
            point.color *= (1.0 + grain.contrast * value).max(0.0);
            let across = gradient - point.normal * gradient.dot(point.normal);
            point.tilt(point.normal - across * grain.bump, view);
        }
        point
    }

    /// Takes the normal of the smooth surface, and starts light rays on it: flat triangles of a coarse mesh would else
    /// throw hard-edged shadows on themselves where light grazes (Hanika, "Hacking the Shadow Terminator", 2021).
    fn smooth(&mut self, triangle: &Triangle, normals: [Vec3; 3], weights: [f32; 3], view: Vec3) {
        let mixed = blend(normals, weights);
        let side = if mixed.dot(self.facing) < 0.0 { -1.0 } else { 1.0 };
        let position = self.lifted;
        for i in 0..3 {
            let normal = normals[i] * side;
            let below = (position - triangle.corners[i]).dot(normal).min(0.0);
            self.lifted -= normal * (weights[i] * below);
        }
        self.tilt(mixed * side, view);
    }

    /// Takes a normal, bent back so far that the viewer does not look at its rear.
    fn tilt(&mut self, normal: Vec3, view: Vec3) {
        let Some(normal) = normal.try_normalize() else { return };
        let away = normal.dot(view).max(0.0);
        self.normal = (normal - view * (away * 1.001)).normalize_or(self.facing);
    }
}

/// The sun's mirror image on a rough surface: GGX distribution, Schlick's Fresnel, Hammon's visibility.
pub(crate) fn highlight(point: &Point, eye: Vec3, sun: Vec3) -> f32 {
    let Some(half) = (eye + sun).try_normalize() else { return 0.0 };
    let alpha = (point.roughness * point.roughness).max(0.01);
    let (n_half, n_eye, n_sun) =
        (point.normal.dot(half), point.normal.dot(eye).max(0.01), point.normal.dot(sun));
    let spread = n_half * n_half * (alpha * alpha - 1.0) + 1.0;
    let distribution = alpha * alpha / (spread * spread);
    let visibility = 0.5 / (2.0 * n_sun.max(0.0) * n_eye * (1.0 - alpha) + (n_sun.max(0.0) + n_eye) * alpha);
    // The π of the distribution is in the unit of light.
    distribution * visibility * schlick(point.reflectance, eye.dot(half))
}

/// Schlick's approximation of how reflection grows towards grazing angles.
pub(crate) fn schlick(reflectance: f32, cosine: f32) -> f32 {
    let rest = 1.0 - cosine.clamp(0.0, 1.0);
    let square = rest * rest;
    reflectance + (1.0 - reflectance) * square * square * rest
}

fn blend(values: [Vec3; 3], weights: [f32; 3]) -> Vec3 {
    values[0] * weights[0] + values[1] * weights[1] + values[2] * weights[2]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bent() -> Triangle {
        let corners = [Vec3::ZERO, Vec3::X, Vec3::Y];
        let normals = [Vec3::new(-0.3, -0.3, 1.0), Vec3::new(0.5, 0.0, 1.0), Vec3::new(0.0, 0.5, 1.0)];
        Triangle {
            corners,
            normals: Some(normals.map(Vec3::normalize)),
            uvs: Default::default(),
            material: 0,
        }
    }

    fn middle() -> Hit {
        Hit { distance: 1.0, triangle: 0, weights: [0.25, 0.375, 0.375] }
    }

    #[test]
    fn light_rays_start_above_a_bulging_triangle_and_on_a_flat_one() {
        let point = Point::new(&bent(), &Material::default(), &middle(), Vec3::NEG_Z);
        assert!(point.lifted.z > 0.01);
        let flat = Triangle { normals: None, ..bent() };
        assert_eq!(Point::new(&flat, &Material::default(), &middle(), Vec3::NEG_Z).lifted.z, 0.0);
    }

    #[test]
    fn normals_face_the_viewer_from_either_side() {
        for view in [Vec3::Z, Vec3::NEG_Z, Vec3::new(0.99, 0.0, 0.1), Vec3::new(-0.99, 0.0, -0.1)] {
            let stone = Material::stone([0.5; 3], 1.0);
            let point = Point::new(&bent(), &stone, &middle(), view.normalize());
            assert!(point.facing.dot(view) < 0.0 && point.normal.dot(view) <= 1e-3, "{view}");
        }
    }
}
