//! What can be wrong with a request.

/// Why there is no dust, or no step.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An option has a value that it cannot have.
    #[error("dust cannot have such `{option}`: it must be {allowed}")]
    Option {
        /// Its name.
        option: &'static str,
        /// What it can be.
        allowed: &'static str,
    },
    /// Time that does not go on.
    #[error("a step of {0} seconds cannot be made: it must be above 0 and at most 0.1")]
    Time(f64),
    /// Saved dust that does not fit together.
    #[error("the saved dust is damaged: {0}")]
    Saved(&'static str),
}
