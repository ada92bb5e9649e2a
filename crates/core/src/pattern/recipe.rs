//! Patterns by name: what a command line, a scene or a file asks for.

use std::fmt;
use std::str::FromStr;

use glam::DVec3;
use smithereens_geometry::Aabb;
use thiserror::Error;

use super::{
    Bricks, Cells, Falloff, Pattern, PatternError, Planes, Points, Slices, Spheres, Uniform, Web, Wood,
    check_box, parameter,
};

/// The kinds of patterns that can be made from a number of cells, a box and a seed.
///
/// ```
/// use smithereens::{pattern::PatternKind, Aabb};
/// let kind: PatternKind = "web".parse()?;
/// let pattern = kind.pattern(40, Aabb::cube(1.0), 7)?;
/// assert!(pattern.cells().len() > 20);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "lowercase"))]
pub enum PatternKind {
    /// [`Uniform`].
    Voronoi,
    /// [`Falloff`].
    Falloff,
    /// [`Spheres`].
    Spheres,
    /// [`Web`].
    Web,
    /// [`Bricks`].
    Bricks,
    /// [`Wood`].
    Wood,
    /// [`Planes`].
    Planes,
    /// [`Slices`].
    Slices,
}

/// A name that no kind of pattern has.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("there is no pattern {0:?}: use voronoi, falloff, spheres, web, bricks, wood, planes or slices")]
pub struct UnknownPattern(pub String);

/// How many times longer than wide splinters by number are.
const SLENDERNESS: f64 = 4.0;
/// Length, height and depth of a brick by number, relative to each other.
const BRICK: DVec3 = DVec3::new(2.0, 0.65, 1.0);
/// Sectors for each ring of a web by number.
const SECTORS_PER_RING: f64 = 2.5;

impl PatternKind {
    /// All kinds.
    pub const ALL: [PatternKind; 8] = [
        PatternKind::Voronoi,
        PatternKind::Falloff,
        PatternKind::Spheres,
        PatternKind::Web,
        PatternKind::Bricks,
        PatternKind::Wood,
        PatternKind::Planes,
        PatternKind::Slices,
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            PatternKind::Voronoi => "voronoi",
            PatternKind::Falloff => "falloff",
            PatternKind::Spheres => "spheres",
            PatternKind::Web => "web",
            PatternKind::Bricks => "bricks",
            PatternKind::Wood => "wood",
            PatternKind::Planes => "planes",
            PatternKind::Slices => "slices",
        }
    }

    /// A pattern of about this many cells; Voronoi kinds and slices have exactly as many.
    pub fn pattern(self, cells: usize, bounds: Aabb, seed: u64) -> Result<Pattern, PatternError> {
        self.recipe(cells, bounds, seed)?.pattern()
    }

    /// How to make a pattern of about this many cells.
    pub fn recipe(self, cells: usize, bounds: Aabb, seed: u64) -> Result<Recipe, PatternError> {
        check_box(&bounds)?;
        parameter::count("cells", cells, 1)?;
        let radius = bounds.extent() * 0.5;
        Ok(match self {
            PatternKind::Voronoi => Recipe::Voronoi(Uniform { cells, bounds, seed }),
            PatternKind::Falloff => Recipe::Falloff(Falloff { cells, bounds, seed, ..Falloff::default() }),
            PatternKind::Spheres => {
                let spheres = (libm::cbrt(cells as f64) as usize).max(1);
                Recipe::Spheres(Spheres { cells, spheres, radius, bounds, seed, ..Spheres::default() })
            }
            PatternKind::Web => Recipe::Web(web(cells, radius, bounds, seed)),
            PatternKind::Bricks => {
                let size = brick_size(bounds.volume() / cells as f64, bounds.size());
                Recipe::Bricks(Bricks { size, bounds, ..Bricks::default() })
            }
            PatternKind::Wood => Recipe::Wood(Wood::of_cells(cells, bounds, SLENDERNESS, seed)),
            PatternKind::Planes => Recipe::Planes(Planes {
                planes: Planes::planes_for(cells),
                bounds,
                seed,
                ..Planes::default()
            }),
            PatternKind::Slices => {
                Recipe::Slices(Slices { slices: cells, bounds, seed, ..Slices::default() })
            }
        })
    }
}

