//! A match with people, from the lease to the result. If this server stops meanwhile, the match
//! goes on after its restart, see [`super::resume`].

use std::any::Any;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use leitai_game::{AnyGame, ByEntrant, Entrant};
use leitai_judge::clock::to_micros;
use leitai_judge::{
    JudgeError, MatchSpec, PlayedMatch, Player, PlayerKind, ResumePoint, play_match,
};
use leitai_store::{
    BlobKey, JobWork, Lease, LeaseState, LeasedJob, MatchId, RecordOutcome, StoreError, Timestamp,
    VersionId,
};

use super::context::PlayContext;
use super::judge_bridge::JudgeBridge;
use super::recorder::Recorder;
use super::resume::resume;
use super::{HumanMatch, Resumed, VACANT, WAIT};
use crate::live::{LiveMatchStart, LiveMatches};
use crate::work::play_match as work_play;
use crate::work::results::record_result;
use crate::work::source::{JobSourceError, SourceTask};
use crate::work::{match_result, queue};

/// The period of people for the judge: their clocks are in [`super::state`].
pub const ENDLESS: Duration = Duration::from_secs(7 * 24 * 3600);
/// A match that was not played so long after its human match must have expired will never be.
const GRACE: Duration = Duration::from_secs(60);
/// Who has the lease, for administrators.
pub const WORKER: &str = "tables";

