//! A fragment as it is written and drawn.

use anyhow::Result;
use glam::{DAffine3, DQuat, DVec3};
use smithereens::{Compound, Mesh};
use smithereens_formats::{GlbPrimitive, Material};

use crate::convert;

/// A fragment's visible faces about its centre of mass, and where that is.
pub struct Drawn {
    /// Its name in files.
    pub name: String,
    /// Where its centre is, moved apart if that was asked for.
    pub place: DVec3,
    /// Its visible faces, with the centre at the origin.
    pub mesh: Mesh,
    /// The same as triangles.
    pub primitives: Vec<GlbPrimitive>,
}

/// Where a fragment is drawn.
#[derive(Clone, Copy, Debug)]
pub struct Pose {
    /// Where its centre is.
    pub place: DVec3,
    /// How it is turned about its centre.
    pub turn: DQuat,
}

impl Pose {
    /// In place.
    pub fn of(compound: &Compound) -> Pose {
        Pose { place: compound.mass().center, turn: DQuat::IDENTITY }
    }
}

impl Drawn {
    /// Draws a fragment.
    pub fn new(name: String, compound: &Compound, pose: Pose, materials: &[Material]) -> Result<Drawn> {
        let mut mesh = compound.visible_mesh();
        let about_center =
            DAffine3::from_quat(pose.turn) * DAffine3::from_translation(-compound.mass().center);
        mesh.transform(&about_center);
        let primitives = convert::primitives(&mesh, materials)?;
        Ok(Drawn { name, place: pose.place, mesh, primitives })
    }

    /// Draws a mesh, moved from its centre to a place.
    pub fn of_mesh(
        name: String,
        mut mesh: Mesh,
        center: DVec3,
        place: DVec3,
        materials: &[Material],
    ) -> Result<Drawn> {
        mesh.transform(&DAffine3::from_translation(-center));
        let primitives = convert::primitives(&mesh, materials)?;
        Ok(Drawn { name, place, mesh, primitives })
    }

    /// How many triangles it has.
    pub fn triangles(&self) -> usize {
        self.primitives.iter().map(|p| p.indices.len() / 3).sum()
    }
}

/// Names that sort in order, whatever sorts them.
pub fn names(count: usize) -> impl Iterator<Item = String> {
    let digits = count.saturating_sub(1).to_string().len();
    (0..count).map(move |index| format!("fragment-{index:0digits$}"))
}
