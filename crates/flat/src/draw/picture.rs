//! A picture as paths: what is drawn over what, in pixels.

use glam::DVec2;

/// A colour: red, green, blue as screens show them, and how much of it covers, from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ink {
    /// Red, green and blue.
    pub colour: [f32; 3],
    /// From 0, nothing, to 1.
    pub cover: f32,
}

impl Ink {
    /// A colour that covers.
    pub const fn of(colour: [f32; 3]) -> Ink {
        Ink { colour, cover: 1.0 }
    }

    /// Black that covers so much.
    pub const fn black(cover: f32) -> Ink {
        Ink { colour: [0.0; 3], cover }
    }

    /// White that covers so much.
    pub const fn white(cover: f32) -> Ink {
        Ink { colour: [1.0; 3], cover }
    }

    /// The same, covering so much of what it did.
    pub fn thin(self, part: f32) -> Ink {
        Ink { cover: self.cover * part, ..self }
    }

    /// So much of another colour in it.
    pub fn mixed(self, other: [f32; 3], part: f32) -> Ink {
        let mix = |i: usize| self.colour[i] + (other[i] - self.colour[i]) * part;
        Ink { colour: [mix(0), mix(1), mix(2)], ..self }
    }

    /// Lighter (more than 1) or darker.
    pub fn shaded(self, by: f32) -> Ink {
        Ink { colour: self.colour.map(|x| (x * by).clamp(0.0, 1.0)), ..self }
    }
}

/// Something drawn.
#[derive(Clone, Debug, PartialEq)]
pub enum Mark {
    /// What lies within closed lines; those that run the other way are holes.
    Fill {
        /// The lines, in pixels.
        loops: Vec<Vec<DVec2>>,
        /// Their colour.
        ink: Ink,
    },
    /// Lines with round corners.
    Stroke {
        /// The lines, in pixels.
        lines: Vec<Vec<DVec2>>,
        /// How wide, in pixels.
        width: f64,
        /// Their colour.
        ink: Ink,
    },
}

/// A picture: marks over a background that goes from one colour to another, top to bottom.
#[derive(Clone, Debug, PartialEq)]
pub struct Picture {
    /// Width and height, in pixels.
    pub size: [u32; 2],
    /// The background at the top and at the bottom.
    pub background: [[f32; 3]; 2],
    /// What is drawn, in order.
    pub marks: Vec<Mark>,
}

impl Picture {
    pub(crate) fn new(size: [u32; 2], background: [[f32; 3]; 2]) -> Picture {
        Picture { size, background, marks: Vec::new() }
    }

    pub(crate) fn fill(&mut self, loops: Vec<Vec<DVec2>>, ink: Ink) {
        self.marks.push(Mark::Fill { loops, ink });
    }

    pub(crate) fn stroke(&mut self, lines: Vec<Vec<DVec2>>, width: f64, ink: Ink) {
        if !lines.is_empty() {
            self.marks.push(Mark::Stroke { lines, width, ink });
        }
    }
}
