//! A glTF document with its buffers, out of a GLB container or a text with files around it.

use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;

use super::schema::{BufferView, Root};
use crate::error::shortened;
use crate::files::Neighbours;
use crate::{Place, Problem, ReadError};

pub(super) struct Document {
    pub(super) root: Root,
    buffers: Vec<Arc<[u8]>>,
}

impl Document {
    pub(super) fn read(bytes: &[u8], neighbours: &mut Neighbours) -> Result<Document, ReadError> {
        let (json, binary) = if bytes.starts_with(b"glTF") { chunks(bytes)? } else { (bytes, None) };
        let json = json.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(json);
        let root: Root = serde_json::from_slice(json)?;
        check_supported(&root)?;
        let buffers = (0..root.buffers.len()).map(|i| buffer(&root, i, binary, neighbours));
        let buffers = buffers.collect::<Result<_, _>>()?;
        Ok(Document { root, buffers })
    }

    /// All bytes that the document can refer to.
    pub(super) fn buffer_bytes(&self) -> usize {
        self.buffers.iter().map(|b| b.len()).sum()
    }

    pub(super) fn view(&self, index: usize) -> Result<(&[u8], &BufferView), ReadError> {
        let view = entry(&self.root.buffer_views, index, "buffer view")?;
        let buffer = entry(&self.buffers, view.buffer, "buffer")?;
        let end = view.byte_offset.checked_add(view.byte_length);
        match end.and_then(|end| buffer.get(view.byte_offset..end)) {
            Some(bytes) => Ok((bytes, view)),
            None => Place::thing("buffer view", index).has(Problem::TooFewBytes {
                what: "bytes",
                declared: view.byte_length as u64,
                bytes: buffer.len().saturating_sub(view.byte_offset),
            }),
        }
    }
}

/// An entry of one of the document's lists.
pub(super) fn entry<'a, T>(list: &'a [T], index: usize, what: &'static str) -> Result<&'a T, ReadError> {
    match list.get(index) {
        Some(found) => Ok(found),
        None => Place::Thing("glTF document".to_owned()).has(Problem::OutOfRange {
            referrer: "it",
            what,
            index: i64::try_from(index).unwrap_or(i64::MAX),
            count: list.len(),
            growing: false,
        }),
    }
}

/// The JSON chunk and the binary chunk of a GLB file.
fn chunks(bytes: &[u8]) -> Result<(&[u8], Option<&[u8]>), ReadError> {
    let version = word(bytes, 4, "the version of GLB")?;
    if version != 2 {
        let problem = format!("GLB version {version} is not read: export it as glTF 2.0");
        return Place::Byte(4).has(Problem::Unsupported(problem));
    }
    let (json, rest) = chunk(bytes, 12, *b"JSON")?;
    // Without a binary chunk, all buffers are elsewhere.
    let binary = if rest >= bytes.len() { None } else { Some(chunk(bytes, rest, *b"BIN\0")?.0) };
    Ok((json, binary))
}

/// The content of a chunk, and where the next one begins.
fn chunk(bytes: &[u8], at: usize, kind: [u8; 4]) -> Result<(&[u8], usize), ReadError> {
    let length = word(bytes, at, "a chunk's length")? as usize;
    if word(bytes, at + 4, "a chunk's type")?.to_le_bytes() != kind {
        return Place::Byte(at + 4)
            .has(Problem::Invalid("a GLB has a JSON chunk, then a binary one: this is neither"));
    }
    let content = &bytes[at + 8..];
    match content.get(..length) {
        Some(chunk) => Ok((chunk, at + 8 + length)),
        None => Place::Byte(at).has(Problem::TooFewBytes {
            what: "bytes of a chunk",
            declared: length as u64,
            bytes: content.len(),
        }),
    }
}

fn word(bytes: &[u8], at: usize, expected: &'static str) -> Result<u32, ReadError> {
    match bytes.get(at..at + 4) {
        Some(raw) => Ok(u32::from_le_bytes([raw[0], raw[1], raw[2], raw[3]])),
        None => Place::Byte(bytes.len()).has(Problem::Ends { expected }),
    }
}

