//! Rigid nodes and the joints between them.

use glam::{DMat3, DVec3};

use crate::{Material, Section, StressError};

/// Rigid nodes and elastic joints between them: what goes in.
///
/// ```
/// use glam::DVec3;
/// use smithereens_stress::{Joint, Material, Node, Section, Stress, Structure};
/// // A weight of 1,000 kg that hangs from a rod of 10 by 10 centimetres.
/// let rod = Section::rectangle(DVec3::X * 0.1, DVec3::Z * 0.1);
/// let structure = Structure {
///     nodes: vec![Node::held(DVec3::ZERO), Node::free(DVec3::NEG_Y, 1000.0)],
///     joints: vec![Joint::new(0, 1, DVec3::new(0.0, -0.5, 0.0), DVec3::NEG_Y, rod)],
///     materials: vec![Material::wood()],
/// };
/// let mut stress = Stress::new(structure)?;
/// stress.set_gravity(DVec3::NEG_Y * 10.0)?;
/// stress.solve();
/// assert!((stress.forces(0).unwrap().normal - 10_000.0).abs() < 1e-6); // newtons of tension
/// # Ok::<(), smithereens_stress::StressError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Structure {
    /// The pieces.
    pub nodes: Vec<Node>,
    /// What holds them together.
    pub joints: Vec<Joint>,
    /// What joints are made of.
    pub materials: Vec<Material>,
}

/// A rigid piece.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Node {
    /// Its centre of mass, in metres.
    pub centre: DVec3,
    /// Its mass, in kilograms. A held node needs none.
    pub mass: f64,
    /// Its inertia about the centre, in kg·m². It counts only where nothing is held; zero is a point.
    pub inertia: DMat3,
    /// Whether it can move.
    pub support: Support,
}

/// Whether a node can move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Support {
    /// It can: joints alone hold it.
    #[default]
    Free,
    /// It cannot: the ground, or what is fixed to it.
    Held,
}

impl Node {
    /// A node that joints alone hold.
    pub const fn free(centre: DVec3, mass: f64) -> Node {
        Node { centre, mass, inertia: DMat3::ZERO, support: Support::Free }
    }

    /// A node that cannot move.
    pub const fn held(centre: DVec3) -> Node {
        Node { centre, mass: 0.0, inertia: DMat3::ZERO, support: Support::Held }
    }

    /// A box of a density, with its inertia.
    pub fn boxed(centre: DVec3, size: DVec3, density: f64) -> Node {
        let mass = size.element_product() * density;
        let (x, y, z) = (size.x * size.x, size.y * size.y, size.z * size.z);
        let inertia = DMat3::from_diagonal(DVec3::new(y + z, x + z, x + y) * (mass / 12.0));
        Node { inertia, ..Node::free(centre, mass) }
    }

    /// Whether it cannot move.
    pub fn is_held(&self) -> bool {
        self.support == Support::Held
    }
}

/// What holds two nodes together: a part of a plane.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Joint {
    /// The node behind the plane.
    pub a: u32,
    /// The node in front of it.
    pub b: u32,
    /// The centroid of the section, in metres.
    pub point: DVec3,
    /// The plane's normal, from `a` to `b`, of any length.
    pub normal: DVec3,
    /// The part of the plane.
    pub section: Section,
    /// The index of its material.
    pub material: u32,
}

impl Joint {
    /// A joint of the first material.
    pub const fn new(a: u32, b: u32, point: DVec3, normal: DVec3, section: Section) -> Joint {
        Joint { a, b, point, normal, section, material: 0 }
    }
}

impl Structure {
    /// Says what is wrong with it.
    pub fn check(&self) -> Result<(), StressError> {
        if u32::try_from(self.nodes.len().max(self.joints.len())).is_err() {
            return Err(StressError::TooMany);
        }
        for (index, material) in (0..).zip(&self.materials) {
            if let Some(what) = material.fault() {
                return Err(StressError::Material { material: index, what });
            }
        }
        (0..).zip(&self.nodes).try_for_each(|(index, node)| check_node(index, node))?;
        (0..).zip(&self.joints).try_for_each(|(index, joint)| self.check_joint(index, joint))
    }

    fn check_joint(&self, joint: u32, j: &Joint) -> Result<(), StressError> {
        let (nodes, materials) = (self.nodes.len() as u32, self.materials.len() as u32);
        if let Some(&node) = [j.a, j.b].iter().find(|&&n| n >= nodes) {
            return Err(StressError::NoSuchNode { joint, node, nodes });
        }
        if j.a == j.b {
            return Err(StressError::JoinsItself { joint, node: j.a });
        }
        if j.material >= materials {
            return Err(StressError::NoSuchMaterial { joint, material: j.material, materials });
        }
        let section = &j.section;
        if !(j.point.is_finite() && j.normal.is_finite() && section.is_finite()) {
            return Err(StressError::JointNotFinite(joint));
        }
        if section.area <= 0.0 {
            return Err(StressError::NoArea(joint));
        }
        if j.normal.try_normalize().is_none() {
            return Err(StressError::NoNormal(joint));
        }
        let diagonal = section.second.to_cols_array();
        if [0, 4, 8].iter().any(|&at| diagonal[at] < 0.0) {
            return Err(StressError::NegativeMoments(joint));
        }
        Ok(())
    }
}

fn check_node(index: u32, node: &Node) -> Result<(), StressError> {
    if !(node.centre.is_finite() && node.mass.is_finite() && node.inertia.is_finite()) {
        return Err(StressError::NodeNotFinite(index));
    }
    if node.mass <= 0.0 && !node.is_held() {
        return Err(StressError::NoMass(index));
    }
    Ok(())
}
