//! Materials from tables: those of the file that comes with the library, of a user's, and of a scene.

use glam::DVec3;
use serde::Deserialize;
use smithereens_modes::Projection;
use smithereens_stress::{Hold, Material as Strengths};

use crate::scene::SceneError;
use crate::{Break, Fibres, Material};

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
    dust: Option<f64>,
    ductility: Option<f64>,
    debris: Option<f64>,
    breaks: Option<Vec<BreakEntry>>,
    pattern: Option<String>,
    cells: Option<usize>,
    radius: Option<f64>,
    /// Gigapascals.
    young: Option<f64>,
    poisson: Option<f64>,
    /// Megapascals.
    tension: Option<f64>,
    compression: Option<f64>,
    shear: Option<f64>,
    fibres: Option<FibresEntry>,
    dry: Option<bool>,
    weakest: Option<bool>,
    parting: Option<f64>,
    projection: Option<ProjectionEntry>,
    colour: Option<[f32; 3]>,
    interior: Option<[f32; 3]>,
    roughness: Option<f32>,
}

/// What a blow on a body that breaks by nature is projected onto.
#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum ProjectionEntry {
    Modes,
    Pieces,
}

impl ProjectionEntry {
    fn own(self) -> Projection {
        match self {
            ProjectionEntry::Modes => Projection::Modes,
            ProjectionEntry::Pieces => Projection::Pieces,
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct BreakEntry {
    above: f64,
    pattern: String,
    cells: usize,
    radius: f64,
}

/// What fibres say differs from those of the material it is like. Megapascals.
#[derive(Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
struct FibresEntry {
    direction: Option<[f64; 3]>,
    tension: Option<f64>,
    compression: Option<f64>,
}

/// The tables of a file: `[material.NAME]`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    material: toml::Table,
}

impl Material {
    /// The materials that come with the library, in the order of its file, `crates/simulate/materials.toml`.
    ///
    /// ```
    /// use smithereens_simulate::Material;
    /// assert_eq!(Material::table()[0].name, "stone");
    /// ```
    pub fn table() -> Vec<Material> {
        let mut all = Vec::new();
        // The file is ours, and a test reads all of it.
        if let Ok(file) = toml::from_str::<File>(OURS) {
            for (name, value) in &file.material {
                let _ = add(&mut all, name, value);
            }
        }
        all
    }

    /// The materials that come with the library, and those of a file of the same form. What is wrong is told with its line.
    ///
    /// ```
    /// use smithereens_simulate::Material;
    /// let all = Material::read("[material.sandstone]\nlike = \"stone\"\ndensity = 2200\ntension = 3\n")?;
    /// assert_eq!(all.last().unwrap().density, 2200.0);
    /// let error = Material::read("[material.odd]\ndensity = -1\n").unwrap_err();
    /// assert_eq!(error.line, Some(1));
    /// # Ok::<(), smithereens_simulate::scene::SceneError>(())
    /// ```
    pub fn read(text: &str) -> Result<Vec<Material>, SceneError> {
        let file: File =
            toml::from_str(text).map_err(|e| SceneError::at(text, e.span(), e.message().to_owned()))?;
        let mut all = Material::table();
        for (name, value) in &file.material {
            add(&mut all, name, value).map_err(|what| fault(text, name, &what))?;
        }
        Ok(all)
    }

    /// A material that comes with the library.
    pub fn named(name: &str) -> Option<Material> {
        Material::table().into_iter().find(|material| material.name == name)
    }
}

/// Adds a material to those that it may be like, or puts it in the place of the one with its name. What is wrong, if anything is.
pub(crate) fn add(all: &mut Vec<Material>, name: &str, value: &toml::Value) -> Result<(), String> {
    let entry: Entry = value.clone().try_into().map_err(|e: toml::de::Error| e.message().to_owned())?;
    let known = |name: &str| all.iter().find(|material| material.name == name);
    let base = match &entry.like {
        Some(like) => known(like).ok_or_else(|| format!("it is like {like:?}, which is none"))?.clone(),
        None => known(name).or_else(|| known("stone")).cloned().unwrap_or_default(),
    };
    let material = entry.material(Material { name: name.to_owned(), ..base })?;
    if !material.is_sound() {
        return Err("a number is out of range".to_owned());
    }
    match all.iter_mut().find(|known| known.name == name) {
        Some(known) => *known = material,
        None => all.push(material),
    }
    Ok(())
}

/// A fault of a material, at the line where its table begins.
pub(crate) fn fault(text: &str, name: &str, what: &str) -> SceneError {
    let heads = [format!("[material.{name}]"), format!("[material.\"{name}\"]")];
    let line = text.lines().position(|line| heads.iter().any(|head| line.trim().starts_with(head)));
    SceneError { line: line.map(|line| line + 1), what: format!("material {name}: {what}") }
}

fn set<T>(to: &mut T, own: Option<T>) {
    if let Some(own) = own {
        *to = own;
    }
}

impl Entry {
    /// What it says, in the place of what was so.
    fn material(self, mut material: Material) -> Result<Material, String> {
        let (giga, mega) = (|x: f64| x * 1e9, |x: f64| x * 1e6);
        let numbers = [
            (self.density, &mut material.density),
            (self.friction, &mut material.friction),
            (self.restitution, &mut material.restitution),
            (self.strength, &mut material.strength),
            (self.push, &mut material.push),
            (self.parting, &mut material.parting),
            (self.dust, &mut material.dust),
            (self.ductility, &mut material.ductility),
            (self.debris, &mut material.debris),
            (self.young.map(giga), &mut material.stress.young),
            (self.poisson, &mut material.stress.poisson),
            (self.tension.map(mega), &mut material.stress.tension),
            (self.compression.map(mega), &mut material.stress.compression),
            (self.shear.map(mega), &mut material.stress.shear),
        ];
        numbers.into_iter().for_each(|(own, to)| set(to, own));
        material.stress.friction = material.friction;
        let hold = |is_dry: bool| if is_dry { Hold::Dry } else { Hold::Bonded };
        set(&mut material.stress.hold, self.dry.map(hold));
        material.fibres = self.fibres.map(|fibres| fibres.own(&material)).or(material.fibres);
        set(&mut material.at_weakest, self.weakest);
        set(&mut material.projection, self.projection.map(ProjectionEntry::own));
        set(&mut material.look.colour, self.colour);
        set(&mut material.look.interior, self.interior);
        set(&mut material.look.roughness, self.roughness);
        if let Some(breaks) = &self.breaks {
            material.breaks = breaks.iter().map(BreakEntry::own).collect::<Result<_, _>>()?;
        }
        if self.pattern.is_some() || self.cells.is_some() || self.radius.is_some() {
            material.breaks = vec![self.one_break(&material)?];
        }
        Ok(material)
    }

    /// One way to break, said in short.
    fn one_break(&self, material: &Material) -> Result<Break, String> {
        let plain = BreakEntry { above: 1.0, pattern: "voronoi".to_owned(), cells: 16, radius: 0.5 };
        let first = material.breaks.first().copied().map_or_else(|| plain.own(), Ok)?;
        let pattern = match &self.pattern {
            Some(kind) => kind.parse().map_err(|e| format!("{e}"))?,
            None => first.pattern,
        };
        let (cells, radius) = (self.cells.unwrap_or(first.cells), self.radius.unwrap_or(first.radius));
        Ok(Break { above: 1.0, pattern, cells, radius })
    }
}

impl FibresEntry {
    /// The fibres. If nothing is said, they run along x and bear the same across.
    fn own(&self, material: &Material) -> Fibres {
        let Strengths { tension, compression, .. } = material.stress;
        let plain = Fibres { direction: DVec3::X, tension, compression };
        let base = material.fibres.unwrap_or(plain);
        let mega = |own: Option<f64>, base: f64| own.map_or(base, |own| own * 1e6);
        Fibres {
            direction: self.direction.map_or(base.direction, DVec3::from_array),
            tension: mega(self.tension, base.tension),
            compression: mega(self.compression, base.compression),
        }
    }
}

impl BreakEntry {
    fn own(&self) -> Result<Break, String> {
        let pattern = self.pattern.parse().map_err(|e| format!("{e}"))?;
        Ok(Break { above: self.above, pattern, cells: self.cells, radius: self.radius })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_of_our_file_is_read() {
        let file: File = toml::from_str(OURS).expect("our file");
        let mut all = Vec::new();
        for (name, value) in &file.material {
            add(&mut all, name, value).unwrap_or_else(|what| panic!("{name}: {what}"));
        }
        assert_eq!(all, Material::table());
        let names: Vec<&str> = all.iter().map(|material| material.name.as_str()).collect();
        assert_eq!(names[..5], ["stone", "concrete", "glass", "wood", "steel"]);
        for wanted in
            ["tempered-glass", "reinforced-concrete", "brick", "marble", "ice", "ceramic", "sheet-metal"]
        {
            assert!(names.contains(&wanted), "{wanted}");
        }
        // What breaks in compression before it does in tension is wood along its grain, and nothing else.
        let odd = all.iter().filter(|m| m.stress.compression < m.stress.tension).map(|m| m.name.as_str());
        assert_eq!(odd.collect::<Vec<_>>(), ["wood"]);
    }

    #[test]
    fn what_is_wrong_is_told() {
        let mut all = Material::table();
        let value = |text: &str| toml::Value::Table(toml::from_str(text).expect("a table"));
        for (text, what) in [
            ("like = \"putty\"", "which is none"),
            ("density = -1", "out of range"),
            ("colour = [2.0, 0.0, 0.0]", "out of range"),
            ("fibres = { direction = [0, 0, 0] }", "out of range"),
            ("fibres = { tension = -1 }", "out of range"),
            ("fibres = { way = 1 }", "way"),
            ("pattern = \"plaid\"", "plaid"),
            ("weight = 3", "weight"),
            ("parting = -1", "out of range"),
            ("projection = \"cells\"", "cells"),
        ] {
            let told = add(&mut all, "odd", &value(text)).expect_err(text);
            assert!(told.contains(what), "{text}: {told}");
        }
        add(&mut all, "stone", &value("density = 3000")).expect("a stone");
        assert_eq!((all[0].density, all.len()), (3000.0, Material::table().len()));
        add(&mut all, "post", &value("like = \"wood\"\nfibres = { direction = [0, 1, 0] }")).expect("a post");
        let [wood, post] = ["wood", "post"].map(|name| all.iter().find(|m| m.name == name).expect(name));
        assert_eq!(post.fibres.map(|fibres| fibres.direction), Some(DVec3::Y));
        assert_eq!(post.fibres.map(|fibres| fibres.tension), wood.fibres.map(|fibres| fibres.tension));
    }
}
