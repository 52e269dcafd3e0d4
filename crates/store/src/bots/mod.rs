//! Bots, their uploads, and what their authors may use.

pub mod bots;
pub(crate) mod counted_actions;
pub mod quota;
pub mod rests;
pub mod versions;
