//! The leases that this process holds. When one is due, lost, or to be tried again is decided here,
//! for the tasks of a worker ([`LeaseKeeper`], which renews on its thread through a job source) and
//! for matches with people ([`KeptLease`], which renews on the runtime).

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use leitai_store::{JobId, Lease, LeaseState, Store, Timestamp};

use super::source::{JobSource, JobSourceError};

/// How soon a renewal that failed is tried again.
const RETRY: Duration = Duration::from_millis(250);

/// A lease that is held.
#[derive(Debug)]
pub struct HeldLease {
    /// The right to do a job.
    pub lease: Lease,
    /// Whether the job should end as soon as it can.
    pub stop: Arc<AtomicBool>,
    lost: AtomicBool,
    terms: LeaseTerms,
    begun: Instant,
    abandoned: AtomicBool,
    renewed: Mutex<Instant>,
}

/// What a worker knows of a job that it holds.
#[derive(Clone, Copy, Debug)]
pub struct LeaseTerms {
    /// For how long each renewal is.
    pub lasts: Duration,
    /// Whether the job is only for whoever watches.
    pub idle: bool,
    /// The longest time that the job may take; one that takes longer hangs.
    pub longest: Duration,
    /// The slot of the worker that does it.
    pub slot: usize,
}

impl HeldLease {
    fn new(lease: Lease, terms: LeaseTerms, stop: Arc<AtomicBool>) -> Arc<HeldLease> {
        Arc::new(HeldLease {
            lease,
            stop,
            lost: AtomicBool::new(false),
            terms,
            begun: Instant::now(),
            abandoned: AtomicBool::new(false),
            renewed: Mutex::new(Instant::now()),
        })
    }

    /// Whether the worker gave the job up because it took too long.
    pub fn is_abandoned(&self) -> bool {
        self.abandoned.load(Ordering::Relaxed)
    }

    /// The slot that does the job.
    pub fn slot(&self) -> usize {
        self.terms.slot
    }

    /// Whether somebody else has the job.
    pub fn is_lost(&self) -> bool {
        self.lost.load(Ordering::Relaxed)
    }

    fn mark_lost(&self) {
        self.lost.store(true, Ordering::Relaxed);
        self.stop.store(true, Ordering::Relaxed);
    }

    /// Notes the state of the lease as the job source or the database reported it.
    pub fn note_lease_state(&self, state: LeaseState) {
        match state {
            LeaseState::Held => *lock_mutex(&self.renewed) = Instant::now(),
            LeaseState::Lost => self.mark_lost(),
        }
    }

    /// Notes how a renewal went. One that failed is tried again; if the lease ends meanwhile, the
    /// result is refused, and nothing is lost but time.
    fn note_renewal<E: std::fmt::Display>(&self, renewal: Result<LeaseState, E>) {
        match renewal {
            Ok(state) => self.note_lease_state(state),
            Err(error) => tracing::warn!(job = %self.lease.job, %error, "cannot renew a lease"),
        }
    }

    /// Does this again while the arena is away and the job goes on.
    pub fn ask_until_answered<T>(
        &self,
        mut ask: impl FnMut() -> Result<T, JobSourceError>,
    ) -> Result<T, JobSourceError> {
        loop {
            match ask() {
                Err(JobSourceError::Away(_)) if !self.stop.load(Ordering::Relaxed) => {
                    std::thread::sleep(RETRY);
                }
                answered => return answered,
            }
        }
    }

    /// In how long it has to be renewed.
    fn due_in(&self) -> Duration {
        let age = lock_mutex(&self.renewed).elapsed();
        (self.terms.lasts / 3).saturating_sub(age)
    }
}

/// A lease that the runtime renews until this is dropped.
#[derive(Debug)]
pub struct KeptLease {
    held: Arc<HeldLease>,
    renewing: tokio::task::JoinHandle<()>,
}

impl KeptLease {
    /// Renews a lease from now on, each time for so long. `stop` is set when it is lost. To be
    /// called in a runtime.
    pub fn keep(store: Store, lease: Lease, lasts: Duration, stop: Arc<AtomicBool>) -> KeptLease {
        let terms = LeaseTerms {
            lasts,
            idle: false,
            longest: Duration::MAX,
            slot: 0,
        };
        let held = HeldLease::new(lease, terms, stop);
        let renewing = tokio::spawn(renew_until_lost(store, held.clone()));
        KeptLease { held, renewing }
    }

