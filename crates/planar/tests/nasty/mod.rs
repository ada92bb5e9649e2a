//! Shapes and hits that break careless code: slivers, combs, spirals, corners in one line, holes that nearly touch, lattices whose corners lie on the
//! lines that cut them; at any size and any distance from the origin.

use glam::{DMat2, DVec2};
use rand::{RngExt, SeedableRng};
use smithereens_planar::pattern::{
    Bricks, Falloff, Mortar, Pattern, Planes, Points, Slices, Spheres, Uniform, Web,
};
use smithereens_planar::{
    Aabb, Compound, Cover, Fracture, FractureOptions, Fragment, Impact, Shape, fracture,
};

/// A source of random numbers.
pub struct Chance(rand_pcg::Pcg64Mcg);

impl Chance {
    pub fn new(seed: u64) -> Chance {
        Chance(SeedableRng::seed_from_u64(seed))
    }

    pub fn unit(&mut self) -> f64 {
        self.0.random()
    }

    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    /// A number whose digits may be anywhere.
    pub fn magnitude(&mut self, low: i32, high: i32) -> f64 {
        10f64.powf(self.between(f64::from(low), f64::from(high)))
    }

    pub fn below(&mut self, count: usize) -> usize {
        (self.unit() * count as f64) as usize
    }

    pub fn place(&mut self, bounds: &Aabb) -> DVec2 {
        bounds.min + bounds.size() * DVec2::new(self.unit(), self.unit())
    }
}

/// A sound shape of some nasty kind.
pub fn shape(chance: &mut Chance) -> Shape {
    loop {
        let (outer, holes) = match chance.below(8) {
            0 => blob(chance),
            1 => comb(chance),
            2 => spiral(chance),
            3 => sliver(chance),
            4 => collinear(chance),
            5 => nearly_touching(chance),
            6 => lattice(chance),
            _ => saw(chance),
        };
        let (outer, holes) = moved(outer, holes, chance);
        if let Ok(shape) = Shape::new(&outer, &holes) {
            return shape;
        }
    }
}

type Loops = (Vec<DVec2>, Vec<Vec<DVec2>>);

fn moved(outer: Vec<DVec2>, holes: Vec<Vec<DVec2>>, chance: &mut Chance) -> Loops {
    let scale = if chance.below(3) == 0 { chance.magnitude(-12, 12) } else { 1.0 };
    let turn = if chance.below(2) == 0 { chance.between(0.0, 6.3) } else { 0.0 };
    let far = if chance.below(4) == 0 { chance.magnitude(-1, 5) } else { 0.0 };
    let map = DMat2::from_angle(turn) * scale;
    let map_loop = |points: Vec<DVec2>| points.iter().map(|&p| map * (p + far)).collect::<Vec<_>>();
    (map_loop(outer), holes.into_iter().map(map_loop).collect())
}

fn ring(chance: &mut Chance, at: DVec2, radius: f64, corners: usize, rough: f64) -> Vec<DVec2> {
    let step = std::f64::consts::TAU / corners as f64;
    (0..corners)
        .map(|i| {
            let reach = radius * (1.0 - rough * chance.unit());
            at + DVec2::from_angle(step * i as f64) * reach
        })
        .collect()
}

fn blob(chance: &mut Chance) -> Loops {
    let corners = 3 + chance.below(120);
    let outer = ring(chance, DVec2::ZERO, 1.0, corners, 0.6);
    let holes = (0..chance.below(5)).map(|i| {
        let at = DVec2::from_angle(i as f64 * 1.3) * 0.22;
        let corners = 3 + chance.below(12);
        ring(chance, at, 0.1, corners, 0.8)
    });
    let holes = holes.collect();
    (outer, holes)
}

fn comb(chance: &mut Chance) -> Loops {
    let (teeth, gap) = (2 + chance.below(30), chance.magnitude(-9, -1));
    let mut outer = vec![DVec2::new(teeth as f64, -1.0), DVec2::new(teeth as f64, 0.0)];
    for tooth in (0..teeth).rev() {
        let at = tooth as f64;
        let high = chance.between(0.5, 9.0);
        outer.push(DVec2::new(at + 1.0 - gap, high));
        outer.push(DVec2::new(at + gap, high));
        outer.push(DVec2::new(at, 0.0));
    }
    outer.push(DVec2::new(0.0, -1.0));
    (outer, Vec::new())
}

