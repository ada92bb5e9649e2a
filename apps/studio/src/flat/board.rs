//! The board that patterns are drawn on: control points, and their Voronoi cells as they move.

use eframe::egui::{self, Color32, CornerRadius, PointerButton, Pos2, Rect, Sense, Shape, Stroke, Ui, Vec2};
use glam::DVec2;
use smithereens_flat::{Library, PatternKind, Recipe};
use smithereens_planar::pattern::{Falloff, Pattern};
use smithereens_planar::{Aabb, Convex, voronoi};

use super::paint::{INK, PAPER};

/// How wide the board is drawn.
const WIDTH: f32 = 380.0;
/// How near to a point the pointer takes hold of it.
const GRASP: f32 = 9.0;
/// How many points are scattered.
const SCATTERED: usize = 40;

/// A pattern as it is being drawn: points in the square from -1 to 1, with the impact in the middle.
#[derive(Clone, Debug, Default)]
pub struct Board {
    /// Whether it lies open.
    pub is_open: bool,
    /// What the pattern is to be called.
    pub name: String,
    /// The control points.
    pub points: Vec<DVec2>,
    held: Option<usize>,
    scattered: u64,
    /// Where it and its buttons were seen last.
    pub spots: Vec<(&'static str, Rect)>,
}

impl Board {
    /// Opens it with a pattern's points, if it was drawn by points.
    pub fn open(&mut self, recipe: Option<&Recipe>) {
        self.is_open = true;
        if let Some(recipe) = recipe.filter(|recipe| recipe.kind == PatternKind::Points) {
            self.name.clone_from(&recipe.name);
            self.points.clone_from(&recipe.points);
        }
    }

    /// Shows it, and lays what is kept on the shelf. Says what went wrong, or right.
    pub fn show(&mut self, ui: &mut Ui, library: &mut Library) -> Option<String> {
        let mut said = None;
        self.spots.clear();
        let mut is_open = self.is_open;
        let window = egui::Window::new("Draw a pattern")
            .open(&mut is_open)
            .resizable(false)
            .default_pos([330.0, 90.0]);
        window.show(ui.ctx(), |ui| {
            ui.label("Click to add a point, drag to move one, right-click to remove it. The impact is in the middle.");
            self.canvas(ui);
            ui.horizontal(|ui| {
                if ui.button("Scatter").on_hover_text("Points at random, crowded in the middle: small pieces where it is hit").clicked() {
                    self.scatter();
                }
                if ui.button("Clear").clicked() {
                    self.points.clear();
                }
                ui.add(egui::TextEdit::singleline(&mut self.name).hint_text("name").desired_width(110.0));
                let keep = ui.add_enabled(!self.points.is_empty(), egui::Button::new("Keep"));
                self.spots.push(("Keep", keep.rect));
                if keep.on_hover_text("Lays it on the shelf, and breaks with it from now on").clicked() {
                    said = Some(self.keep(library));
                }
            });
        });
        self.is_open = is_open;
        said
    }

    /// Lays the pattern on the shelf.
    pub fn keep(&mut self, library: &mut Library) -> String {
        if self.name.trim().is_empty() {
            let taken = |number: usize| library.named(&format!("drawn {number}")).is_some();
            let number = (1..).find(|&number| !taken(number)).unwrap_or(1);
            self.name = format!("drawn {number}");
        }
        match library.add(Recipe::of_points(self.name.trim(), self.points.clone())) {
            Ok(kept) => format!("breaks by {:?} now: {} cells", kept.recipe.name, kept.pattern.cells().len()),
            Err(error) => error.to_string(),
        }
    }

    /// Other points, crowded in the middle.
    fn scatter(&mut self) {
        self.scattered += 1;
        let falloff = Falloff {
            cells: SCATTERED,
            bounds: Aabb::square(1.0),
            seed: self.scattered,
            ..Falloff::default()
        };
        if let Ok(pattern) = falloff.pattern() {
            self.points = pattern.cells().iter().map(|cell| cell.convex.middle()).collect();
        }
    }

    fn canvas(&mut self, ui: &mut Ui) {
        let (response, painter) = ui.allocate_painter(Vec2::splat(WIDTH), Sense::click_and_drag());
        let board = response.rect;
        self.spots.push(("board", board));
        if let Some(pointer) = response.interact_pointer_pos() {
            self.point_at(&response, board, pointer);
        } else {
            self.held = None;
        }
        painter.rect_filled(board, CornerRadius::same(3), PAPER);
        cells(&painter, board, &voronoi(&self.points, &Aabb::square(1.0)));
        let middle = screen_from_board(board, DVec2::ZERO);
        painter.circle_stroke(middle, 5.0, Stroke::new(1.5, Color32::from_gray(140)));
        let near = response.hover_pos().and_then(|pointer| self.near(board, pointer));
        for (index, &point) in self.points.iter().enumerate() {
            let radius = if near == Some(index) || self.held == Some(index) { 5.0 } else { 3.0 };
            painter.circle_filled(screen_from_board(board, point), radius, INK);
        }
    }

