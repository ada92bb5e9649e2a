//! What a run showed: numbers for the table, and faults with what is needed to repeat them.

use std::panic::{AssertUnwindSafe, catch_unwind};

use serde_json::{Value, json};
use smithereens::{Compound, Fracture};
use smithereens_testing::assertions::assert_closed;
use smithereens_testing::soundness::{assert_fracture_sound, assert_fragments_sound};

/// Runs of one kind, as a line of the table.
#[derive(Default)]
pub struct Row {
    /// What was broken.
    pub name: String,
    /// Into how many cells; a dash if that varies.
    pub cells: String,
    /// How often.
    pub runs: usize,
    /// All fragments of all runs.
    pub fragments: usize,
    /// The worst error of the volume, relative to it.
    pub error: f64,
    /// Pieces that are not closed.
    pub open: usize,
    /// What went wrong, one a run at most.
    pub faults: Vec<String>,
}

/// What one run showed.
#[derive(Default)]
pub struct Verdict {
    /// Fragments.
    pub fragments: usize,
    /// The error of the volume, relative to it.
    pub error: f64,
    /// Pieces that are not closed.
    pub open: usize,
    /// What went wrong first.
    pub fault: Option<String>,
}

impl Verdict {
    /// Checks all that must hold after a fracture.
    pub fn of(before: &Compound, broken: &Fracture, relative: f64) -> Verdict {
        Verdict::new(before, broken, caught(|| assert_fracture_sound(before, broken, relative)).err())
    }

    /// The same for what passes through itself.
    pub fn of_tangled(before: &Compound, broken: &Fracture, relative: f64) -> Verdict {
        Verdict::new(before, broken, caught(|| assert_fragments_sound(before, broken, relative)).err())
    }

    fn new(before: &Compound, broken: &Fracture, fault: Option<String>) -> Verdict {
        let after: f64 = broken.fragments.iter().map(|f| f.compound.mass().volume).sum();
        let whole = before.mass().volume;
        Verdict {
            fragments: broken.fragments.len(),
            error: (after + broken.report.dropped.volume - whole).abs() / whole,
            open: if fault.is_some() { open_pieces(broken) } else { 0 },
            fault,
        }
    }

    /// A run that ended in a panic or an error.
    pub fn failed(fault: String) -> Verdict {
        Verdict { fault: Some(fault), ..Verdict::default() }
    }
}

impl Row {
    /// Adds a run; `seed` says how to repeat it.
    pub fn add(&mut self, seed: &str, verdict: Verdict) {
        self.runs += 1;
        self.fragments += verdict.fragments;
        self.error = self.error.max(verdict.error);
        self.open += verdict.open;
        self.faults.extend(verdict.fault.map(|fault| format!("{seed}: {fault}")));
    }

    /// For files.
    pub fn to_json(&self) -> Value {
        json!({
            "name": self.name, "cells": self.cells, "runs": self.runs, "fragments": self.fragments,
            "worst_error": self.error, "open": self.open, "faults": self.faults,
        })
    }
}

fn open_pieces(broken: &Fracture) -> usize {
    let pieces = broken.fragments.iter().flat_map(|f| f.compound.pieces());
    pieces.filter(|p| caught(|| assert_closed(&p.to_mesh())).is_err()).count()
}

/// The result, or what the panic said.
pub fn caught<T>(run: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(run)).map_err(|panic| {
        let text = panic.downcast_ref::<String>().cloned();
        text.or_else(|| panic.downcast_ref::<&str>().map(|s| (*s).to_owned())).unwrap_or_default()
    })
}

/// Prints rows as they come.
pub fn print_table(rows: impl Iterator<Item = Row>) -> Vec<Row> {
    println!("| what | cells | runs | fragments | worst relative error | open pieces | failed |");
    println!("| --- | ---: | ---: | ---: | ---: | ---: | ---: |");
    rows.inspect(|r| {
        let Row { name, cells, runs, fragments, error, open, faults } = r;
        println!("| {name} | {cells} | {runs} | {fragments} | {error:.1e} | {open} | {} |", faults.len());
        faults.iter().for_each(|f| println!("FAILED {name}, {cells} cells, {f}"));
    })
    .collect()
}
