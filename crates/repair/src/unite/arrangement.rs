//! All triangles, cut along everything they have in common, so that they meet in corners and edges only.

use std::collections::BTreeSet;

use glam::DVec3;
use rayon::prelude::*;
use smithereens_geometry::{Aabb, MassSum};

use super::carve::{Marks, carve, cross_chords};
use super::grid::Grid;
use super::layers::Layer;
use super::meet::{Facet, may_meet, meet};
use super::points::Points;
use super::{Unfit, United};
use crate::bvh::{Bvh, weights};
use crate::soup::{Soup, Triangle};

/// A triangle, and the facet that it was cut out of.
type Piece = (u32, [u32; 3]);

/// A surface whose triangles meet in corners and edges only.
pub(super) struct Arrangement {
    pub points: Points,
    pub layers: Vec<Layer>,
    grid: Grid,
    /// Where each vertex was before it was put on the grid.
    positions: Vec<DVec3>,
    facets: Vec<Facet>,
    /// The triangles that the facets were cut into.
    pieces: Vec<Piece>,
    is_cut: Vec<bool>,
}

impl Arrangement {
    pub fn of(soup: &Soup) -> Result<Arrangement, Unfit> {
        let grid = Grid::around(&soup.bounds());
        let (mut points, mut positions) = (Points::default(), Vec::new());
        let vertices: Vec<[u32; 3]> = soup
            .triangles
            .iter()
            .map(|triangle| triangle.vertices.map(|v| put(&mut points, &mut positions, &grid, soup, v)))
            .collect();
        let facets: Vec<Facet> =
            (0..).zip(vertices).map(|(number, corners)| Facet::new(number, corners, &points)).collect();
        let meetings = Meetings::of(soup, &facets, &mut points, grid.step());
        let (pieces, is_cut) = meetings.carve(&points, &facets)?;
        let layers = layers(&facets, &pieces);
        Ok(Arrangement { points, layers, grid, positions, facets, pieces, is_cut })
    }

    /// Where a point is: a vertex is where it was, to the bit.
    pub fn place(&self, point: u32) -> DVec3 {
        let made = || self.grid.unsnap(self.points.near(point));
        self.positions.get(point as usize).copied().unwrap_or_else(made)
    }

    /// The volume of space, each region counted as often as `count` says for its winding number.
    pub fn volume(&self, front: &[i32], count: impl Fn(i32) -> i32) -> f64 {
        let mut volume = 0.0;
        let origin = self.grid.unsnap(DVec3::ZERO);
        for (layer, &front) in self.layers.iter().zip(front) {
            let times = count(front + layer.rise) - count(front);
            if times != 0 {
                let [a, b, c] = layer.corners.map(|p| self.place(p));
                let mut sum = MassSum::about(origin);
                sum.add_triangle(a, b, c);
                volume += sum.volume() * f64::from(times);
            }
        }
        volume
    }

    /// The border of all regions around which the surface winds.
    pub fn united(&self, soup: &Soup, front: &[i32], shells: &[Vec<u32>]) -> United {
        let is_border = |(layer, front): &(&Layer, &i32)| (**front > 0) != (*front + layer.rise > 0);
        let mut kept: Vec<u32> =
            self.layers.iter().zip(front).filter(is_border).map(|(layer, _)| layer.source).collect();
        kept.sort_unstable(); // in the order of the triangles that they come from
        let united = Soup {
            positions: (0..self.points.len() as u32).map(|p| self.place(p)).collect(),
            triangles: kept.iter().map(|&piece| self.dressed(soup, piece)).collect(),
            has_normals: soup.has_normals,
            has_uvs: soup.has_uvs,
        };
        United { soup: united, shells: self.changed_shells(soup, &kept, shells) }
    }

