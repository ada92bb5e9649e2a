//! How often the surface winds around what is in front of each triangle, from their order around edges.
//!
//! Around an edge the number rises and falls by what each triangle adds, so that one known number in a part gives all of
//! them; and at the part's outermost vertex it is known. As in Zhou, Grinspun, Zorin and Jacobson, *Mesh Arrangements
//! for Solid Geometry* (2016).

use glam::DVec3;
use num_bigint::BigInt;
use num_traits::Zero;
use smithereens_geometry::{Aabb, UnionFind};

use super::Unfit;
use super::around::{Spoke, first_after, same_edge, spokes};
use super::points::Points;
use crate::winding_tree::WindingTree;

/// All triangles with the same three corners.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layer {
    /// From the lowest corner, towards the lower of the other two.
    pub corners: [u32; 3],
    /// How many more triangles run this way than the other: what the winding number rises by from front to back. Never 0.
    pub rise: i32,
    /// The normal of the plane, as the corners turn.
    pub normal: [i128; 3],
    /// A triangle that runs the way most of them do.
    pub source: u32,
}

/// The winding number in front of each layer.
pub(super) fn windings(
    points: &Points,
    layers: &[Layer],
    place: impl Fn(u32) -> DVec3,
) -> Result<Vec<i32>, Unfit> {
    let spokes = spokes(points, layers)?;
    let fans = Fans::of(&spokes, layers.len());
    let parts = fans.parts(layers.len());
    let mut front = vec![None; layers.len()];
    for part in &parts {
        spread(points, layers, &fans, part, &mut front)?;
    }
    let mut front = front.into_iter().collect::<Option<Vec<i32>>>().ok_or(Unfit::Open)?;
    for (part, around) in parts.iter().zip(windings_of_others(layers, &parts, place)?) {
        part.iter().for_each(|&layer| front[layer as usize] += around);
    }
    Ok(front)
}

/// The layers around each edge, and the edges of each layer.
struct Fans<'a> {
    all: Vec<&'a [Spoke]>,
    of_layer: Vec<Vec<u32>>,
}

impl Fans<'_> {
    fn of(spokes: &[Spoke], layers: usize) -> Fans<'_> {
        let all: Vec<&[Spoke]> = spokes.chunk_by(same_edge).collect();
        let mut of_layer = vec![Vec::with_capacity(3); layers];
        for (index, fan) in all.iter().enumerate() {
            fan.iter().for_each(|s| of_layer[s.layer as usize].push(index as u32));
        }
        Fans { all, of_layer }
    }

    /// The layers that hang together by edges.
    fn parts(&self, layers: usize) -> Vec<Vec<u32>> {
        let mut joined = UnionFind::new(layers);
        self.all.iter().for_each(|fan| fan.iter().for_each(|s| joined.join(fan[0].layer, s.layer)));
        let mut parts: Vec<Vec<u32>> = Vec::new();
        let mut number = vec![usize::MAX; layers];
        for layer in 0..layers as u32 {
            let root = joined.root(layer) as usize;
            if number[root] == usize::MAX {
                number[root] = parts.len();
                parts.push(Vec::new());
            }
            parts[number[root]].push(layer);
        }
        parts
    }
}

/// The numbers in front of a part's layers, as if there were no other part.
fn spread(
    points: &Points,
    layers: &[Layer],
    fans: &Fans,
    part: &[u32],
    front: &mut [Option<i32>],
) -> Result<(), Unfit> {
    let (fan, first) = outside(points, layers, fans, part).ok_or(Unfit::Open)?;
    let mut stack = Vec::new();
    walk(layers, fans.all[fan as usize], first, 0, front, &mut stack)?;
    while let Some(layer) = stack.pop() {
        for &fan in &fans.of_layer[layer as usize] {
            let fan = fans.all[fan as usize];
            let start = fan.iter().position(|s| s.layer == layer).unwrap_or(0);
            let known = front[layer as usize].unwrap_or(0);
            let before = if fan[start].upward { known + layers[layer as usize].rise } else { known };
            walk(layers, fan, start, before, front, &mut stack)?;
        }
    }
    Ok(())
}

