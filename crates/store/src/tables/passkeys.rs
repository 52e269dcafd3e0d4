//! The tables `passkeys` and `passkey_challenges`.

use sea_orm::entity::prelude::*;

use crate::{PasskeyId, Timestamp, UserId};

/// A passkey.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "passkeys")]
pub struct Model {
    /// The key of the row.
    #[sea_orm(primary_key)]
    pub id: PasskeyId,
    /// The account.
    pub user: UserId,
    /// What its holder calls it.
    pub name: String,
    /// What the authenticator calls it.
    pub credential: String,
    /// The public key.
    pub key: String,
    /// What changes when it is used, such as the count of its signatures.
    pub state: String,
    /// When it was registered.
    pub created: Timestamp,
    /// When somebody last logged in with it.
    pub used: Option<Timestamp>,
}

relations!();

pub use Model as Passkey;

/// Table of challenges that wait for an answer.
pub(crate) mod challenges {
    use sea_orm::entity::prelude::*;

    use crate::{ChallengeKind, Timestamp, UserId};

    #[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
    #[sea_orm(table_name = "passkey_challenges")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub hash: String,
        pub user: UserId,
        pub kind: ChallengeKind,
        pub state: String,
        pub until: Timestamp,
    }

    relations!();
}

/// What a challenge is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumIter, DeriveActiveEnum)]
#[sea_orm(rs_type = "String", db_type = "Text", rename_all = "kebab-case")]
pub enum ChallengeKind {
    /// Registering a passkey.
    Register,
    /// Logging in with one.
    LogIn,
}
