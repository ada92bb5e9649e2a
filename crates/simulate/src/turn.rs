//! What a clock decided in a step: which fractures ended in it.

use serde::{Deserialize, Serialize};

/// What a step did that depended on how fast the machine is. A step that is told to do as much is the same to the bit.
///
/// Without a budget of time nothing depends on that.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Turn {
    /// How many fractures ended.
    pub finished: u32,
    /// Whether another one was begun.
    pub is_under_way: bool,
}
