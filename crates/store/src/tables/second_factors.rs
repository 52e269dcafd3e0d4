//! The tables `second_factors` and `recovery_codes`.

use sea_orm::entity::prelude::*;

use crate::{Timestamp, UserId};

/// The second factor of an account.
#[derive(Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "second_factors")]
pub struct Model {
    /// The account.
    #[sea_orm(primary_key, auto_increment = false)]
    pub user: UserId,
    /// The secret of the authenticator app, in Base32.
    pub secret: String,
    /// When it was made.
    pub created: Timestamp,
    /// When a code confirmed it; `None`: it does not count yet.
    pub confirmed: Option<Timestamp>,
    /// The time step of the last code that was taken.
    pub step: i64,
}

relations!();

pub use Model as SecondFactor;

/// Table of recovery codes that were not used.
pub(crate) mod codes {
    use sea_orm::entity::prelude::*;

    use crate::UserId;

    #[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
    #[sea_orm(table_name = "recovery_codes")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub user: UserId,
        #[sea_orm(primary_key, auto_increment = false)]
        pub hash: String,
    }

    relations!();
}
