//! Everything that Leitai keeps: accounts, bots, matches, ratings and jobs in a database, sources and replays in a vault.

mod store;
mod vault;

pub use store::{Store, StoreError};
pub use vault::{Vault, VaultError};
