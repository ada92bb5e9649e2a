//! Convex polyhedra: faces on planes that may carry the identity of a cut.

use glam::{DAffine3, DVec3};

use crate::mass::MassSum;
use crate::{Aabb, Cut, Mass, Mesh, Plane, PlaneId, Side, Slot};

/// One side of a plane: what a clip keeps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Halfspace {
    /// The plane in its canonical orientation.
    pub plane: Plane,
    /// The side that is kept.
    pub side: Side,
    /// The identity of the plane, if the faces it makes shall be known again.
    pub id: Option<PlaneId>,
}

impl Halfspace {
    /// What lies behind the plane, with no identity.
    pub fn behind(plane: Plane) -> Halfspace {
        Halfspace { plane, side: Side::Behind, id: None }
    }

    /// Whether the point is cut away.
    #[inline]
    pub fn excludes(&self, point: DVec3) -> bool {
        self.plane.side(point) != self.side
    }

    /// Distance beyond the plane: positive where points are cut away.
    #[inline]
    pub fn depth(&self, point: DVec3) -> f64 {
        match self.side {
            Side::Behind => self.plane.distance(point),
            Side::Front => -self.plane.distance(point),
        }
    }

    /// The plane with its normal pointing out of what is kept.
    pub fn outward(&self) -> Plane {
        match self.side {
            Side::Behind => self.plane,
            Side::Front => self.plane.flipped(),
        }
    }

    /// The mark this cut leaves on the faces it makes.
    pub fn cut(&self) -> Option<Cut> {
        self.id.map(|id| Cut::new(id, self.side))
    }

    /// The other side of the same plane.
    pub fn complement(&self) -> Halfspace {
        Halfspace { side: self.side.opposite(), ..*self }
    }
}

/// A face of a [`Convex`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ConvexFace {
    /// Its plane, normal pointing out.
    pub plane: Plane,
    /// The cut that made it; `None` for faces of a fit or of the user's.
    pub cut: Option<Cut>,
    pub(crate) end: u32,
}

impl ConvexFace {
    /// The half-space that the face bounds, in the orientation of the plane that cut it.
    pub fn halfspace(&self) -> Halfspace {
        match self.cut {
            Some(cut) if cut.side() == Side::Front => {
                Halfspace { plane: self.plane.flipped(), side: Side::Front, id: Some(cut.id()) }
            }
            cut => Halfspace { plane: self.plane, side: Side::Behind, id: cut.map(Cut::id) },
        }
    }
}

/// A convex polyhedron.
///
/// ```
/// use smithereens_geometry::{Aabb, Convex, Halfspace, Plane};
/// use glam::DVec3;
/// let cube = Convex::from_box(&Aabb::cube(1.0));
/// let half = cube.clipped(&Halfspace::behind(Plane::new(DVec3::X, 0.0))).unwrap();
/// assert!((half.volume() - 4.0).abs() < 1e-12);
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Convex {
    pub(crate) vertices: Vec<DVec3>,
    pub(crate) corners: Vec<u32>,
    pub(crate) faces: Vec<ConvexFace>,
}

