//! Bots, their uploads, and what their authors may use.

pub mod bots;
pub(crate) mod built_in;
pub(crate) mod counted_actions;
pub(crate) mod living;
pub mod member_quota;
pub mod quota;
pub mod versions;
