//! Fixtures, generators and assertions that all tests and benches share.

pub mod assertions;
pub mod chance;
pub mod state_hash;
