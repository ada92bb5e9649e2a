//! Fragments as a GLB scene, or as the objects of an OBJ.

use serde_json::{Value, json};
use smithereens::{Bond, Compound, Mesh, Slot};
use smithereens_formats::{GlbNode, GlbScene, Material, Model, Object};

use crate::drawn::Drawn;

/// One node a fragment, with its centre as origin.
pub fn glb(drawn: &[Drawn], compounds: &[&Compound], materials: &[Material], density: f64) -> GlbScene {
    let node = |(drawn, compound): (&Drawn, &&Compound)| GlbNode {
        name: drawn.name.clone(),
        translation: drawn.place,
        primitives: drawn.primitives.clone(),
        extras: extras(compound, density),
        ..GlbNode::default()
    };
    let nodes = drawn.iter().zip(compounds).map(node).collect();
    let extras = json!({ "density": density });
    GlbScene { nodes, materials: materials.to_vec(), extras }
}

fn extras(compound: &Compound, density: f64) -> Value {
    let mass = compound.mass();
    json!({
        "volume": mass.volume,
        "mass": mass.volume * density,
        "center": mass.center.to_array(),
        "pieces": compound.pieces().len(),
        "bonds": compound.bonds().iter().map(|b| bond(compound, b)).collect::<Vec<_>>(),
    })
}

fn bond(compound: &Compound, bond: &Bond) -> Value {
    json!({
        "a": bond.a,
        "b": bond.b,
        "area": bond.area,
        "centroid": bond.centroid.to_array(),
        "normal": compound.plane_of(bond).map(|plane| plane.normal.to_array()),
    })
}

/// One object a fragment. The last material is that of the interior.
pub fn model(drawn: &[Drawn], materials: &[Material]) -> Model {
    let mut model = Model { materials: materials.to_vec(), ..Model::default() };
    for fragment in drawn.iter().filter(|d| !d.mesh.faces.is_empty()) {
        let start = model.mesh.faces.len();
        let mut mesh: Mesh = fragment.mesh.clone();
        mesh.positions.iter_mut().for_each(|p| *p += fragment.place);
        for face in mesh.faces.iter_mut().filter(|f| f.slot == Slot::INTERIOR) {
            face.slot = Slot(materials.len() as u32 - 1);
        }
        model.mesh.append(&mesh);
        model.objects.push(Object { name: fragment.name.clone(), faces: start..model.mesh.faces.len() });
    }
    model
}
