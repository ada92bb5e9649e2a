//! Tables: printed as Markdown, so that a page can hold them as they are, and kept for a file.

use serde_json::{Map, Value};

/// A table under a title.
pub struct Table {
    title: &'static str,
    columns: Vec<&'static str>,
    rows: Vec<Vec<Value>>,
}

impl Table {
    /// Prints the title and the head.
    pub fn new(title: &'static str, columns: &[&'static str]) -> Table {
        println!("\n## {title}\n\n| {} |", columns.join(" | "));
        println!("|{}", " ---: |".repeat(columns.len()));
        Table { title, columns: columns.to_vec(), rows: Vec::new() }
    }

    /// Prints a row.
    pub fn row(&mut self, row: Vec<Value>) {
        let cells: Vec<String> = row.iter().map(shown).collect();
        println!("| {} |", cells.join(" | "));
        self.rows.push(row);
    }

    /// For the file.
    pub fn to_json(&self) -> Value {
        let object = |row: &Vec<Value>| {
            let named = self.columns.iter().map(|c| (*c).to_owned()).zip(row.iter().cloned());
            Value::Object(named.collect::<Map<_, _>>())
        };
        serde_json::json!({ "title": self.title, "rows": self.rows.iter().map(object).collect::<Vec<_>>() })
    }
}

/// Three figures of a fraction, all of an integer.
fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Number(n) if n.is_f64() => figures(n.as_f64().unwrap_or(f64::NAN)),
        Value::Null => "–".to_owned(),
        other => other.to_string(),
    }
}

fn figures(number: f64) -> String {
    match number.abs() {
        0.0..10.0 => format!("{number:.2}"),
        10.0..100.0 => format!("{number:.1}"),
        _ => format!("{number:.0}"),
    }
}

/// Whether the target is met; nothing without one.
pub fn verdict(value: f64, target: Option<f64>) -> Value {
    target.map_or(Value::Null, |t| if value <= t { "met" } else { "missed" }.into())
}
