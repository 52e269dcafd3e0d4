//! The worker: threads that lease tasks from a [`JobSource`], do them, and deliver the results. It
//! is the same in the server and on other machines.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use leitai_game::GameSet;
use leitai_judge::{Sandbox, core_sharing};
use leitai_store::{JobKind, NO_PROGRAMS, WorkerReport};
use leitai_telemetry::continue_trace;

use crate::metrics_registry::TRACES;

use super::check_version::check_version;
use super::leases::{HeldLease, LeaseKeeper, LeaseTerms};
use super::play_match::{TaskOutcome, play_for};
use super::program_cache::{self, ProgramCache};
use super::source::{
    JobReport, JobRequest, JobSource, JobSourceError, JobTask, ReportOutcome, TaskWork,
};

/// The interval of the worker's reports.
pub const ALIVE: Duration = Duration::from_secs(3);
/// The first and the longest pause after an error of the job source.
const PAUSES: [Duration; 2] = [Duration::from_millis(500), Duration::from_secs(30)];
/// Attempts to deliver a result that the arena does not take; the lease expires soon after them, and
/// the task is done again. While the arena is away the result is kept as long as its lease.
const BRINGS: usize = 20;
/// The longest time of delivery attempts while the process stops.
const LAST_TRIES: Duration = Duration::from_secs(4);
/// The longest time of everything else that a job does once it is to stop; then it hangs, and the
/// process ends without it.
const LAST_STEPS: Duration = Duration::from_secs(6);
/// The longest time of a match; every step of it has a limit of its own.
const LONGEST_MATCH: Duration = Duration::from_secs(24 * 3600);

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

/// A cache of the default size.
pub fn make_program_cache(sandbox: Option<Sandbox>) -> ProgramCache {
    let leitai_binary = std::env::current_exe().unwrap_or_else(|_| "/proc/self/exe".into());
    ProgramCache::new(sandbox, program_cache::KEPT, leitai_binary)
}

/// A running worker.
pub struct Worker {
    shared: Arc<WorkerInner>,
    keeper: Option<JoinHandle<()>>,
    done: Arc<AtomicBool>,
}

struct WorkerInner {
    source: Arc<dyn JobSource>,
    games: GameSet,
    programs: ProgramCache,
    options: WorkerOptions,
    leases: LeaseKeeper,
    refused: Mutex<Option<String>>,
    at_work: AtomicUsize,
    slots: Vec<WorkerSlot>,
    /// The threads of the slots, each with its slot.
    threads: Mutex<Vec<(usize, JoinHandle<()>)>>,
}

/// One job at a time.
struct WorkerSlot {
    name: String,
    request: JobRequest,
    /// Its share of the cores.
    share: Option<usize>,
}

impl Worker {
    /// Starts the worker's threads.
    pub fn start_worker(
        job_source: Arc<dyn JobSource>,
        games: impl Into<GameSet>,
        program_cache: ProgramCache,
        options: WorkerOptions,
    ) -> Worker {
        let slots = plan_slots(&options, program_cache.program_sandbox().is_some());
        let shared = Arc::new(WorkerInner {
            source: job_source,
            games: games.into(),
            programs: program_cache,
            options,
            leases: LeaseKeeper::default(),
            refused: Mutex::default(),
            at_work: AtomicUsize::new(slots.len()),
            slots,
            threads: Mutex::default(),
        });
        let done = Arc::new(AtomicBool::new(false));
        (0..shared.slots.len()).for_each(|slot| shared.start_slot(slot));
        let keeper = {
            let (shared, done) = (shared.clone(), done.clone());
            spawn_thread("leases", move || shared.keep_leases(&done))
        };
        Worker {
            shared,
            keeper: Some(keeper),
            done,
        }
    }

    /// Stops taking tasks. Running matches end within the grace period or are handed back.
    pub fn stop_worker(&self) {
        self.shared.request_stop();
    }

    /// Whether the worker runs; a refusal of the job source ends it.
    pub fn is_at_work(&self) -> bool {
        self.shared.at_work.load(Ordering::Relaxed) > 0
    }

    /// Waits until every task is finished or handed back, after a stop for a bounded time: a thread
    /// that hangs then ends with the process. The error is a refusal of the job source.
    pub fn join_threads(mut self) -> Result<(), String> {
        self.shared.await_slots();
        self.end_keeper();
        let refused = lock_mutex(&self.shared.refused).take();
        refused.map_or(Ok(()), Err)
    }

