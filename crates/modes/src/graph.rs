//! Cells and the faces between them: what goes in.

use glam::DVec3;

use crate::ModesError;

/// A small part of a solid that never breaks itself.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cell {
    /// Its volume, in cubic metres.
    pub volume: f64,
    /// Its centre, in metres.
    pub centre: DVec3,
}

/// Where two cells touch, and where the solid can break.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Face {
    /// The two cells.
    pub cells: [u32; 2],
    /// The area that they share, in square metres.
    pub area: f64,
    /// The direction from the first cell to the second, of any length.
    pub normal: DVec3,
    /// How far apart their centres are, in metres.
    pub distance: f64,
}

impl Face {
    /// A face with its normal and distance from the centres of its cells.
    pub fn between(cells: &[Cell], [a, b]: [u32; 2], area: f64) -> Face {
        let centre = |cell: u32| cells.get(cell as usize).map_or(DVec3::NAN, |c| c.centre);
        let across = centre(b) - centre(a);
        Face { cells: [a, b], area, normal: across, distance: across.length() }
    }
}

/// Cells and faces that have been checked: nothing later fails on them.
///
/// ```
/// use glam::DVec3;
/// use smithereens_modes::{Cell, CellGraph, Face, ModesError};
/// let cells = vec![
///     Cell { volume: 1.0, centre: DVec3::ZERO },
///     Cell { volume: 1.0, centre: DVec3::X },
/// ];
/// let faces = vec![Face::between(&cells, [0, 1], 1.0)];
/// let graph = CellGraph::new(cells.clone(), faces)?;
/// assert_eq!(graph.volume(), 2.0);
///
/// let loose = vec![Face::between(&cells, [0, 7], 1.0)];
/// assert_eq!(CellGraph::new(cells, loose), Err(ModesError::NoSuchCell { face: 0, cell: 7, cells: 2 }));
/// # Ok::<(), ModesError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct CellGraph {
    cells: Vec<Cell>,
    faces: Vec<Face>,
    volume: f64,
}

impl CellGraph {
    /// Takes cells and faces, or says what is wrong with them.
    ///
    /// A graph may be in several parts, and two cells may share several faces.
    pub fn new(cells: Vec<Cell>, mut faces: Vec<Face>) -> Result<CellGraph, ModesError> {
        if cells.is_empty() {
            return Err(ModesError::NoCells);
        }
        if cells.len().max(faces.len()) > i32::MAX as usize {
            return Err(ModesError::TooMany);
        }
        (0..).zip(&cells).try_for_each(|(index, cell)| check_cell(index, cell))?;
        let count = cells.len() as u32;
        (0..).zip(&mut faces).try_for_each(|(index, face)| check_face(index, face, count))?;
        let volume: f64 = cells.iter().map(|cell| cell.volume).sum();
        let area: f64 = faces.iter().map(|face| face.area).sum();
        if !(volume.is_normal() && area.is_finite()) {
            return Err(ModesError::OutOfRange);
        }
        Ok(CellGraph { cells, faces, volume })
    }

    /// The cells.
    pub fn cells(&self) -> &[Cell] {
        &self.cells
    }

    /// The faces, with normals of length one.
    pub fn faces(&self) -> &[Face] {
        &self.faces
    }

    /// The volume of all cells, in cubic metres.
    pub fn volume(&self) -> f64 {
        self.volume
    }
}

fn is_above_zero(number: f64) -> bool {
    number.is_finite() && number > 0.0
}

fn check_cell(index: u32, cell: &Cell) -> Result<(), ModesError> {
    if !is_above_zero(cell.volume) {
        return Err(ModesError::Volume { cell: index, volume: cell.volume });
    }
    if !cell.centre.is_finite() {
        return Err(ModesError::CentreNotFinite(index));
    }
    Ok(())
}

fn check_face(index: u32, face: &mut Face, cells: u32) -> Result<(), ModesError> {
    if let Some(&cell) = face.cells.iter().find(|&&cell| cell >= cells) {
        return Err(ModesError::NoSuchCell { face: index, cell, cells });
    }
    if face.cells[0] == face.cells[1] {
        return Err(ModesError::JoinsItself { face: index, cell: face.cells[0] });
    }
    if !is_above_zero(face.area) {
        return Err(ModesError::Area { face: index, area: face.area });
    }
    if !is_above_zero(face.distance) {
        return Err(ModesError::Distance { face: index, distance: face.distance });
    }
    face.normal = face.normal.try_normalize().ok_or(ModesError::Normal(index))?;
    Ok(())
}
