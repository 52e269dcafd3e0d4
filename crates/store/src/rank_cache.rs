//! Places on a ladder, with their uncertainty, kept ready.
//!
//! A place depends on the whole ladder, so that a page cannot compute it from its rows. All places
//! of a game are computed at once when the ladder's turn is no longer the one they were computed
//! for, aside from the other work, and by one of those who ask. On a long ladder, where that takes
//! long and something changes all the time, places may be up to a second old.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use leitai_ladder::weng_lin::{self, Rating};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QuerySelect};

use crate::ladder::{Column, Entity};
use crate::{BotId, Store, StoreError, rating_turns};

/// Only those who are better with this confidence stand before a bot for sure.
pub const CONFIDENCE: f64 = 0.95;

/// How old the places of a long ladder may be.
const OLD: Duration = Duration::from_secs(1);
/// How many bots make a ladder long.
const LONG: usize = 1000;

/// The places of every ladder.
#[derive(Debug, Default)]
pub(crate) struct RankCache {
    kept: Mutex<HashMap<String, Arc<LadderRanks>>>,
    /// Held by the one who computes.
    computing: tokio::sync::Mutex<()>,
}

/// The places of one ladder.
#[derive(Debug)]
pub(crate) struct LadderRanks {
    turn: i64,
    computed: Instant,
    places: HashMap<BotId, [u32; 2]>,
}

impl LadderRanks {
    /// Of a bot; a bot that came this moment may stand anywhere.
    pub fn of(&self, bot: BotId) -> [u32; 2] {
        let anywhere = [1, self.places.len().max(1) as u32];
        self.places.get(&bot).copied().unwrap_or(anywhere)
    }

    fn is_current(&self, turn: i64) -> bool {
        self.turn >= turn || (self.places.len() >= LONG && self.computed.elapsed() < OLD)
    }
}

impl Store {
    /// Best and worst place of a bot on its ladder; nothing if it is not listed.
    pub async fn rank_of(&self, bot: BotId) -> Result<Option<[u32; 2]>, StoreError> {
        let Some(standing) = self
            .find_standing(bot)
            .await?
            .filter(|standing| standing.listed)
        else {
            return Ok(None);
        };
        Ok(Some(self.ladder_ranks(&standing.game).await?.of(bot)))
    }

    pub(crate) async fn ladder_ranks(&self, game: &str) -> Result<Arc<LadderRanks>, StoreError> {
        let turn = rating_turns::current_turns(&self.readers, game).await?.turn;
        if let Some(kept) = self
            .shared
            .places
            .cached_ranks(game)
            .filter(|kept| kept.is_current(turn))
        {
            return Ok(kept);
        }
        let _computing = self.shared.places.computing.lock().await;
        if let Some(kept) = self
            .shared
            .places
            .cached_ranks(game)
            .filter(|kept| kept.is_current(turn))
        {
            return Ok(kept);
        }
        // Read before the rows are: places may be newer than their turn says, never older.
        let turn = rating_turns::current_turns(&self.readers, game).await?.turn;
        let all = Entity::find()
            .select_only()
            .columns([Column::Bot, Column::Skill, Column::Doubt]);
        let listed = all
            .filter(Column::Game.eq(game))
            .filter(Column::Listed.eq(true));
        let rows: Vec<(BotId, f64, f64)> = listed.into_tuple().all(&self.readers).await?;
        let places = tokio::task::spawn_blocking(move || compute_ranks(&rows))
            .await
            .map_err(|_| StoreError::Closed)?;
        let ranking = Arc::new(LadderRanks {
            turn,
            computed: Instant::now(),
            places,
        });
        self.shared.places.cache_ranks(game, ranking.clone());
        Ok(ranking)
    }
}

impl RankCache {
    fn cached_ranks(&self, game: &str) -> Option<Arc<LadderRanks>> {
        self.kept
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .get(game)
            .cloned()
    }

    fn cache_ranks(&self, game: &str, ranking: Arc<LadderRanks>) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        // An address may name any game; only those with bots are kept.
        if !ranking.places.is_empty() {
            kept.insert(game.to_owned(), ranking);
        }
    }
}

fn compute_ranks(rows: &[(BotId, f64, f64)]) -> HashMap<BotId, [u32; 2]> {
    let ratings: Vec<Rating> = rows
        .iter()
        .map(|(_, skill, doubt)| Rating {
            skill: *skill,
            doubt: *doubt,
        })
        .collect();
    let places = weng_lin::place_intervals(&ratings, CONFIDENCE);
    rows.iter()
        .zip(places)
        .map(|((bot, ..), place)| (*bot, place.map(|place| place as u32)))
        .collect()
}
