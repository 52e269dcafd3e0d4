//! A match with people, from the lease to the result. If this server dies meanwhile, the match is void: its people are
//! gone, and nobody else can play it.

use std::any::Any;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use leitai_game::{AnyGame, ByEntrant, Entrant};
use leitai_judge::clock::micros;
use leitai_judge::{JudgeError, Manners, Match, Played, Player, PlayerKind, Sandbox, play};
use leitai_store::{Acquired, Finish, Holding, Key, Lease, MatchId, StoreError, Timestamp, VersionId, Work};

use super::door::Door;
use super::{Table, VACANT, WAIT};
use crate::app::App;
use crate::arena::desk::{DeskError, SourceTask};
use crate::arena::hub::{BeginMatch, Hub};
use crate::arena::routes::live;
use crate::arena::{house, seat, terms, verdict};

/// What people are told a period lasts for the judge: their clocks are kept by the floor.
pub const ENDLESS: Duration = Duration::from_secs(7 * 24 * 3600);
/// A match that was not played so long after its table must have expired will never be.
const GRACE: Duration = Duration::from_secs(60);
/// Longer than any lease.
const FOREVER: Duration = Duration::from_secs(24 * 3600);
/// Who has the lease, for administrators.
const WORKER: &str = "tables";

/// Why there is no result.
#[derive(Debug, thiserror::Error)]
enum RunError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Vault(#[from] leitai_store::VaultError),
    #[error(transparent)]
    Judge(#[from] JudgeError),
    #[error("{0}")]
    Ours(String),
}

/// Lets the match begin, now that everybody is there.
pub fn begin(app: App, table: Arc<Table>) {
    tokio::spawn(async move {
        let id = MatchId(table.id());
        if let Err(error) = run(&app, &table).await {
            tracing::error!(%id, %error, "a match with people failed");
            let note = format!("it could not be played: {error}");
            // It may be over by now, for example because an administrator has cancelled it.
            let voided = app.store.void_match(id, &note, Timestamp::now()).await;
            voided.map_or_else(|error| tracing::warn!(%id, %error, "not void"), |_| ());
        }
        finish(&app, &table).await;
    });
}

/// Tells everybody how it ended, and clears the table.
async fn finish(app: &App, table: &Arc<Table>) {
    let text = live::over(app, MatchId(table.id())).await;
    app.arena.hub.over(table.id());
    app.arena.tables.close(table.id());
    table.over(text);
}

async fn run(app: &App, table: &Arc<Table>) -> Result<(), RunError> {
    let id = MatchId(table.id());
    let taken = app.store.acquire_match(id, WORKER, Timestamp::now(), house::LEASE).await?;
    let Some(Acquired { lease, work: Work::Match(own), .. }) = taken else {
        return Err(RunError::Ours("somebody else has it, or it is over".to_owned()));
    };
    let keeping = tokio::spawn(keep(app.clone(), lease.clone(), table.clone()));
    let (fixture, programs) = fixture(app, table, &own).await?;
    let game = fixture.game;
    let (hub, playing) = (app.arena.hub.clone(), table.clone());
    let played = on_a_thread(move || judge(&playing, &hub, &fixture)).await;
    drop(programs);
    let recorded = match played? {
        Ok(played) => record(app, game, id, &lease, played).await,
        Err(error) => Err(error.into()),
    };
    keeping.abort();
    recorded
}

/// Runs something long on a thread of its own: a match with people lasts for minutes.
async fn on_a_thread<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, RunError> {
    let (done, result) = tokio::sync::oneshot::channel();
    let thread = std::thread::Builder::new().name("table".to_owned());
    // Nobody waits for the result only if the server stops.
    let started = thread.spawn(move || _ = done.send(work()));
    started.map_err(|error| RunError::Ours(format!("there is no thread for it: {error}")))?;
    result.await.map_err(|_| RunError::Ours("the judge broke off".to_owned()))
}

/// Plays the match on this thread. Spectators see it; they are not told of its end, since the result is not yet stored.
pub fn judge(table: &Arc<Table>, hub: &Hub, fixture: &Match) -> Result<Played, JudgeError> {
    hub.begin(BeginMatch {
        id: table.id(),
        game: fixture.game,
        setup: fixture.setup.clone(),
        legs: fixture.legs,
        entrants: fixture.players.each_ref().map(|player| player.name.clone()),
        people: true,
    });
    let door = Door::new(table.clone(), hub.clone());
    play(fixture, &mut door.clone(), &mut door.clone(), &table.stop)
}

/// Renews the lease as long as the match is played, and ends the match when the lease is lost.
async fn keep(app: App, lease: Lease, table: Arc<Table>) {
    loop {
        tokio::time::sleep(house::LEASE / 3).await;
        match app.store.renew(&lease, Timestamp::now().after(house::LEASE)).await {
            Ok(Holding::Held) => {}
            Ok(Holding::Lost) => return table.stop.store(true, Ordering::Relaxed),
            Err(error) => tracing::warn!(%error, "cannot renew the lease of a match with people"),
        }
    }
}

/// What is kept while programs play.
type Kept = Vec<Arc<dyn Any + Send + Sync>>;

async fn fixture(app: &App, table: &Table, own: &leitai_store::Match) -> Result<(Match, Kept), RunError> {
    let (cast, mut kept) = (table.cast(), Kept::new());
    let mut players = Vec::new();
    for entrant in Entrant::BOTH {
        let name = cast.entrants[entrant].clone();
        let kind = match table.people()[entrant] {
            true => PlayerKind::Human { period: ENDLESS },
            false => program(app, cast.game, own, entrant, &mut kept).await?,
        };
        players.push(Player { name, kind });
    }
    let [a, b]: [Player; 2] = players.try_into().map_err(|_| RunError::Ours("two play".to_owned()))?;
    let sandbox = app.arena.tables.workshop().and_then(|shop| shop.sandbox()).filter(|_| !kept.is_empty());
    let fixture = Match {
        game: cast.game,
        config: own.config.clone(),
        seed: own.seed.get(),
        setup: cast.setup,
        legs: cast.legs,
        players: ByEntrant::new(a, b),
        limits: terms::limits(cast.game, &own.limits),
        resources: terms::resources(),
        sandbox: sandbox.cloned().unwrap_or_else(Sandbox::none),
        recorded: seat::now(),
        from: None,
        manners: Manners::Usual,
    };
    Ok((fixture, kept))
}

/// A built-in bot, or an upload that is built if it has to be.
async fn program(
    app: &App,
    game: &'static dyn AnyGame,
    own: &leitai_store::Match,
    entrant: Entrant,
    kept: &mut Kept,
) -> Result<PlayerKind, RunError> {
    let who = if entrant == Entrant::A { &own.a } else { &own.b };
    let who = who.as_ref().ok_or_else(|| RunError::Ours("an entrant is missing".to_owned()))?;
    if who.built_in {
        return Ok(PlayerKind::BuiltIn(who.name.clone()));
    }
    let lacks = |what: &str| RunError::Ours(format!("{} has no {what}", who.name));
    let version = app.store.version(who.version.ok_or_else(|| lacks("version"))?).await?;
    let bytes =
        app.vault.get(&Key::parse(version.source.as_deref().ok_or_else(|| lacks("source"))?)?).await?;
    let shop = app.arena.tables.workshop().cloned().ok_or_else(|| lacks("isolation"))?;
    let source = source(game, who.name.clone(), version.id, version.file_name);
    let built = tokio::task::spawn_blocking(move || shop.player(game, &source, || Ok::<_, DeskError>(bytes)));
    let built = built.await.map_err(|error| RunError::Ours(error.to_string()))?;
    let (player, ready) = built.map_err(|error| RunError::Ours(error.to_string()))?;
    kept.push(ready);
    Ok(player.kind)
}

fn source(game: &dyn AnyGame, name: String, version: VersionId, file_name: String) -> SourceTask {
    SourceTask { version: version.0, game: game.meta().id.to_owned(), name, file_name }
}

/// Stores the replay, then the result, so that no result points to nothing.
async fn record(
    app: &App,
    game: &'static dyn AnyGame,
    id: MatchId,
    lease: &Lease,
    played: Played,
) -> Result<(), RunError> {
    if played.verdict.is_none() {
        let why = played.void.map_or("it was interrupted".to_owned(), |why| why.why);
        return Err(RunError::Ours(why));
    }
    let key = Key::replay(id);
    let longest_us = played.slowest.map(|spent| micros(spent.wall));
    let result = verdict::result(game, &played.replay, &longest_us, Some(key.as_str().to_owned()));
    let result = result.map_err(RunError::Ours)?;
    app.vault.put(&key, played.replay.to_text().into_bytes()).await?;
    match app.store.finish_match(lease, result, Timestamp::now()).await? {
        Finish::Recorded { .. } | Finish::AlreadyFinished => Ok(()),
        Finish::Lost => Err(RunError::Ours("the lease was lost".to_owned())),
    }
}

/// Ends the matches whose server died: those that were being played are void, and those for which people were awaited
/// are cancelled. To be called when a server starts, and now and then.
///
/// # Errors
/// If the database fails.
pub async fn sweep(app: &App) -> Result<usize, StoreError> {
    let now = Timestamp::now();
    let mut ended = 0;
    // Of an embedded database this is the only server: whatever has no table here is played by nobody, however long
    // its lease still lasts.
    let ended_before = if app.store.is_embedded() { now.after(FOREVER) } else { now };
    for id in app.store.stranded_people(ended_before).await? {
        if app.arena.tables.table(id.0).is_none() {
            let why = "the server was stopped while it was played";
            ended += usize::from(app.store.void_match(id, why, now).await.is_ok());
        }
    }
    for id in app.store.unplayed_people(now.before(WAIT + GRACE)).await? {
        if app.arena.tables.table(id.0).is_none() {
            ended += usize::from(app.store.cancel_match(id, "nobody came", now).await.is_ok());
        }
    }
    Ok(ended)
}

/// Clears tables where nobody has come in time, as long as this one waits.
pub fn expire_later(app: App, table: Arc<Table>) {
    tokio::spawn(async move {
        while app.arena.tables.table(table.id()).is_some() && !table.begun.load(Ordering::Relaxed) {
            tokio::time::sleep(VACANT).await;
            expire(&app).await;
        }
    });
}

async fn expire(app: &App) {
    for table in app.arena.tables.expire() {
        let id = MatchId(table.id());
        let cancelled = app.store.cancel_match(id, "nobody came", Timestamp::now()).await;
        cancelled.map_or_else(|error| tracing::warn!(%id, %error, "not cancelled"), |_| ());
        table.over(live::over(app, id).await);
    }
}
