//! MagicaVoxel's files, `.vox`, in and out. Its z is up, ours is y: (x, y, z) there is (x, z, -y) here.

use std::collections::BTreeMap;

use dot_vox::{Color, Dict, DotVoxData, Frame, Model, SceneNode, ShapeModel, Size};
use glam::DVec3;

use crate::octree::Octree;
use crate::payload::Payload;
use crate::{Error, FileError, Grid, Kind, morton};

/// Voxels a side of a model of such a file, at most.
const BLOCK: i32 = 256;
/// The deepest level that is written: two blocks a side.
const DEEPEST: u32 = 9;
/// Groups in groups, at most.
const DEPTH: usize = 64;
/// Nodes of a scene that are entered, at most.
const MOST: usize = 1 << 16;
/// Turns and moves: where x, y and z go, with their signs, and what is added.
type Motion = ([[i32; 3]; 3], [i32; 3]);

const STILL: Motion = ([[1, 0, 0], [0, 1, 0], [0, 0, 1]], [0; 3]);

/// All models of a file as one octree, at the lowest level that holds them. A voxel is 1 a side, and the object stands in the middle of the ground.
pub fn read_vox(bytes: &[u8]) -> Result<Octree, Error> {
    check_chunks(bytes)?;
    let data = dot_vox::load_bytes(bytes).map_err(vox)?;
    let mut walk = Walk { data: &data, voxels: BTreeMap::new(), left: MOST };
    match data.scenes.is_empty() {
        true => data.models.iter().for_each(|model| place(model, &STILL, false, &mut walk.voxels)),
        false => walk.enter(0, STILL, 0)?,
    }
    let voxels = walk.voxels;
    let least: [i32; 3] =
        std::array::from_fn(|k| voxels.keys().map(|at: &[i32; 3]| at[k]).min().unwrap_or(0));
    let most: [i32; 3] = std::array::from_fn(|k| voxels.keys().map(|at: &[i32; 3]| at[k]).max().unwrap_or(0));
    let extent = (0..3).map(|k| i64::from(most[k]) - i64::from(least[k]) + 1).max().unwrap_or(1);
    let level = (1..=Grid::DEEPEST).find(|level| 1 << level >= extent);
    let level =
        level.ok_or_else(|| vox(&format!("its models are {extent} voxels apart, and 4096 is the most")))?;
    if voxels.is_empty() {
        return Err(vox("it has no voxels"));
    }
    let resolution = f64::from(1_u32 << level);
    let half = |k: usize| 0.5 * f64::from(most[k] - least[k] + 1);
    let grid = Grid::new(level, DVec3::new(-half(0), 0.0, -half(2)), resolution)?;
    let coded = voxels.into_iter().map(|(at, index)| {
        let at = std::array::from_fn(|k| (at[k] - least[k]) as u32);
        (morton(at), index)
    });
    let mut coded: Vec<(u64, u8)> = coded.collect();
    coded.sort_unstable();
    let color = |index: u8| data.palette.get(usize::from(index)).map_or([255; 4], |c| [c.r, c.g, c.b, 255]);
    let solid: std::collections::HashSet<u64> = coded.iter().map(|&(code, _)| code).collect();
    let payload = |&(code, index): &(u64, u8)| (code, Payload::new(color(index), outward(code, &solid)));
    Octree::of_voxels(grid, &coded.iter().map(payload).collect::<Vec<_>>())
}

/// Away from the voxels around one.
fn outward(code: u64, solid: &std::collections::HashSet<u64>) -> DVec3 {
    let at = crate::unmorton(code);
    let mut sum = DVec3::ZERO;
    for d in 0..27_u32 {
        let by = [d % 3, d / 3 % 3, d / 9].map(|x| x as i32 - 1);
        let near: [u32; 3] = std::array::from_fn(|k| at[k].wrapping_add_signed(by[k]));
        if near.iter().all(|&x| x <= 4096) && solid.contains(&morton(near)) {
            sum -= DVec3::from_array(by.map(f64::from));
        }
    }
    sum
}

fn vox(problem: &str) -> Error {
    FileError::Vox { problem: problem.to_owned() }.into()
}

