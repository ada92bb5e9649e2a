//! From any mesh to a solid, by the lightest means that will do.

use smithereens_geometry::islands::islands;
use smithereens_geometry::{MassSum, Mesh, Solid, SolidError};
use thiserror::Error;

use crate::lists;
use crate::mend::{Mended, mend};
use crate::remesh::remesh;
use crate::sheets::encloses_nothing;
use crate::soup::Soup;
use crate::step::{Step, StepKind};
use crate::unite::{Look, Unfit, unite};

/// How far a repair may go.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Level {
    /// Nothing is changed: the mesh is a solid, or it is refused.
    Off,
    /// The surface stays where it is; holes are filled.
    Light,
    /// The lightest that gives a solid: as light; then sheets get a thickness, and shells that overlap become one; then a new
    /// surface.
    #[default]
    Auto,
    /// A new surface in any case, from the winding number of the old one on a grid.
    Remesh,
}

/// What is to become of shells that overlap.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Overlaps {
    /// They are made one, at [`Level::Auto`]. A shell that passes through itself stays as it is if the mesh was a solid, and is made
    /// one with itself if it had to be mended.
    #[default]
    Unite,
    /// The same, and a shell that passes through itself is made one with itself in any case.
    UniteAll,
    /// They stay as they are: for who wants each of them as a part of its own.
    Keep,
}

/// How to repair.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RepairOptions {
    /// How far to go.
    pub level: Level,
    /// What is to become of shells that overlap.
    pub overlaps: Overlaps,
    /// Cells of the grid along the longest side of the mesh, where it is remeshed: 8 to 512.
    pub resolution: u32,
    /// The thickness that open sheets get, as a share of the longest side.
    pub thickness: f64,
}

impl Default for RepairOptions {
    fn default() -> RepairOptions {
        RepairOptions { level: Level::Auto, overlaps: Overlaps::Unite, resolution: 192, thickness: 0.01 }
    }
}

impl RepairOptions {
    /// The resolutions that can be asked for.
    pub const RESOLUTIONS: std::ops::RangeInclusive<u32> = 8..=512;
}

/// A mesh that has become a solid.
#[derive(Clone, Debug, PartialEq)]
pub struct Repaired {
    /// The solid.
    pub solid: Solid,
    /// What was done, in order. Nothing, if the mesh was sound.
    pub steps: Vec<Step>,
}

/// Why a mesh could not be repaired.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum RepairError {
    /// The lists of the mesh do not fit each other.
    #[error("the mesh's lists do not fit each other: {0}")]
    Lists(String),
    /// It has no triangles with area, or none with finite vertices.
    #[error("the mesh has no faces with finite corners and an area: there is nothing to repair")]
    Nothing,
    /// The resolution is out of range.
    #[error("a resolution of {0} is out of range: choose from 8 to 512 cells along the longest side")]
    Resolution(u32),
    /// The thickness is out of range.
    #[error("a thickness of {0} of the longest side is out of range: choose more than 0 and at most 0.5")]
    Thickness(f64),
    /// The level allows no more, and it is no solid yet.
    #[error("{error}\n  this is as far as repair `{level}` goes: allow more")]
    Level {
        /// The level.
        level: Level,
        /// What is wrong.
        error: SolidError,
    },
}

impl std::fmt::Display for Level {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str(match self {
            Level::Off => "off",
            Level::Light => "light",
            Level::Auto => "auto",
            Level::Remesh => "remesh",
        })
    }
}

/// Makes a solid of a mesh.
///
/// A mesh that is a solid is returned as it is, bit for bit as [`Solid::new`] has it, with no steps; but shells that overlap become
/// one at [`Level::Auto`]: see [`Overlaps`].
///
/// ```
/// use smithereens_geometry::{Aabb, Convex, Slot};
/// use smithereens_repair::{RepairOptions, repair};
/// let mut mesh = Convex::from_box(&Aabb::cube(1.0)).to_mesh(Slot(0));
/// mesh.faces.pop(); // a box without its lid
/// let repaired = repair(&mesh, &RepairOptions::default()).unwrap();
/// assert_eq!(repaired.solid.volume(), 8.0);
/// assert_eq!(repaired.steps[0].to_string(), "fill holes: 1 hole");
/// ```
pub fn repair(mesh: &Mesh, options: &RepairOptions) -> Result<Repaired, RepairError> {
    repair_with_progress(mesh, options, &|_| {})
}

