//! Results that arrive. Each is handed over once, by the token of its job; a second one is dropped.

use std::collections::{HashMap, HashSet};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::message::hash_of;

/// The most bytes of results that are kept for jobs which are not asked for yet.
const MOST_EARLY: usize = 256 << 20;

/// Jobs that wait for their result, and results that wait for their job.
#[derive(Default)]
pub struct Results(Mutex<Inner>);

#[derive(Default)]
struct Inner {
    waiting: HashMap<String, Waiting>,
    /// Results of an earlier run, which this one has not asked for yet.
    early: HashMap<String, Vec<u8>>,
    early_bytes: usize,
    done: HashSet<String>,
}

struct Waiting {
    tell: Sender<Vec<u8>>,
    since: Instant,
    /// The bytes of the job.
    job: Vec<u8>,
}

/// A job whose result is expected.
pub struct ExpectedResult {
    /// Its token.
    pub token: String,
    /// Where the result arrives.
    pub arrival: Receiver<Vec<u8>>,
    /// Whether it is there already.
    pub is_there: bool,
}

impl Results {
    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Expects the result of a job. `token` is that of its content; a second job of the same content
    /// gets another one.
    pub fn expect(&self, token: &str, job: &[u8]) -> ExpectedResult {
        let mut inner = self.lock();
        let mut free = token.to_owned();
        while inner.waiting.contains_key(&free) || inner.done.contains(&free) {
            free = hash_of(free.as_bytes());
            free.truncate(32);
        }
        let (tell, arrival) = mpsc::channel();
        let early = inner.early.remove(&free);
        let is_there = early.is_some();
        match early {
            Some(bytes) => {
                inner.early_bytes -= bytes.len();
                inner.done.insert(free.clone());
                // The receiver is in this function.
                let _ = tell.send(bytes);
            }
            None => {
                let (since, job) = (Instant::now(), job.to_owned());
                inner
                    .waiting
                    .insert(free.clone(), Waiting { tell, since, job });
            }
        }
        ExpectedResult {
            token: free,
            arrival,
            is_there,
        }
    }

    /// Nobody waits for this result any longer.
    pub fn forget(&self, token: &str) {
        self.lock().waiting.remove(token);
    }

    /// A result has arrived.
    pub fn hand_over(&self, token: &str, bytes: Vec<u8>) {
        let mut inner = self.lock();
        if inner.done.contains(token) {
            tracing::debug!(token, "a second result of a job is dropped");
            return;
        }
        match inner.waiting.remove(token) {
            Some(waiting) => {
                inner.done.insert(token.to_owned());
                // Whoever waited may have stopped.
                let _ = waiting.tell.send(bytes);
            }
            None if inner.early_bytes + bytes.len() <= MOST_EARLY => {
                inner.early_bytes += bytes.len();
                let before = inner.early.insert(token.to_owned(), bytes);
                inner.early_bytes -= before.map_or(0, |before| before.len());
            }
            None => {}
        }
    }

    /// Jobs that have waited for longer than this, with their bytes.
    pub fn list_silent(&self, longer_than: Duration) -> Vec<(String, Vec<u8>)> {
        let inner = self.lock();
        let silent = inner
            .waiting
            .iter()
            .filter(|(_, one)| one.since.elapsed() > longer_than);
        silent
            .map(|(token, one)| (token.clone(), one.job.clone()))
            .collect()
    }

    /// Whether any result has arrived.
    pub fn has_any(&self) -> bool {
        !self.lock().done.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_result_of_a_job_is_dropped() {
        let results = Results::default();
        let job = results.expect("a", b"job");
        results.hand_over("a", vec![1]);
        results.hand_over("a", vec![2]);
        assert_eq!(job.arrival.try_iter().collect::<Vec<_>>(), [vec![1]]);
        let again = results.expect("a", b"job");
        assert_ne!(
            again.token, "a",
            "a job of the same content has another token"
        );
        results.hand_over("a", vec![3]);
        assert!(again.arrival.try_recv().is_err());
    }

    #[test]
    fn a_result_of_an_earlier_run_waits_for_its_job() {
        let results = Results::default();
        results.hand_over("a", vec![1]);
        let job = results.expect("a", b"job");
        assert!(job.is_there);
        assert_eq!(job.arrival.try_recv().ok(), Some(vec![1]));
        assert!(results.list_silent(Duration::ZERO).is_empty());
    }

    #[test]
    fn equal_jobs_at_once_get_a_result_each() {
        let results = Results::default();
        let jobs = [results.expect("a", b"job"), results.expect("a", b"job")];
        for (number, job) in jobs.iter().enumerate() {
            results.hand_over(&job.token, vec![number as u8]);
            assert_eq!(job.arrival.try_recv().ok(), Some(vec![number as u8]));
        }
    }
}
