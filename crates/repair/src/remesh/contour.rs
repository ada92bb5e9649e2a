//! From inside and outside to triangles: a vertex a patch, four triangles' corners an edge of the grid that is crossed.
//!
//! Every side of a cell that the surface crosses is an edge of as many triangles one way as the other, so the result is
//! closed by construction.

use glam::DVec3;
use rayon::prelude::*;
use smithereens_geometry::Slot;

use super::cases::{Cases, EDGES, NO_PATCH};
use super::field::{Field, axis_hit};
use super::qef::{Crossing, best_point};
use crate::soup::{Soup, Triangle};

/// An edge of the grid with one end inside: its least corner and axis as one number, and where it is crossed.
#[derive(Clone, Copy, Debug)]
struct Crossed {
    edge: u64,
    at: Crossing,
}

/// The surface between in and out, without attributes.
pub(crate) fn contour(field: &Field) -> Soup {
    let cases = Cases::new();
    let crossed = crossed_edges(field);
    let counts: Vec<u32> = field.cells.iter().map(|&c| cases.count(field.case(c)) as u32).collect();
    let mut first = Vec::with_capacity(counts.len());
    let mut total = 0;
    for count in counts {
        first.push(total);
        total += count;
    }
    let positions: Vec<DVec3> = field
        .cells
        .par_iter()
        .with_min_len(1024)
        .flat_map_iter(|&cell| patch_points(field, &cases, &crossed, cell))
        .collect();
    let vertices = Vertices { field, cases: &cases, first: &first };
    let mut soup = Soup { positions, ..Soup::default() };
    for edge in &crossed {
        vertices.push_quad(edge, &mut soup);
    }
    soup
}

fn crossed_edges(field: &Field) -> Vec<Crossed> {
    let steps = field.grid.steps();
    field
        .cells
        .par_iter()
        .with_min_len(1024)
        .flat_map_iter(|&corner| {
            (0..3).filter_map(move |axis| {
                let end = corner + steps[axis];
                let crossed = field.is_inside(corner) != field.is_inside(end);
                crossed.then(|| Crossed { edge: key(corner, axis), at: crossing(field, corner, end, axis) })
            })
        })
        .collect()
}

fn key(corner: u32, axis: usize) -> u64 {
    corner as u64 * 3 + axis as u64
}

/// Where an edge is crossed, seen from its end outside: the surface wound around, or the skin of a sheet, what comes first.
fn crossing(field: &Field, low: u32, high: u32, axis: usize) -> Crossing {
    let (out, inner) = if field.is_inside(low) { (high, low) } else { (low, high) };
    let start = field.grid.point(out);
    let way = field.grid.point(inner) - start;
    let solid = field.is_solid(inner).then(|| solid_crossing(field, low, axis, start, way));
    let sheet = field.is_sheet(inner).then(|| sheet_crossing(field, start, way));
    match (solid, sheet) {
        (Some(a), Some(b)) => {
            if b.0 < a.0 {
                b.1
            } else {
                a.1
            }
        }
        (a, b) => a.or(b).map_or(Crossing { point: start + way * 0.5, normal: DVec3::ZERO }, |found| found.1),
    }
}

/// The first triangle that the edge enters; over a hole, where the winding number says.
fn solid_crossing(field: &Field, corner: u32, axis: usize, start: DVec3, way: DVec3) -> (f64, Crossing) {
    let mut best: Option<(bool, f64, DVec3)> = None;
    for cell in field.cells_around(corner, axis) {
        for &(_, triangle) in field.triangles_in(cell) {
            let points = field.soup.points(triangle as usize);
            let Some(t) = axis_hit(points, start, way, axis) else { continue };
            let normal = (points[1] - points[0]).cross(points[2] - points[0]).normalize_or_zero();
            let leaves = normal.dot(way) >= 0.0;
            if best.is_none_or(|b| (leaves, t) < (b.0, b.1)) {
                best = Some((leaves, t, normal));
            }
        }
    }
    match best {
        Some((_, t, normal)) => (t, Crossing { point: start + way * t, normal }),
        None => {
            let t = bisect(|t| field.winding(start + way * t) > 0.5);
            (t, Crossing { point: start + way * t, normal: DVec3::ZERO })
        }
    }
}

fn sheet_crossing(field: &Field, start: DVec3, way: DVec3) -> (f64, Crossing) {
    let t = bisect(|t| field.sheet(start + way * t).0 > 0.0);
    let point = start + way * t;
    (t, Crossing { point, normal: (point - field.sheet(point).1).normalize_or_zero() })
}

