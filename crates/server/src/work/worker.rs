//! The worker of an arena, the same in the server and on other machines: what its slots do with the
//! tasks of a [`JobSource`].

use std::sync::Arc;
use std::time::Duration;

use leitai_game::{GameHandle, GameSet};
use leitai_judge::Sandbox;
use leitai_store::{JobKind, Lease, NO_PROGRAMS, WorkerReport, checks_beside};
use leitai_telemetry::continue_trace;
use leitai_work::{JobSourceError, LeaseTerms, Slot, Work};

use crate::metrics_registry::TRACES;

use super::check_game_file::check_game_file;
use super::check_version::check_version;
use super::leases::{HeldLease, report_progress};
use super::play_match::play_for;
use super::program_cache::ProgramCache;
pub use super::program_cache::make_program_cache;
use super::source::{GameFileTask, JobRequest, JobSource, JobTask, ReportOutcome, TaskWork};
use super::task_context::{TaskContext, TaskOutcome};

/// The longest time of a match; every step of it has a limit of its own.
const LONGEST_MATCH: Duration = Duration::from_secs(24 * 3600);

/// The longest time of the check of a game file, which ends by itself after five minutes of the program's.
const LONGEST_GAME_CHECK: Duration = Duration::from_secs(15 * 60);

/// Options of a worker.
#[derive(Clone, Debug)]
pub struct WorkerOptions {
    /// The name; it must be unique in the arena.
    pub name: String,
    /// Matches at a time.
    pub slots: usize,
    /// Exhibitions at a time; they cost little.
    pub exhibitions: usize,
    /// The grace period of running matches at a stop.
    pub grace: Duration,
    /// The longest time of the build and check of a version. Every step of it has a limit of its
    /// own: this one finds a worker that hangs.
    pub longest_check: Duration,
    /// Whether it is connected over HTTP.
    pub remote: bool,
}

impl WorkerOptions {
    /// One slot for each core but one, which is for the server and compilers.
    pub fn new(name: impl Into<String>) -> WorkerOptions {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let (slots, grace) = (cores.saturating_sub(1).max(1), Duration::from_secs(10));
        WorkerOptions {
            name: name.into(),
            slots,
            exhibitions: 0,
            grace,
            longest_check: Duration::from_secs(3 * 3600),
            remote: false,
        }
    }
}

/// The sandbox of uploads: the best tier of this machine if it can isolate untrusted programs, or
/// the operator's choice. `None`: this machine refuses uploads.
pub fn sandbox_for_uploads(helper: &std::path::Path, trusted: bool) -> Option<Sandbox> {
    if trusted {
        return Some(Sandbox::without_isolation());
    }
    Sandbox::open_tier(helper, leitai_judge::Tier::B)
        .ok()
        .filter(|sandbox| sandbox.tier().holds_strangers())
}

/// The name of the isolation tier.
pub fn isolation_name(program_cache: &ProgramCache) -> String {
    program_cache
        .program_sandbox()
        .map_or(NO_PROGRAMS.to_owned(), |sandbox| sandbox.tier().to_string())
}

/// A cache that refuses all uploads.
pub fn cache_without_programs() -> ProgramCache {
    make_program_cache(None)
}

/// A running worker of an arena.
pub type Worker = leitai_work::Worker<ArenaWork>;

/// The tasks of an arena, and what they are done with.
pub struct ArenaWork {
    source: Arc<dyn JobSource>,
    games: GameSet,
    programs: ProgramCache,
    options: WorkerOptions,
}

/// Starts the worker's threads.
pub fn start_worker(
    source: Arc<dyn JobSource>,
    games: impl Into<GameSet>,
    programs: ProgramCache,
    options: WorkerOptions,
) -> Worker {
    let slots = plan_slots(&options, programs.program_sandbox().is_some());
    let grace = options.grace;
    let games = games.into();
    let work = ArenaWork {
        source,
        games,
        programs,
        options,
    };
    Worker::start(Arc::new(work), slots, grace)
}

/// The slots of a worker; one that cannot isolate programs checks no versions.
fn plan_slots(options: &WorkerOptions, programs: bool) -> Vec<Slot<JobRequest>> {
    let slot = |name: String, kind, share| Slot {
        name,
        request: JobRequest {
            kinds: vec![kind],
            programs,
        },
        share,
    };
    let plays = (0..options.slots).map(|index| {
        let share = programs.then_some((index, options.slots));
        slot(format!("play-{index}"), JobKind::Match, share)
    });
    let shows = (0..options.exhibitions)
        .map(|index| slot(format!("exhibition-{index}"), JobKind::Exhibition, None));
    let checks = if programs {
        checks_beside(options.slots as u64)
    } else {
        0
    };
    let checks = (0..checks).map(|index| slot(format!("check-{index}"), JobKind::Version, None));
    plays.chain(shows).chain(checks).collect()
}

