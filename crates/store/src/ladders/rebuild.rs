//! Recomputes all ratings of a ladder from its matches.

use std::collections::{BTreeMap, HashMap, VecDeque};

use sea_orm::{SelectModel, Selector};

use crate::database::prelude::*;
use crate::ladders::history;
use crate::ladders::rebuilt_history::{self, RebuiltRating};
use crate::ladders::record::{RatedResult, winner_tallies};
use crate::standings::{rating_turns, standings};
use crate::tables::history::{raises, rivals};
use crate::{BotId, HeadToHeadTally, LadderId, MatchId, MatchWinner, PerSide, Standing, tables};

/// The result of a rebuild.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RebuildSummary {
    /// Rated matches read.
    pub matches: u64,
    /// Bots whose row changed.
    pub changed: u64,
}

impl Store {
    /// Recomputes and writes ratings, counts and head-to-heads of a ladder from its matches. Nothing
    /// changes unless a row was wrong or the rating method has changed.
    pub async fn rebuild_ladder(&self, ladder: &LadderId) -> Result<RebuildSummary> {
        let change = self.begin_write().await?;
        lock(&change, ladder).await?;
        let rebuilt = rebuild_from(&change, ladder, i64::MAX).await?;
        change.commit().await?;
        Ok(rebuilt)
    }
}

/// Locks the ratings of this ladder until `change` ends.
pub(crate) async fn lock(change: &Change, ladder: &LadderId) -> Result<()> {
    rating_turns::take_turns(change, ladder, 1)
        .await
        .map(|_| ())
}

/// Recomputes a ladder that [`lock`] holds; from this turn on also the history of its ratings and
/// the rating changes of matches.
pub(crate) async fn rebuild_from(
    change: &Change,
    ladder: &LadderId,
    from: i64,
) -> Result<RebuildSummary> {
    let known = tables::ladder::Entity::find()
        .filter(tables::ladder::Column::Ladder.eq(ladder))
        .all(change)
        .await?;
    let mut book = LadderRebuild::read(change, ladder, &known, from).await?;
    let mut last = 0;
    loop {
        let rows: Vec<RatedMatchRow> = select_rated(ladder, last).all(change).await?;
        let Some(row) = rows.last() else { break };
        last = row.turn;
        rows.into_iter().for_each(|row| book.add_match(row));
    }
    book.raise_before(i64::MAX);
    if from < i64::MAX {
        rebuilt_history::rewrite_history(change, ladder, from, &mut book.points).await?;
        rebuilt_history::rewrite_changes(change, &book.changed).await?;
    }
    book.write(change, ladder, &known).await
}

/// Matches per query.
const ROWS: u64 = 20_000;

/// A difference in Elo that is too small to be shown.
const SHOWN: f64 = 0.005;

/// The columns of a rated match that a rebuild needs.
#[derive(FromQueryResult)]
struct RatedMatchRow {
    id: MatchId,
    turn: i64,
    a_bot: BotId,
    b_bot: BotId,
    winner: MatchWinner,
    a_faults: i32,
    b_faults: i32,
    a_longest_us: Option<i64>,
    b_longest_us: Option<i64>,
    finished: Timestamp,
    a_change: Option<f64>,
    b_change: Option<f64>,
}

fn select_rated(ladder: &LadderId, after: i64) -> Selector<SelectModel<RatedMatchRow>> {
    use tables::matches::Column::*;
    let columns = [
        Id, Turn, ABot, BBot, Winner, AFaults, BFaults, ALongestUs, BLongestUs, Finished, AChange,
        BChange,
    ];
    let rows = tables::matches::Entity::find()
        .select_only()
        .columns(columns);
    // A withdrawn result keeps its turn, but has no winner.
    let rows = rows.filter(Winner.is_not_null());
    rows.filter(Ladder.eq(ladder))
        .filter(Turn.gt(after))
        .order_by_asc(Turn)
        .limit(ROWS)
        .into_model()
}

/// The state of a rebuild.
struct LadderRebuild {
    standings: HashMap<BotId, Standing>,
    raises: VecDeque<raises::Model>,
    rivals: BTreeMap<(BotId, BotId), HeadToHeadTally>,
    matches: u64,
    /// The first turn whose history is recomputed.
    from: i64,
    points: Vec<RebuiltRating>,
    /// Matches whose recorded rating changes are wrong, with the right ones.
    changed: Vec<(MatchId, PerSide<f64>)>,
}

impl LadderRebuild {
    /// Reads who is on the ladder and when new versions were activated.
    async fn read(
        change: &Change,
        ladder: &LadderId,
        known: &[Standing],
        from: i64,
    ) -> Result<LadderRebuild> {
        let raises = raises::Entity::find().filter(raises::Column::Ladder.eq(ladder));
        Ok(LadderRebuild {
            standings: known
                .iter()
                .map(|known| (known.bot, known.without_results()))
                .collect(),
            raises: raises
                .order_by_asc(raises::Column::Turn)
                .all(change)
                .await?
                .into(),
            rivals: BTreeMap::new(),
            matches: 0,
            from,
            points: Vec::new(),
            changed: Vec::new(),
        })
    }

