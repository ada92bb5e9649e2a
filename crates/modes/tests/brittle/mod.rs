//! How tests make bodies that break by nature, and what must hold for all of them.

use smithereens::Solid;
use smithereens_modes::{Brittle, BrittleOptions, CellOptions, Projection, Strike, Weakness};
use smithereens_testing::soundness;

/// Cells across a fixture made of a distance field.
pub const FINE: usize = 40;

/// About so many cells, so many modes.
pub fn options(cells: usize, modes: usize) -> BrittleOptions {
    let cells = CellOptions { count: cells, ..CellOptions::default() };
    BrittleOptions { cells, modes, ..BrittleOptions::default() }
}

/// A blow from a corner to the middle; at one, all of the body would be as fast as pieces that part.
pub fn strike(solid: &Solid, weakness: &Weakness, strength: f64) -> Strike {
    let bounds = solid.mesh().bounds();
    Strike {
        point: bounds.max,
        impulse: (bounds.center() - bounds.max).normalize() * (strength * weakness.volume()),
        density: 1.0,
        threshold: 1.0,
        radius: f64::INFINITY,
        projection: Projection::Modes,
    }
}

/// Closed pieces with the solid's volume and its own surface outside; harder blows break no less.
pub fn check_sound(name: &str, solid: &Solid, brittle: &Brittle) {
    let compound = &brittle.compound;
    compound.pieces().iter().for_each(|piece| soundness::assert_piece_sound(piece));
    let error = ((compound.mass().volume + brittle.dropped.volume) / solid.volume() - 1.0).abs();
    assert!(error < 1e-9, "{name}: the volume is off by {error:e}");
    let mut fragments = 0;
    for strength in [0.1, 1.0, 10.0, 1e4] {
        let broken =
            brittle.weakness.fracture(compound, &strike(solid, &brittle.weakness, strength)).unwrap();
        let volume: f64 = broken.fragments.iter().map(|f| f.compound.mass().volume).sum();
        let error = (volume / compound.mass().volume - 1.0).abs();
        assert!(error < 1e-12, "{name}: the fragments' volume is off by {error:e}");
        assert!(broken.fragments.len() >= fragments, "{name}: a harder blow breaks less");
        fragments = broken.fragments.len();
    }
}

/// All but this part of the solid's surface is outside.
pub fn check_outside(name: &str, solid: &Solid, brittle: &Brittle, part: f64) {
    let outer: f64 = brittle
        .compound
        .pieces()
        .iter()
        .map(|piece| {
            let mesh = piece.to_mesh();
            let faces = (0..mesh.faces.len()).filter(|&face| mesh.faces[face].cut.is_none());
            faces.map(|face| mesh.face_area_vector(face).length() * 0.5).sum::<f64>()
        })
        .sum();
    let missing = (outer / solid.mesh().area() - 1.0).abs();
    assert!(missing < part, "{name}: {missing:e} of the surface is not outside");
}
