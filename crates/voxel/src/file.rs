//! Octrees in a file of their own, `.svo`: compact, and read back to the bit.
//!
//! ```text
//! "SMITHSVO", version, number of octrees; then for each:
//!   level, origin, side, interior
//!   nodes of each level, bricks, boundary voxels: how many
//!   of each node which children there are and which are internal; of each brick which voxels are boundary and which are inside
//!   colours: one, or a palette and a byte a voxel, or four bytes a voxel; then normals
//! check sum of all that
//! ```
//!
//! Where bricks are, and where children of a node start, follows from the order. Reading trusts no byte: what is declared is held against what is there before anything is
//! made of it.

use glam::DVec3;

use crate::brick::Brick;
use crate::look::{Kind, Look, Skin};
use crate::octree::Octree;
use crate::payload::{Interior, Normal, Payload};
use crate::settle::settle;
use crate::trunk::{Node, Spot, Trunk};
use crate::{Error, FileError, Grid};

const MAGIC: &[u8; 8] = b"SMITHSVO";
const VERSION: u32 = 1;

/// The bytes of a file of octrees. Colours and normals are saved as they are seen: what was a cut is surface when it is read again.
///
/// ```
/// use smithereens_voxel::{Grid, Octree, read_svo, write_svo};
/// use glam::DVec3;
/// let grid = Grid::new(4, DVec3::splat(-1.0), 2.0)?;
/// let ball = Octree::of_field(grid, |point| point.length() - 0.8, [180, 170, 150, 255])?;
/// let bytes = write_svo(&[&ball]);
/// assert_eq!(read_svo(&bytes)?, [ball]);
/// assert!(read_svo(&bytes[..100]).is_err());
/// # Ok::<(), smithereens_voxel::Error>(())
/// ```
pub fn write_svo(octrees: &[&Octree]) -> Vec<u8> {
    let mut bytes = MAGIC.to_vec();
    bytes.extend(VERSION.to_le_bytes());
    bytes.extend((octrees.len() as u32).to_le_bytes());
    octrees.iter().for_each(|octree| write_octree(octree, &mut bytes));
    let sum = check_sum(&bytes);
    bytes.extend(sum.to_le_bytes());
    bytes
}

fn write_octree(octree: &Octree, bytes: &mut Vec<u8>) {
    let (grid, trunk) = (octree.grid(), &octree.trunk);
    bytes.push(grid.level() as u8);
    let numbers = grid.origin().to_array().into_iter().chain([grid.side()]);
    numbers.for_each(|x| bytes.extend(x.to_le_bytes()));
    write_interior(&octree.interior, bytes);
    trunk.levels.iter().for_each(|level| bytes.extend((level.len() as u32).to_le_bytes()));
    bytes.extend((trunk.bricks.len() as u32).to_le_bytes());
    bytes.extend((octree.boundary_count() as u32).to_le_bytes());
    trunk.levels.iter().flatten().for_each(|node| bytes.extend([node.children, node.internal]));
    for brick in &trunk.bricks {
        bytes.extend(brick.boundary.to_le_bytes());
        bytes.extend(brick.inside.to_le_bytes());
    }
    let payloads: Vec<Payload> = octree.boundary().map(|(_, payload)| payload).collect();
    write_colors(&payloads, bytes);
    payloads.iter().for_each(|payload| bytes.extend(payload.normal_bytes()));
}

fn write_interior(interior: &Interior, bytes: &mut Vec<u8>) {
    let numbers = |numbers: &[f64]| numbers.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>();
    match *interior {
        Interior::Plain(color) => {
            bytes.push(0);
            bytes.extend(color);
        }
        Interior::Stone { color, grain, contrast } => {
            bytes.push(1);
            bytes.extend(color);
            bytes.extend(numbers(&[grain, contrast]));
        }
        Interior::Rings { colors: [early, late], center, axis, spacing } => {
            bytes.push(2);
            bytes.extend(early);
            bytes.extend(late);
            bytes.extend(numbers(&center.to_array()));
            bytes.extend(numbers(&axis.to_array()));
            bytes.extend(numbers(&[spacing]));
        }
    }
}

fn write_colors(payloads: &[Payload], bytes: &mut Vec<u8>) {
    let mut palette: Vec<[u8; 4]> = Vec::new();
    let mut last = None;
    for color in payloads.iter().map(|payload| payload.color()) {
        if last == Some(color) {
            continue;
        }
        last = Some(color);
        if let Err(at) = palette.binary_search(&color) {
            palette.insert(at, color);
        }
        if palette.len() > 256 {
            break;
        }
    }
    let kind = if palette.len() < 2 { 0 } else { 1 + u8::from(palette.len() > 256) };
    bytes.push(kind);
    match kind {
        0 => bytes.extend(palette.first().copied().unwrap_or_default()),
        1 => {
            bytes.push((palette.len() - 1) as u8);
            palette.iter().for_each(|color| bytes.extend(color));
            let index = |payload: &Payload| palette.binary_search(&payload.color()).unwrap_or(0) as u8;
            bytes.extend(payloads.iter().map(index));
        }
        _ => payloads.iter().for_each(|payload| bytes.extend(payload.color())),
    }
}

