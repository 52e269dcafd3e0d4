//! The blob store of sources and replays, and which blobs nobody needs any more.

pub mod blobs;
pub mod discards;
