//! Counts the copies among the games of finished contests: reads the games from their replays, in the
//! background, and then marks the contest.
//!
//! How far it is stands in the database (`leitai_store::ladders::recount`): a server that was killed goes on
//! where it was, and several servers share the work.

use std::time::{Duration, Instant};

use leitai_game::Replay;
use leitai_store::{Match, RecountProgress, Timestamp};

use crate::removal::{RemovalError, Storage};

/// Matches whose replays are read together.
const BATCH: u64 = 20;
/// How often it looks for contests that finished, and tries again what failed.
const AGAIN: Duration = Duration::from_secs(60);
/// How often the log says how far it is.
const SAID: Duration = Duration::from_secs(60);

/// How fast it goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecountPace {
    /// A tenth of one core at most, beside the server's work.
    Background,
    /// As fast as it can.
    AtOnce,
}

impl RecountPace {
    fn pause_after(self, work: Duration) -> Duration {
        match self {
            RecountPace::Background => work * 9,
            RecountPace::AtOnce => Duration::ZERO,
        }
    }
}

/// Recounts in the background until the future is dropped.
pub async fn run_recount(storage: Storage) {
    loop {
        if let Err(error) = recount_all(&storage, RecountPace::Background, |_, _| ()).await {
            tracing::warn!(%error, "the recount of old matches was interrupted; tried again in a minute");
        }
        tokio::time::sleep(AGAIN).await;
    }
}

/// Recounts everything that is due, and calls `told` with each that is finished and its copies.
///
/// # Errors
/// If the store or the blob store fails; the next call goes on.
pub async fn recount_all(
    storage: &Storage,
    pace: RecountPace,
    mut told: impl FnMut(&RecountProgress, i64),
) -> Result<(), RemovalError> {
    for progress in storage.store.open_recounts().await? {
        recount(storage, progress, pace, &mut told).await?;
    }
    Ok(())
}

async fn recount(
    storage: &Storage,
    mut progress: RecountProgress,
    pace: RecountPace,
    told: &mut impl FnMut(&RecountProgress, i64),
) -> Result<(), RemovalError> {
    let mut said = Instant::now();
    loop {
        let begun = Instant::now();
        let batch = storage.store.next_to_read(&progress, BATCH).await?;
        if batch.is_empty() {
            let done = storage.store.finish_recount(&progress, Timestamp::now());
            if let Some(copies) = done.await? {
                let (of, read) = (&progress.subject, progress.matches_read);
                let missing = progress.without_replay;
                tracing::info!(of, read, missing, copies, "a contest's games were counted");
                told(&progress, copies);
            }
            return Ok(());
        }
        let mut games = Vec::new();
        for own in &batch.matches {
            games.push(read_games(storage, own).await?);
        }
        progress = storage.store.note_games(&progress, &batch, &games).await?;
        if progress.finished.is_some() {
            // Another server was faster.
            return Ok(());
        }
        if said.elapsed() >= SAID {
            said = Instant::now();
            let (of, read, matches) = (&progress.subject, progress.matches_read, progress.matches);
            tracing::info!(of, read, matches, "old matches are searched for copies");
        }
        tokio::time::sleep(pace.pause_after(begun.elapsed())).await;
    }
}

/// What the legs of a match were; `None` if its replay was removed or is damaged.
async fn read_games(storage: &Storage, own: &Match) -> Result<Option<Vec<String>>, RemovalError> {
    let key = own.replay.as_deref().unwrap_or_default();
    let Some(bytes) = storage.read_replay(key).await? else {
        return Ok(None);
    };
    let read = move || {
        let replay = Replay::parse(&String::from_utf8(bytes).ok()?).ok()?;
        Some(replay.list_games())
    };
    let games = tokio::task::spawn_blocking(read).await;
    Ok(games.expect("nothing panics"))
}
