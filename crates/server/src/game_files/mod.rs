//! Game files that people brought: they are checked, published, and loaded by every server of
//! the arena. Nobody trusts their bytes, wherever they lie: the hash is compared, and the bounds of a
//! game file hold each time.
//!
//! | module | noun |
//! |---|---|
//! | [`bounds`] | what rules may take |
//! | [`check`] | the check before a file is published |
//! | [`judge_check`] | the same for a game that a judge program leads |
//! | [`said`] | what checks say |
//! | [`fetched`] | the files that a worker on another machine gets |

pub mod bounds;
pub mod check;
pub mod fetched;
pub mod judge_check;
pub mod said;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use leitai_game::{GameHandle, GameSet};
use leitai_guest::GameFile;
use leitai_guest::file::LogicFile;
use leitai_guest::file::parts::Parts;
use leitai_store::{
    BlobStore, GameFileRow, GameFileState, Job, JobState, Store, StoreError, Timestamp, Worker,
};

use self::bounds::{ARENA, hash_of};
use self::check::CheckBounds;
use self::said::Passed;

/// The longest file, in bytes.
pub const LONGEST: usize = 8 << 20;
/// The pause between two looks for new files.
const LOOK: Duration = Duration::from_secs(2);
/// The pause between two looks whether a worker takes a check: its end is told, its absence is not.
const LOOK_FOR_WORKER: Duration = Duration::from_secs(10);
/// The pause after a file that could not be loaded.
const LOOK_AGAIN: Duration = Duration::from_secs(30);

/// How often a check may be broken off, as by a server that was killed, before its file is refused.
const MOST_ATTEMPTS: i64 = 3;
const BROKEN_OFF: &str =
    "the check was broken off three times; ask an administrator to look at the server's log";

/// How long the check of a judge program waits for a worker at most.
const LONGEST_WAIT: Duration = Duration::from_secs(3600);

/// The games of an arena, and where their files and rows lie.
#[derive(Clone)]
pub struct ArenaGames {
    /// What is played.
    pub games: GameSet,
    /// The rows.
    pub store: Store,
    /// The files.
    pub blobs: BlobStore,
}

/// Loads and checks game files until the future is dropped.
pub async fn follow_game_files(arena: ArenaGames) {
    // The states of all files after which there was nothing to do.
    let mut settled = None;
    loop {
        let done = async {
            let states = arena.store.game_file_states(Timestamp::now()).await?;
            if settled.as_ref() == Some(&states) {
                return Ok(LOOK);
            }
            let missing = load_games(&arena).await?;
            if check_next(&arena, CheckBounds::ARENA).await? {
                return Ok(Duration::ZERO); // The next one may wait already.
            }
            let is_checking =
                |(_, state, _): &(i64, GameFileState, bool)| *state == GameFileState::Checking;
            if missing == 0 && !states.iter().any(is_checking) {
                settled = Some(states);
            }
            Ok::<_, StoreError>(if missing == 0 { LOOK } else { LOOK_AGAIN })
        };
        let pause = done.await.unwrap_or_else(|error| {
            tracing::warn!(%error, "cannot look for game files; tried again in a moment");
            LOOK
        });
        tokio::time::sleep(pause).await;
    }
}

/// Loads what was published since the last look, and lists the newest version of each game that
/// everybody may know; the others are hidden. Returns how many files could not be loaded; the log says
/// why.
///
/// # Errors
/// If the database fails.
pub async fn load_games(arena: &ArenaGames) -> Result<usize, StoreError> {
    let (rows, now) = (arena.store.game_files().await?, Timestamp::now());
    let (mut missing, mut hidden) = (0, Vec::new());
    for row in rows.iter().filter(|row| row.published.is_some()) {
        let known = arena.games.find_exact(&row.game, &row.rules);
        let is_known = known.is_some();
        let kept = known.or_else(|| arena.games.find_hidden_exact(&row.game, &row.rules));
        let game = match kept {
            Some(game) => Ok(game),
            None => load(arena, row).await,
        };
        match game {
            Ok(game) if row.is_hidden(now) => hidden.push(game),
            Ok(_) if is_known => {}
            Ok(game) => arena.games.put_older(game),
            Err(why) => {
                missing += 1;
                report_unloaded(&row.game, &row.hash, &why);
            }
        }
    }
    arena.games.hide_only(hidden);
    for row in rows.iter().filter(|row| row.published.is_some()) {
        let is_played = |one: &&GameFileRow| {
            let is_published = one.state == GameFileState::Published && !one.is_hidden(now);
            one.game == row.game && is_published
        };
        match rows.iter().rfind(is_played) {
            None => arena.games.unlist(&row.game),
            Some(newest) => {
                if let Some(game) = arena.games.find_exact(&newest.game, &newest.rules) {
                    arena.games.list_version(game);
                }
            }
        }
    }
    Ok(missing)
}

