//! Access to an arena elsewhere from the command line.
//!
//! | module | noun |
//! |---|---|
//! | [`account`] | the login |
//! | [`api`] | requests and refusals |
//! | [`pack`] | a program as one file for uploading |

pub mod account;
pub mod api;
pub mod pack;

pub use account::{ReadingLogin, SavedLogin};
pub use api::ArenaClient;
