//! What a repair did.

use crate::unite::Unfit;

/// A kind of step, from light to heavy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum StepKind {
    /// Faces with a corner that is NaN or infinite were dropped.
    DropNotFinite,
    /// Faces that refer to vertices which are not there were dropped.
    DropOutOfRange,
    /// Vertices at one place were made one.
    Weld,
    /// Faces that use a vertex twice were dropped.
    DropDegenerate,
    /// Faces that lie on another with the same vertices were dropped.
    DropDuplicate,
    /// Faces were turned to be wound as their neighbours are.
    OrientAlike,
    /// Edges of holes that lie on each other were joined.
    Zip,
    /// Small open parts were dropped.
    DropScraps,
    /// Vertices and edges that several sheets shared were given to each sheet.
    Split,
    /// Holes were filled.
    FillHoles,
    /// Open sheets were given a thickness.
    Thicken,
    /// Parts that enclose nothing were dropped.
    DropFlat,
    /// Faces were turned to look outward.
    TurnOutward,
    /// Shells that pass through one another, or through themselves, were made one.
    Unite,
    /// A new surface was made.
    Remesh,
}

impl StepKind {
    /// What is done.
    pub fn name(self) -> &'static str {
        self.words().0
    }

    /// What the count of a step counts: one, and many.
    fn words(self) -> (&'static str, &'static str, &'static str) {
        match self {
            StepKind::DropNotFinite => ("drop faces that are not finite", "face", "faces"),
            StepKind::DropOutOfRange => ("drop faces without vertices", "face", "faces"),
            StepKind::Weld => ("weld vertices", "vertex", "vertices"),
            StepKind::DropDegenerate => ("drop degenerate faces", "face", "faces"),
            StepKind::DropDuplicate => ("drop duplicate faces", "face", "faces"),
            StepKind::OrientAlike => ("orient faces alike", "face", "faces"),
            StepKind::Zip => ("zip slits", "edge", "edges"),
            StepKind::DropScraps => ("drop loose scraps", "face", "faces"),
            StepKind::Split => ("split sheets that touch", "vertex", "vertices"),
            StepKind::FillHoles => ("fill holes", "hole", "holes"),
            StepKind::Thicken => ("thicken sheets", "sheet", "sheets"),
            StepKind::DropFlat => ("drop parts that enclose nothing", "face", "faces"),
            StepKind::TurnOutward => ("turn what is inside out", "face", "faces"),
            StepKind::Unite => ("unite shells", "shell", "shells"),
            StepKind::Remesh => ("remesh", "face", "faces"),
        }
    }
}

/// A step of a repair, and how much it changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// What was done.
    pub kind: StepKind,
    /// How many faces, vertices or holes were changed, as the kind counts.
    pub changed: usize,
    /// Why it was taken instead of uniting shells, if it was.
    pub because: Option<Unfit>,
}

impl Step {
    pub(crate) fn new(kind: StepKind, changed: usize) -> Step {
        Step { kind, changed, because: None }
    }
}

impl std::fmt::Display for Step {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        let (name, one, many) = self.kind.words();
        write!(f, "{name}: {} {}", self.changed, if self.changed == 1 { one } else { many })?;
        match self.because {
            Some(unfit) => write!(f, ", since shells that overlap could not be united: {unfit}"),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_taken_instead_of_another_says_why() {
        let step = Step { because: Some(Unfit::Twisted), ..Step::new(StepKind::Remesh, 12) };
        assert_eq!(
            step.to_string(),
            "remesh: 12 faces, since shells that overlap could not be united: going around an edge and back gives another \
             winding number"
        );
    }
}