    fn end_keeper(&mut self) {
        self.done.store(true, Ordering::Relaxed);
        if let Some(keeper) = self.keeper.take() {
            keeper.thread().unpark();
            _ = keeper.join();
        }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.stop_worker();
        self.shared.await_slots();
        self.end_keeper();
    }
}

/// The span of a task in traces, which names the match or the version; it belongs to the trace in
/// which the job was made.
fn trace_task(task: &JobTask) -> tracing::Span {
    let job = task.lease.job;
    let span = match &task.work {
        TaskWork::Match(work) => {
            tracing::info_span!(target: TRACES, "match", %job, id = work.id, game = work.game)
        }
        TaskWork::Version(source) => {
            let (version, game) = (source.version, &source.game);
            tracing::info_span!(target: TRACES, "check", %job, version, game)
        }
    };
    continue_trace(&span, task.trace.as_deref());
    span
}

/// The slots of a worker; one that cannot isolate programs checks no versions.
fn plan_slots(options: &WorkerOptions, programs: bool) -> Vec<WorkerSlot> {
    let slot = |name: String, kind, share| WorkerSlot {
        name,
        request: JobRequest {
            kinds: vec![kind],
            programs,
        },
        share,
    };
    let plays =
        (0..options.slots).map(|index| slot(format!("play-{index}"), JobKind::Match, Some(index)));
    let shows = (0..options.exhibitions)
        .map(|index| slot(format!("exhibition-{index}"), JobKind::Exhibition, None));
    let checks = programs.then(|| slot("check".to_owned(), JobKind::Version, None));
    plays.chain(shows).chain(checks).collect()
}

fn lock_mutex<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn spawn_thread(name: &str, work: impl FnOnce() + Send + 'static) -> JoinHandle<()> {
    let named = std::thread::Builder::new().name(name.to_owned());
    named
        .spawn(work)
        .expect("the system has room for a thread at the start")
}

impl WorkerInner {
    /// Starts the thread of a slot.
    fn start_slot(self: &Arc<WorkerInner>, slot: usize) {
        let shared = self.clone();
        let thread = spawn_thread(&self.slots[slot].name, move || shared.run_slot(slot));
        lock_mutex(&self.threads).push((slot, thread));
    }

    /// Waits for the threads of the slots, as [`Worker::join_threads`] says.
    fn await_slots(&self) {
        const LOOK: Duration = Duration::from_millis(5);
        let most = self.options.grace + LAST_TRIES + LAST_STEPS;
        loop {
            let mut threads = lock_mutex(&self.threads);
            // A slot catches the panics of its tasks; a panic of its own is in the log.
            threads.retain(|(_, thread)| !thread.is_finished());
            if threads.is_empty() {
                return;
            }
            let stopping = self.leases.stopping_since();
            if stopping.is_some_and(|since| since.elapsed() > most) {
                for (slot, _) in threads.drain(..) {
                    let slot = &self.slots[slot].name;
                    tracing::error!(slot, "a job does not end; the process ends without it");
                }
                return;
            }
            drop(threads);
            std::thread::park_timeout(LOOK);
        }
    }

    /// Starts a slot anew whose job hangs: the job counts as lost, and its thread is left to itself.
    fn replace_hung_slots(self: &Arc<WorkerInner>) {
        for held in self.leases.abandon_overdue() {
            let (job, slot) = (held.lease.job, held.slot());
            tracing::error!(%job, "a job takes too long and is given up; its slot begins anew");
            lock_mutex(&self.threads).retain(|(of, _)| *of != slot);
            self.start_slot(slot);
        }
    }

    fn run_slot(&self, slot: usize) {
        let WorkerSlot { request, share, .. } = &self.slots[slot];
        if let (&Some(index), true) = (share, request.programs) {
            core_sharing::take_share(index, self.options.slots);
        }
        let mut pause = PAUSES[0];
        loop {
            let seen = self.source.arrivals();
            if self.leases.is_stopping() {
                break;
            }
            match self.source.lease_job(request) {
                Ok(Some(task)) => {
                    if self.do_task(task, slot).is_abandoned() {
                        // Another thread has this slot now.
                        return;
                    }
                }
                Ok(None) => self.source.await_work(seen),
                Err(JobSourceError::Refused(why)) => self.refuse_server(why),
                Err(JobSourceError::Later(why) | JobSourceError::Away(why)) => {
                    tracing::warn!(%why, pause_ms = pause.as_millis() as u64, "no task could be asked for");
                    self.leases.wait_until_idle(pause);
                    pause = (pause * 2).min(PAUSES[1]);
                    continue;
                }
            }
            pause = PAUSES[0];
        }
        self.at_work.fetch_sub(1, Ordering::Relaxed);
    }

