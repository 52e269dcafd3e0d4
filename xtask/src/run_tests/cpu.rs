//! What the tests cost, and the ratchet: `docs/test-cpu.json` keeps the CPU seconds of a run, and a
//! run that takes a quarter more fails until somebody keeps it and says why.
//!
//! Machines differ, so seconds are compared as multiples of a short calibration: the CPU time of
//! fixed work, measured in the same run.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use anyhow::Context;
use serde_json::{Value, json};

use super::job::{Ended, Steps};

const FILE: &str = "docs/test-cpu.json";
/// How much more than the kept sum a run may take.
const TOLERANCE: f64 = 1.25;
/// A step that grew by more seconds is named.
const GROWTH: f64 = 5.0;
/// How many of the dearest steps are named.
const DEAREST: usize = 10;
/// How often the machine is measured at a time; the middle one of all measurements counts.
const MEASURED: usize = 5;

/// The content of `docs/test-cpu.json`: `entries` with date, reason, calibration and sum, the newest
/// last, and of the newest `steps`, the CPU seconds, and `lasted`, the seconds from start to end.
struct Kept(Value);

impl Kept {
    fn read(file: &Path) -> anyhow::Result<Kept> {
        match fs::read_to_string(file) {
            Ok(text) => Ok(Kept(serde_json::from_str(&text).with_context(|| FILE)?)),
            Err(_) => Ok(Kept(json!({"entries": [], "steps": {}}))),
        }
    }

    /// Calibration and sum of the newest entry.
    fn newest(&self) -> Option<(f64, f64)> {
        let entry = self.0["entries"].as_array()?.last()?;
        Some((entry["calibration"].as_f64()?, entry["sum"].as_f64()?))
    }

    /// The seconds of every step, by `steps` or `lasted`.
    fn steps(&self, kind: &str) -> Steps {
        let steps = self.0[kind].as_object().into_iter().flatten();
        let seconds = steps.filter_map(|(name, value)| Some((name.clone(), value.as_f64()?)));
        seconds.collect()
    }
}

/// The cost of a run.
pub struct Cost {
    file: PathBuf,
    calibrations: Vec<f64>,
    steps: Steps,
    lasted: Steps,
    /// CPU seconds of the whole machine at the start.
    machine: f64,
}

impl Cost {
    /// Starts to count. `before` is a file with the output of bash's `times`.
    pub fn start(root: &Path, before: Option<&str>) -> Cost {
        let before = before.and_then(|file| fs::read_to_string(root.join(file)).ok());
        let mut cost = Cost {
            file: root.join(FILE),
            calibrations: Vec::new(),
            steps: Steps::new(),
            lasted: Steps::new(),
            machine: machine_seconds(),
        };
        let before = before.as_deref().map_or(0.0, children_of_times);
        add_seconds(&mut cost.steps, "set-up", before);
        cost.calibrate();
        cost
    }

    /// How many seconds the steps of the kept run lasted.
    pub fn lasted_before(&self) -> anyhow::Result<Steps> {
        Ok(Kept::read(&self.file)?.steps("lasted"))
    }

    /// Counts a step.
    pub fn add(&mut self, job: &Ended) {
        add_seconds(&mut self.steps, &job.name, job.cpu);
        add_seconds(&mut self.lasted, &job.name, job.took.as_secs_f64());
    }

    /// Measures the machine once more.
    pub fn calibrate(&mut self) {
        self.calibrations
            .extend((0..MEASURED).map(|_| calibration()));
    }

    /// Prints what was dear and what grew. Keeps the figures if there is a reason. Says whether the
    /// run was too dear.
    pub fn report(mut self, keep: Option<&str>) -> anyhow::Result<bool> {
        self.calibrate();
        eprintln!(
            "the whole machine worked {:.0} CPU s",
            machine_seconds() - self.machine
        );
        self.conclude(keep)
    }

