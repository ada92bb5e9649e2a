//! Files of nodes: one a line, three numbers.

use std::path::Path;

use anyhow::{Context, Result, anyhow, bail};
use glam::DVec3;

/// Reads nodes. Empty lines and what follows a `#` are skipped; numbers are separated by blanks or commas.
pub fn read(path: &Path) -> Result<Vec<DVec3>> {
    let name = path.display();
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {name}"))?;
    let nodes = parse(&text).map_err(|error| anyhow!("{name}: {error}"))?;
    if nodes.is_empty() {
        bail!("{name} holds no nodes: give one a line, as x y z");
    }
    Ok(nodes)
}

fn parse(text: &str) -> Result<Vec<DVec3>, String> {
    let mut nodes = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let line = line.split('#').next().unwrap_or_default();
        let words: Vec<&str> = line.split([' ', '\t', ',']).filter(|word| !word.is_empty()).collect();
        if words.is_empty() {
            continue;
        }
        let numbers: Vec<f64> = words.iter().filter_map(|word| word.parse().ok()).collect();
        match numbers[..] {
            [x, y, z] if words.len() == 3 && DVec3::new(x, y, z).is_finite() => {
                nodes.push(DVec3::new(x, y, z))
            }
            _ => return Err(format!("line {} is no node: write three numbers, as x y z", index + 1)),
        }
    }
    Ok(nodes)
}

/// Nodes as a file that [`read`] gives back to the bit.
pub fn write<'a>(bodies: impl Iterator<Item = (&'a str, &'a [DVec3])>) -> Vec<u8> {
    let mut text = String::from("# Nodes to decompose a model by: x y z, in its units.\n");
    for (name, nodes) in bodies {
        text += &format!("# {}\n", name.replace(['\n', '\r'], " "));
        for DVec3 { x, y, z } in nodes {
            text += &format!("{x:?} {y:?} {z:?}\n");
        }
    }
    text.into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_come_back_to_the_bit_and_faults_name_their_line() {
        let nodes = [DVec3::new(0.1, -1e-300, 1.0 / 3.0), DVec3::new(5.0, 1e22, -0.0)];
        let text = write([("a\nb", &nodes[..])].into_iter());
        assert_eq!(parse(std::str::from_utf8(&text).unwrap()), Ok(nodes.to_vec()));
        assert_eq!(
            parse("1,2, 3 # one\n\n4 5\t6"),
            Ok(vec![DVec3::new(1.0, 2.0, 3.0), DVec3::new(4.0, 5.0, 6.0)])
        );
        for bad in ["1 2", "1 2 3 4", "1 2 x", "1 2 NaN", "1 2 inf"] {
            assert!(parse(&format!("0 0 0\n{bad}\n")).unwrap_err().contains("line 2"), "{bad}");
        }
    }
}
