//! The questions that an inspection asks, one after the other.

use glam::DVec3;
use smithereens_geometry::{Aabb, Mesh, Solid};

use super::crossing::crossing_pairs;
use super::{Finding, Hole, Inspection, NAMED, SHELLS_THROUGH, SHELLS_WITHIN, Verdict};
use crate::clean::{by_vertices, drop_collapsed, is_collapsed};
use crate::orient::{outermost, volume};
use crate::soup::Soup;
use crate::twins::{self, NONE, Parts, ends, same_ends, sorted_edges};
use crate::weld::weld_equal;
use crate::winding_tree::WindingTree;
use crate::{holes, lists};

/// Takes findings down.
#[derive(Default)]
struct Notes(Vec<Finding>);

impl Notes {
    fn add<T>(&mut self, name: &'static str, culprits: &[T], words: impl Fn(&T) -> String) {
        if !culprits.is_empty() {
            let first = culprits.iter().take(NAMED).map(words).collect();
            self.0.push(Finding { name, count: culprits.len(), first });
        }
    }
}

pub(super) fn survey(mesh: &Mesh) -> Inspection {
    let mut notes = Notes::default();
    if let Some(problem) = lists::problem(mesh) {
        notes.add("lists that do not fit", &[problem], String::clone);
        return nothing(mesh, notes);
    }
    look_at_vertices(mesh, &mut notes);
    let mut soup = Soup::of(mesh).0;
    let apart = weld_equal(&mut soup);
    if apart > 0 {
        let name = "vertices at the place of another";
        notes.0.push(Finding { name, count: apart, first: Vec::new() });
    }
    look_at_faces(&mut soup, &mut notes);
    if soup.triangles.is_empty() || soup.area() <= 0.0 {
        return nothing(mesh, notes);
    }
    look_at_edges(&soup, &mut notes);
    let (twins, _) = twins::pair(&soup);
    let parts = twins::parts(&soup, &twins);
    let holes = find_holes(&soup, &twins, &mut notes);
    look_at_fans(&soup, &twins, &mut notes);
    let is_closed = twins.iter().all(|t| *t != NONE);
    if is_closed {
        look_at_shells(&soup, &parts, &mut notes);
    }
    let overlaps_before = notes.0.len();
    let is_partial = look_at_crossings(&soup, &parts, &mut notes);
    let overlaps = notes.0.len() > overlaps_before || notes.0.iter().any(|f| f.name == SHELLS_WITHIN);
    let error = Solid::new(mesh.clone()).err();
    Inspection {
        faces: mesh.faces.len(),
        triangles: mesh.triangle_count(),
        vertices: mesh.positions.len(),
        parts: parts.triangles.len(),
        is_closed,
        area: soup.area(),
        volume: is_closed
            .then(|| (0..parts.triangles.len()).map(|p| volume(&soup, &parts.triangles[p])).sum()),
        bounds: soup.bounds(),
        holes,
        verdict: match (&error, overlaps) {
            (Some(_), _) => Verdict::Broken,
            (None, true) => Verdict::Usable,
            (None, false) => Verdict::Sound,
        },
        findings: notes.0,
        is_partial,
        error,
    }
}

fn nothing(mesh: &Mesh, notes: Notes) -> Inspection {
    Inspection {
        faces: mesh.faces.len(),
        triangles: 0,
        vertices: mesh.positions.len(),
        parts: 0,
        is_closed: false,
        area: 0.0,
        volume: None,
        bounds: Aabb::EMPTY,
        holes: Vec::new(),
        findings: notes.0,
        is_partial: false,
        error: None,
        verdict: Verdict::Hopeless,
    }
}

fn look_at_vertices(mesh: &Mesh, notes: &mut Notes) {
    let mut used = vec![false; mesh.positions.len()];
    let mut missing = Vec::new();
    for face in 0..mesh.faces.len() {
        for &vertex in &mesh.corners[mesh.face_corners(face)] {
            match used.get_mut(vertex as usize) {
                Some(mark) => *mark = true,
                None => missing.push((face, vertex)),
            }
        }
    }
    let bad: Vec<usize> = (0..used.len()).filter(|&v| !mesh.positions[v].is_finite()).collect();
    let lone: Vec<usize> = (0..used.len()).filter(|&v| !used[v]).collect();
    notes.add("vertices that are not finite", &bad, |&v| format!("vertex {v} is at {}", mesh.positions[v]));
    notes.add("corners without a vertex", &missing, |(f, v)| format!("face {f} refers to vertex {v}"));
    notes.add("vertices on no face", &lone, |v| format!("vertex {v}"));
}

