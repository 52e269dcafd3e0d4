//! Contests: their entries, stages and matches, and whom their files name.

pub(crate) mod contest_changes;
pub mod contest_names;
pub(crate) mod contest_people;
pub mod contests;