fn spiral(chance: &mut Chance) -> Loops {
    let (turns, width) = (chance.between(1.0, 5.0), chance.magnitude(-7, -1) * 0.9);
    let steps = 10 + chance.below(100);
    let at = |i: usize, out: f64| {
        let angle = turns * std::f64::consts::TAU * i as f64 / steps as f64;
        DVec2::from_angle(angle) * (0.3 + angle / std::f64::consts::TAU + out)
    };
    let mut outer: Vec<DVec2> = (0..=steps).map(|i| at(i, width)).collect();
    outer.extend((0..=steps).rev().map(|i| at(i, 0.0)));
    (outer, Vec::new())
}

fn sliver(chance: &mut Chance) -> Loops {
    let high = chance.magnitude(-12, -2);
    let along = chance.between(-0.2, 1.2);
    (vec![DVec2::ZERO, DVec2::X, DVec2::new(along, high)], Vec::new())
}

fn collinear(chance: &mut Chance) -> Loops {
    let many = 2 + chance.below(40);
    let wobble = if chance.below(2) == 0 { 0.0 } else { f64::EPSILON };
    let [a, b, c, d] = Aabb::square(1.0).corners();
    let mut outer = Vec::new();
    for (from, to) in [(a, b), (b, c), (c, d), (d, a)] {
        let point = |i: usize| from + (to - from) * (i as f64 / many as f64);
        outer.extend((0..many).map(|i| point(i) * (1.0 + wobble * (i % 3) as f64)));
    }
    (outer, vec![ring(chance, DVec2::ZERO, 0.5, 4, 0.0)])
}

fn nearly_touching(chance: &mut Chance) -> Loops {
    let gap = chance.magnitude(-12, -3);
    let outer = vec![DVec2::ZERO, DVec2::new(4.0, 0.0), DVec2::new(4.0, 1.0), DVec2::new(0.0, 1.0)];
    let hole = |i: usize| {
        let [low, high] = [DVec2::new(i as f64 + gap, gap), DVec2::new((i + 1) as f64 - gap, 1.0 - gap)];
        Aabb::new(low, high).corners().to_vec()
    };
    (outer, (0..4).filter(|_| chance.below(4) > 0).map(hole).collect())
}

fn lattice(chance: &mut Chance) -> Loops {
    let (wide, high) = (1 + chance.below(5), 1 + chance.below(5));
    let outer = Aabb::new(DVec2::splat(-1.0), DVec2::new(wide as f64, high as f64) * 2.0).corners().to_vec();
    let hole = |i: usize| {
        let low = DVec2::new((i % wide) as f64, (i / wide) as f64) * 2.0;
        Aabb::new(low, low + 1.0).corners().to_vec()
    };
    (outer, (0..wide * high).map(hole).collect())
}

fn saw(chance: &mut Chance) -> Loops {
    let (teeth, deep) = (2 + chance.below(60), chance.magnitude(-10, 0));
    let mut outer: Vec<DVec2> =
        (0..=teeth * 2).map(|i| DVec2::new(i as f64, -deep * (i % 2) as f64)).collect();
    outer.extend((0..=teeth * 2).rev().map(|i| DVec2::new(i as f64, 1e-3 + deep * (i % 2) as f64)));
    (outer, Vec::new())
}

/// A pattern of some kind for things of about this size.
pub fn pattern(chance: &mut Chance, size: f64) -> Pattern {
    let bounds = Aabb::square(size * chance.between(0.1, 1.2));
    let (seed, cells) = (chance.below(1000) as u64, 1 + chance.below(40));
    let radius = size * chance.between(0.05, 1.0);
    let made = match chance.below(10) {
        0 | 1 => Uniform { cells, bounds, seed }.pattern(),
        2 => Falloff { cells, bounds, seed, ..Falloff::default() }.pattern(),
        3 => Spheres { cells, bounds, seed, radius, ..Spheres::default() }.pattern(),
        4 => Web { sectors: 3 + cells / 4, rings: 2, radius, bounds, seed, ..Web::default() }.pattern(),
        5 => {
            let size = bounds.size() * 0.25;
            let mortar = [Mortar::None, Mortar::Sticks(size.x * 0.1), Mortar::Crumbles(size.x * 0.1)];
            Bricks { size, mortar: mortar[chance.below(3)], bounds, offset: 0.5 }.pattern()
        }
        6 => Slices { slices: 1 + cells / 8, direction: DVec2::new(1.0, 0.3), jitter: 0.0, bounds, seed }
            .pattern(),
        7 => Planes { planes: cells / 6, spread: 0.6, bounds, seed }.pattern(),
        _ => {
            // A lattice of points, most of whose cells meet in fours.
            let points = (0..25).map(|i| DVec2::new((i % 5) as f64 - 2.0, (i / 5) as f64 - 2.0) * size * 0.2);
            Points { points: points.collect(), colours: (0..25).map(|i| i % 7).collect(), bounds }.pattern()
        }
    };
    made.expect("a sound pattern")
}

