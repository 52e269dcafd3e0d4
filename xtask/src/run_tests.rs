//! `cargo xtask test`: builds and lints everything once, runs every test, and counts what they cost.
//!
//! Two workers take jobs, the longest first by docs/test-cpu.json. While the first one builds, the
//! second one runs the commands that need no build (`EARLY`) and each test binary as soon as it and
//! the programs of its package are linked; then both take what is left: test binaries and further
//! commands. A third worker takes a job when cores had nothing to do for some seconds, because a test
//! waits. `target/test-timeline` says when each step ran. No job gets a second try: a test that fails and passes when it is run again has failed.
//!
//! What may not run at any time: test binaries that count users' processes run one at a time, and not
//! beside the build, which makes their clocks unfair (`Job::is_sandboxed`); commands that call cargo
//! wait for its build (`--built`).

mod build;
mod cpu;
mod job;
mod repeat;
mod timeline;

use std::path::Path;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::ScopedJoinHandle;
use std::time::{Duration, Instant};

use anyhow::Context;

use job::{Ended, Job, Steps};
pub use repeat::repeat;
use timeline::{Meter, Sample};

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

/// How long cores must have had nothing to do before a further job starts.
const LOOK: Duration = Duration::from_secs(5);

/// Runs the tests and gives the number of failures.
pub fn run(root: &Path, wanted: &Wanted) -> anyhow::Result<usize> {
    let mut cost = cpu::Cost::start(root, wanted.before);
    let ended = run_all(root, wanted, &mut cost)?;
    let failed: Vec<&Ended> = ended.iter().filter(|job| !job.is_good).collect();
    for job in &failed {
        eprintln!("FAILED: {}", job.name);
        job.reasons.iter().for_each(|why| eprintln!("   {why}"));
    }
    for job in &ended {
        cost.add(job);
    }
    let is_too_dear = cost.report(wanted.keep.filter(|_| failed.is_empty()))?;
    let passed: usize = ended.iter().filter_map(|job| job.passed).sum();
    println!("{passed} passed, {} failed", failed.len());
    Ok(failed.len() + usize::from(is_too_dear))
}

/// Builds and runs everything.
fn run_all(root: &Path, wanted: &Wanted, cost: &mut cpu::Cost) -> anyhow::Result<Vec<Ended>> {
    let begun = Instant::now();
    let queue = Queue::new(cost.lasted_before()?);
    let early = wanted.early.iter();
    queue.add(early.map(|command| Job::beside_build(root, command)));
    let (ended, samples) = std::thread::scope(|scope| {
        let beside = scope.spawn(|| queue.work());
        let further = scope.spawn(|| queue.work_when_idle());
        let built = build::build(root, |job| queue.add(std::iter::once(job)));
        if built.as_ref().is_ok_and(|built| built.is_good) {
            let commands = wanted.built.iter();
            queue.add(commands.map(|command| Job::shell(root, command)));
            cost.calibrate();
        } else {
            queue.drop_tests();
        }
        // Also after a failure, so that the other workers end.
        queue.close();
        let mut ended = queue.work();
        ended.extend(beside.join().expect("a job does not panic"));
        let (more, samples) = further.join().expect("a job does not panic");
        ended.extend(more);
        ended.push(built?);
        anyhow::Ok((ended, samples))
    })?;
    let (share, text, idle) = timeline::describe(begun, &ended, &samples);
    let seconds = begun.elapsed().as_secs_f64();
    let (share, kept) = (share * 100.0, timeline::keep(root, &text)?);
    eprintln!("{share:.0} % of the cores worked in {seconds:.0} s ({kept}); not so:");
    idle.iter().for_each(|line| eprintln!("{line}"));
    Ok(ended)
}

/// The jobs that wait for a worker.
#[derive(Default)]
struct Queue {
    /// How many seconds the jobs of an earlier run lasted.
    lasted: Steps,
    waiting: Mutex<Waiting>,
    changed: Condvar,
}

#[derive(Default)]
struct Waiting {
    jobs: Vec<Job>,
    /// Whether no more will come, because everything is built.
    is_closed: bool,
    /// Whether a job runs of which only one may run at a time.
    is_sandbox_taken: bool,
    /// How many jobs run.
    running: usize,
}

impl Waiting {
    /// The longest job that may run now; of equal ones the first.
    fn take(&mut self, lasted: &Steps) -> Option<Job> {
        let may_sandbox = self.is_closed && !self.is_sandbox_taken;
        let jobs = self.jobs.iter().enumerate();
        let free = jobs.filter(|(_, job)| may_sandbox || !job.is_sandboxed());
        let longest = free.rev().max_by(|a, b| {
            let time = |job: &Job| job.expected_seconds(lasted);
            time(a.1).total_cmp(&time(b.1))
        });
        let job = self.jobs.remove(longest?.0);
        self.is_sandbox_taken |= job.is_sandboxed();
        self.running += 1;
        Some(job)
    }

    fn is_empty(&self) -> bool {
        self.is_closed && self.jobs.is_empty()
    }
}

