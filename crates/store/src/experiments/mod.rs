//! Sequential tests of versions, the lanes in which uploads become active, pinned moments and
//! situation packs.

pub mod bounds;
pub mod experiments;
pub mod lanes;
pub mod pins;
pub mod situations;
