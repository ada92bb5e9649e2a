//! A convex, and the part of the solid inside it.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::OnceLock;

use smithereens_geometry::{
    Aabb, Convex, Cut, Frame, Mass, Mesh, Outline, Part, Plane, Slot, Solid, Tolerance,
};

/// A convex, and the part of the solid inside it, its *skin*; or none: then it is interior, wholly
/// filled.
///
/// Where pieces overlap there are *ghosts*: pieces that stand for what several have in common. They are cut and move
/// with the others, are never drawn, and count with their sign, so that nothing counts twice.
#[derive(Clone, Debug)]
pub struct Piece {
    convex: Convex,
    skin: Option<Solid>,
    mass: Mass,
    bounds: Aabb,
    layers: u32,
    weight: f64,
    /// The area of all faces that each cut made, in order; measured when it is asked for.
    cut_areas: OnceLock<Vec<(Cut, f64)>>,
}

impl Piece {
    /// A piece that fills its convex.
    pub fn interior(convex: Convex) -> Piece {
        let (mass, bounds) = (convex.mass(), convex.bounds());
        Piece { convex, skin: None, mass, bounds, layers: 1, weight: 1.0, cut_areas: OnceLock::new() }
    }

    /// A piece with a skin. The convex must enclose it.
    pub fn surface(convex: Convex, skin: Solid) -> Piece {
        let (mass, bounds) = (skin.mass(), convex.bounds());
        let cut_areas = OnceLock::new();
        Piece { convex, skin: Some(skin), mass, bounds, layers: 1, weight: 1.0, cut_areas }
    }

    /// The piece as a ghost of so many layers, whose mass counts so much.
    pub(crate) fn into_ghost(mut self, layers: u32, weight: f64) -> Piece {
        self.mass = self.mass.times(weight);
        Piece { layers, weight, ..self }
    }

    /// A piece that was cut from another: of a ghost, a ghost.
    pub(crate) fn cut_from(self, other: &Piece, tolerance: &Tolerance) -> Piece {
        match other.is_ghost() {
            true => self.bared(tolerance).into_ghost(other.layers, other.weight),
            false => self,
        }
    }

    /// What becomes a ghost is not drawn: a skin that fills its convex says nothing more than that, and is slower to cut.
    pub(crate) fn bared(self, tolerance: &Tolerance) -> Piece {
        match self.fills_convex(tolerance) {
            true => Piece { skin: None, cut_areas: OnceLock::new(), ..self },
            false => self,
        }
    }

    /// How many pieces have this in common: one for a piece itself, more for a ghost.
    pub fn layers(&self) -> u32 {
        self.layers
    }

    /// Whether it only stands for what several pieces have in common. A ghost is not drawn.
    pub fn is_ghost(&self) -> bool {
        self.layers > 1
    }

    /// How much its mass counts: minus one for what two pieces have in common, as both count it; plus one for what
    /// three have, and so on. Less where the overlap of skins is only known by its share of the ghost.
    pub fn weight(&self) -> f64 {
        self.weight
    }

    /// Takes the identities of their planes off all faces but those that are wanted.
    pub(crate) fn retain_cuts(&mut self, wanted: impl Fn(Cut) -> bool) {
        self.cut_areas.take();
        self.convex.retain_cuts(&wanted);
        if let Some(skin) = &mut self.skin {
            skin.retain_cuts(wanted);
        }
    }

    /// Gives faces other identities. Those without one keep theirs, unless they are to lose it.
    pub(crate) fn rename_cuts(&mut self, names: &BTreeMap<Cut, Cut>, lose_others: bool) {
        self.cut_areas.take();
        let renamed = |cut: Cut| names.get(&cut).copied().or((!lose_others).then_some(cut));
        self.convex.map_cuts(renamed);
        if let Some(skin) = &mut self.skin {
            skin.map_cuts(renamed);
        }
    }

    /// Marks a face of the convex, and the faces of the skin that lie in it.
    pub(crate) fn mark(&mut self, face: usize, cut: Cut, tolerance: &Tolerance) {
        self.cut_areas.take();
        let plane = self.convex.faces()[face].plane;
        self.convex.mark(face, cut);
        let Some(skin) = &mut self.skin else { return };
        skin.mark(cut, |mesh, face| {
            let mut corners = mesh.corners[mesh.face_corners(face)].iter();
            corners.all(|&v| plane.distance(mesh.positions[v as usize]).abs() <= tolerance.length())
        });
    }

    /// The convex that moves, collides and breaks.
    pub fn convex(&self) -> &Convex {
        &self.convex
    }

    /// What is drawn, unless the piece is interior.
    pub fn skin(&self) -> Option<&Solid> {
        self.skin.as_ref()
    }

