//! Text formats as lines of words. Works on bytes: names may be in any encoding, numbers are ASCII.

use std::borrow::Cow;

use glam::DVec3;

use crate::error::shortened;
use crate::{Place, Problem, ReadError};

/// The lines of a text with their numbers, whichever of `\n`, `\r\n` and `\r` ends them.
pub(crate) struct Lines<'a> {
    rest: &'a [u8],
    number: usize,
}

/// One line and its number, counted from 1.
pub(crate) struct Line<'a> {
    pub(crate) number: usize,
    pub(crate) text: Cow<'a, [u8]>,
}

impl<'a> Lines<'a> {
    pub(crate) fn of(text: &'a [u8]) -> Lines<'a> {
        let rest = text.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(text);
        Lines { rest, number: 0 }
    }

    /// The number of the line that was returned last.
    pub(crate) fn number(&self) -> usize {
        self.number
    }

    /// What follows the line that was returned last.
    pub(crate) fn rest(&self) -> &'a [u8] {
        self.rest
    }

    /// The next line without its end.
    pub(crate) fn next_plain(&mut self) -> Option<&'a [u8]> {
        if self.rest.is_empty() {
            return None;
        }
        let end = self.rest.iter().position(|b| matches!(b, b'\n' | b'\r')).unwrap_or(self.rest.len());
        let (line, rest) = self.rest.split_at(end);
        let past_end = if rest.starts_with(b"\r\n") { 2 } else { rest.len().min(1) };
        self.rest = &rest[past_end..];
        self.number += 1;
        Some(line)
    }

    /// The words of the next line that is not blank once its comment is cut off.
    pub(crate) fn next_filled(&mut self) -> Option<Words<'a>> {
        loop {
            let line = self.next_plain()?;
            let end = line.iter().position(|&b| b == b'#').unwrap_or(line.len());
            let text = line[..end].trim_ascii();
            if !text.is_empty() {
                return Some(Words { line: self.number, rest: text });
            }
        }
    }

    /// The next line, joined with the following ones while they end in a backslash.
    pub(crate) fn next_continued(&mut self) -> Option<Line<'a>> {
        let first = self.next_plain()?;
        let number = self.number;
        let Some(start) = continued(first) else {
            return Some(Line { number, text: Cow::Borrowed(first) });
        };
        let mut joined = start.to_vec();
        while let Some(part) = self.next_plain() {
            joined.push(b' ');
            match continued(part) {
                Some(start) => joined.extend_from_slice(start),
                None => {
                    joined.extend_from_slice(part);
                    break;
                }
            }
        }
        Some(Line { number, text: Cow::Owned(joined) })
    }
}

/// A line without its backslash, if it ends in one.
fn continued(line: &[u8]) -> Option<&[u8]> {
    line.trim_ascii_end().strip_suffix(b"\\")
}

impl Line<'_> {
    pub(crate) fn words(&self) -> Words<'_> {
        Words { line: self.number, rest: &self.text }
    }
}

/// The words of one line.
#[derive(Clone)]
pub(crate) struct Words<'a> {
    pub(crate) line: usize,
    rest: &'a [u8],
}

impl<'a> Words<'a> {
    pub(crate) fn of(text: &'a [u8], line: usize) -> Words<'a> {
        Words { line, rest: text }
    }

    /// Everything that is left of the line.
    pub(crate) fn rest(&self) -> &'a [u8] {
        self.rest.trim_ascii()
    }

    /// The same words without their first bytes.
    pub(crate) fn skip_bytes(mut self, count: usize) -> Words<'a> {
        self.rest = self.rest.get(count..).unwrap_or(b"");
        self
    }

    /// Everything that is left of the line as a name.
    pub(crate) fn name(&self) -> String {
        String::from_utf8_lossy(self.rest()).into_owned()
    }

    /// The next word; its absence is an error.
    pub(crate) fn require(&mut self, expected: &'static str) -> Result<&'a [u8], ReadError> {
        let missing = ReadError::At { place: Place::Line(self.line), problem: Problem::Missing { expected } };
        self.next().ok_or(missing)
    }

    /// The next word as a number, which may be infinite.
    pub(crate) fn number(&mut self) -> Result<f64, ReadError> {
        let line = self.line;
        number(self.require("a number")?, line)
    }

    /// The next three words as a finite point.
    pub(crate) fn point(&mut self) -> Result<DVec3, ReadError> {
        let mut point = DVec3::ZERO;
        for axis in 0..3 {
            let line = self.line;
            let word = self.require("a coordinate")?;
            point[axis] = finite(number(word, line)?, Place::Line(line))?;
        }
        Ok(point)
    }

    /// The next word as a number of things that follow.
    pub(crate) fn declared(&mut self) -> Result<usize, ReadError> {
        let line = self.line;
        let word = self.require("a count")?;
        parse(word).ok_or_else(|| unexpected(word, "a count", line))
    }
}

