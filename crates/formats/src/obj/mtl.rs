//! MTL, the material files of OBJ, with the metallic-roughness statements that exporters have agreed on.

use std::fmt::Write;
use std::path::Path;
use std::sync::Arc;

use crate::files::Neighbours;
use crate::text::{Lines, Words, parse};
use crate::{AlphaMode, Image, Material, Sampler, Texture, Wrap};

/// The materials of a library. What cannot be read keeps its default: a material never stops a mesh.
pub(super) fn read(text: &[u8], neighbours: &mut Neighbours) -> Vec<Material> {
    let mut materials: Vec<Material> = Vec::new();
    let mut lines = Lines::of(text);
    while let Some(line) = lines.next_continued() {
        let mut words = line.words();
        let Some(keyword) = words.next() else { continue };
        if keyword == b"newmtl" {
            materials.push(Material { name: words.name(), ..Material::default() });
        } else if let Some(material) = materials.last_mut() {
            statement(material, keyword, words, neighbours);
        }
    }
    materials
}

fn statement(material: &mut Material, keyword: &[u8], words: Words, neighbours: &mut Neighbours) {
    match keyword {
        b"Kd" => {
            if let Some([r, g, b]) = colour(words) {
                material.base_color = [r, g, b, material.base_color[3]];
            }
        }
        b"Ke" => material.emissive = colour(words).unwrap_or(material.emissive),
        b"d" => set_opacity(material, number(words)),
        b"Tr" => set_opacity(material, number(words).map(|t| 1.0 - t)),
        b"Pr" => set(&mut material.roughness, number(words)),
        b"Pm" => set(&mut material.metallic, number(words)),
        // A later Pr overrides it; an earlier one would be overridden, but exporters write Ns first.
        b"Ns" => set(&mut material.roughness, number(words).map(roughness_of_shininess)),
        b"map_Kd" => material.base_color_texture = texture(words, neighbours),
        b"map_Ke" => material.emissive_texture = texture(words, neighbours),
        b"norm" | b"map_Bump" | b"map_bump" | b"bump" => {
            material.normal_texture = texture(words, neighbours);
        }
        b"map_ORM" => material.metallic_roughness_texture = texture(words, neighbours),
        b"map_Ka" | b"map_AO" => material.occlusion_texture = texture(words, neighbours),
        _ => {}
    }
}

fn set(target: &mut f32, value: Option<f32>) {
    *target = value.map_or(*target, |v| v.clamp(0.0, 1.0));
}

fn set_opacity(material: &mut Material, value: Option<f32>) {
    set(&mut material.base_color[3], value);
    let clear = material.base_color[3] < 1.0;
    material.alpha = if clear { AlphaMode::Blend } else { AlphaMode::Opaque };
}

/// Blender's mapping between Phong's exponent and roughness.
fn roughness_of_shininess(shininess: f32) -> f32 {
    1.0 - (shininess.clamp(0.0, 1000.0) / 1000.0).sqrt()
}

fn shininess_of_roughness(roughness: f32) -> f32 {
    (1.0 - roughness).powi(2) * 1000.0
}

fn number(mut words: Words) -> Option<f32> {
    words.next().and_then(parse).filter(|v: &f32| v.is_finite())
}

/// One value stands for three.
fn colour(mut words: Words) -> Option<[f32; 3]> {
    let red = number(words.clone())?;
    words.next();
    let Some(green) = number(words.clone()) else { return Some([red; 3]) };
    words.next();
    Some([red, green, number(words)?])
}

/// Options come before the file name, which is the rest of the line since it may have spaces.
fn texture(mut words: Words, neighbours: &mut Neighbours) -> Option<Texture> {
    let (mut strength, mut wrap) = (1.0, Wrap::Repeat);
    while words.rest().starts_with(b"-") {
        match words.next()? {
            b"-bm" => strength = words.next().and_then(parse).filter(|s: &f32| s.is_finite()).unwrap_or(1.0),
            b"-clamp" => wrap = if words.next() == Some(b"on") { Wrap::Clamp } else { Wrap::Repeat },
            b"-mm" => words.by_ref().take(2).for_each(drop),
            // Up to three numbers; the last ones may be left out.
            b"-o" | b"-s" | b"-t" => {
                while words.clone().next().and_then(parse::<f32>).is_some() {
                    words.next();
                }
            }
            _ => drop(words.next()),
        }
    }
    let name = words.name();
    let bytes = neighbours.get(&name)?;
    let name = name.rsplit(['/', '\\']).next().unwrap_or_default().to_owned();
    let sampler = Sampler { wrap_u: wrap, wrap_v: wrap, ..Sampler::default() };
    Some(Texture { image: Arc::new(Image { name, bytes }), sampler, strength })
}

/// Image files to be written next to a library, each under a name of its own.
#[derive(Default)]
pub(super) struct Images {
    pub(super) files: Vec<(String, Arc<Image>)>,
}

