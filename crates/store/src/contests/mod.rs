//! Contests: their entries, stages and matches, whom their files name, and the packs that come with them.

pub(crate) mod contest_changes;
pub mod contest_names;
pub mod contest_packs;
pub(crate) mod contest_people;
pub mod contests;
