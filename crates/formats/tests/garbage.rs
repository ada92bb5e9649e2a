//! Readers meet damaged files: thousands of them, made from valid ones with a seeded generator. None may panic, hang or
//! take memory that the file does not account for, and what is read must be fit to be written.

mod fixtures;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use base64::Engine;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use smithereens_formats::{
    GlbScene, Model, ReadError, read_gltf, read_obj, read_off, read_ply, read_stl, write_glb, write_obj,
    write_off, write_ply, write_stl,
};

/// Damaged files a reader, and the longest that one may take on a slow, busy machine.
const CASES: u64 = 20_000;
const LONGEST: Duration = Duration::from_secs(3);

const TOKENS: [&str; 18] = [
    "-1",
    "0",
    "1",
    "3",
    "255",
    "65535",
    "65536",
    "2147483647",
    "-2147483648",
    "4294967295",
    "4294967296",
    "18446744073709551615",
    "99999999999999999999999",
    "1e308",
    "1e999",
    "NaN",
    "-inf",
    "",
];

type Reader = fn(&[u8]) -> Result<Model, ReadError>;

fn campaign(name: &str, seeds: &[Vec<u8>], read: Reader) {
    for seed in seeds {
        read(seed).unwrap_or_else(|e| panic!("{name}: a seed is invalid: {e}"));
    }
    let (mut good, mut slowest) = (0, Duration::ZERO);
    for case in 0..CASES {
        let mut rng = Pcg64Mcg::seed_from_u64(case);
        let bytes = damaged(seeds, &mut rng);
        let start = Instant::now();
        let outcome = catch_unwind(AssertUnwindSafe(|| match read(&bytes) {
            Ok(model) => write_everywhere(&model),
            Err(error) => assert!(error.to_string().len() < 500, "an error as long as the file"),
        }));
        let taken = start.elapsed();
        assert!(outcome.is_ok(), "{name}, case {case}: {:?}", String::from_utf8_lossy(&bytes));
        assert!(taken < LONGEST, "{name}, case {case} took {taken:?}");
        slowest = slowest.max(taken);
        good += u64::from(read(&bytes).is_ok());
    }
    println!("{name}: {CASES} cases, {good} still readable, the slowest took {slowest:?}");
    assert!(good > 0 && good < CASES, "{name}: {good} of {CASES} readable: the damage is not instructive");
}

/// Writers take whatever readers give; only what single precision cannot hold may fail.
fn write_everywhere(model: &Model) {
    assert!(model.mesh.faces.iter().all(|f| (f.slot.0 as usize) < model.materials.len()));
    write_obj(model, "a.mtl").unwrap();
    write_off(&model.mesh).unwrap();
    write_ply(&model.mesh).unwrap();
    write_stl(&model.mesh).ok();
    GlbScene::from_model(model).and_then(|scene| write_glb(&scene)).ok();
}

fn damaged(seeds: &[Vec<u8>], rng: &mut Pcg64Mcg) -> Vec<u8> {
    let mut bytes = seeds[rng.random_range(0..seeds.len())].clone();
    for _ in 0..rng.random_range(1..=4) {
        let length = bytes.len();
        if length == 0 {
            break;
        }
        let at = rng.random_range(0..length);
        let end = (at + rng.random_range(1..=64)).min(length);
        match rng.random_range(0..8) {
            0 => bytes[at] ^= 1 << rng.random_range(0..8),
            1 => bytes[at] = rng.random(),
            2 => bytes.truncate(at),
            3 => drop(bytes.drain(at..end)),
            4 => {
                let part = bytes[at..end].to_vec();
                let to = rng.random_range(0..=length);
                bytes.splice(to..to, part);
            }
            5 => {
                let other = &seeds[rng.random_range(0..seeds.len())];
                let from = rng.random_range(0..other.len());
                bytes.splice(at.., other[from..].iter().copied());
            }
            _ => replace_number(&mut bytes, at, rng),
        }
    }
    bytes
}

/// Replaces the first number from a place on: as text, or four bytes of it in a binary part.
fn replace_number(bytes: &mut Vec<u8>, at: usize, rng: &mut Pcg64Mcg) {
    let is_number = |b: &u8| b.is_ascii_digit() || b"+-.eE".contains(b);
    let Some(start) = bytes[at..].iter().position(u8::is_ascii_digit).map(|i| at + i) else {
        let end = (at + 4).min(bytes.len());
        bytes[at..end].fill(if rng.random() { 0xFF } else { 0x7F });
        return;
    };
    let length = bytes[start..].iter().take_while(|b| is_number(b)).count();
    let token = TOKENS[rng.random_range(0..TOKENS.len())];
    bytes.splice(start..start + length, token.bytes());
}