impl<'a> Iterator for Words<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        let text = self.rest.trim_ascii_start();
        if text.is_empty() {
            self.rest = text;
            return None;
        }
        let end = text.iter().position(u8::is_ascii_whitespace).unwrap_or(text.len());
        let (word, rest) = text.split_at(end);
        self.rest = rest;
        Some(word)
    }
}

/// The words of a text, whatever lines they are on.
pub(crate) struct Tokens<'a> {
    lines: Lines<'a>,
    words: Words<'a>,
}

impl<'a> Tokens<'a> {
    /// Line numbers count on from those of `lines`.
    pub(crate) fn of(lines: Lines<'a>) -> Tokens<'a> {
        let words = Words { line: lines.number(), rest: b"" };
        Tokens { lines, words }
    }

    /// The line of the word that was returned last.
    pub(crate) fn line(&self) -> usize {
        self.words.line
    }

    /// At most as many bytes as are left.
    pub(crate) fn bytes_left(&self) -> usize {
        self.words.rest.len() + self.lines.rest().len()
    }

    /// Leaves out what is left of the line.
    pub(crate) fn skip_line(&mut self) {
        self.words.rest = b"";
    }

    /// The next word; the end of the file is an error.
    pub(crate) fn require(&mut self, expected: &'static str) -> Result<&'a [u8], ReadError> {
        match self.next() {
            Some(word) => Ok(word),
            None => Place::Line(self.line()).has(Problem::Ends { expected }),
        }
    }

    /// The next word as a number, which may be infinite.
    pub(crate) fn number(&mut self, expected: &'static str) -> Result<f64, ReadError> {
        let word = self.require(expected)?;
        number(word, self.line())
    }
}

impl<'a> Iterator for Tokens<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        loop {
            if let Some(word) = self.words.next() {
                return Some(word);
            }
            let rest = self.lines.next_plain()?;
            self.words = Words { line: self.lines.number(), rest };
        }
    }
}

/// A word as anything that Rust parses.
pub(crate) fn parse<T: std::str::FromStr>(word: &[u8]) -> Option<T> {
    std::str::from_utf8(word).ok()?.parse().ok()
}

pub(crate) fn number(word: &[u8], line: usize) -> Result<f64, ReadError> {
    parse(word).ok_or_else(|| unexpected(word, "a number", line))
}

pub(crate) fn finite(value: f64, place: Place) -> Result<f64, ReadError> {
    if value.is_finite() { Ok(value) } else { place.has(Problem::NotFinite { found: value.to_string() }) }
}

/// Attributes are drawn, never cut by: one that is no number becomes zero, as if the file had none.
pub(crate) fn finite_or_zero(value: f64) -> f32 {
    let single = value as f32;
    if single.is_finite() { single } else { 0.0 }
}

pub(crate) fn unexpected(word: &[u8], expected: &'static str, line: usize) -> ReadError {
    let found = shortened(&String::from_utf8_lossy(word));
    ReadError::At { place: Place::Line(line), problem: Problem::Unexpected { found, expected } }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_in_three_ways() {
        let mut lines = Lines::of(b"a\r\nb\rc\n\nd");
        let mut seen = Vec::new();
        while let Some(line) = lines.next_plain() {
            seen.push((lines.number(), line));
        }
        assert_eq!(seen, [(1, &b"a"[..]), (2, b"b"), (3, b"c"), (4, b""), (5, b"d")]);
    }

    #[test]
    fn a_backslash_joins_lines() {
        let mut lines = Lines::of(b"f 1 \\\r\n 2 \\\n 3\nv \\");
        let line = lines.next_continued().unwrap();
        assert_eq!(line.words().collect::<Vec<_>>(), [&b"f"[..], b"1", b"2", b"3"]);
        let last = lines.next_continued().unwrap();
        assert_eq!((last.number, last.words().count()), (4, 1));
    }

    #[test]
    fn tokens_know_their_lines() {
        let mut tokens = Tokens::of(Lines::of(b"1 2\n\n 3"));
        assert_eq!(tokens.by_ref().count(), 3);
        assert_eq!(tokens.line(), 3);
    }

    #[test]
    fn numbers_must_be_finite_where_it_matters() {
        let mut lines = Lines::of(b"1 nan 3\n1e999 0 0");
        let error = lines.next_filled().unwrap().point().unwrap_err();
        assert!(error.to_string().starts_with("line 1: a coordinate is NaN"), "{error}");
        let error = lines.next_filled().unwrap().point().unwrap_err();
        assert!(error.to_string().starts_with("line 2: a coordinate is inf"), "{error}");
    }
}
