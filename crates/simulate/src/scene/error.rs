//! What is wrong with a scene, and in which line.

use std::fmt;
use std::ops::Range;

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
        let line = span.map(|span| source[..span.start.min(source.len())].matches('\n').count() + 1);
        SceneError { line, what: what.into() }
    }
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
