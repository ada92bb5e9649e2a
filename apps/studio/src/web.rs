//! The page: what a browser calls.

use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::{JsValue, wasm_bindgen};
use web_sys::HtmlCanvasElement;

use crate::Studio;

/// The studio in a page.
#[wasm_bindgen]
pub struct Page {
    runner: eframe::WebRunner,
}

#[wasm_bindgen]
impl Page {
    /// Starts the studio on the canvas of the page with this id.
    pub async fn open(canvas: String) -> Result<Page, JsValue> {
        let document = web_sys::window().and_then(|window| window.document()).ok_or("no document")?;
        let canvas = document.get_element_by_id(&canvas).ok_or("no such canvas")?;
        let canvas = canvas.dyn_into::<HtmlCanvasElement>().map_err(|_| "the element is no canvas")?;
        let runner = eframe::WebRunner::new();
        runner
            .start(canvas, eframe::WebOptions::default(), Box::new(|_| Ok(Box::new(Studio::default()))))
            .await?;
        Ok(Page { runner })
    }

    /// What is in the sandbox now, as JSON: see `Summary`.
    pub fn summary(&self) -> Option<String> {
        self.runner.app_mut::<Studio>().map(|studio| studio.sandbox.summary().to_json())
    }

    /// Why the studio stopped, if it did.
    pub fn failure(&self) -> Option<String> {
        self.runner.panic_summary().map(|summary| summary.message())
    }
}
