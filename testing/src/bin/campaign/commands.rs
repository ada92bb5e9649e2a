//! Damaged meshes as files through the program itself, a process a command: what was mended by which steps, and what was refused why.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use rayon::prelude::*;
use smithereens_testing::commands::{Fate, Outcome, Program, run};

use crate::verdict::{Row, Verdict, print_table};

/// Cases in one row, for something to watch.
const A_ROW: u64 = 100;
/// Nothing as small as these meshes may take a command longer, on a busy machine either.
const LONGEST: Duration = Duration::from_secs(60);

/// Runs so many cases, and prints what became of them.
pub fn campaign(from: u64, cases: u64) -> Vec<Row> {
    let path = match beside_this_one() {
        Ok(path) => path,
        Err(fault) => {
            let mut row = Row { name: "the program".to_owned(), ..Row::default() };
            row.add("", Verdict::failed(fault));
            return print_table([row].into_iter());
        }
    };
    let program = Program { path, longest: LONGEST };
    let (end, mut all) = (from + cases, Vec::new());
    let rows = (from..end).step_by(A_ROW as usize).map(|first| {
        let outcomes = outcomes(&program, first, end.min(first + A_ROW));
        let row = row(first, &outcomes);
        all.extend(outcomes);
        row
    });
    let rows = print_table(rows);
    print_fates(&all);
    rows
}

fn beside_this_one() -> Result<PathBuf, String> {
    let path = std::env::current_exe().map_err(|error| error.to_string())?;
    let path = path.with_file_name("smithereens").with_extension(std::env::consts::EXE_EXTENSION);
    match path.is_file() {
        true => Ok(path),
        false => Err(format!("there is no {}: cargo build --release -p smithereens-cli", path.display())),
    }
}

fn outcomes(program: &Program, first: u64, end: u64) -> Vec<Outcome> {
    let folder = std::env::temp_dir().join(format!("smithereens-campaign-{}", std::process::id()));
    let one = |seed: u64| run(program, &folder.join(seed.to_string()), seed);
    let outcomes = (first..end).into_par_iter().map(one).collect();
    std::fs::remove_dir_all(&folder).ok();
    outcomes
}

fn row(first: u64, outcomes: &[Outcome]) -> Row {
    let refused = outcomes.iter().filter(|o| matches!(o.fate, Fate::Refused(_))).count();
    let name = format!("seeds {first} to {}, {refused} refused", first + outcomes.len() as u64 - 1);
    let mut row = Row { name, cells: "12".to_owned(), ..Row::default() };
    for Outcome { name, fragments, error, fault, .. } in outcomes {
        let verdict = Verdict { fragments: *fragments, error: *error, open: 0, fault: fault.clone() };
        row.add(name, verdict);
    }
    row
}

fn print_fates(all: &[Outcome]) {
    let (mut steps, mut reasons) = (BTreeMap::<&str, usize>::new(), BTreeMap::<String, usize>::new());
    let mut untouched = 0;
    for outcome in all {
        match &outcome.fate {
            Fate::Mended(taken) => {
                untouched += usize::from(taken.is_empty());
                taken.iter().for_each(|step| *steps.entry(step).or_default() += 1);
            }
            Fate::Refused(reason) => *reasons.entry(kind_of(reason)).or_default() += 1,
        }
    }
    println!("\n| mended by | meshes |\n| --- | ---: |\n| nothing: a solid as it was | {untouched} |");
    steps.iter().for_each(|(step, count)| println!("| {step} | {count} |"));
    println!("\n| refused, since | meshes |\n| --- | ---: |");
    reasons.iter().for_each(|(reason, count)| println!("| {reason} | {count} |"));
    if let Some(slowest) = all.iter().max_by_key(|o| o.slowest.0) {
        println!("\nslowest: {:?}, {}: `{}`", slowest.slowest.0, slowest.name, slowest.slowest.1);
    }
    if let Some(worst) = all.iter().max_by(|a, b| a.error.total_cmp(&b.error)) {
        println!("worst relative error: {:.1e}, {}", worst.error, worst.name);
    }
}

/// The first line of a reason without the file, numbers and what is in brackets: what many have in common.
fn kind_of(reason: &str) -> String {
    let line = reason.lines().next().unwrap_or_default();
    let line = line.split_once(": ").map_or(line, |(_, rest)| rest);
    let (mut kind, mut depth) = (String::new(), 0);
    for letter in line.chars() {
        depth += i32::from(letter == '[') - i32::from(letter == ']');
        match letter {
            _ if depth > 0 => {}
            ']' => kind.push_str("[…]"),
            digit if digit.is_ascii_digit() => {
                if !kind.ends_with('#') {
                    kind.push('#');
                }
            }
            letter => kind.push(letter),
        }
    }
    kind
}
