//! Bad input, and input with next to nothing in it.

use std::ops::ControlFlow;

use glam::DVec3;
use rand::{RngExt, SeedableRng};
use smithereens_modes::{
    Blow, Cell, CellGraph, Eta, Face, ImpactOptions, ImpactTable, ModesError, Options, PieceOptions, Pieces,
    Progress, Projection, fracture_modes, fracture_modes_with,
};

mod shapes;
use shapes::block;

fn cells(count: u32) -> Vec<Cell> {
    (0..count).map(|i| Cell { volume: 1.0, centre: DVec3::X * f64::from(i) }).collect()
}

fn chain(count: u32) -> CellGraph {
    let cells = cells(count);
    let faces = (1..count).map(|i| Face::between(&cells, [i - 1, i], 1.0)).collect();
    CellGraph::new(cells, faces).unwrap()
}

#[test]
fn bad_graphs_are_named() {
    type Spoil = fn(&mut Vec<Cell>, &mut Vec<Face>);
    let cases: [(Spoil, ModesError, &str); 13] = [
        (|c, _| c.clear(), ModesError::NoCells, "there are no cells: give at least one"),
        (
            |c, _| c[1].volume = -1.0,
            ModesError::Volume { cell: 1, volume: -1.0 },
            "cell 1 has volume -1: it must be finite and above zero",
        ),
        (
            |c, _| c[2].volume = f64::INFINITY,
            ModesError::Volume { cell: 2, volume: f64::INFINITY },
            "cell 2 has volume inf: it must be finite and above zero",
        ),
        (
            |c, _| c[0].centre.y = f64::NAN,
            ModesError::CentreNotFinite(0),
            "cell 0 has a centre that is not finite: give it numbers",
        ),
        (
            |_, f| f[1].cells = [1, 9],
            ModesError::NoSuchCell { face: 1, cell: 9, cells: 3 },
            "face 1 names cell 9, but there are 3",
        ),
        (
            |_, f| f[0].cells = [2, 2],
            ModesError::JoinsItself { face: 0, cell: 2 },
            "face 0 joins cell 2 with itself: remove it",
        ),
        (
            |_, f| f[1].area = 0.0,
            ModesError::Area { face: 1, area: 0.0 },
            "face 1 has area 0: it must be finite and above zero, or the face removed",
        ),
        (
            |_, f| f[1].area = -2.0,
            ModesError::Area { face: 1, area: -2.0 },
            "face 1 has area -2: it must be finite and above zero, or the face removed",
        ),
        (
            |_, f| f[0].distance = 0.0,
            ModesError::Distance { face: 0, distance: 0.0 },
            "face 0 has centres 0 apart: that must be finite and above zero",
        ),
        (
            |_, f| f[0].normal = DVec3::ZERO,
            ModesError::Normal(0),
            "face 0 has no normal: give the direction from one cell to the other",
        ),
        (
            |_, f| f[0].normal.z = f64::NAN,
            ModesError::Normal(0),
            "face 0 has no normal: give the direction from one cell to the other",
        ),
        (
            |c, _| c.iter_mut().for_each(|c| c.volume = 1e308),
            ModesError::OutOfRange,
            "volumes or areas are too large or too small to be summed: use other units",
        ),
        (
            |_, f| f.iter_mut().for_each(|f| f.area = 1e308),
            ModesError::OutOfRange,
            "volumes or areas are too large or too small to be summed: use other units",
        ),
    ];
    for (spoil, expected, text) in cases {
        let graph = chain(3);
        let (mut cells, mut faces) = (graph.cells().to_vec(), graph.faces().to_vec());
        spoil(&mut cells, &mut faces);
        let error = CellGraph::new(cells, faces).unwrap_err();
        assert_eq!((error.to_string().as_str(), error), (text, expected));
    }
}

#[test]
fn not_a_number_is_named() {
    let graph = chain(3);
    let mut faces = graph.faces().to_vec();
    faces[1].area = f64::NAN;
    let error = CellGraph::new(graph.cells().to_vec(), faces).unwrap_err();
    assert!(error.to_string().starts_with("face 1 has area NaN"), "{error}");
}

#[test]
fn bad_materials_and_options_are_named() {
    let graph = chain(4);
    let find = |eta: Eta| fracture_modes(&graph, &Options { eta, ..Options::default() }).unwrap_err();
    assert_eq!(
        find(Eta { axes: DVec3::new(1.0, 0.0, 1.0), ..Eta::default() }),
        ModesError::AxisFactor { axis: 1, factor: 0.0 }
    );
    assert_eq!(
        find(Eta { faces: vec![DVec3::ONE; 2], ..Eta::default() }),
        ModesError::FactorCount { given: 2, faces: 3 }
    );
    assert_eq!(find(Eta::of_faces(&graph, |_| -1.0)), ModesError::Factor { face: 0, factor: -1.0 });
    for sliver in [-0.1, 1.0] {
        let error = fracture_modes(&graph, &Options { sliver, ..Options::default() }).unwrap_err();
        assert!(error.to_string().starts_with(&format!("sliver is {sliver}")), "{error}");
        let modes = fracture_modes(&graph, &Options::default()).unwrap();
        let options = PieceOptions { sliver, ..PieceOptions::default() };
        assert!(Pieces::new(&graph, &modes, &options).is_err());
    }
    assert!(fracture_modes(&graph, &Options { sliver: f64::NAN, ..Options::default() }).is_err());
}

