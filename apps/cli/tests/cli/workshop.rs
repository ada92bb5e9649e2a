//! A folder of its own for each test, models to break, and the program to break them with.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use glam::{DVec3, Vec2};
use serde_json::Value;
use smithereens_formats::{Image, Material, Model, Texture};
use smithereens_geometry::{Mesh, Slot};

/// A folder that goes when the test ends.
pub struct Workshop {
    folder: PathBuf,
}

impl Workshop {
    pub fn new() -> Workshop {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let folder = std::env::temp_dir().join(format!("smithereens-cli-{}-{count}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        Workshop { folder }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// Writes a file; returns its name.
    pub fn file<'a>(&self, name: &'a str, bytes: impl AsRef<[u8]>) -> &'a str {
        std::fs::write(self.path(name), bytes).unwrap();
        name
    }

    /// Writes a model by the name's ending; returns the name.
    pub fn model<'a>(&self, name: &'a str, model: &Model) -> &'a str {
        smithereens_formats::write(&self.path(name), model).unwrap();
        name
    }

    /// Runs the program in the folder.
    pub fn run(&self, arguments: &str) -> Run {
        self.run_with(arguments, &[])
    }

    pub fn run_with(&self, arguments: &str, variables: &[(&str, &str)]) -> Run {
        let mut command = Command::new(env!("CARGO_BIN_EXE_smithereens"));
        command.current_dir(&self.folder).args(arguments.split_whitespace());
        command.envs(variables.iter().copied());
        Run::of(&command.output().unwrap())
    }

    pub fn json(&self, name: &str) -> Value {
        serde_json::from_slice(&std::fs::read(self.path(name)).unwrap()).unwrap()
    }

    /// The JSON document of a GLB.
    pub fn glb_document(&self, name: &str) -> Value {
        let bytes = std::fs::read(self.path(name)).unwrap();
        let length = u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
        serde_json::from_slice(&bytes[20..20 + length]).unwrap()
    }

    pub fn read(&self, name: &str) -> Model {
        smithereens_formats::read(&self.path(name)).unwrap()
    }

    /// The names of all files, sorted.
    pub fn files(&self) -> Vec<String> {
        let entries = std::fs::read_dir(&self.folder).unwrap();
        let mut names: Vec<String> =
            entries.map(|e| e.unwrap().file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }
}

impl Drop for Workshop {
    fn drop(&mut self) {
        std::fs::remove_dir_all(&self.folder).ok();
    }
}

/// What a run of the program did.
#[derive(Debug)]
pub struct Run {
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

impl Run {
    fn of(output: &Output) -> Run {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Run { code: output.status.code(), out: text(&output.stdout), err: text(&output.stderr) }
    }

    pub fn succeeded(self) -> Run {
        assert_eq!(self.code, Some(0), "{}", self.err);
        self
    }
}

/// A ball of quads and triangles, without attributes.
pub fn ball(rings: usize, sides: usize) -> Mesh {
    let mut mesh = Mesh { positions: vec![DVec3::Y], ..Mesh::default() };
    for ring in 1..rings {
        let (flat, height) = libm::sincos(std::f64::consts::PI * ring as f64 / rings as f64);
        for side in 0..sides {
            let (s, c) = libm::sincos(std::f64::consts::TAU * side as f64 / sides as f64);
            // Single precision, so that every format keeps it as it is.
            mesh.positions.push(DVec3::new(c * flat, height, s * flat).as_vec3().as_dvec3());
        }
    }
    let last = mesh.positions.len() as u32;
    mesh.positions.push(-DVec3::Y);
    let at = |ring: usize, side: usize| (1 + (ring - 1) * sides + side % sides) as u32;
    for side in 0..sides {
        mesh.push_polygon(&[0, at(1, side + 1), at(1, side)], Slot(0));
        for ring in 1..rings - 1 {
            let quad = [at(ring, side), at(ring, side + 1), at(ring + 1, side + 1), at(ring + 1, side)];
            mesh.push_polygon(&[quad[0], quad[1], quad[2]], Slot(0));
            mesh.push_polygon(&[quad[0], quad[2], quad[3]], Slot(0));
        }
        mesh.push_polygon(&[at(rings - 1, side), at(rings - 1, side + 1), last], Slot(0));
    }
    mesh
}

/// A bar along x from 0 to `length`, one unit thick.
pub fn bar(length: f64) -> Model {
    let bounds = smithereens_geometry::Aabb::new(DVec3::ZERO, DVec3::new(length, 1.0, 1.0));
    Model::from_mesh(smithereens_geometry::Convex::from_box(&bounds).to_mesh(Slot(0)))
}

/// A ball whose northern half has a texture and whose southern half is red.
pub fn textured_ball() -> Model {
    let mut mesh = ball(12, 18);
    mesh.uvs = mesh
        .corners
        .iter()
        .map(|&v| mesh.positions[v as usize])
        .map(|p| Vec2::new(p.x as f32, p.y as f32))
        .collect();
    for face in 0..mesh.faces.len() {
        let corners = mesh.face_corners(face);
        let lowest = corners.map(|c| mesh.positions[mesh.corners[c] as usize].y).fold(1.0, f64::min);
        mesh.faces[face].slot = Slot(u32::from(lowest < -0.01));
    }
    let image = smithereens_picture::Image::filled(4, 4, [10, 200, 30]).unwrap();
    let image = Arc::new(Image { name: "leaf".into(), bytes: image.to_png().into() });
    let leaf = Material {
        name: "leaf".into(),
        base_color_texture: Some(Texture::new(image)),
        ..Material::default()
    };
    let red = Material { name: "red".into(), base_color: [0.8, 0.1, 0.1, 1.0], ..Material::default() };
    Model { mesh, materials: vec![leaf, red], ..Model::default() }
}

/// Whether each object of a model read back is closed by itself.
pub fn open_objects(model: &Model) -> Vec<String> {
    let is_open = |faces: std::ops::Range<usize>| {
        let mut edges: Vec<(u32, u32)> =
            faces.flat_map(|f| model.mesh.edges_of(f)).filter(|(a, b)| a != b).collect();
        edges.sort_unstable();
        let mut turned: Vec<(u32, u32)> = edges.iter().map(|&(a, b)| (b, a)).collect();
        turned.sort_unstable();
        edges != turned
    };
    model.objects.iter().filter(|o| is_open(o.faces.clone())).map(|o| o.name.clone()).collect()
}

/// Whether a path is a PNG.
pub fn is_png(path: &Path) -> bool {
    std::fs::read(path).is_ok_and(|bytes| bytes.starts_with(b"\x89PNG"))
}
