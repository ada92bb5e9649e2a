//! The header: which elements follow, how many, with which properties.

use crate::text::{Lines, Words, unexpected};
use crate::{Place, Problem, ReadError};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Encoding {
    Text,
    LittleEndian,
    BigEndian,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scalar {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    F32,
    F64,
}

impl Scalar {
    fn of(word: &[u8]) -> Option<Scalar> {
        Some(match word {
            b"char" | b"int8" => Scalar::I8,
            b"uchar" | b"uint8" => Scalar::U8,
            b"short" | b"int16" => Scalar::I16,
            b"ushort" | b"uint16" => Scalar::U16,
            b"int" | b"int32" => Scalar::I32,
            b"uint" | b"uint32" => Scalar::U32,
            b"float" | b"float32" => Scalar::F32,
            b"double" | b"float64" => Scalar::F64,
            _ => return None,
        })
    }

    pub(super) fn size(self) -> usize {
        match self {
            Scalar::I8 | Scalar::U8 => 1,
            Scalar::I16 | Scalar::U16 => 2,
            Scalar::I32 | Scalar::U32 | Scalar::F32 => 4,
            Scalar::F64 => 8,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Single(Scalar),
    List { count: Scalar, item: Scalar },
}

#[derive(Debug)]
pub(super) struct Property {
    pub(super) name: Vec<u8>,
    pub(super) kind: Kind,
}

#[derive(Debug)]
pub(super) struct Element {
    pub(super) name: Vec<u8>,
    pub(super) count: usize,
    pub(super) properties: Vec<Property>,
    /// Where it is declared, for errors about its count.
    pub(super) line: usize,
}

#[derive(Debug)]
pub(super) struct Header {
    pub(super) encoding: Encoding,
    pub(super) elements: Vec<Element>,
}

/// Reads the header and leaves `lines` at the first byte of the values.
pub(super) fn read(lines: &mut Lines) -> Result<Header, ReadError> {
    match lines.next_plain() {
        Some(magic) if magic.trim_ascii() == b"ply" => {}
        other => return Err(unexpected(other.unwrap_or_default(), "\"ply\"", 1)),
    }
    let (mut encoding, mut elements) = (None, Vec::<Element>::new());
    loop {
        let Some(mut words) = next_words(lines) else {
            return Place::Line(lines.number()).has(Problem::Ends { expected: "end_header" });
        };
        match words.next() {
            Some(b"format") => encoding = Some(format(words)?),
            Some(b"element") => elements.push(element(words)?),
            Some(b"property") => add_property(&mut elements, words)?,
            Some(b"end_header") => break,
            None | Some(b"comment" | b"obj_info") => {}
            Some(word) => return Err(unexpected(word, "a statement of a PLY header", lines.number())),
        }
    }
    match encoding {
        Some(encoding) => Ok(Header { encoding, elements }),
        None => {
            Place::Line(lines.number()).has(Problem::Missing { expected: "the format before end_header" })
        }
    }
}

fn next_words<'a>(lines: &mut Lines<'a>) -> Option<Words<'a>> {
    let text = lines.next_plain()?;
    Some(Words::of(text, lines.number()))
}

fn format(mut words: Words) -> Result<Encoding, ReadError> {
    let line = words.line;
    match words.require("the format")? {
        b"ascii" => Ok(Encoding::Text),
        b"binary_little_endian" => Ok(Encoding::LittleEndian),
        b"binary_big_endian" => Ok(Encoding::BigEndian),
        word => Err(unexpected(word, "ascii, binary_little_endian or binary_big_endian", line)),
    }
}

fn element(mut words: Words) -> Result<Element, ReadError> {
    let line = words.line;
    let name = words.require("the element's name")?.to_vec();
    Ok(Element { name, count: words.declared()?, properties: Vec::new(), line })
}

fn add_property(elements: &mut [Element], mut words: Words) -> Result<(), ReadError> {
    let line = words.line;
    let Some(element) = elements.last_mut() else {
        return Place::Line(line).has(Problem::Invalid("a property comes before any element"));
    };
    let first = words.require("the property's type")?;
    let kind = if first == b"list" {
        let count = scalar(words.require("the type of the list's length")?, line)?;
        Kind::List { count, item: scalar(words.require("the type of the list's items")?, line)? }
    } else {
        Kind::Single(scalar(first, line)?)
    };
    let name = words.require("the property's name")?.to_vec();
    element.properties.push(Property { name, kind });
    Ok(())
}

fn scalar(word: &[u8], line: usize) -> Result<Scalar, ReadError> {
    Scalar::of(word).ok_or_else(|| unexpected(word, "a scalar type such as float or uchar", line))
}

impl Element {
    /// Fails where the bytes that are left cannot hold as many as are declared.
    pub(super) fn check_count(&self, encoding: Encoding, bytes: usize) -> Result<(), ReadError> {
        let least = |property: &Property| match (encoding, property.kind) {
            // A digit and a space.
            (Encoding::Text, _) => 2,
            (_, Kind::Single(scalar)) => scalar.size(),
            (_, Kind::List { count, .. }) => count.size(),
        };
        let each: usize = self.properties.iter().map(least).sum();
        // The last value of a text needs no space.
        if self.count.saturating_mul(each) <= bytes.saturating_add(1) {
            return Ok(());
        }
        let what = match &self.name[..] {
            b"vertex" => "vertices",
            b"face" => "faces",
            _ => "elements",
        };
        let declared = self.count as u64;
        Place::Line(self.line).has(Problem::TooFewBytes { what, declared, bytes })
    }
}