/// The octrees of a file.
pub fn read_svo(bytes: &[u8]) -> Result<Vec<Octree>, Error> {
    if !bytes.starts_with(MAGIC) {
        return Err(FileError::Magic { expected: "SMITHSVO" }.into());
    }
    let mut reader = Reader { bytes: &bytes[..bytes.len().saturating_sub(4).max(8)], at: 8 };
    let version = reader.word("the version")?;
    if version != VERSION {
        return Err(FileError::Version { version, known: VERSION }.into());
    }
    let count = reader.word("the number of octrees")?;
    let mut octrees = Vec::new();
    for _ in 0..count {
        octrees.push(read_octree(&mut reader)?);
    }
    let left = reader.bytes.len() - reader.at;
    if left > 0 {
        return Err(FileError::Long { at: reader.at, left }.into());
    }
    let expected = check_sum(reader.bytes);
    let found = Reader { bytes, at: reader.at }.word("the check sum")?;
    if found == expected { Ok(octrees) } else { Err(FileError::Sum { found, expected }.into()) }
}

/// Bytes, and how many of them have been read.
struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    fn take(&mut self, what: &'static str, count: usize, size: usize) -> Result<&'a [u8], FileError> {
        let left = self.bytes.len() - self.at;
        let needed = count.saturating_mul(size);
        if needed > left {
            return Err(FileError::Short { what, at: self.at, needed, left });
        }
        self.at += needed;
        Ok(&self.bytes[self.at - needed..self.at])
    }

    fn array<const N: usize>(&mut self, what: &'static str) -> Result<[u8; N], FileError> {
        let taken = self.take(what, 1, N)?;
        Ok(std::array::from_fn(|i| taken[i]))
    }

    fn word(&mut self, what: &'static str) -> Result<u32, FileError> {
        self.array(what).map(u32::from_le_bytes)
    }

    fn number(&mut self, what: &'static str) -> Result<f64, FileError> {
        self.array(what).map(f64::from_le_bytes)
    }

    fn vector(&mut self, what: &'static str) -> Result<DVec3, FileError> {
        Ok(DVec3::new(self.number(what)?, self.number(what)?, self.number(what)?))
    }
}

fn read_octree(reader: &mut Reader) -> Result<Octree, Error> {
    let [level] = reader.array("the level")?;
    let (origin, side) = (reader.vector("the origin")?, reader.number("the side")?);
    let grid = Grid::new(level.into(), origin, side)?;
    let interior = read_interior(reader)?;
    let counts: Vec<usize> = (0..grid.depth())
        .map(|_| Ok(reader.word("a number of nodes")? as usize))
        .collect::<Result<_, FileError>>()?;
    let bricks = reader.word("the number of bricks")? as usize;
    let boundary = reader.word("the number of boundary voxels")? as usize;
    let mut trunk = Trunk::new(grid.depth());
    for (depth, &count) in counts.iter().enumerate() {
        trunk.levels[depth] = read_nodes(reader, count)?;
    }
    let mut codes = Codes::of(&trunk, bricks)?;
    for index in 0..bricks {
        let masks = reader.take("a brick", 1, 16)?;
        let mask =
            |at: usize| masks[at..at + 8].iter().rev().fold(0, |mask, &byte| mask << 8 | u64::from(byte));
        let (boundary, inside) = (mask(0), mask(8));
        let is_in = grid.level() > 1 || (boundary | inside) & !0x0000_0000_0033_0033 == 0;
        if boundary == 0 || !is_in {
            let problem = if is_in { "has no boundary voxel" } else { "has voxels outside the grid" };
            return Err(FileError::Damaged { what: "brick", index, problem }.into());
        }
        trunk.bricks.push(Brick::new(codes.next(), boundary, inside, Look::new(Kind::Skin(index as u32))));
    }
    let masks: Vec<u64> = trunk.bricks.iter().map(|brick| brick.boundary).collect();
    let found = masks.iter().map(|mask| mask.count_ones() as usize).sum::<usize>();
    if found != boundary {
        let problem = "is the last, and there are not as many boundary voxels as declared";
        return Err(FileError::Damaged { what: "brick", index: bricks.saturating_sub(1), problem }.into());
    }
    let colors = read_colors(reader, boundary)?;
    let normals =
        reader.take("the normals", boundary, 4)?.as_chunks::<4>().0.iter().map(|x| u32::from_le_bytes(*x));
    let payloads =
        colors.into_iter().zip(normals).map(|(color, normal)| Payload::of(color, Normal(normal))).collect();
    settle(&mut trunk);
    Ok(Octree { grid, trunk, skin: Skin::shared(masks, payloads), interior })
}

fn read_nodes(reader: &mut Reader, count: usize) -> Result<Vec<Node>, FileError> {
    let mut first = 0_u32;
    let pairs = reader.take("the nodes", count, 2)?.as_chunks::<2>().0;
    let node = |(index, &[children, internal]): (usize, &[u8; 2])| {
        if children & internal != 0 {
            let problem = "has a child that is internal and is not";
            return Err(FileError::Damaged { what: "node", index, problem });
        }
        let node = Node { first, children, internal, whole: false };
        first += children.count_ones();
        Ok(node)
    };
    pairs.iter().enumerate().map(node).collect()
}

