//! Fixtures, generators and assertions that all tests and benches share.