#[test]
fn bad_impacts_are_named() {
    let graph = chain(4);
    let modes = fracture_modes(&graph, &Options::default()).unwrap();
    let pieces = Pieces::new(&graph, &modes, &PieceOptions::default()).unwrap();
    let make = |graph: &CellGraph, options: &ImpactOptions| ImpactTable::new(graph, &modes, &pieces, options);
    assert_eq!(
        make(&chain(5), &ImpactOptions::default()),
        Err(ModesError::OtherGraph { given: 4, cells: 5 })
    );
    assert!(make(&graph, &ImpactOptions { reach: 0.0, ..ImpactOptions::default() }).is_err());
    let contacts =
        |cells: &[u32]| ImpactOptions { contacts: Some(cells.to_vec()), ..ImpactOptions::default() };
    assert_eq!(make(&graph, &contacts(&[0, 4])), Err(ModesError::NoContact(4)));
    let table = make(&graph, &contacts(&[3, 0, 3])).unwrap();
    let blow = Blow { cell: 3, impulse: DVec3::X, density: 1.0, threshold: 1.0 };
    assert!(table.strike(&blow, Projection::Modes).is_ok());
    assert_eq!(table.strike(&Blow { cell: 1, ..blow }, Projection::Modes), Err(ModesError::NoContact(1)));
    for bad in [
        Blow { impulse: DVec3::NAN, ..blow },
        Blow { density: 0.0, ..blow },
        Blow { threshold: -1.0, ..blow },
        Blow { threshold: f64::NAN, ..blow },
    ] {
        assert_eq!(table.strike(&bad, Projection::Pieces), Err(ModesError::Impact));
    }
}

/// Modes, pieces and a blow: all must come to an end with an answer.
fn go_through(name: &str, graph: &CellGraph) -> (usize, usize) {
    let modes = fracture_modes(graph, &Options::default()).unwrap();
    for (i, a) in modes.scalar.iter().enumerate() {
        assert!(a.energy.is_finite() && a.energy > 0.0, "{name}: {}", a.energy);
        for b in &modes.scalar[..=i] {
            let product: f64 = (0..)
                .zip(graph.cells())
                .map(|(k, cell)| cell.volume * a.of_cell(k).unwrap() * b.of_cell(k).unwrap())
                .sum();
            let wrong = product - if std::ptr::eq(a, b) { 1.0 } else { 0.0 };
            assert!(wrong.abs() < 1e-8, "{name}: {wrong}");
        }
    }
    let pieces = Pieces::new(graph, &modes, &PieceOptions::default()).unwrap();
    let table = ImpactTable::new(graph, &modes, &pieces, &ImpactOptions::default()).unwrap();
    let blow = Blow { cell: 0, impulse: DVec3::X, density: 1.0, threshold: 1e-3 };
    for projection in [Projection::Modes, Projection::Pieces] {
        let broken = table.strike(&blow, projection).unwrap();
        assert_eq!(broken.fragments.of_cells().len(), pieces.partition.count(), "{name}");
    }
    (modes.scalar.len(), modes.parts.count())
}

#[test]
fn one_to_three_cells() {
    assert_eq!(go_through("one", &chain(1)), (0, 1));
    assert_eq!(go_through("two", &chain(2)), (1, 1));
    assert_eq!(go_through("three", &chain(3)), (2, 1));
    let apart = CellGraph::new(cells(3), vec![]).unwrap();
    assert_eq!(go_through("three apart", &apart), (0, 3));
}

#[test]
fn parts_move_for_nothing_and_break_on_their_own() {
    let (a, b) = (block(6, 3, 3), block(4, 4, 4));
    let moved = |by: u32| move |face: &Face| Face { cells: face.cells.map(|cell| cell + by), ..*face };
    let both = [a.cells(), b.cells()].concat();
    let faces = a.faces().iter().map(moved(0)).chain(b.faces().iter().map(moved(a.cells().len() as u32)));
    let graph = CellGraph::new(both, faces.collect()).unwrap();
    let (modes, parts) = go_through("two blocks", &graph);
    assert_eq!((modes, parts), (10, 2));
    let modes = fracture_modes(&graph, &Options::default()).unwrap();
    let one = fracture_modes(&a, &Options::default()).unwrap();
    assert!(
        (modes.scalar[0].energy / one.scalar[0].energy - 1.0).abs() < 1e-6,
        "the bar breaks as it does alone"
    );
}