/// Why there is no result.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The database.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The blob store.
    #[error(transparent)]
    Vault(#[from] leitai_store::BlobStoreError),
    /// The result was not recorded.
    #[error(transparent)]
    House(#[from] queue::JobQueueError),
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
    pub fn keep(context: &PlayContext, lease: Lease, table: &Arc<HumanMatch>) -> Held {
        let keeping = tokio::spawn(keep_lease(context.clone(), lease.clone(), table.clone()));
        Held { lease, keeping }
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.keeping.abort();
    }
}

/// Lets the match begin, now that everybody is there.
pub fn spawn_match(context: PlayContext, table: Arc<HumanMatch>) {
    tokio::spawn(async move {
        let id = MatchId(table.id());
        match run(&context, &table).await {
            Ok(()) => {}
            Err(RunError::Stopping) => {
                tracing::info!(%id, "a match with people goes on after the restart");
                context.human_matches.close(table.id());
                return table.cut_off();
            }
            Err(error) => {
                tracing::error!(%id, %error, "a match with people failed");
            }
        }
        finish_match(&context, &table).await;
    });
}

/// Ends a match without a result. It may be over by now, for example because an administrator has
/// cancelled it.
pub async fn void(context: &PlayContext, id: MatchId, why: &str) {
    let voided = context.store.void_match(id, why, Timestamp::now()).await;
    voided.map_or_else(|error| tracing::warn!(%id, %error, "not void"), |_| ());
}

/// Tells everybody how it ended, and removes the human match.
pub async fn finish_match(context: &PlayContext, table: &Arc<HumanMatch>) {
    context.live.over(table.id());
    context.human_matches.close(table.id());
    table.end();
}

/// Plays the match. If that fails, the match is void, unless somebody else has it by now.
async fn run(context: &PlayContext, table: &Arc<HumanMatch>) -> Result<(), RunError> {
    let (held, from, own) = match hold(context, table).await {
        Ok(held) => held,
        Err(error) => {
            if matches!(error, RunError::Store(_)) {
                void(
                    context,
                    MatchId(table.id()),
                    &format!("it could not begin: {error}"),
                )
                .await;
            }
            return Err(error);
        }
    };
    let done = play_held(context, table, &held, from, &own).await;
    if let Err(error) = &done
        && !matches!(error, RunError::Stopping)
    {
        let why = format!("it could not be played: {error}");
        context
            .store
            .give_up(&held.lease, &why, Timestamp::now())
            .await?;
    }
    done
}

async fn play_held(
    context: &PlayContext,
    table: &Arc<HumanMatch>,
    held: &Held,
    from: Option<ResumePoint>,
    own: &leitai_store::Match,
) -> Result<(), RunError> {
    let id = MatchId(table.id());
    let (fixture, programs) = make_match(context, table, own, from).await?;
    let game = fixture.game;
    let (hub, playing) = (context.live.clone(), table.clone());
    let (recorder, _writing) = Recorder::start(context.store.clone(), held.lease.clone(), id);
    let recording = recorder.clone();
    let played = on_a_thread(move || judge_match(&playing, &hub, &fixture, Some(recording))).await;
    drop(programs);
    let played = played??;
    if played.verdict.is_none() && context.human_matches.is_stopping() {
        recorder.write().await;
        // Whoever starts the server again need not wait for the end of the lease.
        context
            .store
            .renew_lease(&held.lease, Timestamp::now())
            .await?;
        return Err(RunError::Stopping);
    }
    record_played(context, game, id, &held.lease, played).await
}

/// The right to play the match, and its moves if a restart cut it off.
async fn hold(
    context: &PlayContext,
    table: &Arc<HumanMatch>,
) -> Result<(Held, Option<ResumePoint>, Box<leitai_store::Match>), RunError> {
    let id = MatchId(table.id());
    if let Some(Resumed { held, from }) = table.take_resumed() {
        return Ok((
            held,
            Some(from),
            Box::new(context.store.match_by_id(id).await?),
        ));
    }
    let taken = context
        .store
        .acquire_match(id, WORKER, Timestamp::now(), queue::LEASE)
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
    Ok((Held::keep(context, lease, table), None, own))
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
        .map_err(|_| RunError::Ours("the judge stopped".to_owned()))
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
async fn keep_lease(context: PlayContext, lease: Lease, table: Arc<HumanMatch>) {
    loop {
        tokio::time::sleep(queue::LEASE / 3).await;
        match context
            .store
            .renew_lease(&lease, Timestamp::now().after(queue::LEASE))
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
    context: &PlayContext,
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
            false => load_program(context, cast.game, own, entrant, &mut kept).await?,
        };
        players.push(Player { name, kind });
    }
    let [a, b]: [Player; 2] = players
        .try_into()
        .map_err(|_| RunError::Ours("two play".to_owned()))?;
    let sandbox = context
        .human_matches
        .workshop()
        .and_then(|shop| shop.program_sandbox())
        .filter(|_| !kept.is_empty());
    let spec = MatchSpec {
        legs: cast.legs,
        from,
        ..MatchSpec::new(
            cast.game,
            own.config.clone(),
            own.seed.get(),
            ByEntrant::new(a, b),
        )
        .map_err(|error| RunError::Ours(error.to_string()))?
    };
    let fixture = work_play::with_arena_terms(spec, &own.limits, sandbox);
    Ok((fixture, kept))
}

/// A built-in bot, or an upload that is built if it has to be.
async fn load_program(
    context: &PlayContext,
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
    let version = context
        .store
        .find_version(who.version.ok_or_else(|| lacks("version"))?)
        .await?;
    let bytes = context
        .blobs
        .get(&BlobKey::parse(
            version.source.as_deref().ok_or_else(|| lacks("source"))?,
        )?)
        .await?;
    let shop = context
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
    context: &PlayContext,
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
    let result = match_result::match_result(game, &played.replay, &longest_us, None)
        .map_err(RunError::Ours)?;
    let replay = played.replay.to_text();
    match record_result(&context.store, &context.blobs, lease, id, replay, result).await? {
        RecordOutcome::Recorded { .. } | RecordOutcome::AlreadyFinished => Ok(()),
        RecordOutcome::Lost => Err(RunError::Ours("the lease was lost".to_owned())),
    }
}

/// Takes over the matches that a server left behind, see [`resume()`], and cancels those for which
/// people were awaited in vain. To be called now and then. Gives how many were ended.
///
/// # Errors
/// If the database fails.
pub async fn void_abandoned(context: &PlayContext) -> Result<usize, StoreError> {
    let now = Timestamp::now();
    let mut ended = resume(context).await?;
    context.store.forget_recorded_legs().await?;
    for id in context
        .store
        .unplayed_people(now.before(WAIT + GRACE))
        .await?
    {
        if context.human_matches.table(id.0).is_none() {
            ended += usize::from(
                context
                    .store
                    .cancel_match(id, "nobody came", now)
                    .await
                    .is_ok(),
            );
        }
    }
    Ok(ended)
}

/// Removes human matches whose people did not come in time, as long as this one waits.
pub fn expire_later(context: PlayContext, table: Arc<HumanMatch>) {
    tokio::spawn(async move {
        while context.human_matches.table(table.id()).is_some()
            && !table.begun.load(Ordering::Relaxed)
        {
            tokio::time::sleep(VACANT).await;
            expire(&context).await;
        }
    });
}

async fn expire(context: &PlayContext) {
    for table in context.human_matches.expire() {
        let id = MatchId(table.id());
        let cancelled = context
            .store
            .cancel_match(id, "nobody came", Timestamp::now())
            .await;
        cancelled.map_or_else(|error| tracing::warn!(%id, %error, "not cancelled"), |_| ());
        table.end();
    }
}
