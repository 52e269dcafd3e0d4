//! The table `health`.

use sea_orm::entity::prelude::*;

use crate::Timestamp;

/// When it was written last.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "health")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: i32,
    pub at: Timestamp,
}

relations!();