/// Where on the way from 0 to 1 it gets inside.
fn bisect(is_inside: impl Fn(f64) -> bool) -> f64 {
    const HALVINGS: usize = 8;
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..HALVINGS {
        let middle = (low + high) * 0.5;
        if is_inside(middle) { high = middle } else { low = middle }
    }
    (low + high) * 0.5
}

/// The vertices of a cell, one a patch.
fn patch_points(
    field: &Field,
    cases: &Cases,
    crossed: &[Crossed],
    cell: u32,
) -> impl Iterator<Item = DVec3> + use<> {
    let case = field.case(cell);
    let (patches, bounds) = (cases.patches(case), field.grid.bounds(cell));
    let corners = field.grid.cell_corners(cell);
    let points: Vec<DVec3> = (0..cases.count(case) as u8)
        .map(|patch| {
            let crossings: Vec<Crossing> = (0..12)
                .filter(|&e| patches[e] == patch)
                .filter_map(|e| find(crossed, key(corners[EDGES[e][0]], e / 4)))
                .collect();
            // Beyond the cell it would fold over its neighbours.
            best_point(&crossings).clamp(bounds.min, bounds.max)
        })
        .collect();
    points.into_iter()
}

fn find(crossed: &[Crossed], edge: u64) -> Option<Crossing> {
    crossed.binary_search_by_key(&edge, |c| c.edge).ok().map(|i| crossed[i].at)
}

struct Vertices<'a> {
    field: &'a Field<'a>,
    cases: &'a Cases,
    /// The first vertex of each of the field's cells.
    first: &'a [u32],
}

impl Vertices<'_> {
    fn vertex(&self, cell: u32, edge: usize) -> Option<u32> {
        let index = self.field.cells.binary_search(&cell).ok()?;
        let patch = self.cases.patches(self.field.case(cell))[edge];
        (patch != NO_PATCH).then(|| self.first[index] + patch as u32)
    }

    /// Two triangles across an edge of the grid, between the cells around it.
    fn push_quad(&self, crossed: &Crossed, soup: &mut Soup) {
        let (corner, axis) = ((crossed.edge / 3) as u32, (crossed.edge % 3) as usize);
        let cells = self.field.cells_around(corner, axis);
        // Counter-clockwise seen against the axis; the edge's place in each of the four cells.
        let places = [(0, 0), (1, 0), (1, 1), (0, 1)].map(|(a, b)| edge_at(axis, a, b));
        let quad = std::array::from_fn(|i| self.vertex(cells[i], places[i]));
        let [Some(a), Some(b), Some(c), Some(d)] = quad else { return };
        let quad = if self.field.is_inside(corner) { [a, b, c, d] } else { [d, c, b, a] };
        for vertices in halves(&soup.positions, quad, crossed.at.normal) {
            soup.triangles.push(Triangle::plain(vertices, Slot(0)));
        }
    }
}

/// The edge along an axis of a cell that lies `a` steps back along the next axis and `b` along the one after.
fn edge_at(axis: usize, a: usize, b: usize) -> usize {
    let low = a << ((axis + 1) % 3) | b << ((axis + 2) % 3);
    let ends = [low, low | 1 << axis];
    EDGES.iter().position(|e| *e == ends).unwrap_or(0)
}

/// Cuts a quad along the diagonal that leaves both halves looking most like the surface there.
fn halves(positions: &[DVec3], [a, b, c, d]: [u32; 4], normal: DVec3) -> [[u32; 3]; 2] {
    let at = |v: u32| positions[v as usize];
    let looks = |t: [u32; 3]| {
        let across = (at(t[1]) - at(t[0])).cross(at(t[2]) - at(t[0]));
        (across.normalize_or_zero().dot(normal), across.length())
    };
    let worst = |halves: [[u32; 3]; 2]| {
        let (x, y) = (looks(halves[0]), looks(halves[1]));
        (x.0.min(y.0), x.1.min(y.1))
    };
    let (one, other) = ([[a, b, c], [a, c, d]], [[b, c, d], [b, d, a]]);
    if worst(other) > worst(one) { other } else { one }
}

#[cfg(test)]
mod tests {
    use super::super::grid::Grid;
    use super::*;
    use smithereens_geometry::{Aabb, Convex, Solid};

    #[test]
    fn a_box_keeps_its_edges_and_corners() {
        let cube = Soup::of(&Convex::from_box(&Aabb::cube(1.0)).to_mesh(Slot(0))).0;
        let field = Field::of(&cube, Grid::around(&cube.bounds(), 16), true);
        let solid = Solid::new(contour(&field).to_mesh()).unwrap();
        assert!((solid.volume() - 8.0).abs() < 1e-9, "{}", solid.volume());
        assert!((solid.mesh().area() - 24.0).abs() < 1e-9);
    }
}
