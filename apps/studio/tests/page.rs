//! The page in a real browser: Chromium clicks, fires and draws, and what comes of it is checked.
//!
//! It wants `target/web/smithereens.html`, which `apps/studio/web/build` makes, and Chromium or Chrome. `apps/studio/web/check` sees to both.

mod chromium;
mod play;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use base64::Engine;
use serde_json::json;
use smithereens_studio::flat::Summary;

use chromium::Chromium;
use play::{Hand, Place};

struct InBrowser(Chromium);

/// How long the page may take to start: it is unpacked and compiled.
const PATIENCE: Duration = Duration::from_secs(180);

impl InBrowser {
    fn open(page: &Path) -> Result<InBrowser> {
        let mut chromium = Chromium::open(page)?;
        let start = Instant::now();
        while chromium.evaluate("!!window.smithereens")? != true {
            let word = chromium.evaluate("document.getElementById('word')?.textContent ?? ''")?;
            ensure!(!word.as_str().unwrap_or_default().contains("cannot"), "{word}");
            ensure!(start.elapsed() < PATIENCE, "the page does not start: {word}");
            std::thread::sleep(Duration::from_millis(100));
        }
        Ok(InBrowser(chromium))
    }

    fn mouse(&mut self, kind: &str, at: Place, button: &str) {
        let params = json!({ "type": kind, "x": at[0], "y": at[1], "button": button, "clickCount": 1 });
        self.0.ask("Input.dispatchMouseEvent", params).expect("the browser takes the pointer");
    }
}

impl Hand for InBrowser {
    fn point(&mut self, at: Place) {
        self.mouse("mouseMoved", at, "none");
    }

    fn press(&mut self, at: Place) {
        self.mouse("mousePressed", at, "left");
    }

    fn release(&mut self, at: Place) {
        self.mouse("mouseReleased", at, "left");
    }

    fn key(&mut self, name: &str) {
        for kind in ["keyDown", "keyUp"] {
            let params = json!({ "type": kind, "key": name });
            self.0.ask("Input.dispatchKeyEvent", params).expect("the browser takes the key");
        }
        self.wait();
    }

    /// Two frames: one takes what was done, the next shows it.
    fn wait(&mut self) {
        let frames =
            "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(0))))";
        self.0.evaluate(frames).expect("frames go by");
    }

    /// Beside the page.
    fn picture(&mut self, name: &str) {
        let answer = self.0.ask("Page.captureScreenshot", json!({ "format": "png" })).expect("a picture");
        let png = base64::prelude::BASE64_STANDARD.decode(answer["data"].as_str().expect("a picture"));
        std::fs::write(folder().join(format!("{name}.png")), png.expect("a PNG")).expect("a file");
    }

    fn look(&mut self) -> Summary {
        let said = self.0.evaluate("window.smithereens.summary() ?? window.smithereens.failure()");
        let said = said.expect("the page answers");
        let text = said.as_str().expect("a text");
        serde_json::from_str(text).unwrap_or_else(|_| panic!("the page stopped: {text}"))
    }
}

/// Where the page is.
fn folder() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../target/web"))
}

#[test]
fn the_page_is_played_with_in_a_browser() -> Result<()> {
    let page = folder().join("smithereens.html");
    let page =
        page.canonicalize().context("target/web/smithereens.html: make it by apps/studio/web/build")?;
    play::play(&mut InBrowser::open(&page)?);
    Ok(())
}
