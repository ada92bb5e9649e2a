//! A tree of boxes, four children a node, over triangles: who is in the way of a ray?
//!
//! Built top down by binned surface area (Wald, "On fast Construction of SAH-based Bounding Volume Hierarchies",
//! 2007), four children at a time, with their boxes side by side so that one vector instruction tests all.
//!
//! A tree of our own and not a crate's, because the answer must not depend on the tree: boxes are tested with slack
//! and no fixed epsilon, equal distances go to the lower triangle, and no geometry makes it too deep for its stack.

use glam::{Vec3, Vec4};

use crate::ray::{Hit, Quad, Ray};

/// Triangles in a leaf, at most.
const LEAF: usize = 4;
/// Slices of a range that are tried as borders of a split.
const BINS: usize = 16;
/// Below this depth ranges are halved by count, so that depth stays under this and 32 more.
const DEEPEST_BY_AREA: usize = 28;
/// Three siblings wait on each level.
const STACK: usize = 3 * (DEEPEST_BY_AREA + 32) + 1;

/// Four children: their boxes, and for each either a node or a leaf.
#[derive(Clone, Debug)]
struct Node {
    /// Minima, then maxima, of the four boxes along x, y and z. An absent child's box is empty.
    bounds: [[Vec4; 3]; 2],
    children: [Child; 4],
}

#[derive(Clone, Copy, Debug)]
enum Child {
    Node(u32),
    Leaf(u32),
}

/// Triangles that can be asked for the first on a ray.
#[derive(Clone, Debug, Default)]
pub(crate) struct Bvh {
    nodes: Vec<Node>,
    leaves: Vec<Quad>,
}

impl Bvh {
    pub fn new(triangles: impl Iterator<Item = [Vec3; 3]>) -> Bvh {
        let mut items: Vec<Item> = (0..).zip(triangles).map(|(id, corners)| Item::new(id, corners)).collect();
        let mut bvh = Bvh::default();
        if !items.is_empty() {
            bvh.add_node(&mut items, 0);
        }
        bvh
    }

    /// Adds the node over `items`, and all below it.
    fn add_node(&mut self, items: &mut [Item], depth: usize) -> u32 {
        let index = self.nodes.len();
        self.nodes.push(Node::EMPTY);
        let lengths = quarter(items, depth);
        let mut rest = items;
        for (slot, length) in lengths.into_iter().enumerate().filter(|&(_, length)| length > 0) {
            let part;
            (part, rest) = rest.split_at_mut(length);
            let bounds = Bounds::around(part);
            let child = if length <= LEAF {
                self.add_leaf(part)
            } else {
                Child::Node(self.add_node(part, depth + 1))
            };
            self.nodes[index].set(slot, &bounds, child);
        }
        index as u32
    }

    fn add_leaf(&mut self, items: &[Item]) -> Child {
        self.leaves.push(Quad::new(items.iter().map(|item| (item.id, item.corners))));
        Child::Leaf(self.leaves.len() as u32 - 1)
    }

    /// The first triangle on a ray; of several at the same distance, the one with the lowest index.
    pub fn first_hit(&self, ray: &Ray) -> Option<Hit> {
        let mut best: Option<Hit> = None;
        let mut far = f32::INFINITY;
        let mut stack = [(0_u32, 0.0_f32); STACK];
        let mut height = usize::from(!self.nodes.is_empty());
        while height > 0 {
            height -= 1;
            let node = &self.nodes[stack[height].0 as usize];
            let (mut mask, nears) = ray.boxes(&node.bounds, far);
            let bottom = height;
            while mask != 0 {
                let slot = mask.trailing_zeros() as usize & 3;
                mask &= mask - 1;
                match node.children[slot] {
                    Child::Node(child) => {
                        stack[height] = (child, nears[slot]);
                        height += 1;
                    }
                    Child::Leaf(leaf) => {
                        let hit = ray.first_of(&self.leaves[leaf as usize], far);
                        if let Some(hit) = hit.filter(|hit| best.is_none_or(|best| hit.is_before(&best))) {
                            best = Some(hit);
                            far = hit.distance;
                        }
                    }
                }
            }
            nearest_last(&mut stack[bottom..height]);
        }
        best
    }

    /// Whether any triangle but `except` is on the ray.
    pub fn blocked(&self, ray: &Ray, except: u32) -> bool {
        let mut stack = [0_u32; STACK];
        let mut height = usize::from(!self.nodes.is_empty());
        while height > 0 {
            height -= 1;
            let node = &self.nodes[stack[height] as usize];
            let (mut mask, _) = ray.boxes(&node.bounds, f32::INFINITY);
            while mask != 0 {
                let slot = mask.trailing_zeros() as usize & 3;
                mask &= mask - 1;
                match node.children[slot] {
                    Child::Node(child) => {
                        stack[height] = child;
                        height += 1;
                    }
                    Child::Leaf(leaf) if ray.meets_any(&self.leaves[leaf as usize], except) => return true,
                    Child::Leaf(_) => (),
                }
            }
        }
        false
    }
}

