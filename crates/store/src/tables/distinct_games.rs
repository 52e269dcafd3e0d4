//! The table `distinct_games`.

use sea_orm::entity::prelude::*;

use crate::{LadderId, MatchId};

#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "distinct_games")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub ladder: LadderId,
    /// The versions in the first and in the second seat, and the game.
    #[sea_orm(primary_key, auto_increment = false)]
    pub game: String,
    /// The match in which it counted.
    pub match_id: MatchId,
}

relations!();
