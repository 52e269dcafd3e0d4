//! Screens in the terminal.
pub mod show;