#[test]
fn obj() {
    let files = write_obj(&fixtures::dressed_cube(), "cube.mtl").unwrap();
    let by_hand =
        b"v 0 0 0 1 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nvt 0 1\nvn 0 0 1\no a\nf 1/1/1 2//1 \\\n-2/-1 -1\n"
            .to_vec();
    campaign("obj", &[files.obj, by_hand], |bytes| read_obj(bytes, None));
}

/// Materials never stop a mesh, whatever their file holds.
#[test]
fn mtl() {
    let folder = std::env::temp_dir().join(format!("smithereens-mtl-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let files = write_obj(&fixtures::dressed_cube(), "cube.mtl").unwrap();
    let by_hand = b"newmtl painted\nTr 0.5\nmap_Kd -s 1 2 3 -mm 0 1 -bm 2 -clamp on a b.png\nKe 1\n".to_vec();
    for case in 0..CASES / 10 {
        let bytes = damaged(&[files.mtl.clone(), by_hand.clone()], &mut Pcg64Mcg::seed_from_u64(case));
        std::fs::write(folder.join("cube.mtl"), &bytes).unwrap();
        let read = catch_unwind(|| read_obj(&files.obj, Some(&folder)).unwrap());
        let model = read.unwrap_or_else(|_| panic!("case {case}: {:?}", String::from_utf8_lossy(&bytes)));
        write_everywhere(&model);
    }
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn off() {
    let by_hand = b"STCNOFF # all\n3 1 0\n0 0 0 0 0 1 9 9 9 0 0\n1 0 0 0 0 1 9 9 9 1 0\n0 1 0 0 0 1 9 9 9 0 1\n3 2 0 1\n";
    campaign("off", &[write_off(&fixtures::cube()).unwrap(), by_hand.to_vec()], read_off);
}

#[test]
fn ply() {
    let text = b"ply\nformat ascii 1.0\ncomment x\nelement vertex 3\nproperty float x\nproperty double y\nproperty int z\n\
        property float s\nproperty float t\nelement junk 2\nproperty list uint short a\nelement face 2\n\
        property list uchar int vertex_indices\nproperty list uchar float texcoord\nend_header\n\
        0 0 0 0 0\n1 0 0 1 0\n0 1 0 0 1\n0\n2 1 2\n3 0 1 2 6 0 0 1 0 0 1\n3 2 1 0 0\n";
    let mut big = b"ply\nformat binary_big_endian 1.0\nelement vertex 3\nproperty short x\nproperty short y\nproperty short z\n\
        element face 1\nproperty list int ushort vertex_index\nend_header\n".to_vec();
    big.extend([0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 3, 0, 0, 0, 1, 0, 2]);
    let seeds = [
        write_ply(&fixtures::cube()).unwrap(),
        write_ply(&fixtures::dressed_cube().mesh).unwrap(),
        text.to_vec(),
        big,
    ];
    campaign("ply", &seeds, read_ply);
}

#[test]
fn stl() {
    let text = b"solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid a\n";
    let mut disguised = write_stl(&fixtures::cube()).unwrap();
    disguised[..5].copy_from_slice(b"solid");
    campaign("stl", &[write_stl(&fixtures::cube()).unwrap(), text.repeat(3), disguised], read_stl);
}

#[test]
fn gltf() {
    let glb = write_glb(&GlbScene::from_model(&fixtures::dressed_cube()).unwrap()).unwrap();
    campaign("glb", std::slice::from_ref(&glb), |bytes| read_gltf(bytes, None));
    campaign("gltf", &[as_text(&glb)], |bytes| read_gltf(bytes, None));
}

/// The same file as text: damage to numbers leaves the lengths of chunks alone.
fn as_text(glb: &[u8]) -> Vec<u8> {
    let length = u32::from_le_bytes(glb[12..16].try_into().unwrap()) as usize;
    let mut document: serde_json::Value = serde_json::from_slice(&glb[20..20 + length]).unwrap();
    let data = base64::engine::general_purpose::STANDARD.encode(&glb[28 + length..]);
    document["buffers"][0]["uri"] = format!("data:application/octet-stream;base64,{data}").into();
    serde_json::to_vec(&document).unwrap()
}

#[test]
fn nothing_at_all() {
    let readers: [Reader; 5] = [|b| read_obj(b, None), read_off, read_ply, read_stl, |b| read_gltf(b, None)];
    let inputs: [&[u8]; 6] = [b"\n", b"\0", b"glTF", b"ply\n", b"solid", &[0xFF; 4096]];
    for read in readers {
        assert!(matches!(read(b""), Err(ReadError::Empty)));
        inputs.iter().for_each(|bytes| assert!(read(bytes).is_err()));
    }
}
