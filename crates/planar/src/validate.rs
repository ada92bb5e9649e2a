//! What makes loops a shape, asked once and answered exactly.

use glam::DVec2;

use crate::{Aabb, ShapeError, turn};

/// An extent below this part of the farthest coordinate leaves no digits to cut by.
const LEAST_EXTENT: f64 = 1e-9;
/// Squares and products of lengths within these bounds are numbers.
const LENGTHS: [f64; 2] = [1e-40, 1e40];

/// One edge of a loop.
struct Span {
    ends: [DVec2; 2],
    bounds: Aabb,
    /// Its number.
    edge: usize,
    /// The number of the edge after it.
    next: usize,
}

/// Says what is wrong with loops, the outer one first.
pub(crate) fn validate(loops: &[&[DVec2]]) -> Result<(), ShapeError> {
    if let Some(index) = loops.iter().position(|corners| corners.len() < 3) {
        return Err(ShapeError::TooFew(index));
    }
    if let Some(index) = loops.iter().copied().flatten().position(|corner| !corner.is_finite()) {
        return Err(ShapeError::NotFinite(index));
    }
    check_range(loops)?;
    let mut spans = spans(loops)?;
    check_folds(&spans)?;
    check_crossings(&mut spans)?;
    check_nesting(loops)
}

fn check_range(loops: &[&[DVec2]]) -> Result<(), ShapeError> {
    let bounds = Aabb::around(loops.iter().copied().flatten().copied());
    let (extent, farthest) = (bounds.extent(), bounds.min.abs().max(bounds.max.abs()).max_element());
    let is_sound = extent >= LENGTHS[0] && farthest <= LENGTHS[1] && extent >= farthest * LEAST_EXTENT;
    if is_sound { Ok(()) } else { Err(ShapeError::OutOfRange { extent, farthest }) }
}

fn spans(loops: &[&[DVec2]]) -> Result<Vec<Span>, ShapeError> {
    let mut spans = Vec::new();
    for corners in loops {
        let first = spans.len();
        for (i, &from) in corners.iter().enumerate() {
            let next = (i + 1) % corners.len();
            let ends = [from, corners[next]];
            if ends[0] == ends[1] {
                return Err(ShapeError::Repeats(first + next));
            }
            spans.push(Span { ends, bounds: Aabb::around(ends), edge: first + i, next: first + next });
        }
    }
    Ok(spans)
}

/// Edges that follow each other may only share their corner.
fn check_folds(spans: &[Span]) -> Result<(), ShapeError> {
    for span in spans {
        let [from, at] = span.ends;
        let to = spans[span.next].ends[1];
        if turn(from, at, to) == 0.0 && (from - at).dot(to - at) > 0.0 {
            return Err(ShapeError::Folds { edge: span.edge, next: span.next, at });
        }
    }
    Ok(())
}

/// All others may share nothing: a sweep along the x axis.
fn check_crossings(spans: &mut [Span]) -> Result<(), ShapeError> {
    spans.sort_unstable_by(|a, b| a.bounds.min.x.total_cmp(&b.bounds.min.x).then(a.edge.cmp(&b.edge)));
    let mut open: Vec<usize> = Vec::new();
    for (index, span) in spans.iter().enumerate() {
        open.retain(|&other| spans[other].bounds.max.x >= span.bounds.min.x);
        for other in open.iter().map(|&other| &spans[other]) {
            let are_next = span.next == other.edge || other.next == span.edge;
            if !are_next && span.bounds.meets(&other.bounds) && do_meet(span.ends, other.ends) {
                let [a, b] = if span.edge < other.edge { [span, other] } else { [other, span] };
                return Err(ShapeError::Crosses { edges: [a.edge, b.edge], at: meeting(a.ends, b.ends) });
            }
        }
        open.push(index);
    }
    Ok(())
}

/// Whether two edges whose boxes meet share a point. Exact.
fn do_meet([a, b]: [DVec2; 2], [c, d]: [DVec2; 2]) -> bool {
    let are_apart = |one: f64, other: f64| (one > 0.0 && other > 0.0) || (one < 0.0 && other < 0.0);
    !are_apart(turn(a, b, c), turn(a, b, d)) && !are_apart(turn(c, d, a), turn(c, d, b))
}

/// About where two edges meet.
fn meeting([a, b]: [DVec2; 2], [c, d]: [DVec2; 2]) -> DVec2 {
    let part = (c - a).perp_dot(d - c) / (b - a).perp_dot(d - c);
    if part.is_finite() { a + (b - a) * part.clamp(0.0, 1.0) } else { c.clamp(a.min(b), a.max(b)) }
}

