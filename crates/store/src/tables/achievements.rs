//! The table `achievements`.

use sea_orm::entity::prelude::*;

use crate::UserId;

/// What an account has reached.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "achievements")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub user: UserId,
    pub kept: String,
}

relations!();
