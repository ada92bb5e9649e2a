//! What a boundary voxel carries: a colour and a normal, in eight bytes.

use glam::{DVec3, Vec2, Vec3};

/// The colour and the normal of a boundary voxel.
///
/// ```
/// use smithereens_voxel::Payload;
/// use glam::DVec3;
/// let payload = Payload::new([200, 120, 40, 255], DVec3::new(0.0, 3.0, 4.0));
/// assert_eq!(payload.color(), [200, 120, 40, 255]);
/// assert!(payload.normal().distance(DVec3::new(0.0, 0.6, 0.8)) < 1e-4);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Payload {
    color: [u8; 4],
    normal: Normal,
}

impl Payload {
    /// An sRGB colour with opacity, and a normal of any length; one without a length looks up.
    pub fn new(color: [u8; 4], normal: DVec3) -> Payload {
        Payload { color, normal: Normal::of(normal) }
    }

    pub(crate) fn of(color: [u8; 4], normal: Normal) -> Payload {
        Payload { color, normal }
    }

    /// The sRGB colour, and opacity.
    pub fn color(self) -> [u8; 4] {
        self.color
    }

    /// The normal: a unit vector.
    pub fn normal(self) -> DVec3 {
        self.normal.vector()
    }

    /// The normal as it is saved.
    pub(crate) fn normal_bytes(self) -> [u8; 4] {
        self.normal.0.to_le_bytes()
    }
}

/// A direction in 32 bits: the place on an octahedron unfolded onto a square, 16 bits a side (Meyer et al. 2010).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Normal(pub u32);

impl Normal {
    pub fn of(vector: DVec3) -> Normal {
        let reach = vector.abs().element_sum();
        let on = if reach > 0.0 && reach.is_finite() { vector / reach } else { DVec3::Y };
        let (x, y) = if on.z >= 0.0 { (on.x, on.y) } else { fold(on.x, on.y) };
        let step = |x: f64| (x * 32767.0 + 0.5_f64.copysign(x)) as i16 as u16;
        Normal(u32::from(step(x)) | u32::from(step(y)) << 16)
    }

    pub fn vector(self) -> DVec3 {
        let value = |bits: u32| f64::from(bits as u16 as i16) / 32767.0;
        let (x, y) = (value(self.0), value(self.0 >> 16));
        let z = 1.0 - x.abs() - y.abs();
        let (x, y) = if z >= 0.0 { (x, y) } else { fold(x, y) };
        DVec3::new(x, y, z).normalize_or(DVec3::Y)
    }
}

/// Folds the lower half of the octahedron out, and in again.
fn fold(x: f64, y: f64) -> (f64, f64) {
    ((1.0 - y.abs()).copysign(x), (1.0 - x.abs()).copysign(y))
}

/// What gives the surface of a model its colours, asked for once a voxel.
pub trait Paint: Sync {
    /// The sRGB colour and the opacity of a face of this material slot at these texture coordinates.
    fn color(&self, slot: smithereens_geometry::Slot, uv: Vec2) -> [u8; 4];
}

/// One colour everywhere.
impl Paint for [u8; 4] {
    fn color(&self, _: smithereens_geometry::Slot, _: Vec2) -> [u8; 4] {
        *self
    }
}

/// What the inside of an object looks like where a fracture lays it open: colours that fill space, so that they are the same however it breaks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Interior {
    /// One sRGB colour.
    Plain([u8; 4]),
    /// Mottled like stone.
    Stone {
        /// The sRGB colour about which it varies.
        color: [u8; 4],
        /// How large spots are, in the object's unit.
        grain: f64,
        /// How much brightness varies: 0 is plain, 1 goes to black.
        contrast: f64,
    },
    /// Rings about an axis through a point, as in wood.
    Rings {
        /// The sRGB colours of early and of late wood.
        colors: [[u8; 4]; 2],
        /// A point on the axis.
        center: DVec3,
        /// Along the axis; any length.
        axis: DVec3,
        /// How far rings are apart, in the object's unit.
        spacing: f64,
    },
}

impl Default for Interior {
    fn default() -> Interior {
        Interior::Plain([150, 140, 128, 255])
    }
}

