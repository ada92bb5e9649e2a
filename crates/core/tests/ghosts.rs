//! Pieces that overlap: what they have in common counts once and holds them together, whatever breaks.

use std::time::Duration;

use glam::{DAffine3, DQuat, DVec3, Vec3Swizzles};
use smithereens::pattern::{Pattern, PatternKind};
use smithereens::prepare::{Assembly, Decomposition};
use smithereens::{
    Aabb, Compound, CompoundError, Convex, Fit, Fracture, FractureJob, FractureOptions, Halfspace, Impact,
    Piece, Progress, Solid, UnionFind, fracture,
};
use smithereens_testing::chance::Chance;
use smithereens_testing::fixtures;
use smithereens_testing::seeds;
use smithereens_testing::soundness::{assert_fracture_sound, hash_fracture};

fn boxed(center: DVec3, half: DVec3) -> Convex {
    Convex::from_box(&Aabb::new(center - half, center + half))
}

/// The volume of what convexes cover together: each counts as far as it is outside of those before it.
fn union_volume(convexes: &[Convex]) -> f64 {
    let outside = |convex: &Convex, others: &[Convex]| {
        let mut parts = vec![convex.clone()];
        for other in others {
            parts = parts.iter().flat_map(|part| less(part, other)).collect();
        }
        parts.iter().map(Convex::volume).sum::<f64>()
    };
    convexes.iter().enumerate().map(|(i, convex)| outside(convex, &convexes[..i])).sum()
}

/// A convex less another, in convex parts.
fn less(convex: &Convex, other: &Convex) -> Vec<Convex> {
    let (mut rest, mut parts) = (Some(convex.clone()), Vec::new());
    for face in other.faces() {
        let Some(inside) = rest else { break };
        let (kept, away) = inside.split(&Halfspace::behind(face.plane));
        parts.extend(away);
        rest = kept;
    }
    parts
}

fn common(a: &Convex, b: &Convex) -> f64 {
    let clip =
        |convex: Convex, face: &smithereens::ConvexFace| convex.clipped(&Halfspace::behind(face.plane));
    b.faces().iter().try_fold(a.clone(), clip).map_or(0.0, |convex| convex.volume())
}

/// Overlaps smaller than this may count or not.
const SLIVER: f64 = 1e-9;

fn overlap_in_slivers(convexes: &[Convex]) -> bool {
    let pairs = convexes.iter().enumerate().flat_map(|(i, a)| convexes[..i].iter().map(move |b| (a, b)));
    pairs.map(|(a, b)| common(a, b)).any(|volume| volume > 0.0 && volume < SLIVER)
}

/// The parts that hang together by overlaps, as lists of indices.
fn parts(convexes: &[Convex]) -> Vec<Vec<usize>> {
    let mut sets = UnionFind::new(convexes.len());
    for i in 0..convexes.len() {
        for j in 0..i {
            if common(&convexes[i], &convexes[j]) > 0.0 {
                sets.join(i as u32, j as u32);
            }
        }
    }
    let mut lists = vec![Vec::new(); convexes.len()];
    (0..convexes.len()).for_each(|i| lists[sets.root(i as u32) as usize].push(i));
    lists.retain(|list| !list.is_empty());
    lists
}

