//! What campaigns and benches break: a real model, or where it is absent a fixture of like size.

use glam::DVec3;
use smithereens::pattern::{Pattern, PatternError};
use smithereens::{Compound, Fit};
use smithereens_geometry::{Aabb, Solid};

use crate::models::{self, MODELS};
use crate::{fixtures, seeds};

/// A solid with a name.
#[derive(Clone, Debug)]
pub struct Subject {
    /// The model's file without its ending; said to be a fixture if it is one.
    pub name: String,
    /// The solid.
    pub solid: Solid,
}

/// The model of a file, or a knot of as many triangles where there is none.
pub fn subject(file: &str) -> Subject {
    let stem = file.split('.').next().unwrap_or(file);
    match models::load(file) {
        Some(solid) => Subject { name: stem.to_owned(), solid },
        None => Subject { name: format!("knot for {stem}"), solid: knot(triangles_of(file)) },
    }
}

/// All watertight models, or all fixtures where there are no models.
pub fn watertight() -> Vec<Subject> {
    if models::models_dir().is_some() {
        return models::watertight().map(|m| subject(m.file)).collect();
    }
    fixtures::all().into_iter().map(|(name, solid)| Subject { name: name.to_owned(), solid }).collect()
}

fn triangles_of(file: &str) -> usize {
    MODELS.iter().find(|m| m.file == file).map_or(10_000, |m| m.triangles)
}

/// A tube in a knot, of about so many triangles.
pub fn knot(triangles: usize) -> Solid {
    const LONGER_THAN_ROUND: usize = 10;
    let around = (triangles / (2 * LONGER_THAN_ROUND)).isqrt().max(3);
    fixtures::trefoil(1.0, 0.35, around * LONGER_THAN_ROUND, around)
}

impl Subject {
    /// The solid as a compound of one piece.
    pub fn whole(&self) -> Compound {
        Compound::from_solid(self.solid.clone(), Fit::Dop26)
    }

    /// Points inside the solid, and a box with some room around it.
    pub fn seeds(&self, count: usize, seed: u64) -> (Vec<DVec3>, Aabb) {
        let bounds = self.solid.mesh().bounds();
        (seeds::inside(&self.solid, count, seed), bounds.grown(bounds.extent() * 0.05))
    }

    /// The Voronoi pattern of points inside the solid.
    pub fn pattern(&self, cells: usize, seed: u64) -> Result<Pattern, PatternError> {
        let (points, bounds) = self.seeds(cells, seed);
        Pattern::from_points(&points, bounds)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_model_has_a_knot_of_like_size() {
        for triangles in [7_000, 86_000] {
            let faces = knot(triangles).mesh().faces.len() as f64;
            assert!((faces / triangles as f64 - 1.0).abs() < 0.1, "{faces} for {triangles}");
        }
        assert_eq!(subject("no-such-model.obj").name, "knot for no-such-model");
    }
}
