//! The recount: what was played before copies of a game counted once is counted again.
//!
//! Each ladder and each finished contest is a subject. The server reads the replays of its matches
//! in the order in which they counted ([`Store::next_to_read`], [`Store::note_games`]); how far it is
//! stands in the subject's row, so that a server that was killed goes on there. When all are read, a
//! ladder is counted anew without copies in one transaction, and the authors of bots whose rating
//! changed are told; a contest is marked with the number of its copies, and keeps its results.

use std::collections::HashSet;

use crate::database::prelude::*;
use crate::ladders::distinct_games::{self, games_of};
use crate::ladders::recount_rows::{
    RecountSubject, forget_games, games_by_match, lock_row, select_after, update_row,
};
use crate::ladders::recounted_ladder::{self, Recounted};
use crate::tables::recount::{ActiveModel, Column, Entity, Model, RecountProgress, games_read};
use crate::{ContestId, ContestState, LadderId, Match, tables};

impl RecountProgress {
    /// What is recounted.
    pub fn subject(&self) -> RecountSubject {
        let of = |kind| self.subject.strip_prefix(kind);
        if let Some(contest) = of("contest ").and_then(|id| id.parse().ok()) {
            return RecountSubject::Contest(ContestId(contest));
        }
        let ladder = of("ladder ").unwrap_or_default();
        let (game, name) = ladder
            .split_once('/')
            .unwrap_or((ladder, LadderId::STANDARD));
        RecountSubject::Ladder(LadderId::new(game, name))
    }
}

/// Matches whose games are to be read.
#[derive(Clone, Debug)]
pub struct RecountBatch {
    /// Which, in the order in which they counted.
    pub matches: Vec<Match>,
    /// Where the next batch begins; `None` if there is nothing behind this one.
    to: Option<i64>,
}

impl RecountBatch {
    /// Whether all matches of the subject were read before.
    pub fn is_empty(&self) -> bool {
        self.to.is_none()
    }
}

/// How far the recounts that are not finished are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OpenRecounts {
    /// How many there are.
    pub open: u64,
    /// The matches of theirs that were read.
    pub matches_read: u64,
}

/// How many games of a contest are copies of others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Copies {
    /// All games: one a leg.
    pub games: i64,
    /// Copies among them.
    pub copies: i64,
}

impl Store {
    /// The recounts that are not finished. Contests that finished since are among them.
    pub async fn open_recounts(&self) -> Result<Vec<RecountProgress>> {
        let finished: Vec<ContestId> = tables::contests::Entity::find()
            .filter(tables::contests::Column::State.eq(ContestState::Finished))
            .select_only()
            .column(tables::contests::Column::Id)
            .order_by_asc(tables::contests::Column::Id)
            .into_tuple()
            .all(&self.readers)
            .await?;
        let known = self.list_recounts().await?;
        let names: HashSet<&str> = known.iter().map(|one| one.subject.as_str()).collect();
        let subject = |id| RecountSubject::Contest(id).to_string();
        let new = finished.into_iter().map(subject);
        let new: Vec<String> = new.filter(|one| !names.contains(one.as_str())).collect();
        if new.is_empty() {
            return Ok(known
                .into_iter()
                .filter(|one| one.finished.is_none())
                .collect());
        }
        let change = self.begin_write().await?;
        for some in new.chunks(500) {
            let rows = some.iter().map(|subject| ActiveModel {
                subject: Set(subject.clone()),
                ..<ActiveModel as ActiveModelTrait>::default()
            });
            let once = OnConflict::column(Column::Subject).do_nothing().to_owned();
            let insert = Entity::insert_many(rows).on_conflict(once);
            insert.exec_without_returning(&change).await?;
        }
        change.commit().await?;
        let all = self.list_recounts().await?;
        Ok(all
            .into_iter()
            .filter(|one| one.finished.is_none())
            .collect())
    }

    /// All recounts, ladders last.
    pub async fn list_recounts(&self) -> Result<Vec<RecountProgress>> {
        Ok(Entity::find()
            .order_by_asc(Column::Subject)
            .all(&self.readers)
            .await?)
    }

    /// How far the recounts are that are not finished, for an operator's measurements. Contests that
    /// finished since the server last looked are not among them.
    pub async fn measure_recounts(&self) -> Result<OpenRecounts> {
        let open = Entity::find()
            .select_only()
            .column(Column::MatchesRead)
            .filter(Column::Finished.is_null());
        let read: Vec<i64> = open.into_tuple().all(&self.readers).await?;
        Ok(OpenRecounts {
            open: read.len() as u64,
            matches_read: read.iter().sum::<i64>().unsigned_abs(),
        })
    }

    /// The next matches whose games are to be read, at most `most`.
    pub async fn next_to_read(&self, of: &RecountProgress, most: u64) -> Result<RecountBatch> {
        let found = select_after(&of.subject(), of.read_to).limit(most);
        let found = found.all(&self.readers).await?;
        let to = found.last().map(|last| match of.subject() {
            RecountSubject::Ladder(_) => last.turn.unwrap_or(i64::MAX),
            RecountSubject::Contest(_) => last.id.0,
        });
        let known = match of.subject() {
            RecountSubject::Ladder(_) => {
                let ids = found.iter().map(|own| own.id);
                distinct_games::matches_with_games(&self.readers, ids).await?
            }
            RecountSubject::Contest(_) => HashSet::new(),
        };
        let matches = found.into_iter().filter(|own| !known.contains(&own.id));
        Ok(RecountBatch {
            matches: matches.collect(),
            to,
        })
    }

