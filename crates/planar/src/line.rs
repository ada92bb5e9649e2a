//! Lines, their identity, and the one side test that decides all topology.

use std::fmt;
use std::num::NonZeroU64;

use glam::{DAffine2, DMat2, DVec2};
pub use smithereens_geometry::Side;

/// All points `x` with `normal · x = offset`. The normal has unit length.
///
/// ```
/// use smithereens_planar::{Line, Side};
/// use glam::DVec2;
/// let floor = Line::new(DVec2::Y, 0.0);
/// assert_eq!(floor.side(DVec2::new(3.0, 0.1)), Side::Front);
/// assert_eq!(floor.side(DVec2::ZERO), Side::Behind); // a tie goes behind
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Line {
    /// Unit normal.
    pub normal: DVec2,
    /// Distance of the line from the origin along the normal.
    pub offset: f64,
}

impl Line {
    /// The line with this unit normal at this offset.
    pub fn new(normal: DVec2, offset: f64) -> Line {
        Line { normal, offset }
    }

    /// The line through `point`; `None` if the normal has no direction.
    pub fn through(point: DVec2, normal: DVec2) -> Option<Line> {
        // Scaled first: squares of very small and very large numbers would not be numbers any more.
        let most = normal.abs().max_element();
        let normal = (normal / most).try_normalize()?;
        let line = Line::new(normal, normal.dot(point));
        line.offset.is_finite().then_some(line)
    }

    /// The line from one point to another, in front of which lies what is on the right. So edges of a polygon that runs
    /// counter-clockwise look outward.
    ///
    /// ```
    /// use smithereens_planar::Line;
    /// use glam::DVec2;
    /// let bottom = Line::between(DVec2::ZERO, DVec2::X * 2.0).unwrap();
    /// assert_eq!(bottom.normal, -DVec2::Y);
    /// assert_eq!(bottom.direction(), DVec2::X);
    /// ```
    pub fn between(from: DVec2, to: DVec2) -> Option<Line> {
        Line::through(from, -(to - from).perp())
    }

    /// Along the line; what is behind it lies on the left.
    pub fn direction(&self) -> DVec2 {
        self.normal.perp()
    }

    /// Signed distance, positive in front.
    #[inline]
    pub fn distance(&self, point: DVec2) -> f64 {
        self.normal.x * point.x + self.normal.y * point.y - self.offset
    }

    /// The side test: every decision about topology comes from here.
    #[inline]
    pub fn side(&self, point: DVec2) -> Side {
        side_at(self.distance(point))
    }

    /// The same points, seen from the other side.
    pub fn flipped(&self) -> Line {
        Line::new(-self.normal, -self.offset)
    }

    /// The image of the line under an invertible affine map; `None` if the map is singular. Of a flipped line it is the flipped image, to the
    /// bit.
    pub fn transformed(&self, map: &DAffine2) -> Option<Line> {
        if map.matrix2 == DMat2::IDENTITY {
            let line = Line::new(self.normal, self.offset + self.normal.dot(map.translation));
            return line.offset.is_finite().then_some(line);
        }
        let [x, y] = [map.matrix2.x_axis, map.matrix2.y_axis];
        let turn = x.perp_dot(y);
        if turn == 0.0 || !turn.is_finite() {
            return None;
        }
        // The inverse transpose, up to its length.
        let normal = DVec2::new(y.y, -y.x) * self.normal.x + DVec2::new(-x.y, x.x) * self.normal.y;
        Line::through(map.transform_point2(self.normal * self.offset), normal * turn.signum())
    }
}

/// The side of a signed distance.
#[inline]
pub(crate) fn side_at(distance: f64) -> Side {
    if distance > 0.0 { Side::Front } else { Side::Behind }
}

/// Where an edge meets a line, walked from its end behind to its end in front: the same bits for all who share the edge and the line.
#[inline]
pub(crate) fn crossing(behind: (DVec2, f64), front: (DVec2, f64)) -> DVec2 {
    behind.0 + (front.0 - behind.0) * (behind.1 / (behind.1 - front.1))
}