fn check_supported(root: &Root) -> Result<(), ReadError> {
    let place = || Place::Thing("glTF document".to_owned());
    if root.asset.version.starts_with("1.") || root.asset.version == "1" {
        return place().has(Problem::Unsupported("glTF 1 is not read: export it as glTF 2.0".to_owned()));
    }
    // What these add is appearance; without it, the mesh is still the mesh.
    let looks_only = |name: &str| {
        name.starts_with("KHR_materials_")
            || ["KHR_texture_transform", "KHR_texture_basisu", "EXT_texture_webp", "KHR_lights_punctual"]
                .contains(&name)
    };
    let known = |name: &str| name == "KHR_mesh_quantization" || looks_only(name);
    match root.extensions_required.iter().find(|name| !known(name)) {
        None => Ok(()),
        Some(name) => {
            let problem = format!(
                "the file requires the extension {}, which is not read: export it without",
                shortened(name)
            );
            place().has(Problem::Unsupported(problem))
        }
    }
}

fn buffer(
    root: &Root,
    index: usize,
    binary: Option<&[u8]>,
    neighbours: &mut Neighbours,
) -> Result<Arc<[u8]>, ReadError> {
    let declared = root.buffers[index].byte_length;
    let bytes = match (&root.buffers[index].uri, binary) {
        (Some(uri), _) => match data_uri(uri, index)? {
            Some(bytes) => bytes,
            None => neighbours.require(&percent_decoded(uri))?,
        },
        (None, Some(binary)) if index == 0 => Arc::from(binary),
        (None, _) => return Place::thing("buffer", index).has(Problem::Missing { expected: "its uri" }),
    };
    if bytes.len() < declared {
        let problem = Problem::TooFewBytes { what: "bytes", declared: declared as u64, bytes: bytes.len() };
        return Place::thing("buffer", index).has(problem);
    }
    Ok(bytes)
}

/// The bytes in a `data:` URI; `None` for any other URI.
pub(super) fn data_uri(uri: &str, index: usize) -> Result<Option<Arc<[u8]>>, ReadError> {
    let Some(rest) = uri.strip_prefix("data:") else { return Ok(None) };
    let place = || Place::thing("data URI", index);
    let Some((kind, data)) = rest.split_once(',') else {
        return place().has(Problem::Missing { expected: "the comma before the data" });
    };
    if !kind.ends_with(";base64") {
        return Ok(Some(percent_decoded(data).into_bytes().into()));
    }
    match STANDARD_NO_PAD.decode(data.trim_end_matches('=')) {
        Ok(bytes) => Ok(Some(bytes.into())),
        Err(_) => place().has(Problem::Invalid("its data is not base64")),
    }
}

/// A file name as it is on disk; bytes that are no UTF-8 are replaced.
pub(super) fn percent_decoded(uri: &str) -> String {
    let mut out = Vec::with_capacity(uri.len());
    let mut rest = uri.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        let code = (byte == b'%').then(|| after.get(..2).and_then(hex)).flatten();
        out.push(code.unwrap_or(byte));
        rest = if code.is_some() { &after[2..] } else { after };
    }
    String::from_utf8_lossy(&out).into_owned()
}

fn hex(digits: &[u8]) -> Option<u8> {
    let digit = |b: u8| char::from(b).to_digit(16);
    Some((digit(digits[0])? * 16 + digit(digits[1])?) as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uris_are_decoded() {
        assert_eq!(percent_decoded("a%20b%2"), "a b%2");
        let bytes = data_uri("data:application/octet-stream;base64,AAEC", 0).unwrap().unwrap();
        assert_eq!(&bytes[..], [0, 1, 2]);
        assert_eq!(data_uri("mesh.bin", 0).unwrap(), None);
        assert!(data_uri("data:;base64,****", 3).unwrap_err().to_string().starts_with("data URI 3"));
    }
}
