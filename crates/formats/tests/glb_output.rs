//! GLB files that other programs read: checked by the `gltf` crate's validation, and rule by rule.

mod fixtures;

use fixtures::{dressed_cube, named, png};
use glam::{DVec3, Vec2, Vec3};
use serde_json::{Value, json};
use smithereens_formats::{
    AlphaMode, Filter, GlbNode, GlbPrimitive, GlbScene, Image, Material, Minify, Sampler, Texture, Wrap,
    read_gltf, write_glb,
};

/// Two fragments under a parent, one with two materials, one far away; everything that can be written.
fn fragments() -> GlbScene {
    let triangle = GlbPrimitive {
        positions: vec![Vec3::new(-1.0, 0.1, 0.0), Vec3::X, Vec3::Y],
        normals: vec![Vec3::Z * 3.0, Vec3::ZERO, Vec3::NAN],
        indices: vec![0, 1, 2],
        ..GlbPrimitive::default()
    };
    let textured = GlbPrimitive { uvs: vec![Vec2::X; 3], material: 1, ..triangle.clone() };
    let empty = GlbPrimitive { indices: Vec::new(), ..triangle.clone() };
    let node = |name: &str, primitives, children| GlbNode {
        name: name.to_owned(),
        translation: DVec3::new(0.5, -2.0, 1e6),
        primitives,
        extras: json!({ "mass": 1.5 }),
        children,
    };
    let first = node("fragment 0", vec![triangle.clone(), textured], Vec::new());
    let second =
        node("fragment 1", vec![GlbPrimitive { material: 1, ..triangle }, empty.clone()], Vec::new());
    let nothing = node("", vec![empty], Vec::new());
    GlbScene {
        nodes: vec![node("all", Vec::new(), vec![first, second]), nothing],
        materials: vec![named("plain", 0.5), everything()],
        extras: json!({ "seed": 7 }),
    }
}

fn everything() -> Material {
    let sampler = Sampler {
        wrap_u: Wrap::Mirror,
        wrap_v: Wrap::Clamp,
        magnify: Some(Filter::Nearest),
        minify: Some(Minify { pixels: Filter::Linear, levels: Some(Filter::Nearest) }),
    };
    let texture = |strength| Some(Texture { sampler, strength, ..Texture::new(png()) });
    Material {
        emissive: [0.0, 3.0, 1.5],
        double_sided: true,
        alpha: AlphaMode::Mask { cutoff: 0.25 },
        base_color_texture: texture(1.0),
        metallic_roughness_texture: Some(Texture::new(png())),
        normal_texture: texture(2.0),
        occlusion_texture: texture(0.5),
        emissive_texture: texture(1.0),
        ..named("everything", 0.25)
    }
}

