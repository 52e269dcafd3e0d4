//! Sequential tests of versions, the lanes in which uploads become active, pinned moments,
//! situation packs and position books.

pub mod books;
pub mod bounds;
pub mod experiments;
pub mod lanes;
pub mod pins;
pub mod situations;
