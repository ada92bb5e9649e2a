//! Images: 8-bit sRGB pixels, and PNG in and out.

use std::path::Path;

use glam::Vec3;

use crate::Error;
use crate::tone::SRGB_TO_LINEAR;

/// An 8-bit sRGB image, rows from top to bottom. Never empty.
///
/// ```
/// use smithereens_picture::Image;
/// let image = Image::filled(4, 2, [200, 180, 160])?;
/// assert_eq!(image.pixel(3, 1), [200, 180, 160]);
/// let same = Image::from_png(&image.to_png())?;
/// assert_eq!(same, image);
/// # Ok::<(), smithereens_picture::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Image {
    width: u32,
    height: u32,
    rgb: Vec<u8>,
}

impl Image {
    /// The longest side: keeps every byte offset well inside 32 bits of signed arithmetic.
    pub const MAX_SIDE: u32 = 1 << 14;

    /// An image from its bytes: red, green and blue of each pixel, row after row.
    pub fn new(width: u32, height: u32, rgb: Vec<u8>) -> Result<Image, Error> {
        let expected = byte_count(width, height)?;
        if rgb.len() != expected {
            return Err(Error::Bytes { width, height, expected, got: rgb.len() });
        }
        Ok(Image { width, height, rgb })
    }

    /// An image of one colour.
    pub fn filled(width: u32, height: u32, color: [u8; 3]) -> Result<Image, Error> {
        let pixels = byte_count(width, height)? / 3;
        Ok(Image { width, height, rgb: color.repeat(pixels) })
    }

    /// Width in pixels.
    pub fn width(&self) -> u32 {
        self.width
    }

    /// Height in pixels.
    pub fn height(&self) -> u32 {
        self.height
    }

    /// All bytes: three a pixel, row after row.
    pub fn bytes(&self) -> &[u8] {
        &self.rgb
    }

    /// The colour of a pixel; coordinates beyond the border read the border.
    pub fn pixel(&self, x: u32, y: u32) -> [u8; 3] {
        let at = 3 * (y.min(self.height - 1) as usize * self.width as usize + x.min(self.width - 1) as usize);
        [self.rgb[at], self.rgb[at + 1], self.rgb[at + 2]]
    }

    /// The colour of each pixel, row after row.
    pub(crate) fn pixels_mut(&mut self) -> &mut [[u8; 3]] {
        self.rgb.as_chunks_mut().0
    }

    /// Copies `other` with its top left corner at (`x`, `y`), where it fits.
    pub fn paste(&mut self, other: &Image, x: u32, y: u32) {
        let columns = other.width.min(self.width.saturating_sub(x)) as usize;
        let rows = other.height.min(self.height.saturating_sub(y));
        for row in 0..rows {
            let from = 3 * row as usize * other.width as usize;
            let to = 3 * ((y + row) as usize * self.width as usize + x as usize);
            self.rgb[to..to + 3 * columns].copy_from_slice(&other.rgb[from..from + 3 * columns]);
        }
    }

    /// A 64-bit FNV-1a hash of size and pixels, for golden tests: it does not depend on how a PNG is packed.
    pub fn hash(&self) -> u64 {
        let size = [self.width.to_le_bytes(), self.height.to_le_bytes()];
        let bytes = size.iter().flatten().chain(&self.rgb);
        bytes.fold(0xcbf2_9ce4_8422_2325, |h, &b| (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3))
    }

