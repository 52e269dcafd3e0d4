//! Accounts: names, passwords, tokens, rate limits. The routes are in [`crate::http`].
//!
//! | module | content |
//! |---|---|
//! | [`names`] | which names accounts and bots may have |
//! | [`one_time`] | codes that are printed and used once |
//! | [`member_list`] | lists of members as CSV |
//! | [`password`] | argon2id, a few at a time |
//! | [`passkey`] | passkeys: what a browser is asked, and whether its answer is right |
//! | [`second_factor`] | codes of authenticator apps, recovery codes |
//! | [`secret`] | tokens that are sent once and stored as their SHA-256 |
//! | [`rate_limits`] | how often an address or an account may do something |
//! | [`create`] | accounts that are opened from the command line |
//! | [`error`] | why something is refused |

pub mod create;
pub mod error;
pub mod member_list;
pub mod names;
pub mod one_time;
pub mod passkey;
pub mod password;
pub mod rate_limits;
pub mod second_factor;
pub mod secret;

pub use create::create_account;
pub use error::AccountError;
pub use rate_limits::RateLimiters;