/// A hit somewhere on a compound; now and then beside it, or beyond all reason.
pub fn impact(chance: &mut Chance, compound: &Compound) -> Impact {
    let size = compound.bounds().extent();
    let corner = {
        let piece = &compound.pieces()[chance.below(compound.pieces().len())];
        piece.convex().corners().next().expect("a piece has corners")
    };
    let point = match chance.below(8) {
        0 => corner,
        1 => chance.place(&compound.bounds().grown(size)),
        2 => compound.bounds().min - size * chance.magnitude(0, 12),
        _ => compound.pieces()[chance.below(compound.pieces().len())].convex().middle(),
    };
    let radius = match chance.below(3) {
        0 => f64::INFINITY,
        _ => size * chance.magnitude(-3, 0),
    };
    let direction =
        if chance.below(2) == 0 { DVec2::ZERO } else { DVec2::from_angle(chance.between(0.0, 6.3)) };
    let stretch = DVec2::new(chance.magnitude(-1, 1), if chance.below(4) == 0 { -1.0 } else { 1.0 });
    let deformation = if chance.below(3) == 0 { DMat2::from_diagonal(stretch) } else { DMat2::IDENTITY };
    Impact { point, direction, radius, deformation }
}

/// Hits a shape, then its fragments, and checks each time that nothing got lost, that fragments hang together, and that their pieces are convex. Returns how
/// many fragments there were.
pub fn campaign(seed: u64, hits: usize) -> usize {
    let mut chance = Chance::new(seed);
    let whole = Compound::from_shape(&shape(&mut chance));
    // What lines and corners are rounded to: of all places that something was computed at.
    let mut farthest = reach(&whole);
    let mut bodies = vec![whole];
    let mut count = 0;
    for hit in 0..hits {
        let body = bodies.swap_remove(chance.below(bodies.len()));
        let pattern = pattern(&mut chance, body.bounds().extent());
        let impact = impact(&mut chance, &body);
        let covers = [Cover::Extend, Cover::Scale, Cover::Leave];
        let least = if chance.below(4) == 0 { body.mass().area * 1e-3 } else { 0.0 };
        let options = FractureOptions { cover: covers[chance.below(3)], min_area: least };
        let broken = match fracture(&body, &pattern, &impact, &options) {
            Ok(broken) => broken,
            Err(error) => panic!("seed {seed}, hit {hit}: {error}"),
        };
        farthest = farthest.max(impact.point.abs().max_element());
        check(&body, &broken, farthest, &format!("seed {seed}, hit {hit}"));
        count += broken.fragments.len();
        bodies.extend(broken.fragments.into_iter().map(|fragment| fragment.compound));
        if bodies.len() > 400 {
            bodies.drain(..200);
        }
        if bodies.is_empty() {
            break;
        }
    }
    count
}

/// The largest coordinate of a compound.
pub fn reach(body: &Compound) -> f64 {
    let bounds = body.bounds();
    bounds.min.abs().max(bounds.max.abs()).max_element()
}

/// What must be true of every fracture, where nothing was ever farther from the origin than `ever`.
pub fn check(body: &Compound, broken: &Fracture, ever: f64, place: &str) {
    let (bounds, farthest) = (body.bounds(), reach(body));
    let edges: f64 = body.pieces().iter().map(|piece| piece.bounds().size().element_sum()).sum();
    // A corner is off by a rounding or so of the farthest coordinate, along all edges.
    let room = body.mass().area * 1e-12 + edges * farthest * 1e-14;
    let lost = (broken.area() - body.mass().area).abs();
    assert!(lost <= room, "{place}: {lost} of {} is lost, {room} may be", body.mass().area);
    for Fragment { compound, exposed, .. } in &broken.fragments {
        assert_eq!(compound.islands().len(), 1, "{place}");
        assert!(bounds.grown(farthest * 1e-12).holds(&compound.bounds()), "{place}: outside");
        assert!(exposed.iter().all(|open| (open.piece as usize) < compound.pieces().len()), "{place}");
        for piece in compound.pieces() {
            let convex = piece.convex();
            let off = convex.edges().iter().flat_map(|edge| convex.corners().map(|c| edge.line.distance(c)));
            let most = off.fold(0.0, f64::max);
            assert!(most <= ever * 1e-12, "{place}: {most} from convex");
        }
    }
}
