//! What a fracture took apart, put together again after its parts have moved: a bent compound.
//!
//! Müller et al. 2013 name it as future work: let the pieces of a ductile body go as bodies of their own for a few steps, and re-assemble them.
//! Each part has its own rigid motion. A vertex that several parts share goes to the mean of where they take it, so that a dent is smooth
//! instead of shingled; so do normals. Skins keep their topology and stay closed; the convex of a piece that moved is the hull of its skin.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use glam::{DAffine3, DVec3, Vec3};
use smithereens_geometry::{Convex, Cut, Mesh, PlaneId, Side, Solid, Tolerance, UnionFind};

use crate::contact::Contacts;
use crate::{Bond, Bonds, Compound, Fragment, Piece, Pieces};

/// Where two fragments of one fracture touch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Seam {
    /// The two fragments: the one behind the plane, and the one in front of it.
    pub parts: [u32; 2],
    /// The piece of each.
    pub pieces: [u32; 2],
    /// The plane's identity.
    pub id: PlaneId,
    /// The area of the overlap.
    pub area: f64,
    /// The centroid of the overlap.
    pub centroid: DVec3,
}

/// A part of a bent compound: where its frame is in that of the whole. The map must be rigid.
#[derive(Clone, Copy, Debug)]
pub struct Moved<'a> {
    /// Its pieces and bonds.
    pub compound: &'a Compound,
    /// From its coordinates to those of the whole.
    pub map: DAffine3,
}

/// Where the fragments of a fracture touched each other before it.
///
/// ```
/// use smithereens::{seams, Aabb, Compound, Convex};
/// use glam::DVec3;
/// let brick = |x: f64| Convex::from_box(&Aabb::new(DVec3::new(x, 0.0, 0.0), DVec3::new(x + 1.0, 1.0, 1.0)));
/// let row = Compound::from_convexes(vec![brick(0.0), brick(1.0)])?;
/// let all: Vec<_> = row.bonds().iter().copied().collect();
/// let seams = seams(&row.split(&all));
/// assert_eq!((seams.len(), seams[0].parts), (1, [0, 1]));
/// # Ok::<(), smithereens::CompoundError>(())
/// ```
pub fn seams(fragments: &[Fragment]) -> Vec<Seam> {
    let mut bounds = smithereens_geometry::Aabb::EMPTY;
    let mut contacts = Contacts::default();
    let mut names: Vec<[u32; 2]> = Vec::new();
    for (part, fragment) in (0..).zip(fragments) {
        bounds = bounds.union(fragment.compound.bounds());
        let open: BTreeSet<(u32, Cut)> = fragment.exposed.iter().map(|own| (own.piece, own.cut)).collect();
        let mut pieces: Vec<u32> = open.iter().map(|(piece, _)| *piece).collect();
        pieces.dedup();
        for piece in pieces {
            let own = &fragment.compound.pieces[piece as usize];
            if !own.is_ghost() {
                contacts.add(names.len() as u32, 0, own, |cut| open.contains(&(piece, cut)));
                names.push([part, piece]);
            }
        }
    }
    let name = |index: u32| names[index as usize];
    let found = contacts.find_bonds(&Tolerance::for_box(&bounds), |a, b| name(a)[0] != name(b)[0]);
    let seam = |bond: &Bond| {
        let [a, b] = [name(bond.a), name(bond.b)];
        let Bond { id, area, centroid, .. } = *bond;
        Seam { parts: [a[0], b[0]], pieces: [a[1], b[1]], id, area, centroid }
    };
    found.iter().map(seam).collect()
}

