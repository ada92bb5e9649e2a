//! Fracture modes with strain, as in Sellán et al. 2022 before their shortcut of Section 3.7: triangles that share no corner, the full energy
//! E = ½ uᵀQu + ω E_D of Equation 6, and a conic solver by others. For the sweep of Figure 12, by a test and an example.
//!
//! Departures: the quadratic term goes to the solver as it is, not as a cone; motions of the shape as a whole are locked from the start; a heading
//! stays when it turns by less than 10⁻⁵, not 10⁻¹⁰.
#![allow(dead_code, reason = "the test and the example use some of it each")]

mod dense;
pub mod energy;
pub mod mesh;
pub mod mode;
mod programme;
pub mod spectrum;
