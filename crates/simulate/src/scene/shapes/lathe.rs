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
    /// Makes it a vessel, open above: how thick its wall and its bottom are. It collides as if it were full, unless it breaks by nature.
    pub wall: Option<f64>,
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
        let skin = self.skin(&self.outline()?, sides, flutes);
        let reach = (1.0 + ROOM) / libm::cos(PI / f64::from(CONVEX_SIDES));
        let around: Vec<DVec3> =
            self.profile.iter().flat_map(|p| ring(CONVEX_SIDES, p[1], |_| p[0] * reach)).collect();
        let convex = Convex::hull(&around).ok_or(SIZES)?;
        Ok(vec![Block { convex, skin: Some(skin) }])
    }

    /// The profile, and that of the inside from the rim to the bottom, if it is a vessel.
    fn outline(&self) -> Result<Vec<[f64; 2]>, &'static str> {
        let mut outline = self.profile.clone();
        let Some(wall) = self.wall else { return Ok(outline) };
        let bottom = self.profile[0][1] + wall;
        let above = self.profile.iter().rev().take_while(|[_, height]| *height > bottom);
        outline.extend(above.map(|[radius, height]| [radius - wall, *height]));
        let on_bottom = self.profile.windows(2).find(|pair| pair[1][1] > bottom).map(|pair| {
            let part = ((bottom - pair[0][1]) / (pair[1][1] - pair[0][1])).max(0.0);
            pair[0][0] + (pair[1][0] - pair[0][0]) * part
        });
        outline.extend(on_bottom.map(|radius| [radius - wall, bottom]));
        let is_sound = wall > 0.0 && on_bottom.is_some() && outline.iter().all(|[radius, _]| *radius > 0.0);
        if is_sound { Ok(outline) } else { Err("a wall must be thinner than the vessel is wide and high") }
    }

    fn skin(&self, outline: &[[f64; 2]], sides: u32, flutes: u32) -> Mesh {
        let mut mesh = Mesh::default();
        for &[radius, height] in outline {
            mesh.positions
                .extend(ring(sides, height, |side| radius * (1.0 - self.groove(side, sides, flutes))));
        }
        let rows = outline.len() as u32;
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

#[cfg(test)]
mod tests {
    use smithereens::Solid;

    use super::*;

    fn lathe(wall: f64) -> Lathe {
        Lathe { profile: vec![[0.5, 0.0], [0.5, 1.0]], sides: 64, flutes: 0, depth: 0.0, wall: Some(wall) }
    }

    #[test]
    fn a_vessel_is_hollow_down_to_its_bottom() {
        let blocks = lathe(0.1).blocks().expect("a vessel");
        let skin = blocks[0].skin.clone().expect("a skin");
        let disc = |radius: f64| 32.0 * radius * radius * libm::sin(TAU / 64.0);
        let volume = Solid::new(skin).expect("a solid").volume();
        assert!((volume - (disc(0.5) - 0.9 * disc(0.4))).abs() < 1e-12, "{volume}");
    }

    #[test]
    fn a_wall_is_thinner_than_the_vessel() {
        for wall in [0.0, -0.1, 0.5, 1.2, f64::NAN] {
            assert!(lathe(wall).blocks().is_err(), "{wall}");
        }
    }
}
