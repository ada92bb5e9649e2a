//! The parts of a cut mesh that hang together, each a solid of its own.

use std::cell::OnceCell;

use glam::DVec3;

use crate::mass::MassSum;
use crate::{Aabb, Inside, Mesh, Solid, UnionFind};

use super::build::CapEdge;

/// Takes meshes apart; its memory is reused.
#[derive(Debug, Default)]
pub(crate) struct PartFinder {
    sets: UnionFind,
    island_of_root: Vec<u32>,
    island_of_face: Vec<u32>,
}

const NONE: u32 = u32::MAX;

impl PartFinder {
    /// The parts of a closed mesh in order of their first face. A cavity goes with the part around it.
    pub fn parts(&mut self, mesh: Mesh) -> Vec<Solid> {
        let islands = self.find_islands(&mesh);
        if islands == 1 {
            return vec![Solid::from_closed(mesh, true)];
        }
        let volumes = self.volumes(&mesh, islands);
        let has_cavities = volumes.iter().any(|&v| v < 0.0);
        if has_cavities {
            self.give_cavities_away(&mesh, &volumes);
        }
        self.shells(&mesh, islands)
            .into_iter()
            .filter(|s| !s.faces.is_empty())
            .map(|shell| Solid::from_closed(shell, !has_cavities))
            .collect()
    }

    /// The parts of what was cut from a surface that hangs together, the edges of its caps known. All of it then reaches a cap: where
    /// the caps' edges hang together it is one part, and the faces need not be asked.
    pub fn parts_of_cut(&mut self, mesh: Mesh, cap_edges: &[CapEdge]) -> Vec<Solid> {
        if self.hang_together(mesh.positions.len(), cap_edges) {
            return vec![Solid::from_closed(mesh, true)];
        }
        self.parts(mesh)
    }

    fn hang_together(&mut self, vertices: usize, edges: &[CapEdge]) -> bool {
        self.sets.reset(vertices);
        edges.iter().for_each(|edge| self.sets.join(edge.from, edge.to));
        let Some(first) = edges.first() else { return false };
        let root = self.sets.root(first.from);
        edges.iter().all(|edge| self.sets.root(edge.from) == root)
    }

    fn find_islands(&mut self, mesh: &Mesh) -> usize {
        self.sets.reset(mesh.positions.len());
        let mut corner = 0;
        for face in &mesh.faces {
            let end = mesh.loop_ends[face.loops_end as usize - 1] as usize;
            let corners = &mesh.corners[corner..end];
            let root = self.sets.root(corners[0]);
            corners[1..].iter().fold(root, |root, &vertex| self.sets.join_root(root, vertex));
            corner = end;
        }
        if (0..mesh.positions.len() as u32).all(|vertex| self.sets.root(vertex) == 0) {
            return 1;
        }
        self.island_of_root.clear();
        self.island_of_root.resize(mesh.positions.len(), NONE);
        self.island_of_face.clear();
        let mut islands = 0;
        for face in 0..mesh.faces.len() {
            let root = self.sets.root(mesh.corners[mesh.face_corners(face).start]);
            let island = &mut self.island_of_root[root as usize];
            if *island == NONE {
                *island = islands;
                islands += 1;
            }
            self.island_of_face.push(*island);
        }
        islands as usize
    }

    fn volumes(&self, mesh: &Mesh, islands: usize) -> Vec<f64> {
        let origin = mesh.positions[0];
        let mut sums = vec![MassSum::about(origin); islands];
        for face in 0..mesh.faces.len() {
            let sum = &mut sums[self.island_of_face[face] as usize];
            for corners in mesh.loops_of(face) {
                sum.add_polygon(corners.iter().map(|&v| mesh.positions[v as usize]));
            }
        }
        sums.iter().map(MassSum::volume).collect()
    }

    /// A shell of negative volume is a cavity of the smallest shell around it.
    fn give_cavities_away(&mut self, mesh: &Mesh, volumes: &[f64]) {
        let shells = self.shells(mesh, volumes.len());
        let bounds: Vec<Aabb> = shells.iter().map(Mesh::bounds).collect();
        let insides: Vec<OnceCell<Inside>> = vec![OnceCell::new(); shells.len()];
        let mut target: Vec<u32> = (0..volumes.len() as u32).collect();
        for (cavity, _) in volumes.iter().enumerate().filter(|v| *v.1 < 0.0) {
            let point = shells[cavity].positions[0];
            let mut best = f64::INFINITY;
            for (outer, &volume) in volumes.iter().enumerate() {
                let may_be_around =
                    volume > -volumes[cavity] && volume < best && bounds[outer].contains(point);
                if may_be_around && insides[outer].get_or_init(|| Inside::of(&shells[outer])).contains(point)
                {
                    best = volume;
                    target[cavity] = outer as u32;
                }
            }
        }
        self.island_of_face.iter_mut().for_each(|island| *island = target[*island as usize]);
    }

    /// The faces of each island, as meshes of their own.
    fn shells(&self, mesh: &Mesh, islands: usize) -> Vec<Mesh> {
        let mut shells: Vec<(Mesh, Vec<DVec3>)> = vec![Default::default(); islands];
        let mut local = vec![NONE; mesh.positions.len()];
        for face in 0..mesh.faces.len() {
            let (shell, positions) = &mut shells[self.island_of_face[face] as usize];
            shell.copy_face(mesh, face, |vertex| {
                let slot = &mut local[vertex as usize];
                if *slot == NONE {
                    *slot = positions.len() as u32;
                    positions.push(mesh.positions[vertex as usize]);
                }
                *slot
            });
        }
        shells.into_iter().map(|(shell, positions)| Mesh { positions, ..shell }).collect()
    }
}

impl Solid {
    /// The parts of the solid that hang together, each with the cavities in it.
    pub fn parts(self) -> Vec<Solid> {
        PartFinder::default().parts(self.into_mesh())
    }
}
