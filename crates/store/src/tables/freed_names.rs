//! The table `freed_names`.

use sea_orm::entity::prelude::*;

use crate::Timestamp;

/// A name that was given up.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "freed_names")]
pub struct Model {
    /// The hash of its kind and of the name in lower case, or of its skeleton.
    #[sea_orm(primary_key, auto_increment = false)]
    pub hash: String,
    /// The key of the account or group that had it, which may take it again.
    pub owner: i64,
    /// When it was given up.
    pub freed: Timestamp,
}

relations!();