/// Convexes that overlap in some way, and what way that is.
fn overlapping(seed: u64) -> (&'static str, Vec<Convex>) {
    let mut chance = Chance::new(seed);
    let any = |chance: &mut Chance| {
        let half = DVec3::new(chance.between(0.1, 0.6), chance.between(0.1, 0.6), chance.between(0.1, 0.6));
        boxed(chance.point() * 0.7, half)
    };
    let turned = |convex: Convex, chance: &mut Chance| {
        let turn = DQuat::from_axis_angle(chance.direction(), chance.between(0.0, 3.0));
        convex.transformed(&DAffine3::from_quat(turn)).unwrap()
    };
    match seed % 8 {
        0 => ("two boxes", vec![any(&mut chance), any(&mut chance)]),
        1 => ("three boxes", (0..3).map(|_| any(&mut chance)).collect()),
        2 => ("many boxes", (0..8).map(|_| any(&mut chance)).collect()),
        3 => (
            "turned boxes",
            (0..6)
                .map(|_| {
                    let b = any(&mut chance);
                    turned(b, &mut chance)
                })
                .collect(),
        ),
        4 => {
            let around = boxed(DVec3::ZERO, DVec3::splat(0.5));
            let small =
                |chance: &mut Chance| boxed(chance.point() * 0.3, DVec3::splat(chance.between(0.05, 0.2)));
            ("boxes in a box", vec![small(&mut chance), around, small(&mut chance), any(&mut chance)])
        }
        5 => {
            let one = any(&mut chance);
            ("the same box", vec![one.clone(), one.clone(), any(&mut chance), one])
        }
        6 => {
            let at = |x: f64, y: f64| boxed(DVec3::new(x, y, 0.0), DVec3::new(0.5, 0.5, 0.4));
            ("boxes with faces in one plane", vec![at(0.0, 0.0), at(0.5, 0.0), at(1.0, 0.0), at(0.5, 0.5)])
        }
        _ => {
            let thin = |axis: usize, chance: &mut Chance| {
                let half = DVec3::splat(0.8).with_x(chance.magnitude(1e-4, 1e-1));
                boxed(DVec3::ZERO, [half, half.yxz(), half.yzx()][axis])
            };
            ("slivers", (0..3).map(|axis| thin(axis, &mut chance)).collect())
        }
    }
}

fn assert_close(found: f64, expected: f64, what: &str) {
    let error = (found - expected).abs() / expected;
    assert!(error < 1e-9, "{what}: {found} instead of {expected}, off by {error:e}");
}

#[test]
fn a_compound_of_overlapping_pieces_has_the_volume_of_their_union() {
    for seed in 0..400 {
        let (name, convexes) = overlapping(seed);
        let compound = Compound::from_convexes(convexes.clone()).unwrap();
        assert_close(compound.mass().volume, union_volume(&convexes), &format!("seed {seed}: {name}"));
        let solid = compound.pieces().iter().filter(|piece| !piece.is_ghost()).count();
        assert_eq!(solid, convexes.len());
        if name != "boxes with faces in one plane" {
            assert_eq!(compound.islands().len(), parts(&convexes).len(), "seed {seed}: {name}");
        }
    }
}

#[test]
fn center_and_inertia_are_those_of_the_union() {
    // Two boxes that make one.
    let whole = boxed(DVec3::ZERO, DVec3::new(1.0, 0.5, 0.3)).mass();
    let left = boxed(DVec3::new(-0.3, 0.0, 0.0), DVec3::new(0.7, 0.5, 0.3));
    let right = boxed(DVec3::new(0.4, 0.0, 0.0), DVec3::new(0.6, 0.5, 0.3));
    let compound = Compound::from_convexes(vec![left.clone(), right, left]).unwrap();
    assert!(compound.mass().center.abs_diff_eq(whole.center, 1e-12));
    assert!(compound.mass().inertia().abs_diff_eq(whole.inertia(), 1e-12));
}

fn voronoi(chance: &mut Chance, count: usize, size: f64) -> Pattern {
    let points: Vec<DVec3> = (0..count).map(|_| chance.point() * size).collect();
    Pattern::from_points(&points, Aabb::cube(size * 1.5)).unwrap()
}

