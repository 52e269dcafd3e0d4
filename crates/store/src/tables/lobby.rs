//! The table `lobby`.

use sea_orm::entity::prelude::*;

use crate::{MatchId, Timestamp};

/// A table.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "lobby")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false, column_name = "match")]
    pub match_id: MatchId,
    pub server: String,
    pub until: Timestamp,
}

relations!();
