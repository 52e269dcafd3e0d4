//! The table `identity`.

use sea_orm::entity::prelude::*;

/// The one row.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "identity")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: i32,
    pub arena: String,
}

relations!();