    fn conclude(mut self, keep: Option<&str>) -> anyhow::Result<bool> {
        self.calibrations.sort_by(f64::total_cmp);
        let calibration = self.calibrations[self.calibrations.len() / 2];
        let sum: f64 = self.steps.values().sum();
        let kept = Kept::read(&self.file)?;
        eprintln!("the steps took {sum:.0} CPU s (calibration {calibration:.3} s); the dearest:");
        dearest(&self.steps)
            .iter()
            .for_each(|line| eprintln!("{line}"));
        if let Some(why) = keep {
            let entry =
                json!({"date": today()?, "why": why, "calibration": calibration, "sum": sum});
            return self.keep(kept, entry).map(|()| false);
        }
        let Some((kept_calibration, kept_sum)) = kept.newest() else {
            return Ok(false);
        };
        let scale = kept_calibration / calibration;
        for line in grown(&self.steps, &kept.steps("steps"), scale) {
            eprintln!("{line}");
        }
        let is_too_dear = sum * scale > kept_sum * TOLERANCE;
        if is_too_dear {
            eprintln!(
                "The tests took {:.0} CPU seconds on the scale of {FILE}, which keeps {:.0}: more than a quarter more.",
                sum * scale,
                kept_sum
            );
            eprintln!("Make them cheaper, or keep the new sum and say why: ./dev test --keep WHY");
        }
        Ok(is_too_dear)
    }

    fn keep(self, Kept(mut kept): Kept, entry: Value) -> anyhow::Result<()> {
        let entries = kept["entries"].as_array_mut();
        entries
            .with_context(|| format!("{FILE} has no list of entries"))?
            .push(entry);
        kept["steps"] = json!(self.steps);
        kept["lasted"] = json!(self.lasted);
        let text = serde_json::to_string_pretty(&kept)?;
        fs::write(&self.file, format!("{text}\n")).with_context(|| FILE)?;
        eprintln!("kept in {FILE}: commit it");
        Ok(())
    }
}

/// Adds tenths of seconds to a step.
fn add_seconds(steps: &mut Steps, step: &str, seconds: f64) {
    *steps.entry(step.to_owned()).or_default() += (seconds * 10.0).round() / 10.0;
}

/// Lines for the dearest steps.
fn dearest(steps: &Steps) -> Vec<String> {
    let mut steps: Vec<(&String, &f64)> = steps.iter().collect();
    steps.sort_by(|a, b| b.1.total_cmp(a.1));
    let named = steps.iter().take(DEAREST);
    named
        .map(|(name, seconds)| format!("{seconds:8.1} s  {name}"))
        .collect()
}

/// Lines for the steps that grew. `scale` turns seconds of this run into seconds of the kept one.
fn grown(steps: &Steps, kept: &Steps, scale: f64) -> Vec<String> {
    let grown = steps.iter().filter_map(|(name, seconds)| {
        let (now, before) = (seconds * scale, kept.get(name).copied().unwrap_or(0.0));
        (now - before > GROWTH).then(|| format!("grew: {name}, from {before:.1} s to {now:.1} s"))
    });
    grown.collect()
}

/// The CPU seconds of the children in the output of bash's `times`: its second line, `0m8.4s 0m4.2s`.
fn children_of_times(text: &str) -> f64 {
    let part = |word: &str| {
        let (minutes, seconds) = word.strip_suffix('s')?.split_once('m')?;
        Some(minutes.parse::<f64>().ok()? * 60.0 + seconds.parse::<f64>().ok()?)
    };
    let line = text.lines().nth(1).unwrap_or_default();
    line.split(' ').filter_map(part).sum()
}