/// Tells the operator of a file that is not played.
fn report_unloaded(game: &str, hash: &str, why: &str) {
    tracing::warn!(game, hash, why, "a game file is not loaded");
}

async fn load(arena: &ArenaGames, row: &GameFileRow) -> Result<GameHandle, String> {
    let bytes = arena.blobs.read_blob(&row.blob()).await;
    let bytes = bytes.map_err(|error| error.to_string())?;
    let (hash, game, rules) = (row.hash.clone(), row.game.clone(), row.rules.clone());
    let loaded = tokio::task::spawn_blocking(move || read_game(&bytes, &hash, (&game, &rules)));
    loaded.await.map_err(|error| error.to_string())?
}

/// The game of these bytes, if they have this hash and are this game. Nothing of it is run that is no module.
fn read_game(bytes: &[u8], hash: &str, (game, rules): (&str, &str)) -> Result<GameHandle, String> {
    if hash_of(bytes) != hash {
        return Err("its bytes are not those that were brought: another hash".to_owned());
    }
    let parts = Parts::from_archive(bytes, Path::new("file")).map_err(|why| why.to_string())?;
    let loaded: Result<GameHandle, _> = match LogicFile::is_named_by(&parts) {
        true => LogicFile::load(&parts).map(|led| Arc::new(led.game).into()),
        false => GameFile::load(parts, ARENA).map(|file| Arc::new(file.game).into()),
    };
    let loaded = loaded.map_err(|problems| {
        let lines = problems
            .iter()
            .map(|one| one.to_line(leitai_game::Lang::En));
        lines.collect::<Vec<_>>().join("; ")
    })?;
    match loaded.meta().id == game && loaded.meta().rules == rules {
        true => Ok(loaded),
        false => Err("it is another game than the database says".to_owned()),
    }
}

/// Checks the file that waits longest, if there is one, and publishes it or says what is wrong. A game that a
/// judge program leads is left to a worker that runs programs. Returns whether a check ended.
///
/// # Errors
/// If the database fails.
pub async fn check_next(arena: &ArenaGames, bounds: CheckBounds) -> Result<bool, StoreError> {
    let Some(row) = arena.store.claim_game_check(Timestamp::now()).await? else {
        return Ok(false);
    };
    let job = arena.store.job_of_game_file(row.id).await?;
    let checked = match job {
        Some(job) => match why_unserved(arena, &job, bounds).await? {
            None => Ok(None),
            Some(why) => Err(said::broken_off(why)),
        },
        None => check_row(arena, &row, bounds).await,
    };
    let Some(checked) = checked.transpose() else {
        let (pause, now) = (bounds.patience.min(LOOK_FOR_WORKER), Timestamp::now());
        arena.store.leave_game_check(&row, pause, now).await?;
        return Ok(false);
    };
    let (passed, end) = (checked.is_ok(), said::check_end(checked));
    let now = Timestamp::now();
    arena.store.end_game_check(row.id, end, now).await?;
    tracing::info!(
        game = row.game,
        rules = row.rules,
        passed,
        "a game file was checked"
    );
    load_games(arena).await?;
    Ok(true)
}

/// Why no worker will check a game that a judge program leads.
async fn why_unserved(
    arena: &ArenaGames,
    job: &Job,
    bounds: CheckBounds,
) -> Result<Option<&'static str>, StoreError> {
    let now = Timestamp::now();
    let waits = now.since(job.created);
    match job.state {
        JobState::Leased | JobState::Done => Ok(None),
        JobState::Dropped | JobState::SetAside => Ok(Some(BROKEN_OFF)),
        JobState::Queued if waits < bounds.patience => Ok(None),
        JobState::Queued if waits >= LONGEST_WAIT => Ok(Some(
            "no worker took the check within an hour; ask an administrator to look at the queue",
        )),
        JobState::Queued => {
            let workers = arena.store.living_workers(now).await?;
            let runs = workers.iter().any(Worker::runs_programs);
            Ok((!runs).then_some(
                "no worker of this arena runs programs of strangers, and a judge program is one; ask an administrator for slots or workers with isolation",
            ))
        }
    }
}

/// What was looked at; `None`: a judge program leads the game.
async fn check_row(
    arena: &ArenaGames,
    row: &GameFileRow,
    bounds: CheckBounds,
) -> Result<Option<Passed>, leitai_store::Json> {
    if row.check_attempts > MOST_ATTEMPTS {
        return Err(said::broken_off(BROKEN_OFF));
    }
    let bytes = arena.blobs.read_blob(&row.blob()).await;
    let bytes = bytes.map_err(|error| said::broken_off(&error.to_string()))?;
    let hash = row.hash.clone();
    let checked =
        tokio::task::spawn_blocking(move || check::check_file(&bytes, &hash, bounds, None));
    match checked.await {
        Ok(checked) => checked,
        Err(error) => Err(said::broken_off(&error.to_string())),
    }
}
