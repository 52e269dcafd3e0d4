//! A match with people, from the lease to the result. If this server stops meanwhile, the match
//! goes on after its restart, see [`super::resume`].

use std::any::Any;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use leitai_game::{AnyGame, ByEntrant, Entrant};
use leitai_judge::clock::to_micros;
use leitai_judge::{
    IoPattern, JudgeError, MatchSpec, PlayedMatch, Player, PlayerKind, ResumePoint, Sandbox,
    play_match,
};
use leitai_store::{
    BlobKey, JobWork, Lease, LeaseState, LeasedJob, MatchId, RecordOutcome, StoreError, Timestamp,
    VersionId,
};

use super::door::JudgeBridge;
use super::recorder::Recorder;
use super::resume::resume;
use super::{HumanMatch, Resumed, VACANT, WAIT};
use crate::app::App;
use crate::arena::desk::{JobSourceError, SourceTask};
use crate::arena::hub::{LiveMatchStart, LiveMatches};
use crate::arena::results::record_result;
use crate::arena::routes::live;
use crate::arena::{house, seat, terms, verdict};

/// What people are told a period lasts for the judge: their clocks are kept by the floor.
pub const ENDLESS: Duration = Duration::from_secs(7 * 24 * 3600);
/// A match that was not played so long after its table must have expired will never be.
const GRACE: Duration = Duration::from_secs(60);
/// Who has the lease, for administrators.
pub const WORKER: &str = "tables";

