//! Meshes proven closed, oriented and finite: later stages cannot fail on them.

use glam::DVec3;
use thiserror::Error;

use crate::islands::is_in_one;
use crate::triangulate::triangulate_face;
use crate::{Cut, EdgeSide, Mass, Mesh, Tolerance, pair_wedges};

/// Why a mesh is no solid, with the culprit.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum SolidError {
    /// There is nothing to enclose a volume.
    #[error("the mesh has no faces")]
    Empty,
    /// A coordinate is NaN or infinite.
    #[error("vertex {vertex} is not finite: {position}; remove it or give it a place")]
    NotFinite {
        /// The vertex.
        vertex: u32,
        /// Its position.
        position: DVec3,
    },
    /// A corner refers to a vertex that is not there.
    #[error("face {face} refers to vertex {vertex}, but there are only {vertices}")]
    VertexOutOfRange {
        /// The face.
        face: u32,
        /// The vertex it refers to.
        vertex: u32,
        /// How many there are.
        vertices: u32,
    },
    /// The attribute lists do not match the corners.
    #[error("{corners} corners have {attributes} {name}: give one a corner, or none at all")]
    AttributesDoNotMatch {
        /// Which attribute.
        name: &'static str,
        /// How many corners there are.
        corners: usize,
        /// How many attributes there are.
        attributes: usize,
    },
    /// An edge lacks a face on one side.
    #[error("edge {a}–{b} borders {faces} face(s) and {open} edge(s) like it are open: close the holes")]
    Open {
        /// One end of the edge.
        a: u32,
        /// Its other end.
        b: u32,
        /// How many faces border it.
        faces: u32,
        /// How many edges are not matched in all.
        open: u32,
    },
    /// Two faces run along an edge in the same direction.
    #[error("faces at edge {a}–{b} are wound against each other ({edges} such edge(s)): orient the faces")]
    Winding {
        /// One end of the edge.
        a: u32,
        /// Its other end.
        b: u32,
        /// How many edges are like it.
        edges: u32,
    },
    /// The faces point inward.
    #[error("the mesh is inside out (volume {volume}): flip it")]
    InsideOut {
        /// The signed volume.
        volume: f64,
    },
    /// The mesh is closed but flat.
    #[error("the mesh encloses no volume")]
    NoVolume,
}

/// A mesh proven closed, oriented and finite.
///
/// Every edge has exactly two faces, every vertex one fan of faces, and two vertices have one edge between them at
/// most: where sheets touch in a vertex or an edge, each sheet has vertices of its own.
///
/// ```
/// use smithereens_geometry::{Aabb, Convex, Slot, Solid, SolidError};
/// let mut mesh = Convex::from_box(&Aabb::cube(1.0)).to_mesh(Slot(0));
/// assert!(Solid::new(mesh.clone()).is_ok());
/// mesh.flip();
/// assert!(matches!(Solid::new(mesh), Err(SolidError::InsideOut { .. })));
/// ```
#[derive(Clone, Debug)]
pub struct Solid {
    mesh: Mesh,
    mass: Mass,
    /// Whether all of the surface is known to hang together. It follows from the mesh, as the mass does.
    is_in_one: bool,
}

impl PartialEq for Solid {
    fn eq(&self, other: &Solid) -> bool {
        self.mesh == other.mesh
    }
}

impl Solid {
    /// Proves a mesh to be a solid, or says why it is none.
    ///
    /// Degenerate corners (the same vertex twice in a row, or a way to a vertex and straight back) are dropped, polygons that are not planar
    /// or come to a vertex twice are cut into triangles, vertices where sheets touch are given to each sheet, and all are sorted in space.
    pub fn new(mesh: Mesh) -> Result<Solid, SolidError> {
        check_lists(&mesh)?;
        let tolerance = Tolerance::for_box(&mesh.bounds());
        let mut mesh = with_sound_faces(&mesh, &tolerance);
        if mesh.faces.is_empty() {
            return Err(SolidError::Empty);
        }
        let twins = match_edges(&mesh)?;
        separate_sheets(&mut mesh, &twins);
        part_doubled_edges(&mut mesh, &twins);
        mesh.sort_in_space();
        let mass = mesh.mass_sum().finish();
        let volume = mass.volume;
        if volume.abs() <= tolerance.volume() {
            return Err(SolidError::NoVolume);
        }
        if volume < 0.0 {
            return Err(SolidError::InsideOut { volume });
        }
        let is_in_one = is_in_one(&mesh);
        Ok(Solid { mesh, mass, is_in_one })
    }

