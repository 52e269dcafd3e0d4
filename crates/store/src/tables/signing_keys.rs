//! The table `signing_keys`.

use sea_orm::entity::prelude::*;

use crate::Timestamp;

/// A pair of keys.
#[derive(Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "signing_keys")]
pub struct Model {
    /// In the order in which they were made.
    #[sea_orm(primary_key)]
    pub id: i64,
    /// The public key: 64 hexadecimal digits.
    pub public: String,
    /// The private key, as its maker wrote it.
    pub secret: String,
    /// The arena's address when it signed last, if it had one.
    pub arena: Option<String>,
    /// When it was made.
    pub created: Timestamp,
    /// Since when a newer one signs.
    pub retired: Option<Timestamp>,
    /// Since when nobody is to trust its signatures.
    pub revoked: Option<Timestamp>,
    /// Why it was revoked.
    pub why: Option<String>,
}

relations!();

pub use Model as SigningKey;
