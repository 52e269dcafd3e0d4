//! The table `discards`.

use sea_orm::entity::prelude::*;

use crate::Timestamp;

/// A blob to be removed.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "discards")]
pub struct Model {
    /// The blob's key.
    #[sea_orm(primary_key, auto_increment = false)]
    pub key: String,
    /// The earliest time of removal.
    pub after: Timestamp,
    /// A server is removing the blob: no row may refer to it any more.
    pub claimed: bool,
}

relations!();
