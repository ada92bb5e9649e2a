//! What was done, as JSON: people and scripts rely on the names.

use rayon::prelude::*;
use serde_json::{Value, json};
use smithereens::{Compound, Dropped, Fragment, Report};

use crate::check;
use crate::drawn::Drawn;

/// What can be said about a fragment.
pub struct Finding {
    /// Its line in the report.
    pub line: Value,
    /// Whether all its pieces are closed.
    pub closed: bool,
}

/// Looks at every fragment.
pub fn examine(fragments: &[Fragment], drawn: &[Drawn], density: f64) -> Vec<Finding> {
    let both = fragments.par_iter().zip(drawn);
    both.map(|(fragment, drawn)| finding(fragment, drawn, density)).collect()
}

fn finding(fragment: &Fragment, drawn: &Drawn, density: f64) -> Finding {
    let compound: &Compound = &fragment.compound;
    let closed = check::all_closed(compound);
    let mass = compound.mass();
    let line = json!({
        "name": drawn.name,
        "volume": mass.volume,
        "mass": mass.volume * density,
        "center": mass.center.to_array(),
        "pieces": compound.pieces().len(),
        "interior_pieces": compound.pieces().iter().filter(|p| p.is_interior() && !p.is_ghost()).count(),
        "bonds": compound.bonds().len(),
        "bond_area": compound.bonds().iter().fold(0.0, |sum, b| sum + b.area),
        "exposed_area": fragment.exposed.iter().fold(0.0, |sum, e| sum + e.area),
        "triangles": drawn.triangles(),
        "within_reach": fragment.colour.is_some(),
        "closed": closed,
    });
    Finding { line, closed }
}

/// The model before it broke.
pub fn input(compounds: &[Compound]) -> Value {
    let pieces = || compounds.iter().flat_map(Compound::pieces).filter(|piece| !piece.is_ghost());
    let skins = pieces().filter_map(|piece| piece.skin());
    json!({
        "triangles": skins.map(|skin| skin.mesh().triangle_count()).sum::<usize>(),
        "volume": compounds.iter().map(|c| c.mass().volume).sum::<f64>(),
        "closed": compounds.iter().all(check::all_closed),
        "pieces": pieces().count(),
    })
}

/// All fragments together.
pub fn output(fragments: &[Fragment], drawn: &[Drawn], findings: &[Finding]) -> Value {
    json!({
        "fragments": fragments.len(),
        "triangles": drawn.iter().map(Drawn::triangles).sum::<usize>(),
        "volume": volume(fragments),
        "closed": findings.iter().all(|f| f.closed),
    })
}

/// The volume of all fragments.
pub fn volume(fragments: &[Fragment]) -> f64 {
    fragments.iter().map(|f| f.compound.mass().volume).sum()
}

/// Pieces too small to keep.
pub fn dropped(dropped: &Dropped) -> Value {
    json!({ "count": dropped.count, "volume": dropped.volume })
}

/// Everything else that the library reports.
pub fn fracture(report: &Report) -> Value {
    json!({
        "touched": report.touched,
        "cells": report.cells,
        "pieces": report.pieces,
        "fragments": report.fragments,
        "islands": report.islands,
        "welds": report.welds,
        "exposed": report.exposed,
        "exposed_area": report.exposed_area,
    })
}
