//! What is wrong with a structure.

use thiserror::Error;

/// Why a structure or a load cannot be taken.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum StressError {
    /// A node's centre, mass or inertia is not a number or infinite.
    #[error("node {0} has a centre, mass or inertia that is not finite: give it numbers")]
    NodeNotFinite(u32),
    /// A free node weighs nothing or less.
    #[error("node {0} has no mass: give it one, or hold it")]
    NoMass(u32),
    /// A joint names a node that is not there.
    #[error("joint {joint} names node {node}, but there are {nodes}")]
    NoSuchNode {
        /// The joint.
        joint: u32,
        /// What it names.
        node: u32,
        /// How many nodes there are.
        nodes: u32,
    },
    /// A joint joins a node to itself.
    #[error("joint {joint} borders node {node} on both sides: remove it")]
    JoinsItself {
        /// The joint.
        joint: u32,
        /// The node.
        node: u32,
    },
    /// A joint's point, normal or section is not a number or infinite.
    #[error("joint {0} has a point, normal or section that is not finite: give it numbers")]
    JointNotFinite(u32),
    /// A joint has no area.
    #[error("joint {0} has no area: remove it")]
    NoArea(u32),
    /// A joint's normal is zero.
    #[error("joint {0} has no normal: give the direction from one node to the other")]
    NoNormal(u32),
    /// A joint's second moments are negative.
    #[error("joint {0} has negative second moments: they are integrals of squares")]
    NegativeMoments(u32),
    /// A joint's material is not in the list.
    #[error("joint {joint} is of material {material}, but there are {materials}")]
    NoSuchMaterial {
        /// The joint.
        joint: u32,
        /// What it names.
        material: u32,
        /// How many materials there are.
        materials: u32,
    },
    /// A material has a number out of range.
    #[error("material {material}: {what}")]
    Material {
        /// The material.
        material: u32,
        /// Which number, and what it must be.
        what: &'static str,
    },
    /// A load is on a node that is not there.
    #[error("a load is on node {node}, but there are {nodes}")]
    LoadOnNothing {
        /// The node.
        node: u32,
        /// How many there are.
        nodes: u32,
    },
    /// A load or gravity is not a number or infinite.
    #[error("the load on node {0} is not finite: give it numbers")]
    LoadNotFinite(u32),
    /// Gravity is not a number or infinite.
    #[error("gravity is not finite: give it numbers")]
    GravityNotFinite,
    /// A joint that is to be removed is not there.
    #[error("joint {joint} is not there: there were {joints}, some are broken")]
    NoSuchJoint {
        /// The joint.
        joint: u32,
        /// How many there were.
        joints: u32,
    },
    /// More nodes or joints than can be counted.
    #[error("there are more than four billion nodes or joints")]
    TooMany,
}