#[test]
fn the_gltf_crate_agrees() {
    let glb = write_glb(&fragments()).unwrap();
    let gltf::Gltf { document, blob } = gltf::Gltf::from_slice(&glb).expect("valid glTF");
    let blob = blob.unwrap();
    let scene = document.default_scene().unwrap();
    let all = scene.nodes().next().unwrap();
    let fragment = all.children().next().unwrap();
    assert_eq!(fragment.name(), Some("fragment 0"));
    assert_eq!(fragment.extras().as_ref().unwrap().get(), r#"{"mass":1.5}"#);
    assert_eq!(fragment.transform().decomposed().0, [0.5, -2.0, 1e6]);
    let primitives: Vec<_> = fragment.mesh().unwrap().primitives().collect();
    assert_eq!(primitives.len(), 2);
    for primitive in primitives {
        let reader = primitive.reader(|_| Some(&blob));
        assert_eq!(reader.read_positions().unwrap().next(), Some([-1.0, 0.1, 0.0]));
        assert_eq!(reader.read_indices().unwrap().into_u32().collect::<Vec<_>>(), [0, 1, 2]);
        // Normals that were none are those of the triangle.
        assert!(reader.read_normals().unwrap().all(|n| (Vec3::from(n) - Vec3::Z).length() < 1e-6));
    }
    assert_eq!((document.meshes().len(), document.nodes().len()), (2, 4));
    assert_eq!((document.images().len(), document.samplers().len(), document.textures().len()), (1, 2, 2));
}

#[test]
fn materials_are_read_back_as_they_were() {
    let model = read_gltf(&write_glb(&fragments()).unwrap(), None).unwrap();
    assert_eq!(model.materials, fragments().materials);
}

#[test]
fn rules_of_the_container_hold() {
    let scenes = [fragments(), GlbScene::from_model(&dressed_cube()).unwrap(), wide(65_535), wide(65_536)];
    for scene in scenes {
        let glb = write_glb(&scene).unwrap();
        gltf::Gltf::from_slice(&glb).expect("valid glTF");
        check_rules(&glb);
    }
}

/// The contract: the same scene gives the same bytes, in every version. Who changes what is written says so here.
#[test]
fn bytes_stay_the_same() {
    let scenes = [fragments(), GlbScene::from_model(&dressed_cube()).unwrap(), wide(65_536)];
    let hashes = scenes.map(|scene| fnv(&write_glb(&scene).unwrap()));
    assert_eq!(hashes, [0x6fc9_2185_655f_c297, 0xb0fd_313a_1cd0_2578, 0x9b2e_6304_0d1a_6016]);
}

fn fnv(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |h, &b| (h ^ u64::from(b)).wrapping_mul(0x100_0000_01b3))
}

#[test]
fn an_empty_scene_is_still_a_file() {
    let glb = write_glb(&GlbScene::default()).unwrap();
    gltf::Gltf::from_slice(&glb).expect("valid glTF");
    assert!(read_gltf(&glb, None).unwrap_err().to_string().contains("no faces"));
}

#[test]
fn wide_indices_are_used_only_where_needed() {
    for (vertices, component) in [(65_535, 5123), (65_536, 5125)] {
        let (document, _) = parts(&write_glb(&wide(vertices)).unwrap());
        assert_eq!(document["accessors"][1]["componentType"], component);
    }
}

#[test]
fn what_cannot_be_written_is_named() {
    let spoilt = |change: fn(&mut GlbScene)| {
        let mut scene = fragments();
        change(&mut scene);
        write_glb(&scene).unwrap_err().to_string()
    };
    fn first(scene: &mut GlbScene) -> &mut GlbPrimitive {
        &mut scene.nodes[0].children[0].primitives[0]
    }
    let place = "node \"fragment 0\": ";
    assert_eq!(spoilt(|s| first(s).positions[1].y = f32::NAN), format!("{place}vertex 1 is not finite"));
    assert_eq!(spoilt(|s| first(s).indices[2] = 3), format!("{place}a triangle refers to vertex 3 of 3"));
    assert_eq!(spoilt(|s| first(s).indices.push(0)), format!("{place}4 indices are no triangles"));
    assert_eq!(spoilt(|s| first(s).normals.truncate(1)), format!("{place}1 normals for 3 vertices"));
    assert_eq!(spoilt(|s| first(s).material = 2), format!("{place}it refers to material 2 of 2"));
    assert!(
        spoilt(|s| s.nodes[0].translation.x = f64::INFINITY).starts_with("node \"all\": its translation")
    );
    let unknown = spoilt(|s| {
        let image = Image { name: "sky.hdr".to_owned(), bytes: (*b"#?RADIANCE").into() };
        s.materials[0].emissive_texture = Some(Texture::new(image.into()));
    });
    assert_eq!(
        unknown,
        "texture \"sky.hdr\" is of an unknown format, but glTF holds only PNG and JPEG: convert it"
    );
}

