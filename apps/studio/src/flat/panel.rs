//! What lies around the canvas: the bar, the tools with their options, and the line of words.

use eframe::egui::{self, Button, ComboBox, DragValue, Response, ScrollArea, Slider, Ui};
use glam::DVec2;
use smithereens_flat::MaterialId;
use smithereens_flat::scene::built_in;
use smithereens_planar::Cover;

use super::board::thumbnail;
use super::sandbox::Sandbox;
use super::tool::Tool;

/// The buttons of the bar.
pub(super) const BAR: [&str; 9] =
    ["Scene", "Open", "Save", "Restart", "Undo", "Redo", "Play", "Step", "Draw pattern"];

impl Sandbox {
    /// The bar: scenes and files, time, and what was done.
    pub fn bar(&mut self, ui: &mut Ui) {
        self.spots.clear();
        let menu = ui.menu_button("Scene", |ui| self.scenes(ui)).response;
        self.mark("Scene", &menu);
        if self.button(
            ui,
            "Open",
            "A scene or patterns from a file. Files can be dropped on the window, too.",
        ) {
            self.tray.open();
        }
        if self.button(ui, "Save", "The scene as it is now, to a file") {
            self.tray.save(if self.title.is_empty() { "scene" } else { &self.title }, self.to_text());
        }
        ui.separator();
        if self.button(ui, "Restart", "All as it was in the beginning (R)") {
            self.restart();
        }
        let (past, future) = self.history.len();
        if ui
            .add_enabled_ui(past > 0, |ui| self.button(ui, "Undo", "Takes back what was done last (Ctrl+Z)"))
            .inner
        {
            self.undo();
        }
        if ui.add_enabled_ui(future > 0, |ui| self.button(ui, "Redo", "Does it again (Ctrl+Y)")).inner {
            self.redo();
        }
        ui.separator();
        let play =
            ui.selectable_label(self.clock.is_running, if self.clock.is_running { "Pause" } else { "Play" });
        self.mark("Play", &play);
        if play.on_hover_text("Whether time passes (Space)").clicked() {
            self.clock.is_running = !self.clock.is_running;
        }
        if self.button(ui, "Step", "One step of time (.)") {
            self.clock.step_once();
        }
        let speed = Slider::new(&mut self.clock.speed, 0.02..=1.0).logarithmic(true).text("speed");
        ui.add(speed).on_hover_text("1 is as fast as life");
    }

    fn scenes(&mut self, ui: &mut Ui) {
        for scene in built_in() {
            if ui.button(scene.name).on_hover_text(scene.about).clicked() {
                if let Err(error) = self.open_built_in(scene.name) {
                    self.said = error;
                }
                ui.close();
            }
        }
    }

    /// The tools, and what can be said of the one in hand.
    pub(super) fn panel(&mut self, ui: &mut Ui) {
        // Room for what sliders are called.
        ui.spacing_mut().slider_width = 66.0;
        ScrollArea::vertical().show(ui, |ui| {
            ui.add_space(4.0);
            egui::Grid::new("tools").num_columns(3).show(ui, |ui| {
                for (place, tool) in Tool::ALL.into_iter().enumerate() {
                    let button =
                        Button::selectable(self.tool == tool, tool.name()).min_size([56.0, 26.0].into());
                    let response = ui.add(button);
                    self.mark(tool.name(), &response);
                    if response.on_hover_text(format!("{} ({:?})", tool.advice(), tool.key())).clicked() {
                        self.take(tool);
                    }
                    if place % 3 == 2 {
                        ui.end_row();
                    }
                }
            });
            ui.separator();
            match self.tool {
                Tool::Break => self.blow_options(ui),
                Tool::Fire => self.gun_options(ui),
                Tool::Convex | Tool::Shape => self.ink_options(ui),
                Tool::Drag | Tool::Erase => {}
            }
            self.shelf(ui);
            self.world_options(ui);
        });
    }

    fn blow_options(&mut self, ui: &mut Ui) {
        let blow = &mut self.blow;
        ui.checkbox(&mut blow.by_material, "as it is made").on_hover_text(
            "By the material's own patterns, the harder the finer; along its fracture modes, if it has them. Otherwise by the pattern on the shelf.",
        );
        if !blow.by_material {
            let mut has_end = blow.radius.is_some();
            let near = ui.checkbox(&mut has_end, "only near the click");
            near.on_hover_text("What lies beyond the radius stays in one part");
            blow.radius = has_end.then(|| blow.radius.unwrap_or(0.8));
            if let Some(radius) = &mut blow.radius {
                ui.add(Slider::new(radius, 0.05..=10.0).logarithmic(true).text("radius"));
            }
        }
        ui.add(Slider::new(&mut blow.strength, 0.1..=50.0).logarithmic(true).text("strength"));
        ui.add(Slider::new(&mut blow.push, 0.0..=10.0).text("push"))
            .on_hover_text("How fast fragments fly apart, m/s");
        ui.checkbox(&mut blow.turns, "turn patterns");
        let cover = |cover: Cover| match cover {
            Cover::Extend => "extend",
            Cover::Scale => "scale",
            Cover::Leave => "leave",
        };
        ComboBox::from_label("cover").selected_text(cover(blow.cover)).show_ui(ui, |ui| {
            for choice in [Cover::Extend, Cover::Scale, Cover::Leave] {
                ui.selectable_value(&mut blow.cover, choice, cover(choice));
            }
        });
        ui.separator();
    }

