//! Runs a human match from its lease to its result. If the server stops meanwhile, the match
//! continues after the restart, see [`super::resume`].

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use leitai_game::replay::LogRecord;
use leitai_game::{AnyGame, ByEntrant, Entrant, GameHandle};
use leitai_judge::build::ReadyEntrant;
use leitai_judge::clock::to_micros;
use leitai_judge::{
    JudgeError, MatchSpec, PlayedMatch, Player, PlayerKind, ResumePoint, play_match,
};
use leitai_store::{
    BlobKey, JobWork, Lease, LeasedJob, MatchId, PerSide, RecordOutcome, Store, StoreError,
    Timestamp, VersionId,
};

use super::context::PlayContext;
use super::judge_bridge::JudgeBridge;
use super::lobby::LATE;
use super::recorder::MoveRecorder;
use super::{HumanMatch, Resumed, VACANT};
use crate::libraries::{libraries_hash, read_by_hash};
use crate::live::{LiveMatchStart, LiveMatches};
use crate::work::continuation::{MatchOrigin, recorded_moment, resume_point};
use crate::work::entrants::{entrant_source, read_upload};
use crate::work::leased_tasks::LEASE;
use crate::work::leases::KeptLease;
use crate::work::match_result;
use crate::work::play_match as work_play;
use crate::work::program_cache::BuildWatch;
use crate::work::queue_error::JobQueueError;
use crate::work::results::record_result;
use crate::work::source::EntrantSource;
use crate::work::worker::cache_without_programs;

/// The time limit of people for the judge: their real clocks are in [`super::state`].
pub const ENDLESS: Duration = Duration::from_secs(7 * 24 * 3600);
/// When the database is asked again that was away.
const RETRY: Duration = Duration::from_millis(500);
/// Why a match is cancelled in which neither person answered the first question.
const UNPLAYED: &str = "neither person moved";
/// The worker name of these leases, for administrators.
pub const WORKER: &str = "tables";

/// The duration of a match's lease unless it is renewed. Where there may be other servers, one of
/// them takes the match over when it has ended, and people wait for that.
pub fn lease_duration(store: &Store) -> Duration {
    match store.is_embedded() {
        true => LEASE,
        false => Duration::from_secs(12),
    }
}

