//! The table `known_browsers`.

use sea_orm::entity::prelude::*;

use crate::{Timestamp, UserId};

/// A browser that has logged in to an account.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "known_browsers")]
pub struct Model {
    /// The hash of the browser's cookie.
    #[sea_orm(primary_key, auto_increment = false)]
    pub hash: String,
    /// The account.
    #[sea_orm(primary_key, auto_increment = false)]
    pub user: UserId,
    /// Until when it is known.
    pub until: Timestamp,
}

relations!();