/// Goes around an edge, from the number before a spoke on. Puts layers seen for the first time on the stack.
fn walk(
    layers: &[Layer],
    fan: &[Spoke],
    first: usize,
    before: i32,
    front: &mut [Option<i32>],
    stack: &mut Vec<u32>,
) -> Result<(), Unfit> {
    let mut number = before;
    for spoke in fan[first..].iter().chain(&fan[..first]) {
        let layer = spoke.layer as usize;
        // What runs up the edge has its back before it and its front after it.
        let (in_front, after) = if spoke.upward {
            (number - layers[layer].rise, number - layers[layer].rise)
        } else {
            (number, number + layers[layer].rise)
        };
        number = after;
        match front[layer] {
            Some(known) if known != in_front => return Err(Unfit::Twisted),
            Some(_) => {}
            None => {
                front[layer] = Some(in_front);
                stack.push(spoke.layer);
            }
        }
    }
    Ok(())
}

/// An edge at the outermost vertex of a part, and the spoke before which it is outside.
///
/// Seen along z, no layer at the vertex lies beyond the steepest of its edges.
fn outside(points: &Points, layers: &[Layer], fans: &Fans, part: &[u32]) -> Option<(u32, usize)> {
    let corners = part.iter().flat_map(|&l| layers[l as usize].corners);
    let order =
        |a: u32, b: u32| (0..3).fold(std::cmp::Ordering::Equal, |o, k| o.then_with(|| points.order(k, a, b)));
    let outermost = corners.reduce(|a, b| if order(a, b).is_lt() { b } else { a })?;
    let mut best: Option<(u32, [BigInt; 3])> = None;
    let at_vertex = part.iter().filter(|l| layers[**l as usize].corners.contains(&outermost));
    for &fan in at_vertex.flat_map(|&l| &fans.of_layer[l as usize]) {
        let Spoke { low, high, .. } = fans.all[fan as usize][0];
        if low != outermost && high != outermost {
            continue;
        }
        let [x, y, z] = points.direction(outermost, if low == outermost { high } else { low });
        let is_steeper = |[u, v, _]: &[BigInt; 3]| &y * u < v * &x;
        if (!x.is_zero() || !y.is_zero()) && best.as_ref().is_none_or(|b| is_steeper(&b.1)) {
            best = Some((fan, [x, y, z]));
        }
    }
    let (fan, [x, y, _]) = best?;
    let beyond = if x.is_zero() { [1, 0, 0].map(BigInt::from) } else { [y, -x, BigInt::ZERO] };
    Some((fan, first_after(points, layers, fans.all[fan as usize], &beyond)))
}

/// How often all other parts wind around each part. Parts have no edge in common, so each lies in one region of the others.
fn windings_of_others(
    layers: &[Layer],
    parts: &[Vec<u32>],
    place: impl Fn(u32) -> DVec3,
) -> Result<Vec<i32>, Unfit> {
    let triangle = |l: u32| layers[l as usize].corners.map(&place);
    let bounds: Vec<Aabb> =
        parts.iter().map(|p| Aabb::of_points(p.iter().flat_map(|&l| triangle(l)))).collect();
    let mut trees: Vec<Option<WindingTree>> = vec![None; parts.len()];
    let mut windings = Vec::with_capacity(parts.len());
    for (index, part) in parts.iter().enumerate() {
        let mut sum = 0.0;
        let point = middle_of_largest(part.iter().map(|&l| triangle(l)));
        for other in (0..parts.len()).filter(|&o| o != index && bounds[o].contains(point)) {
            let tree = trees[other].get_or_insert_with(|| {
                WindingTree::new(
                    parts[other].iter().flat_map(|&l| turned(triangle(l), layers[l as usize].rise)).collect(),
                )
            });
            sum += tree.winding(point);
        }
        // The tree is right to some hundredths, if the point is not on another part.
        if (sum - sum.round()).abs() > 0.25 {
            return Err(Unfit::Near);
        }
        windings.push(sum.round() as i32);
    }
    Ok(windings)
}

/// A triangle as often as it counts, turned around if it counts against.
fn turned([a, b, c]: [DVec3; 3], rise: i32) -> impl Iterator<Item = [DVec3; 3]> {
    std::iter::repeat_n(if rise > 0 { [a, b, c] } else { [a, c, b] }, rise.unsigned_abs() as usize)
}

fn middle_of_largest(triangles: impl Iterator<Item = [DVec3; 3]>) -> DVec3 {
    let area = |[a, b, c]: [DVec3; 3]| (b - a).cross(c - a).length_squared();
    let larger = |x: [DVec3; 3], y: [DVec3; 3]| if area(y) > area(x) { y } else { x };
    triangles.reduce(larger).map_or(DVec3::ZERO, |[a, b, c]| (a + b + c) / 3.0)
}