impl Images {
    fn name_of(&mut self, image: &Arc<Image>) -> String {
        if let Some((name, _)) = self.files.iter().find(|(_, known)| known.bytes == image.bytes) {
            return name.clone();
        }
        let stem = Path::new(&image.name).file_stem().map(|s| s.to_string_lossy().into_owned());
        let stem = file_name_of(&stem.filter(|s| !s.is_empty()).unwrap_or("texture".to_owned()));
        let ending = match Path::new(&image.name).extension() {
            Some(ending) if image.mime().is_none() => file_name_of(&ending.to_string_lossy()),
            _ => image.ending().to_owned(),
        };
        let taken = |name: &str| self.files.iter().any(|(known, _)| known.eq_ignore_ascii_case(name));
        let names =
            (1..).map(|n| if n == 1 { format!("{stem}.{ending}") } else { format!("{stem}-{n}.{ending}") });
        let name = names.into_iter().find(|name| !taken(name)).expect("numbers do not run out");
        self.files.push((name.clone(), image.clone()));
        name
    }
}

/// A name that is one word and one path component everywhere.
fn file_name_of(name: &str) -> String {
    name.chars().map(|c| if c.is_alphanumeric() || "-_.".contains(c) { c } else { '_' }).collect()
}

/// The library's text; images are collected under the names it uses.
pub(super) fn write<'a>(
    materials: impl Iterator<Item = (&'a str, &'a Material)>,
    images: &mut Images,
) -> String {
    let mut text = String::new();
    for (name, material) in materials {
        write_material(&mut text, name, material, images).expect("a string takes all");
    }
    text
}

fn write_material(text: &mut String, name: &str, m: &Material, images: &mut Images) -> std::fmt::Result {
    let [r, g, b, opacity] = m.base_color;
    let [er, eg, eb] = m.emissive;
    writeln!(
        text,
        "newmtl {name}\nKd {r} {g} {b}\nKe {er} {eg} {eb}\nNs {}",
        shininess_of_roughness(m.roughness)
    )?;
    writeln!(text, "Pr {}\nPm {}", m.roughness, m.metallic)?;
    if opacity < 1.0 {
        writeln!(text, "d {opacity}")?;
    }
    let maps = [
        ("map_Kd", &m.base_color_texture),
        ("map_Ke", &m.emissive_texture),
        ("norm", &m.normal_texture),
        ("map_ORM", &m.metallic_roughness_texture),
        ("map_AO", &m.occlusion_texture),
    ];
    for (keyword, texture) in maps {
        let Some(texture) = texture else { continue };
        write!(text, "{keyword} ")?;
        if texture.strength != 1.0 {
            write!(text, "-bm {} ", texture.strength)?;
        }
        if texture.sampler.wrap_u == Wrap::Clamp {
            write!(text, "-clamp on ")?;
        }
        writeln!(text, "{}", images.name_of(&texture.image))?;
    }
    writeln!(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_alone(text: &[u8]) -> Vec<Material> {
        read(text, &mut Neighbours::of(None))
    }

    #[test]
    fn statements_become_a_material() {
        let materials = read_alone(
            b"Kd 9 9 9\nnewmtl red brick\nKd 1 0 0.5\nKe 2\nNs 250\nd 0.5\nPm 0.75\nmap_Kd -s 2 2 -clamp on a b.png\n\
            newmtl\nKd nan x\nPr 7\nTr 0\n",
        );
        assert_eq!(materials.len(), 2);
        assert_eq!(materials[0].name, "red brick");
        assert_eq!(materials[0].base_color, [1.0, 0.0, 0.5, 0.5]);
        assert_eq!(materials[0].emissive, [2.0; 3]);
        assert_eq!((materials[0].roughness, materials[0].metallic), (0.5, 0.75));
        assert_eq!(materials[0].alpha, AlphaMode::Blend);
        assert_eq!(materials[1].base_color, Material::default().base_color);
        assert_eq!(materials[1].roughness, 1.0);
    }

    #[test]
    fn a_material_survives_being_written() {
        let material = Material {
            name: "glass".to_owned(),
            base_color: [0.1, 0.2, 0.3, 0.4],
            roughness: 0.05,
            metallic: 0.3,
            emissive: [0.0, 1.5, 0.0],
            alpha: AlphaMode::Blend,
            ..Material::default()
        };
        let text = write([("glass", &material)].into_iter(), &mut Images::default());
        assert_eq!(read_alone(text.as_bytes()), [material]);
    }

    #[test]
    fn images_of_one_name_get_two() {
        let image = |bytes: &[u8]| Arc::new(Image { name: "a/b c.png".to_owned(), bytes: bytes.into() });
        let mut images = Images::default();
        assert_eq!(images.name_of(&image(b"1")), "b_c.png");
        assert_eq!(images.name_of(&image(b"2")), "b_c-2.png");
        assert_eq!(images.name_of(&image(b"1")), "b_c.png");
    }
}
