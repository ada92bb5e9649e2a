//! A tree of boxes, four children a node, over triangles: who is in the way of a ray?
//!
//! Built top down, four children at a time, with their boxes side by side so that one vector instruction tests all. Each part of
//! the scene brings the plan of its own tree, which is fitted to where the part is; a small tree over all parts joins them.
//!
//! A tree of our own and not a crate's, because the answer must not depend on the tree: boxes are tested with slack
//! and no fixed epsilon, equal distances go to the lower triangle, and no geometry makes it too deep for its stack.

use glam::{Vec3, Vec4};
use rayon::prelude::*;

use crate::plan::{Branch, Plan};
use crate::ray::{Hit, Quad, Ray};
use crate::shape::Part;
use crate::split::{Bounds, DEEPEST, Item, quarter};

/// Three siblings wait on each level: of the tree over the parts, and of a part's.
const STACK: usize = 3 * (DEEPEST + DEEPEST) + 1;
/// As many parts as are worth a task.
const PARTS_A_TASK: usize = 64;

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

/// Triangles that can be asked for the first on a ray. They are numbered through all parts.
#[derive(Clone, Debug)]
pub(crate) struct Bvh {
    nodes: Vec<Node>,
    leaves: Vec<Quad>,
    root: u32,
    bounds: Bounds,
}

/// Where a part's nodes, leaves and triangles are among all.
#[derive(Clone, Copy, Debug, Default)]
struct Start {
    node: u32,
    leaf: u32,
    triangle: u32,
}

impl Bvh {
    pub fn new(parts: &[(&Plan, Part<'_>)]) -> Bvh {
        let mut next = Start::default();
        let starts = parts.iter().map(|(plan, part)| {
            let start = next;
            next.node += plan.nodes.len() as u32;
            next.leaf += plan.leaves.len() as u32;
            next.triangle += part.triangles.len() as u32;
            start
        });
        let starts: Vec<Start> = starts.collect();
        let fitted: Vec<Fitted> = (starts.par_iter().zip(parts).with_min_len(PARTS_A_TASK))
            .map(|(start, (plan, part))| Fitted::new(plan, part, start))
            .collect();
        let roots = starts.iter().zip(&fitted).filter(|(_, fitted)| !fitted.nodes.is_empty());
        let mut roots: Vec<Item> =
            roots.map(|(start, fitted)| Item { bounds: fitted.bounds, id: start.node }).collect();
        let bounds = Bounds::around(&roots);
        let mut bvh =
            Bvh { nodes: Vec::new(), leaves: Vec::with_capacity(next.leaf as usize), root: 0, bounds };
        bvh.nodes.reserve_exact(next.node as usize + roots.len());
        for mut part in fitted {
            bvh.nodes.append(&mut part.nodes);
            bvh.leaves.append(&mut part.leaves);
        }
        if roots.len() > 1 {
            bvh.root = bvh.join(&mut roots, 0);
        }
        bvh
    }

    /// The box around all, from its minimum to its maximum; none if there is nothing.
    pub fn bounds(&self) -> Option<(Vec3, Vec3)> {
        (!self.nodes.is_empty()).then_some((self.bounds.min, self.bounds.max))
    }

    /// Adds the node over the roots of parts, and all down to them.
    fn join(&mut self, roots: &mut [Item], depth: usize) -> u32 {
        let index = self.nodes.len();
        self.nodes.push(Node::EMPTY);
        let lengths = quarter(roots, 1, depth);
        let mut rest = roots;
        for (slot, length) in lengths.into_iter().enumerate().filter(|&(_, length)| length > 0) {
            let part;
            (part, rest) = rest.split_at_mut(length);
            let child = if length == 1 { part[0].id } else { self.join(part, depth + 1) };
            self.nodes[index].set(slot, &Bounds::around(part), Child::Node(child));
        }
        index as u32
    }

    /// The first triangle on a ray; of several at the same distance, the one with the lowest index.
    pub fn first_hit(&self, ray: &Ray) -> Option<Hit> {
        let mut best: Option<Hit> = None;
        let mut far = f32::INFINITY;
        let mut stack = [(self.root, 0.0_f32); STACK];
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
        let mut stack = [self.root; STACK];
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

/// The tree of a part where it is.
struct Fitted {
    nodes: Vec<Node>,
    leaves: Vec<Quad>,
    bounds: Bounds,
}

impl Fitted {
    fn new(plan: &Plan, part: &Part<'_>, start: &Start) -> Fitted {
        let (mut leaves, mut leaf_bounds) = (Vec::new(), Vec::new());
        leaves.reserve_exact(plan.leaves.len());
        leaf_bounds.reserve_exact(plan.leaves.len());
        for leaf in &plan.leaves {
            let triangles = leaf.iter().flatten().map(|&id| (start.triangle + id, part.corners(id as usize)));
            leaf_bounds.push(Bounds::of_points(triangles.clone().flat_map(|(_, corners)| corners)));
            leaves.push(Quad::new(triangles));
        }
        let mut nodes = vec![Node::EMPTY; plan.nodes.len()];
        let mut bounds = vec![Bounds::EMPTY; plan.nodes.len()];
        // From the last to the first: what is below a node comes after it.
        for (index, branches) in plan.nodes.iter().enumerate().rev() {
            for (slot, branch) in branches.iter().enumerate() {
                let (of_child, child) = match *branch {
                    Branch::Absent => continue,
                    Branch::Node(node) => (bounds[node as usize], Child::Node(start.node + node)),
                    Branch::Leaf(leaf) => (leaf_bounds[leaf as usize], Child::Leaf(start.leaf + leaf)),
                };
                nodes[index].set(slot, &of_child, child);
                bounds[index] = bounds[index].join(&of_child);
            }
        }
        Fitted { nodes, leaves, bounds: bounds.first().copied().unwrap_or(Bounds::EMPTY) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sampling::{hash, unit};
    use crate::scene::Triangle;

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

    /// A tree over parts of so many triangles each.
    fn tree(all: &[[Vec3; 3]], part: usize) -> Bvh {
        let triangle =
            |&corners: &[Vec3; 3]| Triangle { corners, normals: None, uvs: Default::default(), material: 0 };
        let parts: Vec<Vec<Triangle>> =
            all.chunks(part).map(|part| part.iter().map(triangle).collect()).collect();
        let plans: Vec<Plan> = parts.iter().map(|part| Plan::new(part)).collect();
        let parts = parts.iter().map(|triangles| Part { triangles, pose: None });
        Bvh::new(&plans.iter().zip(parts).collect::<Vec<_>>())
    }

    fn agrees_with_brute_force(all: &[[Vec3; 3]], rays: usize) -> usize {
        let hits = [all.len(), 7, 1].map(|part| tree_agrees_with_brute_force(all, &tree(all, part), rays));
        hits[0]
    }

    fn tree_agrees_with_brute_force(all: &[[Vec3; 3]], bvh: &Bvh, rays: usize) -> usize {
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
        let bvh = Bvh::new(&[]);
        let ray = Ray::new(Vec3::ZERO, Vec3::X);
        assert_eq!(bvh.first_hit(&ray), None);
        assert!(!bvh.blocked(&ray, 0));
    }
}