/// The CPU seconds that the machine has worked since its start, in user and kernel mode.
fn machine_seconds() -> f64 {
    /// Of user, nice, system, idle, waiting, interrupts of two kinds: those in which it worked.
    const WORKED: [usize; 5] = [0, 1, 2, 5, 6];
    /// `USER_HZ` of Linux.
    const TICKS_A_SECOND: f64 = 100.0;
    let text = fs::read_to_string("/proc/stat").unwrap_or_default();
    let ticks: Vec<f64> = text
        .lines()
        .next()
        .unwrap_or_default()
        .split_whitespace()
        .skip(1)
        .filter_map(|tick| tick.parse().ok())
        .collect();
    let worked: f64 = WORKED.iter().filter_map(|&at| ticks.get(at)).sum();
    worked / TICKS_A_SECOND
}

/// The CPU seconds of fixed work: allocation, comparison and sorting, as compilers and tests do.
fn calibration() -> f64 {
    const ITEMS: u64 = 100_000;
    let (begun, clock) = (thread_seconds(), Instant::now());
    let mut state = 1_u64;
    let mut words = std::collections::BTreeMap::new();
    for at in 0..ITEMS {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        words.insert(format!("{:x}", state >> 20), at);
    }
    let mut numbers: Vec<u64> = words.into_values().collect();
    numbers.sort_unstable();
    std::hint::black_box(numbers);
    let seconds = begun.and_then(|begun| Some(thread_seconds()? - begun));
    seconds.unwrap_or_else(|| clock.elapsed().as_secs_f64())
}

/// The CPU seconds of this thread: the first number of its `schedstat`, in nanoseconds, if the kernel
/// counts them.
fn thread_seconds() -> Option<f64> {
    let text = fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    Some(text.split(' ').next()?.parse::<f64>().ok()? / 1e9)
}

fn today() -> anyhow::Result<String> {
    let output = Command::new("date")
        .arg("-I")
        .output()
        .context("cannot run date")?;
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cost(file: &Path, seconds: f64) -> Cost {
        let steps = Steps::from([("a".to_owned(), seconds), ("b".to_owned(), 1.0)]);
        Cost {
            file: file.to_owned(),
            calibrations: vec![9.0, 0.5, 0.1],
            lasted: Steps::from([("a".to_owned(), 2.0 * seconds)]),
            steps,
            machine: 0.0,
        }
    }

    #[test]
    fn a_run_that_is_a_quarter_dearer_fails_until_it_is_kept() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let file = folder.path().join("test-cpu.json");
        let report = |seconds: f64, keep| cost(&file, seconds).conclude(keep).expect("a file");
        assert!(!report(100.0, None), "nothing is kept");
        assert!(!report(100.0, Some("first")));
        assert!(!report(125.0, None) && report(126.0, None));
        assert!(!report(1000.0, Some("more tests")) && !report(1000.0, None));
        let kept = Kept::read(&file).expect("JSON");
        assert_eq!(kept.0["entries"][1]["why"], "more tests");
        let seconds = ["steps", "lasted"].map(|kind| kept.steps(kind)["a"]);
        assert_eq!(seconds, [1000.0, 2000.0]);
    }

    #[test]
    fn steps_that_grew_are_named_on_the_scale_of_the_kept_run() {
        let steps = |rows: &[(&str, f64)]| -> Steps {
            rows.iter()
                .map(|&(name, seconds)| (name.to_owned(), seconds))
                .collect()
        };
        let kept = steps(&[("a", 10.0), ("b", 10.0)]);
        let now = steps(&[("a", 40.0), ("b", 24.0), ("new", 14.0), ("small", 4.0)]);
        let lines = [
            "grew: a, from 10.0 s to 20.0 s",
            "grew: new, from 0.0 s to 7.0 s",
        ];
        assert_eq!(grown(&now, &kept, 0.5), lines);
        assert_eq!(dearest(&now)[0], "    40.0 s  a");
    }

    #[test]
    fn the_shells_own_times_are_read() {
        assert_eq!(children_of_times("0m0.1s 0m0.2s\n1m8.5s 0m4.0s\n"), 72.5);
        assert_eq!(children_of_times(""), 0.0);
        assert!(machine_seconds() > 0.0 && calibration() > 0.0);
    }
}
