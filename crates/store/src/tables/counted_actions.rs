//! The table `counted_actions`.

use sea_orm::entity::prelude::*;

use crate::{MatchId, Timestamp, UserId};

/// What is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumIter, DeriveActiveEnum)]
#[sea_orm(rs_type = "String", db_type = "Text", rename_all = "kebab-case")]
pub enum CountedKind {
    Upload,
    Friendly,
    /// A check of a game file.
    GameCheck,
}

/// Something that a person did.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "counted_actions")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub id: i64,
    pub user: UserId,
    pub kind: CountedKind,
    pub at: Timestamp,
    /// The friendly match.
    pub match_id: Option<MatchId>,
    /// The CPU time of its programs in microseconds, once it is over.
    pub cpu_us: Option<i64>,
}

relations!(Match: MatchId = matches.Id);
