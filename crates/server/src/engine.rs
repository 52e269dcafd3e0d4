//! The background services of an arena: its own worker, the scheduler and periodic maintenance; and
//! the whole of a worker on another machine.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use leitai_game::GameSet;
use leitai_store::{Store, StoreError, Timestamp};
use tokio::runtime::Handle;
use tokio::task::JoinHandle;

use crate::contests::rules::{fill_in_names, fill_in_privacy};
use crate::game_files::{follow_game_files, load_games};
use crate::http::app::App;
use crate::play::HumanMatches;
use crate::play::home_ladder::{HomeLadders, keep_home_ladders};
use crate::play::resume::resume_matches;
use crate::schedule::{LEAD, ScheduleOptions, Scheduler};
use crate::work::http_source::HttpJobSource;
use crate::work::local_source::LocalJobSource;
use crate::work::program_cache::ProgramCache;
use crate::work::queue::JobQueue;
use crate::work::worker::{Worker, WorkerOptions, cache_without_programs, start_worker};

/// The interval of the search for tasks whose worker is gone.
const SWEEP: Duration = Duration::from_secs(5);

/// The longest time for writing the moves of human matches to the disk at shutdown.
const CUT_OFF: Duration = Duration::from_secs(5);

/// Options of the match engine.
#[derive(Clone, Debug)]
pub struct EngineOptions {
    /// The name of this server among those that share a database; it must stay the same after a
    /// restart.
    pub name: String,
    /// Matches at a time. With 0 this process runs no uploaded programs: they are left to other
    /// workers.
    pub slots: usize,
    /// Time between two ladder matches of a game whose ratings have settled;
    /// [`NO_LADDER`](crate::schedule::NO_LADDER): there are none.
    pub ladder_every: Duration,
    /// Whether there is an exhibition match of every game while somebody is there to watch.
    pub exhibitions: bool,
    /// The grace period of running matches at shutdown.
    pub grace: Duration,
}

impl EngineOptions {
    /// The default options.
    pub fn new(name: impl Into<String>) -> EngineOptions {
        let name = name.into();
        let (worker, schedule) = (WorkerOptions::new(&name), ScheduleOptions::new(&name, 1));
        let (slots, ladder_every) = (worker.slots, schedule.ladder_every);
        EngineOptions {
            name,
            slots,
            ladder_every,
            exhibitions: true,
            grace: worker.grace,
        }
    }
}

/// The running services.
pub struct MatchEngine {
    human_matches: HumanMatches,
    worker: Worker,
    tasks: Vec<JoinHandle<()>>,
    store: Store,
    leader_name: String,
}

impl MatchEngine {
    /// Puts the built-in bots on their ladders and starts the services. Human matches that a
    /// restart interrupted wait for their people. Must be called in a multi-threaded runtime,
    /// before the server listens.
    pub async fn start_engine(
        app: &App,
        program_cache: ProgramCache,
        options: EngineOptions,
    ) -> Result<MatchEngine, StoreError> {
        let EngineOptions {
            name,
            slots,
            ladder_every,
            exhibitions,
            grace,
        } = options;
        let program_cache = match slots {
            0 => cache_without_programs(),
            _ => program_cache,
        };
        app.arena
            .human_matches
            .set_program_cache(program_cache.clone());
        let schedule = ScheduleOptions {
            ladder_every,
            exhibitions,
            programs: program_cache.program_sandbox().is_some(),
            ladders: app.options.ladders.clone(),
            ..ScheduleOptions::new(&name, slots)
        };
        let audience = app.arena.audience.clone();
        let scheduler = Scheduler::new(&app.games, app.store.clone(), schedule)
            .with_audience(move |at| audience.is_present(at))
            .with_daily(app.daily_maker());
        open_arena(app, &scheduler, &name).await?;
        let job_source = Arc::new(LocalJobSource::new(
            app.job_queue(),
            &name,
            Handle::current(),
        ));
        let exhibitions = usize::from(exhibitions) * app.games.list().len();
        let worker = WorkerOptions {
            slots,
            exhibitions,
            grace,
            ..WorkerOptions::new(&name)
        };
        let worker = start_worker(job_source, &app.games, program_cache, worker);
        let leader_name = scheduler.leader_name().to_owned();
        let tasks = vec![
            tokio::spawn(keep_home_ladders(app.play_context(), home_ladders(app))),
            tokio::spawn(scheduler.run()),
            tokio::spawn(sweep_expired_leases(app.job_queue())),
            tokio::spawn(follow_game_files(app.arena_games())),
        ];
        resume_matches(&app.play_context()).await?;
        Ok(MatchEngine {
            human_matches: app.arena.human_matches.clone(),
            worker,
            tasks,
            store: app.store.clone(),
            leader_name,
        })
    }

