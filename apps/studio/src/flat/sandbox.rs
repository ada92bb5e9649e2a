//! The sandbox: a world, what it began as, and all that a user does to it.

use eframe::egui::{self, CentralPanel, Panel, Rect, Ui};
use glam::DVec2;
use smithereens_flat::scene::SceneError;
use smithereens_flat::scene::{Scene, Stage, built_in};
use smithereens_flat::{History, Library, MaterialId, PatternKind, Recipe};
use smithereens_planar::{Aabb, Cover};

use super::board::Board;
use super::clock::Clock;
use super::draft::{Draft, Objection};
use super::files::{Outcome, Tray};
use super::paint::Show;
use super::tool::Tool;
use super::view::View;

/// The scene that it opens with.
const FIRST: &str = "playground";

/// How a click breaks what it hits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Blow {
    /// How hard, in multiples of the material's strength.
    pub strength: f64,
    /// How far it reaches, in metres; none: everywhere.
    pub radius: Option<f64>,
    /// What becomes of a pattern that is too small.
    pub cover: Cover,
    /// Whether the pattern is turned at random.
    pub turns: bool,
    /// Whether bodies break by what they are made of, and by nature, instead of by the pattern on the shelf.
    pub by_material: bool,
    /// How fast fragments fly apart, in metres per second.
    pub push: f64,
}

impl Default for Blow {
    fn default() -> Blow {
        Blow {
            strength: 2.0,
            radius: Some(0.8),
            cover: Cover::Extend,
            turns: true,
            by_material: false,
            push: 0.8,
        }
    }
}

/// What projectiles are like, and where they come from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gun {
    /// Where they come from.
    pub origin: DVec2,
    /// How fast they are, in metres per second.
    pub speed: f64,
    /// How many bodies one breaks.
    pub breaks: u32,
    /// How hard they hit, in multiples of the material's strength.
    pub strength: f64,
}

impl Default for Gun {
    fn default() -> Gun {
        Gun { origin: DVec2::new(-7.0, 3.0), speed: 60.0, breaks: 3, strength: 4.0 }
    }
}

/// What drawn bodies are like.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Ink {
    /// What they are made of.
    pub material: MaterialId,
    /// Whether they are held where they are.
    pub fixed: bool,
    /// Whether they break where they are weak, by their fracture modes.
    pub by_nature: bool,
}

/// The sandbox.
pub struct Sandbox {
    /// What is in it, and what the scene has still to come.
    pub stage: Stage,
    /// When it moves.
    pub clock: Clock,
    /// What the pointer does.
    pub tool: Tool,
    /// How clicks break.
    pub blow: Blow,
    /// How projectiles are fired.
    pub gun: Gun,
    /// How bodies are drawn.
    pub ink: Ink,
    /// What is shown.
    pub display: Show,
    /// The scene's name.
    pub title: String,
    pub(super) history: History,
    pub(super) view: Option<View>,
    pub(super) framed: Aabb,
    pub(super) draft: Draft,
    pub(super) objection: Option<Objection>,
    pub(super) board: Board,
    pub(super) tray: Tray,
    pub(super) said: String,
    pub(super) tally: Tally,
    pub(super) spots: Vec<(&'static str, Rect)>,
}

/// What a user did, counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Bodies that broke.
    pub broken: usize,
    /// Projectiles that were fired.
    pub fired: usize,
    /// Bodies that were drawn.
    pub drawn: usize,
}

impl Default for Sandbox {
    fn default() -> Sandbox {
        // What comes with the program is known to be sound: a test plays all of it.
        let first = built_in().iter().find(|scene| scene.name == FIRST);
        let first = first.and_then(|scene| Sandbox::of(FIRST, Scene::read(scene.text).ok()?).ok());
        first
            .or_else(|| Sandbox::of("", Scene::default()).ok())
            .unwrap_or_else(|| unreachable!("an empty scene is sound"))
    }
}

impl Sandbox {
    /// A sandbox with a scene in it.
    fn of(title: &str, scene: Scene) -> Result<Sandbox, SceneError> {
        let stage = scene.stage()?;
        let framed = stage.scene().view_of(&stage.world);
        let origin = DVec2::new(framed.min.x + framed.size().x * 0.06, framed.center().y);
        Ok(Sandbox {
            said: format!("{title}: {} bodies", stage.world.bodies().len()),
            history: History::new(&stage.world),
            stage,
            clock: Clock::default(),
            tool: Tool::default(),
            blow: Blow::default(),
            gun: Gun { origin, ..Gun::default() },
            ink: Ink::default(),
            display: Show::default(),
            title: title.to_owned(),
            view: None,
            framed,
            draft: Draft::default(),
            objection: None,
            board: Board::default(),
            tray: Tray::default(),
            tally: Tally::default(),
            spots: Vec::new(),
        })
    }

    /// Opens a scene that comes with the program.
    pub fn open_built_in(&mut self, name: &str) -> Result<(), String> {
        let scene = built_in().iter().find(|scene| scene.name == name).ok_or_else(|| {
            let names: Vec<&str> = built_in().iter().map(|scene| scene.name).collect();
            format!("there is no file and no scene {name:?}: scenes are {}", names.join(", "))
        })?;
        self.open_text(name, scene.text)
    }

