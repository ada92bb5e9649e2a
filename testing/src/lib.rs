//! Fixtures, generators and assertions that all tests and benches share.
//!
//! [`fixtures`] are solids made from numbers, [`adversarial`] makes the cases that break cutters,
//! [`assertions`] name the culprit when they fail, [`state_hash`] pins results to the bit, [`models`] finds
//! real scans where they are, [`subjects`] has a stand-in where they are not, [`seeds`] puts points inside
//! solids, and [`soundness`] checks all that must hold after a fracture. [`damage`] breaks meshes, [`unchecked`] writes them as they
//! are, and [`commands`] sends them through the program.

pub mod adversarial;
pub mod assertions;
pub mod chance;
pub mod commands;
pub mod damage;
pub mod distance;
pub mod fixtures;
pub mod models;
pub mod seeds;
pub mod soundness;
pub mod state_hash;
pub mod subjects;
pub mod table;
pub mod unchecked;
