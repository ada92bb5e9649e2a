//! Materials from tables: those of the file that comes with the library, of a user's, and of a scene.

use serde::Deserialize;
use smithereens_planar::modes::Projection;
use smithereens_stress::{Hold, Material as Strengths};

use crate::scene::SceneError;
use crate::{Break, Choice, Material, PatternKind};

/// The file that comes with the library.
const OURS: &str = include_str!("../materials.toml");

/// A material as it is written: what it says differs from the one it is like.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    like: Option<String>,
    density: Option<f64>,
    friction: Option<f64>,
    restitution: Option<f64>,
    strength: Option<f64>,
    push: Option<f64>,
    breaks: Option<Vec<BreakEntry>>,
    /// Gigapascals.
    young: Option<f64>,
    poisson: Option<f64>,
    /// Megapascals.
    tension: Option<f64>,
    compression: Option<f64>,
    shear: Option<f64>,
    dry: Option<bool>,
    parting: Option<f64>,
    projection: Option<ProjectionEntry>,
    colour: Option<[f32; 3]>,
    interior: Option<[f32; 3]>,
    cover: Option<f32>,
}

/// What a blow on a body that breaks by nature is projected onto.
#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum ProjectionEntry {
    Modes,
    Pieces,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct BreakEntry {
    above: f64,
    pattern: String,
    cells: usize,
    radius: f64,
}

/// The tables of a file: `[material.NAME]`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    material: toml::Table,
}

impl Material {
    /// The materials that come with the library, in the order of its file, `crates/flat/materials.toml`.
    ///
    /// ```
    /// use smithereens_flat::Material;
    /// assert_eq!(Material::table()[0].name, "stone");
    /// ```
    pub fn table() -> Vec<Material> {
        // The file is ours, and a test reads all of it.
        Material::add_all(Vec::new(), OURS).unwrap_or_default()
    }

    /// The materials that come with the library, and those of a file of the same form. What is wrong is told with its line.
    ///
    /// ```
    /// use smithereens_flat::Material;
    /// let all = Material::read("[material.sandstone]\nlike = \"stone\"\ndensity = 2200\ntension = 3\n")?;
    /// assert_eq!(all.last().unwrap().density, 2200.0);
    /// let error = Material::read("[material.odd]\ndensity = -1\n").unwrap_err();
    /// assert_eq!(error.line, Some(1));
    /// # Ok::<(), smithereens_flat::scene::SceneError>(())
    /// ```
    pub fn read(text: &str) -> Result<Vec<Material>, SceneError> {
        Material::add_all(Material::table(), text)
    }

    fn add_all(mut all: Vec<Material>, text: &str) -> Result<Vec<Material>, SceneError> {
        let file: File =
            toml::from_str(text).map_err(|e| SceneError::at(text, e.span(), e.message().to_owned()))?;
        for (name, value) in &file.material {
            add(&mut all, name, value).map_err(|what| fault(text, name, &what))?;
        }
        Ok(all)
    }

    /// The material of the library with this name.
    pub fn named(name: &str) -> Option<Material> {
        Material::table().into_iter().find(|material| material.name == name)
    }
}

/// What is wrong with a material, at the line where it begins.
pub(crate) fn fault(source: &str, name: &str, what: &str) -> SceneError {
    let head = format!("[material.{name}]");
    let line = source.lines().position(|line| line.trim() == head).map(|line| line + 1);
    SceneError { line, what: format!("material {name:?}: {what}") }
}

/// Adds a material to those that it may be like, or puts it in the place of the one with its name.
pub(crate) fn add(all: &mut Vec<Material>, name: &str, value: &toml::Value) -> Result<(), String> {
    let entry: Entry = value.clone().try_into().map_err(|e: toml::de::Error| e.message().to_owned())?;
    let base = match &entry.like {
        Some(like) => all.iter().find(|m| m.name == *like).cloned().ok_or_else(|| {
            let known: Vec<&str> = all.iter().map(|m| m.name.as_str()).collect();
            format!("there is no material {like:?} before it to be like: use {}", known.join(", "))
        })?,
        None => Material::default(),
    };
    let made = entry.over(Material { name: name.to_owned(), ..base });
    if !made.is_sound() {
        return Err("a number is out of range: densities and strengths must be positive".to_owned());
    }
    match all.iter_mut().find(|m| m.name == name) {
        Some(known) => *known = made,
        None => all.push(made),
    }
    Ok(())
}

