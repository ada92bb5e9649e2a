//! Assertions that name the culprit.

use glam::DVec3;
use smithereens_geometry::{Clip, Convex, ConvexClipper, Cut, Halfspace, Mesh, Slot, Tolerance};

/// The directed edges of all faces, sorted, with their faces.
fn sorted_edges(mesh: &Mesh) -> Vec<(u32, u32, usize)> {
    let mut edges: Vec<_> =
        (0..mesh.faces.len()).flat_map(|f| mesh.edges_of(f).map(move |(a, b)| (a, b, f))).collect();
    edges.sort_unstable();
    edges
}

/// Every edge runs as often one way as the other: no holes, and neighbours wound alike.
#[track_caller]
pub fn assert_closed(mesh: &Mesh) {
    let edges = sorted_edges(mesh);
    let count = |a: u32, b: u32| {
        edges.partition_point(|e| (e.0, e.1) <= (a, b)) - edges.partition_point(|e| (e.0, e.1) < (a, b))
    };
    for &(a, b, face) in &edges {
        assert!(a != b, "face {face} has an edge from vertex {a} to itself");
        let (there, back) = (count(a, b), count(b, a));
        assert!(there == back, "edge {a}–{b} of face {face} runs {there} time(s), and {back} time(s) back");
    }
}

/// Closed, and the outside is outside.
#[track_caller]
pub fn assert_oriented(mesh: &Mesh) {
    assert_closed(mesh);
    let volume = mesh.signed_volume();
    assert!(volume >= 0.0, "the mesh is inside out: its volume is {volume}");
}

/// All positions are numbers, and lists match.
#[track_caller]
pub fn assert_finite(mesh: &Mesh) {
    for (vertex, position) in mesh.positions.iter().enumerate() {
        assert!(position.is_finite(), "vertex {vertex} is at {position}");
    }
    for (corner, normal) in mesh.normals.iter().enumerate() {
        assert!(normal.is_finite(), "the normal of corner {corner} is {normal}");
    }
    for (corner, uv) in mesh.uvs.iter().enumerate() {
        assert!(uv.is_finite(), "the uv of corner {corner} is {uv}");
    }
    for (name, count) in [("normals", mesh.normals.len()), ("uvs", mesh.uvs.len())] {
        let corners = mesh.corners.len();
        assert!(count == 0 || count == corners, "{corners} corners have {count} {name}");
    }
}

/// The parts' volumes sum to the whole's, to `relative` of it.
#[track_caller]
pub fn assert_volume_conserved(whole: f64, parts: impl IntoIterator<Item = f64>, relative: f64) {
    let sum: f64 = parts.into_iter().sum();
    let error = (sum - whole).abs();
    assert!(error <= relative * whole.abs(), "the parts hold {sum} of {whole}: off by {:e}", error / whole);
}

/// Convex within the tolerance of its own size and place.
#[track_caller]
pub fn assert_convex(convex: &Convex) {
    let bounds = convex.bounds();
    let reach = bounds.extent().max(bounds.min.abs().max(bounds.max.abs()).max_element());
    assert_convex_within(convex, &Tolerance::for_extent(reach));
}

/// Closed, outward, every vertex used and behind every face, vertices of a face on its plane, all within the
/// tolerance: that of what the convex was cut from, if it is a part of something larger.
#[track_caller]
pub fn assert_convex_within(convex: &Convex, tolerance: &Tolerance) {
    let tolerance = tolerance.length();
    assert!(convex.faces().len() >= 4, "a convex with {} faces", convex.faces().len());
    assert_closed(&convex.to_mesh(Slot(0)));
    let mut used = vec![false; convex.vertices().len()];
    for (index, face) in convex.faces().iter().enumerate() {
        let length = face.plane.normal.length();
        assert!((length - 1.0).abs() < Tolerance::RELATIVE, "the normal of face {index} has length {length}");
        for (vertex, &position) in convex.vertices().iter().enumerate() {
            let distance = face.plane.distance(position);
            assert!(distance <= tolerance, "vertex {vertex} is {distance:e} in front of face {index}");
        }
        for &vertex in convex.face_vertices(index) {
            used[vertex as usize] = true;
            let distance = face.plane.distance(convex.vertices()[vertex as usize]);
            assert!(distance.abs() <= tolerance, "vertex {vertex} is {distance:e} off its face {index}");
        }
    }
    let lone = used.iter().position(|u| !u);
    assert!(lone.is_none(), "vertex {lone:?} is on no face");
    assert!(convex.volume() >= 0.0, "the convex is inside out: {}", convex.volume());
}