impl Convex {
    /// The box as a convex, its faces in the order -x, +x, -y, +y, -z, +z.
    pub fn from_box(bounds: &Aabb) -> Convex {
        let loops: [[u32; 4]; 6] =
            [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
        let planes = [
            Plane::new(-DVec3::X, -bounds.min.x),
            Plane::new(DVec3::X, bounds.max.x),
            Plane::new(-DVec3::Y, -bounds.min.y),
            Plane::new(DVec3::Y, bounds.max.y),
            Plane::new(-DVec3::Z, -bounds.min.z),
            Plane::new(DVec3::Z, bounds.max.z),
        ];
        let mut convex = Convex { vertices: bounds.corners().to_vec(), ..Convex::default() };
        for (corners, plane) in loops.iter().zip(planes) {
            convex.push_face(corners, plane, None);
        }
        convex
    }

    /// A convex of faces as they are, out of a file say: planes, marks and corners counter-clockwise from outside; `None` if a face refers to a
    /// vertex that is not there, or has none.
    ///
    /// ```
    /// use smithereens_geometry::{Aabb, Convex};
    /// let cube = Convex::from_box(&Aabb::cube(1.0));
    /// let face = |i: usize| (cube.faces()[i].plane, cube.faces()[i].cut, cube.face_vertices(i).to_vec());
    /// let faces: Vec<_> = (0..6).map(face).collect();
    /// assert_eq!(Convex::from_faces(cube.vertices().to_vec(), &faces), Some(cube));
    /// ```
    pub fn from_faces(vertices: Vec<DVec3>, faces: &[(Plane, Option<Cut>, Vec<u32>)]) -> Option<Convex> {
        let mut convex = Convex { vertices, ..Convex::default() };
        for (plane, cut, corners) in faces {
            let is_sound =
                corners.len() >= 3 && corners.iter().all(|&v| (v as usize) < convex.vertices.len());
            if !is_sound {
                return None;
            }
            convex.push_face(corners, *plane, *cut);
        }
        (convex.faces.len() >= 4).then_some(convex)
    }

    /// The part of a box that all half-spaces keep; `None` if nothing is left.
    pub fn from_halfspaces(bounds: &Aabb, halfspaces: &[Halfspace]) -> Option<Convex> {
        halfspaces.iter().try_fold(Convex::from_box(bounds), |convex, h| convex.clipped(h))
    }

    /// Adds a face of the given vertices, counter-clockwise from outside.
    pub(crate) fn push_face(&mut self, corners: &[u32], plane: Plane, cut: Option<Cut>) {
        self.corners.extend_from_slice(corners);
        self.faces.push(ConvexFace { plane, cut, end: self.corners.len() as u32 });
    }

    /// Marks a face with the identity of its plane.
    pub fn mark(&mut self, face: usize, cut: Cut) {
        self.faces[face].cut = Some(cut);
    }

    /// Takes the identities of their planes off all faces but those that are wanted.
    pub fn retain_cuts(&mut self, wanted: impl Fn(Cut) -> bool) {
        self.faces.iter_mut().for_each(|face| face.cut = face.cut.filter(|&cut| wanted(cut)));
    }

    /// Gives faces other identities of their planes, or none.
    pub fn map_cuts(&mut self, name: impl Fn(Cut) -> Option<Cut>) {
        self.faces.iter_mut().for_each(|face| face.cut = face.cut.and_then(&name));
    }

    /// The vertices.
    pub fn vertices(&self) -> &[DVec3] {
        &self.vertices
    }

    /// The faces.
    pub fn faces(&self) -> &[ConvexFace] {
        &self.faces
    }

    /// The vertices of a face, counter-clockwise from outside.
    #[inline]
    pub fn face_vertices(&self, face: usize) -> &[u32] {
        let start = if face == 0 { 0 } else { self.faces[face - 1].end as usize };
        &self.corners[start..self.faces[face].end as usize]
    }

    /// The positions of a face's vertices.
    pub fn face_points(&self, face: usize) -> impl Iterator<Item = DVec3> + Clone {
        self.face_vertices(face).iter().map(|&v| self.vertices[v as usize])
    }

    /// The area of a face.
    pub fn face_area(&self, face: usize) -> f64 {
        let mut points = self.face_points(face);
        let (Some(first), Some(mut previous)) = (points.next(), points.next()) else { return 0.0 };
        let mut sum = DVec3::ZERO;
        for point in points {
            sum += (previous - first).cross(point - first);
            previous = point;
        }
        sum.length() * 0.5
    }

    /// The volume.
    pub fn volume(&self) -> f64 {
        let origin = self.vertices.first().copied().unwrap_or_default();
        let mut volume6 = 0.0;
        for face in 0..self.faces.len() {
            let mut points = self.face_points(face).map(|p| p - origin);
            let (Some(first), Some(mut previous)) = (points.next(), points.next()) else { continue };
            for point in points {
                volume6 += first.dot(previous.cross(point));
                previous = point;
            }
        }
        volume6 / 6.0
    }

    /// Volume, centre and inertia.
    pub fn mass(&self) -> Mass {
        self.mass_sum().finish()
    }

    fn mass_sum(&self) -> MassSum {
        let mut sum = MassSum::about(self.vertices.first().copied().unwrap_or_default());
        for face in 0..self.faces.len() {
            sum.add_polygon(self.face_points(face));
        }
        sum
    }

    /// The mean of the vertices: a point inside.
    pub fn middle(&self) -> DVec3 {
        self.vertices.iter().sum::<DVec3>() / self.vertices.len().max(1) as f64
    }

    /// The box around it.
    pub fn bounds(&self) -> Aabb {
        Aabb::of_points(self.vertices.iter().copied())
    }

    /// The vertex farthest in a direction.
    pub fn support(&self, direction: DVec3) -> DVec3 {
        let mut best = (f64::NEG_INFINITY, DVec3::ZERO);
        for &vertex in &self.vertices {
            let reach = vertex.dot(direction);
            if reach > best.0 {
                best = (reach, vertex);
            }
        }
        best.1
    }

    /// How far outside the farthest of its planes a point is: at most zero inside, and never more
    /// than the point's true distance.
    pub fn depth(&self, point: DVec3) -> f64 {
        self.faces.iter().map(|f| f.plane.distance(point)).fold(f64::NEG_INFINITY, f64::max)
    }

    /// Whether the point is inside or on the boundary.
    pub fn contains(&self, point: DVec3) -> bool {
        self.depth(point) <= 0.0
    }

    /// The image under an affine map that keeps it convex; `None` if the map is singular.
    pub fn transformed(&self, map: &DAffine3) -> Option<Convex> {
        let mut convex = self.clone();
        for vertex in &mut convex.vertices {
            *vertex = map.transform_point3(*vertex);
        }
        let normals = map.matrix3.inverse().transpose();
        for face in &mut convex.faces {
            face.plane = face.plane.transformed_with(map, &normals)?;
        }
        if map.matrix3.determinant() < 0.0 {
            let mut start = 0;
            for face in &convex.faces {
                convex.corners[start..face.end as usize].reverse();
                start = face.end as usize;
            }
        }
        Some(convex)
    }

    /// Its faces as a mesh in one material slot, with the faces' marks.
    pub fn to_mesh(&self, slot: Slot) -> Mesh {
        let mut mesh = Mesh { positions: self.vertices.clone(), ..Mesh::default() };
        for (index, face) in self.faces.iter().enumerate() {
            mesh.corners.extend_from_slice(self.face_vertices(index));
            mesh.end_loop();
            mesh.end_face(slot, face.cut);
        }
        mesh
    }

    /// Heap memory in bytes.
    pub fn heap_bytes(&self) -> usize {
        self.vertices.capacity() * size_of::<DVec3>()
            + self.corners.capacity() * size_of::<u32>()
            + self.faces.capacity() * size_of::<ConvexFace>()
    }
}