/// As [`repair`]; `progress` is told the share done, from 0 to 1, now and then.
pub fn repair_with_progress(
    mesh: &Mesh,
    options: &RepairOptions,
    progress: &(dyn Fn(f32) + Sync),
) -> Result<Repaired, RepairError> {
    check(mesh, options)?;
    if options.level != Level::Remesh {
        match as_it_is(mesh) {
            Ok(repaired) => {
                let look = if options.overlaps == Overlaps::UniteAll { Look::Within } else { Look::Between };
                return united(repaired, look, options, progress);
            }
            Err(error) if options.level == Level::Off => {
                return Err(RepairError::Level { level: Level::Off, error });
            }
            Err(_) => {}
        }
    }
    let (soup, mut steps) = take_in(mesh);
    // Coordinates so large that areas overflow leave nothing to reckon with.
    let area = soup.area();
    if !(area > 0.0 && area.is_finite()) {
        return Err(RepairError::Nothing);
    }
    let mended = mend(soup, options, &mut steps);
    progress(0.3);
    finish(mended, options, steps, &|share| progress(0.3 + 0.7 * share))
}

fn check(mesh: &Mesh, options: &RepairOptions) -> Result<(), RepairError> {
    if let Some(problem) = lists::problem(mesh) {
        return Err(RepairError::Lists(problem));
    }
    if !RepairOptions::RESOLUTIONS.contains(&options.resolution) {
        return Err(RepairError::Resolution(options.resolution));
    }
    if !(options.thickness > 0.0 && options.thickness <= 0.5) {
        return Err(RepairError::Thickness(options.thickness));
    }
    Ok(())
}

/// A mesh that needs nothing but welding or turning: polygons stay polygons.
fn as_it_is(mesh: &Mesh) -> Result<Repaired, SolidError> {
    let mut steps = Vec::new();
    let error = match prove(mesh, &mut steps) {
        Ok(solid) => return Ok(Repaired { solid, steps }),
        Err(error) => error,
    };
    let mut changed = mesh.clone();
    if matches!(error, SolidError::Open { .. }) {
        let welded = changed.weld();
        if welded == 0 {
            return Err(error);
        }
        steps.push(Step::new(StepKind::Weld, welded));
    }
    let result = match prove(&changed, &mut steps) {
        Err(SolidError::InsideOut { .. }) => {
            changed.flip();
            steps.push(Step::new(StepKind::TurnOutward, changed.faces.len()));
            prove(&changed, &mut steps)
        }
        result => result,
    };
    result.map(|solid| Repaired { solid, steps })
}

/// Proves a mesh to be a solid, and tells if sheets that touch had to be separated. What is then loose and encloses
/// nothing is dropped: folds and flaps that scanners leave.
fn prove(mesh: &Mesh, steps: &mut Vec<Step>) -> Result<Solid, SolidError> {
    let solid = Solid::new(mesh.clone())?;
    let split = used_vertices(solid.mesh()).saturating_sub(used_vertices(mesh));
    if split == 0 {
        return Ok(solid);
    }
    steps.push(Step::new(StepKind::Split, split));
    let islands = islands(solid.mesh());
    let flat: Vec<u32> = islands.into_iter().filter(|i| is_flat_island(solid.mesh(), i)).flatten().collect();
    if flat.is_empty() || flat.len() == solid.mesh().faces.len() {
        return Ok(solid);
    }
    steps.push(Step::new(StepKind::DropFlat, flat.len()));
    Solid::new(without_faces(solid.mesh(), &flat))
}

fn used_vertices(mesh: &Mesh) -> usize {
    let mut used = vec![false; mesh.positions.len()];
    // Corners beyond the last face may refer to anything.
    let corners = (0..mesh.faces.len()).flat_map(|f| &mesh.corners[mesh.face_corners(f)]);
    corners.for_each(|&v| used[v as usize] = true);
    used.into_iter().filter(|u| *u).count()
}

fn is_flat_island(mesh: &Mesh, faces: &[u32]) -> bool {
    let at = |c: usize| mesh.positions[mesh.corners[c] as usize];
    let mut sum = MassSum::about(at(mesh.face_corners(faces[0] as usize).start));
    let mut area = 0.0;
    for &face in faces {
        area += mesh.face_area_vector(face as usize).length() * 0.5;
        for index in mesh.face_loops(face as usize) {
            sum.add_polygon(mesh.loop_corners(index).map(at));
        }
    }
    encloses_nothing(sum.volume(), area)
}

fn without_faces(mesh: &Mesh, gone: &[u32]) -> Mesh {
    let mut is_gone = vec![false; mesh.faces.len()];
    gone.iter().for_each(|&f| is_gone[f as usize] = true);
    let mut rest = Mesh { positions: mesh.positions.clone(), ..Mesh::default() };
    for face in (0..mesh.faces.len()).filter(|&f| !is_gone[f]) {
        rest.copy_face(mesh, face, |vertex| vertex);
    }
    rest.drop_unused_vertices();
    rest
}

/// The triangles of a mesh, without those that have no place.
fn take_in(mesh: &Mesh) -> (Soup, Vec<Step>) {
    let (soup, unusable) = Soup::of(mesh);
    let steps =
        [(StepKind::DropNotFinite, unusable.not_finite), (StepKind::DropOutOfRange, unusable.out_of_range)];
    (soup, steps.into_iter().filter(|s| s.1 > 0).map(|(kind, count)| Step::new(kind, count)).collect())
}

