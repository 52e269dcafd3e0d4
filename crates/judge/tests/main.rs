//! The tests of the judge in one binary, so that the workspace links less. `isolation.rs` is a
//! binary of its own.

mod build;
mod forced_replies;
mod libraries;
mod referee;
#[path = "../../server/tests/kit/table.rs"]
mod table;
