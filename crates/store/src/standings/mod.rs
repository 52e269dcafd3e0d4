//! The rows of bots on their ladders, and the order of their changes.

pub(crate) mod rating_turns;
pub(crate) mod standings;