    /// A piece with the attributes of the triangle that it was cut out of.
    fn dressed(&self, soup: &Soup, piece: u32) -> Triangle {
        let (number, vertices) = self.pieces[piece as usize];
        let old = soup.triangles[number as usize];
        let mut new = Triangle { vertices, ..old };
        for (k, &vertex) in vertices.iter().enumerate() {
            let corner = self.facets[number as usize].vertices.iter().position(|v| *v == vertex);
            (new.normals[k], new.uvs[k]) = match corner {
                Some(corner) => (old.normals[corner], old.uvs[corner]),
                None => {
                    let [a, b, c] =
                        weights(self.place(vertex), soup.points(number as usize)).map(|w| w as f32);
                    let normal = old.normals[0] * a + old.normals[1] * b + old.normals[2] * c;
                    (normal.normalize_or_zero(), old.uvs[0] * a + old.uvs[1] * b + old.uvs[2] * c)
                }
            };
        }
        new
    }

    /// How many shells have a triangle that was cut or is not kept.
    fn changed_shells(&self, soup: &Soup, kept: &[u32], shells: &[Vec<u32>]) -> usize {
        let mut is_changed = self.is_cut.clone();
        let mut is_kept = vec![false; self.facets.len()];
        kept.iter().for_each(|&piece| is_kept[self.pieces[piece as usize].0 as usize] = true);
        is_changed.iter_mut().zip(&is_kept).for_each(|(changed, kept)| *changed |= !kept);
        let faces: BTreeSet<u32> = soup
            .triangles
            .iter()
            .zip(is_changed)
            .filter(|(_, changed)| *changed)
            .map(|(t, _)| t.face)
            .collect();
        shells.iter().filter(|shell| shell.iter().any(|face| faces.contains(face))).count()
    }
}

/// The number of a vertex on the grid.
fn put(points: &mut Points, positions: &mut Vec<DVec3>, grid: &Grid, soup: &Soup, vertex: u32) -> u32 {
    let position = soup.positions[vertex as usize];
    let (number, is_new) = points.vertex(grid.snap(position));
    if is_new {
        positions.push(position);
    }
    number
}

/// What all triangles have in common with others.
struct Meetings {
    marks: Vec<Marks>,
    /// For each triangle those before it that lie in its plane and may cover it.
    coplanar: Vec<Vec<u32>>,
}

impl Meetings {
    fn of(soup: &Soup, facets: &[Facet], points: &mut Points, step: f64) -> Meetings {
        let mut marks = vec![Marks::default(); facets.len()];
        let mut coplanar = vec![Vec::new(); facets.len()];
        for (a, b) in pairs(soup, facets, step) {
            let meeting = meet(points, &facets[a as usize], &facets[b as usize]);
            if meeting.is_coplanar {
                coplanar[b as usize].push(a);
            }
            for facet in [a, b] {
                marks[facet as usize].points.extend_from_slice(&meeting.points);
                marks[facet as usize].chords.extend_from_slice(&meeting.chords);
            }
        }
        for (facet, marks) in facets.iter().zip(&mut marks) {
            if marks.tidy(facet) && !facet.is_flat() {
                cross_chords(points, facet, marks);
            }
        }
        Meetings { marks, coplanar }
    }

    /// The pieces of all triangles, and which triangles were cut. Those without area are left out.
    fn carve(&self, points: &Points, facets: &[Facet]) -> Result<(Vec<Piece>, Vec<bool>), Unfit> {
        let whole = |facet: &Facet| if facet.is_flat() { Vec::new() } else { vec![facet.vertices] };
        let is_cut: Vec<bool> =
            facets.iter().zip(&self.marks).map(|(f, m)| !f.is_flat() && !m.points.is_empty()).collect();
        let mut pieces: Vec<Vec<[u32; 3]>> = facets
            .par_iter()
            .with_min_len(64)
            .map(|facet| {
                let n = facet.number as usize;
                match is_cut[n] && self.coplanar[n].is_empty() {
                    true => carve(points, facet, &self.marks[n], &[]),
                    false => Ok(whole(facet)),
                }
            })
            .collect::<Result<_, _>>()?;
        // In order, so that each is cut as those before it are.
        for n in (0..facets.len()).filter(|&n| is_cut[n] && !self.coplanar[n].is_empty()) {
            let also = self.edges_of_coplanar(n, &facets[n], &pieces);
            pieces[n] = carve(points, &facets[n], &self.marks[n], &also)?;
        }
        let numbered = |(n, pieces): (u32, Vec<[u32; 3]>)| pieces.into_iter().map(move |piece| (n, piece));
        Ok(((0..).zip(pieces).flat_map(numbered).collect(), is_cut))
    }