    fn gun_options(&mut self, ui: &mut Ui) {
        let gun = &mut self.gun;
        ui.add(Slider::new(&mut gun.speed, 5.0..=300.0).logarithmic(true).text("m/s"));
        ui.add(Slider::new(&mut gun.breaks, 1..=20).text("bodies"))
            .on_hover_text("How many bodies one breaks before it is gone");
        ui.add(Slider::new(&mut gun.strength, 1.0..=50.0).logarithmic(true).text("strength"));
        ui.separator();
    }

    fn ink_options(&mut self, ui: &mut Ui) {
        let names: Vec<String> =
            self.stage.world.materials().iter().map(|material| material.name.clone()).collect();
        let own = names.get(self.ink.material.0 as usize).map_or("", String::as_str);
        ComboBox::from_label("material").selected_text(own).show_ui(ui, |ui| {
            for (index, name) in (0..).zip(&names) {
                ui.selectable_value(&mut self.ink.material, MaterialId(index), name);
            }
        });
        ui.checkbox(&mut self.ink.fixed, "held in place");
        ui.checkbox(&mut self.ink.by_nature, "breaks by nature")
            .on_hover_text("Along its fracture modes, where it is weak");
        let (done, clear) = ui
            .horizontal(|ui| {
                (
                    self.button(ui, "Done", "A body of it (Enter)"),
                    self.button(ui, "Drop", "Draws nothing (Escape)"),
                )
            })
            .inner;
        if done {
            self.finish_draft();
        }
        if clear {
            (self.draft, self.objection) = Default::default();
        }
        ui.separator();
    }

    /// The patterns: which one breaks, and where to draw another.
    fn shelf(&mut self, ui: &mut Ui) {
        let Some(current) = self.stage.world.patterns().current().cloned() else { return };
        ui.horizontal(|ui| {
            if ui.button("◀").on_hover_text("The pattern before ([)").clicked() {
                self.stage.world.patterns_mut().cycle(-1);
            }
            ui.label(&current.recipe.name);
            let next = ui.button("▶").on_hover_text("The next pattern (])");
            self.mark("Next pattern", &next);
            if next.clicked() {
                self.stage.world.patterns_mut().cycle(1);
            }
        });
        if thumbnail(ui, &current.pattern, 150.0)
            .on_hover_text("The pattern that breaks: draw one like it")
            .clicked()
        {
            self.board.open(Some(&current.recipe));
        }
        if self.button(ui, "Draw pattern", "A pattern of your own (P)") {
            self.board.open(None);
        }
        if self.button(ui, "Save patterns", "All patterns on the shelf, to a file") {
            self.tray.save("patterns", self.stage.world.patterns().write());
        }
        ui.separator();
    }

    fn world_options(&mut self, ui: &mut Ui) {
        let mut options = *self.stage.world.options();
        let mut down = -options.gravity.y;
        ui.horizontal(|ui| {
            ui.add(DragValue::new(&mut down).speed(0.05).range(-30.0..=30.0).suffix(" m/s²"));
            ui.label("gravity");
        });
        options.gravity = DVec2::new(options.gravity.x, -down);
        let mut smallest = options.smallest * 1e4;
        ui.horizontal(|ui| {
            ui.add(DragValue::new(&mut smallest).speed(0.1).range(0.0..=1e4).suffix(" cm²"));
            ui.label("smallest").on_hover_text("What is smaller becomes debris");
        });
        options.smallest = smallest * 1e-4;
        ui.checkbox(&mut options.stress, "own weight").on_hover_text("Bodies break under what they bear");
        if options != *self.stage.world.options()
            && let Err(error) = self.stage.world.set_options(options)
        {
            self.said = error.to_string();
        }
        ui.checkbox(&mut self.display.pieces, "convexes");
        ui.checkbox(&mut self.display.bonds, "bonds");
        ui.checkbox(&mut self.display.grid, "grid");
    }

    /// One line: advice, what happened last, and how much there is.
    pub(super) fn words(&mut self, ui: &mut Ui) {
        ui.horizontal(|ui| {
            match &self.objection {
                Some(objection) => ui.colored_label(super::paint::ALARM, &objection.words),
                None => ui.label(self.tool.advice()),
            };
            ui.separator();
            ui.label(&self.said);
            ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
                let (bodies, chips) =
                    (self.stage.world.bodies().len(), self.stage.world.debris().chips().len());
                let step = self.stage.world.times().total().as_secs_f64() * 1e3;
                ui.weak(format!("{bodies} bodies, {chips} chips, {step:.1} ms a step"));
            });
        });
    }

    /// A button that tests find by its name.
    fn button(&mut self, ui: &mut Ui, name: &'static str, hint: &str) -> bool {
        let response = ui.button(name);
        self.mark(name, &response);
        response.on_hover_text(hint).clicked()
    }

    fn mark(&mut self, name: &'static str, response: &Response) {
        self.spots.push((name, response.rect));
    }
}