    /// Stops scheduling. Running matches end within the grace period or go back into the queue;
    /// human matches continue after the restart.
    pub async fn stop_engine(self) {
        self.tasks.iter().for_each(JoinHandle::abort);
        if let Err(error) = self.store.give_lead_back(&self.leader_name).await {
            tracing::debug!(%error, "another server schedules once the lead of this one has ended");
        }
        self.human_matches.stop_matches();
        self.human_matches.wait_until_cut_off(CUT_OFF).await;
        let worker = self.worker;
        worker.stop_worker();
        // Waits for threads, which wait for the database.
        let ended = tokio::task::spawn_blocking(move || worker.join_threads()).await;
        if let Ok(Err(why)) = ended {
            tracing::error!(%why, "the server's own worker was refused");
        }
    }
}

/// The ladders of programs at home, which play what the standard ladder of their game plays.
fn home_ladders(app: &App) -> HomeLadders {
    let standard = &app.options.ladders.standard;
    let games = app.options.home_ladders.iter().cloned();
    let config = |game: &str| standard.get(game).cloned().unwrap_or_default();
    games.map(|game| (game.clone(), config(&game))).collect()
}

/// What is done before anything is played: games are loaded and their ladders opened, and what an
/// earlier process left is settled.
async fn open_arena(app: &App, scheduler: &Scheduler, name: &str) -> Result<(), StoreError> {
    load_games(&app.arena_games()).await?;
    scheduler.open_ladders(Timestamp::now()).await?;
    fill_in_privacy(&app.games, &app.store).await?;
    fill_in_names(&app.games, &app.store).await?;
    settle_leases(app, name).await
}

/// Ends the leases of the process before: a database in a file has one server, and what its worker
/// was doing ended with it. Another database may have been away, and the leases there go on.
async fn settle_leases(app: &App, name: &str) -> Result<(), StoreError> {
    if !app.store.is_embedded() {
        let prolonged = app.store.begin_serving(Timestamp::now(), LEAD).await?;
        if prolonged > 0 {
            tracing::info!(
                jobs = prolonged,
                "nobody could renew these leases; they are prolonged"
            );
        }
        return Ok(());
    }
    let ended = app.store.end_leases_of(name, Timestamp::now()).await?;
    if ended > 0 {
        tracing::info!(jobs = ended, "jobs of the server before begin anew");
    }
    Ok(())
}

async fn sweep_expired_leases(job_queue: JobQueue) {
    loop {
        tokio::time::sleep(SWEEP).await;
        job_queue.sweep_expired();
    }
}

/// Works for the arena whose servers are at these addresses until `stop` is set; then ends as
/// [`Worker::stop_worker`] says.
///
/// # Errors
/// A refusal of all servers, for people.
pub fn work_for(
    servers: &[String],
    token: &str,
    games: &GameSet,
    program_cache: ProgramCache,
    options: WorkerOptions,
    stop: &AtomicBool,
) -> Result<(), String> {
    let job_source = Arc::new(HttpJobSource::new(servers, token, &options.name, games));
    // Exhibitions cost next to nothing; those of uploaded programs are played where programs run.
    let exhibitions = if program_cache.program_sandbox().is_some() {
        games.list().len()
    } else {
        0
    };
    let options = WorkerOptions {
        remote: true,
        exhibitions,
        ..options
    };
    start_worker(job_source, games, program_cache, options).work_until(stop)
}