/// The identity of a line that something was cut by. Two edges can only touch if they carry the same identity with opposite sides.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LineId(u64);

impl LineId {
    /// The identity with this number. Numbers over 2^62 wrap.
    pub fn new(number: u64) -> LineId {
        LineId(number & (u64::MAX >> 2))
    }

    /// The number of this identity.
    pub fn number(self) -> u64 {
        self.0
    }
}

impl fmt::Debug for LineId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "LineId({})", self.0)
    }
}

/// The mark a cut leaves on an edge: the line's identity, and the side of it that the edge's owner lies on. `Behind` means that the edge's
/// outward normal is the line's normal.
///
/// ```
/// use smithereens_planar::{Cut, LineId, Side};
/// let cut = Cut::new(LineId::new(7), Side::Behind);
/// assert_eq!((cut.id(), cut.opposite().side()), (LineId::new(7), Side::Front));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Cut(NonZeroU64);

impl Cut {
    /// The mark of line `id` on an owner that lies on `side`.
    pub fn new(id: LineId, side: Side) -> Cut {
        // Two for the lowest identity, so never zero.
        Cut(NonZeroU64::MIN.saturating_add(id.0 * 2 + u64::from(side == Side::Front)))
    }

    /// The line's identity.
    pub fn id(self) -> LineId {
        LineId((self.0.get() - 1) / 2)
    }

    /// The side of the line that the owner of the edge lies on.
    pub fn side(self) -> Side {
        if self.0.get().is_multiple_of(2) { Side::Front } else { Side::Behind }
    }

    /// The mark on what lies across the line.
    pub fn opposite(self) -> Cut {
        Cut::new(self.id(), self.side().opposite())
    }
}

impl fmt::Debug for Cut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Cut({} {:?})", self.id().0, self.side())
    }
}

/// What lies on one side of a line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Halfplane {
    /// The line in its canonical orientation: the same for both sides.
    pub line: Line,
    /// The side of it that counts.
    pub side: Side,
    /// The line's identity, if cuts are to be marked with it.
    pub id: Option<LineId>,
}

impl Halfplane {
    /// The same line, the other side.
    pub fn opposite(&self) -> Halfplane {
        Halfplane { side: self.side.opposite(), ..*self }
    }

    /// Whether a point belongs to it. Of a point and two opposite halfplanes, exactly one does.
    #[inline]
    pub fn contains(&self, point: DVec2) -> bool {
        self.line.side(point) == self.side
    }

    /// The edge that a cut leaves on what is kept, from where it starts.
    pub(crate) fn edge(&self, start: DVec2) -> crate::Edge {
        let line = if self.side == Side::Behind { self.line } else { self.line.flipped() };
        crate::Edge { start, line, cut: self.id.map(|id| Cut::new(id, self.side)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_has_its_line_and_its_side() {
        for number in [0, 1, 77, u64::MAX >> 2] {
            let [behind, front] = [Side::Behind, Side::Front].map(|s| Cut::new(LineId::new(number), s));
            assert_eq!((behind.id(), front.id()), (LineId::new(number), LineId::new(number)));
            assert_eq!((behind.opposite(), behind.side(), front.side()), (front, Side::Behind, Side::Front));
        }
    }

    #[test]
    fn flipping_and_mapping_commute_to_the_bit() {
        for turn in [1.0, -1.0] {
            let map = DAffine2::from_scale_angle_translation(
                DVec2::new(0.3, 1.7 * turn),
                0.7,
                DVec2::new(3.1, -0.2),
            );
            let line = Line::through(DVec2::new(1.0, 2.0), DVec2::new(-0.3, 0.9)).unwrap();
            let image = line.transformed(&map).unwrap();
            assert_eq!(line.flipped().transformed(&map), Some(image.flipped()));
            let front = DVec2::new(1.0, 2.0) + line.normal;
            assert_eq!(image.side(map.transform_point2(front)), Side::Front);
            let on = line.normal * line.offset + line.direction() * 5.0;
            assert!(image.distance(map.transform_point2(on)).abs() < 1e-12);
        }
    }
}
