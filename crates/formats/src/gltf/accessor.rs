//! Accessors: typed lists in buffers, with every declared number checked against the bytes that are there.

use super::document::{Document, entry};
use super::schema::{Accessor, Shape, Sparse};
use crate::{Place, Problem, ReadError};

/// The component types of glTF, by their OpenGL numbers.
#[derive(Clone, Copy)]
enum Component {
    I8,
    U8,
    I16,
    U16,
    U32,
    F32,
}

impl Component {
    fn of(code: u32, place: &Place) -> Result<Component, ReadError> {
        Ok(match code {
            5120 => Component::I8,
            5121 => Component::U8,
            5122 => Component::I16,
            5123 => Component::U16,
            5125 => Component::U32,
            5126 => Component::F32,
            _ => {
                let problem = Problem::Unexpected { found: code.to_string(), expected: "a component type" };
                return place.clone().has(problem);
            }
        })
    }

    fn size(self) -> usize {
        match self {
            Component::I8 | Component::U8 => 1,
            Component::I16 | Component::U16 => 2,
            Component::U32 | Component::F32 => 4,
        }
    }

    /// A value and, for integers, the largest of its type: what a normalized 1 is.
    fn decode(self, raw: &[u8]) -> (f32, f32) {
        match self {
            Component::I8 => (f32::from(raw[0] as i8), 127.0),
            Component::U8 => (f32::from(raw[0]), 255.0),
            Component::I16 => (f32::from(i16::from_le_bytes([raw[0], raw[1]])), 32767.0),
            Component::U16 => (f32::from(u16::from_le_bytes([raw[0], raw[1]])), 65535.0),
            Component::U32 => (u32::from_le_bytes([raw[0], raw[1], raw[2], raw[3]]) as f32, u32::MAX as f32),
            Component::F32 => (f32::from_le_bytes([raw[0], raw[1], raw[2], raw[3]]), 1.0),
        }
    }
}

/// How many items an accessor declares. Check it against what memory may be spent before reading.
pub(super) fn count(document: &Document, index: usize) -> Result<usize, ReadError> {
    Ok(entry(&document.root.accessors, index, "accessor")?.count)
}

/// An accessor of `N` numbers an item, whatever their type.
pub(super) fn floats<const N: usize>(document: &Document, index: usize) -> Result<Vec<[f32; N]>, ReadError> {
    let accessor = entry(&document.root.accessors, index, "accessor")?;
    let place = Place::thing("accessor", index);
    if components(accessor.shape) != N {
        return place.has(Problem::Invalid("it has another number of components than its use asks for"));
    }
    let component = Component::of(accessor.component_type, &place)?;
    let decode = |raw: &[u8]| {
        let mut item = [0.0; N];
        for (value, raw) in item.iter_mut().zip(raw.chunks_exact(component.size())) {
            let (number, one) = component.decode(raw);
            *value = if accessor.normalized { (number / one).max(-1.0) } else { number };
        }
        item
    };
    collect(document, accessor, &place, component.size() * N, [0.0; N], decode)
}

/// An accessor of indices of any size.
pub(super) fn indices(document: &Document, index: usize) -> Result<Vec<u32>, ReadError> {
    let accessor = entry(&document.root.accessors, index, "accessor")?;
    let place = Place::thing("accessor", index);
    if accessor.shape != Shape::Scalar {
        return place.has(Problem::Invalid("indices must be scalars"));
    }
    let size = index_size(accessor.component_type, &place)?;
    collect(document, accessor, &place, size, 0, decode_index)
}

fn components(shape: Shape) -> usize {
    match shape {
        Shape::Scalar => 1,
        Shape::Vec2 => 2,
        Shape::Vec3 => 3,
        Shape::Vec4 => 4,
        Shape::Matrix => 0,
    }
}

fn index_size(code: u32, place: &Place) -> Result<usize, ReadError> {
    match Component::of(code, place)? {
        component @ (Component::U8 | Component::U16 | Component::U32) => Ok(component.size()),
        _ => place.clone().has(Problem::Invalid("indices must be unsigned integers")),
    }
}

fn decode_index(raw: &[u8]) -> u32 {
    raw.iter().rev().fold(0, |sum, &byte| sum << 8 | u32::from(byte))
}

fn collect<T: Clone>(
    document: &Document,
    accessor: &Accessor,
    place: &Place,
    size: usize,
    zero: T,
    decode: impl Fn(&[u8]) -> T,
) -> Result<Vec<T>, ReadError> {
    let mut items = match accessor.buffer_view {
        Some(view) => {
            let items = Items::of(document, view, accessor.byte_offset, accessor.count, size, place)?;
            (0..accessor.count).map(|i| decode(items.get(i))).collect()
        }
        None => zeros(document, accessor, place, zero)?,
    };
    if let Some(sparse) = &accessor.sparse {
        apply(document, sparse, place, size, &mut items, decode)?;
    }
    Ok(items)
}

/// An accessor without a view is zeros, as many as it says. Something in the buffers must be as long, if only the
/// indices; a longer list is a lie that would cost memory.
fn zeros<T: Clone>(
    document: &Document,
    accessor: &Accessor,
    place: &Place,
    zero: T,
) -> Result<Vec<T>, ReadError> {
    let bytes = document.buffer_bytes();
    if accessor.count > bytes {
        let problem = Problem::TooFewBytes { what: "items", declared: accessor.count as u64, bytes };
        return place.clone().has(problem);
    }
    Ok(vec![zero; accessor.count])
}

fn apply<T>(
    document: &Document,
    sparse: &Sparse,
    place: &Place,
    size: usize,
    items: &mut [T],
    decode: impl Fn(&[u8]) -> T,
) -> Result<(), ReadError> {
    let index_size = index_size(sparse.indices.component_type, place)?;
    let (from, values) = (&sparse.indices, &sparse.values);
    let indices = Items::of(document, from.buffer_view, from.byte_offset, sparse.count, index_size, place)?;
    let values = Items::of(document, values.buffer_view, values.byte_offset, sparse.count, size, place)?;
    let count = items.len();
    for i in 0..sparse.count {
        let index = decode_index(indices.get(i));
        let Some(item) = items.get_mut(index as usize) else {
            return place.clone().has(Problem::OutOfRange {
                referrer: "a sparse index",
                what: "item",
                index: i64::from(index),
                count,
                growing: false,
            });
        };
        *item = decode(values.get(i));
    }
    Ok(())
}

/// Items at equal distances in a buffer view, all of them inside it.
struct Items<'a> {
    bytes: &'a [u8],
    stride: usize,
    size: usize,
}

impl<'a> Items<'a> {
    fn of(
        document: &'a Document,
        view: usize,
        offset: usize,
        count: usize,
        size: usize,
        place: &Place,
    ) -> Result<Items<'a>, ReadError> {
        let (bytes, view) = document.view(view)?;
        let stride = view.byte_stride.unwrap_or(size);
        if stride < size {
            return place
                .clone()
                .has(Problem::Invalid("the stride of its buffer view is shorter than an item"));
        }
        let bytes = bytes.get(offset..).unwrap_or_default();
        let needed = count.checked_sub(1).map_or(Some(0), |last| last.checked_mul(stride)?.checked_add(size));
        if needed.is_none_or(|needed| needed > bytes.len()) {
            let problem = Problem::TooFewBytes { what: "items", declared: count as u64, bytes: bytes.len() };
            return place.clone().has(problem);
        }
        Ok(Items { bytes, stride, size })
    }

    fn get(&self, index: usize) -> &'a [u8] {
        &self.bytes[index * self.stride..][..self.size]
    }
}