    /// Takes a mesh that was a solid's, out of a file say, as it is: it must be closed, but no vertex is moved, parted or sorted.
    ///
    /// ```
    /// use smithereens_geometry::{Aabb, Convex, Slot, Solid};
    /// let solid = Solid::new(Convex::from_box(&Aabb::cube(1.0)).to_mesh(Slot(0)))?;
    /// assert_eq!(Solid::restored(solid.mesh().clone())?, solid);
    /// # Ok::<(), smithereens_geometry::SolidError>(())
    /// ```
    pub fn restored(mesh: Mesh) -> Result<Solid, SolidError> {
        if mesh.faces.is_empty() || !has_sound_ends(&mesh) {
            return Err(SolidError::Empty);
        }
        check_lists(&mesh)?;
        match_edges(&mesh)?;
        let is_in_one = is_in_one(&mesh);
        let solid = Solid::from_closed(mesh, is_in_one);
        let volume = solid.volume();
        if volume > 0.0 { Ok(solid) } else { Err(SolidError::InsideOut { volume }) }
    }

    /// Takes a mesh that is closed by construction, and whether it is known to hang together.
    pub(crate) fn from_closed(mesh: Mesh, is_in_one: bool) -> Solid {
        let mass = mesh.mass_sum().finish();
        Solid { mesh, mass, is_in_one }
    }

    /// Whether all of its surface is known to hang together.
    pub(crate) fn is_in_one(&self) -> bool {
        self.is_in_one
    }

    /// The mesh.
    pub fn mesh(&self) -> &Mesh {
        &self.mesh
    }

    /// Marks the faces that `on_plane` picks with the identity of their plane.
    pub fn mark(&mut self, cut: Cut, on_plane: impl Fn(&Mesh, usize) -> bool) {
        for face in 0..self.mesh.faces.len() {
            if on_plane(&self.mesh, face) {
                self.mesh.faces[face].cut = Some(cut);
            }
        }
    }

    /// Takes the identities of their planes off all faces but those that are wanted.
    pub fn retain_cuts(&mut self, wanted: impl Fn(Cut) -> bool) {
        self.mesh.faces.iter_mut().for_each(|face| face.cut = face.cut.filter(|&cut| wanted(cut)));
    }

    /// Gives faces other identities of their planes, or none.
    pub fn map_cuts(&mut self, name: impl Fn(Cut) -> Option<Cut>) {
        self.mesh.faces.iter_mut().for_each(|face| face.cut = face.cut.and_then(&name));
    }

    /// The mesh, no longer proven.
    pub fn into_mesh(self) -> Mesh {
        self.mesh
    }

    /// The volume.
    pub fn volume(&self) -> f64 {
        self.mass.volume
    }

    /// Volume, centre and inertia at a density of one.
    pub fn mass(&self) -> Mass {
        self.mass
    }

    /// Whether a point is inside: the surface winds around it. Takes time linear in the faces.
    pub fn contains(&self, point: DVec3) -> bool {
        crate::winding::encloses(&self.mesh, point)
    }
}

/// Whether loops and faces end in order and where the lists do, each loop with three corners at least.
fn has_sound_ends(mesh: &Mesh) -> bool {
    rise(mesh.loop_ends.iter().copied(), 3, mesh.corners.len())
        && rise(mesh.faces.iter().map(|f| f.loops_end), 1, mesh.loop_ends.len())
}

/// Whether numbers rise by at least so much each, from zero to the last.
fn rise(mut ends: impl Iterator<Item = u32>, least: u32, last: usize) -> bool {
    let mut before = 0u32;
    let rises = ends.all(|end| {
        let is_far = end.checked_sub(before).is_some_and(|step| step >= least);
        before = end;
        is_far
    });
    rises && before as usize == last
}

