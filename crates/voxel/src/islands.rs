//! Islands: the parts of a cell that do not hang together (Section 4.5).
//!
//! Two voxels hang together if they share a face, an edge or a corner, whether they are boundary or internal: a hollow inside a piece has a surface of its own, and
//! makes no piece of it. `touch` joins what touches, and only where it is not known already that a place hangs together: most cells are known to as they are cut.

use smithereens_geometry::UnionFind;

use crate::brick::{coarse, parts};
use crate::clip::{At, Growth, Made, Scratch, Share, Source};
use crate::look::Skin;
use crate::settle::VOXELS;
use crate::touch::{Joiner, Label, Labels, Part, Place};
use crate::trunk::{Node, Spot, Trunk};

/// The islands of a tree, each a tree; none if it is one. At the depth `floor` and below, a place counts as full if there is anything in it.
pub(crate) fn islands(trunk: &Trunk, skin: &Skin, floor: usize, scratch: &mut Scratch) -> Option<Vec<Trunk>> {
    let root = trunk.root();
    if root == Spot::Empty || trunk.is_whole(0, root) {
        return None;
    }
    let mut numbering = Numbering { trunk, floor, labels: Labels::default(), things: 0 };
    let place = Place { spot: root, label: numbering.label(0, root) };
    let Numbering { labels, things, .. } = numbering;
    let mut sets = UnionFind::new(things as usize);
    Joiner { trunk, labels: &labels, things: &mut sets, floor }.within(0, place);
    let mut islands = vec![u32::MAX; things as usize];
    let mut count = 0;
    // The root of a set is its least member, so that islands are in order of what comes first in them.
    for thing in 0..things {
        let root = sets.root(thing) as usize;
        if islands[root] == u32::MAX {
            islands[root] = count;
            count += 1;
        }
        islands[thing as usize] = islands[root];
    }
    if count < 2 {
        return None;
    }
    let empty = || {
        let mut empty = Trunk::new(trunk.depth());
        empty.cuts.faces.clone_from(&trunk.cuts.faces);
        empty
    };
    let mut parting = Parting {
        source: Source { trunk, skin },
        labels: &labels,
        islands: &islands,
        trunks: (0..count).map(|_| empty()).collect(),
        scratch,
    };
    parting.part(At::ROOT, place.label);
    if floor == VOXELS {
        parting.trunks.iter_mut().for_each(mark_whole);
    }
    Some(parting.trunks)
}

/// Notes that all of a tree hangs together.
pub(crate) fn mark_whole(trunk: &mut Trunk) {
    if let Some(root) = trunk.levels.first_mut().and_then(|level| level.first_mut()) {
        root.whole = true;
    }
}

/// Gives each thing a number: all that is known to hang together is one.
struct Numbering<'a> {
    trunk: &'a Trunk,
    floor: usize,
    labels: Labels,
    things: u32,
}

impl Numbering<'_> {
    fn next(&mut self) -> u32 {
        self.things += 1;
        self.things - 1
    }

    fn label(&mut self, depth: usize, spot: Spot) -> Label {
        let Spot::Node(index) = spot else {
            return if spot == Spot::Empty { Label::None } else { Label::One(self.next()) };
        };
        if depth >= self.floor || self.trunk.is_whole(depth, spot) {
            return Label::One(self.next());
        }
        if depth == self.trunk.depth() {
            return self.brick(index);
        }
        let at = self.labels.octants.len();
        self.labels.octants.push([Label::None; 8]);
        for octant in 0..8 {
            let label = self.label(depth + 1, self.trunk.child(depth, spot, octant));
            self.labels.octants[at][octant as usize] = label;
        }
        Label::Octants(at as u32)
    }

    fn brick(&mut self, index: u32) -> Label {
        let solid = self.trunk.bricks[index as usize].solid();
        let mask = if self.floor == self.trunk.depth() + 1 { coarse(solid) } else { solid };
        let first = self.labels.parts.len() as u32;
        for mask in parts(mask) {
            let thing = self.next();
            self.labels.parts.push(Part { mask, thing });
        }
        Label::Parts { first, count: self.labels.parts.len() as u32 - first }
    }
}

/// Takes a tree apart, in one walk.
struct Parting<'a> {
    source: Source<'a>,
    labels: &'a Labels,
    islands: &'a [u32],
    trunks: Vec<Trunk>,
    scratch: &'a mut Scratch,
}

impl Parting<'_> {
    fn growth(&mut self, island: u32) -> Growth<'_> {
        Growth { source: self.source, trunk: &mut self.trunks[island as usize], scratch: self.scratch }
    }

    /// What became of a place in each island that has something of it.
    fn part(&mut self, at: At, label: Label) -> Vec<(u32, Made)> {
        match label {
            Label::None => Vec::new(),
            Label::One(thing) => {
                let island = self.islands[thing as usize];
                vec![(island, self.growth(island).take(at))]
            }
            Label::Parts { first, count } => self.part_brick(at, first as usize..(first + count) as usize),
            Label::Octants(index) => self.part_node(at, index),
        }
    }

    fn part_brick(&mut self, at: At, range: std::ops::Range<usize>) -> Vec<(u32, Made)> {
        let mut masks: Vec<(u32, u64)> = Vec::new();
        for part in &self.labels.parts[range] {
            let island = self.islands[part.thing as usize];
            match masks.iter_mut().find(|(known, _)| *known == island) {
                Some((_, mask)) => *mask |= part.mask,
                None => masks.push((island, part.mask)),
            }
        }
        let share = |mask| Share { meets: mask, within: mask, owned: mask, is_convex: false };
        let each = masks
            .into_iter()
            .map(|(island, mask)| (island, self.growth(island).add_brick(at, &share(mask), &[])));
        each.collect()
    }

    fn part_node(&mut self, at: At, index: u32) -> Vec<(u32, Made)> {
        let mut nodes: Vec<(u32, Node)> = Vec::new();
        for octant in 0..8 {
            let spot = self.source.trunk.child(at.depth, at.spot, octant);
            let child = At { depth: at.depth + 1, spot, code: at.code << 3 | octant };
            let label = self.labels.octants[index as usize][octant as usize];
            for (island, made) in self.part(child, label) {
                let entry = match nodes.iter().position(|(known, _)| *known == island) {
                    Some(entry) => entry,
                    None => {
                        nodes.push((island, Node::default()));
                        nodes.len() - 1
                    }
                };
                let node = &mut nodes[entry].1;
                if node.children == 0 && made == Made::Node {
                    node.first = self.trunks[island as usize].len(at.depth + 1) - 1;
                }
                node.add(octant, made);
            }
        }
        nodes
            .into_iter()
            .map(|(island, node)| (island, self.growth(island).finish(at.depth, node, false)))
            .collect()
    }
}
