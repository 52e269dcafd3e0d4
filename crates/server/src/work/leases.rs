//! The leases of the arena that this process holds. A worker's slots renew theirs through its job
//! source; those of matches with people ([`KeptLease`]) are renewed on the runtime.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use leitai_store::{Lease, LeaseState, Store, Timestamp};
use leitai_work::LeaseTerms;
use leitai_work::leases::RETRY;

use super::source::{JobProgress, JobSource, JobSourceError};

/// A lease that is held.
pub type HeldLease = leitai_work::HeldLease<Lease>;

/// Notes the state of a lease as the job source or the database reported it.
fn note_lease_state(held: &HeldLease, state: LeaseState) {
    match state {
        LeaseState::Held => held.note_renewal(),
        LeaseState::Lost => held.mark_lost(),
    }
}

/// Reports the progress of a task, which renews its lease.
pub fn report_progress(
    source: &dyn JobSource,
    held: &HeldLease,
    progress: Vec<JobProgress>,
) -> Result<(), JobSourceError> {
    note_lease_state(held, source.renew_and_report(&held.lease, progress)?);
    Ok(())
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
        let held = Arc::new(HeldLease::new(lease, LeaseTerms::lasting(lasts), 0, stop));
        let renewing = tokio::spawn(renew_until_lost(store, held.clone(), lasts));
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

async fn renew_until_lost(store: Store, held: Arc<HeldLease>, lasts: Duration) {
    while !held.is_lost() {
        tokio::time::sleep(held.due_in().max(RETRY)).await;
        let until = Timestamp::now().after(lasts);
        match store.renew_lease(&held.lease, until).await {
            Ok(state) => note_lease_state(&held, state),
            Err(error) => {
                tracing::warn!(job = %held.lease.job, %error, "cannot renew a lease");
            }
        }
    }
}