    /// Ends all slots because the job source refuses this worker.
    fn refuse_server(&self, why: String) {
        tracing::error!(%why, "this worker was refused");
        lock_mutex(&self.refused).get_or_insert(why);
        self.request_stop();
    }

    fn request_stop(&self) {
        self.leases.request_stop();
        self.source.wake_waiting();
    }

    fn do_task(&self, task: JobTask, slot: usize) -> Arc<HeldLease> {
        let _span = trace_task(&task).entered();
        let (idle, longest) = match &task.work {
            TaskWork::Match(task) => (task.paced, LONGEST_MATCH),
            TaskWork::Version(_) => (false, self.options.longest_check),
        };
        let terms = LeaseTerms {
            lasts: Duration::from_millis(task.lease_ms),
            idle,
            longest,
            slot,
        };
        let held = self.leases.hold_lease(&task.lease, terms);
        // A bug in one match must not end the others.
        let done = catch_unwind(AssertUnwindSafe(|| self.run_task(&task, &held)));
        let done = done.unwrap_or_else(|_| {
            TaskOutcome::Report(JobReport::InfrastructureError(
                "the worker had an internal error; see its log".into(),
            ))
        });
        if !held.is_lost() {
            self.deliver_outcome(&held, done);
        }
        self.leases.release_lease(&held);
        held
    }

    fn run_task(&self, task: &JobTask, held: &Arc<HeldLease>) -> TaskOutcome {
        let (id, found) = match &task.work {
            TaskWork::Match(task) => (&task.game, task.find_game(&self.games)),
            TaskWork::Version(source) => (&source.game, self.games.find(&source.game)),
        };
        let Some(game) = found else {
            return TaskOutcome::Report(JobReport::InfrastructureError(format!(
                "this worker does not know the game {id}"
            )));
        };
        match &task.work {
            TaskWork::Match(work) => {
                let spec = (&**work, task.waiting());
                play_for(&*self.source, &game, spec, &self.programs, held)
            }
            TaskWork::Version(source) => {
                let spec = (source, task.waiting());
                check_version(&self.source, &game, spec, &self.programs, held)
            }
        }
    }

    /// Delivers a result and repeats that while the job source cannot be reached.
    fn deliver_outcome(&self, held: &HeldLease, done: TaskOutcome) {
        let (mut pause, mut stopping, mut left) = (PAUSES[0], None, BRINGS);
        while left > 0 {
            let brought = match &done {
                TaskOutcome::Back => self
                    .source
                    .hand_back(&held.lease)
                    .map(|()| ReportOutcome::Counted),
                TaskOutcome::Report(report) => self.source.finish_job(&held.lease, report.clone()),
            };
            match brought {
                Ok(ReportOutcome::Counted) => return,
                Ok(ReportOutcome::Discarded) => {
                    return tracing::info!(job = %held.lease.job, "a result came too late");
                }
                Err(JobSourceError::Refused(why)) => {
                    return tracing::error!(%why, "a result was refused");
                }
                Err(JobSourceError::Away(why)) => {
                    tracing::warn!(%why, "a result waits: the arena is away");
                }
                Err(JobSourceError::Later(why)) => {
                    left -= 1;
                    tracing::warn!(%why, "a result could not be brought");
                }
            }
            if held.is_lost() {
                return;
            }
            // A result is worth some seconds, even while stopping; but a full disk must not keep a
            // service running.
            if self.leases.wait_until_idle(pause) {
                if stopping.get_or_insert_with(Instant::now).elapsed() >= LAST_TRIES {
                    return tracing::error!(job = %held.lease.job, "a result could not be stored in time; it will be played again");
                }
                std::thread::sleep(PAUSES[0]);
            }
            pause = (pause * 2).min(Duration::from_secs(5));
        }
    }

    fn keep_leases(self: &Arc<WorkerInner>, done: &AtomicBool) {
        let mut said: Option<Instant> = None;
        self.leases
            .keep_leases(&*self.source, self.options.grace, done, || {
                self.replace_hung_slots();
                if said.is_none_or(|said| said.elapsed() >= ALIVE) {
                    said = Some(Instant::now());
                    self.report_worker();
                }
            });
    }

    /// Reports that the worker is alive.
    fn report_worker(&self) {
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
            busy: i32::try_from(self.leases.count_held()).unwrap_or(i32::MAX),
            remote: *remote,
            exhibitions: i32::try_from(*exhibitions).unwrap_or(i32::MAX),
        };
        if let Err(error) = self.source.report_worker(&report) {
            tracing::debug!(%error, "cannot report");
        }
    }
}
