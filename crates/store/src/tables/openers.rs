//! The table `openers`.

use sea_orm::entity::prelude::*;

use crate::MatchId;

/// The opener of a match with people that is not over.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "openers")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false, column_name = "match")]
    pub match_id: MatchId,
    pub opener: String,
}

relations!();
