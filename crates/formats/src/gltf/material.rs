//! Materials and their textures. Images stay the bytes they are.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::document::{Document, data_uri, entry, percent_decoded};
use super::schema;
use crate::files::Neighbours;
use crate::{AlphaMode, Filter, Image, Material, Minify, Place, Problem, ReadError, Sampler, Texture, Wrap};

/// All materials of the document.
pub(super) fn read(document: &Document, neighbours: &mut Neighbours) -> Result<Vec<Material>, ReadError> {
    let mut textures = Textures {
        document,
        neighbours,
        images: BTreeMap::new(),
        views: BTreeMap::new(),
        bytes_left: document.buffer_bytes(),
    };
    document.root.materials.iter().map(|m| material(m, &mut textures)).collect()
}

fn material(source: &schema::Material, textures: &mut Textures) -> Result<Material, ReadError> {
    let pbr = &source.pbr_metallic_roughness;
    let strength = source.extensions.emissive_strength.as_ref().and_then(|e| e.emissive_strength);
    Ok(Material {
        name: source.name.clone().unwrap_or_default(),
        base_color: pbr.base_color_factor.unwrap_or([1.0; 4]),
        metallic: pbr.metallic_factor.unwrap_or(1.0),
        roughness: pbr.roughness_factor.unwrap_or(1.0),
        emissive: source.emissive_factor.unwrap_or([0.0; 3]).map(|c| c * strength.unwrap_or(1.0)),
        double_sided: source.double_sided,
        alpha: alpha(source),
        base_color_texture: textures.get(&pbr.base_color_texture)?,
        metallic_roughness_texture: textures.get(&pbr.metallic_roughness_texture)?,
        normal_texture: textures.get(&source.normal_texture)?,
        occlusion_texture: textures.get(&source.occlusion_texture)?,
        emissive_texture: textures.get(&source.emissive_texture)?,
    })
}

fn alpha(source: &schema::Material) -> AlphaMode {
    match source.alpha_mode.as_deref() {
        Some("MASK") => AlphaMode::Mask { cutoff: source.alpha_cutoff.unwrap_or(0.5) },
        Some("BLEND") => AlphaMode::Blend,
        _ => AlphaMode::Opaque,
    }
}

struct Textures<'a, 'f> {
    document: &'a Document,
    neighbours: &'a mut Neighbours<'f>,
    images: BTreeMap<usize, Option<Arc<Image>>>,
    views: BTreeMap<usize, Arc<[u8]>>,
    /// Views can overlap, so that copies of them could be any amount of memory: all together may be as
    /// large as the buffers.
    bytes_left: usize,
}

impl Textures<'_, '_> {
    /// `None` where the material has none, or its file is not there.
    fn get(&mut self, source: &Option<schema::TextureRef>) -> Result<Option<Texture>, ReadError> {
        let Some(source) = source else { return Ok(None) };
        let texture = entry(&self.document.root.textures, source.index, "texture")?;
        let better = texture.extensions.webp.as_ref().or(texture.extensions.basisu.as_ref());
        let Some(image) = texture.source.or(better.and_then(|t| t.source)) else { return Ok(None) };
        let sampler = match texture.sampler {
            Some(index) => sampler(entry(&self.document.root.samplers, index, "sampler")?),
            None => Sampler::default(),
        };
        let strength = source.scale.or(source.strength).unwrap_or(1.0);
        Ok(self.image(image)?.map(|image| Texture { image, sampler, strength }))
    }

    fn image(&mut self, index: usize) -> Result<Option<Arc<Image>>, ReadError> {
        if let Some(known) = self.images.get(&index) {
            return Ok(known.clone());
        }
        let image = self.load(index)?.map(Arc::new);
        self.images.insert(index, image.clone());
        Ok(image)
    }

    fn load(&mut self, index: usize) -> Result<Option<Image>, ReadError> {
        let source = entry(&self.document.root.images, index, "image")?;
        let (file_name, bytes) = match (&source.uri, source.buffer_view) {
            (Some(uri), _) => match data_uri(uri, index)? {
                Some(bytes) => (None, Some(bytes)),
                None => {
                    let path = percent_decoded(uri);
                    let bytes = self.neighbours.get(&path);
                    (path.rsplit('/').next().map(str::to_owned), bytes)
                }
            },
            (None, Some(view)) => (None, Some(self.copy(view, index)?)),
            (None, None) => (None, None),
        };
        let named = source.name.clone().filter(|n| !n.is_empty()).or(file_name);
        let name = named.unwrap_or_else(|| format!("image-{index}"));
        Ok(bytes.map(|bytes| Image { name, bytes }))
    }

    fn copy(&mut self, view: usize, image: usize) -> Result<Arc<[u8]>, ReadError> {
        if let Some(known) = self.views.get(&view) {
            return Ok(known.clone());
        }
        let bytes = self.document.view(view)?.0;
        let Some(left) = self.bytes_left.checked_sub(bytes.len()) else {
            return Place::thing("image", image).has(Problem::Invalid("its bytes are those of other images"));
        };
        self.bytes_left = left;
        let copy: Arc<[u8]> = bytes.into();
        self.views.insert(view, copy.clone());
        Ok(copy)
    }
}

fn sampler(source: &schema::Sampler) -> Sampler {
    let wrap = |code| match code {
        Some(33071) => Wrap::Clamp,
        Some(33648) => Wrap::Mirror,
        _ => Wrap::Repeat,
    };
    let minify = |pixels, levels| Some(Minify { pixels, levels });
    Sampler {
        wrap_u: wrap(source.wrap_s),
        wrap_v: wrap(source.wrap_t),
        magnify: match source.mag_filter {
            Some(9728) => Some(Filter::Nearest),
            Some(9729) => Some(Filter::Linear),
            _ => None,
        },
        minify: match source.min_filter {
            Some(9728) => minify(Filter::Nearest, None),
            Some(9729) => minify(Filter::Linear, None),
            Some(9984) => minify(Filter::Nearest, Some(Filter::Nearest)),
            Some(9985) => minify(Filter::Linear, Some(Filter::Nearest)),
            Some(9986) => minify(Filter::Nearest, Some(Filter::Linear)),
            Some(9987) => minify(Filter::Linear, Some(Filter::Linear)),
            _ => None,
        },
    }
}