impl Compound {
    /// Puts parts together that were fragments of one compound and have moved since, along the seams that still hold. Pieces of the first part
    /// come first, and those that did not move are shared with it. The area of a bond is as it was, but for how its faces were stretched.
    ///
    /// None: the skin of a piece is no solid any more, however it is moved.
    ///
    /// ```
    /// use smithereens::{seams, Aabb, Compound, Convex, Moved};
    /// use glam::{DAffine3, DVec3};
    /// let brick = |x: f64| Convex::from_box(&Aabb::new(DVec3::new(x, 0.0, 0.0), DVec3::new(x + 1.0, 0.2, 1.0)));
    /// let row = Compound::from_convexes(vec![brick(0.0), brick(1.0)])?;
    /// let all: Vec<_> = row.bonds().iter().copied().collect();
    /// let fragments = row.split(&all);
    /// let about = DVec3::new(1.0, 0.1, 0.5);
    /// let turn = DAffine3::from_translation(about) * DAffine3::from_rotation_z(0.3) * DAffine3::from_translation(-about);
    /// let parts = [(0, DAffine3::IDENTITY), (1, turn)].map(|(i, map)| Moved { compound: &fragments[i].compound, map });
    /// let bent = Compound::bent(&parts, &seams(&fragments)).unwrap();
    /// assert_eq!((bent.pieces().len(), bent.bonds().len(), bent.islands().len()), (2, 1, 1));
    /// assert!((bent.mass().volume - 0.4).abs() < 0.01 && bent.bounds().max.y > 0.4);
    /// # Ok::<(), smithereens::CompoundError>(())
    /// ```
    pub fn bent(parts: &[Moved], seams: &[Seam]) -> Option<Compound> {
        let bending = Bending::new(parts, seams);
        let mut bonds = bending.bonds(seams);
        let (mut pieces, is_changed) = bending.pieces()?;
        let next_plane = parts.iter().map(|part| part.compound.next_plane).max().unwrap_or(0);
        let next_plane = rename(&mut pieces, &is_changed, &mut bonds, next_plane);
        let pieces = pieces.into_iter().map(|(_, now)| now).collect();
        let mut compound = Compound::assemble(Pieces::new(pieces), Bonds::new(&bonds), next_plane);
        compound.in_one_part = compound.islands().len() == 1;
        Some(compound)
    }
}

/// A place, to within what rounding leaves open.
type Spot = [i64; 3];

/// Parts that move, and the places that they share.
struct Bending<'a> {
    parts: &'a [Moved<'a>],
    /// The first piece of each part.
    first: Vec<u32>,
    /// Parts that hold each other.
    joined: BTreeSet<(u32, u32)>,
    /// The parts at places that more than one has.
    shared: BTreeMap<Spot, Vec<u32>>,
    /// The size of a spot.
    grain: f64,
}

/// Of the extent of all parts.
const GRAIN: f64 = 1e-6;
/// A skin whose volume changes by more than this factor is not stretched: the piece is moved as it is.
const MOST_STRETCH: f64 = 1.5;

