//! How a world looks on the canvas: as in pictures without a window (`smithereens_flat::draw`), by the means of a graphics card.
//!
//! What a card cannot fill, outlines with holes, is filled piece by piece.

use std::f64::consts::TAU;

use eframe::egui::{Color32, Mesh, Painter, Pos2, Shape, Stroke, Vec2};
use glam::{DAffine2, DVec2};
use smithereens_flat::draw::{Ink, base};
use smithereens_flat::{Body, Look, World};
use smithereens_planar::{Aabb, Convex};

use super::view::View;

/// What is shown besides bodies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Show {
    /// Lines a metre apart, or so.
    pub grid: bool,
    /// The convexes that bodies are made of.
    pub pieces: bool,
    /// What holds pieces together.
    pub bonds: bool,
}

impl Default for Show {
    fn default() -> Show {
        Show { grid: true, pieces: false, bonds: false }
    }
}

/// The paper that all lies on.
pub const PAPER: Color32 = Color32::from_rgb(238, 235, 229);
/// Lines of the grid.
const GRID: Color32 = Color32::from_rgb(224, 220, 213);
/// What bodies shade.
const SHADOW: Color32 = Color32::from_rgb(208, 205, 199);
/// How far shadows fall, in points.
const FALL: Vec2 = Vec2::new(2.5, 4.0);
/// Where the light comes from: the upper left.
const LIGHT: DVec2 = DVec2::new(-0.5, 0.866);
/// Walls of the box that bodies live in.
const WALL: Color32 = Color32::from_rgb(170, 165, 158);
/// What the pointer does.
pub const INK: Color32 = Color32::from_rgb(30, 110, 190);
/// What is refused, and what is fired.
pub const ALARM: Color32 = Color32::from_rgb(205, 50, 40);
/// Bonds between pieces.
const BOND: Color32 = Color32::from_rgb(40, 140, 60);
/// What projectiles are made of.
const STEEL: Color32 = Color32::from_rgb(51, 54, 61);

/// A body that is seen.
struct Seen<'a> {
    body: &'a Body,
    world_from_body: DAffine2,
    look: Look,
}

/// Draws all that is in a world.
pub fn world(painter: &Painter, view: &View, world: &World, show: Show) {
    painter.rect_filled(view.canvas, 0.0, PAPER);
    if show.grid {
        grid(painter, view);
    }
    if let Some(bounds) = world.options().bounds {
        frame(painter, view, &bounds, Stroke::new(1.5, WALL));
    }
    let window = view.bounds().grown(view.points(FALL.length()));
    let seen: Vec<Seen> = world.bodies().filter_map(|body| seen(world, body, &window)).collect();
    let mut shadows = Mesh::default();
    for Seen { body, world_from_body, .. } in &seen {
        for piece in body.compound().pieces() {
            fan(
                &mut shadows,
                corners(view, world_from_body, piece.convex()).map(|corner| corner + FALL),
                SHADOW,
            );
        }
    }
    painter.add(Shape::mesh(shadows));
    seen.iter().for_each(|seen| seen.paint(painter, view, show));
    let mut chips = Mesh::default();
    for chip in world.debris().chips() {
        let look = world.materials()[chip.material().0 as usize].look;
        let left = (chip.left(world.steps(), world.options()) * 4.0).min(1.0) as f32;
        let ink = Ink::of(look.interior).mixed(look.colour, 0.4).thin(left * look.cover.max(0.5));
        fan(&mut chips, chip.corners().map(|corner| view.screen_from_plane(corner)), tone(ink));
    }
    painter.add(Shape::mesh(chips));
    for projectile in world.projectiles() {
        let corners = projectile.corners().map(|corner| view.screen_from_plane(corner)).to_vec();
        painter.add(Shape::convex_polygon(corners, STEEL, Stroke::new(1.5, ALARM)));
    }
}

fn seen<'a>(world: &World, body: &'a Body, window: &Aabb) -> Option<Seen<'a>> {
    let map = world.pose(body.id)?.map();
    let reach = Aabb::around(body.compound().bounds().corners().map(|corner| map.transform_point2(corner)));
    let look = world.materials()[body.material().0 as usize].look;
    reach.meets(window).then_some(Seen { body, world_from_body: map, look })
}

