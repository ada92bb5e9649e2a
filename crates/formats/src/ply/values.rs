//! The values after the header, one after another, whatever their encoding.

use super::header::{Encoding, Kind, Scalar};
use crate::text::{Lines, Tokens};
use crate::{Place, Problem, ReadError};

pub(super) enum Values<'a> {
    Text(Tokens<'a>),
    Binary { bytes: &'a [u8], at: usize, big_endian: bool },
}

impl<'a> Values<'a> {
    /// `lines` has just returned the header's last line of `file`.
    pub(super) fn after_header(file: &'a [u8], lines: Lines<'a>, encoding: Encoding) -> Values<'a> {
        if encoding == Encoding::Text {
            return Values::Text(Tokens::of(lines));
        }
        let at = file.len() - lines.rest().len();
        Values::Binary { bytes: file, at, big_endian: encoding == Encoding::BigEndian }
    }

    pub(super) fn bytes_left(&self) -> usize {
        match self {
            Values::Text(tokens) => tokens.bytes_left(),
            Values::Binary { bytes, at, .. } => bytes.len() - at,
        }
    }

    /// The next value. Every scalar type fits a double exactly.
    pub(super) fn next(&mut self, scalar: Scalar) -> Result<f64, ReadError> {
        match self {
            Values::Text(tokens) => tokens.number("a value"),
            Values::Binary { bytes, at, big_endian } => {
                let size = scalar.size();
                let Some(raw) = bytes.get(*at..*at + size) else {
                    return Place::Byte(*at).has(Problem::Ends { expected: "a value" });
                };
                *at += size;
                Ok(decode(raw, scalar, *big_endian))
            }
        }
    }

    /// Reads the length of a list and checks that its items can be there.
    pub(super) fn list_len(&mut self, count: Scalar, item: Scalar) -> Result<usize, ReadError> {
        let length = self.next(count)?;
        if length < 0.0 || length.fract() != 0.0 || !length.is_finite() {
            return self.place().has(Problem::Invalid("the length of a list is not a whole number"));
        }
        let bytes = self.bytes_left();
        let least = if matches!(self, Values::Text(_)) { 2.0 } else { item.size() as f64 };
        if length * least > bytes as f64 + 1.0 {
            let problem = Problem::TooFewBytes { what: "list items", declared: length as u64, bytes };
            return self.place().has(problem);
        }
        Ok(length as usize)
    }

    /// Reads a property into `items`: one value, or those of a list.
    pub(super) fn property(&mut self, kind: Kind, items: &mut Vec<f64>) -> Result<(), ReadError> {
        items.clear();
        match kind {
            Kind::Single(scalar) => items.push(self.next(scalar)?),
            Kind::List { count, item } => {
                for _ in 0..self.list_len(count, item)? {
                    items.push(self.next(item)?);
                }
            }
        }
        Ok(())
    }

    fn place(&self) -> Place {
        match self {
            Values::Text(tokens) => Place::Line(tokens.line()),
            Values::Binary { at, .. } => Place::Byte(*at),
        }
    }
}

fn decode(raw: &[u8], scalar: Scalar, big_endian: bool) -> f64 {
    let mut bytes = [0; 8];
    bytes[..raw.len()].copy_from_slice(raw);
    if big_endian {
        bytes[..raw.len()].reverse();
    }
    let [a, b, c, d, ..] = bytes;
    match scalar {
        Scalar::I8 => f64::from(a as i8),
        Scalar::U8 => f64::from(a),
        Scalar::I16 => f64::from(i16::from_le_bytes([a, b])),
        Scalar::U16 => f64::from(u16::from_le_bytes([a, b])),
        Scalar::I32 => f64::from(i32::from_le_bytes([a, b, c, d])),
        Scalar::U32 => f64::from(u32::from_le_bytes([a, b, c, d])),
        Scalar::F32 => f64::from(f32::from_le_bytes([a, b, c, d])),
        Scalar::F64 => f64::from_le_bytes(bytes),
    }
}
