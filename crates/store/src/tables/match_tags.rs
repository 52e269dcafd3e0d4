//! The tables `match_tags` and `match_askers`.

use sea_orm::entity::prelude::*;

use crate::MatchId;

/// A tag of a match.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "match_tags")]
pub struct Model {
    /// The tag.
    #[sea_orm(primary_key, auto_increment = false)]
    pub tag: String,
    /// The match.
    #[sea_orm(primary_key, auto_increment = false)]
    pub match_id: MatchId,
}

relations!(Match: MatchId = matches.Id);

/// Who asked for a friendly match.
pub(crate) mod askers {
    use sea_orm::entity::prelude::*;

    use crate::{MatchId, UserId};

    #[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
    #[sea_orm(table_name = "match_askers")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub match_id: MatchId,
        pub user: UserId,
    }

    relations!();
}
