//! Identities for edges that came without: edges in one line get the same.
//!
//! Lines are compared by their distance |d| from the origin, as in Müller et al. 2013, section 3.1: for convexes of a user's own only.

use crate::{Convex, Cut, Line, LineId, Side, Tolerance};

/// Gives edges in the same line the same line, to the bit, and the same identity, in the order of convexes. Returns the first unused one.
pub(crate) fn identify_lines(convexes: &mut [Convex], tolerance: &Tolerance) -> u64 {
    // By |d|.
    let mut known: Vec<(Line, u64)> = Vec::new();
    let mut next = 0;
    for edge in convexes.iter_mut().flat_map(Convex::edges_mut) {
        let far = edge.line.offset.abs();
        let first = known.partition_point(|(line, _)| line.offset.abs() < far - tolerance.length());
        let near =
            known[first..].iter().take_while(|(line, _)| line.offset.abs() <= far + tolerance.length());
        let same = near.copied().find(|(line, _)| is_same(line, &edge.line, tolerance));
        let (line, id) = same.unwrap_or_else(|| {
            let place = known.partition_point(|(line, _)| line.offset.abs() < far);
            known.insert(place, (edge.line, next));
            next += 1;
            (edge.line, next - 1)
        });
        let is_along = line.normal.dot(edge.line.normal) > 0.0;
        edge.line = if is_along { line } else { line.flipped() };
        edge.cut = Some(Cut::new(LineId::new(id), if is_along { Side::Behind } else { Side::Front }));
    }
    next
}

fn is_same(known: &Line, line: &Line, tolerance: &Tolerance) -> bool {
    let turn = known.normal.dot(line.normal).signum();
    (known.normal * turn - line.normal).abs().max_element() <= Tolerance::RELATIVE
        && (known.offset * turn - line.offset).abs() <= tolerance.length()
}
