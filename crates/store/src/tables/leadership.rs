//! The table `leadership`.

use sea_orm::entity::prelude::*;

use crate::Timestamp;

/// The one row.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "leadership")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: i32,
    pub holder: String,
    pub until: Timestamp,
}

relations!();
