//! Clipping one face of a mesh, as a soup of directed edges.
//!
//! A face with its holes is a set of directed edges in which every vertex is left as often as it is
//! reached. Clipping keeps that true: an edge that leaves the kept side ends in a new vertex, one that
//! enters starts in one, and along the cut line every exit is joined to an entry by a *chord*. So the
//! result is closed for any answer of the side test; loops are put together once, at the end.
//!
//! Where a plane cuts an edge of the mesh depends on the two ends and the plane alone, walked from the
//! vertex with the lower index: all faces and cells that meet there get the same bits.

use glam::{DVec3, Vec2, Vec3};

use crate::{Halfspace, Mesh, Side};

pub(crate) const NONE: u32 = u32::MAX;

/// Where a vertex of a clipped face came from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Origin {
    /// A vertex of the mesh.
    Mesh(u32),
    /// Made by plane `label` on the mesh edge between these vertices, the lower one first.
    Edge { low: u32, high: u32, label: u32 },
    /// Made within the face, where two planes cut it.
    Within,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Vertex {
    pub position: DVec3,
    pub normal: Vec3,
    pub uv: Vec2,
    pub origin: Origin,
    /// For vertices on mesh edges: the corners of the edge's lower and higher end, and the place between.
    ends: [u32; 2],
    place: f64,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Edge {
    pub from: u32,
    pub to: u32,
    /// The plane whose chord this is, or [`NONE`] for a part of a mesh edge.
    pub label: u32,
    /// The corner at which the mesh edge starts that this is a part of.
    source: u32,
}

/// The side of one plane that each corner of the loaded face is on.
#[derive(Clone, Copy)]
pub(crate) struct Sides<'a> {
    pub halfspace: &'a Halfspace,
    pub label: u32,
    /// Whether each corner is cut away.
    pub out: &'a [bool],
    /// Signed distance of each corner from the plane in its canonical orientation.
    pub distance: &'a [f64],
}

/// A face being clipped; its memory is reused from face to face.
#[derive(Debug, Default)]
pub(crate) struct FaceClipper {
    pub vertices: Vec<Vertex>,
    pub edges: Vec<Edge>,
    kept: Vec<Edge>,
    next_corner: Vec<u32>,
    corners: usize,
    out: Vec<bool>,
    exits: Vec<(f64, u32)>,
    entries: Vec<(f64, u32)>,
    leaving: Vec<u32>,
}

impl FaceClipper {
    /// Starts with a whole face.
    pub fn load(&mut self, mesh: &Mesh, face: usize) {
        self.vertices.clear();
        self.edges.clear();
        self.next_corner.clear();
        for index in mesh.face_loops(face) {
            let range = mesh.loop_corners(index);
            let first = self.vertices.len() as u32;
            for corner in range.clone() {
                let (vertex, local) = (mesh.corners[corner], self.vertices.len() as u32);
                self.vertices.push(Vertex {
                    position: mesh.positions[vertex as usize],
                    normal: mesh.normals.get(corner).copied().unwrap_or_default(),
                    uv: mesh.uvs.get(corner).copied().unwrap_or_default(),
                    origin: Origin::Mesh(vertex),
                    ends: [local, local],
                    place: 0.0,
                });
                let next = if corner + 1 == range.end { first } else { local + 1 };
                self.next_corner.push(next);
                self.edges.push(Edge { from: local, to: next, label: NONE, source: local });
            }
        }
        self.corners = self.vertices.len();
    }

    /// Cuts away what is beyond the plane. `face_normal` is asked for only where the order along
    /// the cut matters.
    pub fn clip(&mut self, sides: Sides, face_normal: impl FnOnce() -> DVec3) {
        self.classify(&sides);
        self.kept.clear();
        self.exits.clear();
        self.entries.clear();
        for index in 0..self.edges.len() {
            let edge = self.edges[index];
            match (self.out[edge.from as usize], self.out[edge.to as usize]) {
                (false, false) => self.kept.push(edge),
                (true, true) => {}
                (false, true) => {
                    let vertex = self.cut_edge(edge, &sides);
                    self.kept.push(Edge { to: vertex, ..edge });
                    self.exits.push((0.0, vertex));
                }
                (true, false) => {
                    let vertex = self.cut_edge(edge, &sides);
                    self.kept.push(Edge { from: vertex, ..edge });
                    self.entries.push((0.0, vertex));
                }
            }
        }
        if self.exits.len() > 1 {
            // In the plane's canonical orientation, so that both sides of a cut pair alike where places tie.
            self.sort_along(face_normal().cross(sides.halfspace.plane.normal));
        }
        for (exit, entry) in self.exits.iter().zip(&self.entries) {
            self.kept.push(Edge { from: exit.1, to: entry.1, label: sides.label, source: NONE });
        }
        std::mem::swap(&mut self.edges, &mut self.kept);
    }

