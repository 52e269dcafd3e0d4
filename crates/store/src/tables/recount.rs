//! The tables `recounts` and `games_read`.

use sea_orm::entity::prelude::*;

use crate::Timestamp;

/// How far a recount is.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "recounts")]
pub struct Model {
    /// `contest 12`; of before copies of a game counted no more also `ladder kob`.
    #[sea_orm(primary_key, auto_increment = false)]
    pub subject: String,
    /// All matches up to here were read: a turn of the ladder, or a match of the contest.
    pub read_to: i64,
    /// Matches that are to be read, as far as they were there when it began.
    pub matches: Option<i64>,
    /// Of these, read.
    pub matches_read: i64,
    /// Of these, without a replay that can be read: they count as they did.
    pub without_replay: i64,
    /// Games, once it is finished.
    pub games: i64,
    /// Of a contest: games that are copies of others; of a ladder: matches that count no more.
    pub copies: i64,
    /// When it was finished.
    pub finished: Option<Timestamp>,
}

relations!();

pub use Model as RecountProgress;

/// Table of the games that were read of a subject that is not finished.
pub(crate) mod games_read {
    use sea_orm::entity::prelude::*;

    use crate::MatchId;

    #[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
    #[sea_orm(table_name = "games_read")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub match_id: MatchId,
        pub subject: String,
        /// Separated by spaces, as in `distinct_games`.
        pub games: String,
    }

    relations!();
}
