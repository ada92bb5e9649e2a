//! The sweep of Figure 12 (Sellán et al. 2022, Section 3.7): what ω does to a mode when strain is not left out.

use glam::DVec2;
use smithereens_modes::{Cell, CellGraph, Face, Mode, Modes, Options, Search, fracture_modes};

mod exploded;
use exploded::energy::{Exploded, Strain};
use exploded::mesh::{Mesh, bone};
use exploded::mode::{mode, sweep};
use exploded::spectrum::{lower_count, spectrum};

const ELASTIC: Strain = Strain::Elastic { poisson: 0.3 };
/// Far on either side of the swap, which is between 0.1 and 1.
const VIBRATES: f64 = 100.0;
const BREAKS: f64 = 1e-5;

fn decades() -> impl Iterator<Item = f64> {
    (-5..=2).map(|power| libm::pow(10.0, f64::from(power)))
}

fn motions(motion: &[f64]) -> impl Iterator<Item = DVec2> {
    motion.chunks_exact(2).map(DVec2::from_slice)
}

fn largest(all: impl Iterator<Item = DVec2>) -> f64 {
    all.fold(0.0, |most, vector| most.max(vector.length()))
}

/// The corners of each fragment, and how they move.
fn corners_of_fragments(exploded: &Exploded, motion: &[f64], fragments: &[u32]) -> Vec<Vec<[DVec2; 2]>> {
    let mut all = vec![Vec::new(); 1 + fragments.iter().max().copied().unwrap_or(0) as usize];
    let places = (0..fragments.len()).flat_map(|f| exploded.mesh.corners(f));
    for (corner, pair) in places.zip(motions(motion)).enumerate() {
        all[fragments[corner / 3] as usize].push([pair.0, pair.1]);
    }
    all
}

fn mean(all: impl ExactSizeIterator<Item = DVec2>) -> DVec2 {
    let count = all.len() as f64;
    all.sum::<DVec2>() / count
}

/// How far corners are from moving by one translation and, if it may turn, one linearised rotation.
fn misfit(corners: &[[DVec2; 2]], turns: bool) -> f64 {
    let centre = mean(corners.iter().map(|c| c[0]));
    let shift = mean(corners.iter().map(|c| c[1]));
    let arms: Vec<[DVec2; 2]> = corners.iter().map(|[at, by]| [(*at - centre).perp(), *by - shift]).collect();
    let turn = arms.iter().map(|[arm, by]| arm.dot(*by)).sum::<f64>()
        / arms.iter().map(|[arm, _]| arm.length_squared()).sum::<f64>();
    largest(arms.iter().map(|[arm, by]| *by - *arm * if turns { turn } else { 0.0 }))
}

#[test]
fn energies_are_as_by_hand() {
    let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-12, "{a} is not {b}");
    let elastic = Exploded::new(bone(), ELASTIC);
    let area: f64 = (0..elastic.mesh.triangles.len()).map(|f| elastic.mesh.area(f)).sum();
    // Pulled by a tension of one, which makes it narrower; then sheared, of which the modulus is 1 / 2.6.
    close(elastic.strain_energy(&elastic.motion(|p| DVec2::new(p.x, -0.3 * p.y))), 0.5 * area);
    close(elastic.strain_energy(&elastic.motion(|p| DVec2::new(p.y, p.x))), 2.0 / 2.6 * area);
    close(elastic.norm(&elastic.motion(|_| DVec2::Y)), area.sqrt());
    // Two halves of a square of size one. The second opens along the diagonal, from nothing to one: ∫ t² is a third of its length.
    let points = vec![DVec2::ZERO, DVec2::X, DVec2::ONE, DVec2::Y];
    let square = Exploded::new(Mesh::new(points, vec![[0, 1, 2], [0, 2, 3]]), Strain::Gradient);
    let mut motion = square.motion(|p| DVec2::Y * p.x);
    motion[..6].fill(0.0);
    close(square.discontinuity(&motion), (2.0_f64.sqrt() / 3.0).sqrt());
    close(square.strain_energy(&motion), 0.25);
}

