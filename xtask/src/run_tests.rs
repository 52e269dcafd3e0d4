//! `cargo xtask test`: builds and lints everything once, runs every test, and counts what they cost.
//!
//! Two workers take jobs. While the first one builds, the second one runs the commands that need no
//! build (`EARLY`) and test binaries that need nothing but themselves; then both take what is left:
//! test binaries and further commands. No job gets a second try: a test that fails and passes when
//! it is run again has failed.

mod build;
mod cpu;
mod job;
mod repeat;

use std::collections::{BTreeMap, VecDeque};
use std::path::Path;
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::Context;

use job::{Ended, Job};
pub use repeat::repeat;

/// What a caller wants to run, and why its cost is accepted.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Wanted<'a> {
    /// Shell commands that need no build.
    pub early: Vec<&'a str>,
    /// Shell commands that need one.
    pub built: Vec<&'a str>,
    /// The file with the output of bash's `times` from before.
    pub before: Option<&'a str>,
    /// Why the CPU seconds of this run are kept from now on.
    pub keep: Option<&'a str>,
}

impl<'a> Wanted<'a> {
    /// Reads `[--before FILE] [--keep WHY] [EARLY …] [--built BUILT …]`.
    pub fn parse(words: &[&'a str]) -> anyhow::Result<Wanted<'a>> {
        let mut wanted = Wanted::default();
        let mut is_built = false;
        let mut words = words.iter().copied();
        while let Some(word) = words.next() {
            let mut value = || {
                words
                    .next()
                    .with_context(|| format!("{word} needs a value"))
            };
            match word {
                "--before" => wanted.before = Some(value()?),
                "--keep" => wanted.keep = Some(value()?),
                "--built" => is_built = true,
                command if is_built => wanted.built.push(command),
                command => wanted.early.push(command),
            }
        }
        Ok(wanted)
    }
}

/// Runs the tests and gives the number of failures.
pub fn run(root: &Path, wanted: &Wanted) -> anyhow::Result<usize> {
    let mut cost = cpu::Cost::start(root, wanted.before);
    let ended = run_all(root, wanted, &mut cost)?;
    let failed: Vec<&Ended> = ended.iter().filter(|job| !job.is_good).collect();
    for job in &failed {
        eprintln!("FAILED: {}", job.name);
    }
    for job in &ended {
        cost.add(&job.name, job.cpu);
    }
    let is_too_dear = cost.report(wanted.keep.filter(|_| failed.is_empty()))?;
    let passed: usize = ended.iter().filter_map(|job| job.passed).sum();
    println!("{passed} passed, {} failed", failed.len());
    Ok(failed.len() + usize::from(is_too_dear))
}

/// Builds and runs everything with two workers.
fn run_all(root: &Path, wanted: &Wanted, cost: &mut cpu::Cost) -> anyhow::Result<Vec<Ended>> {
    let queue = Queue::default();
    std::thread::scope(|scope| {
        let beside = scope.spawn(|| {
            let early = wanted.early.iter().map(|command| Job::shell(root, command));
            let mut ended: Vec<Ended> = early.map(|job| job.run()).collect();
            ended.extend(queue.work());
            ended
        });
        let at_once = |job| queue.add(std::iter::once(job));
        let built = build::build(root, at_once).map(|(built, tests)| {
            let commands = wanted.built.iter().map(|command| Job::shell(root, command));
            queue.add_first(commands.chain(tests));
            built
        });
        // Also after a failure, so that the other worker ends.
        queue.close();
        let built = built?;
        cost.calibrate();
        let mut ended = vec![built];
        ended.extend(queue.work());
        let free = Instant::now();
        ended.extend(beside.join().expect("a job does not panic"));
        let waited = [queue.waited(), free.elapsed()].map(|time| time.as_secs_f64());
        eprintln!(
            "the workers waited {:.0} s for a job, and one {:.0} s for the other's last one",
            waited[0], waited[1]
        );
        Ok(ended)
    })
}

/// The jobs that wait for a worker.
#[derive(Default)]
struct Queue {
    waiting: Mutex<Waiting>,
    changed: Condvar,
}

#[derive(Default)]
struct Waiting {
    jobs: VecDeque<Job>,
    /// Whether no more will come.
    is_closed: bool,
    /// Whether a job runs of which only one may run at a time.
    is_sandbox_taken: bool,
    /// How long workers have waited for a job.
    waited: Duration,
}

impl Waiting {
    /// The first job that may run now.
    fn take(&mut self) -> Option<Job> {
        let is_free = |job: &Job| !(job.is_sandboxed() && self.is_sandbox_taken);
        let job = self.jobs.remove(self.jobs.iter().position(is_free)?)?;
        self.is_sandbox_taken |= job.is_sandboxed();
        Some(job)
    }
}

impl Queue {
    fn change(&self, change: impl FnOnce(&mut Waiting)) {
        change(&mut self.waiting.lock().unwrap_or_else(PoisonError::into_inner));
        self.changed.notify_all();
    }

    fn add(&self, jobs: impl Iterator<Item = Job>) {
        self.change(|waiting| waiting.jobs.extend(jobs));
    }

    /// Adds jobs before those that wait.
    fn add_first(&self, jobs: impl Iterator<Item = Job>) {
        self.change(|waiting| waiting.jobs = jobs.chain(waiting.jobs.drain(..)).collect());
    }

    fn close(&self) {
        self.change(|waiting| waiting.is_closed = true);
    }

    /// The next job that may run; waits until there is one, or none will come.
    fn next(&self) -> Option<Job> {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            let job = waiting.take();
            if job.is_some() || (waiting.is_closed && waiting.jobs.is_empty()) {
                return job;
            }
            let begun = Instant::now();
            let changed = self.changed.wait(waiting);
            waiting = changed.unwrap_or_else(PoisonError::into_inner);
            waiting.waited += begun.elapsed();
        }
    }

    fn waited(&self) -> Duration {
        let waiting = self.waiting.lock();
        waiting.unwrap_or_else(PoisonError::into_inner).waited
    }

    fn run(&self, job: &Job) -> Ended {
        let ended = job.run();
        if job.is_sandboxed() {
            self.change(|waiting| waiting.is_sandbox_taken = false);
        }
        ended
    }

    /// Runs jobs until there are none.
    fn work(&self) -> Vec<Ended> {
        std::iter::from_fn(|| self.next().map(|job| self.run(&job))).collect()
    }
}

/// CPU seconds by step.
type Steps = BTreeMap<String, f64>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_before_built_are_commands_that_need_no_build() {
        let words = [
            "--keep", "faster", "a", "--built", "b", "c", "--before", "f",
        ];
        let wanted = Wanted::parse(&words).expect("they are right");
        assert_eq!(
            wanted,
            Wanted {
                early: vec!["a"],
                built: vec!["b", "c"],
                before: Some("f"),
                keep: Some("faster")
            }
        );
        assert!(Wanted::parse(&["a", "--keep"]).is_err());
    }

