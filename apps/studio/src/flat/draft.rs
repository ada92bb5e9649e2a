//! What is being drawn: points that become a convex, or chains that become a shape with holes.

use glam::DVec2;
use smithereens_planar::{Convex, Shape, ShapeError};

/// What is drawn, and has not become a body yet.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Draft {
    /// Chains that are closed: the outer one, then holes.
    pub closed: Vec<Vec<DVec2>>,
    /// The chain that is still open, or the points of a convex.
    pub open: Vec<DVec2>,
}

/// Why a draft is no body, and where.
#[derive(Clone, Debug, PartialEq)]
pub struct Objection {
    /// What is wrong, in words.
    pub words: String,
    /// Where, if it is in one place.
    pub at: Option<DVec2>,
}

impl Draft {
    /// Whether nothing is drawn.
    pub fn is_empty(&self) -> bool {
        self.closed.is_empty() && self.open.is_empty()
    }

    /// Takes back the last point; the last point of a closed chain opens it again.
    pub fn take_back(&mut self) {
        if self.open.is_empty() {
            self.open = self.closed.pop().unwrap_or_default();
        }
        self.open.pop();
    }

    /// Adds a point to the open chain, unless it crosses what is there.
    pub fn add(&mut self, point: DVec2) -> Result<(), Objection> {
        if self.open.last() == Some(&point) {
            return Ok(());
        }
        if let Some(crossing) = self.crossing(point, false) {
            return Err(crossing);
        }
        self.open.push(point);
        Ok(())
    }

    /// Closes the open chain. What it makes must be a shape, with what was closed before.
    pub fn close(&mut self) -> Result<(), Objection> {
        if self.open.len() < 3 {
            return Err(Objection {
                words: "a chain needs three points".into(),
                at: self.open.last().copied(),
            });
        }
        if let Some(crossing) = self.crossing(self.open[0], true) {
            return Err(crossing);
        }
        let chain = std::mem::take(&mut self.open);
        self.closed.push(chain);
        if let Err(error) = self.shape() {
            let chain = self.closed.pop().unwrap_or_default();
            let at = place_of(&error).or(chain.first().copied());
            self.open = chain;
            return Err(Objection { words: error.to_string(), at });
        }
        Ok(())
    }

    /// The shape of all closed chains.
    pub fn shape(&self) -> Result<Shape, ShapeError> {
        let (outer, holes) = match self.closed.split_first() {
            Some((outer, holes)) => (outer.as_slice(), holes),
            None => (&[][..], &[][..]),
        };
        Shape::new(outer, holes)
    }

    /// The convex around the points.
    pub fn convex(&self) -> Option<Convex> {
        Convex::hull(&self.open)
    }

    /// Where the edge from the last point of the open chain to a point would cross another, if it does.
    pub fn crossing(&self, to: DVec2, closes: bool) -> Option<Objection> {
        let from = *self.open.last()?;
        let own = self.open.windows(2).map(|ends| [ends[0], ends[1]]);
        // The edge before starts where this one does, and the first one ends where the last one closes.
        let own =
            own.enumerate().filter(|&(index, _)| index + 2 < self.open.len() && !(closes && index == 0));
        let around = self.closed.iter().flat_map(|chain| {
            chain.iter().zip(chain.iter().cycle().skip(1)).map(|(&a, &b)| [a, b]).collect::<Vec<_>>()
        });
        let at = own.map(|(_, ends)| ends).chain(around).find_map(|ends| meet([from, to], ends))?;
        Some(Objection { words: "edges of a shape may not cross".into(), at: Some(at) })
    }
}

/// Where a shape is wrong, if it is in one place.
fn place_of(error: &ShapeError) -> Option<DVec2> {
    match error {
        ShapeError::Folds { at, .. } | ShapeError::Crosses { at, .. } => Some(*at),
        _ => None,
    }
}

/// Where two edges cross within both.
fn meet(a: [DVec2; 2], b: [DVec2; 2]) -> Option<DVec2> {
    let [along, other] = [a[1] - a[0], b[1] - b[0]];
    let across = along.perp_dot(other);
    let (s, t) = ((b[0] - a[0]).perp_dot(other) / across, (b[0] - a[0]).perp_dot(along) / across);
    ((0.0..=1.0).contains(&s) && (0.0..=1.0).contains(&t)).then(|| a[0] + along * s)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chain(points: &[[f64; 2]]) -> Draft {
        let mut draft = Draft::default();
        points.iter().for_each(|&point| draft.add(point.into()).unwrap());
        draft
    }

    #[test]
    fn a_chain_that_crosses_itself_is_refused_where_it_does() {
        let mut draft = chain(&[[0.0, 0.0], [1.0, 1.0], [1.0, 0.0]]);
        let objection = draft.add(DVec2::new(0.0, 1.0)).unwrap_err();
        assert_eq!(objection.at, Some(DVec2::splat(0.5)));
        assert_eq!(draft.open.len(), 3);
        draft.close().unwrap();
        assert!((draft.shape().unwrap().area() - 0.5).abs() < 1e-12);
    }

    #[test]
    fn an_edge_that_would_close_across_is_refused() {
        let mut draft =
            chain(&[[0.0, 0.0], [4.0, 0.0], [4.0, 4.0], [0.0, 4.0], [0.0, 2.0], [3.0, 2.0], [3.0, 3.0]]);
        assert_eq!(draft.close().unwrap_err().at, Some(DVec2::splat(2.0)));
        assert_eq!(draft.open.len(), 7, "nothing is lost");
    }

    #[test]
    fn holes_lie_inside() {
        let mut draft = chain(&[[0.0, 0.0], [4.0, 0.0], [4.0, 4.0], [0.0, 4.0]]);
        draft.close().unwrap();
        for point in [[1.0, 1.0], [2.0, 1.0], [2.0, 2.0]] {
            draft.add(point.into()).unwrap();
        }
        draft.close().unwrap();
        assert_eq!(draft.shape().unwrap().area(), 15.5);
        for point in [[5.0, 1.0], [6.0, 1.0], [6.0, 2.0]] {
            draft.add(point.into()).unwrap();
        }
        assert!(draft.close().unwrap_err().words.contains("outside"));
        assert_eq!((draft.closed.len(), draft.open.len()), (2, 3));
    }

    #[test]
    fn points_are_taken_back_one_by_one() {
        let mut draft = chain(&[[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]);
        draft.close().unwrap();
        (0..3).for_each(|left| {
            assert!(!draft.is_empty(), "{left}");
            draft.take_back();
        });
        assert!(draft.is_empty());
    }
}
