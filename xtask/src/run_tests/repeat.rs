//! `cargo xtask repeat TIMES [NAME …]`: builds once and runs test binaries again and again, two at a
//! time, to find tests that pass by luck. `./dev repeat` sets what they need.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, ensure};

use super::Queue;
use super::build::build;
use super::job::{Ended, Job};

/// Runs the test binaries with these names, or all of them. Gives the number of failed runs.
pub fn repeat(root: &Path, words: &[&str]) -> anyhow::Result<usize> {
    let (times, names) = words.split_first().context("how often?")?;
    let times: usize = times
        .parse()
        .with_context(|| format!("{times} is no number"))?;
    let mut jobs = Vec::new();
    let is_built = build(root, |job| jobs.push(job))?.is_good;
    ensure!(is_built, "nothing is run");
    let jobs = chosen(jobs, names)?;
    let ended = run_again(&jobs, times);
    let failed = failures(&ended);
    for (name, count) in &failed {
        println!("FAILED {count} of {times}: {name}");
    }
    let passed = ended.len() - failed.values().sum::<usize>();
    println!("{} runs, {passed} passed", ended.len());
    Ok(ended.len() - passed)
}

/// The jobs with these names, or all if there are no names.
fn chosen(mut jobs: Vec<Job>, names: &[&str]) -> anyhow::Result<Vec<Job>> {
    for name in names {
        let is_known = jobs.iter().any(|job| job.name == *name);
        ensure!(is_known, "there is no test binary {name}");
    }
    jobs.retain(|job| names.is_empty() || names.contains(&job.name.as_str()));
    Ok(jobs)
}

fn run_again(jobs: &[Job], times: usize) -> Vec<Ended> {
    let queue = Queue::default();
    for _ in 0..times {
        queue.add(jobs.iter().cloned());
    }
    queue.close();
    queue.work_by_two()
}

/// How often each job failed, without those that never did.
fn failures(ended: &[Ended]) -> BTreeMap<&str, usize> {
    let mut failed = BTreeMap::new();
    for job in ended.iter().filter(|job| !job.is_good) {
        *failed.entry(job.name.as_str()).or_default() += 1;
    }
    failed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jobs_run_as_often_as_they_should_and_failures_are_counted() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let job = |script: &str| Job::shell(folder.path(), script);
        let second_fails = "mkdir first && exit 0; mkdir second && exit 1; exit 0";
        let jobs = vec![job(second_fails), job("true"), job("exit 3")];
        let jobs = chosen(jobs, &["exit 3", second_fails]).expect("they are there");
        let ended = run_again(&jobs, 3);
        let expected = BTreeMap::from([("exit 3", 3), (second_fails, 1)]);
        assert_eq!((ended.len(), failures(&ended)), (6, expected));
        assert!(chosen(jobs, &["servants"]).is_err());
    }
}
