//! The best rank that a bot has had on a ladder, of which its people and followers are told.
//!
//! What counts is the worst place of the interval: the bot stands there or better with a confidence
//! of [`CONFIDENCE`](crate::ladders::rank_cache::CONFIDENCE). The columns are written here alone.

use std::time::Duration;

use crate::database::prelude::*;
use crate::events::kinds::{self as events, BestRanksReached};
use crate::ladders::rank_cache::LadderRanks;
use crate::tables::ladder::{Column, Entity};
use crate::{BotId, LadderId};

/// The time between two best ranks of a bot.
pub const BETWEEN_BEST_RANKS: Duration = Duration::from_secs(24 * 3600);

/// Bots of one pass; the others are noted in a later one.
const TOGETHER: usize = 1000;

/// A bot with the best rank that it has had.
type KnownRank = (BotId, Option<i32>);

impl Store {
    /// Notes the bots of a ladder that stand higher than ever, and tells their people and followers:
    /// of each bot at most once in [`BETWEEN_BEST_RANKS`], and not in the first such time on the
    /// ladder. Returns of how many bots it was told.
    pub async fn update_best_ranks(&self, ladder: &LadderId, at: Timestamp) -> Result<usize> {
        let cached = self.current_ladder(ladder).await?;
        let places = self.ladder_ranks(ladder, &cached).await?;
        let due = Condition::any()
            .add(Column::BestRank.is_null())
            .add(Column::BestRankSince.lte(at.before(BETWEEN_BEST_RANKS)));
        let listed = Entity::find()
            .select_only()
            .columns([Column::Bot, Column::BestRank])
            .filter(Column::Ladder.eq(ladder))
            .filter(Column::Listed.eq(true))
            .filter(due);
        let known: Vec<KnownRank> = listed.into_tuple().all(&self.readers).await?;
        let mut better = known
            .into_iter()
            .filter_map(|known| find_better(known, &places))
            .take(TOGETHER)
            .peekable();
        if better.peek().is_none() {
            return Ok(0);
        }
        let change = self.begin_write().await?;
        let mut told = Vec::new();
        for (bot, before, rank) in better {
            let mut one = Entity::update_many()
                .col_expr(Column::BestRank, rank.into())
                .col_expr(Column::BestRankSince, at.into())
                .filter(Column::Ladder.eq(ladder))
                .filter(Column::Bot.eq(bot));
            // Another server may have been faster.
            one = match before {
                Some(before) => one.filter(Column::BestRank.eq(before)),
                None => one.filter(Column::BestRank.is_null()),
            };
            let noted = one.exec(&change).await?.rows_affected > 0;
            if noted && before.is_some() {
                told.push((bot, rank));
            }
        }
        let count = told.len();
        if count > 0 {
            let reached = BestRanksReached {
                ladder: ladder.clone(),
                ranked: told,
            };
            events::write(&change, reached, at);
        }
        change.commit().await?;
        Ok(count)
    }
}

/// A bot whose rank is better than the known one or not known yet: with that and with the rank.
fn find_better(
    (bot, before): KnownRank,
    places: &LadderRanks,
) -> Option<(BotId, Option<i32>, i32)> {
    let [_, worst] = places.rank_of(bot);
    let rank = i32::try_from(worst).ok()?;
    before
        .is_none_or(|before| rank < before)
        .then_some((bot, before, rank))
}
