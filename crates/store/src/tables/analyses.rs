//! The table `analyses`.

use sea_orm::entity::prelude::*;

use crate::{MatchId, Timestamp};

/// The analysis of a finished match: made, or being made by a server.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "analyses")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false, column_name = "match")]
    pub match_id: MatchId,
    /// The key of the replay that it is made from.
    pub replay: String,
    /// The version of the analysis that makes it.
    pub version: String,
    /// The key of its blob, once it is made.
    pub blob: Option<String>,
    /// Thousandths that are done; less than 0: it failed.
    pub done: i32,
    /// Who makes it: a secret of this attempt.
    pub holder: String,
    /// When it was made, or its maker was last heard of.
    pub at: Timestamp,
}

relations!();
