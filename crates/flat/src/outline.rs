//! What of a body is drawn: the outline of all its pieces together, and which of its edges were laid open.

use std::sync::OnceLock;

use glam::DVec2;
use smithereens_planar::Compound;

/// A closed line around a body, or around a hole in it.
#[derive(Clone, Debug, PartialEq)]
pub struct Loop {
    /// The corners: counter-clockwise around the body, clockwise around a hole.
    pub points: Vec<DVec2>,
    /// For each corner whether the edge from there to the next was laid open when something broke.
    pub is_broken: Vec<bool>,
}

/// The merged outline of a body, in the compound's coordinates. It is made when it is first asked for.
#[derive(Debug)]
pub struct Outline {
    compound: Compound,
    first_cut: u64,
    made: OnceLock<Vec<Loop>>,
}

impl Outline {
    pub(crate) fn new(compound: &Compound, first_cut: u64) -> Outline {
        Outline { compound: compound.clone(), first_cut, made: OnceLock::new() }
    }

    /// The loops: outer ones and holes, to be filled by the even-odd rule.
    pub fn loops(&self) -> &[Loop] {
        self.made.get_or_init(|| {
            let shapes = self.compound.outline();
            let loops = shapes.iter().flat_map(|shape| shape.loops());
            let drawn = loops.map(|edges| Loop {
                points: edges.iter().map(|edge| edge.start).collect(),
                is_broken: edges
                    .iter()
                    .map(|edge| edge.cut.is_some_and(|cut| cut.id().number() >= self.first_cut))
                    .collect(),
            });
            drawn.collect()
        })
    }
}
