//! Pieces, and what blows part.

use glam::DVec3;
use smithereens_modes::{
    Blow, Broken, Cell, CellGraph, Face, ImpactOptions, ImpactTable, Modes, Options, PieceOptions, Pieces,
    Projection, fracture_modes,
};

mod shapes;
use shapes::{DUMBBELL, RABBIT, is_in_dumbbell, is_in_rabbit, tetrahedra};

fn prepare(graph: &CellGraph, count: usize) -> (Modes, Pieces, ImpactTable) {
    let modes = fracture_modes(graph, &Options { count, ..Options::default() }).unwrap();
    let pieces = Pieces::new(graph, &modes, &PieceOptions::default()).unwrap();
    let table = ImpactTable::new(graph, &modes, &pieces, &ImpactOptions::default()).unwrap();
    (modes, pieces, table)
}

fn farthest(graph: &CellGraph, way: DVec3) -> u32 {
    let along = |cell: &u32| graph.cells()[*cell as usize].centre.dot(way);
    (0..graph.cells().len() as u32).max_by(|a, b| along(a).total_cmp(&along(b))).unwrap()
}

#[test]
fn pieces_are_what_no_mode_parts() {
    let graph = tetrahedra(5000, RABBIT, 1, is_in_rabbit);
    let modes = fracture_modes(&graph, &Options::default()).unwrap();
    let all = Pieces::new(&graph, &modes, &PieceOptions { sliver: 0.0, ..PieceOptions::default() }).unwrap();
    for mode in &modes.scalar {
        let most = mode.values.iter().fold(0.0, |most: f64, v| most.max(v.abs()));
        let mut first = vec![None; all.partition.count()];
        for (cell, &piece) in (0..).zip(all.partition.of_cells()) {
            let value = mode.of_cell(cell).unwrap();
            let known = *first[piece as usize].get_or_insert(value);
            // Jumps below a millionth may add up along a piece.
            assert!((value - known).abs() < 1e-4 * most, "piece {piece} does not move as one");
        }
    }
    let pieces = Pieces::new(&graph, &modes, &PieceOptions::default()).unwrap();
    assert_eq!(pieces.partition.count() + pieces.slivers, all.partition.count());
    assert!(pieces.volumes.iter().all(|&volume| volume >= 1e-3 * graph.volume()));
    assert!((pieces.volumes.iter().sum::<f64>() / graph.volume() - 1.0).abs() < 1e-12);
    assert!(pieces.bonds.is_sorted_by_key(|bond| bond.pieces));
    // Fewer modes make fewer pieces.
    let few = PieceOptions { vector_modes: Some(6), ..PieceOptions::default() };
    let few = Pieces::new(&graph, &modes, &few).unwrap();
    assert!(few.partition.count() < pieces.partition.count() && few.partition.count() > 1);
}

/// (M + τ L) x = e by elimination.
fn dense_answer(graph: &CellGraph, tau: f64, cell: usize) -> Vec<f64> {
    let n = graph.cells().len();
    let mut rows = vec![vec![0.0; n + 1]; n];
    for (i, c) in graph.cells().iter().enumerate() {
        rows[i][i] += c.volume;
    }
    for face in graph.faces() {
        let ([a, b], stiff) = (face.cells.map(|c| c as usize), tau * face.area / face.distance);
        (rows[a][a], rows[b][b]) = (rows[a][a] + stiff, rows[b][b] + stiff);
        (rows[a][b], rows[b][a]) = (rows[a][b] - stiff, rows[b][a] - stiff);
    }
    rows[cell][n] = 1.0;
    for k in 0..n {
        let pivot = rows[k].clone();
        for (_, row) in rows.iter_mut().enumerate().filter(|(i, _)| *i != k) {
            let factor = row[k] / pivot[k];
            row.iter_mut().zip(&pivot).for_each(|(entry, above)| *entry -= factor * above);
        }
    }
    (0..n).map(|k| rows[k][n] / rows[k][k]).collect()
}

/// The threshold at which two pieces part, by halving.
fn parting(table: &ImpactTable, blow: Blow, projection: Projection) -> f64 {
    let (mut low, mut high) = (1e-9_f64, 1e9_f64);
    for _ in 0..200 {
        let threshold = (low * high).sqrt();
        let broken = table.strike(&Blow { threshold, ..blow }, projection).unwrap();
        if broken.fragments.count() == 2 { low = threshold } else { high = threshold }
    }
    low
}

