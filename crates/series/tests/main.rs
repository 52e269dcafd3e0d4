//! Series as a library, with built-in bots in the test's process, or with results that are made up.

mod comparison;
mod elo;
mod injected;
mod rating;
mod repeats;
mod situations;
#[path = "../../server/tests/kit/table.rs"]
mod table;
mod tuning;
