//! What is kept about a person and given to that person, what is deleted, and the names that are erased
//! from replays.

pub mod deletion;
pub mod erasure;
pub mod personal_data;
