//! What octrees of meshes are: no voxel of the surface is missing, none is added, and what is inside is known to be.

use glam::DVec3;
use smithereens_geometry::{Aabb, Mesh, Slot, Solid, winding_number};
use smithereens_testing::chance::Chance;
use smithereens_testing::{fixtures, models};
use smithereens_voxel::{Error, Grid, Kind, Octree, morton};

const GREY: [u8; 4] = [128, 128, 128, 255];

fn shapes() -> Vec<(&'static str, Solid)> {
    let mut shapes = vec![
        ("torus", fixtures::torus(1.0, 0.35, 48, 24)),
        ("hollow box", fixtures::hollow_box(1.0, 0.4)),
        ("gyroid", fixtures::gyroid(1.0, 0.35, 24)),
        ("touching boxes", fixtures::touching_boxes()),
        ("blob", fixtures::spiky_blob(0.4, 1.0, 3, 7)),
        ("plate", fixtures::plate(2.0, 1.0, 0.004)),
    ];
    shapes.extend(models::load("bunny.off").map(|bunny| ("bunny", bunny)));
    shapes
}

/// All nodes of a level that are not empty, with their kinds.
fn kinds(octree: &Octree, level: u32) -> Vec<Kind> {
    let n = 1_u32 << level;
    (0..n * n * n).map(|i| octree.kind(level, [i % n, i / n % n, i / n / n])).collect()
}

#[test]
fn a_level_is_the_next_finer_one_coarsened() {
    for (name, solid) in shapes() {
        let fine = Octree::of_solid(&solid, 6, &GREY).unwrap();
        for level in 1..6 {
            let coarse = Octree::of_solid(&solid, level, &GREY).unwrap();
            let boundary = |octree: &Octree| {
                kinds(octree, level).iter().map(|&kind| kind == Kind::Boundary).collect::<Vec<_>>()
            };
            assert_eq!(boundary(&coarse), boundary(&fine), "{name} at level {level}");
            assert_eq!(kinds(&coarse, level), kinds(&fine, level), "{name} at level {level}");
        }
    }
}

#[test]
fn what_the_surface_does_not_touch_is_inside_or_outside_as_it_winds() {
    for (name, solid) in shapes() {
        let octree = Octree::of_solid(&solid, 5, &GREY).unwrap();
        let mut counts = [0; 3];
        for i in 0..1 << 15 {
            let at = [i & 31, i >> 5 & 31, i >> 10];
            let kind = octree.kind(5, at);
            counts[kind as usize] += 1;
            if kind != Kind::Boundary && (i % 7 == 0 || kind == Kind::Internal) {
                let winding = winding_number(solid.mesh(), octree.grid().center_of(at));
                assert_eq!(kind == Kind::Internal, winding > 0.5, "{name} at {at:?}: {winding}");
            }
        }
        assert!(counts[0] > 0 && (counts[1] > 0 || name == "plate") && counts[2] > 0, "{name} {counts:?}");
    }
}

#[test]
fn every_point_of_the_surface_is_in_a_boundary_voxel() {
    let mut chance = Chance::new(3);
    for (name, solid) in shapes() {
        let octree = Octree::of_solid(&solid, 7, &GREY).unwrap();
        let mesh = solid.mesh();
        let mut near = 0;
        for _ in 0..20_000 {
            let face = chance.below(mesh.faces.len());
            let corners: Vec<DVec3> =
                mesh.loops_of(face).next().unwrap().iter().map(|&v| mesh.positions[v as usize]).collect();
            if corners.len() != 3 {
                continue;
            }
            let (s, t) = (chance.unit(), chance.unit());
            let point = corners[0] * (1.0 - s) + (corners[1] * (1.0 - t) + corners[2] * t) * s;
            let at = octree.grid().place(point).floor().to_array().map(|x| x as u32);
            assert_eq!(octree.kind(7, at), Kind::Boundary, "{name} at {point}");
            let payload = octree.payload(at).unwrap();
            near += usize::from(payload.normal().dot(mesh.face_normal(face)) > 0.5);
        }
        // Normals are those of the nearest triangle: on a spiky blob many voxels hold several.
        assert!(near == 0 || near > 8_000, "{name}: {near}");
    }
}

#[test]
fn colours_are_those_of_the_place() {
    struct Stripes;
    impl smithereens_voxel::Paint for Stripes {
        fn color(&self, slot: Slot, uv: glam::Vec2) -> [u8; 4] {
            [slot.0 as u8, (uv.x * 255.0) as u8, (uv.y * 255.0) as u8, 255]
        }
    }
    let cube = fixtures::boxed(DVec3::ONE);
    let octree = Octree::of_solid(&cube, 6, &Stripes).unwrap();
    let spread: Vec<[u8; 4]> = octree.boundary().map(|(_, payload)| payload.color()).collect();
    assert!(spread.iter().all(|color| color[0] == 0 && color[3] == 255));
    assert!(spread.iter().any(|color| color[1] < 10) && spread.iter().any(|color| color[1] > 245));
    // Each side has the whole texture, which runs evenly over it.
    let mean = spread.iter().map(|color| f64::from(color[1])).sum::<f64>() / spread.len() as f64;
    assert!((mean - 127.5).abs() < 6.0, "{mean}");
}

