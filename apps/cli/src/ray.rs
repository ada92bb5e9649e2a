//! Where a ray meets a surface.

use glam::DVec3;
use smithereens::Mesh;

/// Where a ray first meets the surface.
pub fn first_hit(mesh: &Mesh, start: DVec3, direction: DVec3) -> Option<DVec3> {
    let (triangles, _) = smithereens::triangulate::triangulate(mesh);
    let place = |corner: u32| mesh.positions[mesh.corners[corner as usize] as usize];
    let hits = triangles.iter().filter_map(|t| meet(start, direction, t.map(place)));
    let nearest = hits.reduce(f64::min)?;
    Some(start + direction * nearest)
}

/// How far along a ray a triangle is (Möller and Trumbore 1997).
fn meet(start: DVec3, direction: DVec3, [a, b, c]: [DVec3; 3]) -> Option<f64> {
    let (along_b, along_c) = (b - a, c - a);
    let across = direction.cross(along_c);
    let determinant = along_b.dot(across);
    if determinant == 0.0 {
        return None;
    }
    let from = start - a;
    let u = from.dot(across) / determinant;
    let turned = from.cross(along_b);
    let v = direction.dot(turned) / determinant;
    let distance = along_c.dot(turned) / determinant;
    (u >= 0.0 && v >= 0.0 && u + v <= 1.0 && distance >= 0.0).then_some(distance)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::torus;

    #[test]
    fn a_ray_meets_the_near_side() {
        let mesh = torus::mesh();
        let hit = first_hit(&mesh, DVec3::new(5.0, 0.0, 0.01), -DVec3::X).unwrap();
        assert!(torus::distance(hit).abs() < 0.02 && hit.x > 1.0, "{hit}");
        assert_eq!(first_hit(&mesh, DVec3::new(5.0, 4.0, 0.0), -DVec3::X), None);
    }
}