    /// The image as a PNG file: the same bytes for the same pixels.
    pub fn to_png(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, self.width, self.height);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_compression(png::Compression::Balanced);
        encoder.set_filter(png::Filter::Adaptive);
        encoder.set_source_srgb(png::SrgbRenderingIntent::Perceptual);
        let written = encoder.write_header().and_then(|mut writer| {
            writer.write_image_data(&self.rgb)?;
            writer.finish()
        });
        written.expect("an image has pixels, and memory takes every byte");
        bytes
    }

    /// Writes the image as a PNG file.
    pub fn write_png(&self, path: impl AsRef<Path>) -> Result<(), Error> {
        Ok(std::fs::write(path, self.to_png())?)
    }

    /// Reads a PNG: grey or colour; transparency is dropped, 16-bit channels lose their low byte.
    pub fn from_png(bytes: &[u8]) -> Result<Image, Error> {
        let mut decoder = png::Decoder::new(std::io::Cursor::new(bytes));
        decoder.set_transformations(png::Transformations::normalize_to_color8());
        let mut reader = decoder.read_info()?;
        let (width, height) = reader.info().size();
        byte_count(width, height)?;
        let mut raw = vec![0; reader.output_buffer_size().ok_or(Error::Size { width, height })?];
        let frame = reader.next_frame(&mut raw)?;
        raw.truncate(frame.buffer_size());
        let rgb = match frame.color_type {
            png::ColorType::Rgb => raw,
            png::ColorType::Rgba => raw.chunks_exact(4).flat_map(|p| [p[0], p[1], p[2]]).collect(),
            png::ColorType::Grayscale => raw.iter().flat_map(|&g| [g; 3]).collect(),
            png::ColorType::GrayscaleAlpha => raw.chunks_exact(2).flat_map(|p| [p[0]; 3]).collect(),
            kind => return Err(Error::PngKind(kind)),
        };
        Image::new(width, height, rgb)
    }

    /// The linear colour at a texture coordinate: bilinear, repeating, `v` down the image as in glTF.
    pub(crate) fn sample(&self, u: f32, v: f32) -> Vec3 {
        let (x0, x1, fx) = wrap(u, self.width);
        let (y0, y1, fy) = wrap(v, self.height);
        let texel = |x, y| Vec3::from(self.pixel(x, y).map(|byte| SRGB_TO_LINEAR[byte as usize]));
        let top = texel(x0, y0) * (1.0 - fx) + texel(x1, y0) * fx;
        let bottom = texel(x0, y1) * (1.0 - fx) + texel(x1, y1) * fx;
        top * (1.0 - fy) + bottom * fy
    }
}

impl std::fmt::Debug for Image {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Image({}x{}, {:016x})", self.width, self.height, self.hash())
    }
}

fn byte_count(width: u32, height: u32) -> Result<usize, Error> {
    let side = 1..=Image::MAX_SIDE;
    if !side.contains(&width) || !side.contains(&height) {
        return Err(Error::Size { width, height });
    }
    Ok(3 * width as usize * height as usize)
}

/// The two texels around a coordinate, and how far it is from the first to the second.
fn wrap(coordinate: f32, size: u32) -> (u32, u32, f32) {
    let fraction = coordinate - coordinate.floor();
    let at = if fraction.is_finite() { fraction * size as f32 - 0.5 } else { 0.0 };
    let below = at.floor();
    let first = (below as i64).rem_euclid(i64::from(size)) as u32;
    (first, (first + 1) % size, at - below)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_size_of_nothing_or_a_wrong_number_of_bytes_is_refused() {
        assert!(matches!(Image::filled(0, 4, [0; 3]), Err(Error::Size { width: 0, height: 4 })));
        assert!(matches!(Image::filled(4, u32::MAX, [0; 3]), Err(Error::Size { .. })));
        assert!(matches!(Image::new(2, 2, vec![0; 11]), Err(Error::Bytes { expected: 12, got: 11, .. })));
    }

    #[test]
    fn sampling_repeats_and_blends() {
        let image = Image::new(2, 1, vec![0, 0, 0, 255, 255, 255]).unwrap();
        assert_eq!(image.sample(0.25, 0.5), Vec3::ZERO);
        assert_eq!(image.sample(-0.25, 7.5), Vec3::ONE);
        assert!((image.sample(0.5, 0.0).x - 0.5).abs() < 1e-6);
        assert!(image.sample(f32::NAN, f32::INFINITY).is_finite());
    }

    #[test]
    fn garbage_is_not_a_png() {
        assert!(matches!(Image::from_png(b"not a picture"), Err(Error::Png(_))));
    }
}
