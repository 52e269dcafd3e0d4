//! Sequential tests of versions, the lanes in which uploads become active, and pinned moments.

pub mod bounds;
pub mod experiments;
pub mod lanes;
pub mod pins;
