//! Copies of games in contests: how many games of a finished contest are copies of others is counted, and
//! its results stand.
//!
//! Each finished contest is a subject. The server reads the replays of its matches
//! ([`Store::next_to_read`], [`Store::note_games`]); how far it is stands in the subject's row, so that
//! a server that was killed goes on there. Rows of ladders are from before a copy of a game counted no
//! more: they were counted anew then, and only tell what was found.

use std::collections::HashSet;

use crate::database::prelude::*;
use crate::ladders::distinct_games::games_of;
use crate::ladders::recount_rows::{
    forget_games, games_by_match, lock_row, select_after, subject_of, update_row,
};
use crate::tables::recount::{ActiveModel, Column, Entity, Model, RecountProgress, games_read};
use crate::{ContestId, ContestState, Match, tables};

impl RecountProgress {
    /// The contest; `None` for a ladder.
    pub fn contest(&self) -> Option<ContestId> {
        let id = self.subject.strip_prefix("contest ")?.parse().ok()?;
        Some(ContestId(id))
    }
}

/// Matches whose games are to be read.
#[derive(Clone, Debug, Default)]
pub struct RecountBatch {
    /// Which, in their order.
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
        let subject = |id| subject_of(id);
        let new = finished.into_iter().map(subject);
        let new: Vec<String> = new.filter(|one| !names.contains(one.as_str())).collect();
        let are_open = |all: Vec<RecountProgress>| {
            let is_open = |own: &RecountProgress| own.finished.is_none() && own.contest().is_some();
            all.into_iter().filter(is_open).collect()
        };
        if new.is_empty() {
            return Ok(are_open(known));
        }
        let change = self.begin_write().await?;
        let rows = new.iter().map(|subject| ActiveModel {
            subject: Set(subject.clone()),
            ..Default::default()
        });
        let rows: Vec<_> = rows.collect();
        insert_new_rows(&change, &rows, [Column::Subject]).await?;
        change.commit().await?;
        Ok(are_open(self.list_recounts().await?))
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
        let matches = match of.contest() {
            Some(contest) => select_after(contest, of.read_to).limit(most),
            None => return Ok(RecountBatch::default()),
        };
        let matches = matches.all(&self.readers).await?;
        let to = matches.last().map(|last| last.id.0);
        Ok(RecountBatch { matches, to })
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
            row.matches = match of.contest() {
                Some(contest) => i64::try_from(select_after(contest, 0).count(&change).await?).ok(),
                None => None,
            };
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
        insert_new_rows(&change, &games, [games_read::Column::MatchId]).await?;
        update_row(&change, row.clone()).await?;
        change.commit().await?;
        Ok(row)
    }

    /// Counts the copies among the games of a contest whose matches are all read, and returns their
    /// number. `None` if more were played meanwhile, or if another server has done it.
    pub async fn finish_recount(&self, of: &RecountProgress, at: Timestamp) -> Result<Option<i64>> {
        let change = self.begin_write().await?;
        let done = match of.contest() {
            Some(contest) => count_contest(&change, contest, at).await?,
            None => None,
        };
        match done {
            Some(_) => change.commit().await?,
            None => change.rollback().await?,
        }
        Ok(done)
    }

    /// How many games of a finished contest are copies of others; `None` before they were counted.
    pub async fn contest_copies(&self, contest: ContestId) -> Result<Option<Copies>> {
        let subject = subject_of(contest);
        let found = Entity::find_by_id(subject).one(&self.readers).await?;
        let found = found.filter(|row| row.finished.is_some());
        Ok(found.map(|row| Copies {
            games: row.games,
            copies: row.copies,
        }))
    }

    async fn find_recount(&self, subject: &str) -> Result<RecountProgress> {
        find_row::<Entity>(&self.readers, subject, "recount").await
    }
}

async fn count_contest(change: &Change, contest: ContestId, at: Timestamp) -> Result<Option<i64>> {
    let Some(row) = lock_row(change, &subject_of(contest)).await? else {
        return Ok(None);
    };
    let unread = select_after(contest, row.read_to).count(change).await?;
    if row.finished.is_some() || unread > 0 {
        return Ok(None);
    }
    let games = games_by_match(change, &row.subject).await?;
    let games: Vec<String> = games.into_values().flatten().collect();
    let distinct: HashSet<&String> = games.iter().collect();
    let copies = (games.len() - distinct.len()) as i64;
    forget_games(change, &row.subject).await?;
    let row = Model {
        games: games.len() as i64,
        copies,
        finished: Some(at),
        ..row
    };
    update_row(change, row).await?;
    Ok(Some(copies))
}

/// A finished contest goes on: what was counted of it counts no more.
pub(crate) async fn forget_contest(change: &Change, contest: ContestId) -> Result<()> {
    let subject = subject_of(contest);
    forget_games(change, &subject).await?;
    Entity::delete_by_id(subject).exec(change).await?;
    Ok(())
}
