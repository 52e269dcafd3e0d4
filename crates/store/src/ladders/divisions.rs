//! Divisions of large ladders: which bot is in which.
//!
//! The division is a column of the ladder that nothing else writes. Who changes it takes a turn of
//! the ladder, so that kept places and the number of divisions are computed again.

use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::sync::atomic::{AtomicU32, Ordering};

use leitai_ladder::divisions::Divisions;

use crate::database::prelude::*;
use crate::ladders::ladder_cache::CachedRow;
use crate::ladders::rank_cache::LadderRanks;
use crate::standings::rating_turns;
use crate::tables::ladder::{Column, Entity};
use crate::{BotId, LadderId};

/// How many bots a division has; 0: ladders are not divided.
#[derive(Debug, Default)]
pub(crate) struct DivisionSize(AtomicU32);

impl DivisionSize {
    fn get(&self) -> Option<NonZeroU32> {
        NonZeroU32::new(self.0.load(Ordering::Relaxed))
    }
}

/// Rows per statement: databases limit the number of values.
const ROWS: usize = 500;

impl Store {
    /// Sets how many bots a division has: ladders of twice as many are divided. 0: none is, which
    /// holds until this is called.
    pub fn set_division_size(&self, bots: u32) {
        let size = self.part::<DivisionSize>();
        size.0.store(bots, Ordering::Relaxed);
    }

    /// Promotes and relegates the bots of a ladder whose whole interval of places lies beyond a border
    /// of their division; divides a ladder that has grown, and ends the divisions of one that has
    /// shrunk. Returns how many bots changed their division.
    pub async fn update_divisions(&self, ladder: &LadderId) -> Result<usize> {
        let cached = self.current_ladder(ladder).await?;
        let places = self.ladder_ranks(ladder, &cached).await?;
        let (bots, size) = (places.bots(), self.part::<DivisionSize>().get());
        let is_small = size.is_none_or(|size| bots / size < 2);
        if is_small && places.divisions() == 0 {
            return Ok(0);
        }
        let rows: Vec<(BotId, Option<i32>)> = {
            let rows = cached.rows();
            let own = |row: &CachedRow| (row.standing.bot, row.standing.division);
            rows.below(None).map(own).collect()
        };
        let moves = find_moves(&rows, size, &places);
        if moves.is_empty() {
            return Ok(0);
        }
        let change = self.begin_write().await?;
        let turn = rating_turns::take_turns(&change, ladder, 1).await?;
        for (division, bots) in &moves {
            for some in bots.chunks(ROWS) {
                Entity::update_many()
                    .col_expr(Column::Division, (*division).into())
                    .col_expr(Column::Turn, turn.into())
                    .filter(Column::Ladder.eq(ladder))
                    .filter(Column::Bot.is_in(some.iter().copied()))
                    .exec(&change)
                    .await?;
            }
        }
        change.commit().await?;
        Ok(moves.values().map(Vec::len).sum())
    }

    /// How many divisions a ladder has; 0 if it is not divided.
    pub async fn count_divisions(&self, ladder: &LadderId) -> Result<u32> {
        let cached = self.current_ladder(ladder).await?;
        let places = self.ladder_ranks(ladder, &cached).await?;
        Ok(self.divisions_of(&places).map_or(0, |all| all.count()))
    }

    pub(crate) fn divisions_of(&self, places: &LadderRanks) -> Option<Divisions> {
        Divisions::new(self.part::<DivisionSize>().get()?, places.divisions())
    }
}

/// The bots that change their division, by the new one. Of a ladder that is divided for the first
/// time each takes its place; who comes later begins in the last division.
fn find_moves(
    rows: &[(BotId, Option<i32>)],
    size: Option<NonZeroU32>,
    places: &LadderRanks,
) -> BTreeMap<Option<i32>, Vec<BotId>> {
    let before = rows.iter().filter_map(|(_, division)| *division).max();
    let before = before.map_or(0, i32::unsigned_abs);
    let bots = u32::try_from(rows.len()).unwrap_or(u32::MAX);
    let all = size.and_then(|size| Divisions::after(bots, size, before));
    let next = |place: u32, bot: BotId, own: Option<i32>| {
        let all = all?;
        let next = match own {
            Some(own) => all.next_division(own.unsigned_abs(), places.rank_of(bot)),
            None if before == 0 => all.of_place(place),
            None => all.count(),
        };
        i32::try_from(next).ok()
    };
    let mut moves: BTreeMap<Option<i32>, Vec<BotId>> = BTreeMap::new();
    for (place, (bot, own)) in (1..).zip(rows) {
        let next = next(place, *bot, *own);
        if next != *own {
            moves.entry(next).or_default().push(*bot);
        }
    }
    moves
}
