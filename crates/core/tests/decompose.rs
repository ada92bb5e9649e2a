//! What must hold of every decomposition: nothing lost, nothing overlapping, edits as good as a new start, and it breaks as one piece does.

use glam::DVec3;
use smithereens::pattern::Pattern;
use smithereens::prepare::{DecomposeError, Decomposition, Effort, Goal, Placement};
use smithereens::{Aabb, Compound, Convex, Fit, FractureOptions, Impact, Mesh, Piece, Slot, Solid, fracture};
use smithereens_testing::assertions::{assert_no_overlap, assert_volume_conserved};
use smithereens_testing::chance::Chance;
use smithereens_testing::soundness::{assert_fracture_sound, assert_piece_sound, assert_pieces_apart};
use smithereens_testing::state_hash::StateHash;
use smithereens_testing::{fixtures, seeds, subjects};

/// Random places in and around a solid, some of them twice.
fn scattered(solid: &Solid, count: usize, chance: &mut Chance) -> Vec<DVec3> {
    let bounds = solid.mesh().bounds();
    let mut nodes: Vec<DVec3> =
        (0..count).map(|_| bounds.center() + bounds.size() * chance.point() * 0.6).collect();
    nodes.push(nodes[0]);
    nodes
}

fn hash(compound: &Compound) -> u64 {
    let mut hash = StateHash::default();
    for piece in compound.pieces() {
        hash.convex(piece.convex()).mesh(&piece.to_mesh());
    }
    for bond in compound.bonds().iter() {
        hash.word(u64::from(bond.a)).word(u64::from(bond.b)).word(bond.id.number()).number(bond.area);
    }
    hash.value()
}

fn assert_sound(name: &str, decomposition: &Decomposition) {
    let compound = decomposition.compound();
    compound.pieces().iter().for_each(|piece| assert_piece_sound(piece));
    let volumes = compound.pieces().iter().map(|p| p.mass().volume);
    assert_volume_conserved(decomposition.solid().volume(), volumes, 1e-9);
    let convexes: Vec<_> = compound.pieces().iter().map(|piece| piece.convex().clone()).collect();
    assert_no_overlap(&convexes, 1e-9);
    assert!(decomposition.hull_ratio() <= decomposition.fit_ratio() * (1.0 + 1e-6), "{name}");
    assert!(decomposition.hull_ratio() >= 1.0 - 1e-4, "{name}: {}", decomposition.hull_ratio());
}

#[test]
fn any_nodes_cut_any_solid_without_loss() {
    let mut chance = Chance::new(3);
    for (name, solid) in fixtures::all() {
        for count in [1, 2, 7, 30] {
            let nodes = scattered(&solid, count, &mut chance);
            let decomposition = Decomposition::new(solid.clone(), nodes, Fit::Dop26).unwrap();
            println!("{name}: {} pieces", decomposition.compound().pieces().len());
            assert_sound(name, &decomposition);
            // A solid in one part hangs together by its bonds.
            if decomposition.solid().clone().parts().len() == 1 {
                assert_eq!(decomposition.compound().islands().len(), 1, "{name}, {count} nodes");
            }
        }
    }
}

#[test]
fn what_lies_in_a_hollow_is_kept_apart_from_what_is_around_it() {
    let hollow = fixtures::hollow_box(1.0, 0.6);
    let floating = Aabb::new(DVec3::splat(-0.2), DVec3::new(0.2, 0.1, 0.2));
    let in_the_corner = Aabb::new(DVec3::splat(0.3), DVec3::splat(0.6));
    for (name, inner) in [("floating", floating), ("in the corner", in_the_corner)] {
        let mut mesh = hollow.mesh().clone();
        mesh.append(&Convex::from_box(&inner).to_mesh(Slot(0)));
        let decomposition =
            Decomposition::new(Solid::new(mesh).unwrap(), vec![DVec3::splat(0.1)], Fit::Dop26).unwrap();
        assert_sound(name, &decomposition);
    }
}

#[test]
fn waved_sheets_that_lie_on_each_other_are_kept_apart() {
    for gap in [0.0, 1e-9, 1e-4, 0.02] {
        let mut mesh = Mesh::default();
        for sheet in 0..3 {
            let mut flat = fixtures::subdivided_box(DVec3::new(1.0, 0.01, 0.5), 12).into_mesh();
            for point in &mut flat.positions {
                point.y += libm::sin(point.x * 5.0) * 0.1 + f64::from(sheet) * (0.01 + gap);
            }
            mesh.append(&flat);
        }
        let decomposition =
            Decomposition::new(Solid::new(mesh).unwrap(), vec![DVec3::splat(0.1)], Fit::Dop26).unwrap();
        let pieces: Vec<&Piece> = decomposition.compound().pieces().iter().map(|piece| &**piece).collect();
        pieces.iter().for_each(|piece| assert_piece_sound(piece));
        assert_volume_conserved(decomposition.solid().volume(), pieces.iter().map(|p| p.mass().volume), 1e-9);
        assert_pieces_apart(&pieces, 1e-9);
        assert!((6..=80).contains(&pieces.len()), "gap {gap}: {} pieces", pieces.len());
        println!("gap {gap}: {} pieces", pieces.len());
    }
}

