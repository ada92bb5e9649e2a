//! Bodies as boxes, as dust sees them. Worked out once for each body: its pieces are all over memory, and dust asks for hundreds of bodies a step.

use std::collections::BTreeMap;

use glam::DVec3;
use rayon::prelude::*;
use smithereens::Aabb;

use crate::{Body, BodyId, Destruction};

/// What fills less of a cell of air than this does not stand in the way of dust.
const FILLED: f64 = 0.5;
/// Bodies that are worth a task.
const TASK: usize = 16;
/// Bodies that are, where all is known already.
pub(crate) const LOOKED_UP: usize = 256;

/// A box in the frame that physics moves: its middle, and half its size.
pub(crate) type Block = (DVec3, DVec3);

/// A body that dust has to do with.
pub(crate) struct Seen<T> {
    pub id: BodyId,
    /// The step in which it got the pieces that it has.
    pub changed: u64,
    /// How it moves, or where it stands.
    pub state: T,
}

/// The boxes of bodies that were asked for.
#[derive(Clone, Debug, Default)]
pub(crate) struct Outlines(BTreeMap<BodyId, Outline>);

/// A body as boxes: one if it is small, else one for each of its pieces that is not.
#[derive(Clone, Debug)]
struct Outline {
    /// The step in which the body got the pieces that these are.
    changed: u64,
    blocks: Vec<Block>,
}

impl Outlines {
    /// Works out the boxes of those bodies of which they are not known, for cells of air of this length.
    pub fn prepare<T: Sync>(&mut self, bodies: &[Seen<T>], destruction: &Destruction, cell: f64) {
        let is_known =
            |seen: &&Seen<T>| self.0.get(&seen.id).is_some_and(|known| known.changed == seen.changed);
        let unknown = bodies.par_iter().with_min_len(LOOKED_UP).filter(|seen| !is_known(seen));
        let unknown: Vec<BodyId> = unknown.map(|seen| seen.id).collect();
        let found = unknown.par_iter().with_min_len(TASK).filter_map(|id| {
            let body = destruction.body(*id)?;
            Some((*id, Outline { changed: body.changed, blocks: blocks(body, cell).collect() }))
        });
        let found: Vec<(BodyId, Outline)> = found.collect();
        self.0.extend(found);
        if self.0.len() > 2 * destruction.bodies.len() {
            self.0.retain(|id, _| destruction.bodies.contains_key(id));
        }
    }

    /// The boxes of a body; none if it was not prepared.
    pub fn of(&self, id: BodyId) -> &[Block] {
        self.0.get(&id).map_or(&[], |outline| &outline.blocks)
    }
}

/// What has less volume is one box, and does not stand in the way of dust: it does not fill a cell of air.
pub(crate) fn volume_of_note(cell: f64) -> f64 {
    FILLED * cell * cell * cell
}

fn blocks(body: &Body, cell: f64) -> impl Iterator<Item = Block> {
    let (least, pieces, volume) = (volume_of_note(cell), body.compound.pieces(), body.compound.mass().volume);
    let is_one = volume < least || pieces.len() == 1;
    let one = is_one.then(|| shrunk(&body.compound.bounds(), volume));
    let solid = pieces.iter().filter(move |piece| !is_one && !piece.is_ghost());
    let large = solid.filter(move |piece| piece.mass().volume >= least);
    let all = one.into_iter().chain(large.map(|piece| shrunk(piece.bounds(), piece.mass().volume)));
    all.map(|(middle, half)| (middle - body.center, half))
}

/// A box about the same middle that has the volume of what is in it.
fn shrunk(bounds: &Aabb, volume: f64) -> (DVec3, DVec3) {
    let half = bounds.size() * 0.5;
    let filled = (volume / (8.0 * half.element_product())).clamp(0.0, 1.0);
    (bounds.center(), half * libm::cbrt(filled))
}
