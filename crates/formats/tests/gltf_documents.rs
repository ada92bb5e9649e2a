//! What glTF documents may hold, and how they may lie.

mod fixtures;

use std::f64::consts::FRAC_1_SQRT_2;

use base64::Engine;
use fixtures::six_volumes;
use glam::{DVec3, Vec2, Vec3};
use serde_json::{Value, json};
use smithereens_formats::{AlphaMode, Model, ReadError, Wrap, read_gltf};

/// A buffer that remembers where its parts are.
#[derive(Default)]
struct Buffer {
    bytes: Vec<u8>,
    views: Vec<Value>,
}

impl Buffer {
    fn add(&mut self, part: impl IntoIterator<Item = u8>) -> usize {
        let offset = self.bytes.len();
        self.bytes.extend(part);
        self.views
            .push(json!({ "buffer": 0, "byteOffset": offset, "byteLength": self.bytes.len() - offset }));
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
        self.views.len() - 1
    }

    fn floats(&mut self, values: &[f32]) -> usize {
        self.add(values.iter().flat_map(|v| v.to_le_bytes()))
    }

    fn uri(&self) -> String {
        let text = base64::engine::general_purpose::STANDARD.encode(&self.bytes);
        format!("data:application/octet-stream;base64,{text}")
    }
}

const TETRAHEDRON: [f32; 12] = [0., 0., 0., 1., 0., 0., 0., 1., 0., 0., 0., 1.];
const SIDES: [u16; 12] = [0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3];

/// A tetrahedron, closed and looking outward.
fn tetrahedron() -> Value {
    let mut buffer = Buffer::default();
    buffer.floats(&TETRAHEDRON);
    buffer.add(SIDES.iter().flat_map(|i| i.to_le_bytes()));
    json!({
        "asset": { "version": "2.0" },
        "scene": 0,
        "scenes": [{ "nodes": [0] }],
        "nodes": [{ "name": "tip", "mesh": 0 }],
        "meshes": [{ "primitives": [{ "attributes": { "POSITION": 0 }, "indices": 1 }] }],
        "accessors": [
            { "bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3" },
            { "bufferView": 1, "componentType": 5123, "count": 12, "type": "SCALAR" }
        ],
        "bufferViews": buffer.views,
        "buffers": [{ "byteLength": buffer.bytes.len(), "uri": buffer.uri() }]
    })
}

fn set_buffer(document: &mut Value, buffer: &Buffer) {
    document["bufferViews"] = json!(buffer.views);
    document["buffers"] = json!([{ "byteLength": buffer.bytes.len(), "uri": buffer.uri() }]);
}

fn read(document: &Value) -> Result<Model, ReadError> {
    read_gltf(document.to_string().as_bytes(), None)
}

fn message(document: &Value) -> String {
    read(document).unwrap_err().to_string()
}

#[test]
fn nodes_are_placed_in_the_world() {
    let mut document = tetrahedron();
    document["nodes"] = json!([
        { "children": [1, 2], "translation": [10, 0, 0], "scale": [2, 2, 2] },
        { "name": "left", "mesh": 0, "rotation": [0, 0, FRAC_1_SQRT_2, FRAC_1_SQRT_2] },
        { "name": "right", "mesh": 0, "matrix": [-1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 5, 1] }
    ]);
    let model = read(&document).unwrap();
    let names: Vec<_> = model.objects.iter().map(|o| (o.name.as_str(), o.faces.clone())).collect();
    assert_eq!(names, [("left", 0..4), ("right", 4..8)]);
    let has = |p: DVec3| model.mesh.positions.iter().any(|q| q.distance(p) < 1e-12);
    assert!(has(DVec3::new(10.0, 2.0, 0.0)) && has(DVec3::new(8.0, 0.0, 10.0)));
    // The second is mirrored, and still looks outward.
    assert!((six_volumes(&model.mesh) - 2.0 * 8.0).abs() < 1e-9);
}

