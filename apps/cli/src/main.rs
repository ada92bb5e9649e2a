//! Break models from the command line.
//!
//! ```text
//! file ──intake, repair──▶ Solid ──hit, seeds──▶ Pattern, Impact ──fracture──▶ fragments ──drawn──▶ GLB, OBJ, PNG, report
//! ```
//!
//! `shatter` walks this line with a user's model, `demo` with a torus of its own; `prepare` decomposes a model and saves it as a
//! body, which `shatter` takes as it is; `modes` does so where it breaks by nature; `voxelize` makes voxels of it, which `shatter` takes, too; `inspect` only looks; `simulate` lets the
//! bodies of a scene fall and break, and `flat` those of one in the plane. Nothing is
//! written before all of it is there, but frames.

mod arguments;
mod check;
mod convert;
mod demo;
mod drawn;
mod flat;
mod hit;
mod inspect;
mod intake;
mod looks;
mod modes;
mod nodes;
mod normals;
mod outputs;
mod pattern;
mod picture;
mod prepare;
mod ray;
mod report;
mod scene;
mod scenes;
mod seeds;
mod settle;
mod shatter;
mod simulate;
mod stages;
mod torus;
mod voxels;

use std::io::Write;
use std::process::ExitCode;

use clap::Parser;

use arguments::{Arguments, Command};

#[cfg(not(target_env = "msvc"))]
#[global_allocator]
static MEMORY: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let result = match Arguments::parse().command {
        Command::Shatter(arguments) => shatter::run(&arguments),
        Command::Prepare(arguments) => prepare::run(&arguments),
        Command::Modes(arguments) => modes::run(&arguments),
        Command::Voxelize(arguments) => voxels::voxelize(&arguments),
        Command::Inspect(arguments) => inspect::run(&arguments),
        Command::Simulate(arguments) => simulate::run(&arguments),
        Command::Flat(arguments) => flat::run(&arguments),
        Command::Demo(arguments) => demo::run(&arguments),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            note(&format!("error: {error:#}"));
            ExitCode::FAILURE
        }
    }
}

/// Tells the user something that is no result. A closed pipe is no reason to fail.
fn note(text: &str) {
    writeln!(std::io::stderr(), "{text}").ok();
}

/// Tells the user a result.
fn say(text: &str) {
    writeln!(std::io::stdout(), "{text}").ok();
}