    /// One bit a vertex. A vertex on a mesh edge whose ends are on one side is on that side too; else
    /// the places of the two cuts on the edge are compared.
    fn classify(&mut self, sides: &Sides) {
        self.out.clear();
        self.out.extend_from_slice(&sides.out[..self.corners]);
        for vertex in &self.vertices[self.corners..] {
            self.out.push(match vertex.origin {
                Origin::Within => sides.halfspace.excludes(vertex.position),
                _ => {
                    let [low, high] = vertex.ends.map(|e| e as usize);
                    match (sides.out[low], sides.out[high]) {
                        (true, true) => true,
                        (false, false) => false,
                        (true, false) => vertex.place < cut_place(sides.distance[low], sides.distance[high]),
                        (false, true) => vertex.place > cut_place(sides.distance[low], sides.distance[high]),
                    }
                }
            });
        }
    }

    fn cut_edge(&mut self, edge: Edge, sides: &Sides) -> u32 {
        let vertex = if edge.label == NONE {
            self.vertex_on_mesh_edge(edge.source, sides)
        } else {
            self.vertex_on_chord(edge, sides.halfspace)
        };
        self.vertices.push(vertex);
        self.vertices.len() as u32 - 1
    }

    fn vertex_on_mesh_edge(&self, source: u32, sides: &Sides) -> Vertex {
        let index = |corner: u32| match self.vertices[corner as usize].origin {
            Origin::Mesh(vertex) => vertex,
            _ => NONE,
        };
        let (a, b) = (source, self.next_corner[source as usize]);
        let [low, high] = if index(a) < index(b) { [a, b] } else { [b, a] };
        let place = cut_place(sides.distance[low as usize], sides.distance[high as usize]);
        let (from, to) = (&self.vertices[low as usize], &self.vertices[high as usize]);
        Vertex {
            origin: Origin::Edge { low: index(low), high: index(high), label: sides.label },
            ends: [low, high],
            place,
            ..between(from, to, place)
        }
    }

    fn vertex_on_chord(&self, edge: Edge, halfspace: &Halfspace) -> Vertex {
        let (from, to) = (&self.vertices[edge.from as usize], &self.vertices[edge.to as usize]);
        let place = cut_place(halfspace.plane.distance(from.position), halfspace.plane.distance(to.position));
        Vertex { origin: Origin::Within, ..between(from, to, place) }
    }

    fn sort_along(&mut self, direction: DVec3) {
        for list in [&mut self.exits, &mut self.entries] {
            for (key, vertex) in list.iter_mut() {
                *key = direction.dot(self.vertices[*vertex as usize].position);
            }
            list.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        }
    }

    /// Calls `visit` with the edges of each loop, in order.
    pub fn for_each_loop(&mut self, mut visit: impl FnMut(&[Vertex], &[Edge])) {
        self.leaving.clear();
        self.leaving.resize(self.vertices.len(), NONE);
        for (index, edge) in self.edges.iter().enumerate() {
            self.leaving[edge.from as usize] = index as u32;
        }
        for index in 0..self.edges.len() {
            let start = self.edges[index].from;
            if self.leaving[start as usize] == NONE {
                continue;
            }
            self.kept.clear();
            let mut at = start;
            while self.leaving[at as usize] != NONE {
                let edge = self.edges[self.leaving[at as usize] as usize];
                self.leaving[at as usize] = NONE;
                self.kept.push(edge);
                at = edge.to;
            }
            visit(&self.vertices, &self.kept);
        }
    }
}

/// Where on the way from a to b the distance is zero.
pub(crate) fn cut_place(a: f64, b: f64) -> f64 {
    let place = a / (a - b);
    if place.is_nan() { 0.5 } else { place.clamp(0.0, 1.0) }
}

fn between(from: &Vertex, to: &Vertex, place: f64) -> Vertex {
    let t = place as f32;
    Vertex {
        position: from.position + (to.position - from.position) * place,
        normal: from.normal + (to.normal - from.normal) * t,
        uv: from.uv + (to.uv - from.uv) * t,
        ..*from
    }
}

/// Whether a distance in canonical orientation lies beyond what `side` keeps.
#[inline]
pub(crate) fn is_out(side: Side, distance: f64) -> bool {
    (distance > 0.0) == (side == Side::Behind)
}
