//! The worker: threads that take jobs, do them, and deliver what came of them. It is the same for an
//! arena, in its process and on other machines, and for batches.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use leitai_judge::core_sharing;

use crate::leases::{HeldLease, LeaseKeeper, RETRY, lock_mutex};
use crate::work::{JobSourceError, Work};

/// The interval of the worker's reports.
pub const ALIVE: Duration = Duration::from_secs(3);
/// The first and the longest pause after an error of the job source.
const PAUSES: [Duration; 2] = [Duration::from_millis(500), Duration::from_secs(30)];
/// Attempts to deliver a result that the source does not take; the lease expires soon after them, and
/// the job is done again. While the source is away the result is kept as long as its lease.
const BRINGS: usize = 20;
/// The longest time of delivery attempts while the process stops.
pub const LAST_TRIES: Duration = Duration::from_secs(4);
/// The longest time of everything else that a job does once it is to stop; then it hangs, and the
/// process ends without it.
const LAST_STEPS: Duration = Duration::from_secs(6);

/// How often it is looked whether all slots have ended, while the process stops.
const LOOK: Duration = Duration::from_millis(10);

/// A slot: one job at a time.
pub struct Slot<R> {
    /// The name of its thread.
    pub name: String,
    /// The jobs that it accepts.
    pub request: R,
    /// Its share of the cores: which of how many.
    pub share: Option<(usize, usize)>,
}

/// A running worker.
pub struct Worker<W: Work> {
    shared: Arc<WorkerInner<W>>,
    keeper: Option<JoinHandle<()>>,
}

struct WorkerInner<W: Work> {
    work: Arc<W>,
    /// The time that running jobs have to end at a stop.
    grace: Duration,
    leases: LeaseKeeper<W::Lease>,
    refused: Mutex<Option<String>>,
    slots: Vec<Slot<W::Request>>,
    /// The threads of the slots, each with its slot.
    threads: Mutex<Vec<(usize, JoinHandle<()>)>>,
}

impl<W: Work> Worker<W> {
    /// Starts the worker's threads; running jobs have this time to end at a stop.
    pub fn start(work: Arc<W>, slots: Vec<Slot<W::Request>>, grace: Duration) -> Worker<W> {
        let shared = Arc::new(WorkerInner {
            work,
            grace,
            leases: LeaseKeeper::default(),
            refused: Mutex::default(),
            slots,
            threads: Mutex::default(),
        });
        (0..shared.slots.len()).for_each(|slot| shared.start_slot(slot));
        let own = shared.clone();
        let keeper = Some(spawn_thread("leases", move || own.keep_leases()));
        Worker { shared, keeper }
    }

    /// Stops taking jobs. Running ones end within the grace period or are given back.
    pub fn stop_worker(&self) {
        self.shared.request_stop();
    }

    /// Waits until every job is finished or given back, after a stop for a bounded time: a thread
    /// that hangs then ends with the process. The error is a refusal of the job source.
    pub fn join_threads(mut self) -> Result<(), String> {
        self.await_keeper();
        let refused = lock_mutex(&self.shared.refused).take();
        refused.map_or(Ok(()), Err)
    }

    /// Works until the flag is set or the source refuses this worker, and then ends as
    /// [`Worker::stop_worker`] and [`Worker::join_threads`] say.
    pub fn work_until(self, stop: &AtomicBool) -> Result<(), String> {
        while !self.shared.leases.is_stopping() && !stop.load(Ordering::Relaxed) {
            std::thread::park_timeout(Duration::from_millis(100));
        }
        self.stop_worker();
        self.join_threads()
    }

    fn await_keeper(&mut self) {
        if let Some(keeper) = self.keeper.take() {
            _ = keeper.join();
        }
    }
}

impl<W: Work> Drop for Worker<W> {
    fn drop(&mut self) {
        self.stop_worker();
        self.await_keeper();
    }
}

fn spawn_thread(name: &str, work: impl FnOnce() + Send + 'static) -> JoinHandle<()> {
    let named = std::thread::Builder::new().name(name.to_owned());
    named
        .spawn(work)
        .expect("the system has room for a thread at the start")
}

impl<W: Work> WorkerInner<W> {
    /// Starts the thread of a slot.
    fn start_slot(self: &Arc<Self>, slot: usize) {
        let shared = self.clone();
        let thread = spawn_thread(&self.slots[slot].name, move || shared.run_slot(slot));
        lock_mutex(&self.threads).push((slot, thread));
    }

    /// Whether the threads of the slots have ended, or are left to themselves.
    fn have_slots_ended(&self) -> bool {
        let most = self.grace + LAST_TRIES + LAST_STEPS;
        let mut threads = lock_mutex(&self.threads);
        // A slot catches the panics of its jobs; a panic of its own is in the log.
        threads.retain(|(_, thread)| !thread.is_finished());
        let stopping = self.leases.stopping_since();
        if stopping.is_some_and(|since| since.elapsed() > most) {
            for (slot, _) in threads.drain(..) {
                let slot = &self.slots[slot].name;
                tracing::error!(slot, "a job does not end; the process ends without it");
            }
        }
        threads.is_empty()
    }

