//! What all writers check before the first byte.

use smithereens_geometry::Mesh;

use crate::WriteError;

/// Proves that a mesh is consistent, so that writers can index it, and finite, so that others can read it.
pub(crate) fn check(mesh: &Mesh) -> Result<(), WriteError> {
    check_at("mesh", mesh)
}

/// The same for a mesh among others: errors name the place.
pub(crate) fn check_at(place: &str, mesh: &Mesh) -> Result<(), WriteError> {
    let inconsistent = |problem: String| Err(WriteError::Inconsistent { place: place.to_owned(), problem });
    if let Some(vertex) = mesh.positions.iter().position(|p| !p.is_finite()) {
        return Err(WriteError::NotFinite { place: place.to_owned(), vertex });
    }
    let corners = mesh.corners.len();
    for (what, count) in [("normals", mesh.normals.len()), ("uvs", mesh.uvs.len())] {
        if count != 0 && count != corners {
            return inconsistent(format!("{count} {what} for {corners} corners"));
        }
    }
    if !ends_rise(mesh.loop_ends.iter().copied(), corners) {
        return inconsistent("its loop ends do not rise to the number of corners".to_owned());
    }
    if !ends_rise(mesh.faces.iter().map(|f| f.loops_end), mesh.loop_ends.len()) {
        return inconsistent("the loops of its faces do not rise to the number of loops".to_owned());
    }
    for face in 0..mesh.faces.len() {
        if let Some(short) = mesh.loops_of(face).map(<[u32]>::len).find(|&count| count < 3) {
            return inconsistent(format!("face {face} has a loop of {short} corners"));
        }
        if let Some(v) =
            mesh.corners[mesh.face_corners(face)].iter().find(|&&v| v as usize >= mesh.positions.len())
        {
            return inconsistent(format!("face {face} refers to vertex {v} of {}", mesh.positions.len()));
        }
    }
    Ok(())
}

/// Whether each end lies past the one before, and the last at the total.
fn ends_rise(ends: impl Iterator<Item = u32>, total: usize) -> bool {
    let mut last = 0;
    for end in ends {
        if end <= last {
            return false;
        }
        last = end;
    }
    last as usize == total
}

/// Whether a format of plain polygons needs the face as triangles: it has loops beside the outer one.
pub(crate) fn has_holes(mesh: &Mesh, face: usize) -> bool {
    mesh.face_loops(face).len() > 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DVec3;
    use smithereens_geometry::Slot;

    #[test]
    fn broken_meshes_are_named_not_indexed() {
        let mut mesh = Mesh { positions: vec![DVec3::ZERO; 3], ..Mesh::default() };
        mesh.push_polygon(&[0, 1, 2], Slot(0));
        assert!(check(&mesh).is_ok());
        let broken = |change: fn(&mut Mesh)| {
            let mut mesh = mesh.clone();
            change(&mut mesh);
            check(&mesh).unwrap_err().to_string()
        };
        assert_eq!(broken(|m| m.positions[1].y = f64::NAN), "mesh: vertex 1 is not finite");
        assert_eq!(broken(|m| m.corners[2] = 7), "mesh: face 0 refers to vertex 7 of 3");
        assert_eq!(broken(|m| m.uvs.resize(2, glam::Vec2::ZERO)), "mesh: 2 uvs for 3 corners");
        assert_eq!(broken(|m| m.push_polygon(&[0, 1], Slot(0))), "mesh: face 1 has a loop of 2 corners");
        assert!(broken(|m| m.loop_ends[0] = 9).contains("loop ends"));
        assert!(broken(|m| m.faces[0].loops_end = 4).contains("loops of its faces"));
    }
}
