//! What is turned on a lathe: columns, their bases and capitals, urns.

use std::f64::consts::{PI, TAU};

use glam::DVec3;
use serde::Deserialize;
use smithereens::{Convex, Mesh, Slot};

use super::{Block, ROOM, SIZES};

/// What is turned on a lathe, about y.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lathe {
    /// The profile from the bottom to the top: radius and height.
    pub profile: Vec<[f64; 2]>,
    /// How many sides it has; of a fluted one, at least four a flute.
    #[serde(default = "sides")]
    pub sides: u32,
    /// How many flutes run along it.
    #[serde(default)]
    pub flutes: u32,
    /// How deep those are, of the radius.
    #[serde(default = "depth")]
    pub depth: f64,
}

fn sides() -> u32 {
    32
}

fn depth() -> f64 {
    0.06
}

/// Sides of the convex around it.
const CONVEX_SIDES: u32 = 16;
const MOST_SIDES: u32 = 1024;

impl Lathe {
    pub(super) fn blocks(&self) -> Result<Vec<Block>, &'static str> {
        let is_sound = self
            .profile
            .iter()
            .all(|[radius, height]| *radius > 0.0 && radius.is_finite() && height.is_finite());
        if !is_sound || self.profile.len() < 2 || !self.profile.is_sorted_by(|a, b| a[1] < b[1]) {
            return Err("a profile is a list of radius and height, from the bottom to the top");
        }
        let flutes = self.flutes.min(MOST_SIDES / 4);
        let sides = match flutes {
            0 => self.sides.clamp(3, MOST_SIDES),
            flutes => (self.sides.min(MOST_SIDES) / flutes).max(4) * flutes,
        };
        if !(0.0..0.5).contains(&self.depth) {
            return Err("the depth of flutes is from 0 to 0.5 of the radius");
        }
        let skin = self.skin(sides, flutes);
        let reach = (1.0 + ROOM) / libm::cos(PI / f64::from(CONVEX_SIDES));
        let around: Vec<DVec3> =
            self.profile.iter().flat_map(|p| ring(CONVEX_SIDES, p[1], |_| p[0] * reach)).collect();
        let convex = Convex::hull(&around).ok_or(SIZES)?;
        Ok(vec![Block { convex, skin: Some(skin) }])
    }

    fn skin(&self, sides: u32, flutes: u32) -> Mesh {
        let mut mesh = Mesh::default();
        for &[radius, height] in &self.profile {
            mesh.positions
                .extend(ring(sides, height, |side| radius * (1.0 - self.groove(side, sides, flutes))));
        }
        let rows = self.profile.len() as u32;
        mesh.push_polygon(&(0..sides).collect::<Vec<u32>>(), Slot(0));
        for row in 1..rows {
            let (low, high) = ((row - 1) * sides, row * sides);
            for side in 0..sides {
                let next = (side + 1) % sides;
                mesh.push_polygon(&[low + side, high + side, high + next], Slot(0));
                mesh.push_polygon(&[low + side, high + next, low + next], Slot(0));
            }
        }
        let top = (rows - 1) * sides;
        mesh.push_polygon(&(top..top + sides).rev().collect::<Vec<u32>>(), Slot(0));
        mesh
    }

    /// How far a flute goes in at a side, of the radius.
    fn groove(&self, side: u32, sides: u32, flutes: u32) -> f64 {
        if flutes == 0 {
            return 0.0;
        }
        let a_flute = sides / flutes;
        self.depth * libm::sin(PI * f64::from(side % a_flute) / f64::from(a_flute))
    }
}

/// Points around y, the way that looks clockwise from above.
fn ring(sides: u32, height: f64, radius: impl Fn(u32) -> f64) -> impl Iterator<Item = DVec3> {
    (0..sides).map(move |side| {
        let angle = TAU * f64::from(side) / f64::from(sides);
        DVec3::new(libm::cos(angle) * radius(side), height, libm::sin(angle) * radius(side))
    })
}