    /// The edges of triangles before this one, in its plane and on its points.
    fn edges_of_coplanar(&self, n: usize, facet: &Facet, pieces: &[Vec<[u32; 3]>]) -> Vec<[u32; 2]> {
        let is_on = |point: u32| {
            facet.vertices.contains(&point) || self.marks[n].points.binary_search(&point).is_ok()
        };
        let others = self.coplanar[n].iter().flat_map(|&other| &pieces[other as usize]);
        let edges = others.flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]);
        let mut edges: Vec<[u32; 2]> =
            edges.filter(|[a, b]| is_on(*a) && is_on(*b)).map(|[a, b]| [a.min(b), a.max(b)]).collect();
        edges.sort_unstable();
        edges.dedup();
        edges
    }
}

/// All pairs of triangles that may have something in common, in order.
fn pairs(soup: &Soup, facets: &[Facet], step: f64) -> Vec<(u32, u32)> {
    let is_collapsed = |[a, b, c]: [u32; 3]| a == b || b == c || c == a;
    let tree = Bvh::of_part(soup, facets.iter().filter(|f| !is_collapsed(f.vertices)).map(|f| f.number));
    let of = |facet: &Facet| {
        let mut found = Vec::new();
        if !is_collapsed(facet.vertices) {
            // The grid may have moved both by half a step.
            let around = Aabb::of_points(soup.points(facet.number as usize)).grown(2.0 * step);
            tree.overlapping(&around, |other| {
                if other > facet.number && may_meet(facet, &facets[other as usize]) {
                    found.push((facet.number, other));
                }
                true
            });
            found.sort_unstable();
        }
        found
    };
    facets.par_iter().with_min_len(256).flat_map_iter(of).collect()
}

/// Pieces with the same corners as one layer; those that cancel are no layer.
fn layers(facets: &[Facet], pieces: &[Piece]) -> Vec<Layer> {
    let mut sorted: Vec<([u32; 3], bool, u32)> = (0..)
        .zip(pieces)
        .map(|(piece, (_, corners))| {
            let (canonical, is_turned) = canonical(*corners);
            (canonical, is_turned, piece)
        })
        .collect();
    sorted.sort_unstable();
    let mut layers = Vec::with_capacity(sorted.len());
    for group in sorted.chunk_by(|a, b| a.0 == b.0) {
        let turned = group.iter().filter(|g| g.1).count();
        let rise = (group.len() - turned) as i32 - turned as i32;
        let Some(&(corners, is_turned, source)) = group.iter().find(|g| g.1 == (rise < 0)) else { continue };
        if rise != 0 {
            let normal = facets[pieces[source as usize].0 as usize].normal;
            layers.push(Layer {
                corners,
                rise,
                normal: normal.map(|x| if is_turned { -x } else { x }),
                source,
            });
        }
    }
    layers
}

/// The corners from the lowest one, towards the lower of the others; and whether that is the other way round.
fn canonical([a, b, c]: [u32; 3]) -> ([u32; 3], bool) {
    let [a, b, c] = if a < b && a < c {
        [a, b, c]
    } else if b < c {
        [b, c, a]
    } else {
        [c, a, b]
    };
    if b < c { ([a, b, c], false) } else { ([a, c, b], true) }
}