#[test]
fn nodes_scaled_to_nothing_are_not_there() {
    let mut document = tetrahedron();
    document["nodes"] = json!([
        { "children": [1, 2] },
        { "mesh": 0, "scale": [0, 0, 0], "children": [3] },
        { "name": "seen", "mesh": 0 },
        { "mesh": 0 }
    ]);
    let model = read(&document).unwrap();
    assert_eq!((model.mesh.faces.len(), model.objects.len()), (4, 1));
    assert_eq!(model.objects[0].name, "seen");
}

#[test]
fn strips_fans_and_lists_make_the_same_square() {
    let square = [0., 0., 0., 1., 0., 0., 1., 1., 0., 0., 1., 0.];
    for (mode, indices) in
        [(4, &[0u8, 1, 2, 0, 2, 3][..]), (5, &[0, 1, 3, 2]), (6, &[0, 1, 2, 3]), (5, &[0, 1, 3, 2, 2])]
    {
        let mut buffer = Buffer::default();
        buffer.floats(&square);
        buffer.add(indices.iter().copied());
        let mut document = tetrahedron();
        set_buffer(&mut document, &buffer);
        document["meshes"][0]["primitives"][0]["mode"] = json!(mode);
        document["accessors"][1] =
            json!({ "bufferView": 1, "componentType": 5121, "count": indices.len(), "type": "SCALAR" });
        let mesh = read(&document).unwrap().mesh;
        assert_eq!(mesh.faces.len(), 2, "mode {mode}");
        assert!((0..2).all(|f| mesh.face_area_vector(f) == DVec3::Z), "mode {mode}");
    }
}

#[test]
fn points_and_lines_are_skipped() {
    let mut document = tetrahedron();
    let primitive = document["meshes"][0]["primitives"][0].clone();
    let mut line = primitive.clone();
    line["mode"] = json!(1);
    document["meshes"][0]["primitives"] = json!([line, primitive]);
    assert_eq!(read(&document).unwrap().mesh.faces.len(), 4);
}

#[test]
fn sparse_accessors_change_some_items() {
    let mut buffer = Buffer::default();
    buffer.add([0u8, 2, 0, 1, 0, 1, 0, 3, 0, 3, 2, 1]); // no view of the positions: they start as zeros
    buffer.add(SIDES.iter().flat_map(|i| i.to_le_bytes()));
    buffer.add([1u8, 2, 3]);
    buffer.floats(&TETRAHEDRON[3..]);
    let mut document = tetrahedron();
    set_buffer(&mut document, &buffer);
    document["accessors"][0] = json!({
        "componentType": 5126, "count": 4, "type": "VEC3",
        "sparse": {
            "count": 3,
            "indices": { "bufferView": 2, "componentType": 5121 },
            "values": { "bufferView": 3 }
        }
    });
    assert_eq!(six_volumes(&read(&document).unwrap().mesh), 1.0);
    document["accessors"][0]["count"] = json!(3_000_000);
    assert!(message(&document).starts_with("accessor 0: 3000000 items are declared"));
    document["accessors"][0]["count"] = json!(2);
    assert_eq!(message(&document), "accessor 0: a sparse index refers to item 2, but the file has 2");
}

#[test]
fn interleaved_quantized_attributes_are_read() {
    let mut buffer = Buffer::default();
    // Position as three shorts and padding, normal as three normalized bytes and padding, uv as two.
    for (x, y, u) in [(0i16, 0i16, 0u8), (2, 0, 255), (0, 2, 51)] {
        let mut vertex = Vec::new();
        [x, y, 0, 0].iter().for_each(|c| vertex.extend(c.to_le_bytes()));
        vertex.extend([0, 0, 127, 0, u, 255, 0, 0]);
        buffer.bytes.extend(vertex);
    }
    buffer.views.push(json!({ "buffer": 0, "byteLength": 48, "byteStride": 16 }));
    let mut document = tetrahedron();
    set_buffer(&mut document, &buffer);
    document["extensionsRequired"] = json!(["KHR_mesh_quantization"]);
    document["meshes"] =
        json!([{ "primitives": [{ "attributes": { "POSITION": 0, "NORMAL": 1, "TEXCOORD_0": 2 } }] }]);
    document["accessors"] = json!([
        { "bufferView": 0, "componentType": 5122, "count": 3, "type": "VEC3" },
        { "bufferView": 0, "byteOffset": 8, "componentType": 5120, "normalized": true, "count": 3, "type": "VEC3" },
        { "bufferView": 0, "byteOffset": 12, "componentType": 5121, "normalized": true, "count": 3, "type": "VEC2" }
    ]);
    let mesh = read(&document).unwrap().mesh;
    assert_eq!(mesh.area(), 2.0);
    assert_eq!(mesh.normals, [Vec3::Z; 3]);
    assert_eq!(mesh.uvs, [Vec2::Y, Vec2::ONE, Vec2::new(0.2, 1.0)]);
}

