//! What pieces collide as keeps out of other pieces, and leaves little of its own out.

use smithereens::{Compound, Convex, Solid};
use smithereens_modes::{Brittle, BrittleOptions};
use smithereens_testing::{fixtures, subjects};

/// Of the body's volume: what convexes of different pieces have in common, and what of the pieces pokes out of its convex.
#[derive(Clone, Copy, Debug)]
struct Fit {
    overlap: f64,
    poke: f64,
    worst_poke: f64,
}

fn fit(brittle: &Brittle, convex_of: impl Fn(usize) -> Convex) -> Fit {
    let Brittle { compound, weakness, .. } = brittle;
    let pieces = compound.pieces();
    let convexes: Vec<Convex> = (0..pieces.len()).map(convex_of).collect();
    let of: Vec<u32> = pieces.iter().map(|piece| weakness.piece_of(piece)).collect();
    let mut overlap = 0.0;
    for b in 0..pieces.len() {
        for a in (0..b).filter(|&a| of[a] != of[b]) {
            overlap += common(&convexes[a], &convexes[b]);
        }
    }
    let (mut poke, mut worst_poke) = (0.0, 0.0f64);
    for (piece, convex) in pieces.iter().zip(&convexes) {
        let Some(skin) = piece.skin() else { continue };
        let out = skin.volume() - skin.clipped_by(convex).map_or(0.0, |kept: Solid| kept.volume());
        poke += out;
        worst_poke = worst_poke.max(out / skin.volume());
    }
    let whole = compound.mass().volume;
    Fit { overlap: overlap / whole, poke: poke / whole, worst_poke }
}

fn common(a: &Convex, b: &Convex) -> f64 {
    if !a.bounds().overlaps(&b.bounds()) {
        return 0.0;
    }
    let faces: Vec<_> = b.faces().iter().map(|face| face.halfspace()).collect();
    faces.iter().try_fold(a.clone(), |rest, face| rest.clipped(face)).map_or(0.0, |shared| shared.volume())
}

/// As they are cut and drawn, and as they collide.
fn before_and_after(brittle: &Brittle) -> [Fit; 2] {
    let piece = |index: usize| brittle.compound.pieces()[index].clone();
    [
        fit(brittle, |index| piece(index).convex().clone()),
        fit(brittle, |index| brittle.weakness.collider(&piece(index))),
    ]
}

fn tell(name: &str, brittle: &Brittle) -> [Fit; 2] {
    let [before, after] = before_and_after(brittle);
    let compound: &Compound = &brittle.compound;
    println!(
        "| {name} | {} | {:.2} | {:.3} | {:.2} | {:.1} |",
        compound.pieces().len(),
        before.overlap * 100.0,
        after.overlap * 100.0,
        after.poke * 100.0,
        after.worst_poke * 100.0
    );
    [before, after]
}

#[test]
fn colliders_keep_out_of_other_pieces() {
    let subjects: Vec<(String, Solid)> = match subjects::watertight() {
        all if !cfg!(debug_assertions) => all.into_iter().map(|s| (s.name, s.solid)).collect(),
        _ => vec![("cup".into(), fixtures::cup(40)), ("dumbbell".into(), fixtures::dumbbell(40))],
    };
    for (name, solid) in subjects {
        let brittle = Brittle::of(&solid, &BrittleOptions::default()).expect("a solid has modes");
        let [before, after] = tell(&name, &brittle);
        assert!(before.poke.abs() < 1e-9, "{name}: convexes enclose their pieces: {before:?}");
        assert!(
            after.overlap < 1e-3 && after.poke < 0.12 && after.worst_poke < 0.6,
            "{name}: {after:?}, before {before:?}"
        );
    }
}