/// Sorts at most four entries so that the nearest is popped first.
fn nearest_last(entries: &mut [(u32, f32)]) {
    for end in 1..entries.len() {
        let mut at = end;
        while at > 0 && entries[at - 1].1 < entries[at].1 {
            entries.swap(at - 1, at);
            at -= 1;
        }
    }
}

impl Node {
    const EMPTY: Node =
        Node { bounds: [[Vec4::INFINITY; 3], [Vec4::NEG_INFINITY; 3]], children: [Child::Leaf(0); 4] };

    fn set(&mut self, slot: usize, bounds: &Bounds, child: Child) {
        for axis in 0..3 {
            self.bounds[0][axis][slot] = bounds.min[axis];
            self.bounds[1][axis][slot] = bounds.max[axis];
        }
        self.children[slot] = child;
    }
}

#[derive(Clone, Copy, Debug)]
struct Bounds {
    min: Vec3,
    max: Vec3,
}

impl Bounds {
    const EMPTY: Bounds = Bounds { min: Vec3::INFINITY, max: Vec3::NEG_INFINITY };

    fn join(&self, other: &Bounds) -> Bounds {
        Bounds { min: self.min.min(other.min), max: self.max.max(other.max) }
    }

    fn around(items: &[Item]) -> Bounds {
        items.iter().fold(Bounds::EMPTY, |all, item| all.join(&item.bounds))
    }

    fn half_area(&self) -> f32 {
        let size = (self.max - self.min).max(Vec3::ZERO);
        size.x * size.y + size.y * size.z + size.z * size.x
    }
}

/// A triangle on its way into the tree.
#[derive(Clone, Copy, Debug)]
struct Item {
    bounds: Bounds,
    corners: [Vec3; 3],
    id: u32,
}

impl Item {
    fn new(id: u32, corners: [Vec3; 3]) -> Item {
        let [a, b, c] = corners;
        Item { bounds: Bounds { min: a.min(b).min(c), max: a.max(b).max(c) }, corners, id }
    }

    /// Twice the centre of the box: only its order matters.
    fn centre(&self) -> Vec3 {
        self.bounds.min + self.bounds.max
    }
}

/// Reorders items into up to four parts, splitting the largest part each time; returns the length of each part.
fn quarter(items: &mut [Item], depth: usize) -> [usize; 4] {
    let mut lengths = [items.len(), 0, 0, 0];
    for filled in 1..4 {
        let mut start = 0;
        let mut largest = None;
        for (part, &length) in lengths[..filled].iter().enumerate() {
            let area = Bounds::around(&items[start..start + length]).half_area();
            if length > LEAF && largest.is_none_or(|(_, _, most)| area > most) {
                largest = Some((part, start, area));
            }
            start += length;
        }
        let Some((part, start, _)) = largest else { break };
        let length = lengths[part];
        let left = split(&mut items[start..start + length], depth);
        lengths.copy_within(part + 1..3, part + 2);
        lengths[part] = left;
        lengths[part + 1] = length - left;
    }
    lengths
}

/// Reorders items into two parts that are cheap to trace, none empty; returns the length of the first.
fn split(items: &mut [Item], depth: usize) -> usize {
    let centres = items
        .iter()
        .fold(Bounds::EMPTY, |all, item| all.join(&Bounds { min: item.centre(), max: item.centre() }));
    let size = centres.max - centres.min;
    let cheapest = (0..3)
        .filter(|&axis| size[axis] > 0.0)
        .flat_map(|axis| cheapest_border(items, &centres, axis))
        .min_by(|a, b| a.cost.total_cmp(&b.cost));
    match cheapest {
        Some(border) if depth < DEEPEST_BY_AREA => partition(items, |item| border.is_left(&centres, item)),
        _ => {
            let axis = size.max_position();
            items
                .sort_unstable_by(|a, b| a.centre()[axis].total_cmp(&b.centre()[axis]).then(a.id.cmp(&b.id)));
            items.len() / 2
        }
    }
}

/// A border between two bins along an axis, and what the split would cost.
struct Border {
    axis: usize,
    bin: usize,
    cost: f32,
}

impl Border {
    fn is_left(&self, centres: &Bounds, item: &Item) -> bool {
        bin_of(item, centres, self.axis) < self.bin
    }
}

fn bin_of(item: &Item, centres: &Bounds, axis: usize) -> usize {
    let share = (item.centre()[axis] - centres.min[axis]) / (centres.max[axis] - centres.min[axis]);
    ((share * BINS as f32) as usize).min(BINS - 1)
}

