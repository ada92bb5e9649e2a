//! Hits on compounds of many pieces: what was not hit is shared, and what is found near the hit is what a search
//! over everything finds.

use std::sync::Arc;
use std::time::Duration;

use glam::DVec3;
use smithereens::pattern::Pattern;
use smithereens::{
    Aabb, Bonds, Compound, Convex, Fracture, FractureJob, FractureOptions, Impact, Piece, Progress, fracture,
};
use smithereens_testing::chance::Chance;
use smithereens_testing::soundness::{assert_fracture_sound, hash_fracture};

/// Unit boxes at these corners.
fn boxes(corners: impl IntoIterator<Item = [i32; 3]>) -> Compound {
    let unit = |[x, y, z]: [i32; 3]| {
        let min = DVec3::new(x.into(), y.into(), z.into());
        Convex::from_box(&Aabb::new(min, min + 1.0))
    };
    Compound::from_convexes(corners.into_iter().map(unit).collect()).unwrap()
}

fn block(side: i32) -> Compound {
    boxes((0..side.pow(3)).map(|i| [i % side, i / side % side, i / side / side]))
}

fn pattern(radius: f64, chance: &mut Chance) -> Pattern {
    let points: Vec<DVec3> = (0..12).map(|_| chance.point() * radius).collect();
    Pattern::from_points(&points, Aabb::cube(radius * 1.2)).unwrap()
}

fn hit(compound: &Compound, point: DVec3, radius: f64, chance: &mut Chance) -> Fracture {
    let impact = Impact { radius, direction: chance.direction(), ..Impact::at(point) };
    fracture(compound, &pattern(radius, chance), &impact, &FractureOptions::default()).unwrap()
}

/// Pairs of bonded pieces and the areas of their bonds, if more than a hair.
fn pairs(bonds: &Bonds) -> Vec<(u32, u32, f64)> {
    let mut pairs: Vec<(u32, u32, f64)> = bonds
        .iter()
        .filter(|bond| bond.area > 1e-6)
        .map(|bond| (bond.a.min(bond.b), bond.a.max(bond.b), bond.area))
        .collect();
    pairs.sort_by_key(|x| (x.0, x.1));
    pairs
}

fn anew<'a>(compounds: impl Iterator<Item = &'a Compound>) -> Compound {
    let pieces: Vec<Piece> = compounds.flat_map(|c| c.pieces()).map(|p| Piece::clone(p)).collect();
    Compound::from_pieces(pieces).unwrap()
}

/// Panics unless bonds and islands are those that a search over all pieces finds.
fn assert_same_as_anew(broken: &Fracture) {
    for fragment in &broken.fragments {
        let (found, expected) =
            (pairs(fragment.compound.bonds()), pairs(anew([&fragment.compound].into_iter()).bonds()));
        assert_eq!(found.len(), expected.len());
        for (x, y) in found.iter().zip(&expected) {
            assert!((x.0, x.1) == (y.0, y.1) && (x.2 - y.2).abs() < 1e-9, "{x:?} or {y:?}");
        }
        let held: usize =
            (0..fragment.compound.pieces().len() as u32).map(|p| fragment.compound.bonds().of(p).len()).sum();
        assert_eq!(held, 2 * fragment.compound.bonds().iter().count());
    }
    let far: Vec<&Compound> =
        broken.fragments.iter().filter(|f| f.colour.is_none()).map(|f| &f.compound).collect();
    if !far.is_empty() {
        assert_eq!(anew(far.iter().copied()).islands().len(), far.len(), "what is beyond the impact");
    }
}

#[test]
fn bonds_after_hits_on_hits_are_those_found_anew() {
    let mut chance = Chance::new(5);
    let mut compound = block(9);
    for _ in 0..12 {
        let point = compound.pieces()[chance.below(compound.pieces().len())].mass().center;
        let broken = hit(&compound, point, chance.between(0.4, 2.2), &mut chance);
        assert_fracture_sound(&compound, &broken, 1e-9);
        assert_same_as_anew(&broken);
        let lost = broken.report.dropped.volume;
        let after: f64 = broken.fragments.iter().map(|f| f.compound.mass().volume).sum();
        assert!((after + lost - compound.mass().volume).abs() < 1e-12 * 729.0);
        let largest = broken.fragments.into_iter().max_by_key(|f| f.compound.pieces().len());
        compound = largest.unwrap().compound;
    }
}

