//! Drawing bodies: points and chains on the canvas, until they are one.

use eframe::egui::{self, Painter, Pos2, Response, Shape as Drawing, Stroke};
use glam::DVec2;
use smithereens_flat::{NewBody, Pose};
use smithereens_planar::modes::{Brittle, BrittleOptions};
use smithereens_planar::{Convex, Shape};

use super::draft::{Draft, Objection};
use super::paint::{self, ALARM, INK};
use super::sandbox::Sandbox;
use super::tool::Tool;
use super::view::View;

/// How near to its first point a chain is closed.
const CLOSES: f32 = 11.0;

impl Sandbox {
    /// What the pointer does while something is drawn.
    pub(super) fn draw(&mut self, response: &Response, pointer: Pos2, place: DVec2) {
        // Quick clicks in different places are no double click.
        let last = self.draft.open.last().zip(self.view).map(|(&last, view)| view.screen_from_plane(last));
        if response.double_clicked() && last.is_none_or(|last| last.distance(pointer) <= CLOSES) {
            self.finish_draft();
        } else if response.clicked() {
            let drawn = match self.tool {
                Tool::Convex => {
                    self.draft.open.push(place);
                    Ok(())
                }
                _ if self.closes(pointer) => self.draft.close(),
                _ => self.draft.add(place),
            };
            self.objection = drawn.err();
        }
    }

    /// Whether a click there would close the chain.
    fn closes(&self, pointer: Pos2) -> bool {
        let first = self.draft.open.first().zip(self.view);
        self.draft.open.len() >= 3
            && first.is_some_and(|(&first, view)| view.screen_from_plane(first).distance(pointer) <= CLOSES)
    }

    /// Makes a body of what is drawn, or says why not.
    pub fn finish_draft(&mut self) {
        if !self.tool.draws() || self.draft.is_empty() {
            return;
        }
        match self.shape_of_draft().and_then(|shape| self.add(&shape)) {
            Ok(()) => {
                (self.draft, self.objection) = Default::default();
                self.tally.drawn += 1;
            }
            Err(objection) => {
                self.said.clone_from(&objection.words);
                self.objection = Some(objection);
            }
        }
    }

    fn shape_of_draft(&mut self) -> Result<Shape, Objection> {
        let nowhere = |words: String| Objection { words, at: None };
        if self.tool == Tool::Convex {
            let convex = self.draft.convex();
            let convex =
                convex.ok_or_else(|| nowhere("a convex needs three points that are not in line".into()))?;
            let corners: Vec<DVec2> = convex.corners().collect();
            return Shape::new(&corners, &[]).map_err(|error| nowhere(error.to_string()));
        }
        if !self.draft.open.is_empty() {
            self.draft.close()?;
        }
        self.draft.shape().map_err(|error| nowhere(error.to_string()))
    }

    /// Adds a body of a shape, as the ink has it.
    fn add(&mut self, shape: &Shape) -> Result<(), Objection> {
        let nowhere = |words: String| Objection { words, at: None };
        let mut body = NewBody::of(shape, Pose::IDENTITY);
        if self.ink.by_nature {
            let brittle =
                Brittle::of(shape, &BrittleOptions::default()).map_err(|error| nowhere(error.to_string()))?;
            body.compound = brittle.compound;
            body.weakness = Some(brittle.weakness.into());
        }
        body.material = self.ink.material;
        body.fixed = self.ink.fixed;
        body.name = format!("drawn {}", self.tally.drawn + 1);
        self.remember();
        self.stage.world.add(body).map_err(|error| nowhere(error.to_string()))?;
        Ok(())
    }

    /// Shows what the tool is about to do.
    pub(super) fn show_tool(&self, painter: &Painter, view: &View, pointer: Option<Pos2>) {
        match self.tool {
            Tool::Break if !self.blow.by_material => {
                if let (Some(pointer), Some(radius)) = (pointer, self.blow.radius) {
                    painter.circle_stroke(pointer, view.length(radius), Stroke::new(1.0, INK));
                }
            }
            Tool::Fire => {
                let origin = view.screen_from_plane(self.gun.origin);
                painter.circle_stroke(origin, 8.0, Stroke::new(2.0, ALARM));
                painter.circle_filled(origin, 2.0, ALARM);
                if let Some(pointer) = pointer {
                    painter.add(Drawing::dashed_line(&[origin, pointer], Stroke::new(1.0, ALARM), 8.0, 8.0));
                }
            }
            Tool::Convex | Tool::Shape => self.show_draft(painter, view, pointer),
            Tool::Drag | Tool::Break | Tool::Erase => {}
        }
        if let Some(at) = self.objection.as_ref().and_then(|objection| objection.at) {
            paint::cross(painter, view.screen_from_plane(at));
        }
    }

    fn show_draft(&self, painter: &Painter, view: &View, pointer: Option<Pos2>) {
        let (line, faint) = (Stroke::new(2.0, INK), Stroke::new(1.0, INK.gamma_multiply(0.5)));
        let seen =
            |points: &[DVec2]| points.iter().map(|&point| view.screen_from_plane(point)).collect::<Vec<_>>();
        let Draft { closed, open } = &self.draft;
        for chain in closed {
            painter.add(Drawing::closed_line(seen(chain), line));
        }
        for &point in open {
            painter.circle_filled(view.screen_from_plane(point), 3.5, INK);
        }
        if self.tool == Tool::Convex {
            let hull = self.draft.convex().map(|hull| Convex::corners(&hull).collect::<Vec<_>>());
            painter.add(Drawing::closed_line(seen(&hull.unwrap_or_default()), line));
            return;
        }
        painter.add(Drawing::line(seen(open), line));
        let (Some(&last), Some(pointer)) = (open.last(), pointer) else { return };
        let would_cross =
            !self.closes(pointer) && self.draft.crossing(view.plane_from_screen(pointer), false).is_some();
        painter.line_segment(
            [view.screen_from_plane(last), pointer],
            if would_cross { Stroke::new(1.5, ALARM) } else { faint },
        );
        if self.closes(pointer) {
            painter.circle_stroke(view.screen_from_plane(open[0]), CLOSES, egui::Stroke::new(1.5, INK));
        }
    }
}