impl Interior {
    /// The sRGB colour and the opacity at a point of the object's space.
    pub fn color(&self, point: DVec3) -> [u8; 4] {
        match *self {
            Interior::Plain(color) => color,
            Interior::Stone { color, grain, contrast } => {
                let place = (point / grain.max(f64::MIN_POSITIVE)).as_vec3();
                let value = noise(place) + 0.5 * noise(place * 2.0) + 0.25 * noise(place * 4.0);
                // Few shades make small palettes, and voxels beside each other that share one.
                let shade = (value * SHADES).floor() / SHADES;
                shaded(color, 1.0 + contrast * f64::from(shade - 0.85))
            }
            Interior::Rings { colors, center, axis, spacing } => {
                let from = point - center;
                let along = axis.normalize_or(DVec3::Y);
                let radius = (from - along * from.dot(along)).length() / spacing.max(f64::MIN_POSITIVE);
                let within = radius - radius.floor();
                let late = within * within;
                std::array::from_fn(|i| {
                    let [early, dark] = colors.map(|color| f64::from(color[i]));
                    (early + (dark - early) * late) as u8
                })
            }
        }
    }
}

/// Shades of stone, from dark to light.
const SHADES: f32 = 24.0;

fn shaded([r, g, b, a]: [u8; 4], by: f64) -> [u8; 4] {
    let shade = |x: u8| (f64::from(x) * by).clamp(0.0, 255.0) as u8;
    [shade(r), shade(g), shade(b), a]
}

/// Smooth noise from 0 to 1, one spot a unit.
fn noise(at: Vec3) -> f32 {
    let floor = at.floor();
    let within = at - floor;
    let blend = within * within * (Vec3::splat(3.0) - 2.0 * within);
    let base = floor.as_ivec3().to_array();
    let corner = |q: usize| {
        let [x, y, z] = std::array::from_fn(|axis| base[axis].wrapping_add((q >> axis & 1) as i32) as u32);
        let mut bits =
            x.wrapping_mul(0x8da6_b343) ^ y.wrapping_mul(0xd816_3841) ^ z.wrapping_mul(0xcb1a_b31f);
        bits = (bits ^ bits >> 15).wrapping_mul(0x2c1b_3c6d);
        bits = (bits ^ bits >> 12).wrapping_mul(0x297a_2d39);
        ((bits ^ bits >> 15) >> 8) as f32 / (1 << 24) as f32
    };
    let mix = |a: f32, b: f32, t: f32| a + (b - a) * t;
    let along_x = |q: usize| mix(corner(q), corner(q + 1), blend.x);
    mix(mix(along_x(0), along_x(2), blend.y), mix(along_x(4), along_x(6), blend.y), blend.z)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn normals_keep_their_direction() {
        for i in 0..400 {
            let t = f64::from(i) * 0.37;
            let vector = DVec3::new(libm::sin(t), libm::cos(1.7 * t), libm::sin(2.3 * t + 1.0)).normalize();
            assert!(Normal::of(vector * 5.0).vector().distance(vector) < 1e-4, "{vector}");
        }
        assert_eq!(Normal::of(DVec3::ZERO).vector(), DVec3::Y);
        assert!(Normal::of(DVec3::NAN).vector().is_finite());
    }

    #[test]
    fn a_payload_has_eight_bytes() {
        assert_eq!(size_of::<Payload>(), 8);
    }

    #[test]
    fn stone_is_mottled_and_rings_are_round() {
        let stone = Interior::Stone { color: [128; 4], grain: 0.1, contrast: 0.8 };
        let shades: Vec<u8> = (0..100).map(|i| stone.color(DVec3::X * f64::from(i) * 0.03)[0]).collect();
        let (least, most) = (shades.iter().min().unwrap(), shades.iter().max().unwrap());
        assert!(most - least > 30, "{least} {most}");
        let colors = [[200, 150, 90, 255], [120, 80, 40, 255]];
        let rings = Interior::Rings { colors, center: DVec3::ZERO, axis: DVec3::Y, spacing: 0.2 };
        assert_eq!(rings.color(DVec3::new(0.3, 0.0, 0.0)), rings.color(DVec3::new(0.0, 9.0, 0.3)));
        assert_ne!(rings.color(DVec3::X * 0.21), rings.color(DVec3::X * 0.39));
    }
}
