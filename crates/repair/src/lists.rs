//! Whether the lists of a mesh fit each other, so that nothing later reads beyond their ends.

use smithereens_geometry::Mesh;

/// What is wrong with the lists of a mesh, in words.
pub(crate) fn problem(mesh: &Mesh) -> Option<String> {
    let corners = mesh.corners.len();
    if let Some(index) = first_out_of_order(mesh.loop_ends.iter().map(|&e| e as usize), corners) {
        return Some(format!("loop {index} ends at corner {}, of {corners}", mesh.loop_ends[index]));
    }
    let loops = mesh.loop_ends.len();
    if let Some(index) = first_out_of_order(mesh.faces.iter().map(|f| f.loops_end as usize), loops) {
        return Some(format!("face {index} ends at loop {}, of {loops}", mesh.faces[index].loops_end));
    }
    None
}

fn first_out_of_order(ends: impl Iterator<Item = usize>, most: usize) -> Option<usize> {
    let mut last = 0;
    for (index, end) in ends.enumerate() {
        if end < last || end > most {
            return Some(index);
        }
        last = end;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use smithereens_geometry::{Aabb, Convex, Slot};

    #[test]
    fn lists_that_lie_are_named() {
        let mut mesh = Convex::from_box(&Aabb::cube(1.0)).to_mesh(Slot(0));
        assert_eq!(problem(&mesh), None);
        mesh.loop_ends[2] = 99;
        assert_eq!(problem(&mesh), Some("loop 2 ends at corner 99, of 24".to_owned()));
        mesh.loop_ends[2] = 12;
        mesh.faces[3].loops_end = 1;
        assert!(problem(&mesh).is_some_and(|p| p.starts_with("face 3")));
    }
}
