//! Tests of contest files and dry runs.

mod dry_run;
mod file;
mod unit;
