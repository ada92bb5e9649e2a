//! What modes must be, whatever the shape; and what they must be on shapes whose answer is known.

use glam::DVec3;
use smithereens_modes::{CellGraph, Eta, Mode, Modes, Options, Search, UNBREAKABLE, fracture_modes};

mod shapes;
use shapes::{DUMBBELL, RABBIT, block, cubes, is_in_dumbbell, is_in_rabbit, subgraph, tetrahedra};

fn product(graph: &CellGraph, a: &Mode, b: &Mode) -> f64 {
    let value = |mode: &Mode, cell: usize| mode.values[mode.pieces.of_cells()[cell] as usize];
    graph.cells().iter().enumerate().map(|(i, cell)| cell.volume * value(a, i) * value(b, i)).sum()
}

/// The middles of the faces that a mode opens by more than a thousandth of its largest motion.
fn opened(graph: &CellGraph, mode: &Mode) -> Vec<DVec3> {
    let value = |cell: u32| mode.of_cell(cell).unwrap();
    let most = mode.values.iter().fold(0.0, |most: f64, v| most.max(v.abs()));
    let open = graph.faces().iter().filter(|f| (value(f.cells[0]) - value(f.cells[1])).abs() > 1e-3 * most);
    open.map(|f| f.cells.map(|cell| graph.cells()[cell as usize].centre))
        .map(|[a, b]| (a + b) / 2.0)
        .collect()
}

fn assert_sound(name: &str, graph: &CellGraph, modes: &Modes) {
    let scale = graph.volume().sqrt();
    for (i, a) in modes.scalar.iter().enumerate() {
        let sum: f64 = graph
            .cells()
            .iter()
            .zip(a.pieces.of_cells())
            .map(|(c, &p)| c.volume * a.values[p as usize])
            .sum();
        assert!((sum / scale).abs() < 1e-8, "{name}: mode {i} moves as a whole: {sum}");
        for (j, b) in modes.scalar[..=i].iter().enumerate() {
            let wrong = product(graph, a, b) - if i == j { 1.0 } else { 0.0 };
            assert!(wrong.abs() < 1e-8, "{name}: modes {i} and {j}: {wrong}");
        }
        let value = |cell: u32| a.of_cell(cell).unwrap();
        let energy: f64 =
            graph.faces().iter().map(|f| f.area * (value(f.cells[0]) - value(f.cells[1])).abs()).sum();
        assert!((energy / a.energy - 1.0).abs() < 1e-9, "{name}: mode {i} says {}, has {energy}", a.energy);
    }
    assert!(modes.scalar.is_sorted_by(|a, b| a.energy <= b.energy), "{name}");
    assert!(modes.vector.is_sorted_by(|a, b| a.energy <= b.energy), "{name}");
    assert_eq!(modes.vector.len(), 3 * modes.scalar.len(), "{name}");
    assert_eq!(modes.report.failed, 0, "{name}");
}

/// Twenty shapes of a few thousand tetrahedra: balls of random radii, each begun in the one before it.
fn blobs() -> Vec<(String, CellGraph)> {
    use rand::{RngExt, SeedableRng};
    let blob = |seed: u64| {
        let mut random = rand_pcg::Pcg64::seed_from_u64(seed);
        let mut number = |low: f64, high: f64| random.random_range(low..high);
        let mut balls: Vec<(DVec3, DVec3)> = Vec::new();
        for _ in 0..5 {
            // Each begins in the one before it, so that they hang together.
            let (centre, radii) = balls.last().copied().unwrap_or((DVec3::ZERO, DVec3::ZERO));
            let way = DVec3::new(number(-1.0, 1.0), number(-1.0, 1.0), number(-1.0, 1.0)).normalize();
            let next = DVec3::new(number(0.12, 0.4), number(0.12, 0.4), number(0.12, 0.4));
            balls.push((centre + way * radii, next));
        }
        let inside =
            |p: DVec3| balls.iter().any(|(centre, radii)| ((p - *centre) / *radii).length_squared() < 1.0);
        (format!("blob {seed}"), tetrahedra(4500, DVec3::splat(2.0), seed, inside))
    };
    (0..20).map(blob).collect()
}