/// Names faces without area and faces there twice; those that use a vertex twice are dropped: they hide the rest.
fn look_at_faces(soup: &mut Soup, notes: &mut Notes) {
    let flat: Vec<usize> = (0..soup.triangles.len())
        .filter(|&t| is_collapsed(soup.triangles[t].vertices) || soup.area_vector(t).length_squared() == 0.0)
        .collect();
    notes.add("faces without area", &flat, |&t| format!("face {}", soup.triangles[t].face));
    drop_collapsed(soup);
    let face = |t: u32| soup.triangles[t as usize].face;
    let sorted = by_vertices(soup);
    let copies: Vec<(u32, u32)> = sorted
        .chunk_by(|a, b| a.0 == b.0)
        .flat_map(|group| group[1..].iter().map(|copy| (copy.1, group[0].1)))
        .collect();
    notes.add("faces there twice", &copies, |&(a, b)| format!("face {} lies on face {}", face(a), face(b)));
}

fn look_at_edges(soup: &Soup, notes: &mut Notes) {
    let edges = sorted_edges(soup);
    let (mut crowded, mut turned) = (Vec::new(), Vec::new());
    for group in edges.chunk_by(same_ends) {
        match group {
            [a, b] if a.upward == b.upward => turned.push((a.edge, b.edge)),
            [_] | [_, _] => {}
            group => crowded.push((group[0].low, group[0].high, group.len())),
        }
    }
    notes
        .add("edges of more than two faces", &crowded, |(a, b, n)| format!("edge {a}–{b} borders {n} faces"));
    notes.add("faces wound against their neighbours", &turned, |&(a, b)| {
        let face = |e: u32| soup.triangles[e as usize / 3].face;
        let (low, high) = ends(soup, a);
        format!("faces {} and {} at edge {low}–{high}", face(a), face(b))
    });
}

fn find_holes(soup: &Soup, twins: &[u32], notes: &mut Notes) -> Vec<Hole> {
    let hole = |edges: Vec<u32>| Hole {
        edges: edges.len(),
        length: holes::length(soup, &edges),
        vertex: ends(soup, edges[0]).0,
    };
    let mut found: Vec<Hole> = holes::loops(soup, twins).into_iter().map(hole).collect();
    found.sort_by(|a, b| b.length.total_cmp(&a.length).then(a.vertex.cmp(&b.vertex)));
    notes.add("holes", &found, |h| {
        format!("{} edges, {:.4} around, at vertex {}", h.edges, h.length, h.vertex)
    });
    found
}

/// Vertices where several sheets touch.
fn look_at_fans(soup: &Soup, twins: &[u32], notes: &mut Notes) {
    let mut split = soup.clone();
    split.separate_fans(twins);
    let corners = soup.triangles.iter().flat_map(|t| t.vertices);
    let fans = split.triangles.iter().flat_map(|t| t.vertices);
    let mut shared: Vec<u32> =
        corners.zip(fans).filter(|(before, after)| before != after).map(|p| p.0).collect();
    shared.sort_unstable();
    shared.dedup();
    notes.add("vertices where sheets touch", &shared, |v| format!("vertex {v}"));
}

/// Closed parts that look inward, or lie in another that looks the same way.
fn look_at_shells(soup: &Soup, parts: &Parts, notes: &mut Notes) {
    let volumes: Vec<f64> = parts.triangles.iter().map(|part| volume(soup, part)).collect();
    let holder = outermost(soup, parts, &volumes);
    let face = |part: usize| soup.triangles[parts.triangles[part][0] as usize].face;
    let every = 0..volumes.len();
    let turned: Vec<usize> = every.clone().filter(|&p| holder[p] as usize == p && volumes[p] < 0.0).collect();
    notes.add("shells inside out", &turned, |&p| {
        format!("that of face {}: volume {:.4e}", face(p), volumes[p])
    });
    let within: Vec<usize> = every
        .filter(|&p| holder[p] as usize != p && volumes[p] * volumes[holder[p] as usize] > 0.0)
        .collect();
    let tree = if within.is_empty() { WindingTree::default() } else { WindingTree::of(soup) };
    let doubled: Vec<usize> =
        within.into_iter().filter(|&p| is_doubled(soup, &tree, &parts.triangles[p])).collect();
    notes.add(SHELLS_WITHIN, &doubled, |&p| {
        format!("that of face {} in that of face {}", face(p), face(holder[p] as usize))
    });
}

