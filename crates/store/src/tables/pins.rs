//! The table `pins`.

use sea_orm::entity::prelude::*;
use serde::{Deserialize, Serialize};

use crate::{BotId, Json, MatchId, PinId, Timestamp};

/// A moment of a match in which a bot made a mistake that its next versions must not make.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, DeriveEntityModel)]
#[sea_orm(table_name = "pins")]
pub struct Model {
    /// The key.
    #[sea_orm(primary_key)]
    pub id: PinId,
    /// The bot that made it.
    pub bot: BotId,
    /// The match.
    pub match_id: MatchId,
    /// The leg, from 1.
    pub leg: i32,
    /// The round.
    pub round: i32,
    /// Who of the match the bot was: 0 for A, 1 for B.
    pub entrant: i32,
    /// The mistake: its replies in that round, in notation.
    pub played: Json,
    /// Why it is one, in the author's words.
    pub why: String,
    /// When it was pinned.
    #[serde(skip)]
    pub created: Timestamp,
}

relations!();

pub use Model as Pin;
