//! Voronoi cells of points in a box.
//!
//! A Delaunay triangulation (`spade`) tells whose bisectors bound a cell, however unevenly points lie: n log n, where Karo & Yu (section 4.1)
//! cut each cell by the bisectors of all other points. The bisector of two points is computed from the one with the lower index to the
//! other, so that both cells hold the same bits, with one identity on opposite sides.

use glam::DVec2;
use spade::{DelaunayTriangulation, Point2, Triangulation};

use crate::convex::clip_edges;
use crate::{Aabb, Convex, Cut, Edge, Halfplane, Line, LineId, Side};

/// Identities of the walls of a box: its lower, right, upper and left one.
pub(crate) const WALLS: u64 = 4;

/// The Voronoi cells of points in a box, in order; nothing for a point that repeats an earlier one, that is not finite, or whose cell misses the box.
///
/// Walls of the box carry the identities 0 to 3, bisectors those from 4 on.
///
/// ```
/// use smithereens_planar::{Aabb, voronoi};
/// use glam::DVec2;
/// let cells = voronoi(&[-DVec2::X, DVec2::X, DVec2::X], &Aabb::square(2.0));
/// assert_eq!(cells.iter().map(|cell| cell.area()).collect::<Vec<_>>(), [8.0, 8.0, 0.0]);
/// ```
pub fn voronoi(points: &[DVec2], bounds: &Aabb) -> Vec<Convex> {
    let neighbours = neighbours(points);
    let mut names = Names { first: vec![0; points.len()], next: WALLS, of: vec![Vec::new(); points.len()] };
    let mut cells = Vec::with_capacity(points.len());
    let [mut cell, mut clipped] = [Vec::new(), Vec::new()];
    for (point, near) in (0..).zip(&neighbours) {
        cell.clear();
        if let Some(near) = near {
            cell.extend_from_slice(whole_box(bounds).edges());
            for &other in near {
                let Some(line) = bisector(points, point, other) else { continue };
                let side = if point < other { Side::Behind } else { Side::Front };
                let halfplane = Halfplane { line, side, id: Some(names.name(point, other)) };
                clip_edges(&cell, &halfplane, &mut clipped);
                std::mem::swap(&mut cell, &mut clipped);
            }
        }
        cells.push(Convex::from_edges(cell.as_slice().to_vec()));
    }
    cells
}

/// The box as one marked cell. The canonical line of a wall looks outward.
pub(crate) fn whole_box(bounds: &Aabb) -> Convex {
    let mut convex = Convex::from_box(bounds);
    let normals = [DVec2::NEG_Y, DVec2::X, DVec2::Y, DVec2::NEG_X];
    let corners = bounds.corners();
    let edge = |wall: usize| Edge {
        start: corners[wall],
        line: Line::new(normals[wall], normals[wall].dot(corners[wall])),
        cut: Some(Cut::new(LineId::new(wall as u64), Side::Behind)),
    };
    if convex.edges().len() == 4 {
        convex = Convex::from_edges((0..4).map(edge).collect());
    }
    convex
}

/// The line between two points, nearer to neither.
fn bisector(points: &[DVec2], a: u32, b: u32) -> Option<Line> {
    let [low, high] = [a.min(b), a.max(b)].map(|point| points[point as usize]);
    Line::through(low + (high - low) * 0.5, high - low)
}

/// Identities of bisectors, by their points.
struct Names {
    next: u64,
    /// The name of the first bisector that a point shares with a later one.
    first: Vec<u64>,
    /// The later points that it shares bisectors with.
    of: Vec<Vec<u32>>,
}

impl Names {
    /// The name of a bisector. Points come in order, so that the lower one of two has named all of its own before the other asks.
    fn name(&mut self, point: u32, other: u32) -> LineId {
        let (low, high) = (point.min(other) as usize, point.max(other));
        if point < other {
            if self.of[low].is_empty() {
                self.first[low] = self.next;
            }
            self.of[low].push(high);
            self.next += 1;
            return LineId::new(self.next - 1);
        }
        let place = self.of[low].iter().position(|&known| known == high).unwrap_or(0);
        LineId::new(self.first[low] + place as u64)
    }
}

/// The points whose cells may touch a point's, for each that has a cell.
fn neighbours(points: &[DVec2]) -> Vec<Option<Vec<u32>>> {
    let farthest = points.iter().filter(|p| p.is_finite()).map(|p| p.abs().max_element()).fold(0.0, f64::max);
    let scale = if farthest > 0.0 { libm::exp2(-libm::round(libm::log2(farthest))) } else { 1.0 };
    let mut triangles = DelaunayTriangulation::<Point2<f64>>::new();
    // Which point each vertex is of.
    let mut points_of: Vec<u32> = Vec::new();
    for point in along_rows(points) {
        let [x, y] = (points[point as usize] * scale).to_array();
        // What is out of range for the triangulation is next to zero, or not finite and not here.
        let vertex = triangles.insert(spade::mitigate_underflow(Point2::new(x, y)));
        match vertex.map(|vertex| vertex.index()) {
            Ok(vertex) if vertex == points_of.len() => points_of.push(point),
            Ok(vertex) => points_of[vertex] = points_of[vertex].min(point),
            Err(_) => {}
        }
    }
    let mut near = vec![None; points.len()];
    for vertex in triangles.vertices() {
        let around = vertex.out_edges().map(|edge| points_of[edge.to().index()]);
        near[points_of[vertex.index()] as usize] = Some(around.collect());
    }
    near
}

