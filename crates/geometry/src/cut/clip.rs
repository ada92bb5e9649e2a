//! Clipping a solid by one plane, or by the planes of a convex one after the other.
//!
//! One bit a vertex decides which faces stay, go or are cut; the chords of the cut faces, turned
//! around, bound the cap. A chord ends where its face's edge is cut, and the face across that edge
//! starts its own chord there: so the result is closed for any bits.

use crate::{Convex, Halfspace, Mesh, Solid};

use super::build::PieceBuilder;
use super::face::{Sides, is_out};

impl Solid {
    /// The part that the half-space keeps; `None` if nothing is left. Its cut faces are in the
    /// interior slot and carry the half-space's mark.
    ///
    /// ```
    /// use smithereens_geometry::{Aabb, Convex, Halfspace, Plane, Slot, Solid};
    /// use glam::DVec3;
    /// let cube = Solid::new(Convex::from_box(&Aabb::cube(1.0)).to_mesh(Slot(0)))?;
    /// let half = cube.clipped(&Halfspace::behind(Plane::new(DVec3::Y, 0.5))).unwrap();
    /// assert!((half.volume() - 6.0).abs() < 1e-12);
    /// # Ok::<(), smithereens_geometry::SolidError>(())
    /// ```
    pub fn clipped(&self, halfspace: &Halfspace) -> Option<Solid> {
        let mesh = self.mesh();
        let distance: Vec<f64> = mesh.positions.iter().map(|&p| halfspace.plane.distance(p)).collect();
        let out: Vec<bool> = distance.iter().map(|&d| is_out(halfspace.side, d)).collect();
        if out.iter().all(|&o| !o) {
            return Some(self.clone());
        }
        if out.iter().all(|&o| o) {
            return None;
        }
        clip_mesh(mesh, halfspace, &distance, &out)
    }

    /// Both parts: what the half-space keeps, and what it cuts away.
    pub fn split(&self, halfspace: &Halfspace) -> (Option<Solid>, Option<Solid>) {
        (self.clipped(halfspace), self.clipped(&halfspace.complement()))
    }

    /// The part inside a convex; `None` if nothing is. Plane by plane: slow for large meshes, where
    /// [`crate::Carver`] does the same for all cells of a partition at once.
    pub fn clipped_by(&self, convex: &Convex) -> Option<Solid> {
        let mut faces = convex.faces().iter().map(|f| f.halfspace());
        let first = self.clipped(&faces.next()?)?;
        faces.try_fold(first, |solid, halfspace| solid.clipped(&halfspace))
    }
}

fn clip_mesh(mesh: &Mesh, halfspace: &Halfspace, distance: &[f64], out: &[bool]) -> Option<Solid> {
    let mut builder = PieceBuilder::default();
    builder.begin(mesh);
    let (mut corner_out, mut corner_distance) = (Vec::new(), Vec::new());
    for face in 0..mesh.faces.len() {
        let corners = &mesh.corners[mesh.face_corners(face)];
        let lost = corners.iter().filter(|&&v| out[v as usize]).count();
        if lost == 0 {
            builder.add_whole_faces(mesh, face..face + 1);
        } else if lost < corners.len() {
            corner_out.clear();
            corner_out.extend(corners.iter().map(|&v| out[v as usize]));
            corner_distance.clear();
            corner_distance.extend(corners.iter().map(|&v| distance[v as usize]));
            let sides = Sides { halfspace, label: 0, out: &corner_out, distance: &corner_distance };
            builder.clipper.load(mesh, face);
            builder.clipper.clip(sides, || mesh.face_normal(face));
            builder.add_clipped_face(mesh, face);
        }
    }
    let edges = std::mem::take(&mut builder.cap_edges);
    if !edges.is_empty() {
        builder.cap(&edges, &halfspace.outward(), halfspace.cut());
    }
    (!builder.mesh.faces.is_empty()).then(|| Solid::from_closed(builder.mesh, false))
}
