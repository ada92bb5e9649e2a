//! Simple shapes as compounds.

mod arch;
mod ellipsoid;
mod lathe;
mod plain;
mod prism;

use glam::{DAffine3, DQuat, DVec3};
use serde::Deserialize;
use smithereens::{Compound, CompoundError, Convex, Mesh, Piece, Slot, Solid};

pub use arch::Arch;
pub use lathe::Lathe;
pub use prism::{Along, Prism};

pub(super) use plain::{ball, cuboid, cylinder};

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
    /// An ellipsoid: its half axes along x, y and z.
    pub ellipsoid: Option<[f64; 3]>,
    /// What is turned on a lathe, about y.
    pub lathe: Option<Lathe>,
    /// An outline, drawn out to a prism.
    pub prism: Option<Prism>,
    /// Stones in an arc, about z.
    pub arch: Option<Arch>,
    /// Where its origin is.
    #[serde(default)]
    pub at: [f64; 3],
    /// How it is turned about x, then y, then z, in degrees.
    #[serde(default)]
    pub turn: [f64; 3],
}

/// A part in its own coordinates: what collides, and what is seen, if that is something else.
struct Block {
    convex: Convex,
    skin: Option<Mesh>,
}

impl Block {
    fn plain(convex: Convex) -> Block {
        Block { convex, skin: None }
    }
}

/// Of the extent of a skin: how far the convex around it reaches beyond.
const ROOM: f64 = 1e-9;

impl Part {
    fn blocks(&self) -> Result<Vec<Block>, String> {
        let plain = |convex: Option<Convex>| convex.map(|c| vec![Block::plain(c)]);
        let mut found = [
            self.size.map(|size| plain(cuboid(size)).ok_or(SIZES)),
            self.cylinder.map(|[radius, height]| plain(cylinder(radius, radius, height, SIDES)).ok_or(SIZES)),
            self.ball.map(|radius| plain(ball(radius)).ok_or(SIZES)),
            self.ellipsoid.map(ellipsoid::ellipsoid),
            self.lathe.as_ref().map(Lathe::blocks),
            self.prism.as_ref().map(Prism::blocks),
            self.arch.as_ref().map(Arch::blocks),
        ]
        .into_iter()
        .flatten();
        match (found.next(), found.next()) {
            (Some(blocks), None) => blocks.map_err(str::to_owned),
            _ => Err("give one of box, cylinder, ball, ellipsoid, lathe, prism and arch".to_owned()),
        }
    }

    fn pieces(&self) -> Result<Vec<Piece>, String> {
        let place = DAffine3::from_rotation_translation(turn(self.turn), DVec3::from(self.at));
        let placed = |block: Block| {
            let convex = block.convex.transformed(&place).ok_or("its place is not finite")?;
            let Some(mut skin) = block.skin else { return Ok(outside(convex)) };
            skin.transform(&place);
            let skin = Solid::new(skin).map_err(|error| error.to_string())?;
            Ok(Piece::surface(convex, skin))
        };
        self.blocks()?.into_iter().map(placed).collect()
    }
}

/// Sides of a cylinder that says nothing else.
const SIDES: u32 = 20;
const SIZES: &str = "its sizes must be positive";

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
        pieces.extend(part.pieces().map_err(|what| (index, what))?);
    }
    Compound::from_pieces(pieces).map_err(|error: CompoundError| (0, error.to_string()))
}
