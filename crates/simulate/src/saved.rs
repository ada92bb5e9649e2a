//! A world as bytes, which goes on as if nothing had been.
//!
//! Rapier's sets are saved as they are; of ours what cannot be computed again. A fracture under way is begun anew: it comes to the same end.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use glam::DVec3;
use rapier3d::prelude::{ColliderHandle, PhysicsWorld, SharedShape};
use serde::{Deserialize, Serialize};
use smithereens::{Aabb, Compound, SavedError};
use smithereens_modes::Weakness;
use thiserror::Error;

use crate::body::Seat;
use crate::carry::Rest;
use crate::ductile::{Bend, Bends};
use crate::faceted::Faceted;
use crate::hash::Hash;
use crate::jobs::Pending;
use crate::load::Push;
use crate::{Body, BodyId, Cloud, Debris, Destruction, Material, MaterialId, Options, Pose, Retired, World};

/// Why bytes are no world.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum LoadError {
    /// They end before they should, or are something else.
    #[error("the saved world is cut short, damaged, or something else")]
    Damaged,
    /// They were written by another version.
    #[error("the saved world has version {0}, this program reads version {VERSION}")]
    Version(u32),
    /// One of its compounds is wrong.
    #[error(transparent)]
    Compound(#[from] SavedError),
}

const VERSION: u32 = 7;
const MAGIC: [u8; 4] = *b"smWd";

impl World {
    /// All of it as bytes.
    ///
    /// The world is put together anew from them, so that it goes on just as what is loaded from them does: Rapier keeps some things in mind that
    /// it does not save, and they have a say in the last bits.
    ///
    /// ```
    /// use smithereens_simulate::{Material, NewBody, Options, Pose, World};
    /// use smithereens::{Aabb, Compound, Convex};
    /// use glam::DVec3;
    /// let mut world = World::new(Options::default(), Material::table());
    /// world.add_ground(0.0, 0.6);
    /// let cube = Compound::from_convexes(vec![Convex::from_box(&Aabb::cube(0.5))])?;
    /// world.add(NewBody::at(cube, Pose::at(DVec3::new(0.0, 20.0, 0.0))))?;
    /// (0..60).for_each(|_| world.step());
    /// let mut again = World::load(&world.save())?;
    /// (0..120).for_each(|_| (world.step(), again.step()).0);
    /// assert_eq!(world.state_hash(), again.state_hash());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn save(&mut self) -> Vec<u8> {
        // Writing to memory cannot fail: nothing in a world is of a kind that has no bytes.
        let destruction = SavedDestruction::of(&self.destruction);
        let state = postcard::to_allocvec(&(&self.physics, destruction, self.cloud(), self.debris()));
        let bytes = sealed(MAGIC, state.unwrap_or_default());
        if let Ok(again) = World::load(&bytes) {
            self.put_together(again);
        }
        bytes
    }

    /// The world that the bytes were made from.
    pub fn load(bytes: &[u8]) -> Result<World, LoadError> {
        type Saved = (PhysicsWorld, SavedDestruction, Option<Cloud>, Option<Debris>);
        let read = postcard::from_bytes::<Saved>(unsealed(MAGIC, bytes)?);
        let (mut physics, saved, cloud, debris) = read.map_err(|_| LoadError::Damaged)?;
        shape_again(&mut physics);
        let mut destruction = saved.destruction()?;
        destruction.motions.note(&physics.bodies, &physics.islands);
        let is_known = |debris: &Debris| debris.is_of(destruction.materials.len());
        if !debris.as_ref().is_none_or(is_known) {
            return Err(LoadError::Damaged);
        }
        Ok(World::from_parts(physics, destruction, cloud, debris))
    }
}

/// Shapes were saved as what they look like to Rapier.
fn shape_again(physics: &mut PhysicsWorld) {
    for (_, collider) in physics.colliders.iter_mut() {
        if let Some(faceted) = Faceted::from_shape(collider.shared_shape()) {
            collider.set_shape(SharedShape::new(faceted));
        }
    }
}

/// Bytes with what they are before them, and a sum of them behind.
pub(crate) fn sealed(magic: [u8; 4], content: Vec<u8>) -> Vec<u8> {
    let mut bytes = magic.to_vec();
    bytes.extend(VERSION.to_le_bytes());
    bytes.extend(content);
    bytes.extend(checksum(&bytes).to_le_bytes());
    bytes
}

/// What was sealed, if nothing has happened to it. Rapier takes what it is given at its word.
pub(crate) fn unsealed(magic: [u8; 4], bytes: &[u8]) -> Result<&[u8], LoadError> {
    let rest = bytes.strip_prefix(&magic).ok_or(LoadError::Damaged)?;
    let (version, rest) = rest.split_first_chunk::<4>().ok_or(LoadError::Damaged)?;
    let version = u32::from_le_bytes(*version);
    if version != VERSION {
        return Err(LoadError::Version(version));
    }
    let (content, sum) = rest.split_last_chunk::<8>().ok_or(LoadError::Damaged)?;
    let is_whole = checksum(&bytes[..bytes.len() - 8]) == u64::from_le_bytes(*sum);
    if is_whole { Ok(content) } else { Err(LoadError::Damaged) }
}

