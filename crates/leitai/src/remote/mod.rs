//! Access to an arena elsewhere from the command line.
//!
//! | module | noun |
//! |---|---|
//! | [`account`] | the login |
//! | [`api`] | requests and refusals |
//! | [`ladder_bots`] | bots of a ladder that others may fetch |
//! | [`mod@matches`] | the matches of a series, played there |
//! | [`pack`] | a program as one file for uploading |

pub mod account;
pub mod api;
pub mod ladder_bots;
pub mod matches;
pub mod pack;

pub use account::{ReadingLogin, SavedLogin};
pub use api::ArenaClient;