fn cheapest_border(items: &[Item], centres: &Bounds, axis: usize) -> Option<Border> {
    let mut bins = [(Bounds::EMPTY, 0_usize); BINS];
    for item in items {
        let bin = &mut bins[bin_of(item, centres, axis)];
        *bin = (bin.0.join(&item.bounds), bin.1 + 1);
    }
    let add = |a: (Bounds, usize), b: &(Bounds, usize)| (a.0.join(&b.0), a.1 + b.1);
    let mut right_cost = [0.0; BINS];
    let mut right = (Bounds::EMPTY, 0);
    for bin in (1..BINS).rev() {
        right = add(right, &bins[bin]);
        right_cost[bin] = right.0.half_area() * right.1 as f32;
    }
    let mut left = (Bounds::EMPTY, 0);
    let borders = (1..BINS).filter_map(|bin| {
        left = add(left, &bins[bin - 1]);
        let cost = left.0.half_area() * left.1 as f32 + right_cost[bin];
        (left.1 > 0 && left.1 < items.len()).then_some(Border { axis, bin, cost })
    });
    borders.min_by(|a, b| a.cost.total_cmp(&b.cost))
}

/// Moves the items for which `is_left` holds to the front; returns how many.
fn partition(items: &mut [Item], is_left: impl Fn(&Item) -> bool) -> usize {
    let mut left = 0;
    for i in 0..items.len() {
        if is_left(&items[i]) {
            items.swap(i, left);
            left += 1;
        }
    }
    left
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sampling::{hash, unit};

    /// A stream of numbers in -1..1.
    fn random(seed: u32) -> impl FnMut() -> f32 {
        let mut state = seed;
        move || {
            state = state.wrapping_add(1);
            unit(hash(state)) * 2.0 - 1.0
        }
    }

    fn triangles(count: usize, size: f32) -> Vec<[Vec3; 3]> {
        let mut next = random(1);
        let mut point = || Vec3::new(next(), next(), next());
        (0..count)
            .map(|_| {
                let at = point();
                [at, at + point() * size, at + point() * size]
            })
            .collect()
    }

    fn first_by_brute_force(all: &[[Vec3; 3]], ray: &Ray) -> Option<Hit> {
        let quads = (0..).zip(all).map(|(id, &corners)| Quad::new([(id, corners)].into_iter()));
        let hits = quads.filter_map(|quad| ray.first_of(&quad, f32::INFINITY));
        hits.reduce(|best, hit| if hit.is_before(&best) { hit } else { best })
    }

    fn agrees_with_brute_force(all: &[[Vec3; 3]], rays: usize) -> usize {
        let bvh = Bvh::new(all.iter().copied());
        let mut next = random(99);
        let mut hits = 0;
        for i in 0..rays {
            let origin = Vec3::new(next(), next(), next()) * 2.0;
            // Aimed into the heap, so that most rays hit.
            let mut direction = Vec3::new(next(), next(), next()) - origin;
            if i % 5 == 0 {
                direction = Vec3::AXES[i % 3] * direction.x.signum();
            }
            let ray = Ray::new(origin, direction.normalize());
            let expected = first_by_brute_force(all, &ray);
            assert_eq!(bvh.first_hit(&ray), expected);
            assert_eq!(bvh.blocked(&ray, u32::MAX), expected.is_some());
            hits += usize::from(expected.is_some());
        }
        hits
    }

    #[test]
    fn finds_what_brute_force_finds_to_the_bit() {
        assert!(agrees_with_brute_force(&triangles(700, 0.3), 2000) > 500);
        assert!(agrees_with_brute_force(&triangles(3, 2.0), 500) > 50);
    }

    #[test]
    fn equal_distances_go_to_the_lower_index() {
        let mut all = triangles(50, 1.0);
        all.extend_from_within(..);
        all.extend_from_within(..);
        assert!(agrees_with_brute_force(&all, 500) > 200);
    }

    #[test]
    fn flat_and_lopsided_heaps_stay_shallow_enough() {
        let mut all = triangles(300, 0.5);
        all.iter_mut().flatten().for_each(|p| p.z = 0.0);
        agrees_with_brute_force(&all, 500);
        let same = vec![all[0]; 1000];
        agrees_with_brute_force(&same, 50);
        let spiral: Vec<_> = (0..400).map(|i| all[1].map(|p| p * 0.8_f32.powi(i))).collect();
        agrees_with_brute_force(&spiral, 200);
    }

    #[test]
    fn nothing_is_never_hit() {
        let bvh = Bvh::new(std::iter::empty());
        let ray = Ray::new(Vec3::ZERO, Vec3::X);
        assert_eq!(bvh.first_hit(&ray), None);
        assert!(!bvh.blocked(&ray, 0));
    }
}
