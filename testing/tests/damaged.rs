//! Damaged meshes whose parts are hard to keep apart in a cell: fins that lie on each other, tips that stick out of a plane, thin wedges.

use smithereens::prepare::{Decomposition, Effort, Goal, Placement};
use smithereens::{Fit, Piece};
use smithereens_repair::{RepairOptions, Verdict, inspect, repair};
use smithereens_testing::damage::damaged_case;
use smithereens_testing::soundness::{assert_piece_sound, assert_pieces_apart};

#[test]
fn convexes_of_mended_meshes_are_apart() {
    for seed in [22, 109, 150, 198, 455, 471, 473] {
        let case = damaged_case(seed);
        let options = RepairOptions { resolution: 48, ..RepairOptions::default() };
        let solid = repair(&case.mesh, &options).expect(&case.name).solid;
        assert_eq!(inspect(solid.mesh()).verdict, Verdict::Sound, "{}", case.name);
        let placement = Placement { goal: Goal::Pieces(8), effort: Effort::Instant, seed };
        let nodes = placement.nodes(&solid, |_| ());
        let decomposition = Decomposition::new(solid, nodes, Fit::Dop26).unwrap();
        let pieces: Vec<&Piece> = decomposition.compound().pieces().iter().map(|piece| &**piece).collect();
        println!("{}: {} pieces", case.name, pieces.len());
        pieces.iter().for_each(|piece| assert_piece_sound(piece));
        assert_pieces_apart(&pieces, 1e-9);
    }
}
