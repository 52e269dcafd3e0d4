//! Places on a ladder, with their uncertainty, kept ready.
//!
//! A place depends on the whole ladder, so that a page cannot compute it from its rows. All places of a game are
//! computed at once when the ladder's turn is no longer the one they were computed for, aside from the other work, and
//! by one of those who ask. On a long ladder, where that takes long and something changes all the time, places may be
//! up to a second old.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use leitai_ladder::weng_lin::{self, Rating};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QuerySelect};

use crate::ladder::{Column, Entity};
use crate::{BotId, Store, StoreError, turns};

/// Only those who are better with this confidence stand before a bot for sure.
pub const CONFIDENCE: f64 = 0.95;

/// How old the places of a long ladder may be.
const OLD: Duration = Duration::from_secs(1);
/// How many bots make a ladder long.
const LONG: usize = 1000;

/// The places of every ladder.
#[derive(Debug, Default)]
pub(crate) struct Places {
    kept: Mutex<HashMap<String, Arc<Ranking>>>,
    /// Held by the one who computes.
    computing: tokio::sync::Mutex<()>,
}

/// The places of one ladder.
#[derive(Debug)]
pub(crate) struct Ranking {
    turn: i64,
    computed: Instant,
    places: HashMap<BotId, [u32; 2]>,
}

impl Ranking {
    /// Of a bot; a bot that came this moment may stand anywhere.
    pub fn of(&self, bot: BotId) -> [u32; 2] {
        let anywhere = [1, self.places.len().max(1) as u32];
        self.places.get(&bot).copied().unwrap_or(anywhere)
    }

    fn serves(&self, turn: i64) -> bool {
        self.turn >= turn || (self.places.len() >= LONG && self.computed.elapsed() < OLD)
    }
}

impl Store {
    /// Best and worst place of a bot on its ladder; nothing if it is not listed.
    pub async fn rank_of(&self, bot: BotId) -> Result<Option<[u32; 2]>, StoreError> {
        let Some(standing) = self.standing(bot).await?.filter(|standing| standing.listed) else {
            return Ok(None);
        };
        Ok(Some(self.places(&standing.game).await?.of(bot)))
    }

    pub(crate) async fn places(&self, game: &str) -> Result<Arc<Ranking>, StoreError> {
        let turn = turns::current(&self.readers, game).await?.turn;
        if let Some(kept) = self.shared.places.kept(game).filter(|kept| kept.serves(turn)) {
            return Ok(kept);
        }
        let _computing = self.shared.places.computing.lock().await;
        if let Some(kept) = self.shared.places.kept(game).filter(|kept| kept.serves(turn)) {
            return Ok(kept);
        }
        // Read before the rows are: places may be newer than their turn says, never older.
        let turn = turns::current(&self.readers, game).await?.turn;
        let all = Entity::find().select_only().columns([Column::Bot, Column::Skill, Column::Doubt]);
        let listed = all.filter(Column::Game.eq(game)).filter(Column::Listed.eq(true));
        let rows: Vec<(BotId, f64, f64)> = listed.into_tuple().all(&self.readers).await?;
        let places =
            tokio::task::spawn_blocking(move || rank(&rows)).await.map_err(|_| StoreError::Closed)?;
        let ranking = Arc::new(Ranking { turn, computed: Instant::now(), places });
        self.shared.places.keep(game, ranking.clone());
        Ok(ranking)
    }
}

impl Places {
    fn kept(&self, game: &str) -> Option<Arc<Ranking>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).get(game).cloned()
    }

    fn keep(&self, game: &str, ranking: Arc<Ranking>) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        // An address may name any game; only those with bots are kept.
        if !ranking.places.is_empty() {
            kept.insert(game.to_owned(), ranking);
        }
    }
}

fn rank(rows: &[(BotId, f64, f64)]) -> HashMap<BotId, [u32; 2]> {
    let ratings: Vec<Rating> =
        rows.iter().map(|(_, skill, doubt)| Rating { skill: *skill, doubt: *doubt }).collect();
    let places = weng_lin::places(&ratings, CONFIDENCE);
    rows.iter().zip(places).map(|((bot, ..), place)| (*bot, place.map(|place| place as u32))).collect()
}