#[test]
fn a_bridge_cut_in_the_middle_is_two() {
    // Two blocks, and a row of boxes from one to the other.
    let end = |x: i32| (0..125).map(move |i| [x + i % 5, i / 5 % 5, i / 25]);
    let bridge = boxes(end(0).chain((5..25).map(|x| [x, 2, 2])).chain(end(25)));
    assert_eq!(bridge.islands().len(), 1);
    let broken = hit(&bridge, DVec3::new(14.5, 2.5, 2.5), 1.0, &mut Chance::new(1));
    assert_fracture_sound(&bridge, &broken, 1e-9);
    assert_same_as_anew(&broken);
    let large = |f: &&smithereens::Fragment| f.compound.pieces().len() > 125;
    assert_eq!(broken.fragments.iter().filter(large).count(), 2);
    assert_eq!(broken.report.touched, 3);
}

#[test]
fn a_ring_cut_once_is_one() {
    let side = 40;
    let on_ring = |[x, y]: &[i32; 2]| *x == 0 || *y == 0 || *x == side - 1 || *y == side - 1;
    let corners = (0..side * side).map(|i| [i % side, i / side]).filter(on_ring).map(|[x, y]| [x, y, 0]);
    let ring = boxes(corners);
    let broken = hit(&ring, DVec3::new(20.5, 0.5, 0.5), 1.0, &mut Chance::new(2));
    assert_fracture_sound(&ring, &broken, 1e-9);
    assert_same_as_anew(&broken);
    let far = broken.fragments.iter().filter(|f| f.compound.pieces().len() > 100).count();
    assert_eq!(far, 1);
    // Cut again across, it falls in two.
    let ring = broken.fragments.into_iter().find(|f| f.compound.pieces().len() > 100).unwrap().compound;
    let broken = hit(&ring, DVec3::new(20.5, 39.5, 0.5), 1.0, &mut Chance::new(3));
    assert_same_as_anew(&broken);
    assert_eq!(broken.fragments.iter().filter(|f| f.compound.pieces().len() > 50).count(), 2);
}

#[test]
fn what_was_never_bonded_stays_apart() {
    let apart = boxes((0..90).map(|i| [3 * (i / 3) + i % 3 / 2 * 3, i % 3, 0]).chain([[0, 50, 0]]));
    let count = apart.islands().len();
    assert!(count > 1);
    let missed = hit(&apart, DVec3::splat(1e4), 1.0, &mut Chance::new(1));
    assert_eq!(missed.fragments.len(), count);
    let broken = hit(&apart, DVec3::new(0.5, 0.5, 0.5), 0.3, &mut Chance::new(1));
    assert_fracture_sound(&apart, &broken, 1e-9);
    assert_same_as_anew(&broken);
}

#[test]
fn untouched_pieces_are_shared_and_keep_their_index() {
    let block = block(12);
    let broken = hit(&block, DVec3::new(6.0, 6.0, 0.0), 1.5, &mut Chance::new(4));
    let rest = broken.fragments.iter().find(|f| f.colour.is_none()).unwrap();
    let kept = |(before, after): &(&Arc<Piece>, &Arc<Piece>)| Arc::ptr_eq(before, after);
    let same = block.pieces().iter().zip(rest.compound.pieces()).filter(kept).count();
    assert_eq!(same, block.pieces().len() - broken.report.touched);
    // Untouched pieces are open where a bond was lost and nowhere else.
    for exposed in rest.exposed.iter().filter(|e| block.pieces().get(e.piece as usize).is_some()) {
        let (before, after) =
            (&block.pieces()[exposed.piece as usize], &rest.compound.pieces()[exposed.piece as usize]);
        if Arc::ptr_eq(before, after) {
            let area = |compound: &Compound| -> f64 {
                let of_plane = |bond: &&smithereens::Bond| bond.id == exposed.cut.id();
                compound.bonds().of(exposed.piece).iter().filter(of_plane).map(|bond| bond.area).sum()
            };
            assert!((area(&block) - area(&rest.compound) - exposed.area).abs() < 1e-12);
        }
    }
}

#[test]
fn small_steps_and_threads_change_nothing() {
    let block = block(8);
    let mut chance = Chance::new(6);
    let (pattern, options) = (pattern(1.5, &mut chance), FractureOptions::default());
    let impact = Impact { radius: 1.5, ..Impact::at(DVec3::new(4.0, 4.0, 0.5)) };
    let at_once = hash_fracture(&fracture(&block, &pattern, &impact, &options).unwrap());
    let mut job = FractureJob::new(&block, &pattern, &impact, &options).unwrap();
    while job.advance(Duration::ZERO) != Progress::Done {}
    assert_eq!(hash_fracture(&job.finish()), at_once);
    for threads in [1, 3] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let hash = pool.install(|| hash_fracture(&fracture(&block, &pattern, &impact, &options).unwrap()));
        assert_eq!(hash, at_once, "{threads} threads");
    }
}