fn check_lists(mesh: &Mesh) -> Result<(), SolidError> {
    let corners = mesh.corners.len();
    for (name, attributes) in [("normals", mesh.normals.len()), ("uvs", mesh.uvs.len())] {
        if attributes != 0 && attributes != corners {
            return Err(SolidError::AttributesDoNotMatch { name, corners, attributes });
        }
    }
    if let Some(vertex) = mesh.positions.iter().position(|p| !p.is_finite()) {
        return Err(SolidError::NotFinite { vertex: vertex as u32, position: mesh.positions[vertex] });
    }
    let vertices = mesh.positions.len() as u32;
    for face in 0..mesh.faces.len() {
        if let Some(&vertex) = mesh.corners[mesh.face_corners(face)].iter().find(|&&v| v >= vertices) {
            return Err(SolidError::VertexOutOfRange { face: face as u32, vertex, vertices });
        }
    }
    Ok(())
}

/// The mesh with degenerate corners dropped, and faces that are not planar or not simple triangulated.
fn with_sound_faces(mesh: &Mesh, tolerance: &Tolerance) -> Mesh {
    let mut sound = Mesh {
        positions: mesh.positions.clone(),
        corners: Vec::with_capacity(mesh.corners.len()),
        normals: Vec::with_capacity(mesh.normals.len()),
        uvs: Vec::with_capacity(mesh.uvs.len()),
        loop_ends: Vec::with_capacity(mesh.loop_ends.len()),
        faces: Vec::with_capacity(mesh.faces.len()),
    };
    for face in 0..mesh.faces.len() {
        if is_planar(mesh, face, tolerance) && !is_pinched(mesh, face) {
            for index in mesh.face_loops(face) {
                push_loop(&mut sound, mesh, mesh.loop_corners(index));
            }
            end_face_if_any(&mut sound, mesh, face);
        } else {
            for triangle in triangulate_face(mesh, face) {
                push_loop(&mut sound, mesh, triangle.iter().map(|&c| c as usize));
                end_face_if_any(&mut sound, mesh, face);
            }
        }
    }
    sound
}

fn is_planar(mesh: &Mesh, face: usize, tolerance: &Tolerance) -> bool {
    let corners = &mesh.corners[mesh.face_corners(face)];
    if corners.len() <= 3 {
        return true;
    }
    let normal = mesh.face_normal(face);
    let first = mesh.positions[corners[0] as usize];
    corners.iter().all(|&v| normal.dot(mesh.positions[v as usize] - first).abs() <= tolerance.length())
}

/// Adds a loop without corners that repeat, and without spikes: ways to a vertex and straight back.
fn push_loop(target: &mut Mesh, source: &Mesh, corners: impl Iterator<Item = usize>) {
    let kept = without_spikes(source, corners);
    if kept.len() < 3 {
        return;
    }
    for corner in kept {
        target.corners.push(source.corners[corner]);
        target.normals.extend(source.normals.get(corner));
        target.uvs.extend(source.uvs.get(corner));
    }
    target.end_loop();
}

fn without_spikes(mesh: &Mesh, corners: impl Iterator<Item = usize>) -> Vec<usize> {
    let same = |a: usize, b: usize| mesh.corners[a] == mesh.corners[b];
    let mut kept: Vec<usize> = Vec::new();
    for corner in corners {
        match kept[..] {
            [.., last] if same(last, corner) => {}
            [.., before, _] if same(before, corner) => {
                kept.pop();
            }
            _ => kept.push(corner),
        }
    }
    // The same across the end.
    loop {
        match kept[..] {
            [first, .., last] if same(first, last) => kept.truncate(kept.len() - 1),
            [first, _, .., before, _] if same(first, before) => kept.truncate(kept.len() - 1),
            [_, second, .., last] if kept.len() > 2 && same(second, last) => {
                kept.remove(0);
            }
            _ => return kept,
        }
    }
}