/// Damage is noticed, intent is not.
fn checksum(bytes: &[u8]) -> u64 {
    let mut words = bytes.chunks(8).map(|chunk| {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        u64::from_le_bytes(word)
    });
    let mut hash = Hash::default();
    words.by_ref().for_each(|word| hash.add(word));
    hash.value()
}

#[derive(Serialize, Deserialize)]
struct SavedDestruction {
    options: Options,
    materials: Vec<Material>,
    /// Each once: many bodies are copies of each other.
    compounds: Vec<Vec<u8>>,
    weaknesses: Vec<Vec<u8>>,
    bodies: Vec<SavedBody>,
    fragments_of: BTreeMap<BodyId, Vec<BodyId>>,
    next_id: u64,
    step: u64,
    pending: VecDeque<Pending>,
    under_way: Option<(Pending, u64)>,
    retired: Retired,
    frozen: Vec<BodyId>,
    late: usize,
    resting: Vec<SavedRest>,
    draws: u64,
    cool_down_steps: u64,
    vacant: Vec<ColliderHandle>,
    bending: Vec<Bend>,
    bends: Bends,
}

impl SavedDestruction {
    fn of(destruction: &Destruction) -> SavedDestruction {
        let mut compounds = Compounds::default();
        let mut weaknesses = Weaknesses::default();
        let saved = |(id, body): (BodyId, &Body)| {
            let weakness = body.weakness().map(|weakness| weaknesses.index(weakness));
            SavedBody { weakness, ..SavedBody::of(id, body, &mut compounds) }
        };
        let bodies = destruction.bodies().map(saved).collect();
        let resting = destruction.resting.iter();
        SavedDestruction {
            options: destruction.options,
            materials: destruction.materials.clone(),
            bodies,
            compounds: compounds.list,
            weaknesses: weaknesses.bytes(),
            fragments_of: destruction.fragments_of.clone(),
            next_id: destruction.next_id,
            step: destruction.step,
            pending: destruction.pending.clone(),
            under_way: destruction.job.as_ref().map(|job| (job.hit.clone(), job.draw)),
            retired: destruction.retired,
            frozen: destruction.frozen.clone(),
            late: destruction.late,
            resting: resting.map(|(id, rest)| SavedRest::of(id, rest)).collect(),
            draws: destruction.draws,
            cool_down_steps: destruction.cool_down_steps,
            vacant: destruction.vacant.places().to_vec(),
            bending: destruction.bending.clone(),
            bends: destruction.bends,
        }
    }

    fn destruction(self) -> Result<Destruction, LoadError> {
        let compounds = self.compounds.iter().map(|bytes| Compound::from_bytes(bytes));
        let compounds = compounds.collect::<Result<Vec<_>, _>>()?;
        let weaknesses = Weaknesses::read(&self.weaknesses)?;
        let mut destruction = Destruction::new(self.options, self.materials);
        for saved in self.bodies {
            let compound = compounds.get(saved.compound as usize).ok_or(LoadError::Damaged)?;
            let is_known = (saved.material.0 as usize) < destruction.materials.len();
            if !is_known || saved.colliders.len() != compound.pieces().len() {
                return Err(LoadError::Damaged);
            }
            let weakness = Weaknesses::at(&weaknesses, saved.weakness).ok_or(LoadError::Damaged)?;
            let nature = destruction.nature(weakness);
            destruction.bodies.insert(saved.id, Body { nature, ..saved.body(compound.clone()) });
        }
        destruction.fragments_of = self.fragments_of;
        destruction.next_id = self.next_id;
        destruction.step = self.step;
        destruction.pending = self.pending;
        destruction.retired = self.retired;
        destruction.frozen = self.frozen;
        destruction.late = self.late;
        destruction.draws = self.draws;
        destruction.cool_down_steps = self.cool_down_steps;
        destruction.vacant = self.vacant.into();
        destruction.bending = self.bending;
        destruction.bends = self.bends;
        for saved in self.resting {
            destruction.resting.insert(saved.id, saved.rest());
        }
        let under_way = self.under_way.and_then(|(hit, draw)| destruction.begin(hit, draw));
        destruction.job = under_way.map(Box::new);
        Ok(destruction)
    }
}

#[derive(Serialize, Deserialize)]
struct SavedBody {
    id: BodyId,
    compound: u32,
    material: MaterialId,
    weakness: Option<u32>,
    left: f64,
    center: DVec3,
    seat: Seat,
    colliders: Vec<Option<ColliderHandle>>,
    lump: Option<ColliderHandle>,
    anchors: Vec<[DVec3; 2]>,
    parent: Option<BodyId>,
    root: BodyId,
    born: u64,
    changed: u64,
    safe_until: u64,
    still: Option<Pose>,
    still_steps: u32,
    place: Option<Pose>,
}

