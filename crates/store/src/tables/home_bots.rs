//! The tables `home_bots` and `home_matches`.

use sea_orm::entity::prelude::*;

use crate::{HomeBotId, MatchId, Timestamp, TokenHash, UserId};

/// A program that stays on its author's machine: account, game and name say which.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "home_bots")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub id: HomeBotId,
    pub owner: UserId,
    pub game: String,
    pub name: String,
    /// The name in lower case: unique within a game and an account.
    pub folded: String,
    pub protocol: String,
    /// The command that offers it; another one takes its place.
    pub session: String,
    /// The hash of the token with which it takes its seat in the next match.
    pub seat_token: TokenHash,
    /// It is offered until then; its command moves this on.
    pub until: Timestamp,
    /// The match that it was given last.
    pub match_id: Option<MatchId>,
    /// An administrator took it away.
    pub disabled: bool,
    pub created: Timestamp,
    /// Whether its command asks for rated matches.
    pub rated: bool,
    /// It gets no rated match until then, because it did not come to one.
    pub paused: Timestamp,
    /// Its rating on the ladder of programs at home, see `Rating`.
    pub skill: f64,
    pub doubt: f64,
    pub wins: i64,
    pub draws: i64,
    pub losses: i64,
    /// When it last began a rated match.
    pub played: Option<Timestamp>,
}

relations!(Owner: Owner = users.Id);

/// Table of rated matches of programs at home.
pub(crate) mod rated {
    use sea_orm::entity::prelude::*;

    use crate::{HomeBotId, MatchId};

    #[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
    #[sea_orm(table_name = "home_matches")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub match_id: MatchId,
        pub game: String,
        pub a_program: Option<HomeBotId>,
        pub b_program: Option<HomeBotId>,
        /// The rating of the built-in bot on the other side, which this match does not change.
        pub anchor_skill: Option<f64>,
        pub anchor_doubt: Option<f64>,
        /// Whether it was looked at after its end.
        pub counted: bool,
    }

    relations!(Match: MatchId = matches.Id);
}
