//! Sequential tests of two versions, and the lanes in which uploads become active.

pub mod bounds;
pub mod experiments;
pub mod lanes;
