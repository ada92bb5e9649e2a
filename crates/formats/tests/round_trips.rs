//! What is written is what is read.

mod fixtures;

use fixtures::{cube, dressed_cube, plate_with_hole};
use smithereens_formats::{
    GlbScene, Model, read, read_gltf, read_obj, read_off, read_ply, read_stl, write, write_glb, write_obj,
    write_off, write_ply, write_stl,
};
use smithereens_geometry::{Mesh, Slot};

#[test]
fn off_keeps_polygons() {
    assert_eq!(read_off(&write_off(&cube()).unwrap()).unwrap().mesh, cube());
}

#[test]
fn ply_keeps_polygons_and_attributes() {
    assert_eq!(read_ply(&write_ply(&cube()).unwrap()).unwrap().mesh, cube());
    let model = dressed_cube();
    let read = read_ply(&write_ply(&model.mesh).unwrap()).unwrap().mesh;
    assert_eq!(read.positions.len(), 8);
    assert_eq!((&read.normals, &read.uvs), (&model.mesh.normals, &model.mesh.uvs));
    assert_eq!(places(&read), places(&model.mesh));
}

#[test]
fn ply_takes_faces_of_any_length() {
    let ring = |i: u32| glam::DVec2::from_angle(f64::from(i) / 100.0).extend(0.0);
    let mut mesh = Mesh { positions: (0..600).map(ring).collect(), ..Mesh::default() };
    mesh.push_polygon(&(0..600).collect::<Vec<_>>(), Slot(0));
    assert_eq!(read_ply(&write_ply(&mesh).unwrap()).unwrap().mesh, mesh);
}

#[test]
fn stl_keeps_single_precision_triangles() {
    let read = read_stl(&write_stl(&cube()).unwrap()).unwrap().mesh;
    assert_eq!(read_stl(&write_stl(&read).unwrap()).unwrap().mesh, read);
    assert_eq!((read.faces.len(), read.positions.len()), (12, 8));
}

#[test]
fn obj_keeps_everything() {
    let model = dressed_cube();
    let folder = std::env::temp_dir().join(format!("smithereens-obj-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("a cube.obj");
    write(&path, &model).unwrap();
    assert_eq!(read(&path).unwrap(), model);
    std::fs::remove_file(folder.join("paint.png")).unwrap();
    let bare = read(&path).unwrap();
    assert_eq!(bare.mesh, model.mesh);
    assert_eq!(bare.missing, [std::path::PathBuf::from("paint.png")]);
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn glb_keeps_everything_but_polygons() {
    let model = dressed_cube();
    let glb = write_glb(&GlbScene::from_model(&model).unwrap()).unwrap();
    let read = read_gltf(&glb, None).unwrap();
    assert_eq!(read.materials, model.materials);
    assert_eq!((read.mesh.faces.len(), read.mesh.positions.len()), (12, 8));
    let objects: Vec<_> = read.objects.iter().map(|o| (o.name.as_str(), o.faces.clone())).collect();
    assert_eq!(objects, [("one", 0..6), ("other", 6..12)]);
    let again = write_glb(&GlbScene::from_model(&read).unwrap()).unwrap();
    assert_eq!(read_gltf(&again, None).unwrap().mesh, read.mesh);
}

#[test]
fn cut_faces_get_a_material() {
    let mut model = Model::from_mesh(cube());
    model.mesh.faces[5].slot = Slot::INTERIOR;
    let glb = read_gltf(&write_glb(&GlbScene::from_model(&model).unwrap()).unwrap(), None).unwrap();
    assert_eq!(glb.materials[1].name, "interior");
    assert_eq!(glb.mesh.faces.iter().filter(|f| f.slot == Slot(1)).count(), 2);
    let files = write_obj(&model, "a.mtl").unwrap();
    assert_eq!(read_obj(&files.obj, None).unwrap().materials[1].name, "interior");
}

#[test]
fn holes_become_triangles_of_the_same_area() {
    let plate = plate_with_hole();
    let model = Model::from_mesh(plate.clone());
    let written = [
        read_obj(&write_obj(&model, "a.mtl").unwrap().obj, None),
        read_off(&write_off(&plate).unwrap()),
        read_ply(&write_ply(&plate).unwrap()),
        read_stl(&write_stl(&plate).unwrap()),
        read_gltf(&write_glb(&GlbScene::from_model(&model).unwrap()).unwrap(), None),
    ];
    for read in written {
        let mesh = read.unwrap().mesh;
        assert_eq!((mesh.faces.len(), mesh.positions.len()), (9, 9));
        assert_eq!(mesh.area(), plate.area());
        assert!((0..9).all(|f| mesh.face_area_vector(f).z > 0.0));
    }
}

#[test]
fn real_files_survive() {
    for name in ["bunny.off", "spot-uv.obj", "horse-inverted.ply", "thingi-65004.stl"] {
        let path = fixtures::models().join(name);
        if !path.is_file() {
            println!("{name} is not there: skipped");
            continue;
        }
        let model = read(&path).unwrap();
        let obj = read_obj(&write_obj(&model, "a.mtl").unwrap().obj, None).unwrap().mesh;
        assert_eq!(obj, model.mesh, "{name}");
        let ply = read_ply(&write_ply(&model.mesh).unwrap()).unwrap().mesh;
        assert_eq!((places(&ply), &ply.uvs), (places(&model.mesh), &model.mesh.uvs), "{name}");
        let glb = write_glb(&GlbScene::from_model(&model).unwrap()).unwrap();
        assert_eq!(read_gltf(&glb, None).unwrap().mesh.faces.len(), model.mesh.triangle_count(), "{name}");
    }
}

/// The place of each corner: vertices may be numbered anew.
fn places(mesh: &Mesh) -> Vec<[f64; 3]> {
    mesh.corners.iter().map(|&v| mesh.positions[v as usize].to_array()).collect()
}
