//! What was to be seen: every body as long as it looked the same, and where it was.

use glam::DVec3;
use smithereens::Compound;

use crate::convert::widen_pose;
use crate::{Body, BodyId, Chip, MaterialId, Pose, World};

/// A body as long as it looked the same. One that loses pieces and goes on is another track from then on.
#[derive(Clone, Debug)]
pub struct Track {
    /// The body.
    pub body: BodyId,
    /// Its pieces and bonds.
    pub compound: Compound,
    /// What it is made of.
    pub material: MaterialId,
    /// The point of the compound that the poses place: draw the compound about it.
    pub center: DVec3,
    /// The frame in which it is seen first.
    pub born: u64,
    /// The frame in which it is not seen any more; none if it is there to the end.
    pub gone: Option<u64>,
    /// Where it was, by frame: only frames in which it was somewhere else than before.
    pub poses: Vec<(u64, Pose)>,
}

impl Track {
    /// Whether it is seen in a frame.
    pub fn is_seen(&self, frame: u64) -> bool {
        self.born <= frame && self.gone.is_none_or(|gone| frame < gone)
    }

    /// Where it was in a frame.
    pub fn pose(&self, frame: u64) -> Pose {
        pose_at(&self.poses, frame)
    }
}

/// A chip of debris, from its birth to its end.
#[derive(Clone, Debug)]
pub struct ChipTrack {
    /// Which one.
    pub id: u64,
    /// Which of [`chip_shapes`](crate::chip_shapes) it looks like.
    pub shape: usize,
    /// How many times as large.
    pub radius: f64,
    /// What it is made of.
    pub material: MaterialId,
    /// The frame in which it is seen first.
    pub born: u64,
    /// The frame in which it is not seen any more; none if it is there to the end.
    pub gone: Option<u64>,
    /// Where it was, by frame: only frames in which it was somewhere else than before.
    pub poses: Vec<(u64, Pose)>,
}

impl ChipTrack {
    fn of(chip: &Chip, born: u64) -> ChipTrack {
        ChipTrack {
            id: chip.id(),
            shape: chip.shape(),
            radius: chip.radius(),
            material: chip.material(),
            born,
            gone: None,
            poses: Vec::new(),
        }
    }

    /// Whether it is seen in a frame.
    pub fn is_seen(&self, frame: u64) -> bool {
        self.born <= frame && self.gone.is_none_or(|gone| frame < gone)
    }

    /// Where it was in a frame.
    pub fn pose(&self, frame: u64) -> Pose {
        pose_at(&self.poses, frame)
    }
}

/// The last pose up to a frame.
fn pose_at(poses: &[(u64, Pose)], frame: u64) -> Pose {
    let next = poses.partition_point(|(at, _)| *at <= frame);
    poses.get(next.saturating_sub(1)).map_or(Pose::IDENTITY, |(_, pose)| *pose)
}

/// Follows the bodies of a world from frame to frame.
///
/// ```
/// use smithereens_simulate::{Material, NewBody, Options, Pose, Recorder, World};
/// use smithereens::{Aabb, Compound, Convex};
/// use glam::DVec3;
/// let mut world = World::new(Options::default(), Material::table());
/// world.add_ground(0.0, 0.6);
/// let cube = Compound::from_convexes(vec![Convex::from_box(&Aabb::cube(0.5))])?;
/// world.add(NewBody::at(cube, Pose::at(DVec3::new(0.0, 20.0, 0.0))))?;
/// let mut recorder = Recorder::default();
/// for _ in 0..150 {
///     recorder.record(&world);
///     world.step();
/// }
/// let tracks = recorder.tracks();
/// assert!(tracks.len() > 1 && tracks[0].gone.is_some());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Default)]
pub struct Recorder {
    tracks: Vec<Track>,
    /// The bodies that are seen, in their order.
    current: Vec<Seen>,
    chips: Vec<ChipTrack>,
    /// The chips that are seen: which, and its track. In their order.
    current_chips: Vec<(u64, usize)>,
    frames: u64,
}

/// A body that is seen.
#[derive(Clone, Copy, Debug)]
struct Seen {
    body: BodyId,
    track: usize,
    /// The step in which it looked like this first.
    changed: u64,
}

impl Recorder {
    /// Takes a frame. Bodies come in their order, as those of the frame before did: the two are walked together.
    pub fn record(&mut self, world: &World) {
        let frame = self.frames;
        self.frames += 1;
        let mut before = std::mem::take(&mut self.current).into_iter().peekable();
        for (id, body) in world.destruction.bodies() {
            let Some(pose) = body.frame(&world.physics.bodies) else { continue };
            while let Some(seen) = before.next_if(|seen| seen.body < id) {
                self.tracks[seen.track].gone = Some(frame);
            }
            let (pose, changed) = (widen_pose(&pose), body.changed());
            let track = match before.next_if(|seen| seen.body == id) {
                Some(seen) if seen.changed == changed => seen.track,
                another => {
                    if let Some(seen) = another {
                        self.tracks[seen.track].gone = Some(frame);
                    }
                    self.begin(id, body, frame)
                }
            };
            let poses = &mut self.tracks[track].poses;
            if poses.last().is_none_or(|(_, last)| *last != pose) {
                poses.push((frame, pose));
            }
            self.current.push(Seen { body: id, track, changed });
        }
        for seen in before {
            self.tracks[seen.track].gone = Some(frame);
        }
        self.record_chips(world, frame);
    }

    fn record_chips(&mut self, world: &World, frame: u64) {
        let mut before = std::mem::take(&mut self.current_chips).into_iter().peekable();
        for chip in world.debris().into_iter().flat_map(|debris| debris.chips()) {
            let pose = chip.pose();
            while let Some((_, track)) = before.next_if(|(id, _)| *id < chip.id()) {
                self.chips[track].gone = Some(frame);
            }
            let known = before.next_if(|(id, _)| *id == chip.id()).map(|(_, track)| track);
            let track = known.unwrap_or_else(|| {
                self.chips.push(ChipTrack::of(chip, frame));
                self.chips.len() - 1
            });
            let poses = &mut self.chips[track].poses;
            if poses.last().is_none_or(|(_, last)| *last != pose) {
                poses.push((frame, pose));
            }
            self.current_chips.push((chip.id(), track));
        }
        for (_, track) in before {
            self.chips[track].gone = Some(frame);
        }
    }

    /// Begins the track of a body as it looks now.
    fn begin(&mut self, id: BodyId, body: &Body, born: u64) -> usize {
        self.tracks.push(Track {
            body: id,
            compound: body.compound().clone(),
            material: body.material(),
            center: body.center(),
            born,
            gone: None,
            poses: Vec::new(),
        });
        self.tracks.len() - 1
    }

    /// The tracks, in order of their first frame.
    pub fn tracks(&self) -> &[Track] {
        &self.tracks
    }

    /// The chips of debris, in order of their birth.
    pub fn chips(&self) -> &[ChipTrack] {
        &self.chips
    }

    /// How many frames were taken.
    pub fn frames(&self) -> u64 {
        self.frames
    }
}