#[test]
fn a_large_omega_leaves_the_vibration_mode() {
    for strain in [ELASTIC, Strain::Gradient] {
        let exploded = Exploded::new(bone(), strain);
        let free = exploded.free_motions();
        let value = spectrum(&exploded, 1).values[0];
        // No eigenvalue lies between those of free motions and this one.
        assert_eq!(lower_count(&exploded, value * (1.0 - 1e-6)), free.len(), "{strain:?}");
        assert!(lower_count(&exploded, value * (1.0 + 1e-6)) > free.len(), "{strain:?}");
        // From a parabola and a stretch, not from the eigenvector: the programme has to find it.
        let mut heading = exploded.motion(|point| DVec2::new(0.3 * point.x, point.x * point.x));
        exploded.part_from(&free, &mut heading);
        let mode = mode(&exploded, VIBRATES, &free, &heading);
        assert!(mode.converged && mode.turns > 1, "{strain:?}: {} turns", mode.turns);
        assert!(mode.discontinuity < 1e-9, "{strain:?}: {}", mode.discontinuity);
        let wrong = mode.energy() / (0.5 * value) - 1.0;
        assert!(wrong.abs() < 1e-8, "{strain:?}: ½λ is {}, but for {wrong}", 0.5 * value);
        assert!(mode.fragments(&exploded).iter().all(|&fragment| fragment == 0), "{strain:?}");
    }
}

#[test]
fn the_swap_is_sharp() {
    for strain in [ELASTIC, Strain::Gradient] {
        let modes = sweep(&Exploded::new(bone(), strain), decades());
        let shares: Vec<f64> = modes.iter().map(exploded::mode::Mode::share).collect();
        assert!(modes.iter().all(|mode| mode.converged), "{strain:?}");
        let first = shares.iter().position(|&share| share > 0.5).expect("some vibrate");
        // A decade below most is discontinuity; from here on all is strain.
        assert!(first > 0 && shares[first - 1] < 0.3, "{strain:?}: {shares:?}");
        assert!(shares[first..].iter().all(|&share| share > 1.0 - 1e-7), "{strain:?}: {shares:?}");
        // Below, jumps cost ω and strain ω²: the share of strain falls tenfold a decade.
        for pair in shares[..first].windows(2) {
            assert!((7.0..15.0).contains(&(pair[1] / pair[0])), "{strain:?}: {shares:?}");
        }
        assert!(shares[0] < 3e-5, "{strain:?}: {shares:?}");
    }
}

#[test]
fn fragments_move_as_strain_leaves_them_free() {
    for strain in [ELASTIC, Strain::Gradient] {
        let exploded = Exploded::new(bone(), strain);
        let mode = sweep(&exploded, [BREAKS].into_iter()).remove(0);
        let fragments = corners_of_fragments(&exploded, &mode.motion, &mode.fragments(&exploded));
        let most = largest(motions(&mode.motion));
        assert_eq!(fragments.len(), 2, "{strain:?}");
        for corners in &fragments {
            assert!(corners.len() > 100, "{strain:?}: a chip");
            let turns = strain == ELASTIC;
            assert!(misfit(corners, turns) < 1e-4 * most, "{strain:?}: {}", misfit(corners, turns) / most);
            // Elastic fragments do turn: translations alone do not fit.
            assert!(!turns || misfit(corners, false) > 0.3 * most);
        }
    }
}

#[test]
fn only_what_strain_leaves_free_matters() {
    let [a, b] = [0.3, 0.0].map(|poisson| Exploded::new(bone(), Strain::Elastic { poisson }));
    let find = |omega: f64| [&a, &b].map(|exploded| sweep(exploded, [omega].into_iter()).remove(0));
    let [vibrates, other] = find(VIBRATES).map(|mode| mode.energy());
    assert!((vibrates / other - 1.0).abs() > 0.03, "materials that differ: {vibrates} and {other}");
    let [breaks, other] = find(BREAKS);
    assert_eq!(breaks.fragments(&a), other.fragments(&b));
    assert!((breaks.energy() / other.energy() - 1.0).abs() < 1e-4);
}