/// The codes of bricks, which follow from the nodes.
struct Codes(std::vec::IntoIter<u32>);

impl Codes {
    fn of(trunk: &Trunk, bricks: usize) -> Result<Codes, FileError> {
        let mut codes: Vec<u32> = if bricks > 0 { vec![0] } else { Vec::new() };
        for (index, level) in trunk.levels.iter().enumerate() {
            if codes.len() != level.len() {
                let problem = "has not as many nodes as the one above has children";
                return Err(FileError::Damaged { what: "level", index, problem });
            }
            let mut below = Vec::new();
            for (code, node) in codes.iter().zip(level) {
                let children = (0..8).filter(|&octant| matches!(node.child(octant), Spot::Node(_)));
                below.extend(children.map(|octant| code << 3 | octant));
            }
            codes = below;
        }
        if codes.len() != bricks {
            let problem = "has not as many bricks as the nodes above have children";
            return Err(FileError::Damaged { what: "level", index: trunk.depth(), problem });
        }
        Ok(Codes(codes.into_iter()))
    }

    fn next(&mut self) -> u32 {
        self.0.next().unwrap_or(0)
    }
}

fn read_interior(reader: &mut Reader) -> Result<Interior, FileError> {
    const WHAT: &str = "the look of the inside";
    let [kind] = reader.array(WHAT)?;
    let color = reader.array(WHAT)?;
    match kind {
        0 => Ok(Interior::Plain(color)),
        1 => Ok(Interior::Stone { color, grain: reader.number(WHAT)?, contrast: reader.number(WHAT)? }),
        2 => Ok(Interior::Rings {
            colors: [color, reader.array(WHAT)?],
            center: reader.vector(WHAT)?,
            axis: reader.vector(WHAT)?,
            spacing: reader.number(WHAT)?,
        }),
        _ => Err(FileError::Damaged { what: WHAT, index: kind.into(), problem: "is not known" }),
    }
}

fn read_colors(reader: &mut Reader, count: usize) -> Result<Vec<[u8; 4]>, FileError> {
    const WHAT: &str = "the colours";
    let [kind] = reader.array(WHAT)?;
    match kind {
        0 => {
            let color = reader.array(WHAT)?;
            // As many normals follow.
            let left = reader.bytes.len() - reader.at;
            if count > left {
                return Err(FileError::Short { what: "the normals", at: reader.at, needed: count, left });
            }
            Ok(vec![color; count])
        }
        1 => {
            let [last] = reader.array(WHAT)?;
            let palette = reader.take(WHAT, usize::from(last) + 1, 4)?.as_chunks::<4>().0;
            let indices = reader.take(WHAT, count, 1)?;
            let color = |(at, &index): (usize, &u8)| {
                let problem = "has a colour that is not in the palette";
                palette.get(usize::from(index)).copied().ok_or(FileError::Damaged {
                    what: "voxel",
                    index: at,
                    problem,
                })
            };
            indices.iter().enumerate().map(color).collect()
        }
        2 => Ok(reader.take(WHAT, count, 4)?.as_chunks::<4>().0.to_vec()),
        _ => Err(FileError::Damaged {
            what: WHAT,
            index: kind.into(),
            problem: "are of a kind that is not known",
        }),
    }
}

/// CRC-32, as in PNG and ZIP.
fn check_sum(bytes: &[u8]) -> u32 {
    let step = |sum: u32, byte: &u8| TABLE[((sum ^ u32::from(*byte)) & 0xff) as usize] ^ sum >> 8;
    !bytes.iter().fold(!0, step)
}

const TABLE: [u32; 256] = {
    let mut table = [0; 256];
    let mut index = 0;
    while index < 256 {
        let mut sum = index as u32;
        let mut bit = 0;
        while bit < 8 {
            sum = if sum & 1 == 1 { 0xedb8_8320 ^ sum >> 1 } else { sum >> 1 };
            bit += 1;
        }
        table[index] = sum;
        index += 1;
    }
    table
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_check_sum_is_crc_32() {
        assert_eq!(check_sum(b"123456789"), 0xcbf4_3926);
    }

    #[test]
    fn colours_take_as_little_as_they_can() {
        let payload = |color: u32| Payload::new(color.to_le_bytes(), DVec3::Y);
        let bytes = |colors: u32| {
            let payloads: Vec<Payload> = (0..1000).map(|i| payload(i % colors)).collect();
            let mut bytes = Vec::new();
            write_colors(&payloads, &mut bytes);
            let read =
                read_colors(&mut Reader { bytes: &[&bytes[..], &[0; 4000]].concat(), at: 0 }, 1000).unwrap();
            assert_eq!(read, payloads.iter().map(|payload| payload.color()).collect::<Vec<_>>());
            bytes.len()
        };
        assert_eq!([bytes(1), bytes(256), bytes(257)], [5, 2 + 1024 + 1000, 1 + 4000]);
    }
}
