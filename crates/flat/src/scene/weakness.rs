//! Where bodies break by nature, as text: bytes in hexadecimal, since only machines read them.

use std::fmt::Write as _;
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use smithereens_planar::modes::Weakness;

/// Where bodies break by nature; those that name it by its number share it.
#[derive(Clone, Debug)]
pub struct WeaknessEntry(pub Arc<Weakness>);

impl Serialize for WeaknessEntry {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let bytes = postcard::to_stdvec(&*self.0).map_err(serde::ser::Error::custom)?;
        let mut text = String::with_capacity(bytes.len() * 2);
        for byte in bytes {
            let _ = write!(text, "{byte:02x}");
        }
        serializer.serialize_str(&text)
    }
}

impl<'de> Deserialize<'de> for WeaknessEntry {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<WeaknessEntry, D::Error> {
        let text = String::deserialize(deserializer)?;
        let weakness = bytes(&text).and_then(|bytes| postcard::from_bytes::<Weakness>(&bytes).ok());
        let what = "where a body breaks by nature is damaged: leave out the line, or write the scene again";
        weakness
            .map(|weakness| WeaknessEntry(Arc::new(weakness)))
            .ok_or_else(|| serde::de::Error::custom(what))
    }
}

fn bytes(text: &str) -> Option<Vec<u8>> {
    let digits: Option<Vec<u32>> = text.chars().map(|digit| digit.to_digit(16)).collect();
    let pairs = digits?;
    let byte = |pair: &[u32]| Some((pair.first()? << 4 | pair.get(1)?) as u8);
    pairs.chunks(2).map(byte).collect()
}
