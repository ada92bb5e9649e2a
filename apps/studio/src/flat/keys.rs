//! Keys.

use eframe::egui::{Context, Key, KeyboardShortcut, Modifiers};

use super::sandbox::Sandbox;
use super::tool::Tool;

const UNDO: KeyboardShortcut = KeyboardShortcut::new(Modifiers::COMMAND, Key::Z);
const REDO: KeyboardShortcut = KeyboardShortcut::new(Modifiers::COMMAND, Key::Y);
const REDO_TOO: KeyboardShortcut = KeyboardShortcut::new(Modifiers::COMMAND.plus(Modifiers::SHIFT), Key::Z);

impl Sandbox {
    /// Does what keys say, unless something is being typed.
    pub(super) fn press(&mut self, ctx: &Context) {
        if ctx.egui_wants_keyboard_input() {
            return;
        }
        let shortcut = |shortcut: &KeyboardShortcut| ctx.input_mut(|input| input.consume_shortcut(shortcut));
        if shortcut(&REDO_TOO) || shortcut(&REDO) {
            self.redo();
        } else if shortcut(&UNDO) {
            self.undo();
        }
        let pressed = |key: Key| ctx.input(|input| input.key_pressed(key) && input.modifiers.is_none());
        for tool in Tool::ALL.into_iter().filter(|tool| pressed(tool.key())) {
            self.take(tool);
        }
        if pressed(Key::Space) {
            self.clock.is_running = !self.clock.is_running;
        }
        if pressed(Key::Period) {
            self.clock.step_once();
        }
        if pressed(Key::R) {
            self.restart();
        }
        if pressed(Key::P) && self.board.is_open {
            self.board.is_open = false;
        } else if pressed(Key::P) {
            let current = self.stage.world.patterns().current().map(|named| named.recipe.clone());
            self.board.open(current.as_ref());
        }
        if pressed(Key::OpenBracket) || pressed(Key::CloseBracket) {
            let by = if pressed(Key::CloseBracket) { 1 } else { -1 };
            self.stage.world.patterns_mut().cycle(by);
        }
        if pressed(Key::Enter) {
            self.finish_draft();
        }
        if pressed(Key::Escape) {
            (self.draft, self.objection) = Default::default();
        }
        if pressed(Key::Backspace) {
            self.draft.take_back();
            self.objection = None;
        }
        if pressed(Key::Home) {
            self.view = None;
        }
    }

    /// Takes another tool. What was being drawn with another is dropped.
    pub fn take(&mut self, tool: Tool) {
        if self.tool != tool {
            self.tool = tool;
            (self.draft, self.objection) = Default::default();
            self.stage.world.release();
        }
    }
}