    /// Opens the text of a scene. Tools stay as they are, and so do patterns that were drawn.
    pub fn open_text(&mut self, title: &str, text: &str) -> Result<(), String> {
        let scene = Scene::read(text).map_err(|error| error.to_string())?;
        let mut fresh = Sandbox::of(title, scene).map_err(|error| error.to_string())?;
        let is_drawn = |recipe: &Recipe| recipe.kind == PatternKind::Points;
        keep(fresh.stage.world.patterns_mut(), self.stage.world.patterns(), is_drawn);
        (fresh.clock, fresh.tool, fresh.blow) = (self.clock, self.tool, self.blow);
        (fresh.ink, fresh.display) = (self.ink, self.display);
        fresh.gun = Gun { origin: fresh.gun.origin, ..self.gun };
        (fresh.board, fresh.tray) = (std::mem::take(&mut self.board), self.tray.clone());
        fresh.spots = std::mem::take(&mut self.spots);
        *self = fresh;
        Ok(())
    }

    /// Everything as it was when the scene was opened, but for the patterns.
    pub fn restart(&mut self) {
        self.stage.world.release();
        let shelf = self.stage.world.patterns().clone();
        self.history.restart(&mut self.stage.world);
        *self.stage.world.patterns_mut() = shelf;
        self.tally = Tally::default();
    }

    /// Puts the world aside, so that what is done now can be undone.
    pub(super) fn remember(&mut self) {
        self.history.mark(&self.stage.world);
    }

    /// Takes back what was done last.
    pub fn undo(&mut self) {
        self.stage.world.release();
        if self.history.undo(&mut self.stage.world) {
            self.said = "undone".into();
        }
    }

    /// Does again what was taken back.
    pub fn redo(&mut self) {
        self.stage.world.release();
        if self.history.redo(&mut self.stage.world) {
            self.said = "done again".into();
        }
    }

    /// The scene as it is now, as text.
    pub fn to_text(&self) -> String {
        Scene::of(&self.stage.world).write()
    }

    /// Shows all of it.
    pub fn show(&mut self, ui: &mut Ui) {
        self.spots.retain(|(name, _)| super::panel::BAR.contains(name));
        self.receive(ui);
        self.press(ui.ctx());
        Panel::left("tools").resizable(false).exact_size(200.0).show(ui, |ui| self.panel(ui));
        Panel::bottom("words").show(ui, |ui| self.words(ui));
        let said = self.board.show(ui, self.stage.world.patterns_mut());
        self.said = said.unwrap_or_else(|| std::mem::take(&mut self.said));
        CentralPanel::no_frame().show(ui, |ui| self.canvas(ui));
        self.advance(ui.ctx());
    }

    /// Lets time pass.
    fn advance(&mut self, ctx: &egui::Context) {
        let seconds = f64::from(ctx.input(|input| input.stable_dt));
        for _ in 0..self.clock.steps_due(seconds, self.stage.world.options().step) {
            self.stage.step();
        }
        self.tally.broken += self.stage.world.drain_events().len();
        if self.clock.is_running {
            ctx.request_repaint();
        }
    }

    /// Takes what dialogs came to, and what was dropped on the window.
    fn receive(&mut self, ui: &Ui) {
        for file in ui.ctx().input(|input| input.raw.dropped_files.clone()) {
            let bytes = match (&file.bytes, &file.path) {
                (Some(bytes), _) => bytes.to_vec(),
                (None, Some(path)) => std::fs::read(path).unwrap_or_default(),
                (None, None) => continue,
            };
            let name = file
                .path
                .as_ref()
                .and_then(|path| path.file_name())
                .map(|name| name.to_string_lossy().into_owned());
            self.tray.put(super::files::opened(&name.unwrap_or(file.name), bytes));
        }
        for outcome in self.tray.take() {
            self.said = match outcome {
                Outcome::Opened { name, text } => match self.take_file(&name, &text) {
                    Ok(words) => words,
                    Err(error) => format!("{name}: {error}"),
                },
                Outcome::Saved(name) => format!("saved as {name}"),
                Outcome::Failed(words) => words,
            };
        }
    }

    /// A file is a scene, or has patterns for the shelf.
    pub fn take_file(&mut self, name: &str, text: &str) -> Result<String, String> {
        match Library::read(text) {
            Ok(patterns) if !patterns.patterns().is_empty() => {
                keep(self.stage.world.patterns_mut(), &patterns, |_| true);
                Ok(format!("{} patterns from {name}", patterns.patterns().len()))
            }
            _ => self.open_text(name, text).map(|()| self.said.clone()),
        }
    }
}

/// Lays patterns on a shelf.
fn keep(shelf: &mut Library, others: &Library, wanted: impl Fn(&Recipe) -> bool) {
    for named in others.patterns().iter().filter(|named| wanted(&named.recipe)) {
        // They were patterns before.
        let _ = shelf.add(named.recipe.clone());
    }
}
