//! The table `recorded_legs`.

use sea_orm::entity::prelude::*;

use crate::MatchId;

#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "recorded_legs")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub match_id: MatchId,
    #[sea_orm(primary_key, auto_increment = false)]
    pub leg: i32,
    pub record: String,
}

relations!();