/// No two convexes share more than `relative` of the smaller one's volume. Each is clipped by the other's
/// planes.
#[track_caller]
pub fn assert_no_overlap(convexes: &[Convex], relative: f64) {
    let mut clipper = ConvexClipper::default();
    let mut order: Vec<usize> = (0..convexes.len()).collect();
    let bounds: Vec<_> = convexes.iter().map(Convex::bounds).collect();
    order.sort_by(|&a, &b| bounds[a].min.x.total_cmp(&bounds[b].min.x));
    for (i, &a) in order.iter().enumerate() {
        for &b in order[i + 1..].iter().take_while(|&&b| bounds[b].min.x <= bounds[a].max.x) {
            if !bounds[a].overlaps(&bounds[b]) {
                continue;
            }
            let shared = shared_volume(&convexes[a], &convexes[b], &mut clipper);
            let least = convexes[a].volume().min(convexes[b].volume());
            assert!(shared <= relative * least, "convexes {a} and {b} share {shared:e} of {least:e}");
        }
    }
}

/// The volume that two convexes have in common.
pub fn shared_volume(a: &Convex, b: &Convex, clipper: &mut ConvexClipper) -> f64 {
    let mut shared = a.clone();
    for face in b.faces() {
        if clipper.clip(&mut shared, &face.halfspace()) == Clip::Nothing {
            return 0.0;
        }
    }
    shared.volume()
}

/// The faces of two halves of a cut lie on each other: the same area, the same centre, within the tolerance.
#[track_caller]
pub fn assert_cut_faces_match(behind: &Mesh, front: &Mesh, halfspace: &Halfspace, tolerance: &Tolerance) {
    let Some(cut) = halfspace.cut() else { panic!("the half-space has no identity to find the faces by") };
    let origin = behind.positions.first().copied().unwrap_or_default();
    let normal = halfspace.outward().normal;
    let (a, b) = (cut_moment(behind, cut, origin, normal), cut_moment(front, cut.opposite(), origin, normal));
    let area = (a.0 + b.0).abs();
    assert!(area <= tolerance.area(), "the areas of the cut faces differ by {area:e}");
    let moment = (a.1 + b.1).length();
    assert!(
        moment <= tolerance.area() * tolerance.extent(),
        "the moments of the cut faces differ by {moment:e}"
    );
}

/// Area along a normal, and first moment of the area, of the faces that carry a mark.
fn cut_moment(mesh: &Mesh, cut: Cut, origin: DVec3, normal: DVec3) -> (f64, DVec3) {
    let (mut area, mut moment) = (0.0, DVec3::ZERO);
    for face in (0..mesh.faces.len()).filter(|&f| mesh.faces[f].cut == Some(cut)) {
        for corners in mesh.loops_of(face) {
            let at = |i: usize| mesh.positions[corners[i] as usize] - origin;
            for i in 1..corners.len().saturating_sub(1) {
                let part = (at(i) - at(0)).cross(at(i + 1) - at(0)).dot(normal) * 0.5;
                area += part;
                moment += (at(0) + at(i) + at(i + 1)) / 3.0 * part;
            }
        }
    }
    (area, moment)
}

#[cfg(test)]
mod tests {
    use super::*;
    use smithereens_geometry::Aabb;

    #[test]
    #[should_panic(expected = "runs 1 time(s), and 0 time(s) back")]
    fn a_hole_is_named() {
        let mut mesh = Convex::from_box(&Aabb::cube(1.0)).to_mesh(Slot(0));
        mesh.corners.truncate(20);
        mesh.loop_ends.pop();
        mesh.faces.pop();
        assert_closed(&mesh);
    }

    #[test]
    #[should_panic(expected = "convexes 0 and 1 share")]
    fn an_overlap_is_named() {
        let (a, b) = (Aabb::cube(1.0), Aabb::new(DVec3::splat(0.5), DVec3::splat(2.0)));
        assert_no_overlap(&[Convex::from_box(&a), Convex::from_box(&b)], 1e-9);
    }

    #[test]
    fn a_box_is_convex() {
        assert_convex(&Convex::from_box(&Aabb::cube(1.0)));
    }
}
