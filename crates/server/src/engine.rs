//! What turns a server into an arena: its own worker, the scheduler, and what is looked after now
//! and then. And the whole of a worker on another machine.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use leitai_game::AnyGame;
use leitai_store::{StoreError, Timestamp};
use tokio::runtime::Handle;
use tokio::task::JoinHandle;

use crate::http::app::App;
use crate::play::HumanMatches;
use crate::play::resume::resume;
use crate::schedule::{ScheduleOptions, Scheduler};
use crate::work::http_source::HttpJobSource;
use crate::work::program_cache::ProgramCache;
use crate::work::queue::{JobQueue, LocalJobSource};
use crate::work::worker::{Worker, WorkerOptions, workshop_without_programs};

/// How often tasks of workers that are gone are looked for.
const SWEEP: Duration = Duration::from_secs(5);

/// How long matches with people may take to reach the disk when the server is stopped.
const CUT_OFF: Duration = Duration::from_secs(5);

/// How a server plays.
#[derive(Clone, Debug)]
pub struct EngineOptions {
    /// The name of this server among those that share a database; the same after it was started
    /// again.
    pub name: String,
    /// Matches at once. With 0 this process runs no uploaded program at all: all are left to other
    /// workers.
    pub slots: usize,
    /// Time between two ladder matches of a game whose ratings have settled.
    pub ladder_every: Duration,
    /// Whether every game has a match to watch all the time.
    pub exhibitions: bool,
    /// How long running matches may go on when the server is stopped.
    pub grace: Duration,
}

impl EngineOptions {
    /// The usual ones.
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

/// A server that plays.
pub struct MatchEngine {
    tables: HumanMatches,
    worker: Worker,
    tasks: Vec<JoinHandle<()>>,
}

impl MatchEngine {
    /// Puts the built-in bots on their ladders and begins to play. Matches with people that a
    /// restart cut off wait for them. To be called on a runtime with several threads, before the
    /// server listens.
    pub async fn start_engine(
        app: &App,
        workshop: ProgramCache,
        options: EngineOptions,
    ) -> Result<MatchEngine, StoreError> {
        let EngineOptions {
            name,
            slots,
            ladder_every,
            exhibitions,
            grace,
        } = options;
        let workshop = if slots == 0 {
            workshop_without_programs()
        } else {
            workshop
        };
        app.arena.human_matches.use_workshop(workshop.clone());
        let schedule = ScheduleOptions {
            ladder_every,
            exhibitions,
            programs: workshop.program_sandbox().is_some(),
            configs: app.options.ladder_configs.clone(),
            ..ScheduleOptions::new(&name, slots)
        };
        let scheduler = Scheduler::new(app.games, app.store.clone(), schedule);
        scheduler.open_ladders(Timestamp::now()).await?;
        let desk = Arc::new(LocalJobSource::new(
            app.job_queue(),
            &name,
            Handle::current(),
        ));
        let exhibitions = if exhibitions { app.games.len() } else { 0 };
        let worker = WorkerOptions {
            slots,
            exhibitions,
            grace,
            ..WorkerOptions::new(&name)
        };
        let worker = Worker::start_worker(desk, app.games, workshop, worker);
        let tasks = vec![
            tokio::spawn(scheduler.run()),
            tokio::spawn(sweep_expired_leases(app.job_queue())),
        ];
        resume(&app.play_context()).await?;
        Ok(MatchEngine {
            tables: app.arena.human_matches.clone(),
            worker,
            tasks,
        })
    }

    /// Schedules nothing more. What is being played ends within the grace time or goes back into
    /// the queue; matches with people go on after the restart.
    pub async fn stop_engine(self) {
        self.tasks.iter().for_each(JoinHandle::abort);
        self.tables.stop();
        self.tables.wait_until_cut_off(CUT_OFF).await;
        let worker = self.worker;
        worker.stop_worker();
        // Waits for threads, which wait for the database.
        let ended = tokio::task::spawn_blocking(move || worker.join_threads()).await;
        if let Ok(Err(why)) = ended {
            tracing::error!(%why, "the server's own worker was refused");
        }
    }
}

async fn sweep_expired_leases(house: JobQueue) {
    loop {
        tokio::time::sleep(SWEEP).await;
        house.sweep_expired();
    }
}

/// Works for the server at this address until `stop` is set; then ends as [`Worker::stop_worker`]
/// says.
///
/// # Errors
/// A refusal of the server, for people.
pub fn work_for(
    server: &str,
    token: &str,
    games: &'static [&'static dyn AnyGame],
    workshop: ProgramCache,
    options: WorkerOptions,
    stop: &AtomicBool,
) -> Result<(), String> {
    let desk = Arc::new(HttpJobSource::new(server, token, &options.name, games));
    // Exhibitions cost next to nothing; those of uploaded programs are played where programs run.
    let exhibitions = if workshop.program_sandbox().is_some() {
        games.len()
    } else {
        0
    };
    let worker = Worker::start_worker(
        desk,
        games,
        workshop,
        WorkerOptions {
            remote: true,
            exhibitions,
            ..options
        },
    );
    while worker.is_at_work() {
        if stop.load(Ordering::Relaxed) {
            worker.stop_worker();
        }
        std::thread::park_timeout(Duration::from_millis(100));
    }
    worker.join_threads()
}