    /// Whether the piece fills its convex.
    pub fn is_interior(&self) -> bool {
        self.skin.is_none()
    }

    /// Whether its skin, if it has one, leaves no room in its convex.
    pub(crate) fn fills_convex(&self, tolerance: &Tolerance) -> bool {
        let Some(skin) = &self.skin else { return true };
        let volume = self.convex.volume();
        volume - skin.volume() <= tolerance.volume().max(volume * Tolerance::RELATIVE)
    }

    /// Volume, centre and inertia of what is solid in it, at a density of one; times its [weight](Piece::weight).
    pub fn mass(&self) -> &Mass {
        &self.mass
    }

    /// The box around the convex.
    pub fn bounds(&self) -> &Aabb {
        &self.bounds
    }

    /// What is drawn: the skin, or the convex with faces in the interior slot.
    pub fn to_mesh(&self) -> Mesh {
        self.mesh().into_owned()
    }

    /// The same, borrowed where there is a skin.
    pub(crate) fn mesh(&self) -> Cow<'_, Mesh> {
        match &self.skin {
            Some(skin) => Cow::Borrowed(skin.mesh()),
            None => Cow::Owned(self.convex.to_mesh(Slot::INTERIOR)),
        }
    }

    /// Lists the faces that cuts made, as the mark and the index of the face, as far as they are wanted.
    pub(crate) fn list_cut_faces(&self, wanted: impl Fn(Cut) -> bool, into: &mut Vec<(Cut, u32)>) {
        let listed = |(cut, face): (Option<Cut>, u32)| Some((cut.filter(|&cut| wanted(cut))?, face));
        match &self.skin {
            Some(skin) => into.extend(skin.mesh().faces.iter().map(|f| f.cut).zip(0..).filter_map(listed)),
            None => into.extend(self.convex.faces().iter().map(|f| f.cut).zip(0..).filter_map(listed)),
        }
    }

    /// The cut that made each face of what is drawn.
    pub(crate) fn cuts(&self) -> impl Iterator<Item = Option<Cut>> {
        let of_convex = if self.is_interior() { self.convex.faces() } else { &[] };
        let of_skin = self.skin.iter().flat_map(|skin| &skin.mesh().faces);
        of_skin.map(|face| face.cut).chain(of_convex.iter().map(|face| face.cut))
    }

    /// The area of all faces that each cut made, in order of cuts: those of a piece are measured once, however many compounds have it.
    pub(crate) fn cut_areas(&self) -> &[(Cut, f64)] {
        self.cut_areas.get_or_init(|| {
            let mesh = self.mesh();
            let area = |face: usize| mesh.face_area_vector(face).length() * 0.5;
            let faces = mesh.faces.iter().enumerate();
            summed(faces.filter_map(|(index, face)| Some((face.cut?, area(index)))).collect())
        })
    }

    /// The outline of some of its faces in a plane.
    pub(crate) fn outline(&self, faces: &[u32], frame: Frame) -> Outline {
        match &self.skin {
            Some(skin) => Outline::of_mesh_faces(skin.mesh(), faces.iter().map(|&f| f as usize), frame),
            None => Outline::of_convex_face(&self.convex, faces[0] as usize, frame),
        }
    }

    /// Whether what is solid in it lies in the convex of another piece. Faces of that which its own box is clear of need not be asked
    /// about each point.
    pub(crate) fn lies_in(&self, other: &Piece, tolerance: &Tolerance) -> bool {
        let points = self.skin.as_ref().map_or(self.convex.vertices(), |skin| &skin.mesh().positions);
        let is_behind = |plane: &Plane| {
            plane.range(&self.bounds)[1] <= 0.0
                || points.iter().all(|&point| plane.distance(point) <= tolerance.length())
        };
        other.convex.faces().iter().all(|face| is_behind(&face.plane))
    }

    /// Heap memory in bytes.
    pub fn heap_bytes(&self) -> usize {
        self.convex.heap_bytes() + self.skin.as_ref().map_or(0, |s| s.mesh().heap_bytes())
    }
}

/// The sums of what has the same key, in order of keys.
pub(crate) fn summed<K: Copy + Ord>(mut areas: Vec<(K, f64)>) -> Vec<(K, f64)> {
    areas.sort_by_key(|(key, _)| *key);
    let sum = |of_key: &[(K, f64)]| (of_key[0].0, of_key.iter().map(|(_, area)| area).sum());
    areas.chunk_by(|x, y| x.0 == y.0).map(sum).collect()
}

impl From<Part> for Piece {
    fn from(part: Part) -> Piece {
        Piece::surface(part.convex, part.solid)
    }
}
