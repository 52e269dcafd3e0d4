//! The tests of this crate in one binary, so that the workspace links less.

mod champion;
mod conformance;
mod golden;
mod long;
mod properties;
#[path = "../../../crates/server/tests/kit/table.rs"]
mod table;
#[path = "../../kob/tests/under_load.rs"]
mod under_load;
mod unit;
