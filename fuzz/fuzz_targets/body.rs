//! Any bytes give bodies or an error, also where the checksum is right. What is loaded is saved to the same bytes, and can be drawn.
#![no_main]

use libfuzzer_sys::fuzz_target;
use smithereens::Compound;
use smithereens_formats::read_bodies;

/// The checksum that saved compounds end with: without it, all but the first check would never be reached.
fn checksum(bytes: &[u8]) -> u64 {
    let add = |hash: u64, &byte: &u8| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01B3);
    bytes.iter().fold(0xCBF2_9CE4_8422_2325, add)
}

fuzz_target!(|bytes: &[u8]| {
    let _ = read_bodies(bytes, None);
    let mut saved = bytes.to_vec();
    saved.extend(checksum(bytes).to_le_bytes());
    if let Ok(compound) = Compound::from_bytes(&saved) {
        let again = Compound::from_bytes(&compound.to_bytes()).expect("what was loaded can be saved");
        assert_eq!(again.to_bytes(), compound.to_bytes());
        compound.visible_mesh();
    }
});
