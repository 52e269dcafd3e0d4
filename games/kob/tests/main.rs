//! The tests of this crate in one binary, so that the workspace links less.

mod bots;
mod conformance;
mod formats;
mod golden;
mod long;
mod properties;
mod rules;
#[path = "../../../crates/server/tests/kit/table.rs"]
mod table;
mod under_load;
mod unit;
