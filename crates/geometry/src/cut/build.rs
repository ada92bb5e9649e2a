//! A piece of a mesh being put together: whole faces, clipped faces, and caps over the cuts.

use glam::{DVec2, DVec3, Vec2};

use crate::{Cut, Face, Halfspace, Mesh, Plane, Slot};

use super::face::{FaceClipper, NONE, Origin, Vertex, cut_place};
use super::nest::Nester;

/// Where the boundary of a clipped face turns from the chord of one plane to that of another.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Turn {
    pub vertex: u32,
    pub from: u32,
    pub to: u32,
}

/// An edge of a cap on the plane `label`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CapEdge {
    pub label: u32,
    pub from: u32,
    pub to: u32,
}

/// An index that holds for one piece.
#[derive(Clone, Copy, Debug)]
struct Local {
    piece: u32,
    index: u32,
}

/// A vertex that plane `label` made on an edge of the source, and the next from the same lower end.
#[derive(Clone, Copy, Debug)]
struct OnEdge {
    high: u32,
    label: u32,
    index: u32,
    next: u32,
}

/// The piece under construction. One builder makes many pieces of one mesh, reusing its memory.
#[derive(Debug, Default)]
pub(crate) struct PieceBuilder {
    pub mesh: Mesh,
    pub clipper: FaceClipper,
    pub cap_edges: Vec<CapEdge>,
    pub turns: Vec<Turn>,
    /// Whether a loop was left out whose edges cancel.
    pub has_lost_loops: bool,
    with_normals: bool,
    with_uvs: bool,
    piece: u32,
    /// For each vertex of the source its index in the piece.
    local: Vec<Local>,
    /// Vertices made on edges of the source, in chains by the edges' lower ends, and where each of the chains starts.
    on_edges: Vec<OnEdge>,
    first_on_edge: Vec<Local>,
    corners: Vec<(u32, u32)>,
    loop_ends: Vec<u32>,
    nester: Nester,
    next: Vec<u32>,
    cap: Vec<u32>,
}

impl PieceBuilder {
    /// Starts a piece of `source`.
    pub fn begin(&mut self, source: &Mesh) {
        self.mesh = Mesh::default();
        self.with_normals = source.has_normals();
        self.with_uvs = source.has_uvs();
        self.cap_edges.clear();
        self.turns.clear();
        self.has_lost_loops = false;
        self.on_edges.clear();
        self.piece += 1;
        let nowhere = Local { piece: 0, index: NONE };
        self.local.resize(source.positions.len(), nowhere);
        self.first_on_edge.resize(source.positions.len(), nowhere);
    }

    /// Makes room for about this many faces of `source`, the piece's caps included.
    pub fn reserve(&mut self, source: &Mesh, faces: usize) {
        let corners = faces * (source.corners.len() / source.faces.len().max(1) + 1);
        self.mesh.positions.reserve(faces);
        self.mesh.corners.reserve(corners);
        self.mesh.normals.reserve(if self.with_normals { corners } else { 0 });
        self.mesh.uvs.reserve(if self.with_uvs { corners } else { 0 });
        self.mesh.loop_ends.reserve(faces + faces / 8);
        self.mesh.faces.reserve(faces + faces / 8);
    }

    fn vertex_of(&mut self, source: &Mesh, vertex: u32) -> u32 {
        let local = local(&mut self.local, self.piece, vertex);
        if local.index == NONE {
            local.index = self.mesh.positions.len() as u32;
            self.mesh.positions.push(source.positions[vertex as usize]);
        }
        local.index
    }

    /// The vertex that a plane makes on an edge of the source: known, or to be the next one.
    fn vertex_on_edge(&mut self, low: u32, high: u32, label: u32) -> u32 {
        let first = local(&mut self.first_on_edge, self.piece, low);
        let mut at = first.index;
        while let Some(known) = self.on_edges.get(at as usize) {
            if (known.high, known.label) == (high, label) {
                return known.index;
            }
            at = known.next;
        }
        let index = self.mesh.positions.len() as u32;
        self.on_edges.push(OnEdge { high, label, index, next: first.index });
        first.index = self.on_edges.len() as u32 - 1;
        index
    }

    /// Adds faces in a row as they are.
    pub fn add_whole_faces(&mut self, source: &Mesh, faces: std::ops::Range<usize>) {
        let (mesh, locals, piece) = (&mut self.mesh, &mut self.local[..], self.piece);
        let loops = source.face_loops(faces.start).start..source.face_loops(faces.end - 1).end;
        let corners = source.loop_corners(loops.start).start..source.loop_corners(loops.end - 1).end;
        let corner_shift = (mesh.corners.len() as u32).wrapping_sub(corners.start as u32);
        let loop_shift = (mesh.loop_ends.len() as u32).wrapping_sub(loops.start as u32);
        mesh.corners.extend(source.corners[corners.clone()].iter().map(|&vertex| {
            let local = local(locals, piece, vertex);
            if local.index == NONE {
                local.index = mesh.positions.len() as u32;
                mesh.positions.push(source.positions[vertex as usize]);
            }
            local.index
        }));
        if self.with_normals {
            mesh.normals.extend_from_slice(&source.normals[corners.clone()]);
        }
        if self.with_uvs {
            mesh.uvs.extend_from_slice(&source.uvs[corners]);
        }
        mesh.loop_ends.extend(source.loop_ends[loops].iter().map(|&end| end.wrapping_add(corner_shift)));
        let moved = |face: &Face| Face { loops_end: face.loops_end.wrapping_add(loop_shift), ..*face };
        mesh.faces.extend(source.faces[faces].iter().map(moved));
    }