impl<'a> Bending<'a> {
    fn new(parts: &'a [Moved<'a>], seams: &[Seam]) -> Bending<'a> {
        let mut first = Vec::with_capacity(parts.len());
        let mut next = 0;
        for part in parts {
            first.push(next);
            next += part.compound.pieces.len() as u32;
        }
        let extent = parts.iter().map(|part| part.compound.bounds().extent()).fold(0.0, f64::max);
        let joined =
            seams.iter().flat_map(|s| [(s.parts[0], s.parts[1]), (s.parts[1], s.parts[0])]).collect();
        let mut bending =
            Bending { parts, first, joined, shared: BTreeMap::new(), grain: (extent * GRAIN).max(1e-12) };
        bending.share(seams);
        bending
    }

    fn spot(&self, point: DVec3) -> Spot {
        (point / self.grain).to_array().map(|x| x.round() as i64)
    }

    /// Lists the places of all pieces at seams.
    fn share(&mut self, seams: &[Seam]) {
        let at_seams: BTreeSet<(u32, u32)> =
            seams.iter().flat_map(|s| [(s.parts[0], s.pieces[0]), (s.parts[1], s.pieces[1])]).collect();
        for (part, piece) in at_seams {
            let piece = &self.parts[part as usize].compound.pieces[piece as usize];
            let points = piece.skin().map_or(piece.convex().vertices(), |skin| &skin.mesh().positions);
            for &point in points {
                let at = self.spot(point);
                let here = self.shared.entry(at).or_default();
                if here.last() != Some(&part) {
                    here.push(part);
                }
            }
        }
        self.shared.retain(|_, here| here.len() > 1);
    }

    /// The parts that a place of a part goes with: those that have it, as far as they hold each other there.
    fn holders(&self, part: u32, point: DVec3) -> Vec<u32> {
        let Some(here) = self.shared.get(&self.spot(point)) else { return vec![part] };
        let mut held = vec![part];
        let mut next = 0;
        while next < held.len() {
            let by = held[next];
            let more = here.iter().filter(|&&other| self.joined.contains(&(by, other)));
            let more: Vec<u32> = more.copied().filter(|other| !held.contains(other)).collect();
            held.extend(more);
            next += 1;
        }
        held.sort_unstable();
        held
    }

    fn map(&self, part: u32) -> &DAffine3 {
        &self.parts[part as usize].map
    }

    /// Where parts that hold each other take a place.
    fn place(&self, held: &[u32], point: DVec3) -> DVec3 {
        let sum: DVec3 = held.iter().map(|&part| self.map(part).transform_point3(point)).sum();
        sum / held.len() as f64
    }

    /// All pieces, each as it was and as it is now, and whether it is another.
    fn pieces(&self) -> Option<(Vec<Before>, Vec<bool>)> {
        let (mut pieces, mut is_changed) = (Vec::new(), Vec::new());
        for (part, moved) in (0..).zip(self.parts) {
            for piece in moved.compound.pieces() {
                let now = self.moved(part, piece)?;
                is_changed.push(now.is_some());
                pieces.push((piece.clone(), now.map_or_else(|| piece.clone(), Arc::new)));
            }
        }
        Some((pieces, is_changed))
    }

    /// A piece that moved. The outer none: it cannot; the inner one: it did not.
    fn moved(&self, part: u32, piece: &Piece) -> Option<Option<Piece>> {
        let mut mesh = piece.to_mesh();
        let held: Vec<Vec<u32>> = mesh.positions.iter().map(|&point| self.holders(part, point)).collect();
        let is_still = |held: &Vec<u32>| held.iter().all(|&part| *self.map(part) == DAffine3::IDENTITY);
        if held.iter().all(is_still) {
            return Some(None);
        }
        add_normals(&mut mesh);
        for corner in 0..mesh.corners.len() {
            let turned = |&part: &u32| self.map(part).matrix3 * mesh.normals[corner].as_dvec3();
            let normal: DVec3 = held[mesh.corners[corner] as usize].iter().map(turned).sum();
            mesh.normals[corner] = normal.as_vec3().normalize_or(mesh.normals[corner]);
        }
        for (point, held) in mesh.positions.iter_mut().zip(&held) {
            *point = self.place(held, *point);
        }
        let volume = piece.mass().volume.abs();
        let stretched = Solid::new(mesh).ok().filter(|solid| {
            let ratio = solid.volume() * piece.weight().abs() / volume;
            (1.0 / MOST_STRETCH..MOST_STRETCH).contains(&ratio)
        });
        let as_it_is = || {
            let mut mesh = piece.to_mesh();
            mesh.transform(self.map(part));
            Solid::new(mesh).ok()
        };
        let skin = stretched.or_else(as_it_is)?;
        let convex = Convex::hull(&skin.mesh().positions)?;
        let moved = Piece::surface(convex, skin);
        Some(Some(match piece.is_ghost() {
            true => moved.into_ghost(piece.layers(), piece.weight()),
            false => moved,
        }))
    }

    /// The bonds within parts, and those between them.
    fn bonds(&self, seams: &[Seam]) -> Vec<Bond> {
        let mut bonds = Vec::new();
        for (part, moved) in (0..).zip(self.parts) {
            let first = self.first[part as usize];
            bonds.extend(moved.compound.bonds().iter().map(|bond| Bond {
                a: bond.a + first,
                b: bond.b + first,
                centroid: self.map(part).transform_point3(bond.centroid),
                ..*bond
            }));
        }
        bonds.extend(seams.iter().map(|seam| {
            let [a, b] = [0, 1].map(|side| self.first[seam.parts[side] as usize] + seam.pieces[side]);
            let Seam { id, area, centroid, parts, .. } = *seam;
            Bond { a, b, id, area, centroid: self.place(&parts, centroid) }
        }));
        bonds
    }
}