    /// What the pointer does to points.
    fn point_at(&mut self, response: &egui::Response, board: Rect, pointer: Pos2) {
        let place = board_from_screen(board, pointer).clamp(DVec2::splat(-1.0), DVec2::splat(1.0));
        if response.clicked_by(PointerButton::Secondary) {
            if let Some(near) = self.near(board, pointer) {
                self.points.remove(near);
            }
        } else if response.drag_started_by(PointerButton::Primary) {
            self.held =
                self.near(board, response.ctx.input(|input| input.pointer.press_origin()).unwrap_or(pointer));
        } else if response.clicked_by(PointerButton::Primary) && self.near(board, pointer).is_none() {
            self.points.push(place);
        }
        if let Some(held) = self.held.filter(|&held| held < self.points.len()) {
            self.points[held] = place;
        }
        if response.drag_stopped() {
            self.held = None;
        }
    }

    /// The point next to the pointer.
    fn near(&self, board: Rect, pointer: Pos2) -> Option<usize> {
        let away = |&index: &usize| screen_from_board(board, self.points[index]).distance(pointer);
        let nearest = (0..self.points.len()).min_by(|a, b| away(a).total_cmp(&away(b)))?;
        (away(&nearest) <= GRASP).then_some(nearest)
    }
}

/// A small picture of a pattern.
pub fn thumbnail(ui: &mut Ui, pattern: &Pattern, width: f32) -> egui::Response {
    let (response, painter) = ui.allocate_painter(Vec2::splat(width), Sense::click());
    painter.rect_filled(response.rect, CornerRadius::same(3), PAPER);
    let box_from_pattern = 1.0 / pattern.bounds().extent().max(f64::MIN_POSITIVE) * 2.0;
    for cell in pattern.cells() {
        let corners =
            cell.convex.corners().map(|corner| screen_from_board(response.rect, corner * box_from_pattern));
        painter.add(Shape::closed_line(corners.collect(), Stroke::new(0.8, INK)));
    }
    response
}

fn cells(painter: &egui::Painter, board: Rect, cells: &[Convex]) {
    for (index, cell) in cells.iter().enumerate() {
        let corners: Vec<Pos2> = cell.corners().map(|corner| screen_from_board(board, corner)).collect();
        // Neighbours have different shades.
        let shade = 205 + ((index as u32).wrapping_mul(2_654_435_761) >> 24) as u8 / 8;
        let stroke = Stroke::new(1.0, INK.gamma_multiply(0.8));
        painter.add(Shape::convex_polygon(corners, Color32::from_rgb(shade - 8, shade - 3, shade), stroke));
    }
}

fn screen_from_board(board: Rect, place: DVec2) -> Pos2 {
    board.center() + Vec2::new(place.x as f32, -place.y as f32) * board.width() * 0.5
}

fn board_from_screen(board: Rect, seen: Pos2) -> DVec2 {
    let away = (seen - board.center()) / (board.width() * 0.5);
    DVec2::new(f64::from(away.x), -f64::from(away.y))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_drawn_is_kept_under_a_name_of_its_own() {
        let mut library = Library::of_kinds();
        let before = library.patterns().len();
        let mut board = Board { points: vec![DVec2::ZERO, DVec2::splat(0.5)], ..Board::default() };
        assert!(board.keep(&mut library).contains("2 cells"));
        assert_eq!(board.name, "drawn 1");
        board.points.push(DVec2::NEG_X);
        board.keep(&mut library);
        assert_eq!(
            (library.patterns().len(), library.current().unwrap().pattern.cells().len()),
            (before + 1, 3)
        );
        let mut again = Board::default();
        again.open(library.current().map(|named| &named.recipe));
        assert_eq!(again.points, board.points);
    }

    #[test]
    fn scattered_points_are_crowded_in_the_middle() {
        let mut board = Board::default();
        board.scatter();
        let inner = board.points.iter().filter(|point| point.length() < 0.5).count();
        // Spread evenly, a fifth would be.
        assert!(inner * 5 > board.points.len() * 2, "{inner} of {}", board.points.len());
    }
}
