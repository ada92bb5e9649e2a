//! Pixels, as PNG, and several of them side by side.

/// An image: red, green and blue a pixel, row by row from the top.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    size: [u32; 2],
    pixels: Vec<[u8; 3]>,
}

impl Image {
    pub(crate) fn new(size: [u32; 2], pixels: Vec<[u8; 3]>) -> Image {
        Image { size, pixels }
    }

    /// Width and height.
    pub fn size(&self) -> [u32; 2] {
        self.size
    }

    /// The pixels.
    pub fn pixels(&self) -> &[[u8; 3]] {
        &self.pixels
    }

    /// The bytes of a PNG file. Empty if the image is.
    pub fn png(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, self.size[0], self.size[1]);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_compression(png::Compression::High);
        // Writing to memory fails for no image of a size above zero.
        let written = encoder.write_header().and_then(|mut writer| {
            writer.write_image_data(self.pixels.as_flattened())?;
            writer.finish()
        });
        if written.is_ok() { bytes } else { Vec::new() }
    }

    /// Puts another image into it.
    fn put(&mut self, other: &Image, at: [u32; 2]) {
        let width = other.size[0].min(self.size[0].saturating_sub(at[0])) as usize;
        for row in 0..other.size[1].min(self.size[1].saturating_sub(at[1])) {
            let from = (row * other.size[0]) as usize;
            let to = ((row + at[1]) * self.size[0] + at[0]) as usize;
            self.pixels[to..to + width].copy_from_slice(&other.pixels[from..from + width]);
        }
    }
}

/// Room between images of a sheet, in pixels.
const GAP: u32 = 6;

/// Images side by side in rows of so many, as a contact sheet.
pub fn sheet(images: &[Image], columns: u32) -> Image {
    let columns = columns.clamp(1, images.len().max(1) as u32);
    let cell = images.iter().fold([1, 1], |most, image| [0, 1].map(|i| most[i].max(image.size[i])));
    let rows = (images.len() as u32).div_ceil(columns).max(1);
    let size = [columns * (cell[0] + GAP) + GAP, rows * (cell[1] + GAP) + GAP];
    let mut all = Image::new(size, vec![[255; 3]; size[0] as usize * size[1] as usize]);
    for (index, image) in (0..).zip(images) {
        let (column, row) = (index % columns, index / columns);
        all.put(image, [GAP + column * (cell[0] + GAP), GAP + row * (cell[1] + GAP)]);
    }
    all
}