/// Whether a loop of a face comes to a vertex twice, spikes aside.
fn is_pinched(mesh: &Mesh, face: usize) -> bool {
    mesh.face_corners(face).len() > 3
        && mesh.face_loops(face).any(|index| {
            let kept = without_spikes(mesh, mesh.loop_corners(index));
            let mut vertices: Vec<u32> = kept.iter().map(|&corner| mesh.corners[corner]).collect();
            vertices.sort_unstable();
            vertices.windows(2).any(|pair| pair[0] == pair[1])
        })
}

fn end_face_if_any(target: &mut Mesh, source: &Mesh, face: usize) {
    let ended = target.faces.last().map_or(0, |f| f.loops_end);
    if target.loop_ends.len() as u32 > ended {
        target.end_face(source.faces[face].slot, source.faces[face].cut);
    }
}

/// A directed edge, named by the corner it starts at.
#[derive(Clone, Copy)]
struct HalfEdge {
    low: u32,
    high: u32,
    corner: u32,
    next: u32,
    upward: bool,
}

fn half_edges(mesh: &Mesh) -> Vec<HalfEdge> {
    let mut edges = Vec::with_capacity(mesh.corners.len());
    for index in 0..mesh.loop_ends.len() {
        let range = mesh.loop_corners(index);
        for corner in range.clone() {
            let next = if corner + 1 == range.end { range.start } else { corner + 1 };
            let (a, b) = (mesh.corners[corner], mesh.corners[next]);
            edges.push(HalfEdge {
                low: a.min(b),
                high: a.max(b),
                corner: corner as u32,
                next: next as u32,
                upward: a < b,
            });
        }
    }
    edges.sort_unstable_by_key(|e| (e.low, e.high, !e.upward, e.corner));
    edges
}

/// Pairs every directed edge with one that runs the other way.
fn match_edges(mesh: &Mesh) -> Result<Vec<(HalfEdge, HalfEdge)>, SolidError> {
    let edges = half_edges(mesh);
    let mut pairs = Vec::with_capacity(edges.len() / 2);
    let (mut open, mut wound) = (Vec::new(), Vec::new());
    for group in edges.chunk_by(|a, b| (a.low, a.high) == (b.low, b.high)) {
        let up = group.iter().filter(|e| e.upward).count();
        match (up, group.len() - up) {
            (1, 1) => pairs.push((group[0], group[1])),
            (u, d) if u == d => pair_around_edge(mesh, group, &mut pairs),
            (u, d) if (u + d) % 2 == 0 => wound.push(group[0]),
            _ => open.push((group[0], group.len() as u32)),
        }
    }
    if let Some(&(edge, faces)) = open.first() {
        return Err(SolidError::Open { a: edge.low, b: edge.high, faces, open: open.len() as u32 });
    }
    if let Some(edge) = wound.first() {
        return Err(SolidError::Winding { a: edge.low, b: edge.high, edges: wound.len() as u32 });
    }
    Ok(pairs)
}

/// Where several sheets meet in an edge: pairs the faces that bound the same wedge of the inside.
fn pair_around_edge(mesh: &Mesh, group: &[HalfEdge], pairs: &mut Vec<(HalfEdge, HalfEdge)>) {
    let at = |v: u32| mesh.positions[v as usize];
    let axis = (at(group[0].high) - at(group[0].low)).normalize_or_zero();
    let side = |edge: &HalfEdge| EdgeSide {
        upward: edge.upward,
        normal: mesh.face_normal(face_of_corner(mesh, edge.corner)),
        name: *edge,
    };
    pairs.extend(pair_wedges(axis, &group.iter().map(side).collect::<Vec<_>>()));
}

fn face_of_corner(mesh: &Mesh, corner: u32) -> usize {
    let index = mesh.loop_ends.partition_point(|&end| end <= corner) as u32;
    mesh.faces.partition_point(|f| f.loops_end <= index)
}

