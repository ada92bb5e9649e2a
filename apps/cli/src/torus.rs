//! A torus of stone: a ring of wedges that hold together, smooth on the outside (Müller et al. 2013, figures 3 and 4).

use std::f64::consts::TAU;

use glam::DVec3;
use smithereens::{
    Aabb, Compound, CompoundError, Convex, Fit, Halfspace, Mesh, Piece, Plane, Slot, Solid, Tolerance,
    Trimmer,
};

/// The radius of the ring.
const RING: f64 = 1.0;
/// The radius of the tube.
pub const TUBE: f64 = 0.36;
const WEDGES: usize = 12;
/// Rings of vertices in a wedge, beside the first.
const STEPS: usize = 8;
/// Vertices about the tube.
const SIDES: usize = 64;

/// The torus about the y axis as a compound of wedges.
pub fn compound() -> Result<Compound, CompoundError> {
    let pieces = (0..WEDGES).map(wedge).collect::<Result<Vec<_>, _>>()?;
    Compound::from_pieces(pieces)
}

/// A vertex on the tube, and the direction out of it.
fn on_tube(ring: usize, side: usize) -> (DVec3, DVec3) {
    let turns = (ring % (WEDGES * STEPS)) as f64 / (WEDGES * STEPS) as f64;
    surface(turns, side as f64 / SIDES as f64)
}

/// A point of the ideal torus and the direction out of it there: angles about the ring and about the tube, in turns.
pub fn surface(around: f64, about: f64) -> (DVec3, DVec3) {
    let (sine, cosine) = libm::sincos(TAU * around);
    let out = DVec3::new(cosine, 0.0, sine);
    let (up, away) = libm::sincos(TAU * about);
    let normal = out * away + DVec3::Y * up;
    (out * RING + normal * TUBE, normal)
}

/// The plane of the cut at a ring of vertices, normal along the way around.
fn cut(ring: usize) -> Plane {
    let (sine, cosine) = libm::sincos(TAU * (ring % (WEDGES * STEPS)) as f64 / (WEDGES * STEPS) as f64);
    Plane::new(DVec3::new(-sine, 0.0, cosine), 0.0)
}

fn wedge(index: usize) -> Result<Piece, CompoundError> {
    let (first, last) = (index * STEPS, (index + 1) * STEPS);
    let mut mesh = tube(first, STEPS);
    cap(&mut mesh, 0, -cut(first).normal, true);
    cap(&mut mesh, STEPS, cut(last).normal, false);
    let solid = Solid::new(mesh).map_err(|error| CompoundError::NoSolid { piece: index, error })?;
    let bounds = Aabb::cube(2.0 * (RING + TUBE));
    let sides = [Halfspace::behind(cut(first).flipped()), Halfspace::behind(cut(last))];
    let convex = Convex::from_halfspaces(&bounds, &sides).ok_or(CompoundError::NoVolume(index))?;
    let tolerance = Tolerance::for_box(&bounds);
    let points = &solid.mesh().positions;
    let mut trimmer = Trimmer::default();
    trimmer.start(&convex, points[0]);
    Fit::Dop26.tighten(&mut trimmer, points, &tolerance);
    Ok(Piece::surface(trimmer.finish(), solid))
}

/// The tube from ring `first` on, `steps` rings long.
fn tube(first: usize, steps: usize) -> Mesh {
    let mut mesh = Mesh::default();
    for ring in first..=first + steps {
        mesh.positions.extend((0..SIDES).map(|side| on_tube(ring, side).0));
    }
    for step in 0..steps {
        for side in 0..SIDES {
            let next = (side + 1) % SIDES;
            // Two triangles: the four corners of a patch do not lie in a plane.
            for corners in [
                [(step, side), (step, next), (step + 1, next)],
                [(step, side), (step + 1, next), (step + 1, side)],
            ] {
                for (step, side) in corners {
                    mesh.corners.push((step * SIDES + side) as u32);
                    mesh.normals.push(on_tube(first + step, side).1.as_vec3());
                }
                mesh.end_loop();
                mesh.end_face(Slot(0), None);
            }
        }
    }
    mesh
}

fn cap(mesh: &mut Mesh, step: usize, normal: DVec3, reversed: bool) {
    let corners: Vec<u32> = (0..SIDES).map(|side| (step * SIDES + side) as u32).collect();
    match reversed {
        true => mesh.corners.extend(corners.iter().rev()),
        false => mesh.corners.extend(&corners),
    }
    mesh.normals.extend([normal.as_vec3(); SIDES]);
    mesh.end_loop();
    mesh.end_face(Slot::INTERIOR, None);
}

/// The whole surface.
pub fn mesh() -> Mesh {
    let mut mesh = tube(0, WEDGES * STEPS);
    mesh.weld();
    mesh
}

/// How far outside the ideal torus a point is.
#[cfg(test)]
pub fn distance(point: DVec3) -> f64 {
    let around = point.x.hypot(point.z) - RING;
    around.hypot(point.y) - TUBE
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wedges_make_a_ring() {
        let torus = compound().unwrap();
        assert_eq!((torus.pieces().len(), torus.bonds().len()), (WEDGES, WEDGES));
        let volume = 0.5 * TAU * TAU * RING * TUBE * TUBE;
        assert!((torus.mass().volume / volume - 1.0).abs() < 0.01, "{}", torus.mass().volume);
        assert!(torus.bonds().iter().all(|b| (b.area - 0.5 * TAU * TUBE * TUBE).abs() < 0.01));
        assert_eq!(mesh().normals.first().map(|n| n.is_normalized()), Some(true));
    }
}