/// The fragments of a cell are the parts of what is in it.
#[test]
fn every_cell_falls_into_the_parts_of_its_union() {
    for seed in 0..200 {
        let (name, convexes) = overlapping(seed);
        if name == "boxes with faces in one plane" {
            continue; // parts may touch without overlap
        }
        let compound = Compound::from_convexes(convexes.clone()).unwrap();
        let mut chance = Chance::new(seed + 1000);
        let pattern = voronoi(&mut chance, 12, 1.5);
        let broken =
            fracture(&compound, &pattern, &Impact::at(DVec3::ZERO), &FractureOptions::default()).unwrap();
        assert_fracture_sound(&compound, &broken, 1e-9);
        for cell in pattern.cells() {
            let inside: Vec<Convex> = convexes
                .iter()
                .filter_map(|c| {
                    cell.convex
                        .faces()
                        .iter()
                        .try_fold(c.clone(), |c, f| c.clipped(&Halfspace::behind(f.plane)))
                })
                .filter(|c| c.volume() > 1e-9)
                .collect();
            if overlap_in_slivers(&inside) {
                continue;
            }
            let mut expected: Vec<f64> = parts(&inside)
                .iter()
                .map(|part| union_volume(&part.iter().map(|&i| inside[i].clone()).collect::<Vec<_>>()))
                .collect();
            let of_cell = broken.fragments.iter().filter(|f| f.colour == Some(cell.colour));
            let mut found: Vec<f64> =
                of_cell.map(|f| f.compound.mass().volume).filter(|&v| v > 1e-9).collect();
            expected.sort_by(f64::total_cmp);
            found.sort_by(f64::total_cmp);
            assert_eq!(found.len(), expected.len(), "seed {seed}: {name}: {found:?} instead of {expected:?}");
            for (found, expected) in found.iter().zip(&expected) {
                assert!(
                    (found - expected).abs() < 1e-9,
                    "seed {seed}: {name}: {found} instead of {expected}"
                );
            }
        }
    }
}

/// Hits the largest fragment some times. Returns the volume of all fragments, and what was dropped.
fn hits(seed: u64, compound: Compound, each: &mut dyn FnMut(&Compound, &Fracture)) -> (f64, f64) {
    let mut chance = Chance::new(seed + 2000);
    let mut compounds = vec![compound];
    let mut dropped = 0.0;
    for _ in 0..1 + seed % 5 {
        let volume = |c: &Compound| c.mass().volume;
        let largest =
            (0..compounds.len()).max_by(|&a, &b| volume(&compounds[a]).total_cmp(&volume(&compounds[b])));
        let target = compounds.swap_remove(largest.unwrap());
        let piece = &target.pieces()[chance.below(target.pieces().len())];
        let point = piece.convex().vertices()[chance.below(piece.convex().vertices().len())];
        let radius = if chance.below(3) == 0 { f64::INFINITY } else { chance.between(0.1, 0.6) };
        let impact = Impact { radius, direction: chance.direction(), ..Impact::at(point) };
        let broken =
            fracture(&target, &voronoi(&mut chance, 10, 0.7), &impact, &FractureOptions::default()).unwrap();
        each(&target, &broken);
        dropped += broken.report.dropped.volume;
        compounds.extend(broken.fragments.into_iter().map(|f| f.compound));
    }
    (compounds.iter().map(|c| c.mass().volume).sum(), dropped)
}

#[test]
fn any_number_of_hits_conserves_the_volume_of_the_union() {
    for seed in 0..400 {
        let (name, convexes) = overlapping(seed);
        let (after, dropped) =
            hits(seed, Compound::from_convexes(convexes.clone()).unwrap(), &mut |before, broken| {
                assert_fracture_sound(before, broken, 1e-9);
                assert_no_fragments_overlap(broken, &format!("seed {seed}: {name}"));
            });
        assert!(dropped.abs() < 1e-9, "seed {seed}: {name}: {dropped} dropped");
        assert_close(after + dropped, union_volume(&convexes), &format!("seed {seed}: {name}"));
    }
}

/// Fragments that stick in each other would fly apart.
fn assert_no_fragments_overlap(broken: &Fracture, what: &str) {
    let pieces = |f: usize| broken.fragments[f].compound.pieces().iter().filter(|p| !p.is_ghost());
    for i in 0..broken.fragments.len() {
        for j in 0..i {
            for (a, b) in pieces(i).flat_map(|a| pieces(j).map(move |b| (a, b))) {
                if a.bounds().overlaps(b.bounds()) {
                    let volume = common(a.convex(), b.convex());
                    assert!(volume < 1e-9, "{what}: fragments {i} and {j} have {volume} in common");
                }
            }
        }
    }
}