/// The finite points, row by row to and fro: each is near the one before, so that it is found at once.
fn along_rows(points: &[DVec2]) -> Vec<u32> {
    let finite = |&point: &u32| points[point as usize].is_finite();
    let mut order: Vec<u32> = (0..points.len() as u32).filter(finite).collect();
    let bounds = Aabb::around(order.iter().map(|&point| points[point as usize]));
    let rows = libm::sqrt(order.len() as f64).max(1.0);
    let height = (bounds.size().y / rows).max(f64::MIN_POSITIVE);
    let place = |&point: &u32| {
        let at = points[point as usize];
        let row = ((at.y - bounds.min.y) / height) as u64;
        (row, if row.is_multiple_of(2) { at.x } else { -at.x })
    };
    order.sort_by(|x, y| {
        let (x, y) = (place(x), place(y));
        x.0.cmp(&y.0).then(x.1.total_cmp(&y.1))
    });
    order
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::Draw;

    /// Every bisector cuts every cell.
    fn brute_force(points: &[DVec2], bounds: &Aabb) -> Vec<f64> {
        let cell = |point: u32| {
            let mut cell = Some(whole_box(bounds));
            for other in 0..points.len() as u32 {
                let Some(line) = bisector(points, point, other).filter(|_| other != point) else {
                    if other < point {
                        return 0.0; // A repeated point.
                    }
                    continue;
                };
                let side = if point < other { Side::Behind } else { Side::Front };
                cell = cell.and_then(|cell| cell.clip(&Halfplane { line, side, id: None }));
            }
            cell.map_or(0.0, |cell| cell.area())
        };
        (0..points.len() as u32).map(cell).collect()
    }

    fn clouds() -> Vec<Vec<DVec2>> {
        let mut draw = Draw::new(5);
        let mut even = |count: usize, reach: f64| -> Vec<DVec2> {
            (0..count).map(|_| draw.in_box(&Aabb::square(reach))).collect()
        };
        let mut clouds = vec![vec![DVec2::ZERO], even(2, 1.0), even(3, 1.0), even(150, 1.0), even(80, 4.0)];
        clouds.push((0..100).map(|i| DVec2::new(f64::from(i % 10), f64::from(i / 10)) * 0.1).collect());
        clouds.push((0..30).map(|i| DVec2::X * 0.05 * f64::from(i)).collect());
        clouds.push((0..60).map(|i| crate::draw::at_angle(f64::from(i) * 0.1) * 0.7).collect());
        clouds.push(even(60, 1.0).into_iter().map(|p| p * p.length().powi(6)).collect());
        let mut repeated = even(40, 1.0);
        repeated.extend_from_within(10..30);
        clouds.push(repeated);
        clouds
    }

    #[test]
    fn cells_fill_the_box_and_are_those_of_brute_force() {
        let bounds = Aabb::square(1.0);
        for (index, points) in clouds().into_iter().enumerate() {
            let cells = voronoi(&points, &bounds);
            let area: f64 = cells.iter().map(Convex::area).sum();
            assert!((area - 4.0).abs() < 1e-12, "cloud {index}: {area}");
            for (cell, expected) in cells.iter().zip(brute_force(&points, &bounds)) {
                assert!((cell.area() - expected).abs() < 1e-12, "cloud {index}: {} {expected}", cell.area());
            }
        }
    }

    #[test]
    fn neighbours_hold_their_line_with_the_same_bits() {
        let points = &clouds()[3];
        let cells = voronoi(points, &Aabb::square(1.0));
        let mut sides: Vec<(Cut, Line)> = Vec::new();
        for edge in cells.iter().flat_map(Convex::edges) {
            let halfplane = edge.halfplane().unwrap();
            sides.push((Cut::new(halfplane.id.unwrap(), halfplane.side), halfplane.line));
        }
        sides.sort_by_key(|side| side.0);
        let inner: Vec<_> = sides.iter().filter(|side| side.0.id().number() >= WALLS).collect();
        assert!(inner.len() > 700 && inner.len() % 2 == 0);
        for pair in inner.chunks(2) {
            assert_eq!((pair[0].0, pair[0].1), (pair[1].0.opposite(), pair[1].1));
        }
    }

    #[test]
    fn points_that_are_not_finite_have_no_cell() {
        let cells = voronoi(&[DVec2::NAN, DVec2::X * 0.1, DVec2::INFINITY], &Aabb::square(1.0));
        assert_eq!(cells.iter().map(Convex::area).collect::<Vec<_>>(), [0.0, 4.0, 0.0]);
        assert!(voronoi(&[], &Aabb::square(1.0)).is_empty());
    }
}
