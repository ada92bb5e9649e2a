//! What holds pieces together: edges in one line that overlap.

use glam::DVec2;

use crate::LineId;

/// Two pieces share a part of a line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bond {
    /// The piece behind the line, as an index into the compound's pieces.
    pub a: u32,
    /// The piece in front of it.
    pub b: u32,
    /// The line's identity.
    pub id: LineId,
    /// The length of the overlap.
    pub length: f64,
    /// The middle of the overlap.
    pub middle: DVec2,
}

impl Bond {
    /// The piece on the other side.
    pub fn other(&self, piece: u32) -> u32 {
        if piece == self.a { self.b } else { self.a }
    }
}
