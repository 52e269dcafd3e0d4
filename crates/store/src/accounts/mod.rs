//! Accounts, their names, and how people prove who they are.

pub(crate) mod account_holdings;
pub mod freed_names;
pub mod identities;
pub mod known_browsers;
pub(crate) mod passkey_rows;
pub mod passkeys;
pub(crate) mod password_resets;
pub mod second_factors;
pub mod sessions;
pub mod signing_keys;
pub mod tokens;
pub mod users;