    /// Adds the part of a face that lies behind one plane: the corners that `is_kept` tells, which hang together.
    pub fn add_halved_face(
        &mut self,
        source: &Mesh,
        face: usize,
        label: u32,
        halfspace: &Halfspace,
        is_kept: impl Fn(u32) -> bool,
    ) {
        let corners = source.face_corners(face);
        let after = |corner: usize| if corner + 1 == corners.end { corners.start } else { corner + 1 };
        let enters = |&c: &usize| !is_kept(source.corners[c]) && is_kept(source.corners[after(c)]);
        let Some(mut at) = corners.clone().find(enters) else { return };
        let entry = self.cut_edge(source, [at, after(at)], label, halfspace);
        let mut before = at;
        at = after(at);
        while is_kept(source.corners[at]) {
            let vertex = self.vertex_of(source, source.corners[at]);
            self.mesh.corners.push(vertex);
            if self.with_normals {
                self.mesh.normals.push(source.normals[at]);
            }
            if self.with_uvs {
                self.mesh.uvs.push(source.uvs[at]);
            }
            (at, before) = (after(at), at);
        }
        let exit = self.cut_edge(source, [before, at], label, halfspace);
        self.cap_edges.push(CapEdge { label, from: entry, to: exit });
        self.mesh.end_loop();
        self.mesh.end_face(source.faces[face].slot, source.faces[face].cut);
    }

    /// Adds the corner where a plane cuts the edge between two corners.
    fn cut_edge(&mut self, source: &Mesh, [a, b]: [usize; 2], label: u32, halfspace: &Halfspace) -> u32 {
        let [low, high] = if source.corners[a] < source.corners[b] { [a, b] } else { [b, a] };
        let ends = [source.corners[low], source.corners[high]];
        let next = self.mesh.positions.len() as u32;
        let vertex = self.vertex_on_edge(ends[0], ends[1], label);
        self.mesh.corners.push(vertex);
        if vertex == next || self.with_normals || self.with_uvs {
            let [from, to] = ends.map(|v| source.positions[v as usize]);
            let place = cut_place(halfspace.plane.distance(from), halfspace.plane.distance(to));
            let t = place as f32;
            if vertex == next {
                self.mesh.positions.push(from + (to - from) * place);
            }
            if self.with_normals {
                let (from, to) = (source.normals[low], source.normals[high]);
                self.mesh.normals.push(from + (to - from) * t);
            }
            if self.with_uvs {
                let (from, to) = (source.uvs[low], source.uvs[high]);
                self.mesh.uvs.push(from + (to - from) * t);
            }
        }
        vertex
    }

    /// Adds what the clipper left of a face, and notes its chords and turns for the caps.
    pub fn add_clipped_face(&mut self, source: &Mesh, face: usize) {
        let mut clipper = std::mem::take(&mut self.clipper);
        self.corners.clear();
        self.loop_ends.clear();
        clipper.for_each_loop(|vertices, edges| {
            let start = self.corners.len();
            for edge in edges {
                let local = self.place(source, &vertices[edge.from as usize]);
                self.corners.push((local, edge.from));
            }
            for (i, edge) in edges.iter().enumerate() {
                let after = if i + 1 == edges.len() { 0 } else { i + 1 };
                let (from, to) = (self.corners[start + i].0, self.corners[start + after].0);
                if edge.label == NONE {
                    continue;
                }
                self.cap_edges.push(CapEdge { label: edge.label, from: to, to: from });
                let next = edges[after].label;
                if next != NONE && next != edge.label {
                    self.turns.push(Turn { vertex: to, from: edge.label, to: next });
                }
            }
            if self.corners.len() - start < 3 {
                self.corners.truncate(start); // there and back: its edges cancel
                self.has_lost_loops = true;
            } else {
                self.loop_ends.push(self.corners.len() as u32);
            }
        });
        self.emit_loops(source, face, &clipper.vertices);
        self.clipper = clipper;
    }

    fn place(&mut self, source: &Mesh, vertex: &Vertex) -> u32 {
        let next = self.mesh.positions.len() as u32;
        match vertex.origin {
            Origin::Mesh(index) => return self.vertex_of(source, index),
            Origin::Edge { low, high, label } => {
                let known = self.vertex_on_edge(low, high, label);
                if known != next {
                    return known;
                }
            }
            Origin::Within => {}
        }
        self.mesh.positions.push(vertex.position);
        next
    }