#[test]
fn overlaps_break_the_same_on_any_number_of_threads() {
    for seed in 0..16 {
        let (_, convexes) = overlapping(seed);
        let hashes = [1, 2].map(|threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let mut all = Vec::new();
            pool.install(|| {
                hits(seed, Compound::from_convexes(convexes.clone()).unwrap(), &mut |_, broken| {
                    all.push(hash_fracture(broken))
                })
            });
            all
        });
        assert_eq!(hashes[0], hashes[1], "seed {seed}");
    }
}

#[test]
fn a_budget_does_not_change_a_bit() {
    let parts = fixtures::temple().into_iter().map(skinned).collect();
    let temple = Compound::from_pieces(parts).unwrap();
    let pattern = voronoi(&mut Chance::new(1), 20, 0.8);
    let impact = Impact { radius: 0.8, ..Impact::at(DVec3::new(-0.9, 2.3, 0.9)) };
    let options = FractureOptions::default();
    let at_once = hash_fracture(&fracture(&temple, &pattern, &impact, &options).unwrap());
    let mut job = FractureJob::new(&temple, &pattern, &impact, &options).unwrap();
    while job.advance(Duration::ZERO) != Progress::Done {}
    assert_eq!(hash_fracture(&job.finish()), at_once);
}

#[test]
fn ghosts_are_not_drawn_and_hide_nothing() {
    let (a, b) = (boxed(DVec3::ZERO, DVec3::splat(0.5)), boxed(DVec3::splat(0.3), DVec3::splat(0.5)));
    let compound = Compound::from_convexes(vec![a, b]).unwrap();
    assert_eq!(compound.pieces().len(), 3);
    assert_eq!(compound.visible_mesh().faces.len(), 12);
    // Two that overlap cover half of a face twice: that is not all of it.
    let between = |min: [f64; 3], max: [f64; 3]| Convex::from_box(&Aabb::new(min.into(), max.into()));
    let wall = between([0.0, 0.0, 0.0], [1.0, 1.0, 1.0]);
    let shelves = [between([1.0, 0.0, 0.0], [2.0, 0.5, 1.0]), between([1.0, 0.0, 0.0], [3.0, 0.5, 1.0])];
    let compound = Compound::from_convexes([vec![wall], shelves.to_vec()].concat()).unwrap();
    assert_eq!(compound.visible_mesh().faces.len(), 6 + 5 + 5);
    // A row of three that overlap, cut in two by a plane: what is between its halves is hidden from the same colour only.
    let pattern = Pattern::from_points(&[-DVec3::X, DVec3::X], Aabb::cube(3.0)).unwrap();
    let at = |x: f64| boxed(DVec3::new(x, 0.0, 0.0), DVec3::new(0.5, 0.2, 0.2));
    let row = Compound::from_convexes(vec![at(-0.3), at(0.0), at(0.3)]).unwrap();
    let broken = fracture(&row, &pattern, &Impact::at(DVec3::ZERO), &FractureOptions::default()).unwrap();
    assert_eq!(broken.fragments.len(), 2);
    for fragment in &broken.fragments {
        let open: f64 = fragment.exposed.iter().map(|e| e.area).sum();
        assert!(open >= 0.16 - 1e-12, "{open} laid open");
        assert!(fragment.exposed.iter().all(|e| !fragment.compound.pieces()[e.piece as usize].is_ghost()));
    }
}

/// The area of convexes that can be seen from outside of all: that of thin sheets on their faces, as far as these are
/// outside.
fn outer_area(convexes: &[Convex]) -> f64 {
    const THIN: f64 = 1e-6;
    let mut area = 0.0;
    for convex in convexes {
        for (index, face) in convex.faces().iter().enumerate() {
            let points = convex.face_points(index).flat_map(|p| [p, p + face.plane.normal * THIN]);
            let Some(sheet) = Convex::hull(&points.collect::<Vec<_>>()) else { continue };
            let mut parts = vec![sheet];
            for other in convexes {
                parts = parts.iter().flat_map(|part| less(part, other)).collect();
            }
            area += parts.iter().map(Convex::volume).sum::<f64>() / THIN;
        }
    }
    area
}

