//! Pattern files: TOML that a person can read and write.
//!
//! One table, named after the kind: a recipe with its parameters (those left out have their defaults), the user's
//! points, or the user's cells.
//!
//! ```toml
//! [web]
//! sectors = 9
//! bounds = { min = [-1, -1, -0.1], max = [1, 1, 0.1] }
//! ```

use std::path::{Path, PathBuf};

use thiserror::Error;

use super::{Pattern, PatternError, Recipe};

/// Why a file makes no pattern.
#[derive(Debug, Error)]
pub enum PatternFileError {
    /// The file cannot be read or written.
    #[error("{}: {error}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What went wrong.
        error: std::io::Error,
    },
    /// It is no TOML, or not of the right shape. The message names the line.
    #[error("{0}")]
    Syntax(#[from] toml::de::Error),
    /// It is well formed, but makes no pattern. The message names the cell.
    #[error(transparent)]
    Pattern(#[from] PatternError),
    /// It cannot be written as TOML.
    #[error("the pattern cannot be written: {0}")]
    Write(#[from] toml::ser::Error),
}

impl Recipe {
    /// Reads a recipe. The pattern is not made yet.
    ///
    /// ```
    /// use smithereens::pattern::Recipe;
    /// let recipe = Recipe::from_toml("[voronoi]\ncells = 12\n")?;
    /// assert_eq!(recipe.pattern()?.cells().len(), 12);
    /// # Ok::<(), smithereens::pattern::PatternFileError>(())
    /// ```
    pub fn from_toml(text: &str) -> Result<Recipe, PatternFileError> {
        Ok(toml::from_str(text)?)
    }

    /// Writes the recipe.
    pub fn to_toml(&self) -> Result<String, PatternFileError> {
        Ok(toml::to_string(self)?)
    }

    /// Reads a recipe from a file.
    pub fn load(path: impl AsRef<Path>) -> Result<Recipe, PatternFileError> {
        let path = path.as_ref();
        let text = std::fs::read_to_string(path)
            .map_err(|error| PatternFileError::Io { path: path.to_owned(), error })?;
        Recipe::from_toml(&text)
    }

    /// Writes the recipe to a file.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), PatternFileError> {
        let path = path.as_ref();
        std::fs::write(path, self.to_toml()?)
            .map_err(|error| PatternFileError::Io { path: path.to_owned(), error })
    }
}

impl Pattern {
    /// Makes the pattern that a file describes.
    pub fn load(path: impl AsRef<Path>) -> Result<Pattern, PatternFileError> {
        Ok(Recipe::load(path)?.pattern()?)
    }

    /// Writes the cells themselves to a file, however they were made.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), PatternFileError> {
        Recipe::Cells(self.into()).save(path)
    }
}
