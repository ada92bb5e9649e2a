//! Solids modelled apart, each decomposed on its own, that move as one (Müller et al. 2013, section 4.3).
//!
//! Columns that reach into a roof need no union: what they have in common becomes ghosts. A piece that is convex gets its hull for a
//! convex here, whatever was fitted around it, since ghosts are exact where of two pieces one fills its convex.

use glam::DVec3;
use smithereens_geometry::{Convex, Fit, Solid, Tolerance};

use super::decomposition::Decomposition;
use crate::{Compound, CompoundError, Dropped, Piece};

/// Solids modelled apart, each decomposed, as one compound.
///
/// One solid alone is the compound of its decomposition, to the bit.
///
/// ```
/// use smithereens::{prepare::{Assembly, Decomposition}, Aabb, Convex, Fit, Slot, Solid};
/// use glam::DVec3;
/// let boxed = |min: [f64; 3], max: [f64; 3]| {
///     let solid = Solid::new(Convex::from_box(&Aabb::new(min.into(), max.into())).to_mesh(Slot(0)))?;
///     let nodes = [0.3, 0.7].map(|x| DVec3::from(min).lerp(max.into(), x));
///     Ok::<_, Box<dyn std::error::Error>>(Decomposition::new(solid, nodes.to_vec(), Fit::Dop26)?)
/// };
/// let roof = boxed([0.0, 2.0, 0.0], [4.0, 3.0, 4.0])?;
/// let column = boxed([1.0, 0.0, 1.0], [2.0, 2.5, 2.0])?;
/// let temple = Assembly::new(vec![roof, column])?;
/// assert!((temple.compound().mass().volume - (16.0 + 2.0)).abs() < 1e-12);
/// assert_eq!(temple.compound().islands().len(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Assembly {
    parts: Vec<Decomposition>,
    compound: Compound,
}

impl Assembly {
    /// Puts decompositions together.
    pub fn new(parts: Vec<Decomposition>) -> Result<Assembly, CompoundError> {
        let compound = match &parts[..] {
            [whole] => whole.compound().clone(),
            parts => {
                let pieces = parts.iter().flat_map(|part| part.compound().pieces());
                Compound::from_pieces(pieces.map(|piece| tightened(Piece::clone(piece))).collect())?
            }
        };
        Ok(Assembly { parts, compound })
    }

    /// The decomposition of each solid.
    pub fn parts(&self) -> &[Decomposition] {
        &self.parts
    }

    /// All pieces, the ghosts of what they have in common, and their bonds.
    pub fn compound(&self) -> &Compound {
        &self.compound
    }

    /// The nodes of all solids, one solid after the other.
    pub fn nodes(&self) -> Vec<DVec3> {
        self.parts.iter().flat_map(Decomposition::nodes).copied().collect()
    }

    /// The volume of all convexes over that of all solids: one is a perfect fit.
    pub fn fit_ratio(&self) -> f64 {
        self.mean(Decomposition::fit_ratio)
    }

    /// The volume of the true hulls of all pieces over that of all solids.
    pub fn hull_ratio(&self) -> f64 {
        self.mean(Decomposition::hull_ratio)
    }

    /// What was cut out of the solids and not kept.
    pub fn dropped(&self) -> Dropped {
        let mut all = Dropped::default();
        self.parts.iter().for_each(|part| all.add(part.dropped()));
        all
    }

    /// The mean over all solids, by their volume.
    fn mean(&self, ratio: fn(&Decomposition) -> f64) -> f64 {
        let volume = |part: &Decomposition| part.solid().volume();
        let all: f64 = self.parts.iter().map(volume).sum();
        self.parts.iter().map(|part| ratio(part) * volume(part)).sum::<f64>() / all
    }
}

impl Compound {
    /// A compound of solids modelled apart, which may overlap: a piece each, and ghosts for what they have in common.
    ///
    /// ```
    /// use smithereens::{Aabb, Compound, Convex, Fit, Slot, Solid};
    /// use glam::DVec3;
    /// let boxed = |x: f64| Solid::new(Convex::from_box(&Aabb::new(DVec3::X * x, DVec3::ONE + DVec3::X * x)).to_mesh(Slot(0)));
    /// let pair = Compound::from_solids(vec![boxed(0.0)?, boxed(0.75)?], Fit::Dop26)?;
    /// assert!((pair.mass().volume - 1.75).abs() < 1e-12);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn from_solids(solids: Vec<Solid>, fit: Fit) -> Result<Compound, CompoundError> {
        let piece = |solid: Solid| tightened(Piece::surface(fit.around(&solid.mesh().positions), solid));
        Compound::from_pieces(solids.into_iter().map(piece).collect())
    }
}

/// Convexes of more vertices are not worth their price, however well they fit.
const MOST_VERTICES: usize = 256;

/// The piece in its hull, if it is convex.
fn tightened(piece: Piece) -> Piece {
    let Some(skin) = piece.skin() else { return piece };
    let positions = &skin.mesh().positions;
    if positions.len() > MOST_VERTICES {
        return piece;
    }
    match Convex::hull(positions) {
        Some(hull) if hull.volume() - skin.volume() <= skin.volume() * Tolerance::RELATIVE => {
            Piece::surface(hull, skin.clone())
        }
        _ => piece,
    }
}
