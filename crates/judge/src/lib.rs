//! Turns what contestants hand in into running programs, and judges the matches between them.
//!
//! | module | noun |
//! |---|---|
//! | [`build`] | from a path to a program that can be started |

pub mod build;
