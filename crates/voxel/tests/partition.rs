//! What a fracture must keep: every voxel is in one piece, copies are where cells of others reach, exactly, and pieces are what hangs together.

use std::collections::{BTreeMap, BTreeSet};

use glam::DVec3;
use smithereens_testing::chance::Chance;
use smithereens_voxel::{
    Error, Fracture, FractureOptions, Grid, Islands, Kind, Octree, Payload, Seeds, fracture, morton,
};

type At = [u32; 3];

/// A grid with voxels of side 1 at the origin.
fn grid(level: u32) -> Grid {
    Grid::new(level, DVec3::ZERO, f64::from(1 << level)).unwrap()
}

/// Balls and boxes here and there, some of them hollow.
fn blobs(chance: &mut Chance, level: u32) -> Octree {
    let size = f64::from(1 << level);
    let count = 1 + chance.below(6);
    let blobs: Vec<(DVec3, f64, f64, bool)> = (0..count)
        .map(|_| {
            let middle = (chance.point() + 1.0) * (0.5 * size);
            let radius = chance.between(0.08, 0.4) * size;
            let hollow = if chance.below(3) == 0 { radius * chance.between(0.3, 0.8) } else { 0.0 };
            (middle, radius, hollow, chance.below(2) == 0)
        })
        .collect();
    let is_in = |at: At| {
        let point = DVec3::from_array(at.map(|x| f64::from(x) + 0.5));
        blobs.iter().any(|&(middle, radius, hollow, is_box)| {
            let by = (point - middle).abs();
            let distance = if is_box { by.max_element() } else { by.length() };
            distance < radius && distance >= hollow
        })
    };
    of_solid_voxels(level, is_in)
}

fn of_solid_voxels(level: u32, is_in: impl Fn(At) -> bool) -> Octree {
    let n = 1_u32 << level;
    let all = (0..n * n * n).map(|i| [i % n, i / n % n, i / n / n]);
    let mut codes: Vec<u64> = all.filter(|&at| is_in(at)).map(morton).collect();
    codes.sort_unstable();
    let voxels: Vec<_> =
        codes.into_iter().map(|code| (code, Payload::new([9, 8, 7, 255], DVec3::X))).collect();
    Octree::of_voxels(grid(level), &voxels).unwrap()
}

/// Points at sixteenths of voxels, so that cells are exactly what the oracle thinks.
fn seeds(chance: &mut Chance, level: u32, count: usize, even: bool) -> Vec<DVec3> {
    let steps = if even { 1 } else { 16 };
    let mut places = BTreeSet::new();
    while places.len() < count {
        places.insert([0; 3].map(|_| chance.below((1 << level) * steps + 1)));
    }
    let mut places: Vec<_> = places.into_iter().collect();
    for i in (1..places.len()).rev() {
        places.swap(i, chance.below(i + 1));
    }
    places.into_iter().map(|p| DVec3::from_array(p.map(|x| x as f64 / steps as f64))).collect()
}

/// n · x ≤ d, all whole.
type Half = ([i128; 3], i128);