    fn emit_loops(&mut self, source: &Mesh, face: usize, vertices: &[Vertex]) {
        let origin = source.faces[face];
        if self.loop_ends.len() <= 1 {
            if !self.loop_ends.is_empty() {
                self.emit_loop(0, vertices);
                self.mesh.end_face(origin.slot, origin.cut);
            }
            return;
        }
        let (u, v) = plane_axes(source.face_normal(face));
        self.nester.clear();
        for index in 0..self.loop_ends.len() {
            let range = range_of(&self.loop_ends, index);
            self.nester.push_loop(self.corners[range].iter().map(|&(local, _)| {
                let p = self.mesh.positions[local as usize];
                DVec2::new(p.dot(u), p.dot(v))
            }));
        }
        let parents = self.nester.parents().to_vec();
        for outer in (0..parents.len()).filter(|&l| parents[l] == NONE) {
            self.emit_loop(outer, vertices);
            for hole in (0..parents.len()).filter(|&l| parents[l] == outer as u32) {
                self.emit_loop(hole, vertices);
            }
            self.mesh.end_face(origin.slot, origin.cut);
        }
    }

    fn emit_loop(&mut self, index: usize, vertices: &[Vertex]) {
        for &(local, vertex) in &self.corners[range_of(&self.loop_ends, index)] {
            self.mesh.corners.push(local);
            if self.with_normals {
                self.mesh.normals.push(vertices[vertex as usize].normal);
            }
            if self.with_uvs {
                self.mesh.uvs.push(vertices[vertex as usize].uv);
            }
        }
        self.mesh.end_loop();
    }

    /// Adds the faces that directed edges enclose on a plane; `false` if the edges are not closed, that is
    /// unless every vertex is left by as many of them, at most one, as reach it.
    pub fn cap(&mut self, edges: &[CapEdge], outward: &Plane, cut: Option<Cut>) -> bool {
        if !self.find_cap_loops(edges) {
            return false;
        }
        let (u, v) = plane_axes(outward.normal);
        if self.loop_ends.len() == 1 {
            self.emit_cap_loop(0, outward, (u, v));
            self.mesh.end_face(Slot::INTERIOR, cut);
            return true;
        }
        self.nester.clear();
        for index in 0..self.loop_ends.len() {
            self.nester.push_loop(self.cap[range_of(&self.loop_ends, index)].iter().map(|&c| {
                let p = self.mesh.positions[c as usize];
                DVec2::new(p.dot(u), p.dot(v))
            }));
        }
        let parents = self.nester.parents().to_vec();
        for outer in (0..parents.len()).filter(|&l| parents[l] == NONE) {
            self.emit_cap_loop(outer, outward, (u, v));
            for hole in (0..parents.len()).filter(|&l| parents[l] == outer as u32) {
                self.emit_cap_loop(hole, outward, (u, v));
            }
            self.mesh.end_face(Slot::INTERIOR, cut);
        }
        true
    }

    fn find_cap_loops(&mut self, edges: &[CapEdge]) -> bool {
        self.cap.clear();
        self.loop_ends.clear();
        self.next.resize(self.mesh.positions.len().max(self.next.len()), NONE);
        let mut closed = true;
        for edge in edges {
            closed &= self.next[edge.from as usize] == NONE;
            self.next[edge.from as usize] = edge.to;
        }
        for edge in edges {
            let begin = self.cap.len();
            let mut at = edge.from;
            while self.next[at as usize] != NONE {
                self.cap.push(at);
                at = std::mem::replace(&mut self.next[at as usize], NONE);
            }
            closed &= at == edge.from;
            match self.cap.len() - begin {
                0 => {}
                1 | 2 => {
                    self.cap.truncate(begin); // there and back: its edges cancel
                    self.has_lost_loops = true;
                }
                _ => self.loop_ends.push(self.cap.len() as u32),
            }
        }
        closed
    }

    /// A loop of a cut face: flat normals, and uvs that measure the plane.
    fn emit_cap_loop(&mut self, index: usize, outward: &Plane, (u, v): (DVec3, DVec3)) {
        for &corner in &self.cap[range_of(&self.loop_ends, index)] {
            self.mesh.corners.push(corner);
            if self.with_normals {
                self.mesh.normals.push(outward.normal.as_vec3());
            }
            if self.with_uvs {
                let p = self.mesh.positions[corner as usize];
                self.mesh.uvs.push(Vec2::new(p.dot(u) as f32, p.dot(v) as f32));
            }
        }
        self.mesh.end_loop();
    }
}

/// What holds for a vertex of the source in this piece: nothing yet, if it held for another.
#[inline]
fn local(locals: &mut [Local], piece: u32, vertex: u32) -> &mut Local {
    let local = &mut locals[vertex as usize];
    if local.piece != piece {
        *local = Local { piece, index: NONE };
    }
    local
}

fn range_of(ends: &[u32], index: usize) -> std::ops::Range<usize> {
    let start = if index == 0 { 0 } else { ends[index - 1] as usize };
    start..ends[index] as usize
}

pub(crate) fn plane_axes(normal: DVec3) -> (DVec3, DVec3) {
    if normal == DVec3::ZERO { (DVec3::X, DVec3::Y) } else { normal.any_orthonormal_pair() }
}
