//! The part of an octree in a cell: one walk down the tree that leaves a new tree behind.
//!
//! A place that no plane of the cell crosses is taken as it is or left, with all that is in it; where planes cross, its octants are asked about those planes
//! only, down to bricks (Section 4.1). Internal places are divided on the way, as far as a plane goes through them. The new tree comes out in
//! the order of its Morton codes, with its levels already built: there is nothing to sort, and nothing to build afterwards (Section 4.6). That its internal nodes are
//! internal needs no test either: they were, and nothing was cut there (Section 3.2).

use crate::brick::Brick;
use crate::canopy::Canopy;
use crate::cell::{Bisector, half_side, middle_of};
use crate::look::{Crossing, Cut, Kind, Look, Mixed, Skin, skin_of};
use crate::member::Membership;
use crate::settle::is_whole;
use crate::sides::Sides;
use crate::trunk::{Node, Spot, Trunk};

/// What became of a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Made {
    Nothing,
    /// It is wholly internal.
    Full,
    /// A node or a brick, the last of its level.
    Node,
}

/// What is reused from cell to cell.
#[derive(Default)]
pub(crate) struct Scratch {
    pub active: Vec<Active>,
    pub membership: Membership,
    pub crossings: Vec<Crossing>,
}

/// A plane that crosses a place, and its value in the middle of that.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Active {
    pub plane: u32,
    pub value: f64,
    /// Which octants of the place it crosses, once that has been asked.
    pub octants: u32,
}

/// A tree that is cut, and where its payload is.
#[derive(Clone, Copy)]
pub(crate) struct Source<'a> {
    pub trunk: &'a Trunk,
    pub skin: &'a Skin,
}

/// A new tree on its way.
pub(crate) struct Growth<'a> {
    pub source: Source<'a>,
    pub trunk: &'a mut Trunk,
    pub scratch: &'a mut Scratch,
}

/// A place of the source: what is there, and its code.
#[derive(Clone, Copy)]
pub(crate) struct At {
    pub depth: usize,
    pub spot: Spot,
    pub code: u32,
}

impl At {
    pub const ROOT: At = At { depth: 0, spot: Spot::Node(0), code: 0 };
}

/// A mask for every object, and what to say of its voxels.
pub(crate) struct Share {
    pub meets: u64,
    pub within: u64,
    pub owned: u64,
    /// Whether what meets it hangs together wherever it is cut from something full.
    pub is_convex: bool,
}