/// The size of a brick of this volume in a wall of this size. An odd number of bricks goes through the wall,
/// so that none is split if the impact is in its middle; length and height make up for it.
fn brick_size(volume: f64, wall: DVec3) -> DVec3 {
    let size = BRICK * libm::cbrt(volume / BRICK.element_product());
    let through = libm::round((wall.z / size.z - 1.0).max(0.0) * 0.5) * 2.0 + 1.0;
    let depth = wall.z / through;
    let stretch = libm::sqrt(size.z / depth);
    DVec3::new(size.x * stretch, size.y * stretch, depth).min(wall)
}

fn web(cells: usize, radius: f64, bounds: Aabb, seed: u64) -> Web {
    let sectors = (libm::sqrt(cells as f64 * SECTORS_PER_RING) as usize).max(3);
    let rings = (cells / sectors).saturating_sub(1);
    Web { sectors, rings, radius: radius * Web::default().radius, bounds, seed, ..Web::default() }
}

impl fmt::Display for PatternKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for PatternKind {
    type Err = UnknownPattern;

    fn from_str(name: &str) -> Result<PatternKind, UnknownPattern> {
        let found = PatternKind::ALL.into_iter().find(|kind| kind.name() == name);
        found.ok_or_else(|| UnknownPattern(name.to_owned()))
    }
}

/// How a pattern is made: what a pattern file holds.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "lowercase"))]
pub enum Recipe {
    /// Voronoi cells of evenly spread points.
    Voronoi(Uniform),
    /// Voronoi cells that grow away from the impact.
    Falloff(Falloff),
    /// Voronoi cells in shells around the impact.
    Spheres(Spheres),
    /// A spider web.
    Web(Web),
    /// Masonry.
    Bricks(Bricks),
    /// Splinters.
    Wood(Wood),
    /// Cuts any which way.
    Planes(Planes),
    /// Parallel cuts.
    Slices(Slices),
    /// Voronoi cells of the user's points.
    Points(Points),
    /// The user's cells.
    Cells(Cells),
}

impl Recipe {
    /// Makes the pattern.
    pub fn pattern(&self) -> Result<Pattern, PatternError> {
        match self {
            Recipe::Voronoi(uniform) => uniform.pattern(),
            Recipe::Falloff(falloff) => falloff.pattern(),
            Recipe::Spheres(spheres) => spheres.pattern(),
            Recipe::Web(web) => web.pattern(),
            Recipe::Bricks(bricks) => bricks.pattern(),
            Recipe::Wood(wood) => wood.pattern(),
            Recipe::Planes(planes) => planes.pattern(),
            Recipe::Slices(slices) => slices.pattern(),
            Recipe::Points(points) => points.pattern(),
            Recipe::Cells(cells) => cells.pattern(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_as_written() {
        for kind in PatternKind::ALL {
            assert_eq!(kind.to_string().parse(), Ok(kind));
        }
        assert_eq!("glass".parse::<PatternKind>(), Err(UnknownPattern("glass".into())));
    }

    #[test]
    fn about_as_many_cells_as_asked_for() {
        let bounds = Aabb::new(DVec3::new(-2.0, -1.0, -0.4), DVec3::new(2.0, 1.0, 0.4));
        for kind in PatternKind::ALL {
            for cells in [1, 8, 60, 300] {
                let made = kind.pattern(cells, bounds, 3).unwrap().cells().len();
                assert!(made * 4 >= cells && made <= cells * 3 + 6, "{kind}: {made} for {cells}");
            }
        }
    }
}
