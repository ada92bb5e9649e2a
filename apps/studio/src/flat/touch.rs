//! The canvas, and what the pointer does on it.

use eframe::egui::{PointerButton, Pos2, Rect, Response, Sense, Ui};
use glam::DVec2;
use smithereens_flat::{Hit, Push, Shot, Turning};

use super::paint;
use super::sandbox::Sandbox;
use super::tool::Tool;
use super::view::View;

impl Sandbox {
    /// Shows the world, and does what the pointer says.
    pub(super) fn canvas(&mut self, ui: &mut Ui) {
        let (response, painter) = ui.allocate_painter(ui.available_size(), Sense::click_and_drag());
        let view = self.look(response.rect);
        paint::world(&painter, &view, &self.stage.world, self.display);
        self.move_view(ui, &response);
        if let Some(pointer) = response.interact_pointer_pos().or(response.hover_pos()) {
            self.touch(ui, &response, pointer, view.plane_from_screen(pointer));
        }
        if !response.dragged_by(PointerButton::Primary) {
            self.stage.world.release();
        }
        if let Some((from, to)) = self.stage.world.grabbed() {
            paint::spring(&painter, view.screen_from_plane(from), view.screen_from_plane(to));
        }
        self.show_tool(&painter, &view, response.hover_pos());
    }

    /// The view, which shows all of the scene at first and keeps its middle as the window changes.
    fn look(&mut self, canvas: Rect) -> View {
        let view = self.view.map_or_else(|| View::of(&self.framed, canvas), |view| View { canvas, ..view });
        if self.view.is_some() || canvas.is_positive() {
            self.view = Some(view);
        }
        view
    }

    /// Other buttons and the wheel move what is seen.
    fn move_view(&mut self, ui: &Ui, response: &Response) {
        let Some(view) = &mut self.view else { return };
        if response.dragged_by(PointerButton::Secondary) || response.dragged_by(PointerButton::Middle) {
            view.pan(response.drag_delta());
        }
        if let Some(pointer) = response.hover_pos() {
            let (scrolled, pinched) =
                ui.ctx().input(|input| (input.smooth_scroll_delta().y, input.zoom_delta()));
            let factor = (scrolled * 0.004).exp() * pinched;
            if factor != 1.0 {
                view.zoom(pointer, factor);
            }
        }
    }

    fn touch(&mut self, ui: &Ui, response: &Response, pointer: Pos2, place: DVec2) {
        let pressed = response.drag_started_by(PointerButton::Primary);
        let press = ui.ctx().input(|input| input.pointer.press_origin());
        match self.tool {
            Tool::Drag if pressed => {
                // A drag is known for one only after the pointer has gone some way.
                let from = press.zip(self.view).map_or(place, |(press, view)| view.plane_from_screen(press));
                if self.stage.world.body_at(from).is_some() {
                    self.remember();
                    self.stage.world.grab(from);
                }
            }
            Tool::Drag if response.dragged_by(PointerButton::Primary) => self.stage.world.drag(place),
            Tool::Break if response.clicked() => self.strike(place),
            Tool::Fire if response.secondary_clicked() => self.gun.origin = place,
            Tool::Fire if response.clicked() => self.fire(place),
            Tool::Erase if response.clicked() => {
                if let Some(body) = self.stage.world.body_at(place) {
                    self.remember();
                    self.stage.world.remove(body);
                }
            }
            tool if tool.draws() => self.draw(response, pointer, place),
            _ => {}
        }
    }

    /// Breaks what is at a place.
    pub fn strike(&mut self, place: DVec2) {
        let Some(body) = self.stage.world.body_at(place) else {
            self.said = "there is nothing to break".into();
            return;
        };
        self.remember();
        let blow = self.blow;
        let pattern = self.stage.world.patterns().current().filter(|_| !blow.by_material);
        let hit = Hit {
            strength: blow.strength,
            // As it is made, the material says how far, and a body that breaks by nature does as a whole.
            radius: (!blow.by_material).then_some(blow.radius.unwrap_or(f64::INFINITY)),
            pattern: pattern.map(|named| named.pattern.clone()),
            cover: blow.cover,
            turning: if blow.turns { Turning::Random } else { Turning::Not },
            push: Some(Push::Speed(blow.push)),
            ..Hit::at(body, place)
        };
        self.said = match self.stage.world.fracture(&hit) {
            Ok(Some(event)) => {
                let (parts, debris) = (event.fragments, event.debris);
                format!("{parts} fragments and {debris} chips, in {:.2} ms", event.time.as_secs_f64() * 1e3)
            }
            Ok(None) => "it holds".into(),
            Err(error) => error.to_string(),
        };
    }

    /// Fires from the origin towards a place.
    pub fn fire(&mut self, toward: DVec2) {
        let gun = self.gun;
        let length = (self.framed.extent() * 0.03).max(1e-3);
        let shot = Shot {
            from: gun.origin,
            toward,
            speed: gun.speed,
            breaks: gun.breaks,
            strength: gun.strength,
            length,
            ..Shot::default()
        };
        self.remember();
        if self.stage.world.fire(&shot).is_some() {
            self.tally.fired += 1;
        }
    }
}
