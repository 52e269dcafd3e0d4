//! All ratings of a ladder computed anew from its matches.

use std::collections::{BTreeMap, HashMap, VecDeque};

use sea_orm::{
    ColumnTrait, DatabaseTransaction, EntityTrait, FromQueryResult, QueryFilter, QueryOrder, QuerySelect,
    SelectModel, Selector,
};

use crate::history::{raises, rivals};
use crate::record::{Rated, tallies};
use crate::{
    BotId, BySide, Standing, Store, StoreError, Tally, Timestamp, Winner, history, ladder, matches, turns,
};

/// What was computed anew.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rebuilt {
    /// Rated matches read.
    pub matches: u64,
    /// Bots whose row is now another one.
    pub changed: u64,
}

impl Store {
    /// Computes ratings, counts and head-to-heads of a game anew from its matches and writes them. Nothing changes
    /// unless something was broken or the way of rating has changed.
    pub async fn rebuild(&self, game: &str) -> Result<Rebuilt, StoreError> {
        let change = self.begin().await?;
        turns::take(&change, game, 1).await?;
        let known = ladder::Entity::find().filter(ladder::Column::Game.eq(game)).all(&change).await?;
        let mut book = Book::read(&change, game, &known).await?;
        let mut last = 0;
        loop {
            let rows: Vec<Row> = rated(game, last).all(&change).await?;
            let Some(row) = rows.last() else { break };
            last = row.turn;
            rows.into_iter().for_each(|row| book.enter(row));
        }
        book.raise_before(i64::MAX);
        let rebuilt = book.write(&change, &known).await?;
        change.commit().await?;
        Ok(rebuilt)
    }
}

/// How many matches are read at once.
const ROWS: u64 = 20_000;

/// What a rated match says.
#[derive(FromQueryResult)]
struct Row {
    turn: i64,
    a_bot: BotId,
    b_bot: BotId,
    winner: Winner,
    a_faults: i32,
    b_faults: i32,
    a_longest_us: Option<i64>,
    b_longest_us: Option<i64>,
    finished: Timestamp,
}

fn rated(game: &str, after: i64) -> Selector<SelectModel<Row>> {
    use matches::Column::*;
    let columns = [Turn, ABot, BBot, Winner, AFaults, BFaults, ALongestUs, BLongestUs, Finished];
    let rows = matches::Entity::find().select_only().columns(columns);
    rows.filter(Game.eq(game)).filter(Turn.gt(after)).order_by_asc(Turn).limit(ROWS).into_model()
}

/// A ladder that is computed anew.
struct Book {
    standings: HashMap<BotId, Standing>,
    raises: VecDeque<raises::Model>,
    rivals: BTreeMap<(BotId, BotId), Tally>,
    matches: u64,
}

impl Book {
    /// With nothing but who is on the ladder, and when new versions came.
    async fn read(change: &DatabaseTransaction, game: &str, known: &[Standing]) -> Result<Book, StoreError> {
        let fresh = |known: &Standing| Standing {
            listed: known.listed,
            picked: known.picked,
            ..Standing::newcomer(known.bot, known.game.clone())
        };
        let raises = raises::Entity::find().filter(raises::Column::Game.eq(game));
        Ok(Book {
            standings: known.iter().map(|known| (known.bot, fresh(known))).collect(),
            raises: raises.order_by_asc(raises::Column::Turn).all(change).await?.into(),
            rivals: BTreeMap::new(),
            matches: 0,
        })
    }

    fn enter(&mut self, row: Row) {
        self.raise_before(row.turn);
        let taken = (self.standings.remove(&row.a_bot), self.standings.remove(&row.b_bot));
        let (Some(a), Some(b)) = taken else { return };
        let mut sides = BySide { a, b };
        let faults = BySide { a: row.a_faults, b: row.b_faults };
        let longest_us = BySide { a: row.a_longest_us, b: row.b_longest_us };
        Rated { winner: row.winner, faults, longest_us, at: row.finished }.apply(&mut sides);
        for standing in sides.both() {
            self.standings.insert(standing.bot, standing);
        }
        let [ours, theirs] = tallies(row.winner);
        *self.rivals.entry((row.a_bot, row.b_bot)).or_default() += ours;
        *self.rivals.entry((row.b_bot, row.a_bot)).or_default() += theirs;
        self.matches += 1;
    }

    fn raise_before(&mut self, turn: i64) {
        while let Some(raise) = self.raises.pop_front_if(|raise| raise.turn < turn) {
            if let Some(standing) = self.standings.get_mut(&raise.bot) {
                standing.raise_doubt();
            }
        }
    }

    /// Writes what is not as it should be.
    async fn write(self, change: &DatabaseTransaction, known: &[Standing]) -> Result<Rebuilt, StoreError> {
        let others = known.iter().filter(|known| self.standings.get(&known.bot) != Some(known));
        let ids: Vec<BotId> = others.map(|known| known.bot).collect();
        let rows: Vec<Standing> = ids.iter().filter_map(|bot| self.standings.get(bot).cloned()).collect();
        let changed = rows.len() as u64;
        ladder::write(change, rows).await?;
        let bots: Vec<BotId> = known.iter().map(|known| known.bot).collect();
        let mut kept = BTreeMap::new();
        for some in bots.chunks(1000) {
            let rows = rivals::Entity::find().filter(rivals::Column::Bot.is_in(some.iter().copied()));
            kept.extend(rows.all(change).await?.into_iter().map(|row| ((row.bot, row.rival), row.tally())));
        }
        if kept != self.rivals {
            for some in bots.chunks(1000) {
                let rows =
                    rivals::Entity::delete_many().filter(rivals::Column::Bot.is_in(some.iter().copied()));
                rows.exec(change).await?;
            }
            history::add(change, self.rivals).await?;
        }
        Ok(Rebuilt { matches: self.matches, changed })
    }
}

impl Store {
    /// Forgets all ratings and head-to-heads, so that a test sees them rebuilt.
    #[doc(hidden)]
    pub async fn break_ladder_for_tests(&self) -> Result<(), StoreError> {
        let change = self.begin().await?;
        rivals::Entity::delete_many().exec(&change).await?;
        let all = ladder::Entity::find().all(&change).await?.into_iter();
        let fresh = all.map(|known| Standing {
            listed: true,
            picked: known.picked,
            ..Standing::newcomer(known.bot, known.game)
        });
        ladder::write(&change, fresh.collect()).await?;
        Ok(change.commit().await?)
    }
}
