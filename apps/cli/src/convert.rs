//! From double to single precision: the border to drawing, and the only place in this program that crosses it for
//! positions.

use glam::{DVec3, Vec3};
use smithereens::{Mesh, Slot};
use smithereens_formats::{GlbPrimitive, GlbScene, Material, Model, WriteError};

/// The faces of a mesh as triangles, one primitive a material; faces made by cuts get the material after the last one.
pub fn primitives(mesh: &Mesh, materials: &[Material]) -> Result<Vec<GlbPrimitive>, WriteError> {
    debug_assert!(
        mesh.faces.iter().all(|f| f.slot == Slot::INTERIOR || (f.slot.0 as usize) < materials.len())
    );
    let model = Model { mesh: mesh.clone(), materials: materials.to_vec(), ..Model::default() };
    let scene = GlbScene::from_model(&model)?;
    Ok(scene.nodes.into_iter().flat_map(|node| node.primitives).collect())
}

/// Where vertices of a node are in the world.
pub fn world_positions(primitive: &GlbPrimitive, place: DVec3) -> Vec<Vec3> {
    primitive.positions.iter().map(|p| (place + p.as_dvec3()).as_vec3()).collect()
}

/// A direction.
pub fn direction(vector: DVec3) -> Vec3 {
    vector.as_vec3()
}
