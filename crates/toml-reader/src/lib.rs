//! Reads a document that a person wrote in TOML, such as a contest's file or `game.toml`, and
//! collects every problem instead of stopping at the first.
//!
//! | module | noun |
//! |---|---|
//! | [`problem`] | one thing that is wrong: line, what, cure, in both languages |
//! | [`table`] | the document and its tables, read key by key |

#![cfg_attr(not(test), warn(clippy::too_many_lines))]

pub mod problem;
pub mod table;