fn finish(
    mended: Mended,
    options: &RepairOptions,
    steps: Vec<Step>,
    progress: &(dyn Fn(f32) + Sync),
) -> Result<Repaired, RepairError> {
    let (soup, is_closed) = match mended {
        Mended::Closed(soup) if options.level != Level::Remesh => match Solid::new(soup.to_mesh()) {
            Ok(solid) => return united(Repaired { solid, steps }, Look::Within, options, progress),
            Err(error) if options.level == Level::Light => {
                return Err(RepairError::Level { level: Level::Light, error });
            }
            Err(_) => (soup, true),
        },
        Mended::Closed(soup) => (soup, true),
        Mended::Hopeless(soup) => (soup, false),
    };
    remeshed(&soup, is_closed, None, options, steps, progress)
}

fn remeshed(
    soup: &Soup,
    is_closed: bool,
    because: Option<Unfit>,
    options: &RepairOptions,
    mut steps: Vec<Step>,
    progress: &(dyn Fn(f32) + Sync),
) -> Result<Repaired, RepairError> {
    let surface = remesh(soup, is_closed, options.resolution, progress);
    steps.push(Step { because, ..Step::new(StepKind::Remesh, surface.triangles.len()) });
    let solid = Solid::new(surface.to_mesh()).map_err(|_| RepairError::Nothing)?;
    Ok(Repaired { solid, steps })
}

/// A solid in which no volume is counted twice, if the level allows for it: its shells are made one, or, where that cannot be
/// done, it gets a new surface. One whose shells keep clear of each other stays as it is.
fn united(
    repaired: Repaired,
    look: Look,
    options: &RepairOptions,
    progress: &(dyn Fn(f32) + Sync),
) -> Result<Repaired, RepairError> {
    if options.level != Level::Auto || options.overlaps == Overlaps::Keep {
        return Ok(repaired);
    }
    let Repaired { solid, mut steps } = repaired;
    let made_one = unite(solid.mesh(), look).and_then(|united| match united {
        Some(united) => match Solid::new(united.soup.to_mesh()) {
            Ok(solid) => Ok(Some((solid, united.shells))),
            Err(_) => Err(Unfit::NoSolid),
        },
        None => Ok(None),
    });
    match made_one {
        Ok(None) => Ok(Repaired { solid, steps }),
        Ok(Some((solid, shells))) => {
            steps.push(Step::new(StepKind::Unite, shells));
            Ok(Repaired { solid, steps })
        }
        Err(unfit) => remeshed(&Soup::of(solid.mesh()).0, true, Some(unfit), options, steps, progress),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DVec3;
    use smithereens_geometry::{Aabb, Convex, Slot};

    fn cube() -> Mesh {
        Convex::from_box(&Aabb::cube(1.0)).to_mesh(Slot(0))
    }

    #[test]
    fn a_level_goes_no_further_than_it_says() {
        let mut open = cube();
        open.faces.pop();
        let at = |level| RepairOptions { level, ..RepairOptions::default() };
        assert!(matches!(repair(&open, &at(Level::Off)), Err(RepairError::Level { .. })));
        assert_eq!(repair(&open, &at(Level::Light)).unwrap().solid.volume(), 8.0);
        let mut flat = Mesh { positions: vec![DVec3::ZERO, DVec3::X, DVec3::Y], ..Mesh::default() };
        flat.push_polygon(&[0, 1, 2], Slot(0));
        assert!(matches!(repair(&flat, &at(Level::Light)), Err(RepairError::Level { .. })));
        assert_eq!(repair(&flat, &at(Level::Auto)).unwrap().steps[0].kind, StepKind::Thicken);
    }

    #[test]
    fn what_cannot_be_mended_is_refused() {
        let auto = RepairOptions::default();
        assert_eq!(repair(&Mesh::default(), &auto), Err(RepairError::Nothing));
        for scale in [1e200, 1e-200, f64::INFINITY] {
            let mut mesh = cube();
            mesh.faces.pop();
            mesh.positions.iter_mut().for_each(|p| *p *= scale);
            assert_eq!(repair(&mesh, &auto), Err(RepairError::Nothing), "{scale}");
        }
        let mut lies = cube();
        lies.loop_ends[0] = 1_000;
        assert!(matches!(repair(&lies, &auto), Err(RepairError::Lists(_))));
        let mut tail = cube();
        tail.corners.extend([1_000, 2_000]);
        assert!(repair(&tail, &auto).is_ok_and(|r| r.steps.is_empty()));
        let fine = RepairOptions { resolution: 100_000, ..auto };
        assert_eq!(repair(&cube(), &fine), Err(RepairError::Resolution(100_000)));
    }
}