    #[test]
    fn two_workers_share_what_comes_later() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        // Each of the first two waits for the other one.
        let scripts = [
            "mkfifo a && cat a; exit 1",
            "until [ -p a ]; do sleep 0.01; done; echo > a",
            "exit 2",
        ];
        let queue = Queue::default();
        let ended = std::thread::scope(|scope| {
            let other = scope.spawn(|| queue.work());
            queue.add(
                scripts
                    .iter()
                    .map(|script| Job::shell(folder.path(), script)),
            );
            queue.close();
            let mut ended = queue.work();
            ended.extend(other.join().expect("it ends"));
            ended
        });
        let mut failed: Vec<&str> = ended
            .iter()
            .filter(|job| !job.is_good)
            .map(|job| job.name.as_str())
            .collect();
        failed.sort_unstable();
        assert_eq!((ended.len(), failed), (3, vec!["exit 2", scripts[0]]));
    }

    #[test]
    fn sandboxed_jobs_run_one_at_a_time_and_hold_nobody_up() {
        let job = |name: &str| Job {
            name: name.to_owned(),
            ..Job::shell(&std::env::temp_dir(), "true")
        };
        let queue = Queue::default();
        queue.add(["child", "last"].map(job).into_iter());
        queue.add_first(["hostile", "cli"].map(job).into_iter());
        queue.close();
        let next = || queue.next().expect("one waits");
        let first = next();
        let names = [first.name.clone(), next().name, next().name];
        assert_eq!(names, ["hostile", "cli", "last"]);
        assert!(queue.run(&first).is_good);
        assert_eq!(next().name, "child");
        assert!(queue.next().is_none());
    }
}
