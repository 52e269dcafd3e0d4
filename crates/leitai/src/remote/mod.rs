//! An arena elsewhere, as its users reach it from the command line.
//!
//! | module | noun |
//! |---|---|
//! | [`account`] | who is logged in, and where |
//! | [`api`] | requests and refusals |
//! | [`pack`] | a program as one file to send |

pub mod account;
pub mod api;
pub mod pack;

pub use account::{ReadingLogin, SavedLogin};
pub use api::ArenaClient;