/// Whether half-spaces that enclose a bounded room leave any of it: if they do, one of its corners is where three of their planes meet.
fn leave_room(halves: &[Half]) -> bool {
    let cross = |a: [i128; 3], b: [i128; 3]| {
        [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
    };
    let dot = |a: [i128; 3], b: [i128; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    for (k, c) in halves.iter().enumerate() {
        for (j, b) in halves[..k].iter().enumerate() {
            for a in &halves[..j] {
                let (bc, ca, ab) = (cross(b.0, c.0), cross(c.0, a.0), cross(a.0, b.0));
                let det = dot(a.0, bc);
                if det == 0 {
                    continue;
                }
                let corner: [i128; 3] = std::array::from_fn(|i| a.1 * bc[i] + b.1 * ca[i] + c.1 * ab[i]);
                let holds = |(n, d): &Half| (dot(*n, corner) - d * det) * det.signum() <= 0;
                if halves.iter().all(holds) {
                    return true;
                }
            }
        }
    }
    false
}

/// What a plain program says: which cells a voxel meets, and in which its middle is.
fn oracle(points: &[DVec3], at: At) -> (Vec<usize>, usize) {
    let points: Vec<[i128; 3]> = points.iter().map(|p| (*p * 16.0).to_array().map(|x| x as i128)).collect();
    let low = at.map(|x| i128::from(x) * 16);
    let mut cube: Vec<Half> = Vec::new();
    for (axis, &least) in low.iter().enumerate() {
        let unit: [i128; 3] = std::array::from_fn(|i| i128::from(i == axis));
        cube.push((unit, least + 16));
        cube.push((unit.map(|x| -x), -least));
    }
    let square = |p: [i128; 3]| p.iter().map(|x| x * x).sum::<i128>();
    let middle = low.map(|x| x + 8);
    let distance = |seed: usize| square(std::array::from_fn(|i| points[seed][i] - middle[i]));
    let owner = (0..points.len()).min_by_key(|&seed| (distance(seed), seed)).unwrap();
    let meets = |&seed: &usize| {
        let mut halves = cube.clone();
        for (other, point) in points.iter().enumerate().filter(|(other, _)| *other != seed) {
            let slope: [i128; 3] = std::array::from_fn(|i| 2 * (point[i] - points[seed][i]));
            let half = (slope, square(*point) - square(points[seed]));
            // Most planes pass the voxel by: of those that do not, few are left to try.
            let reach: i128 = slope.iter().map(|x| 8 * x.abs()).sum();
            let value = (0..3).map(|i| slope[i] * middle[i]).sum::<i128>() - half.1;
            if value > reach {
                return false;
            }
            if value >= -reach && other != seed {
                halves.push(half);
            }
        }
        leave_room(&halves)
    };
    ((0..points.len()).filter(meets).collect(), owner)
}

/// All voxels of a fracture: by object, where, what and whether owned.
fn by_object(broken: &Fracture) -> BTreeMap<u32, BTreeMap<At, (Kind, bool)>> {
    let mut all: BTreeMap<u32, BTreeMap<At, (Kind, bool)>> = BTreeMap::new();
    for piece in &broken.pieces {
        for voxel in piece.octree.voxels() {
            let known = all.entry(piece.object).or_default().insert(voxel.at, (voxel.kind, voxel.owned));
            assert_eq!(known, None, "{:?} is in two pieces of object {}", voxel.at, piece.object);
        }
    }
    all
}

fn check(octree: &Octree, points: &[DVec3], objects: Option<&[u32]>) -> Fracture {
    let mut seeds = Seeds::new(points.to_vec()).unwrap();
    if let Some(objects) = objects {
        seeds = seeds.with_objects(objects);
    }
    let broken = fracture(octree, &seeds, &FractureOptions::default()).unwrap();
    let found = by_object(&broken);
    let mut voxels = 0;
    let mut copies = 0;
    for voxel in octree.voxels() {
        let (cells, owner) = oracle(points, voxel.at);
        let object = |seed: &usize| seeds.objects()[*seed];
        let objects: BTreeSet<u32> = cells.iter().map(object).collect();
        for &id in &objects {
            let kind = if objects.len() > 1 { Kind::Boundary } else { voxel.kind };
            let expected = (kind, id == object(&owner) && voxel.owned);
            let got = found.get(&id).and_then(|voxels| voxels.get(&voxel.at));
            assert_eq!(got, Some(&expected), "{:?}, which meets {cells:?}, in object {id}", voxel.at);
        }
        voxels += 1;
        copies += objects.len() - 1;
    }
    let made: usize = found.values().map(BTreeMap::len).sum();
    assert_eq!(made, voxels + copies, "voxels that should not be there");
    let owned: u64 = broken.pieces.iter().map(|piece| piece.octree.voxel_count()).sum();
    assert_eq!(owned, octree.voxel_count());
    check_kinds(&broken);
    broken
}

/// Nodes of all levels are what their voxels are.
fn check_kinds(broken: &Fracture) {
    for piece in broken.pieces.iter().take(3) {
        let octree = &piece.octree;
        let level = octree.grid().level();
        let fine = |at: At| octree.kind(level, at);
        let known: BTreeMap<At, Kind> = octree.voxels().map(|voxel| (voxel.at, voxel.kind)).collect();
        let n = 1_u32 << level;
        for i in 0..n * n * n {
            let at = [i % n, i / n % n, i / n / n];
            assert_eq!(fine(at), known.get(&at).copied().unwrap_or(Kind::Empty));
            assert_eq!(octree.payload(at).is_some(), fine(at) == Kind::Boundary);
        }
        for above in 0..level {
            for i in 0..1_u32 << (3 * above) {
                let m = 1_u32 << above;
                let at = [i % m, i / m % m, i / m / m];
                let child =
                    |q: u32| octree.kind(above + 1, [0, 1, 2].map(|k| at[k as usize] * 2 + (q >> k & 1)));
                let children: BTreeSet<u8> = (0..8).map(|q| child(q) as u8).collect();
                let expected = match children.len() {
                    1 => child(0),
                    _ => Kind::Boundary,
                };
                assert_eq!(octree.kind(above, at), expected, "{above} {at:?}");
            }
        }
    }
}

#[test]
fn cells_are_exactly_what_a_plain_program_finds() {
    let mut chance = Chance::new(11);
    for case in 0..30 {
        let level = [3, 4, 4][case % 3];
        let octree = blobs(&mut chance, level);
        let count = 2 + chance.below(12);
        // Every third case has seeds at the corners of voxels: planes through corners, and ties.
        let points = seeds(&mut chance, level, count, case % 3 == 0);
        check(&octree, &points, None);
    }
}

#[test]
fn cells_of_one_object_have_no_surface_between_them() {
    let mut chance = Chance::new(12);
    for case in 0..30 {
        let level = [3, 4][case % 2];
        let octree = blobs(&mut chance, level);
        let points = seeds(&mut chance, level, 3 + case % 9, case % 3 == 0);
        let objects: Vec<u32> = points.iter().map(|_| chance.below(3) as u32).collect();
        check(&octree, &points, Some(&objects));
    }
}

#[test]
fn pieces_break_again() {
    let mut chance = Chance::new(13);
    for _ in 0..6 {
        let octree = blobs(&mut chance, 4);
        let points = seeds(&mut chance, 4, 4, false);
        let broken = check(&octree, &points, None);
        for piece in &broken.pieces {
            let points = seeds(&mut chance, 4, 4, false);
            check(&piece.octree, &points, None);
            check(&piece.octree, &points, Some(&[0, 1, 1, 0]));
        }
    }
}

/// The components of voxels at 26-connectivity: for each the least of its members, by a plain flood.
fn flood(voxels: &BTreeSet<At>) -> Vec<BTreeSet<At>> {
    let mut rest = voxels.clone();
    let mut parts = Vec::new();
    while let Some(&first) = rest.first() {
        rest.remove(&first);
        let (mut part, mut queue) = (BTreeSet::from([first]), vec![first]);
        while let Some(at) = queue.pop() {
            for d in 0..27 {
                let by = [d % 3, d / 3 % 3, d / 9];
                let near = [0, 1, 2].map(|k| (at[k] + by[k]).wrapping_sub(1));
                if rest.remove(&near) {
                    part.insert(near);
                    queue.push(near);
                }
            }
        }
        parts.push(part);
    }
    parts
}

#[test]
fn islands_are_what_a_plain_flood_finds() {
    let mut chance = Chance::new(14);
    let (mut several, mut hollow) = (0, 0);
    for case in 0..1000 {
        let level = [2, 3, 4, 5][case % 4];
        let octree = if case % 5 == 0 {
            // Dust: a brick may hold many parts.
            let share = chance.between(0.02, 0.3);
            let bits: Vec<bool> = (0..1 << (3 * level)).map(|_| chance.unit() < share).collect();
            of_solid_voxels(level, |[x, y, z]| bits[(((z << level | y) << level) | x) as usize])
        } else {
            blobs(&mut chance, level)
        };
        let count = 1 + chance.below(6);
        let points = seeds(&mut chance, level, count, false);
        let objects: Vec<u32> = points.iter().map(|_| chance.below(4) as u32).collect();
        let seeds = Seeds::new(points).unwrap();
        let seeds = if case % 2 == 0 { seeds } else { seeds.with_objects(&objects) };
        let broken = fracture(&octree, &seeds, &FractureOptions::default()).unwrap();
        for (object, voxels) in by_object(&broken) {
            let expected: BTreeSet<BTreeSet<At>> = flood(&voxels.into_keys().collect()).into_iter().collect();
            let pieces = broken.pieces.iter().filter(|piece| piece.object == object);
            let found: BTreeSet<BTreeSet<At>> =
                pieces.map(|piece| piece.octree.voxels().map(|voxel| voxel.at).collect()).collect();
            assert_eq!(found, expected, "case {case}, object {object}");
            several += usize::from(found.len() > 1);
        }
        hollow += usize::from(broken.pieces.len() == 1 && octree.internal_count() > 0);
    }
    assert!(several > 100 && hollow > 5, "{several} {hollow}");
}

#[test]
fn islands_at_a_coarser_level_are_those_of_coarser_voxels() {
    let mut chance = Chance::new(15);
    let mut fewer = 0;
    for case in 0..120 {
        let level = [3, 4, 5][case % 3];
        let share = chance.between(0.01, 0.1);
        let bits: Vec<bool> = (0..1 << (3 * level)).map(|_| chance.unit() < share).collect();
        let octree = of_solid_voxels(level, |[x, y, z]| bits[(((z << level | y) << level) | x) as usize]);
        let seeds = Seeds::new(seeds(&mut chance, level, 3, false)).unwrap();
        let finest = fracture(&octree, &seeds, &FractureOptions::default()).unwrap();
        for coarse in 0..=level {
            let options = FractureOptions { islands: Islands::Level(coarse) };
            let broken = fracture(&octree, &seeds, &options).unwrap();
            let by = level - coarse;
            let mut expected = 0;
            for (_, voxels) in by_object(&broken) {
                expected += flood(&voxels.into_keys().map(|at| at.map(|x| x >> by)).collect()).len();
            }
            assert_eq!(broken.pieces.len(), expected, "case {case}, level {coarse} of {level}");
            fewer += usize::from(expected < finest.pieces.len());
        }
    }
    assert!(fewer > 100, "{fewer}");
}

#[test]
fn a_hollow_ball_is_one_piece_and_its_shell_breaks() {
    let n = 32.0;
    let ball = Octree::of_field(
        grid(5),
        |p| ((p - n / 2.0).length() - 12.0).max(7.0 - (p - n / 2.0).length()),
        [1; 4],
    )
    .unwrap();
    assert_eq!(ball.kind(5, [16, 16, 16]), Kind::Empty);
    let whole = check(&ball, &[DVec3::splat(3.0)], None);
    assert_eq!(whole.pieces.len(), 1);
    let halves = check(&ball, &[DVec3::new(8.0, 16.0, 16.0), DVec3::new(24.0, 16.0, 16.0)], None);
    assert_eq!(halves.pieces.len(), 2);
}

#[test]
fn what_has_no_meaning_is_refused() {
    let ball = Octree::of_field(grid(4), |p| (p - 8.0).length() - 5.0, [1; 4]).unwrap();
    let at = |point: DVec3| {
        Seeds::new(vec![point]).map(|seeds| fracture(&ball, &seeds, &FractureOptions::default()))
    };
    assert!(matches!(at(DVec3::NAN), Err(Error::Seed { index: 0, .. })));
    assert!(matches!(at(DVec3::X * 1e9), Ok(Err(Error::Far { index: 0, .. }))));
    assert!(matches!(Seeds::new(Vec::new()), Err(Error::NoSeeds)));
    let seeds = Seeds::new(vec![DVec3::splat(8.0); 3]).unwrap();
    let same = fracture(&ball, &seeds, &FractureOptions::default()).unwrap();
    assert_eq!(same.pieces.len(), 1, "seeds at one place are one");
    let options = FractureOptions { islands: Islands::Level(5) };
    assert!(matches!(fracture(&ball, &seeds, &options), Err(Error::Option { name: "level", .. })));
    let empty = Octree::of_voxels(grid(4), &[]).unwrap();
    assert!(fracture(&empty, &seeds, &FractureOptions::default()).unwrap().pieces.is_empty());
}
