//! What is promised of every fracture, on thousands of nasty cases. `cargo bench -p smithereens-planar --bench campaign` runs more.

mod nasty;

use glam::DVec2;
use nasty::{Chance, campaign, check, impact, pattern, reach, shape};
use smithereens_planar::pattern::{Falloff, Uniform};
use smithereens_planar::{
    Aabb, Compound, Convex, FractureOptions, Halfplane, Impact, Line, Shape, Side, fracture,
};

#[test]
fn three_hundred_nasty_shapes_survive_ten_hits_each() {
    let fragments: usize = (0..300).map(|seed| campaign(seed, 10)).sum();
    assert!(fragments > 15_000, "{fragments}");
}

#[test]
fn area_is_kept_over_twenty_hits() {
    for seed in 0..10 {
        let mut chance = Chance::new(1000 + seed);
        let corners: Vec<DVec2> =
            (0..200).map(|i| DVec2::from_angle(i as f64 * 0.0314159) * chance.between(0.6, 1.0)).collect();
        let whole = Shape::new(&corners, &[Aabb::square(0.2).corners().to_vec()]).unwrap();
        let area = whole.area();
        let mut bodies = vec![Compound::from_shape(&whole)];
        let mut gone = 0.0;
        for hit in 0..20 {
            bodies.sort_by(|a, b| a.mass().area.total_cmp(&b.mass().area));
            let body = bodies.pop().unwrap();
            let pattern =
                Falloff { cells: 40, seed: seed * 20 + hit, ..Falloff::default() }.pattern().unwrap();
            let at = body.pieces()[chance.below(body.pieces().len())].convex().middle();
            let broken = fracture(&body, &pattern, &Impact::at(at), &FractureOptions::default()).unwrap();
            gone += broken.report.dropped.area;
            bodies.extend(broken.fragments.into_iter().map(|fragment| fragment.compound));
        }
        let kept: f64 = bodies.iter().map(|body| body.mass().area).sum();
        assert!((kept + gone - area).abs() <= area * 1e-12, "{kept} + {gone} of {area}");
        assert!(bodies.len() > 100);
    }
}

#[test]
fn fragments_do_not_overlap() {
    for seed in 0..40 {
        let mut chance = Chance::new(seed);
        let body = Compound::from_shape(&shape(&mut chance));
        let pattern = pattern(&mut chance, body.bounds().extent());
        let impact = impact(&mut chance, &body);
        let broken = fracture(&body, &pattern, &impact, &FractureOptions::default()).unwrap();
        let ever = reach(&body).max(impact.point.abs().max_element());
        check(&body, &broken, ever, &format!("seed {seed}"));
        let pieces: Vec<&Convex> =
            broken.fragments.iter().flat_map(|f| f.compound.pieces()).map(|piece| piece.convex()).collect();
        let tolerance = body.tolerance();
        let room = tolerance.length() * body.bounds().extent();
        for (index, a) in pieces.iter().enumerate() {
            let bounds = a.bounds();
            for b in pieces[index + 1..].iter().filter(|b| b.bounds().meets(&bounds)) {
                let common = a.intersection(b).map_or(0.0, |common| common.area());
                assert!(common <= room, "seed {seed}: {common} over {room}");
            }
        }
    }
}

/// What a line leaves of a shape, against its convexes cut one by one, and against points that are asked.
#[test]
fn a_clipped_shape_is_what_points_and_convexes_say() {
    for seed in 0..400 {
        let mut chance = Chance::new(seed);
        let shape = shape(&mut chance);
        let bounds = shape.bounds();
        let corner = shape.edges()[chance.below(shape.edges().len())].start;
        let point = if chance.below(2) == 0 { corner } else { chance.place(&bounds) };
        let normal = match chance.below(3) {
            0 => DVec2::X,
            1 => shape.edges()[chance.below(shape.edges().len())].line.normal,
            _ => DVec2::from_angle(chance.between(0.0, 6.3)),
        };
        let line = Line::through(point, normal).unwrap();
        let convexes = shape.decompose();
        let farthest = bounds.min.abs().max(bounds.max.abs()).max_element();
        let room = shape.area() * 1e-12 + bounds.extent() * farthest * 1e-13 * shape.edges().len() as f64;
        for side in [Side::Behind, Side::Front] {
            let halfplane = Halfplane { line, side, id: None };
            let parts = shape.clip(&halfplane);
            let area: f64 = parts.iter().map(Shape::area).sum();
            let slow: f64 = convexes.iter().filter_map(|c| c.clip(&halfplane)).map(|c| c.area()).sum();
            assert!((area - slow).abs() <= room, "seed {seed}: {area}, but {slow}");
            for _ in 0..50 {
                let asked = chance.place(&bounds);
                let near = farthest * 1e-12;
                let is_clear = line.distance(asked).abs() > near
                    && shape.edges().iter().all(|edge| edge.line.distance(asked).abs() > near);
                let found = parts.iter().filter(|part| part.contains(asked)).count();
                let expected = usize::from(shape.contains(asked) && halfplane.contains(asked));
                assert!(!is_clear || found == expected, "seed {seed}: {asked} in {found}");
            }
        }
    }
}

#[test]
fn convexes_fill_their_shape() {
    for seed in 0..1000 {
        let shape = shape(&mut Chance::new(seed));
        let convexes = shape.decompose();
        let area: f64 = convexes.iter().map(Convex::area).sum();
        let bounds = shape.bounds();
        let farthest = bounds.min.abs().max(bounds.max.abs()).max_element();
        let room = shape.area() * 1e-12 + bounds.extent() * farthest * 1e-14 * shape.edges().len() as f64;
        assert!((area - shape.area()).abs() <= room, "seed {seed}: {area} of {}", shape.area());
        let compound = Compound::from_shape(&shape);
        assert_eq!(compound.islands().len(), 1, "seed {seed}");
    }
}

#[test]
fn one_thread_and_two_give_the_same_bits() {
    let hash = || {
        let mut chance = Chance::new(77);
        let corners: Vec<DVec2> =
            (0..6000).map(|i| DVec2::from_angle(i as f64 * 0.001045) * chance.between(0.7, 1.0)).collect();
        let body = Compound::from_shape(&Shape::new(&corners, &[]).unwrap());
        assert!(body.pieces().len() > 2048, "too few for more than one thread");
        let pattern = Uniform { cells: 300, ..Uniform::default() }.pattern().unwrap();
        let broken =
            fracture(&body, &pattern, &Impact::at(DVec2::ZERO), &FractureOptions::default()).unwrap();
        let mut hash = 0xcbf2_9ce4_8422_2325_u64;
        let mut add = |number: f64| hash = (hash ^ number.to_bits()).wrapping_mul(0x0100_0000_01b3);
        for fragment in &broken.fragments {
            let corners = fragment.compound.pieces().iter().flat_map(|piece| piece.convex().corners());
            corners.for_each(|corner| corner.to_array().into_iter().for_each(&mut add));
            fragment.compound.bonds().iter().for_each(|bond| add(bond.length));
            fragment.exposed.iter().for_each(|open| add(open.length));
            add(fragment.compound.mass().inertia);
        }
        (hash, broken.fragments.len())
    };
    let on = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(hash)
    };
    assert_eq!(on(1), on(2));
    assert!(on(2).1 > 150);
}