impl SavedBody {
    fn of(id: BodyId, body: &Body, compounds: &mut Compounds) -> SavedBody {
        SavedBody {
            id,
            compound: compounds.index(&body.compound),
            material: body.material,
            weakness: None,
            left: body.left,
            center: body.center,
            seat: body.seat,
            colliders: body.colliders.clone(),
            lump: body.lump,
            anchors: body.anchors.iter().map(corners).collect(),
            parent: body.parent,
            root: body.root,
            born: body.born,
            changed: body.changed,
            safe_until: body.safe_until,
            still: body.still,
            still_steps: body.still_steps,
            place: body.place,
        }
    }

    fn body(self, compound: Compound) -> Body {
        Body {
            compound,
            material: self.material,
            nature: None,
            left: self.left,
            center: self.center,
            seat: self.seat,
            colliders: self.colliders,
            lump: self.lump,
            anchors: self.anchors.into_iter().map(|[min, max]| Aabb::new(min, max)).collect(),
            parent: self.parent,
            root: self.root,
            born: self.born,
            changed: self.changed,
            safe_until: self.safe_until,
            still: self.still,
            still_steps: self.still_steps,
            place: self.place,
        }
    }
}

#[derive(Serialize, Deserialize)]
struct SavedRest {
    id: BodyId,
    bounds: [DVec3; 2],
    carriers: Vec<BodyId>,
    pushes: Vec<(BodyId, DVec3, DVec3)>,
}

impl SavedRest {
    fn of(id: BodyId, rest: &Rest) -> SavedRest {
        let pushes = rest.pushes.iter().map(|push| (push.on, push.at, push.force)).collect();
        SavedRest { id, bounds: corners(&rest.bounds), carriers: rest.carriers.clone(), pushes }
    }

    fn rest(self) -> Rest {
        let pushes = self.pushes.into_iter().map(|(on, at, force)| Push { on, at, force }).collect();
        Rest { bounds: Aabb::new(self.bounds[0], self.bounds[1]), carriers: self.carriers, pushes }
    }
}

fn corners(bounds: &Aabb) -> [DVec3; 2] {
    [bounds.min, bounds.max]
}

/// The bytes of compounds, each once.
#[derive(Default)]
pub(crate) struct Compounds {
    pub list: Vec<Vec<u8>>,
    indices: BTreeMap<Vec<u8>, u32>,
}

impl Compounds {
    pub fn index(&mut self, compound: &Compound) -> u32 {
        let list = &mut self.list;
        *self.indices.entry(compound.to_bytes()).or_insert_with_key(|bytes| {
            list.push(bytes.clone());
            list.len() as u32 - 1
        })
    }
}

/// What bodies share that break by nature, each once.
#[derive(Default)]
pub(crate) struct Weaknesses {
    list: Vec<Arc<Weakness>>,
}

impl Weaknesses {
    pub fn index(&mut self, weakness: &Arc<Weakness>) -> u32 {
        let known = self.list.iter().position(|known| Arc::ptr_eq(known, weakness));
        known.unwrap_or_else(|| {
            self.list.push(weakness.clone());
            self.list.len() - 1
        }) as u32
    }

    pub fn bytes(&self) -> Vec<Vec<u8>> {
        // Writing to memory cannot fail: nothing in a weakness is of a kind that has no bytes.
        self.list.iter().map(|weakness| weakness.to_bytes().unwrap_or_default()).collect()
    }

    pub fn read(bytes: &[Vec<u8>]) -> Result<Vec<Arc<Weakness>>, LoadError> {
        let read = |bytes: &Vec<u8>| Weakness::from_bytes(bytes).map(Arc::new);
        bytes.iter().map(read).collect::<Result<_, _>>().map_err(|_| LoadError::Damaged)
    }

    /// The one of an index, if there is an index; none if it names what is not there.
    pub fn at(read: &[Arc<Weakness>], index: Option<u32>) -> Option<Option<&Arc<Weakness>>> {
        index.map_or(Some(None), |index| read.get(index as usize).map(Some))
    }
}

/// How convexes are fitted, as two numbers: how many planes, or of a hull, how many vertices.
pub(crate) mod fit {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};
    use smithereens::Fit;

    pub fn serialize<S: Serializer>(fit: &Fit, serializer: S) -> Result<S::Ok, S::Error> {
        let numbers: (u8, u8) = match *fit {
            Fit::Aabb => (6, 0),
            Fit::Dop14 => (14, 0),
            Fit::Dop26 => (26, 0),
            Fit::Hull { vertices } => (0, vertices),
        };
        numbers.serialize(serializer)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Fit, D::Error> {
        Ok(match <(u8, u8)>::deserialize(deserializer)? {
            (6, _) => Fit::Aabb,
            (14, _) => Fit::Dop14,
            (26, _) => Fit::Dop26,
            (_, vertices) => Fit::Hull { vertices },
        })
    }
}
