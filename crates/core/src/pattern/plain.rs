//! How geometry is written in pattern files: vectors as `[x, y, z]`, planes as `[nx, ny, nz, offset]`.

use glam::DVec3;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use smithereens_geometry::{Aabb, Plane, Side};

/// `[x, y, z]`.
pub(super) mod vector {
    use super::*;

    pub fn serialize<S: Serializer>(vector: &DVec3, to: S) -> Result<S::Ok, S::Error> {
        vector.to_array().serialize(to)
    }

    pub fn deserialize<'a, D: Deserializer<'a>>(from: D) -> Result<DVec3, D::Error> {
        <[f64; 3]>::deserialize(from).map(DVec3::from_array)
    }
}

/// `[[x, y, z], …]`.
pub(super) mod vectors {
    use super::*;

    pub fn serialize<S: Serializer>(vectors: &[DVec3], to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(vectors.iter().map(|v| v.to_array()))
    }

    pub fn deserialize<'a, D: Deserializer<'a>>(from: D) -> Result<Vec<DVec3>, D::Error> {
        let arrays = Vec::<[f64; 3]>::deserialize(from)?;
        Ok(arrays.into_iter().map(DVec3::from_array).collect())
    }
}

/// `{ min = [x, y, z], max = [x, y, z] }`.
pub(super) mod bounds {
    use super::*;

    #[derive(Serialize, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Corners {
        min: [f64; 3],
        max: [f64; 3],
    }

    pub fn serialize<S: Serializer>(bounds: &Aabb, to: S) -> Result<S::Ok, S::Error> {
        Corners { min: bounds.min.to_array(), max: bounds.max.to_array() }.serialize(to)
    }

    pub fn deserialize<'a, D: Deserializer<'a>>(from: D) -> Result<Aabb, D::Error> {
        let Corners { min, max } = Corners::deserialize(from)?;
        Ok(Aabb::new(DVec3::from_array(min), DVec3::from_array(max)))
    }
}

/// `[nx, ny, nz, offset]`.
pub(super) mod plane {
    use super::*;

    pub fn serialize<S: Serializer>(plane: &Plane, to: S) -> Result<S::Ok, S::Error> {
        let [x, y, z] = plane.normal.to_array();
        [x, y, z, plane.offset].serialize(to)
    }

    pub fn deserialize<'a, D: Deserializer<'a>>(from: D) -> Result<Plane, D::Error> {
        <[f64; 4]>::deserialize(from).map(|[x, y, z, offset]| Plane::new(DVec3::new(x, y, z), offset))
    }
}

/// `"behind"` or `"front"`.
pub(super) mod side {
    use super::*;

    #[derive(Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    enum Name {
        Behind,
        Front,
    }

    pub fn serialize<S: Serializer>(side: &Side, to: S) -> Result<S::Ok, S::Error> {
        let name = match side {
            Side::Behind => Name::Behind,
            Side::Front => Name::Front,
        };
        name.serialize(to)
    }

    pub fn deserialize<'a, D: Deserializer<'a>>(from: D) -> Result<Side, D::Error> {
        Ok(match Name::deserialize(from)? {
            Name::Behind => Side::Behind,
            Name::Front => Side::Front,
        })
    }
}

/// A whole number; seeds of the upper half are negative, since TOML has no greater numbers.
pub(super) mod seed {
    use super::*;

    pub fn serialize<S: Serializer>(seed: &u64, to: S) -> Result<S::Ok, S::Error> {
        seed.cast_signed().serialize(to)
    }

    pub fn deserialize<'a, D: Deserializer<'a>>(from: D) -> Result<u64, D::Error> {
        i64::deserialize(from).map(i64::cast_unsigned)
    }
}