/// A material as it is written: all of it.
pub(crate) fn entry(material: &Material) -> toml::Value {
    let mut table = toml::Table::new();
    let mut put = |name: &str, value: toml::Value| drop(table.insert(name.to_owned(), value));
    let numbers = |list: &[f32]| toml::Value::Array(list.iter().map(|&x| f64::from(x).into()).collect());
    let (stress, look) = (&material.stress, &material.look);
    let amounts = [
        ("density", material.density),
        ("friction", material.friction),
        ("restitution", material.restitution),
        ("strength", material.strength),
        ("push", material.push),
        ("young", stress.young * 1e-9),
        ("poisson", stress.poisson),
        ("tension", stress.tension * 1e-6),
        ("compression", stress.compression * 1e-6),
        ("shear", stress.shear * 1e-6),
        ("parting", material.parting),
        ("cover", f64::from(look.cover)),
    ];
    amounts.into_iter().for_each(|(name, amount)| put(name, amount.into()));
    put("dry", (stress.hold == Hold::Dry).into());
    let projection = if material.projection == Projection::Modes { "modes" } else { "pieces" };
    put("projection", projection.into());
    put("colour", numbers(&look.colour));
    put("interior", numbers(&look.interior));
    let breaks = material.breaks.iter().map(|b| {
        let pattern = match &b.pattern {
            Choice::Kind(kind) => kind.name(),
            Choice::Named(name) => name,
        };
        let cells = i64::try_from(b.cells).unwrap_or(i64::MAX);
        let fields = [
            ("above", toml::Value::from(b.above)),
            ("pattern", pattern.into()),
            ("cells", cells.into()),
            ("radius", b.radius.into()),
        ];
        toml::Value::Table(fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
    });
    put("breaks", toml::Value::Array(breaks.collect()));
    toml::Value::Table(table)
}

impl Entry {
    fn over(self, base: Material) -> Material {
        let stress = base.stress;
        let (giga, mega) = (|x: f64| x * 1e9, |x: f64| x * 1e6);
        let choice = |name: String| PatternKind::named(&name).map_or(Choice::Named(name), Choice::Kind);
        let breaks = self.breaks.map(|list| {
            let mut list: Vec<Break> = list
                .into_iter()
                .map(|b| Break {
                    above: b.above,
                    pattern: choice(b.pattern),
                    cells: b.cells,
                    radius: b.radius,
                })
                .collect();
            list.sort_by(|a, b| a.above.total_cmp(&b.above));
            list
        });
        let hold = self.dry.map(|dry| if dry { Hold::Dry } else { Hold::Bonded });
        let projection = self.projection.map(|p| match p {
            ProjectionEntry::Modes => Projection::Modes,
            ProjectionEntry::Pieces => Projection::Pieces,
        });
        let friction = self.friction.unwrap_or(base.friction);
        let mut look = base.look;
        look.colour = self.colour.unwrap_or(look.colour);
        look.interior = self.interior.unwrap_or(look.interior);
        look.cover = self.cover.unwrap_or(look.cover);
        Material {
            density: self.density.unwrap_or(base.density),
            friction,
            restitution: self.restitution.unwrap_or(base.restitution),
            strength: self.strength.unwrap_or(base.strength),
            push: self.push.unwrap_or(base.push),
            breaks: breaks.unwrap_or(base.breaks),
            stress: Strengths {
                young: self.young.map_or(stress.young, giga),
                poisson: self.poisson.unwrap_or(stress.poisson),
                tension: self.tension.map_or(stress.tension, mega),
                compression: self.compression.map_or(stress.compression, mega),
                shear: self.shear.map_or(stress.shear, mega),
                friction,
                hold: hold.unwrap_or(stress.hold),
            },
            parting: self.parting.unwrap_or(base.parting),
            projection: projection.unwrap_or(base.projection),
            look,
            ..base
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_of_ours_are_read_and_sound() {
        let all = Material::add_all(Vec::new(), OURS).unwrap();
        assert!(all.len() >= 9 && all.iter().all(Material::is_sound));
        assert_eq!(all.iter().map(|m| m.name.as_str()).next(), Some("stone"));
        let concrete = all.iter().find(|m| m.name == "concrete").unwrap();
        assert_eq!((concrete.friction, concrete.stress.tension), (0.7, 2.9e6));
    }
}