#[test]
fn every_level_from_1_to_12_can_be_had_and_no_other() {
    let rod = fixtures::boxed(DVec3::new(1.0, 0.002, 0.002));
    let mut last = 0;
    for level in 1..=Grid::DEEPEST {
        let octree = Octree::of_solid(&rod, level, &GREY).unwrap();
        assert!(octree.boundary_count() > last, "level {level}");
        last = octree.boundary_count();
        assert_eq!(octree.kind(0, [0; 3]), Kind::Boundary);
    }
    for level in [0, 13, 40, u32::MAX] {
        let error = Octree::of_solid(&rod, level, &GREY).unwrap_err();
        assert!(error.to_string().contains(&format!("no level {level}:")), "{error}");
    }
}

#[test]
fn what_is_no_surface_is_refused() {
    assert!(matches!(Octree::of_shell(&Mesh::default(), 4, &GREY), Err(Error::Empty)));
    let mut nowhere = Mesh { positions: vec![DVec3::NAN; 3], ..Mesh::default() };
    nowhere.push_polygon(&[0, 1, 2], Slot(0));
    assert!(Octree::of_shell(&nowhere, 4, &GREY).is_err());
    let grid = Grid::new(3, DVec3::ZERO, 8.0).unwrap();
    let voxel = |at| (morton(at), Default::default());
    assert!(matches!(
        Octree::of_voxels(grid, &[voxel([1, 0, 0]), voxel([1, 0, 0])]),
        Err(Error::Order { index: 1 })
    ));
    assert!(matches!(Octree::of_voxels(grid, &[voxel([8, 0, 0])]), Err(Error::Outside { index: 0, .. })));
    assert!(matches!(Octree::of_field(grid, |_| f64::NAN, GREY), Err(Error::Distance { .. })));
    assert!(Grid::new(3, DVec3::ZERO, 0.0).is_err() && Grid::new(3, DVec3::NAN, 1.0).is_err());
}

#[test]
fn a_shell_has_no_inside() {
    let solid = fixtures::torus(1.0, 0.35, 48, 24);
    let shell = Octree::of_shell(solid.mesh(), 5, &GREY).unwrap();
    let whole = Octree::of_solid(&solid, 5, &GREY).unwrap();
    assert_eq!(shell.internal_count(), 0);
    assert_eq!(shell.boundary_count(), whole.boundary_count());
}

#[test]
fn volumes_and_centres_are_those_of_the_solid() {
    for (name, solid) in shapes() {
        let octree = Octree::of_solid(&solid, 7, &GREY).unwrap();
        let grid = octree.grid();
        // The surface passes through boundary voxels somewhere: half of them is a fair guess, and all or nothing are bounds.
        let least = octree.internal_count() as f64 * grid.voxel_volume();
        let most = octree.voxel_count() as f64 * grid.voxel_volume();
        let volume = solid.volume();
        assert!(least < volume && volume < most, "{name}: {least} {volume} {most}");
        let away = octree.center().unwrap().distance(solid.mass().center);
        assert!(away < grid.voxel_size(), "{name}: {away}");
        let (low, high) = octree.extent().unwrap();
        let bounds = Aabb::new(grid.center_of(low), grid.center_of(high));
        assert!((bounds.extent() - solid.mesh().bounds().extent()).abs() < grid.voxel_size(), "{name}");
    }
}

#[test]
fn a_forest_is_its_trees() {
    let mut chance = Chance::new(4);
    let grid = Grid::new(4, DVec3::ZERO, 16.0).unwrap();
    let mut voxels: Vec<_> = (0..3000)
        .map(|_| (chance.below(5) as u32, (chance.below(4096) as u64, Default::default())))
        .collect();
    voxels.sort_unstable_by_key(|&(label, (code, _))| (label, code));
    voxels.dedup_by_key(|&mut (label, (code, _))| (label, code));
    let forest = Octree::forest(grid, &voxels).unwrap();
    assert_eq!(forest.iter().map(|(label, _)| *label).collect::<Vec<_>>(), [0, 1, 2, 3, 4]);
    for (label, tree) in &forest {
        let own: Vec<_> = voxels.iter().filter(|voxel| voxel.0 == *label).map(|voxel| voxel.1).collect();
        assert_eq!(*tree, Octree::of_voxels(grid, &own).unwrap());
        assert_eq!(tree.voxel_count(), own.len() as u64);
    }
}