#[test]
fn buffers_and_images_lie_beside_the_file() {
    let folder = std::env::temp_dir().join(format!("smithereens-gltf-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let mut buffer = Buffer::default();
    buffer.floats(&TETRAHEDRON);
    buffer.add(SIDES.iter().flat_map(|i| i.to_le_bytes()));
    let mut document = tetrahedron();
    document["buffers"][0]["uri"] = json!("my%20mesh.bin");
    document["materials"] = json!([{
        "name": "leaf", "alphaMode": "MASK", "alphaCutoff": 0.25, "doubleSided": true,
        "emissiveFactor": [1, 0.5, 0],
        "extensions": { "KHR_materials_emissive_strength": { "emissiveStrength": 4 } },
        "pbrMetallicRoughness": { "baseColorTexture": { "index": 0 }, "metallicFactor": 0 },
        "normalTexture": { "index": 1, "scale": 0.5 }
    }]);
    document["textures"] = json!([{ "source": 0, "sampler": 0 }, { "source": 1 }]);
    document["samplers"] = json!([{ "wrapS": 33071, "minFilter": 9987 }]);
    document["images"] = json!([{ "uri": "leaf.png" }, { "uri": "bumps.png" }]);
    document["meshes"][0]["primitives"][0]["material"] = json!(0);
    let text = document.to_string();
    let error = read_gltf(text.as_bytes(), Some(&folder)).unwrap_err().to_string();
    assert!(error.contains("my mesh.bin"), "{error}");
    std::fs::write(folder.join("my mesh.bin"), &buffer.bytes).unwrap();
    std::fs::write(folder.join("leaf.png"), b"\x89PNG\r\n\x1a\n").unwrap();
    let model = read_gltf(text.as_bytes(), Some(&folder)).unwrap();
    let leaf = &model.materials[0];
    assert_eq!((leaf.alpha, leaf.emissive), (AlphaMode::Mask { cutoff: 0.25 }, [4.0, 2.0, 0.0]));
    let texture = leaf.base_color_texture.as_ref().unwrap();
    assert_eq!((texture.image.mime(), texture.sampler.wrap_u), (Some("image/png"), Wrap::Clamp));
    assert!(leaf.double_sided && leaf.normal_texture.is_none());
    assert_eq!(model.missing, [std::path::PathBuf::from("bumps.png")]);
    std::fs::remove_dir_all(folder).unwrap();
}

/// Applies a change to the document and returns what is said about it.
fn lie(path: &str, value: Value) -> String {
    let mut document = tetrahedron();
    match document.pointer_mut(path) {
        Some(place) => *place = value,
        None => {
            let (parent, key) = path.rsplit_once('/').unwrap();
            document.pointer_mut(parent).unwrap()[key] = value;
        }
    }
    message(&document)
}

#[test]
fn lies_are_named() {
    let huge = json!(u64::MAX);
    assert!(
        lie("/accessors/0/count", huge.clone())
            .starts_with("mesh 0, primitive 0: with it the scene has more")
    );
    assert!(
        lie("/accessors/0/count", json!(5))
            .starts_with("accessor 0: 5 items are declared, but only 48 bytes")
    );
    assert!(lie("/accessors/0/byteOffset", huge.clone()).starts_with("accessor 0: 4 items"));
    assert!(lie("/accessors/0/componentType", json!(1)).contains("\"1\" is not a component type"));
    assert!(lie("/accessors/0/type", json!("MAT4")).starts_with("accessor 0: it has another number"));
    assert!(lie("/accessors/0/bufferView", json!(9)).contains("refers to buffer view 9, but the file has 2"));
    assert!(lie("/accessors/0/count", json!(-1)).contains("invalid value"));
    assert!(lie("/accessors/1/count", json!(11)).contains("not a multiple of three"));
    assert!(lie("/accessors/1/componentType", json!(5126)).contains("unsigned"));
    assert!(lie("/bufferViews/0/byteOffset", huge.clone()).starts_with("buffer view 0"));
    assert!(lie("/bufferViews/0/byteLength", huge.clone()).starts_with("buffer view 0"));
    assert!(lie("/bufferViews/0/byteStride", json!(0)).contains("stride"));
    assert!(lie("/bufferViews/0/byteStride", huge.clone()).starts_with("accessor 0: 4 items"));
    assert!(lie("/buffers/0/byteLength", huge.clone()).starts_with("buffer 0"));
    assert!(lie("/buffers/0/uri", json!("data:;base64,A*")).contains("not base64"));
    assert!(lie("/buffers/0/uri", json!("gone.bin")).contains("cannot read gone.bin"));
    assert!(lie("/nodes/0/children", json!([0])).starts_with("node 0: it has two parents"));
    assert!(lie("/nodes/0/children", json!([7])).contains("node 7, but the file has 1"));
    assert!(lie("/nodes/0/mesh", json!(3)).contains("mesh 3"));
    assert!(lie("/nodes/0/matrix", json!([1e308, 1e308, 1e308])).contains("invalid length"));
    assert!(lie("/scene", json!(4)).contains("scene 4"));
    assert!(lie("/meshes/0/primitives/0/material", json!(2)).contains("material 2, but the file has 0"));
    assert!(lie("/extensionsRequired", json!(["KHR_draco_mesh_compression"])).contains("KHR_draco"));
    assert!(lie("/asset/version", json!("1.0")).contains("glTF 1"));
    assert!(lie("/meshes/0/primitives", json!([])).contains("no faces"));
}

#[test]
fn vertices_must_be_finite() {
    let mut buffer = Buffer::default();
    let mut positions = TETRAHEDRON;
    positions[7] = f32::NAN;
    buffer.floats(&positions);
    buffer.add(SIDES.iter().flat_map(|i| i.to_le_bytes()));
    let mut document = tetrahedron();
    set_buffer(&mut document, &buffer);
    assert!(message(&document).starts_with("mesh 0, primitive 0, vertex 2: a coordinate is"));
    let mut far = tetrahedron();
    far["nodes"] = json!([{ "children": [1], "scale": [1e200, 1, 1] }, { "name": "far", "mesh": 0, "scale": [1e200, 1, 1] }]);
    assert!(message(&far).starts_with("node \"far\": a coordinate is"));
}

#[test]
fn a_small_file_cannot_unfold_without_end() {
    let mut document = tetrahedron();
    let mut buffer = Buffer::default();
    buffer.add(vec![0; 3 * 40_000]);
    set_buffer(&mut document, &buffer);
    let primitive = json!({ "attributes": { "POSITION": 0 } });
    document["accessors"] = json!([{ "componentType": 5126, "count": 120_000, "type": "VEC3" }]);
    document["meshes"] = json!([{ "primitives": vec![primitive; 1000] }]);
    assert!(message(&document).contains("split it into several files"));
}

#[test]
fn images_cannot_overlap_without_end() {
    let mut document = tetrahedron();
    let view = document["bufferViews"][0].clone();
    document["bufferViews"] = json!(vec![view; 100]);
    document["images"] = (0..100).map(|i| json!({ "bufferView": i })).collect();
    document["textures"] = (0..100).map(|i| json!({ "source": i })).collect();
    document["materials"] = (0..100).map(|i| json!({ "emissiveTexture": { "index": i } })).collect();
    assert!(message(&document).starts_with("image 1: its bytes are those of other images"));
}

#[test]
fn nodes_may_be_nested_deeply() {
    let mut document = tetrahedron();
    let mut nodes: Vec<Value> = (1..100_000).map(|i| json!({ "children": [i] })).collect();
    nodes.push(json!({ "mesh": 0 }));
    document["nodes"] = json!(nodes);
    assert_eq!(read(&document).unwrap().mesh.faces.len(), 4);
}