#[test]
fn an_edit_gives_the_bits_of_a_new_start_and_cuts_only_what_changed() {
    let mut chance = Chance::new(4);
    for (name, solid) in fixtures::all() {
        let nodes = seeds::inside(&solid, 24, 5);
        let mut edited = Decomposition::new(solid.clone(), nodes, Fit::Dop14).unwrap();
        let size = solid.mesh().bounds().extent();
        for step in 0..6 {
            let node = chance.below(24);
            let to = edited.nodes()[node] + chance.point() * size * 0.05;
            let changed = edited.move_node(node, to).unwrap();
            assert!(changed <= 24 && (changed > 0 || step > 0), "{name}");
            let anew = Decomposition::new(solid.clone(), edited.nodes().to_vec(), Fit::Dop14).unwrap();
            assert_eq!(hash(edited.compound()), hash(anew.compound()), "{name}, step {step}");
        }
        assert_eq!(edited.move_node(3, edited.nodes()[3]), Ok(0), "{name}: nothing moved");
        let before = hash(edited.compound());
        assert!(matches!(edited.move_node(3, DVec3::NAN), Err(DecomposeError::NotFinite { node: 3, .. })));
        assert_eq!(edited.set_nodes(Vec::new()), Err(DecomposeError::NoNodes));
        assert_eq!(hash(edited.compound()), before, "{name}: an error changes nothing");
    }
}

#[test]
fn placed_nodes_fit_better_than_relaxed_ones_and_keep_to_the_count() {
    for file in ["bunny.off", "fertility-genus4.off"] {
        let solid = subjects::subject(file).solid;
        let ratio = |effort| {
            let placement = Placement { goal: Goal::Pieces(16), effort, seed: 1 };
            let nodes = placement.nodes(&solid, |_| ());
            let decomposition = Decomposition::new(solid.clone(), nodes, Fit::Dop26).unwrap();
            assert_sound(file, &decomposition);
            let pieces = decomposition.compound().pieces().len();
            println!("{file} {effort:?}: {pieces} pieces, {}", decomposition.hull_ratio());
            assert!(pieces <= 18, "{file}: {pieces} pieces for 16");
            decomposition.hull_ratio()
        };
        assert!(ratio(Effort::Full) < ratio(Effort::Instant), "{file}");
    }
}

#[test]
fn a_goal_of_concavity_is_met_with_few_pieces() {
    let solid = fixtures::torus(1.0, 0.3, 48, 24);
    let pieces = |concavity| {
        let placement = Placement { goal: Goal::Concavity(concavity), effort: Effort::Instant, seed: 0 };
        let nodes = placement.nodes(&solid, |_| ());
        let decomposition = Decomposition::new(solid.clone(), nodes, Fit::Dop26).unwrap();
        assert!(decomposition.hull_ratio() <= 1.0 + concavity, "{}", decomposition.hull_ratio());
        decomposition.compound().pieces().len()
    };
    let counts = [1.0, 0.2, 0.05].map(pieces);
    assert!(counts[0] <= counts[1] && counts[1] < counts[2] && counts[2] < 40, "{counts:?}");
}

#[test]
fn the_same_seed_gives_the_same_nodes_on_any_number_of_threads() {
    let solid = fixtures::trefoil(1.0, 0.25, 96, 24);
    for effort in [Effort::Instant, Effort::Full] {
        let placement = Placement { goal: Goal::Pieces(9), effort, seed: 7 };
        let on = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| placement.nodes(&solid, |_| ()))
        };
        let nodes = on(1);
        assert_eq!(nodes, on(2));
        assert_eq!(nodes, on(3));
    }
}

#[test]
fn decomposed_bodies_break_as_one_piece_does() {
    for (name, solid) in fixtures::all() {
        let nodes = seeds::inside(&solid, 12, 2);
        let decomposition = Decomposition::new(solid.clone(), nodes, Fit::Dop26).unwrap();
        let compound = decomposition.compound();
        if compound.islands().len() > 1 {
            continue;
        }
        let bounds = compound.bounds();
        let points = seeds::inside(&solid, 20, 9);
        let pattern = Pattern::from_points(&points, Aabb::grown(bounds, bounds.extent() * 0.01)).unwrap();
        for radius in [f64::INFINITY, bounds.extent() * 0.2] {
            let impact = Impact { radius, ..Impact::at(DVec3::ZERO) };
            let broken = fracture(compound, &pattern, &impact, &FractureOptions::default()).unwrap();
            println!("{name}: {} fragments", broken.fragments.len());
            assert_fracture_sound(compound, &broken, 1e-9);
        }
    }
}