#[test]
fn modes_are_orthonormal_and_in_order() {
    let shapes = [
        ("rabbit", tetrahedra(5000, RABBIT, 1, is_in_rabbit)),
        ("dumbbell", tetrahedra(2500, DUMBBELL, 2, is_in_dumbbell)),
        ("plate", block(20, 20, 1)),
        ("bar", block(30, 2, 2)),
        ("cube", block(8, 8, 8)),
    ];
    for (name, graph) in &shapes {
        for search in [Search::Multilevel, Search::Exact] {
            let modes = fracture_modes(graph, &Options { search, ..Options::default() }).unwrap();
            assert_eq!(modes.scalar.len(), 10, "{name}");
            assert_sound(name, graph, &modes);
        }
    }
}

#[test]
fn levels_cost_little() {
    let (mut all, mut worst) = (Vec::new(), f64::NEG_INFINITY);
    for (name, graph) in blobs() {
        let find =
            |search| fracture_modes(&graph, &Options { count: 5, search, ..Options::default() }).unwrap();
        let (levels, exact) = (find(Search::Multilevel), find(Search::Exact));
        assert_sound(&name, &graph, &levels);
        assert!(
            levels.report.modes[0].coarse_cells < exact.report.modes[0].coarse_cells,
            "{name} is too small"
        );
        let sum = |modes: &Modes| modes.scalar.iter().map(|mode| mode.energy).sum::<f64>();
        let more = sum(&levels) / sum(&exact) - 1.0;
        println!("{name}: {} cells, {:+.1} %", graph.cells().len(), more * 100.0);
        worst = worst.max(more);
        all.push(more);
    }
    let mean = all.iter().sum::<f64>() / all.len() as f64;
    println!("mean {:+.1} %, worst {:+.1} %", mean * 100.0, worst * 100.0);
    assert!(mean < 0.05, "levels cost {mean} on average");
}

#[test]
fn a_dumbbell_breaks_at_its_neck() {
    for (name, graph) in [
        ("cubes", cubes(DUMBBELL, 0.06, is_in_dumbbell)),
        ("tetrahedra", tetrahedra(3000, DUMBBELL, 1, is_in_dumbbell)),
        ("many tetrahedra", tetrahedra(12_000, DUMBBELL, 1, is_in_dumbbell)),
    ] {
        let modes = fracture_modes(&graph, &Options { count: 1, ..Options::default() }).unwrap();
        let open = opened(&graph, &modes.scalar[0]);
        assert!(!open.is_empty() && open.iter().all(|p| p.x.abs() < 0.35), "{name}: {open:?}");
    }
}

#[test]
fn a_bar_breaks_at_its_notch() {
    for notch in [-6, 0, 4] {
        let is_inside = |p: DVec3| {
            let is_notch = (p.x - f64::from(notch) - 0.5).abs() < 0.6 && p.y > -1.0;
            p.x.abs() < 15.0 && p.y.abs() < 2.0 && p.z.abs() < 2.0 && !is_notch
        };
        let graph = cubes(DVec3::new(15.0, 2.0, 2.0), 1.0, is_inside);
        let modes = fracture_modes(&graph, &Options { count: 1, ..Options::default() }).unwrap();
        let open = opened(&graph, &modes.scalar[0]);
        assert!(!open.is_empty());
        assert!(
            open.iter().all(|p| (p.x - f64::from(notch) - 0.5).abs() < 0.6),
            "notch at {notch}: {open:?}"
        );
        assert_eq!(modes.scalar[0].area, 4.0);
    }
}

#[test]
fn factors_of_axes_scale_energies() {
    let graph = tetrahedra(2000, RABBIT, 3, is_in_rabbit);
    let find = |eta: Eta| fracture_modes(&graph, &Options { count: 4, eta, ..Options::default() }).unwrap();
    let plain = find(Eta::default());
    let wood = find(Eta { axes: DVec3::new(10.0, 10.0, 1.0), ..Eta::default() });
    assert_eq!(plain.scalar, wood.scalar);
    for mode in &wood.vector {
        let factor = if mode.axis == 2 { 1.0 } else { 10.0 };
        assert_eq!(mode.energy, factor * plain.scalar[mode.mode].energy);
    }
    assert_eq!(wood.vector[0].axis, 2);
    let stone = find(Eta::isotropic(7.0));
    assert!(stone.vector.iter().zip(&plain.vector).all(|(a, b)| a.energy == 7.0 * b.energy));
}

