//! What is deleted, and the names that are erased from replays.

pub mod deletion;
pub mod erasure;
