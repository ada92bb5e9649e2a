//! The program, run as users run it.

mod bad_input;
mod demo;
mod shatter;
mod workshop;
