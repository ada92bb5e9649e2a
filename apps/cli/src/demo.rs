//! `smithereens demo`: needs no files.
use crate::arguments::Demo;
use anyhow::Result;
/// Runs the command.
pub fn run(_: &Demo) -> Result<()> {
    let _ = crate::torus::compound()?;
    Ok(())
}