/// Whether chunks are as long as they say, before anyone trusts them.
fn check_chunks(bytes: &[u8]) -> Result<(), Error> {
    if !bytes.starts_with(b"VOX ") {
        return Err(FileError::Magic { expected: "VOX " }.into());
    }
    let word = |at: usize| -> Option<usize> {
        let word = bytes.get(at..at + 4)?;
        Some(u32::from_le_bytes([word[0], word[1], word[2], word[3]]) as usize)
    };
    let mut at = 8;
    while at < bytes.len() {
        let left = bytes.len() - at;
        let short = |what, needed| Error::from(FileError::Short { what, at, needed, left });
        let (Some(own), Some(_)) = (word(at + 4), word(at + 8)) else { return Err(short("a chunk", 12)) };
        let name = &bytes[at..at + 4];
        // The main chunk holds all others.
        let length = if name == b"MAIN" { 0 } else { own };
        if length > left - 12 {
            return Err(short("a chunk", length + 12));
        }
        let content = at + 12;
        let fits = match name {
            b"SIZE" => own == 12,
            b"XYZI" => {
                word(content).is_some_and(|count| count.checked_mul(4).is_some_and(|size| size + 4 == own))
            }
            b"RGBA" => own == 1024,
            _ => true,
        };
        if !fits {
            return Err(vox(&format!(
                "the chunk {} at byte {at} has a wrong length",
                String::from_utf8_lossy(name)
            )));
        }
        at = content + length;
    }
    if at < 20 {
        Err(FileError::Short {
            what: "the main chunk",
            at: 8,
            needed: 12,
            left: bytes.len().saturating_sub(8),
        }
        .into())
    } else {
        Ok(())
    }
}

/// A walk over the nodes of a scene.
struct Walk<'a> {
    data: &'a DotVoxData,
    voxels: BTreeMap<[i32; 3], u8>,
    /// How many nodes may still be entered: a group that holds itself twice would take for ever before it is too deep.
    left: usize,
}

impl Walk<'_> {
    /// Adds the voxels of a node of the scene.
    fn enter(&mut self, node: u32, motion: Motion, depth: usize) -> Result<(), Error> {
        if depth > DEPTH || self.left == 0 {
            return Err(vox("groups of its scene lie in groups without end"));
        }
        self.left -= 1;
        let data = self.data;
        let absent = || vox(&format!("there is no node {node} in the scene"));
        match data.scenes.get(node as usize).ok_or_else(absent)? {
            SceneNode::Transform { frames, child, .. } => {
                let motion = frames.first().map_or(Ok(motion), |frame| moved(&motion, frame))?;
                self.enter(*child, motion, depth + 1)
            }
            SceneNode::Group { children, .. } => {
                children.iter().try_for_each(|&child| self.enter(child, motion, depth + 1))
            }
            SceneNode::Shape { models, .. } => models.first().map_or(Ok(()), |shape| {
                let absent = || vox(&format!("there is no model {}", shape.model_id));
                let model = data.models.get(shape.model_id as usize).ok_or_else(absent)?;
                place(model, &motion, true, &mut self.voxels);
                Ok(())
            }),
        }
    }
}

/// A motion after that of a frame.
fn moved(motion: &Motion, frame: &Frame) -> Result<Motion, Error> {
    let mut own = STILL;
    if let Some(byte) = frame.attributes.get("_r") {
        let bits: u8 = byte.parse().map_err(|_| vox(&format!("{byte:?} is no turn")))?;
        let (first, second) = (usize::from(bits & 3), usize::from(bits >> 2 & 3));
        if first > 2 || second > 2 || first == second {
            return Err(vox(&format!("{byte:?} is no turn")));
        }
        own.0 = [[0; 3]; 3];
        for (row, column) in [first, second, 3 - first - second].into_iter().enumerate() {
            own.0[row][column] = if bits >> (4 + row) & 1 == 1 { -1 } else { 1 };
        }
    }
    if let Some(text) = frame.attributes.get("_t") {
        let numbers: Vec<i32> = text.split_whitespace().filter_map(|x| x.parse().ok()).collect();
        let [x, y, z] = numbers[..] else { return Err(vox(&format!("{text:?} is no move"))) };
        if numbers.iter().any(|x| x.abs() > 1 << 20) {
            return Err(vox(&format!("a move by {text} is too far")));
        }
        own.1 = [x, y, z];
    }
    let row = |r: usize, c: usize| (0..3).map(|k| motion.0[r][k] * own.0[k][c]).sum();
    let turn = std::array::from_fn(|r| std::array::from_fn(|c| row(r, c)));
    let by = std::array::from_fn(|r| {
        (0..3).fold(motion.1[r], |sum: i32, k| sum.saturating_add(motion.0[r][k].saturating_mul(own.1[k])))
    });
    Ok((turn, by))
}

