//! A cage: a coarse solid that strictly contains a mesh, however broken that is.
//!
//! Sellán et al. 2022, Section 3.5 and Algorithm 2: a level set of the distance to the mesh. Departures: the distance is chosen so that the first
//! answer holds, and nothing is searched for. Corners of the grid within its cells' diagonal of a triangle are inside, so that all corners of a cell that a triangle
//! touches are, and the surface, which only goes through cells with corners on both sides, keeps out of these cells. It is closed by
//! construction, as any surface from this grid. What winds around more than half a time is inside, too, so that a closed mesh is filled and an open one has walls.

use smithereens_geometry::{Mesh, Solid};

use crate::lists;
use crate::remesh;
use crate::soup::Soup;
use crate::{RepairError, RepairOptions};

/// A solid that strictly contains a mesh, of so many cells along its longest side: 8 to 512. Parts that are nearer to each other than three and a half cells become one.
///
/// ```
/// use smithereens_geometry::{Aabb, Convex, Slot};
/// use smithereens_repair::cage;
/// let mut mesh = Convex::from_box(&Aabb::cube(1.0)).to_mesh(Slot(0));
/// mesh.faces.pop(); // a box without its lid
/// let cage = cage(&mesh, 16)?;
/// assert!(mesh.positions.iter().all(|&corner| cage.contains(corner)));
/// # Ok::<(), smithereens_repair::RepairError>(())
/// ```
pub fn cage(mesh: &Mesh, resolution: u32) -> Result<Solid, RepairError> {
    if !RepairOptions::RESOLUTIONS.contains(&resolution) {
        return Err(RepairError::Resolution(resolution));
    }
    if let Some(problem) = lists::problem(mesh) {
        return Err(RepairError::Lists(problem));
    }
    let surface = remesh::enclose(&Soup::of(mesh).0, resolution);
    Solid::new(surface.to_mesh()).map_err(|_| RepairError::Nothing)
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DVec3;
    use smithereens_geometry::{Aabb, Slot};
    use smithereens_testing::distance::Surface;
    use smithereens_testing::{damage, fixtures, models};

    const RESOLUTION: u32 = 24;
    /// About so many corners and faces of each are looked at.
    const ASKED: usize = 400;

    /// All corners are inside, and the surface keeps its distance.
    fn assert_contains(name: &str, cage: &Solid, mesh: &Mesh) {
        let corners = || mesh.corners.iter().map(|&v| mesh.positions[v as usize]).filter(|p| p.is_finite());
        let mut asked = corners().step_by(mesh.corners.len() / ASKED + 1);
        assert!(asked.all(|corner| cage.contains(corner)), "{name}: a corner is outside");
        let cell = Aabb::of_points(corners()).extent() / f64::from(RESOLUTION);
        let surface = Surface::of(mesh);
        let own = cage.mesh();
        for face in (0..own.faces.len()).step_by(own.faces.len() / ASKED + 1) {
            let corners = own.face_corners(face).map(|c| own.positions[own.corners[c] as usize]);
            let middle = corners.clone().sum::<DVec3>() / corners.len() as f64;
            for place in corners.chain([middle]) {
                let far = surface.distance(place, cell) / cell;
                assert!(far > 0.5, "{name}: {far} cells from the mesh at {place}");
            }
        }
    }

    #[test]
    fn models_sound_and_broken_are_inside_their_cage() {
        for (name, solid) in fixtures::all() {
            assert_contains(name, &cage(solid.mesh(), RESOLUTION).unwrap(), solid.mesh());
        }
        for model in models::MODELS {
            let Some(path) = models::model_path(model.file) else { continue };
            let mesh = smithereens_formats::read(&path).unwrap().mesh;
            assert_contains(model.file, &cage(&mesh, RESOLUTION).unwrap(), &mesh);
        }
    }

    #[test]
    fn damaged_meshes_are_inside_theirs() {
        for seed in 0..60 {
            let case = damage::damaged_case(seed);
            match cage(&case.mesh, RESOLUTION) {
                Ok(cage) => assert!(cage.volume() > 0.0),
                Err(error) => {
                    assert!(matches!(error, RepairError::Nothing | RepairError::Lists(_)), "{error}")
                }
            }
        }
    }

    #[test]
    fn what_has_no_extent_has_no_cage() {
        assert_eq!(cage(&Mesh::default(), RESOLUTION).unwrap_err(), RepairError::Nothing);
        assert_eq!(cage(&Mesh::default(), 7).unwrap_err(), RepairError::Resolution(7));
        let mut point = Mesh { positions: vec![DVec3::ONE; 3], ..Mesh::default() };
        point.push_polygon(&[0, 1, 2], Slot(0));
        assert_eq!(cage(&point, RESOLUTION).unwrap_err(), RepairError::Nothing);
        let mut sheet = Mesh { positions: vec![DVec3::ZERO, DVec3::X, DVec3::Y], ..Mesh::default() };
        sheet.push_polygon(&[0, 1, 2], Slot(0));
        assert_contains("a triangle", &cage(&sheet, RESOLUTION).unwrap(), &sheet);
    }
}
