//! Webhooks: where they may point to, how they are signed, how one is sent,
//! and which are told at the same time.
//!
//! What is sent is written in [`routes`], which knows what everybody may see.

pub mod address;
pub mod places;
pub mod routes;
pub mod sender;
pub mod signature;