#[test]
fn a_grain_turns_the_cut() {
    // Across x there are 36 faces to open, across y 48: until those across x are twice as hard.
    let graph = block(8, 6, 6);
    let area = |factor: f64| {
        let eta = Eta::of_faces(&graph, |face| if face.normal.x.abs() > 0.5 { factor } else { 1.0 });
        fracture_modes(&graph, &Options { count: 1, eta, ..Options::default() }).unwrap().scalar[0].area
    };
    assert_eq!((area(1.0), area(2.0)), (36.0, 48.0));
}

#[test]
fn axes_with_factors_of_their_own_have_modes_of_their_own() {
    let graph = block(8, 6, 6);
    let mut eta = Eta::of_faces(&graph, |_| 1.0);
    for (factors, face) in eta.faces.iter_mut().zip(graph.faces()) {
        factors.z = if face.normal.x.abs() > 0.5 { 2.0 } else { 1.0 };
    }
    let modes = fracture_modes(&graph, &Options { count: 1, eta, ..Options::default() }).unwrap();
    let area = |axis: usize| {
        let mode = modes.vector.iter().find(|mode| mode.axis == axis).unwrap();
        modes.scalar[mode.mode].area
    };
    assert_eq!([area(0), area(1), area(2)], [36.0, 36.0, 48.0]);
}

#[test]
fn what_must_not_break_does_not() {
    let graph = tetrahedra(4000, DUMBBELL, 1, is_in_dumbbell);
    let is_neck = |cell: u32| graph.cells()[cell as usize].centre.x.abs() < 0.4;
    for factor in [UNBREAKABLE, 1e9, f64::INFINITY] {
        let eta =
            Eta::of_faces(&graph, |face| if face.cells.iter().any(|&c| is_neck(c)) { factor } else { 1.0 });
        let modes = fracture_modes(&graph, &Options { eta, ..Options::default() }).unwrap();
        assert_eq!(modes.scalar.len(), 10);
        for mode in &modes.scalar {
            let same = |f: &&smithereens_modes::Face| mode.of_cell(f.cells[0]) == mode.of_cell(f.cells[1]);
            assert!(graph.faces().iter().filter(|f| f.cells.iter().any(|&c| is_neck(c))).all(|f| same(&f)));
        }
    }
}

#[test]
fn a_mirrored_shape_has_mirrored_modes() {
    // Two unequal balls and a bar, and the same with all cells and faces in reverse.
    let is_inside = |p: DVec3| {
        p.distance(DVec3::X * -0.6) < 0.35
            || p.distance(DVec3::X * 0.6) < 0.22
            || (p.x.abs() < 0.6 && p.yz().length() < 0.1)
    };
    use glam::Vec3Swizzles;
    let graph = tetrahedra(2500, DUMBBELL, 5, is_inside);
    let last = graph.cells().len() as u32 - 1;
    let mirror = |p: DVec3| DVec3::new(-p.x, p.y, p.z);
    let cells =
        graph.cells().iter().rev().map(|c| smithereens_modes::Cell { centre: mirror(c.centre), ..*c });
    let faces = graph.faces().iter().rev().map(|f| smithereens_modes::Face {
        cells: f.cells.map(|cell| last - cell),
        normal: mirror(f.normal),
        ..*f
    });
    let mirrored = CellGraph::new(cells.collect(), faces.collect()).unwrap();
    let options = Options { count: 3, search: Search::Exact, ..Options::default() };
    let (plain, other) =
        (fracture_modes(&graph, &options).unwrap(), fracture_modes(&mirrored, &options).unwrap());
    for (a, b) in plain.scalar.iter().zip(&other.scalar) {
        assert!((a.energy / b.energy - 1.0).abs() < 1e-6, "{} and {}", a.energy, b.energy);
        let along: f64 = (0..=last)
            .map(|i| graph.cells()[i as usize].volume * a.of_cell(i).unwrap() * b.of_cell(last - i).unwrap())
            .sum();
        assert!((along.abs() - 1.0).abs() < 1e-6, "{along}");
    }
}

#[test]
fn a_part_of_a_shape_has_modes_of_its_own() {
    let graph = tetrahedra(3000, DUMBBELL, 1, is_in_dumbbell);
    let ball = subgraph(&graph, |cell| graph.cells()[cell as usize].centre.x > 0.3);
    let modes = fracture_modes(&ball, &Options { count: 3, ..Options::default() }).unwrap();
    assert_eq!(modes.scalar.len(), 3);
    assert_sound("ball", &ball, &modes);
}