/// Whether the surface winds twice around something just inside or outside a part. In the cavity of another it does not.
fn is_doubled(soup: &Soup, tree: &WindingTree, part: &[u32]) -> bool {
    let area = |t: u32| soup.area_vector(t as usize).length();
    let Some(largest) = part.iter().copied().reduce(|a, b| if area(b) > area(a) { b } else { a }) else {
        return false;
    };
    let middle = soup.points(largest as usize).iter().sum::<DVec3>() / 3.0;
    let off = soup.area_vector(largest as usize).normalize_or_zero() * area(largest).sqrt() * 1e-3;
    [middle - off, middle + off].iter().any(|&point| tree.winding(point).abs() > 1.5)
}

fn look_at_crossings(soup: &Soup, parts: &Parts, notes: &mut Notes) -> bool {
    let (pairs, is_partial) = crossing_pairs(soup);
    let face = |t: u32| soup.triangles[t as usize].face;
    notes.add("faces through one another", &pairs, |&(a, b)| format!("faces {} and {}", face(a), face(b)));
    let part = |t: u32| parts.of[t as usize];
    let mut shells: Vec<(u32, u32)> = pairs
        .iter()
        .map(|&(a, b)| (part(a).min(part(b)), part(a).max(part(b))))
        .filter(|(a, b)| a != b)
        .collect();
    shells.sort_unstable();
    shells.dedup();
    let first = |p: u32| face(parts.triangles[p as usize][0]);
    notes.add(SHELLS_THROUGH, &shells, |&(a, b)| format!("those of faces {} and {}", first(a), first(b)));
    is_partial
}

#[cfg(test)]
mod tests {
    use super::super::inspect;
    use super::*;
    use smithereens_geometry::{Convex, Slot};

    fn cube(at: DVec3) -> Mesh {
        Convex::from_box(&Aabb::new(at, at + DVec3::ONE)).to_mesh(Slot(0))
    }

    fn count(mesh: &Mesh, name: &str) -> usize {
        inspect(mesh).findings.iter().find(|f| f.name == name).map_or(0, |f| f.count)
    }

    #[test]
    fn boxes_through_one_another_are_usable_and_counted() {
        let mut mesh = cube(DVec3::ZERO);
        mesh.append(&cube(DVec3::splat(0.4)));
        let inspection = inspect(&mesh);
        assert_eq!((inspection.parts, inspection.verdict), (2, Verdict::Usable));
        assert_eq!(count(&mesh, "shells through one another"), 1);
        assert!(count(&mesh, "faces through one another") >= 6);
        assert_eq!(inspection.remedy(), Some("--repair auto"));
    }

    #[test]
    fn a_box_in_a_box_is_doubled_but_not_in_its_cavity() {
        let scaled = |scale: f64| {
            let mut mesh = cube(DVec3::splat(-0.5));
            mesh.positions.iter_mut().for_each(|p| *p *= scale);
            mesh
        };
        let mut mesh = scaled(4.0);
        mesh.append(&scaled(1.0));
        assert_eq!((inspect(&mesh).verdict, count(&mesh, SHELLS_WITHIN)), (Verdict::Usable, 1));
        let mut cavity = scaled(2.0);
        cavity.flip();
        mesh.append(&cavity);
        assert_eq!((inspect(&mesh).verdict, count(&mesh, SHELLS_WITHIN)), (Verdict::Sound, 0));
    }

    #[test]
    fn every_fault_is_named() {
        let mut mesh = cube(DVec3::ZERO);
        mesh.corners[..4].reverse();
        assert_eq!(count(&mesh, "faces wound against their neighbours"), 4);
        let mut mesh = cube(DVec3::ZERO);
        mesh.flip();
        assert_eq!(count(&mesh, "shells inside out"), 1);
        let mut mesh = cube(DVec3::ZERO);
        mesh.positions[2].x = f64::NAN;
        mesh.positions.push(DVec3::ZERO);
        mesh.corners[0] = 77;
        assert_eq!(count(&mesh, "vertices that are not finite"), 1);
        assert_eq!(count(&mesh, "corners without a vertex"), 1);
        assert_eq!(count(&mesh, "vertices on no face"), 1);
        let mut mesh = cube(DVec3::ZERO);
        let lid: [u32; 4] = std::array::from_fn(|i| mesh.corners[i]);
        mesh.push_polygon(&lid, Slot(0));
        assert_eq!(count(&mesh, "faces there twice"), 2);
        assert_eq!(count(&mesh, "edges of more than two faces"), 5);
        let mut mesh = cube(DVec3::ZERO);
        mesh.append(&cube(DVec3::ONE));
        assert_eq!(count(&mesh, "vertices where sheets touch"), 1);
        assert_eq!(inspect(&Mesh::default()).verdict, Verdict::Hopeless);
        mesh.loop_ends[0] = 1_000;
        assert_eq!(inspect(&mesh).verdict, Verdict::Hopeless);
    }
}
