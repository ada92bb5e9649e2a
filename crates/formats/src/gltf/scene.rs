//! The nodes of the scene with their transforms to the world.

use glam::{DAffine3, DQuat, DVec3};

use super::document::entry;
use super::schema::{Node, Root};
use crate::{Place, Problem, ReadError};

/// A mesh where a node puts it.
pub(super) struct Instance {
    pub(super) name: String,
    pub(super) mesh: usize,
    pub(super) world_from_mesh: DAffine3,
}

/// All meshes of the default scene, in the document's order. A document without scenes is shown whole.
pub(super) fn instances(root: &Root) -> Result<Vec<Instance>, ReadError> {
    if root.nodes.is_empty() {
        let lone =
            |mesh| Instance { name: name(root, None, mesh), mesh, world_from_mesh: DAffine3::IDENTITY };
        return Ok((0..root.meshes.len()).map(lone).collect());
    }
    let mut found = Vec::new();
    let mut visited = vec![false; root.nodes.len()];
    // A stack, not recursion: a file may nest nodes deeper than a thread's stack.
    let mut stack: Vec<_> = top_nodes(root)?.iter().rev().map(|&n| (n, DAffine3::IDENTITY)).collect();
    while let Some((index, world_from_parent)) = stack.pop() {
        let node = entry(&root.nodes, index, "node")?;
        if std::mem::replace(&mut visited[index], true) {
            let problem = Problem::Invalid("it has two parents or is its own ancestor, but nodes are a tree");
            return Place::thing("node", index).has(problem);
        }
        let world_from_node = world_from_parent * parent_from_node(node);
        if node.scale == Some([0.0; 3]) {
            // The way of glTF to hide a node and all below: what is born later in an animation, for one.
            continue;
        }
        if let Some(mesh) = node.mesh {
            let name = name(root, node.name.as_deref(), mesh);
            found.push(Instance { name, mesh, world_from_mesh: world_from_node });
        }
        stack.extend(node.children.iter().rev().map(|&child| (child, world_from_node)));
    }
    Ok(found)
}

fn top_nodes(root: &Root) -> Result<Vec<usize>, ReadError> {
    if !root.scenes.is_empty() {
        let scene = entry(&root.scenes, root.scene.unwrap_or(0), "scene")?;
        return Ok(scene.nodes.clone());
    }
    let mut is_child = vec![false; root.nodes.len()];
    for &child in root.nodes.iter().flat_map(|n| &n.children) {
        entry(&root.nodes, child, "node")?;
        is_child[child] = true;
    }
    Ok((0..root.nodes.len()).filter(|&n| !is_child[n]).collect())
}

fn name(root: &Root, node: Option<&str>, mesh: usize) -> String {
    let of_mesh = || root.meshes.get(mesh).and_then(|m| m.name.as_deref());
    let given = node.filter(|n| !n.is_empty()).or_else(of_mesh);
    given.map_or_else(|| format!("mesh {mesh}"), str::to_owned)
}

fn parent_from_node(node: &Node) -> DAffine3 {
    if let Some(m) = node.matrix {
        return DAffine3::from_cols_array(&[
            m[0], m[1], m[2], m[4], m[5], m[6], m[8], m[9], m[10], m[12], m[13], m[14],
        ]);
    }
    let rotation = node.rotation.map_or(DQuat::IDENTITY, DQuat::from_array);
    // Exporters round: a quaternion a little off would scale the mesh.
    let rotation = if rotation.length_squared() > 0.0 { rotation.normalize() } else { DQuat::IDENTITY };
    let scale = node.scale.map_or(DVec3::ONE, DVec3::from_array);
    let translation = node.translation.map_or(DVec3::ZERO, DVec3::from_array);
    DAffine3::from_scale_rotation_translation(scale, rotation, translation)
}
