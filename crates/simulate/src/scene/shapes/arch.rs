//! Arches of wedge-shaped stones.

use glam::DVec2;
use serde::Deserialize;

use super::prism::{Along, drawn};
use super::{Block, SIZES};

/// Stones in an arc, about z.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Arch {
    /// Of the opening.
    pub radius: f64,
    /// From the opening to the back of the stones.
    pub thickness: f64,
    /// Along z.
    pub depth: f64,
    /// How many stones.
    #[serde(default = "stones")]
    pub stones: u32,
    /// From where to where it goes, in degrees from x upwards.
    #[serde(default = "half")]
    pub arc: [f64; 2],
}

fn stones() -> u32 {
    9
}

fn half() -> [f64; 2] {
    [0.0, 180.0]
}

/// A curve has so many edges a stone.
const EDGES: u32 = 5;
const MOST_STONES: u32 = 256;

impl Arch {
    pub(super) fn blocks(&self) -> Result<Vec<Block>, &'static str> {
        let sizes = [self.radius, self.thickness, self.depth];
        let [from, to] = self.arc.map(f64::to_radians);
        if sizes.iter().any(|s| !(s.is_finite() && *s > 0.0)) || !(1..=MOST_STONES).contains(&self.stones) {
            return Err(SIZES);
        }
        let a_stone = (to - from) / f64::from(self.stones);
        if !(a_stone > 0.0 && a_stone <= std::f64::consts::FRAC_PI_2) {
            return Err("an arc goes up from its first angle to its second, a stone over 90 degrees at most");
        }
        let stone = |index: u32| {
            let at = |radius: f64, edge: u32| {
                let angle = from + a_stone * (f64::from(index) + f64::from(edge) / f64::from(EDGES));
                DVec2::new(libm::cos(angle), libm::sin(angle)) * radius
            };
            let back = (0..=EDGES).map(|edge| at(self.radius + self.thickness, edge));
            let front = (0..=EDGES).rev().map(|edge| at(self.radius, edge));
            drawn(&back.chain(front).collect::<Vec<DVec2>>(), self.depth, Along::Z)
        };
        (0..self.stones).map(stone).collect()
    }
}