    /// Starts a slot anew whose job hangs: the job counts as lost, and its thread is left to itself.
    fn replace_hung_slots(self: &Arc<Self>) {
        for held in self.leases.abandon_overdue() {
            let (job, slot) = (self.work.name_job(&held.lease), held.slot);
            tracing::error!(%job, "a job takes too long and is given up; its slot begins anew");
            lock_mutex(&self.threads).retain(|(of, _)| *of != slot);
            self.start_slot(slot);
        }
    }

    fn run_slot(&self, slot: usize) {
        let Slot { request, share, .. } = &self.slots[slot];
        if let &Some((index, all)) = share {
            core_sharing::take_share(index, all);
        }
        let mut pause = PAUSES[0];
        while !self.leases.is_stopping() {
            match self.work.take_job(request) {
                // Another thread has this slot now.
                Ok(Some(job)) if self.do_job(&job, slot).is_abandoned() => return,
                Ok(_) => {}
                Err(JobSourceError::Refused(why)) => self.end_refused(why),
                Err(JobSourceError::Later(why) | JobSourceError::Away(why)) => {
                    tracing::warn!(%why, pause_ms = pause.as_millis() as u64, "no task could be asked for");
                    self.leases.wait_until_stop(pause);
                    pause = (pause * 2).min(PAUSES[1]);
                    continue;
                }
            }
            pause = PAUSES[0];
        }
    }

    /// Ends all slots because the job source refuses this worker.
    fn end_refused(&self, why: String) {
        tracing::error!(%why, "this worker was refused");
        lock_mutex(&self.refused).get_or_insert(why);
        self.request_stop();
    }

    fn request_stop(&self) {
        self.leases.request_stop();
        self.work.stop_waiting();
    }

    fn do_job(&self, job: &W::Job, slot: usize) -> Arc<HeldLease<W::Lease>> {
        let _span = self.work.trace_job(job).entered();
        let (lease, terms) = self.work.lease_of(job);
        let held = self.leases.hold_lease(lease, terms, slot);
        // A bug in one job must not end the others.
        let done = catch_unwind(AssertUnwindSafe(|| self.work.do_job(job, &held)));
        let outcome = done.unwrap_or_else(|_| self.work.panic_outcome(job));
        if !held.is_lost() && !self.deliver(job, &held, &outcome) {
            self.work.give_up(job);
        }
        self.leases.release_lease(&held);
        held
    }

    /// Delivers an outcome and repeats that while the job source cannot be reached. Returns whether
    /// nothing is left to do.
    fn deliver(&self, job: &W::Job, held: &HeldLease<W::Lease>, outcome: &W::Outcome) -> bool {
        let [first, longest] = W::PAUSES;
        let (mut pause, mut stopping, mut left) = (first, None, BRINGS);
        while left > 0 {
            match self.work.deliver(job, outcome) {
                Ok(()) | Err(JobSourceError::Refused(_)) => return true,
                Err(JobSourceError::Away(_)) => {}
                Err(JobSourceError::Later(_)) => left -= 1,
            }
            if held.is_lost() {
                return true;
            }
            // A result is worth some seconds, even while stopping; but a full disk must not keep a
            // service running.
            if self.leases.wait_until_stop(pause) {
                if stopping.get_or_insert_with(Instant::now).elapsed() >= LAST_TRIES {
                    let job = self.work.name_job(&held.lease);
                    tracing::error!(%job, "a result could not be stored in time; it will be played again");
                    return false;
                }
                std::thread::sleep(first);
            }
            pause = (pause * 2).min(longest);
        }
        false
    }

    /// Renews leases until all slots have ended, and does what is to be done from time to time.
    fn keep_leases(self: &Arc<Self>) {
        let mut said: Option<Instant> = None;
        while !self.have_slots_ended() {
            self.replace_hung_slots();
            let all = self.leases.list_held();
            if said.is_none_or(|said| said.elapsed() >= ALIVE) {
                said = Some(Instant::now());
                self.work.report_alive(all.len());
            }
            all.iter().for_each(|held| self.keep_lease(held));
            self.leases.stop_after_grace(self.grace);
            match self.leases.is_stopping() {
                true => std::thread::sleep(LOOK),
                false => _ = self.leases.wait_until_stop(RETRY),
            }
        }
    }

    fn keep_lease(&self, held: &HeldLease<W::Lease>) {
        if held.due_in().is_zero()
            && let Err(error) = self.work.renew_lease(held)
        {
            // It is tried again. If the lease ends meanwhile, the result is refused, and nothing is
            // lost but time.
            let job = self.work.name_job(&held.lease);
            tracing::warn!(%job, %error, "cannot renew a lease");
        }
    }
}