/// Why there is no result.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The database.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The vault.
    #[error(transparent)]
    Vault(#[from] leitai_store::BlobStoreError),
    /// The result was not recorded.
    #[error(transparent)]
    House(#[from] house::JobQueueError),
    /// The judge.
    #[error(transparent)]
    Judge(#[from] JudgeError),
    /// Another infrastructure error.
    #[error("{0}")]
    Ours(String),
    /// The server stops. The match goes on after its restart.
    #[error("the server stops")]
    Stopping,
}

/// The right to play a match, renewed until this is dropped.
#[derive(Debug)]
pub struct Held {
    /// The right.
    pub lease: Lease,
    keeping: tokio::task::JoinHandle<()>,
}

impl Held {
    /// Renews the lease from now on, and ends the match when it is lost.
    pub fn keep(app: &App, lease: Lease, table: &Arc<HumanMatch>) -> Held {
        let keeping = tokio::spawn(keep_lease(app.clone(), lease.clone(), table.clone()));
        Held { lease, keeping }
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.keeping.abort();
    }
}

/// Lets the match begin, now that everybody is there.
pub fn spawn_match(app: App, table: Arc<HumanMatch>) {
    tokio::spawn(async move {
        let id = MatchId(table.id());
        match run(&app, &table).await {
            Ok(()) => {}
            Err(RunError::Stopping) => {
                tracing::info!(%id, "a match with people goes on after the restart");
                app.arena.human_matches.close(table.id());
                return table.cut_off();
            }
            Err(error) => {
                tracing::error!(%id, %error, "a match with people failed");
            }
        }
        finish_match(&app, &table).await;
    });
}

/// Ends a match without a result. It may be over by now, for example because an administrator has
/// cancelled it.
pub async fn void(app: &App, id: MatchId, why: &str) {
    let voided = app.store.void_match(id, why, Timestamp::now()).await;
    voided.map_or_else(|error| tracing::warn!(%id, %error, "not void"), |_| ());
}

/// Tells everybody how it ended, and clears the table.
pub async fn finish_match(app: &App, table: &Arc<HumanMatch>) {
    let text = live::over_message(app, MatchId(table.id())).await;
    app.arena.live.over(table.id());
    app.arena.human_matches.close(table.id());
    table.over(text);
}

/// Plays the match. If that fails, the match is void, unless somebody else has it by now.
async fn run(app: &App, table: &Arc<HumanMatch>) -> Result<(), RunError> {
    let (held, from, own) = match hold(app, table).await {
        Ok(held) => held,
        Err(error) => {
            if matches!(error, RunError::Store(_)) {
                void(
                    app,
                    MatchId(table.id()),
                    &format!("it could not begin: {error}"),
                )
                .await;
            }
            return Err(error);
        }
    };
    let done = play_held(app, table, &held, from, &own).await;
    if let Err(error) = &done
        && !matches!(error, RunError::Stopping)
    {
        let why = format!("it could not be played: {error}");
        app.store
            .give_up(&held.lease, &why, Timestamp::now())
            .await?;
    }
    done
}

async fn play_held(
    app: &App,
    table: &Arc<HumanMatch>,
    held: &Held,
    from: Option<ResumePoint>,
    own: &leitai_store::Match,
) -> Result<(), RunError> {
    let id = MatchId(table.id());
    let (fixture, programs) = make_match(app, table, own, from).await?;
    let game = fixture.game;
    let (hub, playing) = (app.arena.live.clone(), table.clone());
    let (recorder, _writing) = Recorder::start(app.store.clone(), held.lease.clone(), id);
    let recording = recorder.clone();
    let played = on_a_thread(move || judge_match(&playing, &hub, &fixture, Some(recording))).await;
    drop(programs);
    let played = played??;
    if played.verdict.is_none() && app.arena.human_matches.is_stopping() {
        recorder.write().await;
        // Whoever starts the server again need not wait for the end of the lease.
        app.store.renew_lease(&held.lease, Timestamp::now()).await?;
        return Err(RunError::Stopping);
    }
    record_played(app, game, id, &held.lease, played).await
}

/// The right to play the match, and its moves if a restart cut it off.
async fn hold(
    app: &App,
    table: &Arc<HumanMatch>,
) -> Result<(Held, Option<ResumePoint>, Box<leitai_store::Match>), RunError> {
    let id = MatchId(table.id());
    if let Some(Resumed { held, from }) = table.take_resumed() {
        return Ok((held, Some(from), Box::new(app.store.match_by_id(id).await?)));
    }
    let taken = app
        .store
        .acquire_match(id, WORKER, Timestamp::now(), house::LEASE)
        .await?;
    let Some(LeasedJob {
        lease,
        work: JobWork::Match(own),
        ..
    }) = taken
    else {
        return Err(RunError::Ours(
            "somebody else has it, or it is over".to_owned(),
        ));
    };
    Ok((Held::keep(app, lease, table), None, own))
}

/// Runs something long on a thread of its own: a match with people lasts for minutes.
async fn on_a_thread<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, RunError> {
    let (done, result) = tokio::sync::oneshot::channel();
    let thread = std::thread::Builder::new().name("table".to_owned());
    // Nobody waits for the result only if the server stops.
    let started = thread.spawn(move || _ = done.send(work()));
    started.map_err(|error| RunError::Ours(format!("there is no thread for it: {error}")))?;
    result
        .await
        .map_err(|_| RunError::Ours("the judge broke off".to_owned()))
}

/// Plays the match on this thread. Spectators see it; they are not told of its end, since the
/// result is not yet stored.
pub fn judge_match(
    table: &Arc<HumanMatch>,
    hub: &LiveMatches,
    fixture: &MatchSpec,
    recorder: Option<Recorder>,
) -> Result<PlayedMatch, JudgeError> {
    hub.begin(LiveMatchStart {
        id: table.id(),
        game: fixture.game,
        setup: fixture.setup.clone(),
        legs: fixture.legs,
        entrants: fixture
            .players
            .each_ref()
            .map_values(|player| player.name.clone()),
        people: true,
    });
    let door = JudgeBridge::new(table.clone(), hub.clone(), recorder);
    play_match(fixture, &mut door.clone(), &mut door.clone(), &table.stop)
}

/// Renews the lease as long as the match is played, and ends the match when the lease is lost.
async fn keep_lease(app: App, lease: Lease, table: Arc<HumanMatch>) {
    loop {
        tokio::time::sleep(house::LEASE / 3).await;
        match app
            .store
            .renew_lease(&lease, Timestamp::now().after(house::LEASE))
            .await
        {
            Ok(LeaseState::Held) => {}
            Ok(LeaseState::Lost) => return table.stop.store(true, Ordering::Relaxed),
            Err(error) => tracing::warn!(%error, "cannot renew the lease of a match with people"),
        }
    }
}

/// What is kept while programs play.
type KeptPrograms = Vec<Arc<dyn Any + Send + Sync>>;

async fn make_match(
    app: &App,
    table: &HumanMatch,
    own: &leitai_store::Match,
    from: Option<ResumePoint>,
) -> Result<(MatchSpec, KeptPrograms), RunError> {
    let (cast, mut kept) = (table.cast(), KeptPrograms::new());
    let mut players = Vec::new();
    for entrant in Entrant::BOTH {
        let name = cast.entrants[entrant].clone();
        let kind = match table.people()[entrant] {
            true => PlayerKind::Human { period: ENDLESS },
            false => load_program(app, cast.game, own, entrant, &mut kept).await?,
        };
        players.push(Player { name, kind });
    }
    let [a, b]: [Player; 2] = players
        .try_into()
        .map_err(|_| RunError::Ours("two play".to_owned()))?;
    let sandbox = app
        .arena
        .human_matches
        .workshop()
        .and_then(|shop| shop.program_sandbox())
        .filter(|_| !kept.is_empty());
    let fixture = MatchSpec {
        game: cast.game,
        config: own.config.clone(),
        seed: own.seed.get(),
        setup: cast.setup,
        legs: cast.legs,
        players: ByEntrant::new(a, b),
        limits: terms::referee_limits(cast.game, &own.limits),
        resources: terms::sandbox_limits(),
        sandbox: sandbox.cloned().unwrap_or_else(Sandbox::without_isolation),
        recorded: seat::started_at(),
        from,
        io_pattern: IoPattern::Usual,
    };
    Ok((fixture, kept))
}

/// A built-in bot, or an upload that is built if it has to be.
async fn load_program(
    app: &App,
    game: &'static dyn AnyGame,
    own: &leitai_store::Match,
    entrant: Entrant,
    kept: &mut KeptPrograms,
) -> Result<PlayerKind, RunError> {
    let who = if entrant == Entrant::A {
        &own.a
    } else {
        &own.b
    };
    let who = who
        .as_ref()
        .ok_or_else(|| RunError::Ours("an entrant is missing".to_owned()))?;
    if who.built_in {
        return Ok(PlayerKind::BuiltIn(who.name.clone()));
    }
    let lacks = |what: &str| RunError::Ours(format!("{} has no {what}", who.name));
    let version = app
        .store
        .find_version(who.version.ok_or_else(|| lacks("version"))?)
        .await?;
    let bytes = app
        .blobs
        .get(&BlobKey::parse(
            version.source.as_deref().ok_or_else(|| lacks("source"))?,
        )?)
        .await?;
    let shop = app
        .arena
        .human_matches
        .workshop()
        .cloned()
        .ok_or_else(|| lacks("isolation"))?;
    let source = program_source(game, who.name.clone(), version.id, version.file_name);
    let built = tokio::task::spawn_blocking(move || {
        shop.make_player(game, &source, || Ok::<_, JobSourceError>(bytes))
    });
    let built = built
        .await
        .map_err(|error| RunError::Ours(error.to_string()))?;
    let (player, ready) = built.map_err(|error| RunError::Ours(error.to_string()))?;
    kept.push(ready);
    Ok(player.kind)
}

fn program_source(
    game: &dyn AnyGame,
    name: String,
    version: VersionId,
    file_name: String,
) -> SourceTask {
    SourceTask {
        version: version.0,
        game: game.meta().id.to_owned(),
        name,
        file_name,
    }
}

async fn record_played(
    app: &App,
    game: &'static dyn AnyGame,
    id: MatchId,
    lease: &Lease,
    played: PlayedMatch,
) -> Result<(), RunError> {
    if played.verdict.is_none() {
        let why = played
            .void
            .map_or("it was interrupted".to_owned(), |why| why.why);
        return Err(RunError::Ours(why));
    }
    let longest_us = played.slowest.map_values(|spent| to_micros(spent.wall));
    let result =
        verdict::match_result(game, &played.replay, &longest_us, None).map_err(RunError::Ours)?;
    let replay = played.replay.to_text();
    match record_result(&app.store, &app.blobs, lease, id, replay, result).await? {
        RecordOutcome::Recorded { .. } | RecordOutcome::AlreadyFinished => Ok(()),
        RecordOutcome::Lost => Err(RunError::Ours("the lease was lost".to_owned())),
    }
}

/// Takes over the matches that a server left behind, see [`resume()`], and cancels those for which
/// people were awaited in vain. To be called now and then. Gives how many were ended.
///
/// # Errors
/// If the database fails.
pub async fn void_abandoned(app: &App) -> Result<usize, StoreError> {
    let now = Timestamp::now();
    let mut ended = resume(app).await?;
    app.store.forget_recorded_legs().await?;
    for id in app.store.unplayed_people(now.before(WAIT + GRACE)).await? {
        if app.arena.human_matches.table(id.0).is_none() {
            ended += usize::from(app.store.cancel_match(id, "nobody came", now).await.is_ok());
        }
    }
    Ok(ended)
}

/// Clears tables where nobody has come in time, as long as this one waits.
pub fn expire_later(app: App, table: Arc<HumanMatch>) {
    tokio::spawn(async move {
        while app.arena.human_matches.table(table.id()).is_some()
            && !table.begun.load(Ordering::Relaxed)
        {
            tokio::time::sleep(VACANT).await;
            expire(&app).await;
        }
    });
}

async fn expire(app: &App) {
    for table in app.arena.human_matches.expire() {
        let id = MatchId(table.id());
        let cancelled = app
            .store
            .cancel_match(id, "nobody came", Timestamp::now())
            .await;
        cancelled.map_or_else(|error| tracing::warn!(%id, %error, "not cancelled"), |_| ());
        table.over(live::over_message(app, id).await);
    }
}
