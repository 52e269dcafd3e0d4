//! The job source of the worker in the server's process.

use std::time::Duration;

use leitai_store::{Lease, LeaseState, Store, VersionId, WorkerReport};
use tokio::runtime::Handle;
use tokio::sync::watch;

use super::queue::JobQueue;
use super::queue_error::JobQueueError;
use super::source::{
    JobProgress, JobReport, JobRequest, JobSource, JobSourceError, JobTask, ReportOutcome,
    SourceTask,
};

/// The job source of the worker in this process.
pub struct LocalJobSource {
    job_queue: JobQueue,
    worker: String,
    runtime: Handle,
    is_stopping: watch::Sender<bool>,
}

/// The longest wait of an idle slot before it asks again. Whatever queues a job wakes it; this is for
/// jobs that become due by time, and for those of other servers whose message was lost.
fn longest_wait(store: &Store) -> Duration {
    Duration::from_secs(if store.is_embedded() { 5 } else { 1 })
}

impl LocalJobSource {
    /// A job source for the worker of this name. The runtime needs threads of its own, because the
    /// worker's threads block on it.
    pub fn new(job_queue: JobQueue, worker: impl Into<String>, runtime: Handle) -> LocalJobSource {
        LocalJobSource {
            job_queue,
            worker: worker.into(),
            runtime,
            is_stopping: watch::Sender::new(false),
        }
    }

    fn wait_for<T>(
        &self,
        answer: impl Future<Output = Result<T, JobQueueError>>,
    ) -> Result<T, JobSourceError> {
        Ok(self.runtime.block_on(answer)?)
    }

    /// Leases a job, or waits until there may be one.
    async fn lease_or_wait(&self, request: &JobRequest) -> Result<Option<JobTask>, JobQueueError> {
        let store = self.job_queue.store();
        let (mut arrivals, mut stopping) = (store.job_arrivals(), self.is_stopping.subscribe());
        arrivals.mark_unchanged();
        let task = self.job_queue.lease_job(&self.worker, request).await?;
        if task.is_none() {
            // A closed store is reported by the next call.
            tokio::select! {
                _ = arrivals.changed() => {}
                _ = stopping.wait_for(|is_stopping| *is_stopping) => {}
                () = tokio::time::sleep(longest_wait(store)) => {}
            }
        }
        Ok(task)
    }
}

impl JobSource for LocalJobSource {
    fn lease_job(&self, request: &JobRequest) -> Result<Option<JobTask>, JobSourceError> {
        // An error of one job must not keep the worker from taking others.
        let leased = self.runtime.block_on(self.lease_or_wait(request));
        leased.map_err(|error| JobSourceError::Later(error.to_string()))
    }

    fn stop_waiting(&self) {
        self.is_stopping.send_replace(true);
    }

    fn renew_and_report(
        &self,
        lease: &Lease,
        progress: Vec<JobProgress>,
    ) -> Result<LeaseState, JobSourceError> {
        self.wait_for(self.job_queue.renew_and_report(lease, progress))
    }

    fn finish_job(
        &self,
        lease: &Lease,
        report: JobReport,
    ) -> Result<ReportOutcome, JobSourceError> {
        self.wait_for(self.job_queue.finish_job(lease, report, true, None))
    }

    fn hand_back(&self, lease: &Lease) -> Result<(), JobSourceError> {
        self.wait_for(self.job_queue.hand_back(lease))
    }

    fn fetch_source(&self, lease: &Lease, source: &SourceTask) -> Result<Vec<u8>, JobSourceError> {
        let version = VersionId(source.version);
        self.wait_for(self.job_queue.read_source(lease, version))
    }

    fn fetch_game_file(&self, lease: &Lease) -> Result<Vec<u8>, JobSourceError> {
        self.wait_for(self.job_queue.read_game_file(lease))
    }

    fn fetch_library(&self, hash: &str) -> Result<Vec<u8>, JobSourceError> {
        self.wait_for(self.job_queue.read_library(hash))
    }

    fn report_worker(&self, report: &WorkerReport) -> Result<(), JobSourceError> {
        self.wait_for(self.job_queue.report_worker(report.clone()))
    }

    fn renewal_interval(&self) -> Duration {
        Duration::from_millis(50)
    }
}
