//! How a world looks: bodies with an edge that catches light, broken edges in the colour of the inside, shadows, debris, projectiles.

use glam::{DAffine2, DVec2};
use smithereens_planar::pattern::Pattern;

use super::Camera;
use super::picture::{Ink, Picture};
use crate::hash::Hash;
use crate::{Body, BodyId, Look, Loop, Pose, World};

/// The background, from top to bottom.
const SKY: [[f32; 3]; 2] = [[0.965, 0.955, 0.935], [0.895, 0.885, 0.865]];
const LINE: [f32; 3] = [0.55, 0.53, 0.50];
/// Where the light comes from, in pixels: from the upper left.
const LIGHT: DVec2 = DVec2::new(-0.5, -0.866);
const STEEL: [f32; 3] = [0.20, 0.21, 0.24];
const GLOW: [f32; 3] = [1.0, 0.62, 0.15];
/// How far shadows fall, in pixels for each 1000 of the picture's width.
const SHADOW: DVec2 = DVec2::new(3.0, 5.0);

pub(super) struct Painter<'a> {
    world: &'a World,
    camera: Camera,
    pub picture: Picture,
    /// A length that looks the same in small and in large pictures, in pixels.
    unit: f64,
}

impl<'a> Painter<'a> {
    pub fn new(world: &'a World, camera: Camera) -> Painter<'a> {
        let unit = f64::from(camera.size[0].min(camera.size[1])) / 540.0;
        Painter { world, camera, picture: Picture::new(camera.size, SKY), unit }
    }

    /// Lines a metre apart, or a power of ten of it that suits.
    pub fn grid(&mut self) {
        let [width, height] = self.camera.size.map(f64::from);
        let mut pitch = 1.0;
        while pitch * self.camera.scale < 24.0 * self.unit && pitch < 1e6 {
            pitch *= 10.0;
        }
        while pitch * self.camera.scale > 240.0 * self.unit && pitch > 1e-6 {
            pitch /= 10.0;
        }
        let (low, high) =
            (self.camera.world(DVec2::new(0.0, height)), self.camera.world(DVec2::new(width, 0.0)));
        let lines = |low: f64, high: f64| {
            let (first, last) = (libm::ceil(low / pitch) as i64, libm::floor(high / pitch) as i64);
            (first..=last).take(1000).map(move |index| index as f64 * pitch)
        };
        let mut grid = Vec::new();
        for x in lines(low.x, high.x) {
            let x = self.camera.pixel(DVec2::new(x, 0.0)).x;
            grid.push(vec![DVec2::new(x, 0.0), DVec2::new(x, height)]);
        }
        for y in lines(low.y, high.y) {
            let y = self.camera.pixel(DVec2::new(0.0, y)).y;
            grid.push(vec![DVec2::new(0.0, y), DVec2::new(width, y)]);
        }
        self.picture.stroke(grid, 1.0, Ink { colour: LINE, cover: 0.16 });
    }

    /// The bodies that are seen, where they are.
    fn seen(&self) -> impl Iterator<Item = (&'a Body, Pose)> + use<'a> {
        let (world, camera) = (self.world, self.camera);
        let [width, height] = camera.size.map(f64::from);
        world.bodies().filter_map(move |body| {
            let bounds = world.bounds_of(body)?;
            let (low, high) = (camera.pixel(bounds.min), camera.pixel(bounds.max));
            let is_seen = high.x >= -9.0 && low.x <= width + 9.0 && low.y >= -9.0 && high.y <= height + 9.0;
            Some((body, world.pose(body.id)?)).filter(|_| is_seen)
        })
    }

    fn loops(&self, body: &Body, pose: &Pose, shift: DVec2) -> Vec<Vec<DVec2>> {
        let map = pose.map();
        let pixel = |point: &DVec2| self.camera.pixel(map.transform_point2(*point)) + shift;
        body.outline().loops().iter().map(|own| own.points.iter().map(pixel).collect()).collect()
    }

    /// What bodies shade of the wall behind them: all in one, so that shadows do not add up.
    pub fn shadows(&mut self) {
        let mut all = Vec::new();
        for (body, pose) in self.seen() {
            all.extend(self.loops(body, &pose, SHADOW * self.unit));
        }
        self.picture.fill(all, Ink::black(0.13));
    }

    pub fn bodies(&mut self) {
        for (body, pose) in self.seen() {
            self.body(body, &pose);
        }
    }

    fn body(&mut self, body: &Body, pose: &Pose) {
        let look = self.world.materials()[body.material().0 as usize].look;
        let ink = base(&look, body.id);
        let loops = self.loops(body, pose, DVec2::ZERO);
        if body.is_masonry() {
            self.masonry(body, pose, &look, ink);
        } else {
            self.picture.fill(loops.clone(), ink);
        }
        self.edges(body.outline().loops(), &loops, &look);
    }

    /// A body of a user's own convexes shows them.
    fn masonry(&mut self, body: &Body, pose: &Pose, look: &Look, ink: Ink) {
        let (mut joints, map) = (Vec::new(), pose.map());
        for piece in body.compound().pieces() {
            let corners: Vec<DVec2> = piece
                .convex()
                .corners()
                .map(|corner| self.camera.pixel(map.transform_point2(corner)))
                .collect();
            let tint =
                0.94 + 0.12 * share(&[piece.mass().center.x.to_bits(), piece.mass().center.y.to_bits()]);
            let mut closed = corners.clone();
            closed.extend(corners.first());
            joints.push(closed);
            self.picture.fill(vec![corners], Ink { cover: look.cover, ..ink }.shaded(tint as f32));
        }
        let joint = ink.mixed([0.25, 0.22, 0.2], 0.55).thin(0.55);
        self.picture.stroke(joints, 1.3 * self.unit, joint);
    }

    /// Edges: lit or in shade by where they look, and in the colour of the inside where they were broken.
    fn edges(&mut self, outline: &[Loop], loops: &[Vec<DVec2>], look: &Look) {
        let mut lines: Vec<Vec<Vec<DVec2>>> = vec![Vec::new(); 2 * LEVELS + 2];
        for (own, points) in outline.iter().zip(loops) {
            let mut last = usize::MAX;
            for (index, &from) in points.iter().enumerate() {
                let to = points[(index + 1) % points.len()];
                let level = if own.is_broken[index] { BROKEN } else { light(from, to) };
                // Edges of one level are one line, so that their ends do not show.
                match lines[level].last_mut().filter(|_| level == last) {
                    Some(line) => line.push(to),
                    None => lines[level].push(vec![from, to]),
                }
                last = level;
            }
        }
        let width = 1.8 * self.unit;
        let broken = lines.pop().unwrap_or_default();
        for (level, lines) in lines.into_iter().enumerate() {
            let part = level.abs_diff(LEVELS) as f32 / LEVELS as f32;
            let ink = match level < LEVELS {
                true => Ink::of(look.colour).shaded(0.5).thin(0.9 * part),
                false => Ink::of(look.colour).mixed([1.0; 3], 0.55).thin(0.95 * part),
            };
            if level != LEVELS {
                self.picture.stroke(lines, width, ink);
            }
        }
        let interior = Ink::of(look.interior);
        self.picture.stroke(broken.clone(), 3.0 * self.unit, interior.thin(0.9));
        self.picture.stroke(broken, 0.9 * self.unit, interior.shaded(0.5).thin(0.75));
    }

    pub fn debris(&mut self) {
        let world = self.world;
        for chip in world.debris().chips() {
            let look = world.materials()[chip.material().0 as usize].look;
            let left = chip.left(world.steps(), world.options());
            let cover = (left * 4.0).min(1.0) as f32;
            let corners = chip.corners().map(|corner| self.camera.pixel(corner)).collect();
            let ink = Ink::of(look.interior).mixed(look.colour, 0.4).thin(cover * 0.5f32.max(look.cover));
            self.picture.fill(vec![corners], ink);
        }
    }

    pub fn projectiles(&mut self) {
        let world = self.world;
        for projectile in world.projectiles() {
            let way = projectile.velocity() * (world.options().step * 1.5);
            let [tip, left, right] = projectile.corners();
            let tail = |part: f64| [left, right].map(|corner| self.camera.pixel(corner - way * part));
            let [a, b] = [left, right].map(|corner| self.camera.pixel(corner));
            for (part, cover) in [(1.0, 0.10), (0.6, 0.16), (0.3, 0.22)] {
                let [c, d] = tail(part);
                let middle = (c + d) * 0.5;
                self.picture.fill(vec![vec![a, b, middle]], Ink { colour: GLOW, cover });
            }
            let body = vec![self.camera.pixel(tip), a, b];
            let mut closed = body.clone();
            closed.extend(body.first());
            self.picture.stroke(vec![closed], 2.4 * self.unit, Ink { colour: GLOW, cover: 0.7 });
            self.picture.fill(vec![body], Ink::of(STEEL));
        }
    }

    /// The pieces of bodies.
    pub fn pieces(&mut self) {
        let mut lines = Vec::new();
        for (body, pose) in self.seen() {
            for piece in body.compound().pieces() {
                let mut corners: Vec<DVec2> =
                    piece.convex().corners().map(|corner| self.camera.pixel(pose.point(corner))).collect();
                corners.extend(corners.first().copied());
                lines.push(corners);
            }
        }
        self.picture.stroke(lines, 1.0 * self.unit, Ink { colour: [0.1, 0.15, 0.35], cover: 0.5 });
    }

    /// Bonds, from piece to piece over the middle of what they share; from green over yellow to red by what they bear.
    pub fn bonds(&mut self) {
        for (body, pose) in self.seen() {
            let compound = body.compound();
            let borne = self.world.stresses(body.id);
            let center = |piece: u32| compound.pieces()[piece as usize].mass().center;
            for bond in compound.bonds() {
                let known = borne.iter().find(|(own, _)| (own.a, own.b, own.id) == (bond.a, bond.b, bond.id));
                let part = known.map_or(0.0, |(_, ratio)| ratio.clamp(0.0, 1.0)) as f32;
                let colour = [(part * 2.0).min(1.0) * 0.9, (2.0 - part * 2.0).min(1.0) * 0.65, 0.1];
                let line = [center(bond.a), bond.middle, center(bond.b)];
                let line = line.map(|point| self.camera.pixel(pose.point(point))).to_vec();
                self.picture.stroke(vec![line], 1.6 * self.unit, Ink { colour, cover: 0.8 });
            }
        }
    }

    /// The cells of a pattern.
    pub fn pattern(&mut self, pattern: &Pattern, place: &DAffine2) {
        let line = |cell: &smithereens_planar::pattern::PatternCell| {
            let corners = cell.convex.corners();
            let mut corners: Vec<DVec2> =
                corners.map(|corner| self.camera.pixel(place.transform_point2(corner))).collect();
            corners.extend(corners.first().copied());
            corners
        };
        let lines = pattern.cells().iter().map(line).collect();
        self.picture.stroke(lines, 1.2 * self.unit, Ink { colour: [0.75, 0.1, 0.2], cover: 0.55 });
    }

    /// The spring that drags a body.
    pub fn spring(&mut self) {
        let Some((anchor, target)) = self.world.grabbed() else { return };
        let line = vec![self.camera.pixel(anchor), self.camera.pixel(target)];
        self.picture.stroke(vec![line], 2.0 * self.unit, Ink { colour: [0.1, 0.4, 0.8], cover: 0.8 });
    }
}

/// So many levels of shade, and as many of light.
const LEVELS: usize = 3;
/// The level of edges that were broken.
const BROKEN: usize = 2 * LEVELS + 1;

/// How much light falls on an edge: from 0, in shade, over `LEVELS`, along the light, to twice that.
fn light(from: DVec2, to: DVec2) -> usize {
    // Outward is to the right of the way; y goes down here, which makes it the perpendicular.
    let outward = (to - from).perp().normalize_or_zero();
    let levels = LEVELS as f64;
    ((outward.dot(LIGHT) + 1.0) * levels + 0.5).clamp(0.0, 2.0 * levels) as usize
}

/// The colour of a body: no two stones are quite alike.
pub fn base(look: &Look, id: BodyId) -> Ink {
    let tint = 0.95 + 0.10 * share(&[id.0]);
    Ink { cover: look.cover, ..Ink::of(look.colour).shaded(tint as f32) }
}

/// A number from 0 to 1 that is the same for the same words.
fn share(words: &[u64]) -> f64 {
    let mut hash = Hash::default();
    words.iter().for_each(|word| hash.add(*word));
    let mixed = (hash.value() ^ (hash.value() >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    (mixed >> 11) as f64 / (1u64 << 53) as f64
}
