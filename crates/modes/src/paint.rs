//! What a solid is painted with: materials whose faults cost more, or never open (Figure 18 of the paper).
//!
//! Paint is on the surface. A cell has that of most of the surface in it, and a cell within that of the nearest one with any, along faces of cells.

use smithereens::{Compound, Mesh, Slot};

use crate::CellGraph;

/// How hard it is to open a fault next to what has a material.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Paint {
    /// The material.
    pub slot: Slot,
    /// How many times its area a fault costs; from [`crate::UNBREAKABLE`] on none opens.
    pub eta: f64,
}

/// The factor of each cell. `parts` are the solid in parts, each of which lies in the cell that `cell_of` tells.
pub(crate) fn factors(
    graph: &CellGraph,
    parts: &Compound,
    cell_of: impl Fn(usize) -> u32,
    paints: &[Paint],
) -> Vec<f64> {
    // The area of each paint in each cell, and of all that is not painted last.
    let mut areas = vec![vec![0.0; paints.len() + 1]; graph.cells().len()];
    for (index, piece) in parts.pieces().iter().enumerate() {
        let of_cell = &mut areas[cell_of(index) as usize];
        if let Some(skin) = piece.skin() {
            add_areas(skin.mesh(), paints, of_cell);
        }
    }
    let most = |of_cell: &Vec<f64>| {
        let larger = |a: usize, b: usize| if of_cell[b] > of_cell[a] { b } else { a };
        (0..of_cell.len()).reduce(larger).filter(|&paint| of_cell[paint] > 0.0)
    };
    let paint_of: Vec<Option<usize>> = areas.iter().map(most).collect();
    let factor =
        |paint: Option<usize>| paint.and_then(|paint| paints.get(paint)).map_or(1.0, |paint| paint.eta);
    spread_inward(graph, paint_of).into_iter().map(factor).collect()
}

fn add_areas(mesh: &Mesh, paints: &[Paint], areas: &mut [f64]) {
    for (index, face) in mesh.faces.iter().enumerate().filter(|(_, face)| face.cut.is_none()) {
        let paint = paints.iter().position(|paint| paint.slot == face.slot).unwrap_or(paints.len());
        areas[paint] += mesh.face_area_vector(index).length() * 0.5;
    }
}

/// Cells without any take that of the first that reaches them, ring by ring, the lowest of equals.
fn spread_inward(graph: &CellGraph, mut paint_of: Vec<Option<usize>>) -> Vec<Option<usize>> {
    loop {
        let mut reached: Vec<(u32, usize)> = Vec::new();
        for face in graph.faces() {
            for [from, to] in [face.cells, [face.cells[1], face.cells[0]]] {
                if let (Some(paint), None) = (paint_of[from as usize], paint_of[to as usize]) {
                    reached.push((to, paint));
                }
            }
        }
        if reached.is_empty() {
            return paint_of;
        }
        reached.sort_unstable();
        reached.dedup_by_key(|&mut (cell, _)| cell);
        reached.into_iter().for_each(|(cell, paint)| paint_of[cell as usize] = Some(paint));
    }
}
