//! The ladders in memory. A page is cut from them, because a row that comes from the database costs
//! more than everything else that a page needs.
//!
//! Every row of a ladder bears the turn of its last change, and turns of a ladder are taken one after
//! the other ([`rating_turns`]). So each request asks the database for the rows that have changed
//! since the newest turn that it knows, mostly none, and whichever server changed them: what it
//! shows is what the database says.

use std::cmp::Ordering;
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::database::prelude::*;
use crate::tables::ladder::{Column, Entity};
use crate::{BotId, BotRow, LadderId, Standing};

/// How long a ladder stays in memory until it is read anew. A change that bears no turn is seen
/// then: one made by hand, or by a server of an older version.
const KEEP: Duration = Duration::from_secs(600);
/// Bots per query: databases limit the number of values.
const BOTS: usize = 1000;

/// All ladders.
#[derive(Debug, Default)]
pub(crate) struct LadderCache {
    ladders: Mutex<HashMap<LadderId, Arc<CachedLadder>>>,
    /// Held while a ladder is read as a whole.
    loading: tokio::sync::Mutex<()>,
}

/// One ladder.
#[derive(Debug)]
pub(crate) struct CachedLadder {
    loaded: Instant,
    rows: Mutex<LadderRows>,
}

/// A bot on its ladder.
#[derive(Clone, Debug)]
pub(crate) struct CachedRow {
    pub standing: Standing,
    pub bot: BotRow,
}

/// Where a bot stands: better ones first, then older ones.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LadderPlace {
    pub skill: f64,
    pub bot: BotId,
}

impl LadderPlace {
    pub fn new(skill: f64, bot: BotId) -> LadderPlace {
        // For a database, both zeros are the same.
        let skill = skill + 0.0;
        LadderPlace { skill, bot }
    }
}

impl Ord for LadderPlace {
    fn cmp(&self, other: &LadderPlace) -> Ordering {
        let better = other.skill.total_cmp(&self.skill);
        better.then(self.bot.cmp(&other.bot))
    }
}

impl PartialOrd for LadderPlace {
    fn partial_cmp(&self, other: &LadderPlace) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for LadderPlace {
    fn eq(&self, other: &LadderPlace) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for LadderPlace {}

/// The rows of one ladder.
#[derive(Debug)]
pub(crate) struct LadderRows {
    /// All changes up to this turn are in it.
    pub turn: i64,
    listed: BTreeMap<LadderPlace, CachedRow>,
    /// The turn of each bot's row, and its place if it is listed.
    bots: HashMap<BotId, (i64, Option<LadderPlace>)>,
}

impl LadderRows {
    fn new() -> LadderRows {
        LadderRows {
            // Rows that have not changed since they bear turns have turn 0.
            turn: -1,
            listed: BTreeMap::new(),
            bots: HashMap::new(),
        }
    }

    /// Puts changed rows in their places. Requests may bring them in any order, so an older row
    /// than the known one is ignored.
    fn apply(&mut self, rows: Vec<CachedRow>) {
        for row in rows {
            let (bot, turn) = (row.standing.bot, row.standing.turn);
            self.turn = self.turn.max(turn);
            match self.bots.get(&bot) {
                Some((known, _)) if *known >= turn => continue,
                Some((_, Some(place))) => _ = self.listed.remove(place),
                _ => {}
            }
            let place = LadderPlace::new(row.standing.skill, bot);
            let place = row.standing.listed.then_some(place);
            self.bots.insert(bot, (turn, place));
            if let Some(place) = place {
                self.listed.insert(place, row);
            }
        }
    }

    /// The rows below a place, best first.
    pub fn below(&self, place: Option<LadderPlace>) -> impl Iterator<Item = &CachedRow> {
        use std::ops::Bound::{Excluded, Unbounded};
        let from = place.map_or(Unbounded, Excluded);
        self.listed.range((from, Unbounded)).map(|(_, row)| row)
    }
}

impl CachedLadder {
    /// The rows as they are now.
    pub fn rows(&self) -> MutexGuard<'_, LadderRows> {
        self.rows.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl LadderCache {
    fn kept(&self, id: &LadderId) -> Option<Arc<CachedLadder>> {
        let ladders = self.ladders.lock().unwrap_or_else(PoisonError::into_inner);
        let known = ladders.get(id)?;
        (known.loaded.elapsed() < KEEP).then(|| known.clone())
    }

    fn keep(&self, id: &LadderId, ladder: Arc<CachedLadder>) {
        // A request may name any ladder; only those with bots are kept.
        if !ladder.rows().bots.is_empty() {
            let mut ladders = self.ladders.lock().unwrap_or_else(PoisonError::into_inner);
            ladders.insert(id.clone(), ladder);
        }
    }
}

impl Store {
    /// A ladder with all changes that were committed before the call.
    pub(crate) async fn current_ladder(&self, id: &LadderId) -> Result<Arc<CachedLadder>> {
        let cache = self.part::<LadderCache>();
        if let Some(ladder) = cache.kept(id) {
            return self.refresh_ladder(id, ladder).await;
        }
        let _loading = cache.loading.lock().await;
        if let Some(ladder) = cache.kept(id) {
            return self.refresh_ladder(id, ladder).await;
        }
        let empty = Arc::new(CachedLadder {
            loaded: Instant::now(),
            rows: Mutex::new(LadderRows::new()),
        });
        let ladder = self.refresh_ladder(id, empty).await?;
        cache.keep(id, ladder.clone());
        Ok(ladder)
    }

    async fn refresh_ladder(
        &self,
        id: &LadderId,
        ladder: Arc<CachedLadder>,
    ) -> Result<Arc<CachedLadder>> {
        let known = ladder.rows().turn;
        let changed = Entity::find()
            .filter(Column::Ladder.eq(id))
            .filter(Column::Turn.gt(known))
            .all(&self.readers)
            .await?;
        if changed.is_empty() {
            return Ok(ladder);
        }
        let mut rows = Vec::with_capacity(changed.len());
        for some in changed.chunks(BOTS) {
            // Read after the standings: a change of a bot also changes its standing's turn.
            let ids: Vec<BotId> = some.iter().map(|standing| standing.bot).collect();
            let briefs = self.bot_briefs(&ids).await?;
            let mut briefs: HashMap<BotId, BotRow> =
                briefs.into_iter().map(|bot| (bot.id, bot)).collect();
            rows.extend(some.iter().filter_map(|standing| {
                let bot = briefs.remove(&standing.bot)?;
                let standing = standing.clone();
                Some(CachedRow { standing, bot })
            }));
        }
        ladder.rows().apply(rows);
        Ok(ladder)
    }
}