/// Gives every fan of faces around a vertex a vertex of its own.
fn separate_sheets(mesh: &mut Mesh, pairs: &[(HalfEdge, HalfEdge)]) {
    let mut fans = crate::UnionFind::new(mesh.corners.len());
    for (up, down) in pairs {
        fans.join(up.corner, down.next);
        fans.join(up.next, down.corner);
    }
    let mut owner = vec![u32::MAX; mesh.positions.len()];
    let mut vertex_of_fan = vec![u32::MAX; mesh.corners.len()];
    for corner in 0..mesh.corners.len() as u32 {
        let (fan, vertex) = (fans.root(corner), mesh.corners[corner as usize]);
        let slot = &mut vertex_of_fan[fan as usize];
        if *slot == u32::MAX {
            *slot = if owner[vertex as usize] == u32::MAX {
                owner[vertex as usize] = fan;
                vertex
            } else {
                mesh.positions.push(mesh.positions[vertex as usize]);
                mesh.positions.len() as u32 - 1
            };
        }
        mesh.corners[corner as usize] = *slot;
    }
}

/// Where two pairs of faces still share both ends of an edge, all but the first pair get a vertex in its middle: so
/// two vertices have one edge between them at most, and a cut of it one vertex.
fn part_doubled_edges(mesh: &mut Mesh, pairs: &[(HalfEdge, HalfEdge)]) {
    let ends = |pair: &(HalfEdge, HalfEdge)| {
        let (a, b) = (mesh.corners[pair.0.corner as usize], mesh.corners[pair.0.next as usize]);
        (a.min(b), a.max(b))
    };
    let mut order: Vec<((u32, u32), u32)> = pairs.iter().map(ends).zip(0..).collect();
    order.sort_unstable();
    let mut middles: Vec<(u32, u32)> = Vec::new();
    for twins in order.windows(2).filter(|w| w[0].0 == w[1].0) {
        let (up, down) = pairs[twins[1].1 as usize];
        let (a, b) = twins[1].0;
        let vertex = mesh.positions.len() as u32;
        mesh.positions.push((mesh.positions[a as usize] + mesh.positions[b as usize]) * 0.5);
        middles.extend([(up.corner, vertex), (down.corner, vertex)]);
    }
    if !middles.is_empty() {
        middles.sort_unstable();
        *mesh = with_middles(mesh, &middles);
    }
}