/// Errors of a human match.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The blob store failed.
    #[error(transparent)]
    Blobs(#[from] leitai_store::BlobStoreError),
    /// The result was not recorded.
    #[error(transparent)]
    Queue(#[from] JobQueueError),
    /// The judge failed.
    #[error(transparent)]
    Judge(#[from] JudgeError),
    /// Another infrastructure error.
    #[error("{0}")]
    Infrastructure(String),
    /// The server shuts down; the match continues after its restart.
    #[error("the server stops")]
    Stopping,
}

/// Renews the lease of a match from now on, and ends the match when it is lost.
pub fn keep_lease(context: &PlayContext, lease: Lease, human_match: &HumanMatch) -> KeptLease {
    KeptLease::keep(
        context.store.clone(),
        lease,
        lease_duration(&context.store),
        human_match.stop.clone(),
    )
}

/// Starts the match after everybody has joined.
pub fn spawn_match(context: PlayContext, human_match: Arc<HumanMatch>) {
    tokio::spawn(async move {
        let id = MatchId(human_match.id());
        match run_match(&context, &human_match).await {
            Ok(()) => {}
            Err(RunError::Stopping) => {
                tracing::info!(%id, "a match with people goes on after the restart");
                context.human_matches.remove_match(human_match.id());
                return human_match.disconnect_for_restart();
            }
            Err(error) => {
                tracing::error!(%id, %error, "a match with people failed");
            }
        }
        finish_match(&context, &human_match).await;
    });
}

/// Ends a match as void. An error is only logged, because the match may be over, for example
/// cancelled by an administrator.
pub async fn void_match(context: &PlayContext, id: MatchId, why: &str) {
    let voided = context.store.void_match(id, why, Timestamp::now()).await;
    voided.map_or_else(|error| tracing::warn!(%id, %error, "not void"), |_| ());
}

/// Sends the end to all connections and removes the human match.
pub async fn finish_match(context: &PlayContext, human_match: &Arc<HumanMatch>) {
    context.live.end_match(human_match.id());
    context.human_matches.remove_match(human_match.id());
    human_match.end_match();
}

/// Plays the match. After an error the match becomes void, unless another worker holds it.
async fn run_match(context: &PlayContext, human_match: &Arc<HumanMatch>) -> Result<(), RunError> {
    let acquired = loop {
        match acquire_lease(context, human_match).await {
            Err(error) if is_tried_again(context, &error).await => {}
            acquired => break acquired,
        }
    };
    let (held, from, own) = match acquired {
        Ok(held) => held,
        Err(error) => {
            if matches!(error, RunError::Store(_)) && !error.is_away() {
                void_match(
                    context,
                    MatchId(human_match.id()),
                    &format!("it could not begin: {error}"),
                )
                .await;
            }
            return Err(error);
        }
    };
    let done = play_held(context, human_match, &held, from, &own).await;
    if let Err(error) = &done
        && !matches!(error, RunError::Stopping)
        && !error.is_away()
    {
        let why = format!("it could not be played: {error}");
        context
            .store
            .give_up(held.lease(), &why, Timestamp::now())
            .await?;
    }
    done
}

async fn play_held(
    context: &PlayContext,
    human_match: &Arc<HumanMatch>,
    held: &KeptLease,
    from: Option<ResumePoint>,
    own: &leitai_store::Match,
) -> Result<(), RunError> {
    let id = MatchId(human_match.id());
    let (spec, programs) = loop {
        match make_match(context, human_match, own, from.clone()).await {
            Err(error) if is_tried_again(context, &error).await => {}
            made => break made?,
        }
    };
    let game = spec.game.clone();
    let (live, playing) = (context.live.clone(), human_match.clone());
    let (recorder, _writing) = MoveRecorder::start(context.store.clone(), held.lease().clone(), id);
    let recording = recorder.clone();
    let played = run_on_thread(move || judge_match(&playing, &live, &spec, Some(recording))).await;
    drop(programs);
    let mut played = played??;
    note_connections(human_match, &mut played);
    if played.verdict.is_none() && context.human_matches.is_stopping() {
        recorder.write().await;
        // The lease expires now, so that the restarted server need not wait for it.
        context
            .store
            .renew_lease(held.lease(), Timestamp::now())
            .await?;
        return Err(RunError::Stopping);
    }
    if human_match.unplayed.load(Ordering::Relaxed) {
        let store = &context.store;
        store.cancel_match(id, UNPLAYED, Timestamp::now()).await?;
        return Ok(());
    }
    note_latencies(context, human_match, id).await;
    loop {
        match record_played(context, &*game, id, held.lease(), &played).await {
            Err(error) if is_tried_again(context, &error).await => {}
            recorded => return recorded,
        }
    }
}

/// Writes into the log of each program at home what its connection was like.
fn note_connections(human_match: &HumanMatch, played: &mut PlayedMatch) {
    let Some(leg) = played.replay.legs.last_mut() else {
        return;
    };
    for (entrant, text) in human_match.describe_connections() {
        leg.logs.push(LogRecord {
            entrant,
            period: 0,
            text: format!("{text}\n"),
        });
    }
}

/// Keeps how far away the programs at home were. A result does not wait for it.
async fn note_latencies(context: &PlayContext, human_match: &HumanMatch, id: MatchId) {
    let measured = human_match.median_latencies();
    let medians = PerSide {
        a: measured[Entrant::A],
        b: measured[Entrant::B],
    };
    if let Err(error) = context.store.note_latencies(id, medians).await {
        tracing::warn!(%id, %error, "the latency of a program at home is not kept");
    }
}

impl RunError {
    /// Whether the database is away: then the match goes on later.
    fn is_away(&self) -> bool {
        match self {
            RunError::Store(error) => matches!(error, StoreError::Away(_)),
            RunError::Queue(error) => error.is_away(),
            _ => false,
        }
    }
}

/// Whether the same is to be tried again, after a pause: the database is away. A server that stops
/// leaves it to the next one.
async fn is_tried_again(context: &PlayContext, error: &RunError) -> bool {
    let again = error.is_away() && !context.human_matches.is_stopping();
    if again {
        tokio::time::sleep(RETRY).await;
    }
    again
}

/// Acquires the lease, with the recorded moves of an interrupted match.
async fn acquire_lease(
    context: &PlayContext,
    human_match: &Arc<HumanMatch>,
) -> Result<(KeptLease, Option<ResumePoint>, Box<leitai_store::Match>), RunError> {
    let id = MatchId(human_match.id());
    if let Some(Resumed { held, from }) = human_match.take_resumed() {
        return Ok((
            held,
            Some(from),
            Box::new(context.store.match_by_id(id).await?),
        ));
    }
    let taken = context
        .store
        .acquire_match(id, WORKER, Timestamp::now(), lease_duration(&context.store))
        .await?;
    let Some(LeasedJob {
        lease,
        work: JobWork::Match(own),
        ..
    }) = taken
    else {
        return Err(RunError::Infrastructure(
            "somebody else has it, or it is over".to_owned(),
        ));
    };
    let from = find_start(context, &own).await?;
    if let Some(from) = &from {
        human_match.catch_up(from);
    }
    Ok((keep_lease(context, lease, human_match), from, own))
}

/// The moment of another match at which this one begins, if it does not begin at the beginning.
pub async fn find_start(
    context: &PlayContext,
    own: &leitai_store::Match,
) -> Result<Option<ResumePoint>, RunError> {
    let Some(origin) = MatchOrigin::of_limits(&own.limits) else {
        return Ok(None);
    };
    let fail = |why: String| RunError::Infrastructure(why);
    let game = context.find_game(&own.game);
    let game = game.ok_or_else(|| fail(format!("there is no game {}", own.game)))?;
    let other = context.store.match_by_id(MatchId(origin.match_id)).await?;
    let replay = other.replay.as_deref();
    let gone = || fail(format!("the replay of match {} is gone", origin.match_id));
    let key = BlobKey::parse(replay.ok_or_else(gone)?)?;
    let bytes = context.blobs.read_blob(&key).await?;
    let moment = recorded_moment(&bytes, origin).map_err(fail)?;
    let from = resume_point(&*game, &moment).map_err(|error| fail(error.to_string()))?;
    Ok(Some(from))
}

/// Runs a long computation on a separate thread: a human match lasts for minutes.
async fn run_on_thread<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, RunError> {
    let (done, result) = tokio::sync::oneshot::channel();
    let thread = std::thread::Builder::new().name("table".to_owned());
    // The receiver is only gone when the server shuts down.
    let started = thread.spawn(move || _ = done.send(work()));
    started
        .map_err(|error| RunError::Infrastructure(format!("there is no thread for it: {error}")))?;
    result
        .await
        .map_err(|_| RunError::Infrastructure("the judge stopped".to_owned()))
}

/// Plays the match on this thread. Spectators follow it, but are not sent its end, because the
/// result is not stored yet.
pub fn judge_match(
    human_match: &Arc<HumanMatch>,
    live: &LiveMatches,
    spec: &MatchSpec,
    recorder: Option<MoveRecorder>,
) -> Result<PlayedMatch, JudgeError> {
    live.begin_match(LiveMatchStart {
        id: human_match.id(),
        game: spec.game.clone(),
        setup: spec.setup.clone(),
        legs: spec.legs,
        entrants: spec
            .players
            .each_ref()
            .map_values(|player| player.name.clone()),
        has_people: true,
    });
    let bridge = JudgeBridge::new(
        human_match.clone(),
        live.clone(),
        spec.game.clone(),
        recorder,
    );
    play_match(
        spec,
        &mut bridge.clone(),
        &mut bridge.clone(),
        &human_match.stop,
    )
}

/// Handles that keep the programs' folders during the match.
type KeptPrograms = Vec<Arc<ReadyEntrant>>;

async fn make_match(
    context: &PlayContext,
    human_match: &HumanMatch,
    own: &leitai_store::Match,
    from: Option<ResumePoint>,
) -> Result<(MatchSpec, KeptPrograms), RunError> {
    let (header, mut kept) = (human_match.frames_header(), KeptPrograms::new());
    let mut players = Vec::new();
    for entrant in Entrant::BOTH {
        let name = header.entrants[entrant].clone();
        let kind = match human_match.human_sides()[entrant] {
            true => PlayerKind::Human {
                period: ENDLESS,
                protocol: human_match.protocols_at_home()[entrant].clone(),
            },
            false => load_program(context, &header.game, own, entrant, &mut kept).await?,
        };
        players.push(Player { name, kind });
    }
    let [a, b]: [Player; 2] = players
        .try_into()
        .map_err(|_| RunError::Infrastructure("two play".to_owned()))?;
    let sandbox = context
        .human_matches
        .program_cache()
        .and_then(|cache| cache.program_sandbox())
        .filter(|_| !kept.is_empty());
    let spec = MatchSpec {
        legs: header.legs,
        from,
        ..MatchSpec::new(
            &header.game,
            own.config.clone(),
            own.seed.get(),
            ByEntrant::new(a, b),
        )
        .map_err(|error| RunError::Infrastructure(error.to_string()))?
    };
    let spec = work_play::with_arena_terms(spec, &own.limits, sandbox);
    Ok((spec, kept))
}

/// Loads a built-in bot, or builds an upload if needed.
async fn load_program(
    context: &PlayContext,
    game: &GameHandle,
    own: &leitai_store::Match,
    entrant: Entrant,
    kept: &mut KeptPrograms,
) -> Result<PlayerKind, RunError> {
    let who = match entrant {
        Entrant::A => own.a.as_ref(),
        Entrant::B => own.b.as_ref(),
    };
    let lacks = || RunError::Infrastructure("an entrant is missing".to_owned());
    let who = who.ok_or_else(lacks)?;
    let mut source = entrant_source(&context.store, game.meta().id, who).await?;
    let bytes = match &mut source {
        EntrantSource::BuiltIn(_) => Vec::new(),
        EntrantSource::Program(upload) => {
            upload.libraries = libraries_hash(&context.blobs)
                .await
                .map_err(JobQueueError::from)?;
            read_upload(&context.store, &context.blobs, VersionId(upload.version)).await?
        }
    };
    let cache = context.human_matches.program_cache().cloned();
    let (cache, game) = (cache.unwrap_or_else(cache_without_programs), game.clone());
    let (blobs, runtime) = (context.blobs.clone(), tokio::runtime::Handle::current());
    let built = tokio::task::spawn_blocking(move || {
        let library = |hash: &str| {
            let read = async {
                read_by_hash(&blobs, hash)
                    .await
                    .map_err(JobQueueError::from)
            };
            Ok(runtime.block_on(read)?)
        };
        let watch = BuildWatch {
            library: Some(&library),
            ..BuildWatch::default()
        };
        cache.make_entrant(&*game, &source, &watch, |_| Ok(bytes))
    });
    let built = built
        .await
        .map_err(|error| RunError::Infrastructure(error.to_string()))?;
    let (kind, ready) = built.map_err(|error| RunError::Infrastructure(error.to_string()))?;
    kept.extend(ready);
    Ok(kind)
}

async fn record_played(
    context: &PlayContext,
    game: &dyn AnyGame,
    id: MatchId,
    lease: &Lease,
    played: &PlayedMatch,
) -> Result<(), RunError> {
    if played.verdict.is_none() {
        let why =
            (played.void.as_ref()).map_or("it was interrupted".to_owned(), |why| why.why.clone());
        return Err(RunError::Infrastructure(why));
    }
    let longest_us = played.slowest.map_values(|spent| to_micros(spent.wall));
    let result = match_result::match_result(game, &played.replay, &longest_us, None)
        .map_err(RunError::Infrastructure)?;
    let replay = played.replay.to_text();
    match record_result(&context.store, &context.blobs, lease, id, replay, result).await? {
        RecordOutcome::Recorded { .. } | RecordOutcome::AlreadyFinished => Ok(()),
        RecordOutcome::Lost => Err(RunError::Infrastructure("the lease was lost".to_owned())),
    }
}

/// Removes expired human matches as long as this one waits.
pub fn expire_later(context: PlayContext, human_match: Arc<HumanMatch>) {
    tokio::spawn(async move {
        while context.human_matches.find_match(human_match.id()).is_some()
            && !human_match.begun.load(Ordering::Relaxed)
        {
            tokio::time::sleep(VACANT).await;
            cancel_expired(&context).await;
        }
    });
}

/// Cancels the match of a table in the lobby if the person who took its free seat does not come.
pub fn cancel_if_stood_up(context: PlayContext) {
    tokio::spawn(async move {
        tokio::time::sleep(LATE).await;
        cancel_expired(&context).await;
    });
}

async fn cancel_expired(context: &PlayContext) {
    for human_match in context.human_matches.remove_expired() {
        let id = MatchId(human_match.id());
        let cancelled = context
            .store
            .cancel_match(id, "nobody came", Timestamp::now())
            .await;
        cancelled.map_or_else(|error| tracing::warn!(%id, %error, "not cancelled"), |_| ());
        context.note_absent_programs(&human_match).await;
        human_match.end_match();
    }
}
