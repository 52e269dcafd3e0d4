//! The table `rates`.

use sea_orm::entity::prelude::*;

use crate::Timestamp;

/// A key that acted lately.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "rates")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub key: String,
    pub paid_until: Timestamp,
}

relations!();
