//! The leases that this process holds: when one is due, lost, or to be tried again is decided here.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How soon a renewal that failed is tried again.
pub const RETRY: Duration = Duration::from_millis(250);

/// A lease that is held.
#[derive(Debug)]
pub struct HeldLease<L> {
    /// The right to do a job.
    pub lease: L,
    /// Whether the job should end as soon as it can.
    pub stop: Arc<AtomicBool>,
    lost: AtomicBool,
    terms: LeaseTerms,
    /// The slot that does the job.
    pub slot: usize,
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
}

impl LeaseTerms {
    /// A job that ends by itself and matters.
    pub fn lasting(lasts: Duration) -> LeaseTerms {
        let (idle, longest) = (false, Duration::MAX);
        LeaseTerms {
            lasts,
            idle,
            longest,
        }
    }
}

impl<L> HeldLease<L> {
    /// Holds a lease; `stop` is set when it is lost.
    pub fn new(lease: L, terms: LeaseTerms, slot: usize, stop: Arc<AtomicBool>) -> HeldLease<L> {
        HeldLease {
            lease,
            stop,
            lost: AtomicBool::new(false),
            terms,
            slot,
            begun: Instant::now(),
            abandoned: AtomicBool::new(false),
            renewed: Mutex::new(Instant::now()),
        }
    }

    /// Whether the worker gave the job up because it took too long.
    pub fn is_abandoned(&self) -> bool {
        self.abandoned.load(Ordering::Relaxed)
    }

    /// Whether somebody else has the job.
    pub fn is_lost(&self) -> bool {
        self.lost.load(Ordering::Relaxed)
    }

    /// Whether the job should end as soon as it can.
    pub fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Notes that the lease was renewed.
    pub fn note_renewal(&self) {
        *lock_mutex(&self.renewed) = Instant::now();
    }

    /// Notes that somebody else has the job: it stops.
    pub fn mark_lost(&self) {
        self.lost.store(true, Ordering::Relaxed);
        self.stop.store(true, Ordering::Relaxed);
    }

    /// In how long it has to be renewed.
    pub fn due_in(&self) -> Duration {
        let age = lock_mutex(&self.renewed).elapsed();
        (self.terms.lasts / 3).saturating_sub(age)
    }
}

/// The leases of a worker, and whether it stops.
#[derive(Debug)]
pub struct LeaseKeeper<L> {
    held: Mutex<Vec<Arc<HeldLease<L>>>>,
    stopping: Mutex<Option<Instant>>,
    woken: Condvar,
}

impl<L> Default for LeaseKeeper<L> {
    fn default() -> LeaseKeeper<L> {
        LeaseKeeper {
            held: Mutex::default(),
            stopping: Mutex::default(),
            woken: Condvar::new(),
        }
    }
}

impl<L> LeaseKeeper<L> {
    /// Adds a job of a slot.
    pub fn hold_lease(&self, lease: L, terms: LeaseTerms, slot: usize) -> Arc<HeldLease<L>> {
        let held = Arc::new(HeldLease::new(lease, terms, slot, Arc::default()));
        lock_mutex(&self.held).push(held.clone());
        if self.is_stopping() {
            self.stop_after_grace(Duration::MAX); // What is only for spectators need not begin.
        }
        held
    }

    /// Removes a job.
    pub fn release_lease(&self, held: &Arc<HeldLease<L>>) {
        lock_mutex(&self.held).retain(|other| !Arc::ptr_eq(other, held));
    }

    /// Gives up the jobs that take too long: their leases are not renewed any more, so that they
    /// count as lost.
    pub fn abandon_overdue(&self) -> Vec<Arc<HeldLease<L>>> {
        let mut all = lock_mutex(&self.held);
        let is_overdue = |held: &mut Arc<HeldLease<L>>| held.begun.elapsed() > held.terms.longest;
        let overdue: Vec<_> = all.extract_if(.., is_overdue).collect();
        for held in &overdue {
            held.abandoned.store(true, Ordering::Relaxed);
            held.mark_lost();
        }
        overdue
    }

    /// Since when the worker is stopping.
    pub fn stopping_since(&self) -> Option<Instant> {
        *lock_mutex(&self.stopping)
    }

    /// The jobs in progress.
    pub fn list_held(&self) -> Vec<Arc<HeldLease<L>>> {
        lock_mutex(&self.held).clone()
    }

    /// Stops taking jobs; exhibitions end at once.
    pub fn request_stop(&self) {
        lock_mutex(&self.stopping).get_or_insert_with(Instant::now);
        self.woken.notify_all();
    }

    /// Whether the worker is stopping.
    pub fn is_stopping(&self) -> bool {
        self.stopping_since().is_some()
    }

    /// Waits for this time or until the worker stops; returns whether it is stopping.
    pub fn wait_until_stop(&self, most: Duration) -> bool {
        let stopping = lock_mutex(&self.stopping);
        let waited = self
            .woken
            .wait_timeout_while(stopping, most, |stopping| stopping.is_none());
        waited.unwrap_or_else(PoisonError::into_inner).0.is_some()
    }

    /// Stops every job whose grace period is over.
    pub fn stop_after_grace(&self, grace: Duration) {
        let Some(since) = self.stopping_since() else {
            return;
        };
        let over = since.elapsed() >= grace;
        let all = self.list_held();
        for held in all.iter().filter(|held| over || held.terms.idle) {
            held.stop.store(true, Ordering::Relaxed);
        }
    }
}

/// Locks a mutex, also after a panic of another thread.
pub(crate) fn lock_mutex<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
