//! Who stands where.

use leitai_ladder::bradley_terry::Measured;
use leitai_ladder::weng_lin::Rating;
use sea_orm::FromJsonQueryResult;
use sea_orm::entity::prelude::*;
use serde::{Deserialize, Serialize};

use crate::{Ask, BotBrief, BotId, Page, Store, StoreError, Timestamp};

/// What a bot has done on its ladder.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "ladder")]
pub struct Model {
    /// Who.
    #[sea_orm(primary_key, auto_increment = false)]
    pub bot: BotId,
    /// The game's id.
    pub game: String,
    /// Whether it is shown and paired: it has an active version and is neither retired nor disabled.
    pub listed: bool,
    /// See [`Rating::skill`].
    pub skill: f64,
    /// See [`Rating::doubt`].
    pub doubt: f64,
    /// Rated matches.
    pub games: i64,
    /// Won.
    pub wins: i64,
    /// Drawn.
    pub draws: i64,
    /// Lost.
    pub losses: i64,
    /// Faults made in rated matches.
    pub faults: i64,
    /// The longest period in a rated match, in microseconds.
    pub longest_us: Option<i64>,
    /// At which pick of the game it was last paired; nothing for a newcomer.
    pub picked: Option<i64>,
    /// When it last played.
    pub played: Option<Timestamp>,
    /// The last ratings as shown, oldest first.
    pub trend: Trend,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}

pub use Model as Standing;

/// The last ratings as shown, oldest first.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, FromJsonQueryResult)]
pub struct Trend(pub Vec<f64>);

impl Model {
    /// Skill and doubt.
    pub fn rating(&self) -> Rating {
        Rating { skill: self.skill, doubt: self.doubt }
    }
}

/// A row of the ladder as people see it.
#[derive(Clone, Debug, PartialEq)]
pub struct LadderRow {
    /// Best and worst place, with a confidence of 95 %: only those who are surely better stand before it.
    pub rank: [u32; 2],
    /// Who.
    pub bot: BotBrief,
    /// What it has done.
    pub standing: Standing,
    /// On the scale that people know.
    pub rating: Measured,
}

impl Store {
    /// The ladder of a game, best first.
    pub async fn ladder(&self, game: &str, ask: &Ask) -> Result<Page<LadderRow>, StoreError> {
        let _ = (game, ask);
        todo!()
    }

    /// What a bot has done; nothing before its first version was activated.
    pub async fn standing(&self, bot: BotId) -> Result<Option<Standing>, StoreError> {
        let _ = bot;
        todo!()
    }

    /// How many bots stand on a ladder.
    pub async fn ladder_size(&self, game: &str) -> Result<u64, StoreError> {
        let _ = game;
        todo!()
    }
}
