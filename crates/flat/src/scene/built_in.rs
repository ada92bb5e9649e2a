//! The scenes that come with the library.

/// A scene that comes with the library.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BuiltIn {
    /// What it is called.
    pub name: &'static str,
    /// What it shows, in a line.
    pub about: &'static str,
    /// Its text.
    pub text: &'static str,
}

/// All scenes of `scenes/flat`: the text, and what its first line says.
///
/// ```
/// use smithereens_flat::scene::{Scene, built_in};
/// for scene in built_in() {
///     assert_eq!(Scene::read(scene.text)?.about, scene.about);
/// }
/// # Ok::<(), smithereens_flat::scene::SceneError>(())
/// ```
pub fn built_in() -> &'static [BuiltIn] {
    &SCENES
}

macro_rules! scenes {
    ($($name:literal $about:literal)*) => {
        [$(BuiltIn {
            name: $name,
            about: $about,
            text: include_str!(concat!("../../../../scenes/flat/", $name, ".toml")),
        }),*]
    };
}

const SCENES: [BuiltIn; 9] = scenes! {
    "playground" "Something of everything, to break"
    "pane" "A pane of glass, shot and then hit: cracks run out from there"
    "wall" "A wall of loose bricks, shot twice, and then a boulder"
    "arch" "An arch of stones that bears a load, until its keystone is hit"
    "bridge" "A bridge that carries three blocks, but not one more"
    "blob" "Shapes with holes fall on each other"
    "nature" "Shapes that break where they are weak: a dumbbell at its neck, a fork at its tines, a cup at its handle"
    "key" "One shape, struck in three places: it breaks where it is weak, and where it was hit"
    "figure-1" "As in Figure 1 of the paper: shapes of points and of chains, a drawn pattern, a click, and a projectile"
};
