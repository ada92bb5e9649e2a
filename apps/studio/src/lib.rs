//! Destruction to play with, in a window or in a browser.
//!
//! ```text
//! pointer ──tool──▶ Sandbox ──step──▶ World ──paint──▶ canvas
//! ```
//!
//! A [`Studio`] is the shell, and shows one room at a time. The [`flat::Sandbox`] is the room for two dimensions: Karo & Yu, *Fracture Simulation via Convex
//! Decomposition in Two Dimensions*, section 4.3. The same code runs natively (`main.rs`) and in a page (`web.rs`); `web/build` makes that.

pub mod flat;
mod studio;
#[cfg(target_arch = "wasm32")]
mod web;

pub use studio::Studio;
