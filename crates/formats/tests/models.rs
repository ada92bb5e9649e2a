//! Every reader on real files. Where those are not there, small ones stand in.

mod fixtures;

use std::time::Instant;

use smithereens_formats::{Model, read, write};

/// Triangle counts as the models' own list has them.
const MODELS: [(&str, usize); 19] = [
    ("bunny.off", 6_966),
    ("armadillo.obj", 86_482),
    ("bunny-70k.ply", 70_372),
    ("dragon.ply", 99_988),
    ("fertility-genus4.off", 9_000),
    ("rocker-arm-genus1.obj", 20_088),
    ("fandisk-sharp.obj", 12_946),
    ("spot-uv.obj", 5_856),
    ("thingi-73416.stl", 76_840),
    ("thingi-65004.stl", 1_466),
    ("horse-inverted.ply", 96_966),
    ("cow-nonmanifold-vertex.obj", 5_804),
    ("stanford-bunny-holes.obj", 69_451),
    ("teapot-open.obj", 6_320),
    ("suzanne-open.obj", 968),
    ("kitchen-pot-soup.obj", 23_288),
    ("offset-degenerate.obj", 4_418),
    ("dragon-48k-nonmanifold.ply", 47_794),
    ("dragon-200k-nonmanifold.ply", 202_520),
];

#[test]
fn real_files_have_the_triangles_they_should() {
    let folder = fixtures::models();
    for (name, triangles) in MODELS {
        let path = folder.join(name);
        if !path.is_file() {
            println!("{name} is not there: skipped");
            continue;
        }
        let start = Instant::now();
        let model = read(&path).unwrap_or_else(|e| panic!("{e}"));
        println!("{name}: {:.0} ms", start.elapsed().as_secs_f64() * 1e3);
        assert_eq!(model.mesh.triangle_count(), triangles, "{name}");
        assert!(model.mesh.faces.iter().all(|f| (f.slot.0 as usize) < model.materials.len()), "{name}");
    }
}

/// V − E + F, which edges that two faces share make right.
#[test]
fn soup_is_welded_to_a_closed_surface() {
    let path = fixtures::models().join("thingi-65004.stl");
    if !path.is_file() {
        println!("thingi-65004.stl is not there: skipped");
        return;
    }
    let mesh = read(&path).unwrap().mesh;
    let mut edges: Vec<(u32, u32)> = (0..mesh.faces.len()).flat_map(|f| mesh.edges_of(f)).collect();
    let directed = edges.len();
    edges.iter_mut().for_each(|e| *e = (e.0.min(e.1), e.0.max(e.1)));
    edges.sort_unstable();
    edges.dedup();
    assert_eq!(edges.len() * 2, directed);
    let euler = mesh.positions.len() as i64 - edges.len() as i64 + mesh.faces.len() as i64;
    assert_eq!(euler, 2 - 2 * 2, "genus 2");
}

#[test]
fn small_files_go_through_every_format() {
    let folder = std::env::temp_dir().join(format!("smithereens-models-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    for ending in ["obj", "off", "ply", "stl", "glb"] {
        let path = folder.join(format!("cube.{ending}"));
        write(&path, &Model::from_mesh(fixtures::cube())).unwrap();
        let model = read(&path).unwrap();
        assert_eq!((model.mesh.triangle_count(), model.mesh.positions.len()), (12, 8), "{ending}");
        assert_eq!(fixtures::six_volumes(&model.mesh), 6.0, "{ending}");
        // The first bytes tell the format too.
        let unnamed = folder.join("cube");
        std::fs::rename(&path, &unnamed).unwrap();
        assert_eq!(read(&unnamed).unwrap().mesh, model.mesh, "{ending}");
    }
    std::fs::remove_dir_all(folder).unwrap();
}
