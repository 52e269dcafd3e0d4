//! Matches, from their creation to the removal of their replays.

pub mod analyses;
pub(crate) mod finished;
pub(crate) mod hidden;
pub mod home_bots;
pub mod home_ladder;
pub mod invites;
pub(crate) mod legs;
pub(crate) mod lobby;
pub mod match_tags;
pub mod matches;
pub mod new_match;
pub(crate) mod openers;
pub mod partings;
pub mod result;
pub mod retention;