/// No edges touch, so one corner of a hole tells for all of it.
fn check_nesting(loops: &[&[DVec2]]) -> Result<(), ShapeError> {
    let is_inside = |point: DVec2, corners: &[DVec2]| {
        let crosses = |(i, &a): (usize, &DVec2)| {
            let b = corners[(i + 1) % corners.len()];
            let is_left = turn(a, b, point) > 0.0;
            (a.y <= point.y) != (b.y <= point.y) && is_left == (b.y > a.y)
        };
        corners.iter().enumerate().filter(|&corner| crosses(corner)).count() % 2 == 1
    };
    let bounds: Vec<Aabb> = loops.iter().map(|corners| Aabb::around(corners.iter().copied())).collect();
    for (hole, corners) in loops.iter().enumerate().skip(1) {
        if !is_inside(corners[0], loops[0]) {
            return Err(ShapeError::HoleOutside(hole - 1));
        }
        let holds = |&other: &usize| {
            other != hole && bounds[other].contains(corners[0]) && is_inside(corners[0], loops[other])
        };
        if let Some(other) = (1..loops.len()).find(holds) {
            return Err(ShapeError::HoleInHole { hole: hole - 1, other: other - 1 });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Shape;

    fn points(list: &[[f64; 2]]) -> Vec<DVec2> {
        list.iter().map(|&point| point.into()).collect()
    }

    fn square(x: f64, y: f64, half: f64) -> Vec<DVec2> {
        let at = DVec2::new(x, y);
        Aabb::square(half).corners().map(|corner| corner + at).to_vec()
    }

    #[test]
    fn every_fault_is_named() {
        let outer = square(0.0, 0.0, 4.0);
        let error = |outer: &[DVec2], holes: &[Vec<DVec2>]| Shape::new(outer, holes).unwrap_err();
        assert_eq!(error(&outer[..2], &[]), ShapeError::TooFew(0));
        assert_eq!(error(&outer, &[vec![]]), ShapeError::TooFew(1));
        let nowhere = points(&[[0.0, 0.0], [1.0, f64::NAN], [1.0, 1.0]]);
        assert_eq!(error(&outer, &[nowhere]), ShapeError::NotFinite(5));
        assert_eq!(
            error(&points(&[[0.0, 0.0], [1.0, 0.0], [1.0, 0.0], [0.0, 1.0]]), &[]),
            ShapeError::Repeats(2)
        );
        let closed = points(&[[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.0, 0.0]]);
        assert_eq!(error(&closed, &[]), ShapeError::Repeats(0));
        let spike = points(&[[0.0, 0.0], [1.0, 0.0], [1.0, 2.0], [1.0, 1.0], [0.0, 1.0]]);
        assert!(matches!(error(&spike, &[]), ShapeError::Folds { edge: 1, next: 2, .. }));
        assert_eq!(error(&outer, &[square(9.0, 0.0, 1.0)]), ShapeError::HoleOutside(0));
        let nested = [square(0.0, 0.0, 1.0), square(0.0, 0.0, 2.0)];
        assert_eq!(error(&outer, &nested), ShapeError::HoleInHole { hole: 0, other: 1 });
        assert!(matches!(error(&outer, &[square(3.5, 0.0, 1.0)]), ShapeError::Crosses { .. }));
        let touching = points(&[[4.0, 0.0], [2.0, 1.0], [2.0, -1.0]]);
        let crosses = error(&outer, &[touching]);
        assert!(matches!(crosses, ShapeError::Crosses { edges: [1, 4], .. }), "{crosses}");
        let tiny: Vec<DVec2> = outer.iter().map(|&corner| corner * 1e-50).collect();
        assert!(matches!(error(&tiny, &[]), ShapeError::OutOfRange { .. }));
        let far: Vec<DVec2> = outer.iter().map(|&corner| corner + 1e12).collect();
        assert!(matches!(error(&far, &[]), ShapeError::OutOfRange { .. }));
    }

    #[test]
    fn loops_may_run_either_way() {
        let mut outer = square(0.0, 0.0, 4.0);
        let hole = square(1.0, 1.0, 1.0);
        let shape = Shape::new(&outer, std::slice::from_ref(&hole)).unwrap();
        outer.reverse();
        let turned = Shape::new(&outer, &[hole.into_iter().rev().collect()]).unwrap();
        assert_eq!((shape.area(), turned.area()), (60.0, 60.0));
        assert!(shape.contains(DVec2::ZERO - 1.0) && !shape.contains(DVec2::ONE));
    }
}
