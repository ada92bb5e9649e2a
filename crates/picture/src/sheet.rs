//! Contact sheets: many pictures on one page.

use crate::{Error, Image};

/// The gap around and between pictures, in pixels.
const MARGIN: u32 = 8;
/// The page: a light grey that neither outshines the pictures nor merges with them.
const PAGE: [u8; 3] = [236, 236, 234];

/// Lays images out in a grid, row after row, each centred in a cell as large as the largest image.
///
/// ```
/// use smithereens_picture::{Image, contact_sheet};
/// let images = vec![Image::filled(40, 30, [90, 80, 70])?; 5];
/// let sheet = contact_sheet(&images, 3)?;
/// assert_eq!((sheet.width(), sheet.height()), (3 * 48 + 8, 2 * 38 + 8));
/// # Ok::<(), smithereens_picture::Error>(())
/// ```
pub fn contact_sheet(images: &[Image], columns: usize) -> Result<Image, Error> {
    if images.is_empty() {
        return Err(Error::NoImages);
    }
    let columns = columns.clamp(1, images.len());
    let rows = images.len().div_ceil(columns);
    let widest = images.iter().map(Image::width).max().unwrap_or(1);
    let highest = images.iter().map(Image::height).max().unwrap_or(1);
    let side = |count: usize, cell: u32| (count as u32).saturating_mul(cell + MARGIN).saturating_add(MARGIN);
    let mut sheet = Image::filled(side(columns, widest), side(rows, highest), PAGE)?;
    for (i, image) in images.iter().enumerate() {
        let x = side(i % columns, widest) + (widest - image.width()) / 2;
        let y = side(i / columns, highest) + (highest - image.height()) / 2;
        sheet.paste(image, x, y);
    }
    Ok(sheet)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn images_of_different_size_are_centred_in_their_cells() {
        let small = Image::filled(10, 10, [255, 0, 0]).unwrap();
        let large = Image::filled(20, 30, [0, 0, 255]).unwrap();
        let sheet = contact_sheet(&[small, large], 2).unwrap();
        assert_eq!((sheet.width(), sheet.height()), (64, 46));
        assert_eq!(sheet.pixel(8, 8), PAGE);
        assert_eq!(sheet.pixel(13, 18), [255, 0, 0]);
        assert_eq!(sheet.pixel(36, 8), [0, 0, 255]);
        assert_eq!(sheet.pixel(63, 45), PAGE);
    }

    #[test]
    fn no_images_or_too_many_are_refused() {
        assert!(matches!(contact_sheet(&[], 4), Err(Error::NoImages)));
        let wide = Image::filled(Image::MAX_SIDE, 1, [0; 3]).unwrap();
        assert!(matches!(contact_sheet(&[wide.clone(), wide], 2), Err(Error::Size { .. })));
    }
}
