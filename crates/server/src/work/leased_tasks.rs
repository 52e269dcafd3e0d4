//! The tasks that this process has leased to workers.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use leitai_store::{JobId, Lease};

use super::source::MatchTask;

/// The duration of a lease unless it is renewed.
pub const LEASE: Duration = Duration::from_secs(30);

/// The tasks that this process has leased to workers. Clones share them.
#[derive(Clone, Debug)]
pub struct LeasedTasks {
    /// For how long each lease is.
    pub lease: Duration,
    held: Arc<Mutex<HashMap<JobId, LeasedTask>>>,
}

#[derive(Debug)]
struct LeasedTask {
    token: String,
    renewed: Instant,
    /// Unless it is the check of a version.
    played: Option<MatchTask>,
}

impl Default for LeasedTasks {
    fn default() -> LeasedTasks {
        LeasedTasks::leased_for(LEASE)
    }
}

impl LeasedTasks {
    /// An empty set; leases last for this time unless they are renewed.
    pub fn leased_for(lease: Duration) -> LeasedTasks {
        let held = Arc::default();
        LeasedTasks { lease, held }
    }

    /// Adds a task, with its match if it is one.
    pub fn add_task(&self, lease: &Lease, played: Option<MatchTask>) {
        let task = LeasedTask {
            token: lease.token.clone(),
            renewed: Instant::now(),
            played,
        };
        self.lock_held().insert(lease.job, task);
    }

    /// The match of a lease.
    pub fn match_of(&self, lease: &Lease) -> Option<MatchTask> {
        self.with_task(lease, |task| task.played.clone())?
    }

    /// Notes that a lease was renewed.
    pub fn note_renewal(&self, lease: &Lease) {
        self.with_task(lease, |task| task.renewed = Instant::now());
    }

    /// Whether a lease was renewed lately.
    pub fn is_fresh(&self, lease: &Lease) -> bool {
        let age = self.with_task(lease, |task| task.renewed.elapsed());
        age.is_some_and(|age| age < self.lease / 3)
    }

    /// Removes a task; returns the id of its match.
    pub fn remove_task(&self, lease: &Lease) -> Option<i64> {
        let mut held = self.lock_held();
        held.get(&lease.job)
            .filter(|task| task.token == lease.token)?;
        held.remove(&lease.job)?.played.map(|played| played.id)
    }

    /// The leases that have expired.
    pub fn list_expired(&self) -> Vec<Lease> {
        let held = self.lock_held();
        let is_silent = |task: &LeasedTask| task.renewed.elapsed() >= self.lease;
        let silent = held.iter().filter(|(_, task)| is_silent(task));
        let lease = |(job, task): (&JobId, &LeasedTask)| {
            let (job, token) = (*job, task.token.clone());
            Lease { job, token }
        };
        silent.map(lease).collect()
    }

    /// Reads or changes the task of a lease, if it is the one of today.
    fn with_task<T>(&self, lease: &Lease, work: impl FnOnce(&mut LeasedTask) -> T) -> Option<T> {
        let mut held = self.lock_held();
        let task = held.get_mut(&lease.job);
        task.filter(|task| task.token == lease.token).map(work)
    }

    fn lock_held(&self) -> MutexGuard<'_, HashMap<JobId, LeasedTask>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
