//! Outlines drawn out to prisms: walls with slanted ends, gables, cornices.

use glam::{DVec2, DVec3};
use serde::Deserialize;
use smithereens::{Convex, Mesh, Slot};

use super::{Block, SIZES};

/// An outline, drawn out to both sides of its plane.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Prism {
    /// Corners in order, either way around: x and y, or x and z if it is drawn along y.
    pub outline: Vec<[f64; 2]>,
    /// How long it is.
    pub length: f64,
    /// Which way it is drawn.
    #[serde(default)]
    pub along: Along,
}

/// The axis that a prism is drawn along.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Along {
    /// To both sides of the plane of x and y.
    #[default]
    Z,
    /// To both sides of the floor: the outline is a ground plan.
    Y,
}

impl Prism {
    pub(super) fn blocks(&self) -> Result<Vec<Block>, &'static str> {
        let outline: Vec<DVec2> = self.outline.iter().map(|&corner| DVec2::from(corner)).collect();
        drawn(&outline, self.length, self.along).map(|block| vec![block])
    }
}

/// An outline drawn out, in the convex around it.
pub(super) fn drawn(outline: &[DVec2], length: f64, along: Along) -> Result<Block, &'static str> {
    let is_sound = outline.iter().all(|corner| corner.is_finite()) && length.is_finite() && length > 0.0;
    if !is_sound || outline.len() < 3 {
        return Err("an outline is a list of three corners or more, and its length positive");
    }
    // As seen from the end that it is drawn to.
    let seen = |corner: &DVec2| if along == Along::Y { DVec2::new(corner.x, -corner.y) } else { *corner };
    let mut outline: Vec<DVec2> = outline.iter().map(seen).collect();
    if area(&outline) < 0.0 {
        outline.reverse();
    }
    let at = |corner: &DVec2, height: f64| match along {
        Along::Z => DVec3::new(corner.x, corner.y, height),
        Along::Y => DVec3::new(corner.x, height, -corner.y),
    };
    let count = outline.len() as u32;
    let mut mesh = Mesh::default();
    for height in [-length * 0.5, length * 0.5] {
        mesh.positions.extend(outline.iter().map(|corner| at(corner, height)));
    }
    mesh.push_polygon(&(0..count).rev().collect::<Vec<u32>>(), Slot(0));
    mesh.push_polygon(&(count..2 * count).collect::<Vec<u32>>(), Slot(0));
    for side in 0..count {
        let next = (side + 1) % count;
        mesh.push_polygon(&[side, next, count + next, count + side], Slot(0));
    }
    let convex = Convex::hull(&mesh.positions).ok_or(SIZES)?;
    let is_convex = (0..outline.len()).all(|i| {
        let corner = |k: usize| outline[(i + k) % outline.len()];
        (corner(1) - corner(0)).perp_dot(corner(2) - corner(1)) > 0.0
    });
    Ok(Block { convex, skin: (!is_convex).then_some(mesh) })
}

/// Twice the area, negative if the corners go clockwise.
fn area(outline: &[DVec2]) -> f64 {
    let next = outline.iter().cycle().skip(1);
    outline.iter().zip(next).map(|(a, b)| a.perp_dot(*b)).sum()
}
