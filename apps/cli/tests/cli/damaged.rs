//! Damaged meshes through `inspect`, `prepare` and `shatter`: each is mended, or refused with a reason.
//!
//! The campaign of `smithereens-testing` sends a thousand; these are the first of them.

use std::time::Duration;

use smithereens_testing::commands::{Fate, Program, run};

use crate::workshop::Workshop;

#[test]
fn damaged_meshes_are_mended_or_refused() {
    let program =
        Program { path: env!("CARGO_BIN_EXE_smithereens").into(), longest: Duration::from_secs(120) };
    let workshop = Workshop::new();
    let mut mended = 0;
    for seed in 0..30 {
        let outcome = run(&program, &workshop.path(&seed.to_string()), seed);
        assert_eq!(outcome.fault, None, "{}", outcome.name);
        mended += usize::from(matches!(outcome.fate, Fate::Mended(_)));
    }
    assert!(mended >= 15, "only {mended} of 30 were mended");
    assert!(workshop.files().is_empty(), "{:?}", workshop.files());
}