    /// Notes what the legs of these matches were, in their order; `None` for one without a replay.
    /// A batch that another server has noted changes nothing.
    pub async fn note_games(
        &self,
        of: &RecountProgress,
        batch: &RecountBatch,
        legs: &[Option<Vec<String>>],
    ) -> Result<RecountProgress> {
        let Some(to) = batch.to else {
            return Ok(of.clone());
        };
        let change = self.begin_write().await?;
        let row = lock_row(&change, &of.subject).await?;
        let known = row.filter(|row| row.read_to == of.read_to && row.finished.is_none());
        let Some(mut row) = known else {
            change.rollback().await?;
            return self.find_recount(&of.subject).await;
        };
        if row.matches.is_none() {
            let all = select_after(&of.subject(), 0).count(&change).await?;
            row.matches = i64::try_from(all).ok();
        }
        row.read_to = to;
        row.matches_read += batch.matches.len() as i64;
        row.without_replay += legs.iter().filter(|one| one.is_none()).count() as i64;
        let games = batch.matches.iter().zip(legs).map(|(own, legs)| {
            let legs = legs.as_deref().unwrap_or_default();
            games_read::ActiveModel {
                match_id: Set(own.id),
                subject: Set(row.subject.clone()),
                games: Set(games_of(own, legs).join(" ")),
            }
        });
        let games: Vec<_> = games.collect();
        for some in games.chunks(500) {
            let once = OnConflict::column(games_read::Column::MatchId)
                .do_nothing()
                .to_owned();
            let insert = games_read::Entity::insert_many(some.to_vec()).on_conflict(once);
            insert.exec_without_returning(&change).await?;
        }
        update_row(&change, row.clone()).await?;
        change.commit().await?;
        Ok(row)
    }

    /// Counts a subject anew whose matches are all read. `None` if more were played meanwhile, or if
    /// another server has done it.
    pub async fn finish_recount(
        &self,
        of: &RecountProgress,
        at: Timestamp,
    ) -> Result<Option<Recounted>> {
        let change = self.begin_write().await?;
        let done = match of.subject() {
            RecountSubject::Ladder(ladder) => {
                recounted_ladder::recount_ladder(&change, &ladder, at).await?
            }
            RecountSubject::Contest(contest) => count_contest(&change, contest, at).await?,
        };
        match done {
            Some(_) => change.commit().await?,
            None => change.rollback().await?,
        }
        Ok(done)
    }

    /// How many games of a finished contest are copies of others; `None` before they were counted.
    pub async fn contest_copies(&self, contest: ContestId) -> Result<Option<Copies>> {
        let subject = RecountSubject::Contest(contest).to_string();
        let found = Entity::find_by_id(subject).one(&self.readers).await?;
        let found = found.filter(|row| row.finished.is_some());
        Ok(found.map(|row| Copies {
            games: row.games,
            copies: row.copies,
        }))
    }

    /// Makes a ladder one of before there were distinct games, for tests.
    #[doc(hidden)]
    pub async fn age_ladder_for_tests(&self, ladder: &LadderId) -> Result<()> {
        let change = self.begin_write().await?;
        tables::distinct_games::Entity::delete_many()
            .filter(tables::distinct_games::Column::Ladder.eq(ladder))
            .exec(&change)
            .await?;
        let row = ActiveModel {
            subject: Set(RecountSubject::Ladder(ladder.clone()).to_string()),
            ..<ActiveModel as ActiveModelTrait>::default()
        };
        Entity::insert(row).exec_without_returning(&change).await?;
        Ok(change.commit().await?)
    }

    async fn find_recount(&self, subject: &str) -> Result<RecountProgress> {
        let found = Entity::find_by_id(subject).one(&self.readers).await?;
        found.ok_or_else(|| StoreError::row_missing("recount", subject))
    }
}

/// Counts the copies among the games of a contest; its results stand.
async fn count_contest(
    change: &Change,
    contest: ContestId,
    at: Timestamp,
) -> Result<Option<Recounted>> {
    let subject = RecountSubject::Contest(contest);
    let Some(row) = lock_row(change, &subject.to_string()).await? else {
        return Ok(None);
    };
    let unread = select_after(&subject, row.read_to).count(change).await?;
    if row.finished.is_some() || unread > 0 {
        return Ok(None);
    }
    let games = games_by_match(change, &row.subject).await?;
    let games: Vec<String> = games.into_values().flatten().collect();
    let distinct: HashSet<&String> = games.iter().collect();
    let row = Model {
        games: games.len() as i64,
        copies: (games.len() - distinct.len()) as i64,
        finished: Some(at),
        ..row
    };
    forget_games(change, &row.subject).await?;
    let copies = row.copies;
    update_row(change, row).await?;
    Ok(Some(Recounted {
        copies,
        ratings: Vec::new(),
    }))
}

/// A finished contest goes on: what was counted of it counts no more.
pub(crate) async fn forget_contest(change: &Change, contest: ContestId) -> Result<()> {
    let subject = RecountSubject::Contest(contest).to_string();
    forget_games(change, &subject).await?;
    Entity::delete_by_id(subject).exec(change).await?;
    Ok(())
}
