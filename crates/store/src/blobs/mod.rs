//! The blob store of sources, replays and game files, and which blobs nobody needs any more.

pub mod blobs;
pub mod discards;
