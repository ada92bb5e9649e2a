//! Clouds of points, a file a frame: how dust gets to an artist.

use crate::WriteError;

/// A point of a cloud, for example a particle of dust.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CloudPoint {
    /// Where it is.
    pub at: [f32; 3],
    /// How far it reaches.
    pub radius: f32,
    /// The share of light that it holds back.
    pub opacity: f32,
    /// How far it is turned about the view, in radians.
    pub turn: f32,
    /// Its colour, sRGB.
    pub color: [u8; 3],
}

const HEADER: [&str; 9] = [
    "float x",
    "float y",
    "float z",
    "float radius",
    "float opacity",
    "float turn",
    "uchar red",
    "uchar green",
    "uchar blue",
];
/// Bytes of a point.
const POINT: usize = 6 * 4 + 3;

/// Writes points as binary little-endian PLY, without faces: `x y z radius opacity turn` as floats, `red green blue` as bytes.
///
/// A frame a file, numbered (`dust.0001.ply`), is a sequence as particle tools know it. Readers that keep properties they have no use for, as those of
/// Houdini and newer Blenders do, have radius, opacity and turn as attributes of those names.
///
/// ```
/// use smithereens_formats::{CloudPoint, write_cloud};
/// let point = CloudPoint { at: [1.0, 2.0, 3.0], radius: 0.5, opacity: 0.2, turn: 0.0, color: [180, 170, 150] };
/// let bytes = write_cloud(&[point; 3])?;
/// assert!(bytes.starts_with(b"ply\nformat binary_little_endian 1.0\nelement vertex 3\n"));
/// # Ok::<(), smithereens_formats::WriteError>(())
/// ```
pub fn write_cloud(points: &[CloudPoint]) -> Result<Vec<u8>, WriteError> {
    let numbers = |p: &CloudPoint| [p.at[0], p.at[1], p.at[2], p.radius, p.opacity, p.turn];
    if let Some(vertex) = points.iter().position(|point| numbers(point).iter().any(|n| !n.is_finite())) {
        return Err(WriteError::NotFinite { place: "cloud".into(), vertex });
    }
    let properties: String = HEADER.iter().map(|property| format!("property {property}\n")).collect();
    let count = points.len();
    let head =
        format!("ply\nformat binary_little_endian 1.0\nelement vertex {count}\n{properties}end_header\n");
    let mut out = head.into_bytes();
    out.reserve_exact(count * POINT);
    for point in points {
        numbers(point).iter().for_each(|n| out.extend(n.to_le_bytes()));
        out.extend(point.color);
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ply::header::{self, Encoding, Kind};
    use crate::ply::values::Values;
    use crate::text::Lines;

    fn point(i: usize) -> CloudPoint {
        let n = i as f32;
        CloudPoint {
            at: [n, -n, 0.1 * n],
            radius: n + 0.5,
            opacity: 0.25,
            turn: -n,
            color: [i as u8, 7, 255],
        }
    }

    /// Read with the reader of the same crate: names, types and values of all that was written.
    #[test]
    fn a_cloud_reads_back_as_it_was() {
        let points: Vec<CloudPoint> = (0..100).map(point).collect();
        let bytes = write_cloud(&points).unwrap();
        let mut lines = Lines::of(&bytes);
        let header = header::read(&mut lines).unwrap();
        assert_eq!((header.encoding, header.elements.len()), (Encoding::LittleEndian, 1));
        let element = &header.elements[0];
        assert_eq!((&element.name[..], element.count), (&b"vertex"[..], 100));
        let names: Vec<&str> =
            element.properties.iter().map(|p| std::str::from_utf8(&p.name).unwrap()).collect();
        assert_eq!(names, ["x", "y", "z", "radius", "opacity", "turn", "red", "green", "blue"]);
        let mut values = Values::after_header(&bytes, lines, header.encoding);
        for point in &points {
            let mut next = |property: usize| match element.properties[property].kind {
                Kind::Single(scalar) => values.next(scalar).unwrap(),
                Kind::List { .. } => panic!("no lists"),
            };
            let read: Vec<f64> = (0..9).map(&mut next).collect();
            let floats = [point.at[0], point.at[1], point.at[2], point.radius, point.opacity, point.turn];
            let expected = floats.map(f64::from).into_iter().chain(point.color.map(f64::from));
            assert!(read.into_iter().eq(expected));
        }
        assert_eq!(values.bytes_left(), 0);
    }

    #[test]
    fn an_empty_cloud_is_a_frame_and_a_point_nowhere_is_named() {
        assert!(write_cloud(&[]).unwrap().ends_with(b"end_header\n"));
        let lost = CloudPoint { turn: f32::NAN, ..point(1) };
        let error = write_cloud(&[point(0), lost]).unwrap_err();
        assert!(error.to_string().contains("vertex 1"), "{error}");
    }
}