/// Triangles as cells. A jump costs the root of an edge's length, as in Equation 5, or its length, as in the library.
fn graph(exploded: &Exploded, power: f64) -> CellGraph {
    let mesh = &exploded.mesh;
    let cell = |f: usize| {
        let centre = mean(mesh.corners(f).into_iter());
        Cell { volume: mesh.area(f), centre: centre.extend(0.0) }
    };
    let cells: Vec<Cell> = (0..mesh.triangles.len()).map(cell).collect();
    let ends = |edge: &[usize; 2]| edge.map(|triangle| triangle as u32);
    let faces = mesh
        .edges
        .iter()
        .map(|edge| Face::between(&cells, ends(&edge.triangles), libm::pow(edge.length, power)));
    let faces = faces.collect();
    CellGraph::new(cells, faces).expect("sound triangles")
}

fn modes_of(graph: &CellGraph) -> Modes {
    let options = Options { count: 3, search: Search::Exact, sliver: 0.0, ..Options::default() };
    fracture_modes(graph, &options).expect("modes")
}

#[test]
fn without_strain_it_is_the_first_mode_of_the_graph() {
    let exploded = Exploded::new(bone(), Strain::Gradient);
    let mode = sweep(&exploded, [BREAKS].into_iter()).remove(0);
    let fragments = mode.fragments(&exploded);
    let ours = &modes_of(&graph(&exploded, 0.5)).scalar[0];
    assert_eq!(fragments, ours.pieces.of_cells());
    let wrong = mode.discontinuity / ours.energy - 1.0;
    assert!(wrong.abs() < 1e-4, "energies are {} and {}", mode.discontinuity, ours.energy);
    // It is that scalar mode times a direction: the vector problem decouples.
    let scalar = |corner: usize| ours.of_cell(corner as u32 / 3).expect("a cell");
    let direction = motions(&mode.motion).next().expect("corners") / scalar(0);
    assert!((direction.length() - 1.0).abs() < 1e-4, "{direction}");
    let apart = motions(&mode.motion).enumerate().map(|(corner, by)| by - direction * scalar(corner));
    assert!(largest(apart) < 1e-4 * largest(motions(&mode.motion)));
    // On this shape the library's own weights, lengths without the root, break it at the same edges.
    assert_eq!(fragments, modes_of(&graph(&exploded, 1.0)).scalar[0].pieces.of_cells());
}

/// A scalar mode of cells as a motion of corners along an axis.
fn along(exploded: &Exploded, mode: &Mode, axis: DVec2) -> Vec<f64> {
    let corners = 0..3 * exploded.mesh.triangles.len() as u32;
    corners.flat_map(|corner| (axis * mode.of_cell(corner / 3).expect("a cell")).to_array()).collect()
}

#[test]
fn modes_of_the_graph_stay_when_strain_is_allowed() {
    let exploded = Exploded::new(bone(), Strain::Gradient);
    let mut locked = exploded.free_motions();
    for (i, ours) in modes_of(&graph(&exploded, 0.5)).scalar.iter().enumerate() {
        let found = mode(&exploded, BREAKS, &locked, &along(&exploded, ours, DVec2::Y));
        assert_eq!(found.fragments(&exploded), ours.pieces.of_cells(), "mode {i}");
        let wrong = found.discontinuity / ours.energy - 1.0;
        assert!(wrong.abs() < 1e-4, "mode {i}: {} and {}", found.discontinuity, ours.energy);
        locked.extend([DVec2::X, DVec2::Y].map(|axis| along(&exploded, ours, axis)));
    }
}
