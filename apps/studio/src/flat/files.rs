//! Files that come and go: dialogs of the desktop, or of the browser.
//!
//! A dialog takes as long as its user does, and frames go on meanwhile: what comes of it lies in a tray until the next frame looks.

use std::sync::{Arc, Mutex};

use rfd::AsyncFileDialog;

/// What a dialog came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// A file was chosen, and read: its name without its ending, and its text.
    Opened {
        /// What it is called.
        name: String,
        /// What is in it.
        text: String,
    },
    /// A file was written.
    Saved(String),
    /// It went wrong.
    Failed(String),
}

/// Where outcomes lie until they are taken.
#[derive(Clone, Debug, Default)]
pub struct Tray(Arc<Mutex<Vec<Outcome>>>);

/// The largest file that is read, in bytes.
const LARGEST: usize = 64 << 20;

impl Tray {
    /// What came since the last time.
    pub fn take(&self) -> Vec<Outcome> {
        self.0.lock().map(|mut tray| std::mem::take(&mut *tray)).unwrap_or_default()
    }

    /// Puts something in.
    pub fn put(&self, outcome: Outcome) {
        if let Ok(mut tray) = self.0.lock() {
            tray.push(outcome);
        }
    }

    /// Lets the user choose a scene, or a file of patterns.
    pub fn open(&self) {
        let dialog = AsyncFileDialog::new().add_filter("scenes and patterns", &["toml"]).set_title("Open");
        let (tray, chosen) = (self.clone(), dialog.pick_file());
        meanwhile(async move {
            if let Some(file) = chosen.await {
                let bytes = file.read().await;
                tray.put(opened(&file.file_name(), bytes));
            }
        });
    }

    /// Lets the user choose where a text goes.
    pub fn save(&self, name: &str, text: String) {
        let dialog =
            AsyncFileDialog::new().add_filter("TOML", &["toml"]).set_file_name(format!("{name}.toml"));
        let (tray, chosen) = (self.clone(), dialog.save_file());
        meanwhile(async move {
            let Some(file) = chosen.await else { return };
            tray.put(match file.write(text.as_bytes()).await {
                Ok(()) => Outcome::Saved(file.file_name()),
                Err(error) => Outcome::Failed(format!("{}: {error}", file.file_name())),
            });
        });
    }
}

/// A file that was chosen, or dropped on the window.
pub fn opened(file: &str, bytes: Vec<u8>) -> Outcome {
    if bytes.len() > LARGEST {
        return Outcome::Failed(format!("{file} has more than {} MB: is it a scene?", LARGEST >> 20));
    }
    let name = file.rsplit_once('.').map_or(file, |(name, _)| name).to_owned();
    match String::from_utf8(bytes) {
        Ok(text) => Outcome::Opened { name, text },
        Err(_) => Outcome::Failed(format!("{file} is no text: scenes and patterns are TOML files")),
    }
}

/// Goes on with something while frames are drawn.
#[cfg(target_arch = "wasm32")]
fn meanwhile(task: impl Future<Output = ()> + 'static) {
    wasm_bindgen_futures::spawn_local(task);
}

/// Goes on with something while frames are drawn.
#[cfg(not(target_arch = "wasm32"))]
fn meanwhile(task: impl Future<Output = ()> + Send + 'static) {
    std::thread::spawn(move || pollster::block_on(task));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_text_is_refused_by_name() {
        assert_eq!(
            opened("a.toml", b"x = 1".to_vec()),
            Outcome::Opened { name: "a".into(), text: "x = 1".into() }
        );
        let Outcome::Failed(words) = opened("b.png", vec![0x89, 0x50, 0xff]) else { panic!("it was read") };
        assert!(words.starts_with("b.png"));
    }
}
