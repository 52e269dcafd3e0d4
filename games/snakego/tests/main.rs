//! The tests of this crate in one binary, so that the workspace links less.

mod bots;
mod conformance;
mod corpus;
mod golden;
mod official;
mod properties;
mod reference;
mod rules;
#[path = "../../../crates/server/tests/kit/table.rs"]
mod table;
mod unit;
mod weird;
