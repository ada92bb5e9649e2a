//! `smithereens inspect`: what is wrong with a model, and what mends it.

use anyhow::Result;
use serde_json::{Value, json};
use smithereens_repair::{Inspection, Verdict, inspect};

use crate::arguments::Inspect;
use crate::say;

/// Runs the command.
pub fn run(arguments: &Inspect) -> Result<()> {
    let model = smithereens_formats::read(&arguments.model)?;
    let inspection = inspect(&model.mesh);
    let name = arguments.model.display().to_string();
    let text =
        if arguments.json { format!("{:#}", to_json(&inspection, &name)) } else { table(&inspection, &name) };
    say(&text);
    Ok(())
}

fn table(inspection: &Inspection, name: &str) -> String {
    let size = inspection.bounds.size();
    let mut lines = vec![
        format!("{name}"),
        row("faces", &inspection.faces.to_string()),
        row("triangles", &inspection.triangles.to_string()),
        row("vertices", &inspection.vertices.to_string()),
        row("parts", &inspection.parts.to_string()),
        row("closed", if inspection.is_closed { "yes" } else { "no" }),
        row("size", &format!("{:.4} x {:.4} x {:.4}", size.x, size.y, size.z)),
        row("area", &format!("{:.4e}", inspection.area)),
        row("volume", &inspection.volume.map_or("none: it is not closed".to_owned(), |v| format!("{v:.4e}"))),
    ];
    for finding in &inspection.findings {
        let is_least = inspection.is_partial && finding.name.ends_with("through one another");
        let least = if is_least { "at least " } else { "" };
        lines.push(row(finding.name, &format!("{least}{}", finding.count)));
        lines.extend(finding.first.iter().map(|culprit| format!("    {culprit}")));
        if !finding.first.is_empty() && finding.count > finding.first.len() {
            lines.push(format!("    and {} more", finding.count - finding.first.len()));
        }
    }
    lines.push(String::new());
    lines.push(inspection.advice().to_owned());
    lines.extend(inspection.error.as_ref().map(|error| format!("Why: {error}")));
    lines.extend(command(inspection, name).map(|command| format!("  {command}")));
    lines.join("\n")
}

fn row(name: &str, value: &str) -> String {
    format!("  {name:<38} {value}")
}

/// The command that mends and breaks the model.
fn command(inspection: &Inspection, name: &str) -> Option<String> {
    inspection.remedy().map(|options| format!("smithereens shatter {name} -o broken.glb {options}"))
}

fn to_json(inspection: &Inspection, name: &str) -> Value {
    let findings: Vec<Value> = inspection
        .findings
        .iter()
        .map(|f| json!({ "name": f.name, "count": f.count, "first": f.first }))
        .collect();
    let holes: Vec<Value> = inspection
        .holes
        .iter()
        .map(|h| json!({ "edges": h.edges, "length": h.length, "vertex": h.vertex }))
        .collect();
    json!({
        "model": name,
        "faces": inspection.faces,
        "triangles": inspection.triangles,
        "vertices": inspection.vertices,
        "parts": inspection.parts,
        "closed": inspection.is_closed,
        "sound": inspection.verdict == Verdict::Sound,
        "size": inspection.bounds.size().to_array(),
        "area": inspection.area,
        "volume": inspection.volume,
        "holes": holes,
        "findings": findings,
        "partial": inspection.is_partial,
        "error": inspection.error.as_ref().map(ToString::to_string),
        "advice": inspection.advice(),
        "command": command(inspection, name),
    })
}