/// Cut into cells of one colour, what is drawn is at least what can be seen and at most what was modelled; in cells of
/// two colours, what is laid open as well.
#[test]
fn what_can_be_seen_is_drawn_and_cuts_inside_are_hidden() {
    for seed in (0..160).filter(|seed| seed % 8 < 4) {
        let (name, convexes) = overlapping(seed);
        let compound = Compound::from_convexes(convexes.clone()).unwrap();
        // Bricks share planes: a face may be covered in part.
        let pattern = match seed % 3 {
            0 => voronoi(&mut Chance::new(seed), 10, 1.5),
            _ => PatternKind::Bricks.pattern(150, Aabb::cube(2.5), seed).unwrap(),
        };
        let broken = |colours: u32| {
            let pattern = pattern.clone().coloured(|cell| cell.colour % colours);
            let broken = fracture(&compound, &pattern, &Impact::at(DVec3::ZERO), &FractureOptions::default());
            broken.unwrap().fragments
        };
        let modelled = compound.visible_mesh().area();
        let drawn: f64 = broken(1).iter().map(|f| f.compound.visible_mesh().area()).sum();
        let seen = outer_area(&convexes);
        assert!(drawn > seen * (1.0 - 1e-4), "seed {seed}: {name}: {drawn} of {seen} drawn");
        assert!(drawn < modelled * (1.0 + 1e-6), "seed {seed}: {name}: {drawn} of {modelled} drawn");
        for fragment in broken(2) {
            let solid: Vec<Convex> = {
                let pieces = fragment.compound.pieces().iter().filter(|p| !p.is_ghost());
                pieces.map(|p| p.convex().clone()).collect()
            };
            let (drawn, seen) = (fragment.compound.visible_mesh().area(), outer_area(&solid));
            assert!(drawn > seen * (1.0 - 1e-4), "seed {seed}: {name}: {drawn} of {seen} drawn");
        }
    }
}

#[test]
fn too_many_overlaps_are_refused_and_many_copies_are_not() {
    let mut chance = Chance::new(7);
    let many: Vec<Convex> =
        (0..40).map(|_| boxed(chance.point() * 0.1, (chance.point() * 0.1 + 1.0) * 0.5)).collect();
    assert!(matches!(Compound::from_convexes(many), Err(CompoundError::TooManyOverlaps(_))));
    let one = boxed(DVec3::ZERO, DVec3::ONE);
    let copies = Compound::from_convexes(vec![one; 40]).unwrap();
    assert_eq!((copies.pieces().len(), copies.islands().len()), (79, 1));
    assert_close(copies.mass().volume, 8.0, "copies");
    let ghosts: Vec<Piece> = copies.pieces().iter().map(|p| Piece::clone(p)).collect();
    assert_eq!(Compound::from_pieces(ghosts).unwrap().pieces().len(), 79);
}

fn skinned(solid: Solid) -> Piece {
    Piece::surface(Fit::Dop26.around(&solid.mesh().positions), solid)
}

/// What the slabs of the temple cover, and the columns outside of them.
fn temple_volume(parts: &[Solid]) -> f64 {
    let (slabs, columns) = parts.split_at(4);
    let slabs: Vec<Convex> = slabs.iter().map(|s| Convex::hull(&s.mesh().positions).unwrap()).collect();
    let outside = |column: &Solid| column.volume() - union_volume_of_skin(column, &slabs);
    union_volume(&slabs) + columns.iter().map(outside).sum::<f64>()
}

/// Fluted columns do not fill their convexes; the slabs do.
#[test]
fn a_temple_has_the_volume_that_can_be_seen_and_keeps_it() {
    let parts = fixtures::temple();
    let expected = temple_volume(&parts);
    let temple = Compound::from_pieces(parts.into_iter().map(skinned).collect()).unwrap();
    assert_close(temple.mass().volume, expected, "temple");
    assert_eq!(temple.islands().len(), 1);
    for seed in 0..10 {
        let (after, dropped) = hits(seed, temple.clone(), &mut |before, broken| {
            assert_fracture_sound(before, broken, 1e-9);
        });
        assert_close(after + dropped, expected, &format!("temple, seed {seed}"));
    }
}

