//! What is wrong with a scene, and in which line.

use std::fmt;
use std::ops::Range;

use crate::OptionsError;

/// What is wrong with a scene.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SceneError {
    /// The line, from 1 on, if it is one line's fault.
    pub line: Option<usize>,
    /// What is wrong.
    pub what: String,
}

impl SceneError {
    pub(crate) fn at(source: &str, span: Option<Range<usize>>, what: impl Into<String>) -> SceneError {
        SceneError { line: span.map(|span| line_of(source, span.start)), what: what.into() }
    }
}

impl From<OptionsError> for SceneError {
    fn from(error: OptionsError) -> SceneError {
        SceneError { line: None, what: error.to_string() }
    }
}

/// The line of a place in a text, from 1 on.
pub(crate) fn line_of(source: &str, place: usize) -> usize {
    source.bytes().take(place).filter(|&byte| byte == b'\n').count() + 1
}

impl fmt::Display for SceneError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "line {line}: {}", self.what),
            None => f.write_str(&self.what),
        }
    }
}

impl std::error::Error for SceneError {}
