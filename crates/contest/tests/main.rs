//! Tests of contest files and dry runs.

mod dry_run;
mod file;
#[path = "../../server/tests/kit/table.rs"]
mod table;
mod unit;
