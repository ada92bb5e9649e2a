//! Shapes that are prepared once and placed in many pictures.

use std::sync::Arc;

use glam::{Mat3, Quat, Vec3};

use crate::Surface;
use crate::plan::Plan;
use crate::scene::{Triangle, triangles_of};

/// Surfaces that move as one. What takes long, sorting their triangles into a tree, is done once, however many scenes they are
/// [placed](crate::Scene::place) in.
///
/// ```
/// use glam::{Quat, Vec3};
/// use smithereens_picture::{Scene, Shape, Surface};
/// let positions = [Vec3::ZERO, Vec3::X, Vec3::Y];
/// let shape = Shape::new([Surface { positions: &positions, indices: &[0, 1, 2], ..Surface::default() }]).into();
/// let mut scene = Scene::default();
/// scene.place(&shape, Quat::IDENTITY, Vec3::ZERO);
/// scene.place(&shape, Quat::IDENTITY, Vec3::Z);
/// assert_eq!(scene.triangle_count(), 2);
/// ```
#[derive(Clone, Debug)]
pub struct Shape {
    pub(crate) triangles: Vec<Triangle>,
    pub(crate) plan: Plan,
    /// How far it reaches from its origin.
    pub(crate) reach: f32,
    /// The last of the materials that it refers to.
    pub(crate) last_material: Option<u32>,
    skipped: usize,
}

impl Shape {
    /// Prepares surfaces. Triangles that cannot be drawn are left out: with a vertex that is missing or not finite, or no area.
    pub fn new<'a>(surfaces: impl IntoIterator<Item = Surface<'a>>) -> Shape {
        let mut triangles = Vec::new();
        let skipped = surfaces.into_iter().map(|surface| triangles_of(&surface, &mut triangles)).sum();
        let lengths = triangles.iter().flat_map(|t: &Triangle| t.corners).map(Vec3::length);
        let reach = lengths.fold(0.0, f32::max);
        let last_material = triangles.iter().map(|t| t.material).max();
        Shape { plan: Plan::new(&triangles), triangles, reach, last_material, skipped }
    }

    /// How many triangles could not be drawn.
    pub fn skipped(&self) -> usize {
        self.skipped
    }
}

/// A shape in a scene.
#[derive(Clone, Debug)]
pub(crate) struct Placed {
    pub shape: Arc<Shape>,
    pub turn: Mat3,
    pub at: Vec3,
}

impl Placed {
    pub fn new(shape: &Arc<Shape>, turn: Quat, at: Vec3) -> Placed {
        Placed { shape: shape.clone(), turn: Mat3::from_quat(turn), at }
    }

    pub fn part(&self) -> Part<'_> {
        Part { triangles: &self.shape.triangles, pose: Some((self.turn, self.at)) }
    }
}

/// Triangles, and where they are in the scene.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part<'a> {
    pub triangles: &'a [Triangle],
    /// None where they are given as they lie in the scene.
    pub pose: Option<(Mat3, Vec3)>,
}

impl Part<'_> {
    pub fn corners(&self, index: usize) -> [Vec3; 3] {
        let corners = self.triangles[index].corners;
        self.pose.map_or(corners, |(turn, at)| corners.map(|c| turn * c + at))
    }

    /// A triangle as it lies in the scene.
    pub fn triangle(&self, index: usize) -> Triangle {
        let triangle = self.triangles[index].clone();
        let Some((turn, _)) = self.pose else { return triangle };
        let normals = triangle.normals.map(|normals| normals.map(|n| turn * n));
        Triangle { corners: self.corners(index), normals, ..triangle }
    }
}
