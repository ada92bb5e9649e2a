//! The shell: a bar with the rooms, and the room that is open.

use eframe::egui::{self, Panel, Ui, Visuals};

use crate::flat::Sandbox;

/// The window, or the page.
#[derive(Default)]
pub struct Studio {
    /// The room for two dimensions.
    pub sandbox: Sandbox,
}

impl Studio {
    /// Shows all of it.
    pub fn show(&mut self, ui: &mut Ui) {
        ui.ctx().set_visuals(Visuals::light());
        Panel::top("bar").show(ui, |ui| {
            ui.horizontal_wrapped(|ui| {
                ui.strong("smithereens");
                ui.separator();
                self.sandbox.bar(ui);
            });
        });
        self.sandbox.show(ui);
    }
}

impl eframe::App for Studio {
    fn ui(&mut self, ui: &mut Ui, _: &mut eframe::Frame) {
        self.show(ui);
    }

    #[cfg(target_arch = "wasm32")]
    fn as_any_mut(&mut self) -> Option<&mut dyn std::any::Any> {
        Some(self)
    }

    fn clear_color(&self, _: &Visuals) -> [f32; 4] {
        egui::Rgba::from(crate::flat::PAPER).to_array()
    }
}