    /// The lease.
    pub fn lease(&self) -> &Lease {
        &self.held.lease
    }
}

impl Drop for KeptLease {
    fn drop(&mut self) {
        self.renewing.abort();
    }
}

async fn renew_until_lost(store: Store, held: Arc<HeldLease>) {
    while !held.is_lost() {
        tokio::time::sleep(held.due_in().max(RETRY)).await;
        let until = Timestamp::now().after(held.terms.lasts);
        held.note_renewal(store.renew_lease(&held.lease, until).await);
    }
}

/// The leases of a worker, and whether it stops.
#[derive(Debug, Default)]
pub struct LeaseKeeper {
    held: Mutex<HashMap<JobId, Arc<HeldLease>>>,
    stopping: Mutex<Option<Instant>>,
    woken: Condvar,
}

impl LeaseKeeper {
    /// Adds a task.
    pub fn hold_lease(&self, lease: &Lease, terms: LeaseTerms) -> Arc<HeldLease> {
        let held = HeldLease::new(lease.clone(), terms, Arc::default());
        lock_mutex(&self.held).insert(lease.job, held.clone());
        if self.is_stopping() {
            self.stop_after_grace(Duration::MAX); // What is only for spectators need not begin.
        }
        held
    }

    /// Removes a task.
    pub fn release_lease(&self, held: &HeldLease) {
        lock_mutex(&self.held).remove(&held.lease.job);
    }

    /// Gives up the tasks that take too long: their leases are not renewed any more, so that they
    /// count as lost.
    pub fn abandon_overdue(&self) -> Vec<Arc<HeldLease>> {
        let is_overdue = |held: &HeldLease| held.begun.elapsed() > held.terms.longest;
        let mut all = lock_mutex(&self.held);
        let overdue: Vec<_> = all.extract_if(|_, held| is_overdue(held)).collect();
        for (_, held) in &overdue {
            held.abandoned.store(true, Ordering::Relaxed);
            held.mark_lost();
        }
        overdue.into_iter().map(|(_, held)| held).collect()
    }

    /// Since when the worker is stopping.
    pub fn stopping_since(&self) -> Option<Instant> {
        *lock_mutex(&self.stopping)
    }

    /// The number of tasks in progress.
    pub fn count_held(&self) -> usize {
        lock_mutex(&self.held).len()
    }

    /// Stops taking tasks; exhibitions end at once.
    pub fn request_stop(&self) {
        lock_mutex(&self.stopping).get_or_insert_with(Instant::now);
        self.woken.notify_all();
    }

    /// Whether the worker is stopping.
    pub fn is_stopping(&self) -> bool {
        lock_mutex(&self.stopping).is_some()
    }

    /// Waits for this time or until the worker stops; returns whether it is stopping.
    pub fn wait_until_idle(&self, most: Duration) -> bool {
        let stopping = lock_mutex(&self.stopping);
        let waited = self
            .woken
            .wait_timeout_while(stopping, most, |stopping| stopping.is_none());
        waited.unwrap_or_else(PoisonError::into_inner).0.is_some()
    }

    /// Stops every task whose grace period is over.
    fn stop_after_grace(&self, grace: Duration) {
        let Some(since) = *lock_mutex(&self.stopping) else {
            return;
        };
        let over = since.elapsed() >= grace;
        for held in lock_mutex(&self.held)
            .values()
            .filter(|held| over || held.terms.idle)
        {
            held.stop.store(true, Ordering::Relaxed);
        }
    }

    fn due_renewals(&self) -> Vec<Arc<HeldLease>> {
        lock_mutex(&self.held)
            .values()
            .filter(|held| held.due_in().is_zero())
            .cloned()
            .collect()
    }

    /// Renews leases until `done` is set and runs the periodic work; once the worker is stopping,
    /// tasks have this grace period.
    pub fn keep_leases(
        &self,
        source: &dyn JobSource,
        grace: Duration,
        done: &AtomicBool,
        mut also: impl FnMut(),
    ) {
        while !done.load(Ordering::Relaxed) {
            also();
            for held in self.due_renewals() {
                held.note_renewal(source.renew_and_report(&held.lease, Vec::new()));
            }
            self.stop_after_grace(grace);
            match self.is_stopping() {
                true => std::thread::park_timeout(Duration::from_millis(50)),
                false => _ = self.wait_until_idle(RETRY),
            }
        }
    }
}

fn lock_mutex<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