impl Seen<'_> {
    fn paint(&self, painter: &Painter, view: &View, show: Show) {
        let ink = base(&self.look, self.body.id);
        let mut mesh = Mesh::default();
        for piece in self.body.compound().pieces() {
            fan(&mut mesh, corners(view, &self.world_from_body, piece.convex()), tone(ink));
        }
        painter.add(Shape::mesh(mesh));
        if show.pieces || self.body.is_masonry() {
            let joint = Stroke::new(1.0, tone(ink.mixed([0.25, 0.22, 0.2], 0.55).thin(0.6)));
            for piece in self.body.compound().pieces() {
                let corners = corners(view, &self.world_from_body, piece.convex()).collect();
                painter.add(Shape::closed_line(corners, joint));
            }
        }
        self.edges(painter, view);
        if show.bonds {
            self.bonds(painter, view);
        }
    }

    /// Edges: lit or in shade by where they look, and in the colour of the inside where they were broken.
    fn edges(&self, painter: &Painter, view: &View) {
        let lit = Stroke::new(1.6, tone(Ink::of(self.look.colour).mixed([1.0; 3], 0.45)));
        let shaded = Stroke::new(1.6, tone(Ink::of(self.look.colour).shaded(0.55)));
        let interior = Ink::of(self.look.interior);
        let broken =
            [Stroke::new(2.6, tone(interior)), Stroke::new(0.8, tone(interior.shaded(0.5).thin(0.75)))];
        for line in self.body.outline().loops() {
            let ends = line.points.iter().zip(line.points.iter().cycle().skip(1)).zip(&line.is_broken);
            for ((&from, &to), &is_broken) in ends {
                let seen = [from, to]
                    .map(|point| view.screen_from_plane(self.world_from_body.transform_point2(point)));
                // Outward is to the right of the way.
                let is_lit = self.world_from_body.transform_vector2(-(to - from).perp()).dot(LIGHT) > 0.0;
                match (is_broken, is_lit) {
                    (true, _) => broken.into_iter().for_each(|stroke| _ = painter.line_segment(seen, stroke)),
                    (false, true) => _ = painter.line_segment(seen, lit),
                    (false, false) => _ = painter.line_segment(seen, shaded),
                }
            }
        }
    }

    fn bonds(&self, painter: &Painter, view: &View) {
        let compound = self.body.compound();
        let middle = |index: u32| compound.pieces()[index as usize].mass().center;
        for bond in compound.bonds() {
            let line = [middle(bond.a), bond.middle, middle(bond.b)];
            let line = line
                .map(|point| view.screen_from_plane(self.world_from_body.transform_point2(point)))
                .to_vec();
            painter.add(Shape::line(line, Stroke::new(1.2, BOND)));
        }
    }
}

/// Adds a convex to a mesh, as a fan.
fn fan(mesh: &mut Mesh, corners: impl Iterator<Item = Pos2>, colour: Color32) {
    let first = mesh.vertices.len() as u32;
    corners.for_each(|corner| mesh.colored_vertex(corner, colour));
    let count = mesh.vertices.len() as u32 - first;
    (2..count).for_each(|third| mesh.add_triangle(first, first + third - 1, first + third));
}

fn corners<'a>(
    view: &'a View,
    world_from_body: &'a DAffine2,
    convex: &'a Convex,
) -> impl Iterator<Item = Pos2> + 'a {
    convex.corners().map(|corner| view.screen_from_plane(world_from_body.transform_point2(corner)))
}

/// Lines that are as far apart as one can count: 1, 2 or 5 times a power of ten.
fn grid(painter: &Painter, view: &View) {
    let wanted = view.points(60.0);
    let power = 10f64.powf(wanted.log10().floor());
    let apart = [1.0, 2.0, 5.0, 10.0].map(|times| times * power).into_iter().find(|&apart| apart >= wanted);
    let apart = apart.unwrap_or(wanted);
    let (bounds, stroke) = (view.bounds(), Stroke::new(1.0, GRID));
    let lines = |low: f64, high: f64| (low / apart).ceil() as i64..=(high / apart).floor() as i64;
    for line in lines(bounds.min.x, bounds.max.x) {
        painter.vline(
            view.screen_from_plane(DVec2::X * line as f64 * apart).x,
            view.canvas.y_range(),
            stroke,
        );
    }
    for line in lines(bounds.min.y, bounds.max.y) {
        painter.hline(
            view.canvas.x_range(),
            view.screen_from_plane(DVec2::Y * line as f64 * apart).y,
            stroke,
        );
    }
}

/// Draws the outline of a box.
fn frame(painter: &Painter, view: &View, bounds: &Aabb, stroke: Stroke) {
    painter.add(Shape::closed_line(
        bounds.corners().map(|corner| view.screen_from_plane(corner)).to_vec(),
        stroke,
    ));
}

/// Marks a place where something is refused.
pub fn cross(painter: &Painter, at: Pos2) {
    let stroke = Stroke::new(3.0, ALARM);
    for (x, y) in [(1.0, 1.0), (1.0, -1.0)] {
        let arm = Vec2::new(x, y) * 9.0;
        painter.line_segment([at - arm, at + arm], stroke);
    }
    painter.circle_stroke(at, 15.0, stroke);
}

/// Draws a spring from where a body is held to the pointer.
pub fn spring(painter: &Painter, from: Pos2, to: Pos2) {
    const TURNS: usize = 9;
    let (along, across) = (to - from, (to - from).normalized().rot90() * 5.0);
    let zigzag = |part: usize| {
        let share = part as f32 / (TURNS * 4) as f32;
        from + along * share + across * (part as f64 / 4.0 * TAU).sin() as f32
    };
    painter.add(Shape::line((0..=TURNS * 4).map(zigzag).collect(), Stroke::new(1.6, INK)));
    painter.circle_filled(from, 4.0, INK);
}

/// A colour for the screen.
fn tone(ink: Ink) -> Color32 {
    let part = |x: f32| (x.clamp(0.0, 1.0) * 255.0).round() as u8;
    let [red, green, blue] = ink.colour.map(part);
    Color32::from_rgba_unmultiplied(red, green, blue, part(ink.cover))
}
