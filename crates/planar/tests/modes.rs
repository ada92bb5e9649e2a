//! Shapes break where they are weak, and strikes part what they should.

use glam::DVec2;
use smithereens_planar::modes::{Brittle, BrittleOptions, CellOptions, Projection, Strike};
use smithereens_planar::pattern::Uniform;
use smithereens_planar::{Compound, FractureOptions, Impact, Shape, fracture};

/// Two discs of radius one at x = -2 and 2, and a neck between them.
fn dumbbell() -> Shape {
    let disc = |middle: f64, from: f64| {
        (0..=40).map(move |i| {
            let angle = from + f64::from(i) / 40.0 * (std::f64::consts::TAU - 0.4);
            DVec2::new(middle, 0.0) + DVec2::from_angle(angle)
        })
    };
    let right = disc(2.0, -std::f64::consts::PI + 0.2);
    let left = disc(-2.0, 0.2);
    Shape::new(&right.chain(left).collect::<Vec<_>>(), &[]).unwrap()
}

/// A bar from x = 0 to 6, with a notch at x = 4.
fn notched() -> Shape {
    let corners = [[0.0, 0.0], [6.0, 0.0], [6.0, 1.0], [4.1, 1.0], [4.0, 0.3], [3.9, 1.0], [0.0, 1.0]];
    Shape::new(&corners.map(DVec2::from), &[]).unwrap()
}

fn brittle(shape: &Shape, modes: usize) -> Brittle {
    let cells = CellOptions { count: 600, ..CellOptions::default() };
    Brittle::of(shape, &BrittleOptions { cells, modes, ..BrittleOptions::default() }).unwrap()
}

fn strike(point: DVec2, impulse: DVec2) -> Strike {
    let (density, threshold, projection) = (1000.0, 0.5, Projection::Modes);
    Strike { point, impulse, density, threshold, radius: f64::INFINITY, projection }
}

/// Where the bonds between pieces of different modes are, along x.
fn faults(brittle: &Brittle) -> Vec<f64> {
    let piece = |index: u32| brittle.weakness.piece_of(&brittle.compound.pieces()[index as usize]);
    let is_fault = |a, b| piece(a) != piece(b);
    brittle
        .compound
        .bonds()
        .iter()
        .filter(|bond| is_fault(bond.a, bond.b))
        .map(|bond| bond.middle.x)
        .collect()
}

#[test]
fn a_dumbbell_breaks_at_its_neck_and_a_bar_at_its_notch() {
    for (shape, place) in [(dumbbell(), 0.0), (notched(), 4.0)] {
        let brittle = brittle(&shape, 1);
        assert!((brittle.compound.mass().area - shape.area()).abs() < 1e-9);
        assert_eq!(brittle.weakness.pieces(), 2);
        let faults = faults(&brittle);
        assert!(!faults.is_empty());
        let near = if place == 0.0 { 1.1 } else { 0.15 };
        assert!(faults.iter().all(|x| (x - place).abs() < near), "{faults:?}");
        let hit = strike(DVec2::new(-9.0, 0.0), DVec2::X * 1e5);
        let fragments = brittle.weakness.fracture(&brittle.compound, &hit).unwrap();
        assert_eq!(fragments.len(), 2);
        let tap = strike(DVec2::new(-9.0, 0.0), DVec2::X);
        assert_eq!(brittle.weakness.fracture(&brittle.compound, &tap).unwrap().len(), 1);
    }
}

/// Pieces are few convexes, that hang together, however many cells they were made of.
#[test]
fn a_body_is_one_compound_of_few_convexes() {
    for shape in [dumbbell(), notched()] {
        let brittle = brittle(&shape, 6);
        assert_eq!(brittle.compound.islands().len(), 1);
        assert!((brittle.compound.mass().area - shape.area()).abs() < 1e-12);
        assert!(brittle.compound.pieces().len() * 2 < brittle.cells.compound().pieces().len());
        assert!(brittle.weakness.pieces() > 5);
    }
}

#[test]
fn fragments_break_again_whichever_way_they_came_about() {
    let brittle = brittle(&dumbbell(), 8);
    let area = brittle.compound.mass().area;
    for projection in [Projection::Modes, Projection::Pieces] {
        let mut bodies: Vec<Compound> = vec![brittle.compound.clone()];
        for hit in 0..6 {
            let at = DVec2::from_angle(f64::from(hit)) * 2.0;
            let hit = Strike { projection, radius: 2.5, ..strike(at, -at * 4e3) };
            bodies = bodies
                .iter()
                .flat_map(|body| brittle.weakness.fracture(body, &hit).unwrap())
                .map(|fragment| fragment.compound)
                .collect();
            let kept: f64 = bodies.iter().map(|body| body.mass().area).sum();
            assert!((kept - area).abs() < 1e-9);
        }
        assert!(bodies.len() > 3, "{projection:?}: {}", bodies.len());
        let pattern = Uniform { cells: 12, ..Uniform::default() }.pattern().unwrap();
        let largest = bodies.iter().max_by(|a, b| a.mass().area.total_cmp(&b.mass().area)).unwrap();
        let impact = Impact::at(largest.mass().center);
        let broken = fracture(largest, &pattern, &impact, &FractureOptions::default()).unwrap();
        assert!(broken.fragments.len() > 3);
        for fragment in &broken.fragments {
            let hit = strike(fragment.compound.mass().center, DVec2::Y * 1e5);
            assert!(!brittle.weakness.fracture(&fragment.compound, &hit).unwrap().is_empty());
        }
    }
}

#[test]
fn wrong_numbers_are_errors() {
    let none = CellOptions { count: 0, ..CellOptions::default() };
    assert!(Brittle::of(&notched(), &BrittleOptions { cells: none, ..BrittleOptions::default() }).is_err());
    let brittle = brittle(&notched(), 1);
    for bad in [
        strike(DVec2::NAN, DVec2::X),
        Strike { density: 0.0, ..strike(DVec2::ZERO, DVec2::X) },
        Strike { radius: -1.0, ..strike(DVec2::ZERO, DVec2::X) },
    ] {
        assert!(brittle.weakness.fracture(&brittle.compound, &bad).is_err());
    }
}