#[test]
fn thousands_of_parts_and_of_neighbours_come_to_an_end() {
    // Pairs that do not touch each other, with faces of different areas: the smallest are the lowest modes.
    let loose = cells(8000);
    let area = |i: u32| 1.0 + f64::from(i * 37 % 4000) * 1e-3;
    let faces = (0..4000).map(|i| Face::between(&loose, [2 * i, 2 * i + 1], area(i))).collect();
    let graph = CellGraph::new(loose, faces).unwrap();
    let keep = Options { sliver: 0.0, ..Options::default() };
    let modes = fracture_modes(&graph, &keep).unwrap();
    assert_eq!((modes.scalar.len(), modes.parts.count()), (10, 4000));
    assert!(modes.scalar.iter().zip(0..).all(|(mode, rank)| mode.area == 1.0 + f64::from(rank) * 1e-3));
    let pieces =
        Pieces::new(&graph, &modes, &PieceOptions { sliver: 0.0, ..PieceOptions::default() }).unwrap();
    assert_eq!(pieces.partition.count(), 4010);
    // A star falls into thousands of pieces at once: that is told, and not tried.
    let many = cells(5000);
    let faces = (1..5000).map(|leaf| Face::between(&many, [0, leaf], 1.0)).collect();
    let star = CellGraph::new(many, faces).unwrap();
    let options = Options { count: 2, ..keep };
    let modes = fracture_modes(&star, &options).unwrap();
    assert_eq!((modes.scalar.len(), modes.report.failed), (0, 2));
}

#[test]
fn cells_with_one_neighbour() {
    // A star, and a block with a hair on each cell of one side.
    let star_cells = cells(40);
    let faces = (1..40).map(|leaf| Face::between(&star_cells, [0, leaf], 1.0)).collect();
    assert_eq!(go_through("star", &CellGraph::new(star_cells, faces).unwrap()).1, 1);
    let bald = block(6, 6, 6);
    let (mut cells, mut faces) = (bald.cells().to_vec(), bald.faces().to_vec());
    for root in 0..36 {
        cells.push(Cell { volume: 1e-3, centre: cells[root].centre - DVec3::X });
        faces.push(Face::between(&cells, [root as u32, cells.len() as u32 - 1], 1e-3));
    }
    let hairy = CellGraph::new(cells, faces).unwrap();
    go_through("hair", &hairy);
    let modes = fracture_modes(&hairy, &Options::default()).unwrap();
    assert_eq!(modes.report.joined, 216);
}

#[test]
fn sizes_that_differ_by_a_million_millions() {
    let plain = block(6, 5, 4);
    for seed in 0..4 {
        let mut random = rand_pcg::Pcg64::seed_from_u64(seed);
        let mut wild = || libm::pow(10.0, random.random_range(-6.0..6.0));
        let cells = plain.cells().iter().map(|cell| Cell { volume: wild(), ..*cell }).collect();
        let volumes = CellGraph::new(cells, plain.faces().to_vec()).unwrap();
        let faces = plain.faces().iter().map(|face| Face { area: wild(), ..*face }).collect();
        let areas = CellGraph::new(plain.cells().to_vec(), faces).unwrap();
        for (name, graph) in [("volumes", volumes), ("areas", areas)] {
            let (modes, _) = go_through(name, &graph);
            assert!(modes >= 5, "{name} {seed}: {modes} modes");
        }
    }
}

#[test]
fn units_do_not_matter() {
    let plain = block(7, 4, 3);
    let truth = fracture_modes(&plain, &Options::default()).unwrap();
    for size in [1e-9, 1e9] {
        let cell = |c: &Cell| Cell { volume: c.volume * size * size * size, centre: c.centre * size };
        let face = |f: &Face| Face { area: f.area * size * size, distance: f.distance * size, ..*f };
        let scaled = CellGraph::new(
            plain.cells().iter().map(cell).collect(),
            plain.faces().iter().map(face).collect(),
        );
        let modes = fracture_modes(&scaled.unwrap(), &Options::default()).unwrap();
        assert_eq!(modes.scalar[0].pieces, truth.scalar[0].pieces);
        // Energies go with area over the root of volume.
        let energy = modes.scalar[0].energy / size.sqrt();
        assert!((energy / truth.scalar[0].energy - 1.0).abs() < 1e-6, "{energy}");
    }
}

#[test]
fn a_search_can_be_watched_and_stopped() {
    let graph = block(6, 5, 4);
    let mut seen = Vec::new();
    let modes = fracture_modes_with(&graph, &Options { count: 4, ..Options::default() }, |progress| {
        seen.push(progress);
        if seen.len() == 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    let modes = modes.unwrap();
    let done = |done| Progress::Modes { done, of: 4 };
    assert_eq!(seen, [Progress::Spectrum, done(1), done(2)]);
    assert!(modes.report.stopped && modes.scalar.len() == 2);
    assert_eq!(fracture_modes(&graph, &Options { count: 0, ..Options::default() }).unwrap().scalar.len(), 0);
}
