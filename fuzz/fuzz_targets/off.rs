//! Any bytes give a model or an error. What is read must be fit to be written.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(model) = smithereens_formats::read_off(bytes) {
        smithereens_formats::write_ply(&model.mesh).expect("what was read is consistent");
    }
});
