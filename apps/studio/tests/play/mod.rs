//! What a person does with the sandbox, and what must come of it: the same play for the window and for the page.

use smithereens_studio::flat::{Spot, Summary};

/// Where on the screen, in points.
pub type Place = [f32; 2];

/// A hand on a mouse and a keyboard, and an eye on the sandbox.
pub trait Hand {
    /// Moves the pointer there without pressing anything.
    fn point(&mut self, at: Place);
    /// Presses the left button.
    fn press(&mut self, at: Place);
    /// Lets it go.
    fn release(&mut self, at: Place);
    /// Presses a key, as browsers call it, and lets it go.
    fn key(&mut self, name: &str);
    /// Lets some frames go by.
    fn wait(&mut self);
    /// What is in the sandbox.
    fn look(&mut self) -> Summary;
    /// Takes a picture, if there is something to see.
    fn picture(&mut self, _name: &str) {}

    /// A click.
    fn click(&mut self, at: Place) {
        self.point(at);
        self.wait();
        self.press(at);
        self.release(at);
        self.wait();
    }

    /// A click on a button.
    fn push(&mut self, button: &str) {
        let at = place(self.look().spot(button).unwrap_or_else(|| panic!("no button {button:?}")));
        self.click(at);
    }

    /// Waits until something is so, for a few hundred frames at most.
    fn until(&mut self, what: &str, is_so: impl Fn(&Summary) -> bool) -> Summary
    where
        Self: Sized,
    {
        for _ in 0..400 {
            let seen = self.look();
            if is_so(&seen) {
                return seen;
            }
            self.wait();
        }
        panic!("waited in vain until {what}: {:#?}", self.look());
    }
}

fn place(spot: &Spot) -> Place {
    [spot.x, spot.y]
}

/// A place on the canvas, from -1 to 1 each way, y up.
fn on(summary: &Summary, name: &str, [x, y]: Place) -> Place {
    let spot = summary.spot(name).unwrap_or_else(|| panic!("no {name}"));
    [spot.x + x * spot.width * 0.5, spot.y - y * spot.height * 0.5]
}

/// A body that can break, by its name in the scene that the sandbox opens with.
fn body(summary: &Summary, name: &str) -> Place {
    place(summary.place(name).unwrap_or_else(|| panic!("no body {name:?} in {:?}", summary.places)))
}

/// Plays all of it.
pub fn play(hand: &mut impl Hand) {
    let begun = hand.until("it has started", |seen| seen.steps > 0 && seen.bodies > 2);
    hand.push("Play");
    assert!(!hand.look().is_running, "the button stops time");
    assert_eq!(begun.fragments, 0, "nothing breaks by itself");
    break_by_a_click(hand, begun.area);
    take_it_back(hand);
    draw_a_pattern(hand);
    fire(hand);
    drag(hand);
    draw_a_shape(hand);
    step_and_restart(hand, begun.area);
}

fn break_by_a_click(hand: &mut impl Hand, area: f64) {
    hand.push("Break");
    let before = hand.look();
    assert_eq!(before.tool, "Break");
    hand.click(body(&before, "blob"));
    let after = hand.look();
    assert!(after.fragments > 2, "{after:#?}");
    hand.picture("broken");
    assert!((after.area - area).abs() <= 1e-12 * area, "{} is not {area}", after.area);
}

fn take_it_back(hand: &mut impl Hand) {
    let broken = hand.look().bodies;
    hand.push("Undo");
    assert_eq!(hand.look().fragments, 0);
    hand.push("Redo");
    assert_eq!(hand.look().bodies, broken);
    hand.push("Undo");
}

fn draw_a_pattern(hand: &mut impl Hand) {
    let before = hand.look();
    hand.push("Draw pattern");
    hand.wait();
    for at in [[0.0, 0.0], [0.5, 0.1], [-0.4, 0.5], [-0.3, -0.6], [0.4, -0.5]] {
        let board = on(&hand.look(), "board", at);
        hand.click(board);
    }
    assert_eq!(hand.look().points, 5);
    hand.picture("pattern");
    hand.push("Keep");
    let kept = hand.look();
    assert_eq!((kept.patterns.len(), kept.cells), (before.patterns.len() + 1, 5));
    assert_eq!(kept.pattern, "drawn 1");
    hand.key("p");
    hand.wait();
    assert!(hand.look().spot("board").is_none(), "the board is put away");
}

fn fire(hand: &mut impl Hand) {
    hand.push("Fire");
    let target = body(&hand.look(), "tower");
    hand.click(target);
    assert_eq!((hand.look().fired, hand.look().projectiles), (1, 1));
    hand.push("Play");
    hand.until("the projectile has broken something", |seen| seen.fragments > 2);
    hand.picture("fire");
    hand.until("the projectile is gone", |seen| seen.projectiles == 0);
    hand.push("Play");
}

fn drag(hand: &mut impl Hand) {
    hand.push("Drag");
    let from = body(&hand.look(), "disc");
    let to = [from[0] - 40.0, from[1] - 120.0];
    hand.point(from);
    hand.wait();
    hand.press(from);
    for part in [0.1, 0.4, 0.7, 1.0] {
        hand.point([from[0] + (to[0] - from[0]) * part, from[1] + (to[1] - from[1]) * part]);
        hand.wait();
    }
    hand.push_key_and_wait("the disc follows", |seen| body(seen, "disc")[1] < from[1] - 60.0);
    hand.release(to);
    hand.wait();
}

/// What a hand does while a button is held.
trait Held: Hand + Sized {
    /// Lets time go on by the key for it, until something is so, and stops it again.
    fn push_key_and_wait(&mut self, what: &str, is_so: impl Fn(&Summary) -> bool) {
        self.key(" ");
        self.until(what, is_so);
        self.key(" ");
    }
}

impl<H: Hand> Held for H {}

fn draw_a_shape(hand: &mut impl Hand) {
    let before = hand.look();
    hand.push("Shape");
    // Edges may not cross: the last of these would.
    for at in [[-0.3, 0.7], [0.1, 0.9], [0.1, 0.7], [-0.3, 0.9]] {
        let at = on(&before, "canvas", at);
        hand.click(at);
    }
    assert!(hand.look().objection.is_some(), "a chain that crosses itself is refused");
    hand.picture("refused");
    hand.key("Escape");
    let corners = [[-0.3, 0.6], [0.1, 0.6], [0.1, 0.9], [-0.1, 0.75], [-0.3, 0.9]];
    for at in corners.into_iter().chain([corners[0]]) {
        let at = on(&before, "canvas", at);
        hand.click(at);
    }
    hand.picture("shape");
    hand.key("Enter");
    let after = hand.look();
    assert_eq!((after.bodies, after.drawn, after.objection), (before.bodies + 1, 1, None), "{}", after.said);
    assert!(after.area > before.area);
}

fn step_and_restart(hand: &mut impl Hand, area: f64) {
    let before = hand.look().steps;
    hand.push("Step");
    assert_eq!(hand.look().steps, before + 1);
    hand.push("Restart");
    let again = hand.look();
    assert_eq!((again.steps, again.fragments), (0, 0));
    assert!((again.area - area).abs() <= 1e-12 * area);
    assert!(again.patterns.contains(&"drawn 1".to_owned()), "what was drawn stays");
}