    fn add_match(&mut self, row: RatedMatchRow) {
        self.raise_before(row.turn);
        let taken = (
            self.standings.remove(&row.a_bot),
            self.standings.remove(&row.b_bot),
        );
        let (Some(a), Some(b)) = taken else { return };
        let mut sides = PerSide { a, b };
        let faults = PerSide {
            a: row.a_faults,
            b: row.b_faults,
        };
        let longest_us = PerSide {
            a: row.a_longest_us,
            b: row.b_longest_us,
        };
        let change = RatedResult {
            winner: row.winner,
            faults,
            longest_us,
            at: row.finished,
        }
        .apply_rating(&mut sides);
        self.note_change(&row, &sides, change);
        for standing in sides.into_array() {
            self.standings.insert(standing.bot, standing);
        }
        let [ours, theirs] = winner_tallies(row.winner);
        *self.rivals.entry((row.a_bot, row.b_bot)).or_default() += ours;
        *self.rivals.entry((row.b_bot, row.a_bot)).or_default() += theirs;
        self.matches += 1;
    }

    fn note_change(
        &mut self,
        row: &RatedMatchRow,
        sides: &PerSide<Standing>,
        change: PerSide<f64>,
    ) {
        if row.turn < self.from {
            return;
        }
        for standing in [&sides.a, &sides.b] {
            let (bot, rating) = (standing.bot, standing.current_rating());
            self.points.push(RebuiltRating {
                bot,
                match_id: Some(row.id),
                at: Some(row.finished),
                rating,
            });
        }
        let same = |was: Option<f64>, is: f64| was.is_some_and(|was| (was - is).abs() < SHOWN);
        if !(same(row.a_change, change.a) && same(row.b_change, change.b)) {
            self.changed.push((row.id, change));
        }
    }

    fn raise_before(&mut self, turn: i64) {
        while let Some(raise) = self.raises.pop_front_if(|raise| raise.turn < turn) {
            let Some(standing) = self.standings.get_mut(&raise.bot) else {
                continue;
            };
            standing.raise_doubt();
            if raise.turn >= self.from {
                let (bot, rating) = (raise.bot, standing.current_rating());
                self.points.push(RebuiltRating {
                    bot,
                    match_id: None,
                    at: None,
                    rating,
                });
            }
        }
    }

    /// Writes the rows that differ.
    async fn write(
        self,
        change: &Change,
        ladder: &LadderId,
        known: &[Standing],
    ) -> Result<RebuildSummary> {
        let others = known
            .iter()
            .filter(|known| self.standings.get(&known.bot) != Some(known));
        let ids: Vec<BotId> = others.map(|known| known.bot).collect();
        let mut rows: Vec<Standing> = ids
            .iter()
            .filter_map(|bot| self.standings.get(bot).cloned())
            .collect();
        if !rows.is_empty() {
            let turn = rating_turns::current_turns(change, ladder).await?.turn;
            rows.iter_mut().for_each(|row| row.turn = turn);
        }
        let changed = rows.len() as u64;
        standings::write(change, rows).await?;
        write_rivals(change, ladder, self.rivals).await?;
        Ok(RebuildSummary {
            matches: self.matches,
            changed,
        })
    }
}

/// Writes the head-to-head results of a ladder, if they differ.
async fn write_rivals(
    change: &Change,
    ladder: &LadderId,
    rebuilt: BTreeMap<(BotId, BotId), HeadToHeadTally>,
) -> Result<()> {
    let its = rivals::Column::Ladder.eq(ladder);
    let known = rivals::Entity::find()
        .filter(its.clone())
        .all(change)
        .await?;
    let known = known
        .into_iter()
        .map(|row| ((row.bot, row.rival), row.tally()));
    if known.collect::<BTreeMap<_, _>>() != rebuilt {
        delete_rows::<rivals::Entity>(change, its).await?;
        history::add_head_to_head(change, ladder, rebuilt).await?;
    }
    Ok(())
}

impl Store {
    /// Deletes all ratings and head-to-heads, for tests of the rebuild.
    #[doc(hidden)]
    pub async fn break_ladder_for_tests(&self) -> Result<()> {
        let change = self.begin_write().await?;
        rivals::Entity::delete_many().exec(&change).await?;
        for known in tables::ladder::Entity::find().all(&change).await? {
            let fresh = Standing {
                listed: true,
                picked: known.picked,
                turn: rating_turns::take_turns(&change, &known.ladder, 1).await?,
                ..Standing::new_standing(known.bot, known.ladder)
            };
            standings::write(&change, vec![fresh]).await?;
        }
        Ok(change.commit().await?)
    }
}