/// The mesh with vertices put in after some corners.
fn with_middles(mesh: &Mesh, middles: &[(u32, u32)]) -> Mesh {
    let mut parted = Mesh { positions: mesh.positions.clone(), ..Mesh::default() };
    for face in 0..mesh.faces.len() {
        for index in mesh.face_loops(face) {
            let range = mesh.loop_corners(index);
            for corner in range.clone() {
                let next = if corner + 1 == range.end { range.start } else { corner + 1 };
                parted.corners.push(mesh.corners[corner]);
                parted.normals.extend(mesh.normals.get(corner));
                parted.uvs.extend(mesh.uvs.get(corner));
                if let Ok(found) = middles.binary_search_by_key(&(corner as u32), |m| m.0) {
                    parted.corners.push(middles[found].1);
                    let normals = mesh.normals.get(corner).zip(mesh.normals.get(next));
                    parted.normals.extend(normals.map(|(&a, &b)| (a + b).normalize_or_zero()));
                    let uvs = mesh.uvs.get(corner).zip(mesh.uvs.get(next));
                    parted.uvs.extend(uvs.map(|(&a, &b)| (a + b) * 0.5));
                }
            }
            parted.end_loop();
        }
        parted.end_face(mesh.faces[face].slot, mesh.faces[face].cut);
    }
    parted
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Aabb, Convex, Slot};

    fn cube(at: DVec3) -> Mesh {
        Convex::from_box(&Aabb::new(at, at + DVec3::ONE)).to_mesh(Slot(0))
    }

    #[test]
    fn an_open_box_names_the_edge() {
        let mut mesh = cube(DVec3::ZERO);
        mesh.corners.truncate(20);
        mesh.loop_ends.pop();
        mesh.faces.pop();
        let error = Solid::new(mesh).unwrap_err();
        assert!(matches!(error, SolidError::Open { faces: 1, open: 4, .. }), "{error}");
    }

    #[test]
    fn a_turned_face_is_a_winding_error() {
        let mut mesh = cube(DVec3::ZERO);
        mesh.corners[..4].reverse();
        assert!(matches!(Solid::new(mesh), Err(SolidError::Winding { edges: 4, .. })));
    }

    #[test]
    fn nan_missing_vertices_and_lists_that_lie_are_named() {
        let mut mesh = cube(DVec3::ZERO);
        mesh.positions[3].y = f64::NAN;
        assert!(matches!(Solid::new(mesh), Err(SolidError::NotFinite { vertex: 3, .. })));
        let mut mesh = cube(DVec3::ZERO);
        mesh.corners[5] = 99;
        assert!(matches!(Solid::new(mesh), Err(SolidError::VertexOutOfRange { vertex: 99, .. })));
        let mut mesh = cube(DVec3::ZERO);
        mesh.uvs = vec![glam::Vec2::ZERO; 3];
        assert!(matches!(Solid::new(mesh), Err(SolidError::AttributesDoNotMatch { .. })));
        assert_eq!(Solid::new(Mesh::default()), Err(SolidError::Empty));
    }

    #[test]
    fn cubes_that_touch_in_a_vertex_or_an_edge_are_taken_apart() {
        for offset in [DVec3::ONE, DVec3::new(1.0, 1.0, 0.0)] {
            let mut mesh = cube(DVec3::ZERO);
            mesh.append(&cube(offset));
            mesh.weld();
            assert!(mesh.positions.len() < 16);
            let solid = Solid::new(mesh).unwrap();
            assert_eq!(solid.mesh().positions.len(), 16);
            assert_eq!(crate::islands::islands(solid.mesh()).len(), 2);
        }
    }

    #[test]
    fn two_vertices_have_one_edge_between_them() {
        // Two boxes that touch in an edge, before their sheets are separated.
        let mut mesh = Mesh::default();
        for (min, max) in [([0., 0., 0.], [1., 1., 1.]), ([1., 1., 0.], [2., 2., 1.])] {
            mesh.append(&Convex::from_box(&Aabb::new(min.into(), max.into())).to_mesh(Slot(0)));
        }
        mesh.weld();
        let twins = match_edges(&mesh).unwrap();
        part_doubled_edges(&mut mesh, &twins);
        assert_eq!(mesh.positions.len(), 15, "one middle on the shared edge");
        let mut edges: Vec<(u32, u32)> =
            (0..mesh.faces.len()).flat_map(|f| mesh.edges_of(f).collect::<Vec<_>>()).collect();
        let count = edges.len();
        edges.sort_unstable();
        edges.dedup();
        assert_eq!(edges.len(), count, "every directed edge once");
    }

    #[test]
    fn a_bent_quad_becomes_two_triangles() {
        let mut mesh = cube(DVec3::ZERO);
        mesh.positions[7] += DVec3::splat(0.2);
        let solid = Solid::new(mesh).unwrap();
        assert_eq!(solid.mesh().faces.len(), 9);
    }

    #[test]
    fn spikes_go_and_pinched_faces_become_triangles() {
        let cube = Convex::from_box(&Aabb::cube(1.0)).to_mesh(Slot(0));
        let whole = Solid::new(cube.clone()).unwrap().volume();
        let mut spiked = Mesh { positions: cube.positions.clone(), ..Mesh::default() };
        for face in 0..6 {
            let mut corners = cube.corners[cube.face_corners(face)].to_vec();
            // To the opposite corner of the face and back, from each corner in turn, the first and the last among them.
            let (at, to) = (face % 4, corners[(face + 2) % 4]);
            let from = corners[at];
            corners.splice(at..at + 1, [from, to, from]);
            spiked.push_polygon(&corners, Slot(0));
        }
        let solid = Solid::new(spiked).unwrap();
        assert!((solid.volume() - whole).abs() < 1e-12);
        for face in 0..solid.mesh().faces.len() {
            let mut corners = solid.mesh().corners[solid.mesh().face_corners(face)].to_vec();
            corners.sort_unstable();
            assert!(corners.windows(2).all(|pair| pair[0] != pair[1]));
        }
    }
}
