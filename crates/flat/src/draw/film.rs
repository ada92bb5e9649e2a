//! Pictures that move: a GIF of images, each of which says what changed.

use gif::{DisposalMethod, Encoder, Frame, Repeat};
use thiserror::Error;

use super::image::Image;
use super::palette::Census;

/// Why images make no film.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum FilmError {
    /// There are none.
    #[error("a film needs an image")]
    Empty,
    /// An image is larger than a GIF may be, or of another size than the first.
    #[error("image {0} is of another size than the first, or wider or higher than 65535 pixels")]
    Size(usize),
    /// The file could not be put together.
    #[error("the GIF could not be written: {0}")]
    Encoding(String),
}

/// Images, one after the other.
#[derive(Default)]
pub struct Film {
    images: Vec<Image>,
    census: Census,
}

impl Film {
    /// Adds an image.
    pub fn push(&mut self, image: Image) {
        self.census.count(image.pixels());
        self.images.push(image);
    }

    /// How many images there are.
    pub fn len(&self) -> usize {
        self.images.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.images.is_empty()
    }

    /// The images.
    pub fn images(&self) -> &[Image] {
        &self.images
    }

    /// The bytes of a GIF that goes on for ever, so many images a second. The last one stays for a second.
    pub fn gif(&self, rate: f64) -> Result<Vec<u8>, FilmError> {
        let size = self.images.first().ok_or(FilmError::Empty)?.size();
        let small = size.map(|pixels| u16::try_from(pixels).ok());
        let [Some(width), Some(height)] = small else { return Err(FilmError::Size(0)) };
        if let Some(other) = self.images.iter().position(|image| image.size() != size) {
            return Err(FilmError::Size(other));
        }
        let palette = self.census.palette();
        let nothing = palette.colours.len() as u8;
        let mut colours: Vec<u8> = palette.colours.as_flattened().to_vec();
        colours.extend([0, 0, 0]);
        let fault = |error: gif::EncodingError| FilmError::Encoding(error.to_string());
        let mut bytes = Vec::new();
        let mut encoder = Encoder::new(&mut bytes, width, height, &colours).map_err(fault)?;
        encoder.set_repeat(Repeat::Infinite).map_err(fault)?;
        let mut before: Vec<u8> = Vec::new();
        let mut shown = 0;
        for (index, image) in self.images.iter().enumerate() {
            let now: Vec<u8> = image.pixels().iter().map(|pixel| palette.index(*pixel)).collect();
            let is_last = index + 1 == self.images.len();
            // Hundredths of a second, so that no frame's rounding adds up.
            let until = ((index + 1) as f64 * 100.0 / rate.max(1.0) + 0.5) as u16;
            let delay = if is_last { 100 } else { until.saturating_sub(shown).max(2) };
            shown += delay;
            let frame = changed(&before, &now, [width, height], nothing);
            encoder.write_frame(&Frame { delay, ..frame }).map_err(fault)?;
            before = now;
        }
        drop(encoder);
        Ok(bytes)
    }
}

/// The part of an image that differs from the one before.
fn changed(before: &[u8], now: &[u8], [width, height]: [u16; 2], nothing: u8) -> Frame<'static> {
    let columns = usize::from(width);
    let frame = Frame { dispose: DisposalMethod::Keep, transparent: Some(nothing), ..Frame::default() };
    if before.is_empty() {
        return Frame { width, height, buffer: now.to_vec().into(), ..frame };
    }
    let differs = |at: &usize| before[*at] != now[*at];
    let (mut low, mut high) = ([columns, usize::from(height)], [0, 0]);
    for at in (0..now.len()).filter(differs) {
        let place = [at % columns, at / columns];
        low = [0, 1].map(|i| low[i].min(place[i]));
        high = [0, 1].map(|i| high[i].max(place[i] + 1));
    }
    if high == [0, 0] {
        return Frame { width: 1, height: 1, buffer: vec![nothing].into(), ..frame };
    }
    let mut buffer = Vec::with_capacity((high[0] - low[0]) * (high[1] - low[1]));
    for row in low[1]..high[1] {
        let line = row * columns + low[0]..row * columns + high[0];
        buffer.extend(line.map(|at| if differs(&at) { now[at] } else { nothing }));
    }
    let [left, top] = low.map(|x| x as u16);
    let [width, height] = [0, 1].map(|i| (high[i] - low[i]) as u16);
    Frame { left, top, width, height, buffer: buffer.into(), ..frame }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_film_has_its_frames_and_what_changed_in_them() {
        let mut film = Film::default();
        assert_eq!(film.gif(25.0), Err(FilmError::Empty));
        for step in 0..5u32 {
            let pixel = |at: u32| if at % 20 == step { [200, 30, 20] } else { [250, 250, 240] };
            film.push(Image::new([20, 10], (0..200).map(pixel).collect()));
        }
        let bytes = film.gif(25.0).unwrap();
        assert!(bytes.starts_with(b"GIF89a") && bytes.len() < 700, "{}", bytes.len());
        assert_eq!(film.gif(25.0).unwrap(), bytes);
        film.push(Image::new([3, 3], vec![[0; 3]; 9]));
        assert_eq!(film.gif(25.0), Err(FilmError::Size(5)));
    }
}
