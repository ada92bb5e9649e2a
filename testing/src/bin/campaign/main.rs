//! The long correctness campaign: models in many cells, thousands of nasty cases, hits in a row, a thousand damaged meshes
//! through the library, and through the program.
//!
//! `cargo run --release -p smithereens-testing --bin campaign -- [--cases N] [--damaged N] [--commands N] [--from SEED]
//! [--models] [--no-models] [--json FILE]`
//!
//! A failure is written down with its seed and the campaign goes on; the exit code is 1 if there was any.

mod commands;
mod damaged;
mod hits;
mod nasty;
mod verdict;
mod whole;

use std::process::ExitCode;

use serde_json::json;
use smithereens_testing::{models, subjects};
use verdict::{Row, print_table};

const USAGE: &str =
    "campaign [--cases N] [--damaged N] [--commands N] [--from SEED] [--models] [--no-models] [--json FILE]
  --cases N     how many nasty cases (10000)
  --damaged N   how many damaged meshes (1000)
  --commands N  how many damaged meshes as files through the program, which lies beside this one (1000)
  --from SEED   the seed of the first (0)
  --models      models only, no nasty cases and no damaged meshes
  --no-models   only nasty cases and damaged meshes
  --json FILE   write all rows to a file as well";

struct Arguments {
    cases: u64,
    damaged: u64,
    commands: u64,
    models: bool,
    from: u64,
    json: Option<String>,
}

impl Arguments {
    fn parse(mut words: impl Iterator<Item = String>) -> Result<Arguments, String> {
        let mut arguments =
            Arguments { cases: 10_000, damaged: 1000, commands: 1000, models: true, from: 0, json: None };
        while let Some(word) = words.next() {
            let mut value = || words.next().ok_or(format!("{word} wants a value"));
            let number = |text: String| text.parse().map_err(|_| format!("{text} is no number"));
            match word.as_str() {
                "--cases" => arguments.cases = number(value()?)?,
                "--from" => arguments.from = number(value()?)?,
                "--damaged" => arguments.damaged = number(value()?)?,
                "--commands" => arguments.commands = number(value()?)?,
                "--models" => (arguments.cases, arguments.damaged, arguments.commands) = (0, 0, 0),
                "--no-models" => arguments.models = false,
                "--json" => arguments.json = Some(value()?),
                _ => return Err(format!("what is {word}?")),
            }
        }
        Ok(arguments)
    }
}

fn main() -> ExitCode {
    let arguments = match Arguments::parse(std::env::args().skip(1)) {
        Ok(arguments) => arguments,
        Err(error) => {
            eprintln!("{error}\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    // Failures are caught and listed: the default hook would print each a second time.
    std::panic::set_hook(Box::new(|_| {}));
    let rows = run(&arguments);
    if let Some(file) = &arguments.json {
        let all = json!({ "rows": rows.iter().map(Row::to_json).collect::<Vec<_>>() });
        if let Err(error) = std::fs::write(file, format!("{all:#}\n")) {
            eprintln!("{file}: {error}");
            return ExitCode::from(2);
        }
    }
    let failed: usize = rows.iter().map(|r| r.faults.len()).sum();
    let passed = rows.iter().map(|r| r.runs).sum::<usize>() - failed;
    println!("\n{passed} passed, {failed} failed");
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn run(arguments: &Arguments) -> Vec<Row> {
    let mut rows = if arguments.models { models() } else { Vec::new() };
    if arguments.cases > 0 {
        println!("\nNasty cases, from seed {}", arguments.from);
        rows.extend(print_table(nasty::rows(arguments.from, arguments.cases)));
    }
    if arguments.damaged > 0 {
        println!("\nDamaged meshes, inspected, mended, decomposed and broken, from seed {}", arguments.from);
        rows.extend(print_table(damaged::rows(arguments.from, arguments.damaged)));
    }
    if arguments.commands > 0 {
        println!("\nDamaged meshes through the commands, from seed {}", arguments.from);
        rows.extend(commands::campaign(arguments.from, arguments.commands));
    }
    rows
}

fn models() -> Vec<Row> {
    let kind = if models::models_dir().is_some() { "models" } else { "fixtures: there are no models" };
    let subjects = subjects::watertight();
    println!("{} {kind}\n\nBroken whole, three seeds each", subjects.len());
    let mut rows = print_table(subjects.iter().flat_map(whole::rows));
    println!("\nTwenty hits in a row");
    rows.extend(print_table(subjects.iter().map(hits::row)));
    rows
}
