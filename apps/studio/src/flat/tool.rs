//! What the pointer does.

use eframe::egui::Key;

/// What the pointer does on the canvas.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tool {
    /// Pulls bodies by a spring.
    #[default]
    Drag,
    /// Breaks a body where it is clicked.
    Break,
    /// Fires from the origin towards a place.
    Fire,
    /// Draws a convex by points.
    Convex,
    /// Draws a shape by chains, with holes.
    Shape,
    /// Takes bodies away.
    Erase,
}

impl Tool {
    /// All of them, in the order of the buttons.
    pub const ALL: [Tool; 6] = [Tool::Drag, Tool::Break, Tool::Fire, Tool::Convex, Tool::Shape, Tool::Erase];

    /// What it is called.
    pub fn name(self) -> &'static str {
        match self {
            Tool::Drag => "Drag",
            Tool::Break => "Break",
            Tool::Fire => "Fire",
            Tool::Convex => "Convex",
            Tool::Shape => "Shape",
            Tool::Erase => "Erase",
        }
    }

    /// The key that takes it.
    pub fn key(self) -> Key {
        match self {
            Tool::Drag => Key::D,
            Tool::Break => Key::B,
            Tool::Fire => Key::F,
            Tool::Convex => Key::C,
            Tool::Shape => Key::S,
            Tool::Erase => Key::X,
        }
    }

    /// What to do with it.
    pub fn advice(self) -> &'static str {
        match self {
            Tool::Drag => "Drag a body: a spring pulls it.",
            Tool::Break => "Click a body: it breaks there by the pattern.",
            Tool::Fire => "Click: a projectile flies there from the origin. Right-click moves the origin.",
            Tool::Convex => "Click points. Enter or a double click makes their convex hull a body.",
            Tool::Shape => {
                "Click corners in turn; click the first one to close. Then draw holes, or press Enter to make it a body."
            }
            Tool::Erase => "Click a body to take it away.",
        }
    }

    /// Whether something is drawn with it.
    pub fn draws(self) -> bool {
        matches!(self, Tool::Convex | Tool::Shape)
    }
}