/// Adds the voxels of a model. In a scene its middle is what is moved.
fn place(model: &Model, motion: &Motion, is_middle: bool, voxels: &mut BTreeMap<[i32; 3], u8>) {
    let size = [model.size.x, model.size.y, model.size.z].map(|x| x.min(1 << 12) as i32);
    let middle = if is_middle { size.map(|x| x / 2) } else { [0; 3] };
    for voxel in &model.voxels {
        // Twice the middle of the voxel, so that turns keep voxels on the grid.
        let from = [voxel.x, voxel.y, voxel.z];
        let twice: [i32; 3] = std::array::from_fn(|k| 2 * (i32::from(from[k]) - middle[k]) + 1);
        let to: [i32; 3] = std::array::from_fn(|r| {
            let turned: i32 = (0..3).map(|k| motion.0[r][k] * twice[k]).sum();
            (turned - 1).div_euclid(2).saturating_add(motion.1[r])
        });
        voxels.insert([to[0], to[2], -1 - to[1]], voxel.i);
    }
}

/// An octree as such a file: all voxels that it owns, its inside too, in blocks of at most 256 a side. A palette has 255 colours: where there are more, those that differ in
/// their last bits become one.
pub fn write_vox(octree: &Octree) -> Result<Vec<u8>, Error> {
    let level = octree.grid().level();
    if level > DEEPEST {
        return Err(Error::TooDeep { level, most: DEEPEST });
    }
    let (palette, blocks) = blocks_of(octree);
    let mut data = DotVoxData {
        version: 150,
        index_map: Vec::new(),
        models: Vec::new(),
        palette,
        materials: Vec::new(),
        scenes: Vec::new(),
        layers: Vec::new(),
    };
    let frame = |by: [i32; 3]| {
        let text = by.map(|x| x.to_string()).join(" ");
        Frame::new(Dict::from_iter([("_t".to_owned(), text)]))
    };
    let still = || Frame::new(Dict::default());
    let none = Dict::default;
    let count = blocks.len() as u32;
    data.scenes.push(SceneNode::Transform {
        attributes: none(),
        frames: vec![still()],
        child: 1,
        layer_id: 0,
    });
    data.scenes
        .push(SceneNode::Group { attributes: none(), children: (0..count).map(|i| 2 + 2 * i).collect() });
    for (index, (block, voxels)) in blocks.into_iter().enumerate() {
        let child = 3 + 2 * index as u32;
        let by = block.map(|x| x * BLOCK + BLOCK / 2);
        data.scenes.push(SceneNode::Transform {
            attributes: none(),
            frames: vec![frame(by)],
            child,
            layer_id: 0,
        });
        let models = vec![ShapeModel { model_id: index as u32, attributes: none() }];
        data.scenes.push(SceneNode::Shape { attributes: none(), models });
        let side = BLOCK as u32;
        data.models.push(Model { size: Size { x: side, y: side, z: side }, voxels });
    }
    let mut bytes = Vec::new();
    data.write_vox(&mut bytes).map_err(|error| vox(&error.to_string()))?;
    Ok(bytes)
}

type Blocks = BTreeMap<[i32; 3], Vec<dot_vox::Voxel>>;

/// The palette, and the voxels of each block.
fn blocks_of(octree: &Octree) -> (Vec<Color>, Blocks) {
    let color = |voxel: &crate::Voxel| match voxel.kind {
        Kind::Boundary => octree.payload(voxel.at).map_or([255; 4], Payload::color),
        _ => octree.interior.color(octree.grid().center_of(voxel.at)),
    };
    let mut mask = 0xff_u8;
    let colors: Vec<([u32; 3], [u8; 4])> =
        octree.voxels().filter(|voxel| voxel.owned).map(|voxel| (voxel.at, color(&voxel))).collect();
    let palette = loop {
        let mut palette: Vec<[u8; 4]> = colors.iter().map(|(_, color)| color.map(|x| x & mask)).collect();
        palette.sort_unstable();
        palette.dedup();
        if palette.len() <= 255 {
            break palette;
        }
        mask <<= 1;
    };
    let mut blocks = Blocks::new();
    for (at, color) in colors {
        let index = palette.partition_point(|known| *known < color.map(|x| x & mask)) as u8;
        let [x, y, z] = at.map(|x| x as i32);
        let there = [x, -1 - z, y];
        let within = there.map(|x| x.rem_euclid(BLOCK) as u8);
        let voxel = dot_vox::Voxel { x: within[0], y: within[1], z: within[2], i: index };
        blocks.entry(there.map(|x| x.div_euclid(BLOCK))).or_default().push(voxel);
    }
    let colors = palette.iter().map(|&[r, g, b, a]| Color { r, g, b, a });
    let blank = Color { r: 0, g: 0, b: 0, a: 255 };
    (colors.chain(std::iter::repeat(blank)).take(256).collect(), blocks)
}