/// Pieces of a slab do not fill what is fitted around them, but are convex.
#[test]
fn solids_decomposed_apart_have_the_volume_of_their_union_and_keep_it() {
    let parts = fixtures::temple();
    let expected = temple_volume(&parts);
    let modelled: f64 = parts.iter().map(|part| part.mesh().area()).sum();
    let decompose = |solid: Solid| {
        let nodes = seeds::inside(&solid, 4, 1);
        Decomposition::new(solid, nodes, Fit::HULL).unwrap()
    };
    let temple = Assembly::new(parts.into_iter().map(decompose).collect()).unwrap();
    let temple = temple.compound();
    assert_close(temple.mass().volume, expected, "temple");
    assert_eq!(temple.islands().len(), 1);
    // No cut is drawn, though columns pass through those of the slabs.
    assert_close(temple.visible_mesh().area(), modelled, "area");
    for seed in 0..4 {
        let (after, dropped) = hits(seed, temple.clone(), &mut |before, broken| {
            assert_fracture_sound(before, broken, 1e-9);
        });
        assert_close(after + dropped, expected, &format!("temple, seed {seed}"));
    }
}

/// What a skin has in some convexes: inclusion and exclusion over all sets of them.
fn union_volume_of_skin(skin: &Solid, convexes: &[Convex]) -> f64 {
    let of_set = |set: u32| {
        let mut chosen = convexes.iter().enumerate().filter(|(i, _)| set >> i & 1 == 1).map(|(_, c)| c);
        let common = chosen.try_fold(skin.clone(), |solid, convex| solid.clipped_by(convex));
        let sign = if set.count_ones().is_multiple_of(2) { -1.0 } else { 1.0 };
        sign * common.map_or(0.0, |solid| solid.volume())
    };
    (1..1u32 << convexes.len()).map(of_set).sum()
}

#[test]
fn skins_that_fill_no_convex_keep_their_volume_and_hang_together() {
    for seed in 0..24 {
        let mut chance = Chance::new(seed);
        let blobs: Vec<Solid> = (0..2 + seed % 3)
            .map(|i| {
                let mut mesh = fixtures::spiky_blob(0.4, 0.9, 2, seed * 10 + i).into_mesh();
                mesh.transform(&DAffine3::from_translation(chance.point() * 0.4));
                Solid::new(mesh).unwrap()
            })
            .collect();
        let largest = blobs.iter().map(Solid::volume).fold(0.0, f64::max);
        let all: f64 = blobs.iter().map(Solid::volume).sum();
        let compound = Compound::from_pieces(blobs.into_iter().map(skinned).collect()).unwrap();
        let volume = compound.mass().volume;
        assert_eq!(compound.islands().len(), 1, "seed {seed}");
        assert!(volume > largest * 0.5 && volume < all, "seed {seed}: {volume} of {all}");
        let (after, dropped) = hits(seed, compound, &mut |before, broken| {
            assert_fracture_sound(before, broken, 1e-9);
        });
        assert_close(after + dropped, volume, &format!("blobs, seed {seed}"));
    }
}

#[test]
fn parts_of_one_solid_have_no_ghosts() {
    for (name, solid) in fixtures::all() {
        let volume = solid.volume();
        let compound = Compound::from_solid(solid, Fit::Dop26);
        let points: Vec<DVec3> = {
            let mut c = Chance::new(3);
            (0..9).map(|_| c.point()).collect()
        };
        let bounds = compound.bounds().grown(1.0);
        let pattern = Pattern::from_points(&points, bounds).unwrap();
        let broken =
            fracture(&compound, &pattern, &Impact::at(DVec3::ZERO), &FractureOptions::default()).unwrap();
        let pieces = broken.fragments.iter().flat_map(|f| f.compound.pieces());
        let again = Compound::from_pieces(pieces.map(|p| Piece::clone(p)).collect()).unwrap();
        assert!(again.pieces().iter().all(|p| !p.is_ghost()), "{name}");
        assert_close(again.mass().volume, volume, name);
    }
}
