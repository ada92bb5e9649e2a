//! What a file holds: a mesh, and the materials its slots refer to.

use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

use smithereens_geometry::{Mesh, Slot};

/// A file's content.
///
/// Every slot of a mesh that was read refers to one of the `materials`: where a file has none, there is a
/// default one. Texture coordinates have their origin at the top left, as glTF has it, whatever the
/// file's own convention.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Model {
    /// All faces of the file, in world space.
    pub mesh: Mesh,
    /// The materials that [`Slot`]s of the mesh index.
    pub materials: Vec<Material>,
    /// The named parts, in order of their faces; empty where the file names none.
    pub objects: Vec<Object>,
    /// Files that the file refers to (materials, textures), which were not there.
    pub missing: Vec<PathBuf>,
}

impl Model {
    /// A model of one mesh, with a default material for each of its slots.
    ///
    /// ```
    /// use smithereens_formats::Model;
    /// use smithereens_geometry::{Mesh, Slot};
    /// let mut mesh = Mesh { positions: vec![glam::DVec3::ZERO; 3], ..Mesh::default() };
    /// mesh.push_polygon(&[0, 1, 2], Slot(1));
    /// assert_eq!(Model::from_mesh(mesh).materials.len(), 2);
    /// ```
    pub fn from_mesh(mesh: Mesh) -> Model {
        let slots = mesh.faces.iter().map(|f| f.slot).filter(|&s| s != Slot::INTERIOR);
        let count = slots.max().map_or(1, |s| s.0 as usize + 1);
        Model { mesh, materials: vec![Material::default(); count], ..Model::default() }
    }
}

/// A named part of a file: an OBJ object or group, a glTF node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Object {
    /// Its name in the file; not necessarily unique.
    pub name: String,
    /// Its faces, as indices into [`Mesh::faces`].
    pub faces: Range<usize>,
}

/// How a surface looks, in the terms of glTF's metallic-roughness model.
#[derive(Clone, Debug, PartialEq)]
pub struct Material {
    /// Its name in the file.
    pub name: String,
    /// Linear red, green, blue and opacity; multiplies the texture.
    pub base_color: [f32; 4],
    /// 0 for dielectrics, 1 for metals.
    pub metallic: f32,
    /// 0 for mirrors, 1 for chalk.
    pub roughness: f32,
    /// Linear light given off; above 1 for light that blooms.
    pub emissive: [f32; 3],
    /// Whether the back of faces is drawn.
    pub double_sided: bool,
    /// What opacity means.
    pub alpha: AlphaMode,
    /// sRGB colour and opacity.
    pub base_color_texture: Option<Texture>,
    /// Roughness in green, metallic in blue.
    pub metallic_roughness_texture: Option<Texture>,
    /// Tangent-space normals.
    pub normal_texture: Option<Texture>,
    /// Ambient occlusion in red.
    pub occlusion_texture: Option<Texture>,
    /// sRGB light given off.
    pub emissive_texture: Option<Texture>,
}

impl Default for Material {
    fn default() -> Material {
        Material {
            name: String::new(),
            base_color: [0.8, 0.8, 0.8, 1.0],
            metallic: 0.0,
            roughness: 0.9,
            emissive: [0.0; 3],
            double_sided: false,
            alpha: AlphaMode::Opaque,
            base_color_texture: None,
            metallic_roughness_texture: None,
            normal_texture: None,
            occlusion_texture: None,
            emissive_texture: None,
        }
    }
}

/// What the opacity of a material means.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum AlphaMode {
    /// Nothing: the surface is solid.
    #[default]
    Opaque,
    /// Below the cutoff, there is no surface.
    Mask {
        /// From 0 to 1.
        cutoff: f32,
    },
    /// The surface is blended with what is behind it.
    Blend,
}

/// An image, and how it is laid on a surface. Cheap to clone: the image is shared.
#[derive(Clone, Debug, PartialEq)]
pub struct Texture {
    /// The image.
    pub image: Arc<Image>,
    /// How it repeats and is filtered.
    pub sampler: Sampler,
    /// How strong it is: the scale of a normal map, the strength of occlusion; 1 elsewhere.
    pub strength: f32,
}

impl Texture {
    /// A texture that repeats, at full strength.
    pub fn new(image: Arc<Image>) -> Texture {
        Texture { image, sampler: Sampler::default(), strength: 1.0 }
    }
}

/// An image file's bytes, as they are: nothing is decoded here.
#[derive(Clone, PartialEq, Eq)]
pub struct Image {
    /// Its file name or its name in the file; not necessarily unique.
    pub name: String,
    /// The bytes of the PNG, JPEG or whatever it is.
    pub bytes: Arc<[u8]>,
}

impl Image {
    /// The media type that the first bytes tell, such as `image/png`; `None` for an unknown one.
    ///
    /// ```
    /// let image = smithereens_formats::Image { name: "a".into(), bytes: (*b"\xFF\xD8\xFF\xE0").into() };
    /// assert_eq!(image.mime(), Some("image/jpeg"));
    /// ```
    pub fn mime(&self) -> Option<&'static str> {
        let is = |magic: &[u8]| self.bytes.starts_with(magic);
        match () {
            () if is(b"\x89PNG\r\n\x1a\n") => Some("image/png"),
            () if is(b"\xFF\xD8\xFF") => Some("image/jpeg"),
            () if is(b"RIFF") && self.bytes.get(8..12) == Some(b"WEBP") => Some("image/webp"),
            () if is(b"\xABKTX 20\xBB") => Some("image/ktx2"),
            () if is(b"DDS ") => Some("image/vnd-ms.dds"),
            () if is(b"BM") => Some("image/bmp"),
            () => None,
        }
    }

    /// The file ending that goes with the media type.
    pub(crate) fn ending(&self) -> &'static str {
        match self.mime() {
            Some("image/png") => "png",
            Some("image/jpeg") => "jpg",
            Some("image/webp") => "webp",
            Some("image/ktx2") => "ktx2",
            Some("image/vnd-ms.dds") => "dds",
            Some("image/bmp") => "bmp",
            _ => "image",
        }
    }
}

impl std::fmt::Debug for Image {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Image({:?}, {} bytes)", self.name, self.bytes.len())
    }
}

/// How a texture repeats and is filtered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sampler {
    /// What happens beyond the left and right edge.
    pub wrap_u: Wrap,
    /// What happens beyond the upper and lower edge.
    pub wrap_v: Wrap,
    /// The filter for near surfaces; `None` leaves it to the renderer.
    pub magnify: Option<Filter>,
    /// The filter for far surfaces; `None` leaves it to the renderer.
    pub minify: Option<Minify>,
}

/// What a texture shows beyond its edge.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Wrap {
    /// Itself again.
    #[default]
    Repeat,
    /// Its last pixel.
    Clamp,
    /// Its mirror image.
    Mirror,
}

/// How a value between pixels is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Filter {
    /// The nearest one.
    Nearest,
    /// The weighted mean of the nearest ones.
    Linear,
}

/// How a texture is filtered where its pixels are smaller than the screen's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Minify {
    /// Between pixels.
    pub pixels: Filter,
    /// Between mipmap levels; `None` for a texture without mipmaps.
    pub levels: Option<Filter>,
}
