//! Simple shapes as compounds.

use glam::{DAffine3, DQuat, DVec3};
use serde::Deserialize;
use smithereens::{Aabb, Compound, CompoundError, Convex, Piece, Slot, Solid};

/// A simple shape at a place of its own.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Part {
    /// A box: its size along x, y and z.
    #[serde(rename = "box")]
    pub size: Option<[f64; 3]>,
    /// A cylinder along y: radius and height.
    pub cylinder: Option<[f64; 2]>,
    /// A ball: its radius.
    pub ball: Option<f64>,
    /// Where its middle is.
    #[serde(default)]
    pub at: [f64; 3],
    /// How it is turned about x, then y, then z, in degrees.
    #[serde(default)]
    pub turn: [f64; 3],
}

/// Sides of a cylinder that says nothing else, and rows of a ball.
const SIDES: u32 = 20;
const ROWS: u32 = 7;

/// A box about the origin.
pub(super) fn cuboid(size: [f64; 3]) -> Option<Convex> {
    let half = DVec3::from(size) * 0.5;
    let is_sound = half.is_finite() && half.min_element() > 0.0;
    is_sound.then(|| Convex::from_box(&Aabb::new(-half, half)))
}

/// A cylinder along y about the origin, or part of a cone.
pub(super) fn cylinder(bottom: f64, top: f64, height: f64, sides: u32) -> Option<Convex> {
    let is_sound =
        [bottom, top, height].iter().all(|x| x.is_finite() && *x > 0.0) && (3..=256).contains(&sides);
    let ring = |radius: f64, y: f64| {
        (0..sides).map(move |i| {
            let angle = std::f64::consts::TAU * f64::from(i) / f64::from(sides);
            DVec3::new(libm::cos(angle) * radius, y, libm::sin(angle) * radius)
        })
    };
    let points: Vec<DVec3> = ring(bottom, -height * 0.5).chain(ring(top, height * 0.5)).collect();
    if is_sound { Convex::hull(&points) } else { None }
}

/// A ball about the origin.
pub(super) fn ball(radius: f64) -> Option<Convex> {
    if !(radius.is_finite() && radius > 0.0) {
        return None;
    }
    let mut points = vec![DVec3::Y * radius, DVec3::NEG_Y * radius];
    for row in 1..ROWS {
        let tilt = std::f64::consts::PI * f64::from(row) / f64::from(ROWS);
        for i in 0..ROWS * 2 {
            let angle =
                std::f64::consts::TAU * (f64::from(i) + 0.5 * f64::from(row % 2)) / f64::from(ROWS * 2);
            let (across, up) = (libm::sin(tilt), libm::cos(tilt));
            points.push(DVec3::new(across * libm::cos(angle), up, across * libm::sin(angle)) * radius);
        }
    }
    Convex::hull(&points)
}

/// A turn about x, then y, then z, in degrees.
pub(super) fn turn(degrees: [f64; 3]) -> DQuat {
    let about = |axis: DVec3, degrees: f64| {
        let half = degrees.to_radians() * 0.5;
        let v = axis * libm::sin(half);
        DQuat::from_xyzw(v.x, v.y, v.z, libm::cos(half))
    };
    let [x, y, z] = degrees;
    (about(DVec3::Z, z) * about(DVec3::Y, y) * about(DVec3::X, x)).normalize()
}

impl Part {
    fn convex(&self) -> Option<Convex> {
        let shape = match (self.size, self.cylinder, self.ball) {
            (Some(size), None, None) => cuboid(size),
            (None, Some([radius, height]), None) => cylinder(radius, radius, height, SIDES),
            (None, None, Some(radius)) => ball(radius),
            _ => None,
        }?;
        let place = DAffine3::from_rotation_translation(turn(self.turn), DVec3::from(self.at));
        shape.transformed(&place)
    }
}

/// A compound of one convex.
pub(super) fn whole(convex: Convex) -> Result<Compound, CompoundError> {
    Compound::from_pieces(vec![outside(convex)])
}

/// A piece whose faces are the outside of something: cuts look different from them.
fn outside(convex: Convex) -> Piece {
    match Solid::new(convex.to_mesh(Slot(0))) {
        Ok(skin) => Piece::surface(convex, skin),
        Err(_) => Piece::interior(convex),
    }
}

/// A compound of parts that may overlap. The number of the one that is wrong, if one is.
pub(super) fn parts(parts: &[Part]) -> Result<Compound, (usize, String)> {
    let mut pieces = Vec::new();
    for (index, part) in parts.iter().enumerate() {
        let convex = part
            .convex()
            .ok_or((index, "give one of box, cylinder and ball, with positive sizes".to_owned()))?;
        pieces.push(outside(convex));
    }
    Compound::from_pieces(pieces).map_err(|error: CompoundError| (0, error.to_string()))
}