impl Growth<'_> {
    /// Adds what a place near the root holds of the cell of a seed, of which these are the planes to all others.
    pub fn clip_from(&mut self, canopy: &Canopy, place: u32, seed: u32, planes: &[Bisector], at: At) -> Made {
        let seeds = canopy.seeds(place);
        if seeds.binary_search(&seed).is_err() {
            return Made::Nothing;
        }
        let Some(octants) = canopy.octants(place) else {
            let half = half_side(self.source.trunk, at.depth);
            let middle = middle_of(at.code, half);
            self.scratch.active.clear();
            for &other in seeds.iter().filter(|&&other| other != seed) {
                let plane = &planes[other as usize];
                let (value, reach) = (plane.at(middle) as f64, half as f64 * plane.steepness);
                if value > reach {
                    return Made::Nothing;
                }
                if value >= -reach {
                    self.scratch.active.push(Active { plane: other, value, octants: 0 });
                }
            }
            return self.clip(planes, at, 0);
        };
        let mut node = Node { first: self.trunk.len(at.depth + 1), ..Node::default() };
        for (octant, below) in (0..).zip(octants) {
            let Some(below) = *below else { continue };
            let spot = self.source.trunk.child(at.depth, at.spot, octant);
            let child = At { depth: at.depth + 1, spot, code: at.code << 3 | octant };
            let made = self.clip_from(canopy, below, seed, planes, child);
            node.add(octant, made);
        }
        self.finish(at.depth, node, at.spot == Spot::Full)
    }

    /// Adds what a place holds of the cell within planes that cross it: those of the stack from `from` on.
    pub fn clip(&mut self, planes: &[Bisector], at: At, from: usize) -> Made {
        match self.scratch.active[from..] {
            [] => return self.take(at),
            [Active { plane, value, .. }] => {
                let face = self.source.trunk.cuts.faces.len() as u32 + plane;
                return self.clip_one(&planes[plane as usize], face, value, at);
            }
            _ => {}
        }
        if at.depth == self.source.trunk.depth() {
            return self.clip_brick(planes, at, from);
        }
        let end = self.scratch.active.len();
        let quarter = (half_side(self.source.trunk, at.depth) / 2) as f64;
        let mut out = 0;
        for active in &mut self.scratch.active[from..] {
            let (beyond, crossed) = planes[active.plane as usize].octants(active.value, quarter);
            out |= beyond;
            active.octants = crossed;
        }
        let mut node = Node { first: self.trunk.len(at.depth + 1), ..Node::default() };
        for octant in (0..8).filter(|octant| out >> octant & 1 == 0) {
            let spot = self.source.trunk.child(at.depth, at.spot, octant);
            if spot == Spot::Empty {
                continue;
            }
            self.enter(planes, from..end, quarter, octant);
            let made = self.clip(planes, At { depth: at.depth + 1, spot, code: at.code << 3 | octant }, end);
            self.scratch.active.truncate(end);
            node.add(octant, made);
        }
        // What a convex leaves of something full is convex: voxels that meet it hang together.
        let is_convex = at.spot == Spot::Full;
        self.finish(at.depth, node, is_convex)
    }

    /// Adds what a place holds of the cell within the only plane that crosses it, which has this value in its middle: most of the walk.
    fn clip_one(&mut self, plane: &Bisector, face: u32, value: f64, at: At) -> Made {
        if at.depth == self.source.trunk.depth() {
            let linear = plane.on_brick(value);
            let Sides { meets, within, owned } = self.scratch.membership.finder.find_one(&linear);
            let crossing = Crossing { voxels: meets & !within, face };
            return self.add_brick(at, &Share { meets, within, owned, is_convex: true }, &[crossing]);
        }
        let quarter = (half_side(self.source.trunk, at.depth) / 2) as f64;
        let (out, crossed) = plane.octants(value, quarter);
        let mut node = Node { first: self.trunk.len(at.depth + 1), ..Node::default() };
        for octant in (0..8).filter(|octant| out >> octant & 1 == 0) {
            let spot = self.source.trunk.child(at.depth, at.spot, octant);
            let child = At { depth: at.depth + 1, spot, code: at.code << 3 | octant };
            let made = match spot {
                Spot::Empty => continue,
                _ if crossed >> octant & 1 == 0 => self.take(child),
                _ => self.clip_one(plane, face, value + quarter * plane.corners[octant as usize], child),
            };
            node.add(octant, made);
        }
        self.finish(at.depth, node, at.spot == Spot::Full)
    }

    /// Puts those planes on the stack that cross an octant.
    fn enter(&mut self, planes: &[Bisector], active: std::ops::Range<usize>, quarter: f64, octant: u32) {
        for index in active {
            let Active { plane, value, octants } = self.scratch.active[index];
            if octants >> octant & 1 == 1 {
                let value = value + quarter * planes[plane as usize].corners[octant as usize];
                self.scratch.active.push(Active { plane, value, octants });
            }
        }
    }

    /// Adds a place as it is.
    pub fn take(&mut self, at: At) -> Made {
        let Spot::Node(index) = at.spot else {
            return if at.spot == Spot::Full { Made::Full } else { Made::Nothing };
        };
        let bricks = self.trunk.bricks.len();
        self.trunk.copy(self.source.trunk, at.depth, index);
        if !self.source.trunk.cuts.mixed.is_empty() {
            self.take_mixed(bricks);
        }
        Made::Node
    }

    /// Copies what the bricks from `first` on, which are the source's, say of mixed ones.
    fn take_mixed(&mut self, first: usize) {
        let from = &self.source.trunk.cuts;
        for index in first..self.trunk.bricks.len() {
            let brick = self.trunk.bricks[index];
            let Kind::Mixed(entry) = brick.look.kind() else { continue };
            let Mixed { skin, cut } = from.mixed[entry as usize];
            let cut = match cut {
                Cut::Face(face) => Cut::Face(face),
                Cut::Through { count, .. } => {
                    let start = self.trunk.cuts.crossings.len() as u32;
                    self.trunk.cuts.crossings.extend(from.crossings(brick.look));
                    Cut::Through { first: start, count }
                }
            };
            self.trunk.bricks[index].look = self.mixed(skin, cut);
        }
    }

    fn mixed(&mut self, skin: Option<u32>, cut: Cut) -> Look {
        self.trunk.cuts.mixed.push(Mixed { skin, cut });
        Look::new(Kind::Mixed(self.trunk.cuts.mixed.len() as u32 - 1))
    }

    /// Ends a node whose octants have all been added.
    pub fn finish(&mut self, depth: usize, mut node: Node, is_convex: bool) -> Made {
        if node.children == 0 {
            return match node.internal {
                0 => Made::Nothing,
                0xff => Made::Full,
                _ => self.push(depth, node),
            };
        }
        node.whole = is_convex || is_whole(self.trunk, depth, node);
        self.push(depth, node)
    }

    fn push(&mut self, depth: usize, node: Node) -> Made {
        self.trunk.levels[depth].push(node);
        Made::Node
    }

    fn clip_brick(&mut self, planes: &[Bisector], at: At, from: usize) -> Made {
        let faces = self.source.trunk.cuts.faces.len() as u32;
        let mut membership = std::mem::take(&mut self.scratch.membership);
        let mut crossings = std::mem::take(&mut self.scratch.crossings);
        let active = &self.scratch.active[from..];
        let asked = match at.spot {
            Spot::Node(index) => self.source.trunk.bricks[index as usize].solid(),
            _ => !0,
        };
        membership.find(asked, active.iter().map(|active| (&planes[active.plane as usize], active.value)));
        crossings.clear();
        let through = active.iter().zip(&membership.crossed);
        crossings.extend(through.map(|(active, &voxels)| Crossing { voxels, face: faces + active.plane }));
        let (meets, within, owned) = (membership.meets, membership.within, membership.owned);
        let made = self.add_brick(at, &Share { meets, within, owned, is_convex: true }, &crossings);
        self.scratch.membership = membership;
        self.scratch.crossings = crossings;
        made
    }

    /// Adds the share that an object has of a brick.
    pub fn add_brick(&mut self, at: At, share: &Share, crossings: &[Crossing]) -> Made {
        let none = Brick::new(at.code, 0, !0, Look::default());
        let (brick, is_full) = match at.spot {
            Spot::Node(index) => (self.source.trunk.bricks[index as usize], false),
            _ => (none, true),
        };
        let internal = brick.internal() & share.within;
        let boundary = brick.solid() & share.meets & !internal;
        if boundary == 0 {
            return match internal {
                0 => Made::Nothing,
                _ if internal == !0 => Made::Full,
                _ => self.push_brick(Brick::new(at.code, 0, internal, Look::default())),
            };
        }
        let copies = boundary & !(brick.owned() & share.owned);
        let look = self.look(&brick, is_full, boundary, crossings);
        let inside = internal | copies;
        self.push_brick(if is_full && share.is_convex {
            Brick::of_convex(at.code, boundary, inside, look)
        } else {
            Brick::new(at.code, boundary, inside, look)
        })
    }

    fn push_brick(&mut self, brick: Brick) -> Made {
        self.trunk.bricks.push(brick);
        Made::Node
    }

    /// Where the payload of a new brick is.
    fn look(&mut self, brick: &Brick, is_full: bool, boundary: u64, crossings: &[Crossing]) -> Look {
        let cuts = &self.source.trunk.cuts;
        let skin = if is_full { None } else { skin_of(cuts, brick.look) };
        let of_skin = boundary & skin.map_or(0, |skin| self.source.skin.masks[skin as usize]);
        let cut = boundary & !of_skin;
        match *crossings {
            _ if cut == 0 => return Look::new(Kind::Skin(skin.unwrap_or(0))),
            [only] if is_full => return Look::new(Kind::Face(only.face)),
            _ => {}
        }
        // Voxels that an earlier fracture laid open keep their normals.
        let earlier = if is_full { 0 } else { brick.boundary & cut };
        let first = self.trunk.cuts.crossings.len();
        if earlier != 0 {
            let kept = cuts.crossings(brick.look).map(|c| Crossing { voxels: c.voxels & earlier, ..c });
            self.trunk.cuts.crossings.extend(kept.filter(|crossing| crossing.voxels != 0));
        }
        let made = crossings.iter().map(|c| Crossing { voxels: c.voxels & cut & !earlier, ..*c });
        self.trunk.cuts.crossings.extend(made.filter(|crossing| crossing.voxels != 0));
        let cut = match self.trunk.cuts.crossings[first..] {
            [only] => {
                self.trunk.cuts.crossings.truncate(first);
                Cut::Face(only.face)
            }
            ref several => Cut::Through { first: first as u32, count: several.len() as u32 },
        };
        match cut {
            Cut::Face(face) if of_skin == 0 => Look::new(Kind::Face(face)),
            _ => self.mixed(skin.filter(|_| of_skin != 0), cut),
        }
    }
}

impl Node {
    /// Notes what became of an octant.
    pub fn add(&mut self, octant: u32, made: Made) {
        match made {
            Made::Nothing => {}
            Made::Full => self.internal |= 1 << octant,
            Made::Node => self.children |= 1 << octant,
        }
    }
}
