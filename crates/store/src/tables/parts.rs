//! The table `parts`.

use sea_orm::entity::prelude::*;

use crate::{Json, Timestamp};

/// A part of another arena that was imported.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "parts")]
pub struct Model {
    /// The hash of what it holds.
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: String,
    /// The id of the arena from which it came.
    pub arena: String,
    /// When it was imported.
    pub imported: Timestamp,
    /// How what came is called here.
    pub said: Json,
}

relations!();
