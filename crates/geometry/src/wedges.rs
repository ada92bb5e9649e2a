//! Which faces belong together where several sheets meet in an edge.

use glam::DVec3;

/// A face at an edge.
#[derive(Clone, Copy, Debug)]
pub struct EdgeSide<T> {
    /// Whether it runs along the edge in the direction of the axis.
    pub upward: bool,
    /// Its unit normal.
    pub normal: DVec3,
    /// What it is called.
    pub name: T,
}

/// Pairs the faces that bound the same wedge of the inside: one that runs up along the axis with one that runs down. There must be as many of
/// one as of the other; `axis` is a unit vector, or zero for an edge without length.
///
/// ```
/// use smithereens_geometry::{EdgeSide, pair_wedges};
/// use glam::DVec3;
/// // Two boxes that touch in an edge along z: one in the first quadrant, one in the third.
/// let side = |upward, normal, name| EdgeSide { upward, normal, name };
/// let sides = [
///     side(true, -DVec3::X, "first, left"),
///     side(true, DVec3::X, "third, right"),
///     side(false, -DVec3::Y, "first, below"),
///     side(false, DVec3::Y, "third, above"),
/// ];
/// let pairs = pair_wedges(DVec3::Z, &sides);
/// assert!(pairs.iter().all(|(up, down)| up[..5] == down[..5]), "{pairs:?}");
/// ```
pub fn pair_wedges<T: Copy>(axis: DVec3, sides: &[EdgeSide<T>]) -> Vec<(T, T)> {
    let (u, v) = if axis == DVec3::ZERO { (DVec3::X, DVec3::Y) } else { axis.any_orthonormal_pair() };
    // The direction in which a face leaves the edge, as an angle about it.
    let angle = |side: &EdgeSide<T>| {
        let away = side.normal.cross(if side.upward { axis } else { -axis });
        pseudo_angle(away.dot(u), away.dot(v))
    };
    let sorted = |upward: bool| {
        let mut list: Vec<(f64, T)> =
            sides.iter().filter(|s| s.upward == upward).map(|s| (angle(s), s.name)).collect();
        list.sort_by(|a, b| a.0.total_cmp(&b.0));
        list
    };
    let (ups, downs) = (sorted(true), sorted(false));
    if ups.is_empty() || ups.len() != downs.len() {
        return Vec::new();
    }
    // The inside lies clockwise of a face that runs up: its partner is the last one before it.
    let before = downs.iter().filter(|d| d.0 < ups[0].0).count() + downs.len() - 1;
    ups.iter().enumerate().map(|(i, up)| (up.1, downs[(before + i) % downs.len()].1)).collect()
}

/// Grows with the angle of (x, y), from 0 to 4, without trigonometry.
fn pseudo_angle(x: f64, y: f64) -> f64 {
    let sum = x.abs() + y.abs();
    if sum == 0.0 {
        return 0.0;
    }
    match (x >= 0.0, y >= 0.0) {
        (true, true) => y / sum,
        (false, true) => 1.0 - x / sum,
        (false, false) => 2.0 - y / sum,
        (true, false) => 3.0 + x / sum,
    }
}