#[test]
fn the_table_is_what_a_direct_solve_gives() {
    let cells: Vec<Cell> =
        (0..9).map(|i| Cell { volume: 1.0 + 0.1 * f64::from(i), centre: DVec3::X * f64::from(i) }).collect();
    let area = |i: u32| if i == 3 { 0.3 } else { 1.0 + f64::from(i % 2) };
    let faces = (0..8).map(|i| Face::between(&cells, [i, i + 1], area(i))).collect();
    let graph = CellGraph::new(cells, faces).unwrap();
    let (modes, pieces, table) = prepare(&graph, 1);
    assert_eq!(pieces.partition.of_cells(), [0, 0, 0, 0, 1, 1, 1, 1, 1]);
    let length = libm::cbrt(graph.volume()) * ImpactOptions::default().reach;
    for cell in [0, 3, 8] {
        let answer = dense_answer(&graph, length * length, cell);
        let mut means = [0.0; 2];
        for (i, x) in answer.iter().enumerate() {
            let piece = pieces.partition.of_cells()[i] as usize;
            means[piece] += graph.cells()[i].volume * x / pieces.volumes[piece];
        }
        let blow =
            Blow { cell: cell as u32, impulse: DVec3::new(3.0, 4.0, 0.0), density: 2.0, threshold: 1.0 };
        let truth = (means[0] - means[1]).abs() * 5.0 / 2.0;
        let found = parting(&table, blow, Projection::Pieces);
        assert!((found / truth - 1.0).abs() < 1e-5, "cell {cell}: {found} instead of {truth}");
        // One mode of two pieces spans all differences of the two.
        let found = parting(&table, blow, Projection::Modes);
        assert!((found / truth - 1.0).abs() < 1e-5, "cell {cell}: {found} instead of {truth}");
    }
    assert_eq!(modes.scalar.len(), 1);
}

#[test]
fn impulse_and_threshold_are_one_thing() {
    let graph = tetrahedra(3000, RABBIT, 1, is_in_rabbit);
    let (_, pieces, table) = prepare(&graph, 10);
    let cell = farthest(&graph, DVec3::Y);
    let blow = Blow { cell, impulse: DVec3::new(1.0, -3.0, 2.0), density: 2000.0, threshold: 1e-3 };
    for projection in [Projection::Modes, Projection::Pieces] {
        let mut counts = Vec::new();
        for power in -10..40 {
            let factor = libm::ldexp(1.0, power);
            let harder = table.strike(&Blow { impulse: blow.impulse * factor, ..blow }, projection).unwrap();
            let weaker =
                table.strike(&Blow { threshold: blow.threshold / factor, ..blow }, projection).unwrap();
            assert_eq!(harder, weaker);
            counts.push(harder.fragments.count());
        }
        assert!(counts.is_sorted(), "harder blows part more: {counts:?}");
        assert_eq!((counts[0], counts[counts.len() - 1]), (1, pieces.partition.count()));
    }
}

#[test]
fn a_blow_on_an_ear_takes_that_ear_off() {
    let graph = tetrahedra(5000, RABBIT, 1, is_in_rabbit);
    let (_, pieces, table) = prepare(&graph, 4);
    let ear = farthest(&graph, DVec3::new(0.0, 1.0, 0.4));
    let other = farthest(&graph, DVec3::new(0.0, 1.0, -0.4));
    let piece = |cell: u32| pieces.partition.of_cells()[cell as usize] as usize;
    assert_ne!(piece(ear), piece(other));
    let blow = Blow { cell: ear, impulse: DVec3::Z, density: 1.0, threshold: 1.0 };
    // The weakest blow that parts anything.
    let strike = |power: i32| -> Broken {
        let impulse = blow.impulse * libm::ldexp(1.0, power);
        table.strike(&Blow { impulse, ..blow }, Projection::Pieces).unwrap()
    };
    let first = (-30..30).map(strike).find(|broken| broken.fragments.count() > 1).unwrap();
    let fragment = |cell: u32| first.fragments.of_cells()[piece(cell)];
    assert_ne!(fragment(ear), fragment(other));
    let body = pieces.volumes.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1)).unwrap().0;
    assert_eq!(first.fragments.of_cells()[body], fragment(other), "the other ear stays");
}

#[test]
fn far_ends_stay_whole_if_pieces_are_projected_onto() {
    let graph = tetrahedra(3000, DUMBBELL, 1, is_in_dumbbell);
    let (_, pieces, table) = prepare(&graph, 8);
    let near = farthest(&graph, DVec3::NEG_X);
    let far: Vec<usize> = (0..pieces.partition.count()).filter(|&p| pieces.centres[p].x > 0.2).collect();
    assert!(far.len() > 1);
    let strike = |power: i32| -> Broken {
        let impulse = DVec3::Y * libm::ldexp(1.0, power);
        let blow = Blow { cell: near, impulse, density: 1.0, threshold: 1.0 };
        table.strike(&blow, Projection::Pieces).unwrap()
    };
    let first = (-30..30).map(strike).find(|broken| broken.fragments.count() > 2).unwrap();
    let fragment = |p: usize| first.fragments.of_cells()[p];
    assert!(far.iter().all(|&p| fragment(p) == fragment(far[0])));
}
