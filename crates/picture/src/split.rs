//! Where a tree of boxes is split: by binned surface area (Wald, "On fast Construction of SAH-based Bounding Volume Hierarchies", 2007).

use glam::Vec3;

/// Slices of a range that are tried as borders of a split.
const BINS: usize = 16;
/// Below this depth ranges are halved by count.
const DEEPEST_BY_AREA: usize = 20;
/// No tree is deeper: 32 times half of all things that have a 32-bit number is less than one.
pub(crate) const DEEPEST: usize = DEEPEST_BY_AREA + 32;

/// A box.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds {
    pub min: Vec3,
    pub max: Vec3,
}

impl Bounds {
    pub const EMPTY: Bounds = Bounds { min: Vec3::INFINITY, max: Vec3::NEG_INFINITY };

    pub fn of_points(points: impl IntoIterator<Item = Vec3>) -> Bounds {
        points.into_iter().fold(Bounds::EMPTY, |all, p| all.join(&Bounds { min: p, max: p }))
    }

    pub fn join(&self, other: &Bounds) -> Bounds {
        Bounds { min: self.min.min(other.min), max: self.max.max(other.max) }
    }

    pub fn around(items: &[Item]) -> Bounds {
        items.iter().fold(Bounds::EMPTY, |all, item| all.join(&item.bounds))
    }

    fn half_area(&self) -> f32 {
        let size = (self.max - self.min).max(Vec3::ZERO);
        size.x * size.y + size.y * size.z + size.z * size.x
    }
}

/// Something on its way into a tree.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Item {
    pub bounds: Bounds,
    pub id: u32,
}

impl Item {
    /// Twice the centre of the box: only its order matters.
    fn centre(&self) -> Vec3 {
        self.bounds.min + self.bounds.max
    }
}

/// Reorders items into up to four parts, splitting the largest part each time that has more than `most` items; returns the length of
/// each part.
pub(crate) fn quarter(items: &mut [Item], most: usize, depth: usize) -> [usize; 4] {
    let mut lengths = [items.len(), 0, 0, 0];
    for filled in 1..4 {
        let mut start = 0;
        let mut largest = None;
        for (part, &length) in lengths[..filled].iter().enumerate() {
            let area = Bounds::around(&items[start..start + length]).half_area();
            if length > most && largest.is_none_or(|(_, _, most)| area > most) {
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