/// One primitive with as many vertices.
fn wide(vertices: usize) -> GlbScene {
    let primitive = GlbPrimitive {
        positions: (0..vertices).map(|i| Vec3::splat(i as f32)).collect(),
        indices: vec![0, 1, vertices as u32 - 1],
        ..GlbPrimitive::default()
    };
    let node = GlbNode { primitives: vec![primitive], ..GlbNode::default() };
    GlbScene { nodes: vec![node], materials: vec![Material::default()], extras: Value::Null }
}

/// The document and the binary chunk; the container's own rules are checked on the way.
fn parts(glb: &[u8]) -> (Value, Vec<u8>) {
    let word = |at: usize| u32::from_le_bytes(glb[at..at + 4].try_into().unwrap()) as usize;
    assert_eq!((&glb[..4], word(4), word(8)), (&b"glTF"[..], 2, glb.len()));
    let json_length = word(12);
    assert_eq!((json_length % 4, &glb[16..20]), (0, &b"JSON"[..]));
    let binary = 20 + json_length;
    assert_eq!((word(binary) % 4, &glb[binary + 4..binary + 8]), (0, &b"BIN\0"[..]));
    assert_eq!(binary + 8 + word(binary), glb.len());
    (serde_json::from_slice(&glb[20..binary]).unwrap(), glb[binary + 8..].to_vec())
}

fn check_rules(glb: &[u8]) {
    let (document, binary) = parts(glb);
    let number = |value: &Value| value.as_u64().unwrap_or(0) as usize;
    assert!(number(&document["buffers"][0]["byteLength"]) <= binary.len());
    for list in document.as_object().unwrap().values().filter_map(Value::as_array) {
        assert!(!list.is_empty(), "an empty list");
    }
    let views = document["bufferViews"].as_array().unwrap();
    for view in views {
        assert_eq!(number(&view["byteOffset"]) % 4, 0);
        assert!(number(&view["byteLength"]) > 0);
        assert!(number(&view["byteOffset"]) + number(&view["byteLength"]) <= binary.len());
    }
    for accessor in document["accessors"].as_array().unwrap() {
        check_accessor(accessor, &views[number(&accessor["bufferView"])], &binary);
    }
    for primitive in
        document["meshes"].as_array().unwrap().iter().flat_map(|m| m["primitives"].as_array().unwrap())
    {
        let accessor = &document["accessors"][number(&primitive["attributes"]["POSITION"])];
        assert!(accessor["min"].is_array() && accessor["max"].is_array());
    }
}

fn check_accessor(accessor: &Value, view: &Value, binary: &[u8]) {
    let number = |value: &Value| value.as_u64().unwrap_or(0) as usize;
    let (component, count) = (number(&accessor["componentType"]), number(&accessor["count"]));
    let size = if component == 5123 { 2 } else { 4 };
    let components = match accessor["type"].as_str().unwrap() {
        "SCALAR" => 1,
        "VEC2" => 2,
        _ => 3,
    };
    let is_index = components == 1;
    assert_eq!(number(&view["target"]), if is_index { 34963 } else { 34962 });
    assert_eq!(view.get("byteStride").is_some(), !is_index);
    let start = number(&accessor["byteOffset"]);
    assert!(count > 0 && start.is_multiple_of(size));
    assert!(start + count * size * components <= number(&view["byteLength"]));
    if accessor.get("min").is_some() {
        let from = number(&view["byteOffset"]) + start;
        let values: Vec<f32> = binary[from..from + count * 12]
            .chunks_exact(4)
            .map(|raw| f32::from_le_bytes(raw.try_into().unwrap()))
            .collect();
        for axis in 0..3 {
            let along = || values.iter().skip(axis).step_by(3).copied();
            assert_eq!(accessor["min"][axis].as_f64().unwrap() as f32, along().fold(f32::INFINITY, f32::min));
            assert_eq!(
                accessor["max"][axis].as_f64().unwrap() as f32,
                along().fold(f32::NEG_INFINITY, f32::max)
            );
        }
    }
}