impl ArenaWork {
    /// Does a task of this game, if this worker has it.
    fn with_game(
        &self,
        (task, held): (&JobTask, &Arc<HeldLease>),
        (id, found): (&str, Option<GameHandle>),
        run: impl FnOnce(TaskContext<'_>) -> TaskOutcome,
    ) -> TaskOutcome {
        let Some(game) = found else {
            return TaskOutcome::failed(format!("this worker does not know the game {id}"));
        };
        match self.programs.open_game(&game) {
            Ok(game) => run(TaskContext {
                source: &self.source,
                game: &game,
                programs: &self.programs,
                held,
                waiting: task.waiting(),
            }),
            Err(why) => TaskOutcome::failed(why),
        }
    }
}

impl Work for ArenaWork {
    type Request = JobRequest;
    type Job = JobTask;
    type Lease = Lease;
    type Outcome = TaskOutcome;
    const PAUSES: [Duration; 2] = [Duration::from_millis(500), Duration::from_secs(5)];

    fn take_job(&self, request: &JobRequest) -> Result<Option<JobTask>, JobSourceError> {
        self.source.lease_job(request)
    }

    fn lease_of(&self, task: &JobTask) -> (Lease, LeaseTerms) {
        let (idle, longest) = match &task.work {
            TaskWork::Match(task) => (task.paced, LONGEST_MATCH),
            TaskWork::Version(_) => (false, self.options.longest_check),
            TaskWork::GameFile(_) => (false, LONGEST_GAME_CHECK),
        };
        let terms = LeaseTerms {
            lasts: Duration::from_millis(task.lease_ms),
            idle,
            longest,
        };
        (task.lease.clone(), terms)
    }

    fn renew_lease(&self, held: &HeldLease) -> Result<(), JobSourceError> {
        report_progress(&*self.source, held, Vec::new())
    }

    fn do_job(&self, task: &JobTask, held: &Arc<HeldLease>) -> TaskOutcome {
        match &task.work {
            TaskWork::GameFile(file) => check_game_file(&self.source, &self.programs, held, file),
            TaskWork::Match(work) => {
                let found = work.find_game(&self.games);
                self.with_game((task, held), (&work.game, found), |own| play_for(own, work))
            }
            TaskWork::Version(source) => {
                let found = self.games.find(&source.game);
                self.with_game((task, held), (&source.game, found), |own| {
                    check_version(own, source, &task.situations)
                })
            }
        }
    }

    fn panic_outcome(&self, _: &JobTask) -> TaskOutcome {
        TaskOutcome::failed("the worker had an internal error; see its log")
    }

    fn deliver(&self, task: &JobTask, outcome: &TaskOutcome) -> Result<(), JobSourceError> {
        let brought = match outcome {
            TaskOutcome::Back => self
                .source
                .hand_back(&task.lease)
                .map(|()| ReportOutcome::Counted),
            TaskOutcome::Report(report) => self.source.finish_job(&task.lease, report.clone()),
        };
        match &brought {
            Ok(ReportOutcome::Counted) => {}
            Ok(ReportOutcome::Discarded) => {
                tracing::info!(job = %task.lease.job, "a result came too late");
            }
            Err(JobSourceError::Refused(why)) => tracing::error!(%why, "a result was refused"),
            Err(JobSourceError::Away(why)) => {
                tracing::warn!(%why, "a result waits: the arena is away");
            }
            Err(JobSourceError::Later(why)) => {
                tracing::warn!(%why, "a result could not be brought")
            }
        }
        brought.map(drop)
    }

    fn name_job(&self, lease: &Lease) -> String {
        lease.job.to_string()
    }

    fn stop_waiting(&self) {
        self.source.stop_waiting();
    }

    fn report_alive(&self, busy: usize) {
        let WorkerOptions {
            name,
            slots,
            exhibitions,
            remote,
            ..
        } = &self.options;
        let report = WorkerReport {
            name: name.clone(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            isolation: isolation_name(&self.programs),
            slots: i32::try_from(slots + exhibitions).unwrap_or(i32::MAX),
            busy: i32::try_from(busy).unwrap_or(i32::MAX),
            remote: *remote,
            exhibitions: i32::try_from(*exhibitions).unwrap_or(i32::MAX),
        };
        if let Err(error) = self.source.report_worker(&report) {
            tracing::debug!(%error, "cannot report");
        }
    }

    /// It names the match or the version, and belongs to the trace in which the job was made.
    fn trace_job(&self, task: &JobTask) -> tracing::Span {
        let job = task.lease.job;
        let span = match &task.work {
            TaskWork::Match(work) => {
                tracing::info_span!(target: TRACES, "match", %job, id = work.id, game = work.game)
            }
            TaskWork::Version(source) => {
                let (version, game) = (source.version, &source.game);
                tracing::info_span!(target: TRACES, "check", %job, version, game)
            }
            TaskWork::GameFile(GameFileTask { game, hash }) => {
                tracing::info_span!(target: TRACES, "check game", %job, game, hash)
            }
        };
        continue_trace(&span, task.trace.as_deref());
        span
    }
}
