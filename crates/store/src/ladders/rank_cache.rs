//! A cache of the places on a ladder, with their uncertainty.
//!
//! A place depends on the whole ladder, so a page cannot compute it from its own rows. One of the
//! requests computes all places of a ladder at once, on a separate thread, when the ladder's turn has
//! changed since the last computation. On a long ladder, where the computation takes long and
//! ratings change all the time, places may be up to a second old.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use leitai_ladder::weng_lin::{self, Rating};

use crate::ladders::ladder_cache::CachedLadder;
use crate::standings::standings::find_standing;
use crate::{BotId, LadderId, Result, Store, StoreError};

/// A bot ranks surely before another if it is better with this confidence.
pub const CONFIDENCE: f64 = 0.95;

/// The maximum age of the places of a long ladder.
const OLD: Duration = Duration::from_secs(1);
/// The number of bots from which a ladder counts as long.
const LONG: usize = 1000;

/// The places of every ladder.
#[derive(Debug, Default)]
pub(crate) struct RankCache {
    kept: Mutex<HashMap<LadderId, Arc<LadderRanks>>>,
    /// Held during the computation.
    computing: tokio::sync::Mutex<()>,
}

/// The places of one ladder.
#[derive(Debug)]
pub(crate) struct LadderRanks {
    turn: i64,
    computed: Instant,
    places: HashMap<BotId, [u32; 2]>,
    divisions: u32,
}

impl LadderRanks {
    /// The places of a bot; a bot that was just listed may have any place.
    pub fn rank_of(&self, bot: BotId) -> [u32; 2] {
        let anywhere = [1, self.places.len().max(1) as u32];
        self.places.get(&bot).copied().unwrap_or(anywhere)
    }

    /// The number of bots.
    pub fn bots(&self) -> u32 {
        u32::try_from(self.places.len()).unwrap_or(u32::MAX)
    }

    /// The number of the last division; 0 if the ladder is not divided.
    pub fn divisions(&self) -> u32 {
        self.divisions
    }

    fn is_current(&self, turn: i64) -> bool {
        self.turn >= turn || (self.places.len() >= LONG && self.computed.elapsed() < OLD)
    }
}

impl Store {
    /// Best and worst place of a bot on a ladder; `None` if it is not listed.
    pub async fn rank_of(&self, bot: BotId, ladder: &LadderId) -> Result<Option<[u32; 2]>> {
        let standing = find_standing(&self.readers, ladder, bot).await?;
        if !standing.is_some_and(|standing| standing.listed) {
            return Ok(None);
        }
        let cached = self.current_ladder(ladder).await?;
        let places = self.ladder_ranks(ladder, &cached).await?;
        Ok(Some(places.rank_of(bot)))
    }

    pub(crate) async fn ladder_ranks(
        &self,
        id: &LadderId,
        ladder: &CachedLadder,
    ) -> Result<Arc<LadderRanks>> {
        let cache = self.part::<RankCache>();
        let turn = ladder.rows().turn;
        let is_current = |kept: &Arc<LadderRanks>| kept.is_current(turn);
        if let Some(kept) = cache.cached_ranks(id).filter(is_current) {
            return Ok(kept);
        }
        let _computing = cache.computing.lock().await;
        if let Some(kept) = cache.cached_ranks(id).filter(is_current) {
            return Ok(kept);
        }
        let (turn, divisions, rows) = {
            let rows = ladder.rows();
            let listed = || rows.below(None).map(|row| &row.standing);
            let divisions = listed().filter_map(|standing| standing.division).max();
            let ratings = listed().map(|standing| (standing.bot, standing.current_rating()));
            (rows.turn, divisions, ratings.collect::<Vec<_>>())
        };
        let places = tokio::task::spawn_blocking(move || compute_ranks(&rows))
            .await
            .map_err(|_| StoreError::Closed)?;
        let ranking = Arc::new(LadderRanks {
            turn,
            computed: Instant::now(),
            places,
            divisions: divisions.map_or(0, i32::unsigned_abs),
        });
        cache.cache_ranks(id, ranking.clone());
        Ok(ranking)
    }
}

impl RankCache {
    fn cached_ranks(&self, id: &LadderId) -> Option<Arc<LadderRanks>> {
        self.kept
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .get(id)
            .cloned()
    }

    fn cache_ranks(&self, id: &LadderId, ranking: Arc<LadderRanks>) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        // A request may name any ladder; only those with bots are cached.
        if !ranking.places.is_empty() {
            kept.insert(id.clone(), ranking);
        }
    }
}

fn compute_ranks(rows: &[(BotId, Rating)]) -> HashMap<BotId, [u32; 2]> {
    let ratings: Vec<Rating> = rows.iter().map(|(_, rating)| *rating).collect();
    let places = weng_lin::place_intervals(&ratings, CONFIDENCE);
    rows.iter()
        .zip(places)
        .map(|((bot, _), place)| (*bot, place.map(|place| place as u32)))
        .collect()
}
