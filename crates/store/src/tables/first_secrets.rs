//! The table `first_secrets`.

use sea_orm::entity::prelude::*;

/// A secret, by its hash.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "first_secrets")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub hash: String,
}

relations!();