impl Queue {
    fn new(lasted: Steps) -> Queue {
        Queue {
            lasted,
            ..Queue::default()
        }
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change(&self, change: impl FnOnce(&mut Waiting)) {
        change(&mut self.waiting());
        self.changed.notify_all();
    }

    fn add(&self, jobs: impl Iterator<Item = Job>) {
        self.change(|waiting| waiting.jobs.extend(jobs));
    }

    /// Forgets the test binaries that wait.
    fn drop_tests(&self) {
        self.change(|waiting| waiting.jobs.retain(|job| !job.is_test_binary));
    }

    fn close(&self) {
        self.change(|waiting| waiting.is_closed = true);
    }

    /// The next job that may run; waits until there is one, or none will come.
    fn next(&self) -> Option<Job> {
        let mut waiting = self.waiting();
        loop {
            let job = waiting.take(&self.lasted);
            if job.is_some() || waiting.is_empty() {
                return job;
            }
            let changed = self.changed.wait(waiting);
            waiting = changed.unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn run(&self, job: &Job) -> Ended {
        let ended = job.run();
        self.change(|waiting| {
            waiting.running -= 1;
            waiting.is_sandbox_taken &= !job.is_sandboxed();
        });
        ended
    }

    /// Runs jobs until there are none.
    fn work(&self) -> Vec<Ended> {
        std::iter::from_fn(|| self.next().map(|job| self.run(&job))).collect()
    }

    /// Runs jobs until there are none, two at a time.
    fn work_by_two(&self) -> Vec<Ended> {
        std::thread::scope(|scope| {
            let other = scope.spawn(|| self.work());
            let mut ended = self.work();
            ended.extend(other.join().expect("a job does not panic"));
            ended
        })
    }

    /// Measures the machine until all jobs have ended, and runs a further one when cores had nothing to
    /// do, one at a time.
    fn work_when_idle(&self) -> (Vec<Ended>, Vec<Sample>) {
        let (mut ended, mut samples) = (Vec::new(), Vec::new());
        let mut meter = Meter::start();
        std::thread::scope(|scope| {
            let mut further: Option<ScopedJoinHandle<Ended>> = None;
            while !self.is_over_after(LOOK) {
                let sample = meter.next();
                samples.push(sample);
                if let Some(job) = further.take_if(|job| job.is_finished()) {
                    ended.push(job.join().expect("a job does not panic"));
                } else if further.is_none() && sample.busy < timeline::BUSY {
                    let job = self.waiting().take(&self.lasted);
                    further = job.map(|job| scope.spawn(move || self.run(&job)));
                }
            }
            ended.extend(further.map(|job| job.join().expect("a job does not panic")));
        });
        samples.push(meter.next());
        (ended, samples)
    }

    /// Whether all jobs have ended; waits so long before it says no.
    fn is_over_after(&self, time: Duration) -> bool {
        let goes_on = |waiting: &mut Waiting| !waiting.is_empty() || waiting.running > 0;
        let waited = self
            .changed
            .wait_timeout_while(self.waiting(), time, goes_on);
        !waited.unwrap_or_else(PoisonError::into_inner).1.timed_out()
    }
}

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
        queue.add(
            scripts
                .iter()
                .map(|script| Job::shell(folder.path(), script)),
        );
        queue.close();
        let ended = queue.work_by_two();
        let mut failed: Vec<&str> = ended
            .iter()
            .filter(|job| !job.is_good)
            .map(|job| job.name.as_str())
            .collect();
        failed.sort_unstable();
        assert_eq!((ended.len(), failed), (3, vec!["exit 2", scripts[0]]));
    }

    fn job(name: &str) -> Job {
        Job {
            name: name.to_owned(),
            ..Job::shell(&std::env::temp_dir(), "true")
        }
    }

    #[test]
    fn the_longest_is_first_and_sandboxed_jobs_run_one_at_a_time_after_the_build() {
        let lasted = [
            ("web", 72.0),
            ("cli", 157.0),
            ("hostile", 20.0),
            ("child", 1.0),
        ];
        let lasted = lasted.map(|(name, seconds)| (name.to_owned(), seconds));
        let queue = Queue::new(lasted.into());
        queue.add(["child", "hostile", "new", "web"].map(job).into_iter());
        let next = || queue.next().expect("one waits");
        assert_eq!([next().name, next().name], ["web", "new"]);
        queue.add(["cli", "tiny"].map(job).into_iter());
        queue.close();
        assert_eq!(next().name, "cli");
        let first = next();
        assert_eq!([&first.name, &next().name], ["child", "tiny"]);
        assert!(queue.waiting().take(&queue.lasted).is_none());
        assert!(queue.run(&first).is_good);
        assert_eq!(next().name, "hostile");
        assert!(queue.next().is_none());
        assert!(!queue.is_over_after(Duration::ZERO), "some run");
    }

    #[test]
    fn after_a_failed_build_only_commands_run() {
        let queue = Queue::default();
        let test = Job {
            is_test_binary: true,
            ..job("test")
        };
        queue.add([test, job("command")].into_iter());
        queue.drop_tests();
        queue.close();
        let names: Vec<String> = queue.work().into_iter().map(|job| job.name).collect();
        assert_eq!(names, ["command"]);
        assert!(queue.is_over_after(Duration::ZERO));
        assert!(queue.work_when_idle().0.is_empty());
    }
}
