//! The leases that a worker holds, and the thread that renews them.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use leitai_store::{JobId, Lease, LeaseState};

use super::source::JobSource;

/// A task in progress.
#[derive(Debug)]
pub struct HeldTask {
    /// The lease.
    pub lease: Lease,
    /// Whether the task is to end as soon as possible.
    pub stop: AtomicBool,
    lost: AtomicBool,
    lasts: Duration,
    /// Whether it is an exhibition, which nobody waits for.
    idle: bool,
    told: Mutex<Instant>,
}

impl HeldTask {
    /// Whether the lease is lost.
    pub fn is_lost(&self) -> bool {
        self.lost.load(Ordering::Relaxed)
    }

    fn mark_lost(&self) {
        self.lost.store(true, Ordering::Relaxed);
        self.stop.store(true, Ordering::Relaxed);
    }

    /// Records the state of the lease as the job source reported it.
    pub fn note_lease_state(&self, holding: LeaseState) {
        match holding {
            LeaseState::Held => *lock_mutex(&self.told) = Instant::now(),
            LeaseState::Lost => self.mark_lost(),
        }
    }

    /// Whether the lease is due for renewal.
    fn is_due(&self) -> bool {
        lock_mutex(&self.told).elapsed() >= self.lasts / 3
    }
}

/// All held leases, and whether the worker is stopping.
#[derive(Debug, Default)]
pub struct LeaseKeeper {
    held: Mutex<HashMap<JobId, Arc<HeldTask>>>,
    stopping: Mutex<Option<Instant>>,
    woken: Condvar,
}

impl LeaseKeeper {
    /// Adds a task.
    pub fn hold_lease(&self, lease: &Lease, lasts: Duration, idle: bool) -> Arc<HeldTask> {
        let (stop, lost, told) = (
            AtomicBool::new(false),
            AtomicBool::new(false),
            Mutex::new(Instant::now()),
        );
        let held = Arc::new(HeldTask {
            lease: lease.clone(),
            stop,
            lost,
            lasts,
            idle,
            told,
        });
        lock_mutex(&self.held).insert(lease.job, held.clone());
        if self.is_stopping() {
            self.stop_after_grace(Duration::MAX); // What is only for spectators need not begin.
        }
        held
    }

    /// Removes a task.
    pub fn release_lease(&self, held: &HeldTask) {
        lock_mutex(&self.held).remove(&held.lease.job);
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
            .filter(|held| over || held.idle)
        {
            held.stop.store(true, Ordering::Relaxed);
        }
    }

    fn due_renewals(&self) -> Vec<Arc<HeldTask>> {
        lock_mutex(&self.held)
            .values()
            .filter(|held| held.is_due())
            .cloned()
            .collect()
    }

    /// Renews leases until `done` is set and runs the periodic work; once the worker is stopping,
    /// tasks have this grace period.
    pub fn keep_leases(
        &self,
        desk: &dyn JobSource,
        grace: Duration,
        done: &AtomicBool,
        mut also: impl FnMut(),
    ) {
        while !done.load(Ordering::Relaxed) {
            also();
            for held in self.due_renewals() {
                match desk.renew_and_report(&held.lease, Vec::new()) {
                    Ok(holding) => held.note_lease_state(holding),
                    // If the lease expires meanwhile, the result is refused and only time is lost.
                    Err(error) => {
                        tracing::warn!(job = %held.lease.job, %error, "cannot renew a lease")
                    }
                }
            }
            self.stop_after_grace(grace);
            match self.is_stopping() {
                true => std::thread::park_timeout(Duration::from_millis(50)),
                false => _ = self.wait_until_idle(Duration::from_millis(250)),
            }
        }
    }
}

fn lock_mutex<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