/// A piece as it was, and as it is.
type Before = (Arc<Piece>, Arc<Piece>);

/// Interior pieces have no normals: they get those of their faces.
fn add_normals(mesh: &mut Mesh) {
    if mesh.has_normals() {
        return;
    }
    mesh.normals = vec![Vec3::ZERO; mesh.corners.len()];
    for face in 0..mesh.faces.len() {
        let normal = mesh.face_normal(face).as_vec3();
        mesh.face_corners(face).for_each(|corner| mesh.normals[corner] = normal);
    }
}

/// The faces of a piece that one cut made.
type Faces = (u32, Cut);

fn sides(bond: &Bond) -> [Faces; 2] {
    [(bond.a, Cut::new(bond.id, Side::Behind)), (bond.b, Cut::new(bond.id, Side::Front))]
}

/// Faces that were in one plane are no more: those that are bonded to each other get an identity of their own, where one of their pieces has
/// moved; faces of such pieces that nothing is bonded to get none. Returns the first identity that is unused.
fn rename(pieces: &mut [Before], is_changed: &[bool], bonds: &mut [Bond], mut next: u64) -> u64 {
    let mut number: BTreeMap<Faces, u32> = BTreeMap::new();
    for faces in bonds.iter().filter(|bond| !bond.is_overlap()).flat_map(sides) {
        let next = number.len() as u32;
        number.entry(faces).or_insert(next);
    }
    let mut sets = UnionFind::new(number.len());
    for bond in bonds.iter().filter(|bond| !bond.is_overlap()) {
        let [a, b] = sides(bond).map(|faces| number[&faces]);
        sets.join(a, b);
    }
    let moved = number.iter().filter(|((piece, _), _)| is_changed[*piece as usize]);
    let moved: BTreeSet<u32> = moved.map(|(_, &own)| sets.root(own)).collect();
    let mut fresh: BTreeMap<u32, PlaneId> = BTreeMap::new();
    for root in moved {
        fresh.insert(root, PlaneId::new(next));
        next += 1;
    }
    let mut names: BTreeMap<u32, BTreeMap<Cut, Cut>> = BTreeMap::new();
    for (&(piece, cut), &own) in &number {
        if let Some(&id) = fresh.get(&sets.root(own)) {
            names.entry(piece).or_default().insert(cut, Cut::new(id, cut.side()));
        }
    }
    let none = BTreeMap::new();
    for (index, (_, now)) in pieces.iter_mut().enumerate() {
        let own = names.get(&(index as u32)).unwrap_or(&none);
        if is_changed[index] || !own.is_empty() {
            Arc::make_mut(now).rename_cuts(own, is_changed[index]);
        }
    }
    for bond in bonds.iter_mut().filter(|bond| !bond.is_overlap()) {
        let [a, b] = sides(bond);
        let stretch = [a, b].map(|(piece, cut)| {
            let (then, now) = &pieces[piece as usize];
            let renamed = names.get(&piece).and_then(|own| own.get(&cut)).copied().unwrap_or(cut);
            stretch(then, cut, now, renamed)
        });
        bond.area *= stretch[0].max(stretch[1]);
        if let Some(&id) = fresh.get(&sets.root(number[&a])) {
            bond.id = id;
        }
    }
    next
}

/// How many times as large the faces of a cut are now.
fn stretch(then: &Arc<Piece>, cut: Cut, now: &Arc<Piece>, renamed: Cut) -> f64 {
    if Arc::ptr_eq(then, now) {
        return 1.0;
    }
    let area = |piece: &Piece, cut: Cut| -> f64 {
        let mesh = piece.to_mesh();
        let faces = (0..mesh.faces.len()).filter(|&face| mesh.faces[face].cut == Some(cut));
        faces.map(|face| mesh.face_area_vector(face).length()).sum()
    };
    let (then, now) = (area(then, cut), area(now, renamed));
    if then > 0.0 && now > 0.0 { now / then } else { 1.0 }
}
