//! The program, run as users run it.

mod bad_input;
mod damaged;
mod demo;
mod flat;
mod modes;
mod overlaps;
mod prepare;
mod shatter;
mod simulate;
mod voxels;
mod workshop;
