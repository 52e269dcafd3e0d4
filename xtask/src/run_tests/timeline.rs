//! When each step ran, and when cores had nothing to do: `target/test-timeline`.

use std::fmt::Write as _;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::Context;

use super::job::Ended;

/// A span in which less than this part of the cores worked is named.
pub const BUSY: f64 = 0.75;
/// Shorter spans are not.
const NAMED: Duration = Duration::from_secs(10);

/// How much of the machine worked in a span.
#[derive(Clone, Copy, Debug)]
pub struct Sample {
    pub begun: Instant,
    pub took: Duration,
    /// From 0 to 1, all cores.
    pub busy: f64,
}

/// The ticks in which the machine worked, and all, since its start.
pub struct Meter {
    begun: Instant,
    ticks: [f64; 2],
}

impl Meter {
    pub fn start() -> Meter {
        let text = std::fs::read_to_string("/proc/stat").unwrap_or_default();
        Meter {
            begun: Instant::now(),
            ticks: ticks(&text),
        }
    }

    /// The span since the last one.
    pub fn next(&mut self) -> Sample {
        let last = std::mem::replace(self, Meter::start());
        let [worked, all] = [0, 1].map(|at| self.ticks[at] - last.ticks[at]);
        Sample {
            begun: last.begun,
            took: self.begun - last.begun,
            busy: busy_part(worked, all),
        }
    }
}

/// The part that worked; all where nothing is counted. The kernel's counts of idle time may go back a little.
fn busy_part(worked: f64, all: f64) -> f64 {
    match all > 0.0 {
        true => (worked / all).clamp(0.0, 1.0),
        false => 1.0,
    }
}

/// The ticks in which the machine worked, and all, in the first line of `/proc/stat`.
fn ticks(text: &str) -> [f64; 2] {
    /// Of user, nice, system, idle, waiting for a disk, interrupts of two kinds, stolen.
    const IDLE: [usize; 2] = [3, 4];
    const ALL: usize = 8;
    let line = text.lines().next().unwrap_or_default();
    let numbers = line.split_whitespace().skip(1).take(ALL);
    let mut sums = [0.0; 2];
    for (at, number) in numbers.enumerate() {
        let number: f64 = number.parse().unwrap_or_default();
        sums[0] += if IDLE.contains(&at) { 0.0 } else { number };
        sums[1] += number;
    }
    sums
}

/// The part of the cores that worked, the steps in order of their start, and the spans in which cores
/// had nothing to do. `begun` is the start of the run.
pub fn describe(begun: Instant, ended: &[Ended], samples: &[Sample]) -> (f64, String, Vec<String>) {
    let all: f64 = samples.iter().map(|span| span.took.as_secs_f64()).sum();
    let worked = samples
        .iter()
        .map(|span| span.took.as_secs_f64() * span.busy);
    let mut steps: Vec<&Ended> = ended.iter().collect();
    steps.sort_by_key(|step| step.begun);
    let mut text = "# start and end in seconds, CPU s, step\n".to_owned();
    for step in steps {
        let start = (step.begun - begun).as_secs_f64();
        let end = start + step.took.as_secs_f64();
        _ = writeln!(
            text,
            "{start:7.1} {end:7.1} {:7.1}  {}",
            step.cpu, step.name
        );
    }
    let idle = idle_spans(begun, ended, samples);
    _ = writeln!(text, "# cores had nothing to do\n{}", idle.join("\n"));
    let share = if all > 0.0 {
        worked.sum::<f64>() / all
    } else {
        1.0
    };
    (share, text, idle)
}

/// Writes it into cargo's folder and gives the name of the file.
pub fn keep(root: &Path, text: &str) -> anyhow::Result<String> {
    let folder = std::env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into());
    let file = root.join(folder).join("test-timeline");
    let name = file.display().to_string();
    std::fs::write(&file, text).with_context(|| format!("cannot write {name}"))?;
    Ok(name)
}

/// Lines for the spans of some length in which cores had nothing to do, with the steps of that time.
fn idle_spans(begun: Instant, ended: &[Ended], samples: &[Sample]) -> Vec<String> {
    let groups = samples.chunk_by(|one, next| (one.busy < BUSY) == (next.busy < BUSY));
    let idle = groups.filter(|group| group[0].busy < BUSY);
    let lines = idle.filter_map(|group| {
        let (start, last) = (group[0].begun, group[group.len() - 1]);
        let end = last.begun + last.took;
        let of_then = ended
            .iter()
            .filter(|step| step.begun < end && start < step.begun + step.took);
        let names: Vec<&str> = of_then.map(|step| step.name.as_str()).collect();
        let busy = group.iter().map(|span| span.busy).sum::<f64>() / group.len() as f64;
        (end - start >= NAMED).then(|| {
            format!(
                "{:7.1} {:7.1}  {:.0} % worked beside {}",
                (start - begun).as_secs_f64(),
                (end - begun).as_secs_f64(),
                busy * 100.0,
                names.join(", ")
            )
        })
    });
    lines.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_without_work_are_named_with_the_steps_of_that_time() {
        let begun = Instant::now();
        let at = |seconds| begun + Duration::from_secs(seconds);
        let step = |name: &str, start, seconds| Ended {
            name: name.to_owned(),
            is_good: true,
            reasons: Vec::new(),
            passed: None,
            cpu: 1.5,
            begun: at(start),
            took: Duration::from_secs(seconds),
        };
        let ended = [step("late", 20, 10), step("early", 0, 22)];
        let samples = [1.0, 0.5, 1.0, 0.25, 0.75, 0.5, 0.5]
            .iter()
            .zip(0..)
            .map(|(&busy, at_5)| Sample {
                begun: at(at_5 * 5),
                took: Duration::from_secs(5),
                busy,
            });
        let samples: Vec<Sample> = samples.collect();
        let (share, text, idle) = describe(begun, &ended, &samples);
        assert_eq!((share * 700.0).round(), 450.0);
        let line = "   25.0    35.0  50 % worked beside late";
        assert_eq!(idle, [line]);
        let rows = "    0.0    22.0     1.5  early\n   20.0    30.0     1.5  late\n";
        assert!(
            text.contains(rows) && text.ends_with(&format!("{line}\n")),
            "{text}"
        );
    }

    #[test]
    fn ticks_are_read() {
        assert_eq!(ticks("cpu  1 2 3 4 5 6 7 8 9 10\ncpu0 1"), [27.0, 36.0]);
        assert_eq!(ticks(""), [0.0, 0.0]);
        let shares = [(1.0, 4.0), (3.0, 2.0), (0.0, 0.0), (2.0, -1.0)];
        let shares = shares.map(|(worked, all)| busy_part(worked, all));
        assert_eq!(shares, [0.25, 1.0, 1.0, 1.0]);
        let mut meter = Meter::start();
        let span = meter.next();
        assert!((0.0..=1.0).contains(&span.busy), "{span:?}");
    }
}
