//! The window.

fn main() -> std::process::ExitCode {
    #[cfg(not(target_arch = "wasm32"))]
    return window::open();
    #[cfg(target_arch = "wasm32")]
    std::process::ExitCode::SUCCESS
}

#[cfg(not(target_arch = "wasm32"))]
mod window {
    use std::io::Write;
    use std::path::PathBuf;
    use std::process::ExitCode;

    use clap::Parser;
    use eframe::egui::ViewportBuilder;
    use smithereens_studio::Studio;

    /// Destruction to play with: draw bodies, drag them, break them, fire at them.
    #[derive(Debug, Parser)]
    #[command(version, max_term_width = 110)]
    struct Arguments {
        /// A scene to begin with: a file, or the name of one that comes with the program (`smithereens flat --list`).
        scene: Option<String>,
    }

    pub fn open() -> ExitCode {
        let arguments = Arguments::parse();
        match run(arguments.scene) {
            Ok(()) => ExitCode::SUCCESS,
            Err(words) => {
                writeln!(std::io::stderr(), "error: {words}").ok();
                ExitCode::FAILURE
            }
        }
    }

    fn run(scene: Option<String>) -> Result<(), String> {
        let mut studio = Studio::default();
        if let Some(name) = scene {
            let path = PathBuf::from(&name);
            if path.exists() {
                let text = std::fs::read_to_string(&path).map_err(|error| format!("{name}: {error}"))?;
                let title = path.file_stem().map_or(name.clone(), |stem| stem.to_string_lossy().into_owned());
                studio.sandbox.open_text(&title, &text).map_err(|error| format!("{name}: {error}"))?;
            } else {
                studio.sandbox.open_built_in(&name)?;
            }
        }
        let viewport = ViewportBuilder::default().with_title("smithereens").with_inner_size([1280.0, 800.0]);
        let options = eframe::NativeOptions { viewport, ..Default::default() };
        eframe::run_native("smithereens", options, Box::new(|_| Ok(Box::new(studio))))
            .map_err(|error| format!("{error}. A window needs a display and OpenGL"))
    }
}
