//! `cargo xtask test [COMMAND …]`: builds the tests and the Python module once, then runs the test
//! binaries and these shell commands. Many tests wait for processes and leases, so jobs that only
//! compute run beside them (`--beside COMMAND`).

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, ensure};
use serde_json::Value;

/// The test binaries with the longest run time; they start first.
const LONGEST: &[&str] = &[
    "documents",
    "cli",
    "server",
    "servers",
    "batches",
    "course",
    "kob",
    "snakego",
    "judge",
];

/// A test binary or a shell command.
#[derive(Debug, PartialEq, Eq)]
struct Job {
    name: String,
    program: PathBuf,
    arguments: Vec<String>,
    /// The working directory.
    folder: PathBuf,
    /// The package of a test binary.
    package: Option<PathBuf>,
    /// Whether all other jobs have priority.
    is_low_priority: bool,
}

/// Runs the tests one job after the other: tests that mount, measure time or drive a browser disturb
/// each other. Many of them wait, so the commands of `beside` run at the same time with the lowest
/// priority, which takes no time from the tests. Returns the number of failed jobs.
pub fn run(root: &Path, commands: &[&str], beside: &[&str]) -> anyhow::Result<usize> {
    let mut tests: Vec<Job> = commands
        .iter()
        .map(|command| shell(root, command))
        .collect();
    let beside: Vec<Job> = beside
        .iter()
        .map(|command| Job {
            is_low_priority: true,
            ..shell(root, command)
        })
        .collect();
    tests.extend(build(root)?);
    let failed = run_lanes(&[&tests, &beside]);
    failed.iter().for_each(|name| eprintln!("FAILED: {name}"));
    Ok(failed.len())
}

/// Runs the jobs of each lane one after the other, and the lanes at the same time. Gives the names
/// of those that failed.
fn run_lanes<'a>(lanes: &[&'a [Job]]) -> Vec<&'a str> {
    let run_lane = |lane: &'a [Job]| -> Vec<&'a str> {
        let failed = lane.iter().filter(|job| !job.run());
        failed.map(|job| job.name.as_str()).collect()
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = lanes
            .iter()
            .map(|lane| scope.spawn(move || run_lane(lane)))
            .collect();
        let ended = threads.into_iter().map(|thread| thread.join());
        ended
            .flat_map(|failed| failed.expect("a job does not panic"))
            .collect()
    })
}

fn shell(root: &Path, command: &str) -> Job {
    let arguments = ["-c", command].map(str::to_owned).to_vec();
    Job {
        name: command.to_owned(),
        program: "bash".into(),
        arguments,
        folder: root.to_owned(),
        package: None,
        is_low_priority: false,
    }
}

/// Builds every test binary, `leitai` and the Python module in one run of cargo, so that each
/// dependency is compiled once. Returns the test binaries, those with the longest run time first.
fn build(root: &Path) -> anyhow::Result<Vec<Job>> {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".into());
    let arguments = ["build", "--workspace", "--locked", "--tests", "--lib"];
    let mut build = outside_package(Command::new(cargo))
        .args(arguments)
        .arg("--message-format=json-render-diagnostics")
        .current_dir(root)
        .stdout(Stdio::piped())
        .spawn()
        .context("cannot run cargo")?;
    let output = build.stdout.take().context("cargo has an output")?;
    let mut jobs = Vec::new();
    for line in BufReader::new(output).lines() {
        jobs.extend(test_binary(&line.context("cannot read what cargo says")?));
    }
    ensure!(build.wait()?.success(), "the tests cannot be built");
    ensure!(!jobs.is_empty(), "cargo named no test binary");
    let rank = |job: &Job| {
        LONGEST
            .iter()
            .position(|name| *name == job.name)
            .unwrap_or(LONGEST.len())
    };
    jobs.sort_by_key(rank);
    Ok(jobs)
}

/// Removes the variables that `cargo run` sets for xtask: some build scripts run again when one of
/// them changes, and their dependents are compiled a second time.
fn outside_package(mut command: Command) -> Command {
    for (name, _) in std::env::vars_os() {
        let name = name.to_string_lossy();
        if name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_") {
            command.env_remove(&*name);
        }
    }
    command
}

/// The test binary in a line of cargo's messages.
fn test_binary(line: &str) -> Option<Job> {
    let message: Value = serde_json::from_str(line).ok()?;
    let is_test = message["reason"] == "compiler-artifact" && message["profile"]["test"] == true;
    let program = is_test.then(|| message["executable"].as_str())??;
    let folder = Path::new(message["manifest_path"].as_str()?).parent()?;
    let (name, kind) = (
        message["target"]["name"].as_str()?,
        &message["target"]["kind"][0],
    );
    let name = if kind == "test" {
        name.to_owned()
    } else {
        format!("{name} (unit tests)")
    };
    Some(Job {
        name,
        program: program.into(),
        arguments: Vec::new(),
        folder: folder.to_owned(),
        package: Some(folder.to_owned()),
        is_low_priority: false,
    })
}

impl Job {
    /// Runs the job and reports how it ended; shows its output if it failed.
    ///
    /// Tests with real programs, disks and clocks can fail because the machine is busy. So the
    /// failed tests of a test binary run once more, alone, and a failed command runs once more as a
    /// whole (but not one that only computes); what then passes is reported as flaky, with its
    /// output, and the job has not failed.
    fn run(&self) -> bool {
        let begun = Instant::now();
        let (is_good, text) = self.run_once(&[]);
        let flaky = if is_good { None } else { self.run_again(&text) };
        let word = match (is_good, flaky.is_some()) {
            (true, _) => "ok    ",
            (_, true) => "FLAKY ",
            _ => "FAILED",
        };
        let passed = passed(&text).map_or(String::new(), |count| format!(", {count} passed"));
        let seconds = begun.elapsed().as_secs_f64();
        let shown = if is_good {
            String::new()
        } else {
            format!("{text}\n")
        };
        let again = flaky.as_deref().unwrap_or_default();
        // In one write: other jobs print at the same time.
        eprintln!(
            "{shown}{word} {} ({seconds:.1} s{passed}){again}",
            self.name
        );
        is_good || flaky.is_some()
    }

    fn command(&self) -> Command {
        let mut command = if self.is_low_priority {
            let mut nice = Command::new("nice");
            nice.args(["-n", "19"]).arg(&self.program);
            nice
        } else {
            Command::new(&self.program)
        };
        command.args(&self.arguments);
        command
    }

    /// Runs alone what failed in `text`, the output of the first run. Returns its names if it passes
    /// now.
    fn run_again(&self, text: &str) -> Option<String> {
        let is_command = self.package.is_none();
        let failed = if is_command {
            failed_in_tap(text)
        } else {
            failed_tests(text)
        };
        if self.is_low_priority || !is_command && failed.is_empty() {
            return None;
        }
        let (is_good, _) = self.run_once(if is_command { &[] } else { &failed });
        is_good.then(|| format!(", passed when run again: {}", failed.join(" ")))
    }

    /// Whether the job succeeded, and its output. `only` lists the tests to run (empty: all).
    fn run_once(&self, only: &[&str]) -> (bool, String) {
        let mut command = outside_package(self.command());
        if let Some(package) = &self.package {
            // As `cargo test` sets it.
            command.env("CARGO_MANIFEST_DIR", package);
        }
        if !only.is_empty() {
            command.args(only).args(["--exact", "--test-threads=1"]);
        }
        let output = command
            .current_dir(&self.folder)
            .stdin(Stdio::null())
            .output();
        match output {
            Ok(output) => {
                let text = [output.stdout, output.stderr].concat();
                let text = String::from_utf8_lossy(&text).into_owned();
                (output.status.success(), text)
            }
            Err(error) => {
                let text = format!("cannot run {}: {error}", self.program.display());
                (false, text)
            }
        }
    }
}

/// The failed tests, from the list at the end of a test binary's output.
fn failed_tests(text: &str) -> Vec<&str> {
    let Some((_, list)) = text.rsplit_once("\nfailures:\n") else {
        return Vec::new();
    };
    let names = list.lines().take_while(|line| !line.is_empty());
    names.map(str::trim).collect()
}

/// The failed tests in the output of Node's test runner.
fn failed_in_tap(text: &str) -> Vec<&str> {
    let failed = text.lines().filter_map(|line| line.strip_prefix("not ok "));
    failed
        .filter_map(|line| Some(line.split_once(" - ")?.1))
        .collect()
}

/// The number of passed tests, from the summary lines of test binaries.
fn passed(text: &str) -> Option<usize> {
    let summaries = text
        .lines()
        .filter_map(|line| line.strip_prefix("test result: ")?.split_once(" passed"));
    let counts = summaries.filter_map(|(start, _)| start.rsplit(' ').next()?.parse::<usize>().ok());
    counts.reduce(|all, more| all + more)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn test_binaries_run_in_the_folders_of_their_packages() {
        let message = |test: bool, kind: &str| {
            format!(
                r#"{{"reason":"compiler-artifact","manifest_path":"/a/b/Cargo.toml","profile":{{"test":{test}}},
                "target":{{"name":"cli","kind":["{kind}"]}},"executable":"/t/cli-1"}}"#
            )
        };
        let job = test_binary(&message(true, "test")).expect("it is one");
        assert_eq!(
            (&*job.name, &*job.folder, &*job.program),
            ("cli", Path::new("/a/b"), Path::new("/t/cli-1"))
        );
        assert_eq!(
            test_binary(&message(true, "lib")).expect("it is one").name,
            "cli (unit tests)"
        );
        assert_eq!(test_binary(&message(false, "bin")), None);
        assert_eq!(
            test_binary(r#"{"reason":"build-finished","success":true}"#),
            None
        );
        assert_eq!(test_binary("warning: text"), None);
    }

    #[test]
    fn a_job_that_fails_is_counted() {
        let folder = std::env::temp_dir();
        assert!(shell(&folder, "exit 0").run());
        assert!(!shell(&folder, "echo seen by whoever reads the log; exit 3").run());
        let missing = Job {
            program: "/nowhere/program".into(),
            ..shell(&folder, "")
        };
        assert!(!missing.run());
    }

    #[test]
    fn lanes_run_at_the_same_time_and_every_failure_is_named() {
        let folder = std::env::temp_dir().join(format!("xtask-lanes-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        let job = |script: &str| shell(&folder, script);
        // Each lane waits for the other one.
        let [one, other] = [
            "mkfifo a && cat a; exit 1",
            "until [ -p a ]; do sleep 0.01; done; echo > a",
        ]
        .map(job);
        let nice = Job {
            is_low_priority: true,
            ..job("[ $(nice) = 19 ]")
        };
        let last = job("exit 2");
        let name = one.name.clone();
        assert_eq!(
            run_lanes(&[&[one, nice], &[other, last]]),
            [name.as_str(), "exit 2"]
        );
        std::fs::remove_dir_all(&folder).expect("the folder is there");
    }

    #[test]
    fn tests_that_failed_run_once_more_alone() {
        let text =
            "---- a stdout ----\n\nfailures:\n\nfailures:\n    a::b\n    c\n\ntest result: FAILED.";
        assert_eq!(failed_tests(text), ["a::b", "c"]);
        assert!(failed_tests("test result: ok").is_empty());
        assert_eq!(
            failed_in_tap("ok 1 - a\nnot ok 2 - b, c\n  ---\n"),
            ["b, c"]
        );
        // A test binary that fails until it is run for single tests, and one that always fails.
        let prints = "printf '\\nfailures:\\n    a::b\\n\\n'";
        let folder = std::env::temp_dir();
        let of = |script: String| Job {
            package: Some(folder.clone()),
            ..shell(&folder, &script)
        };
        assert!(
            of(format!(
                "{prints}; [ $# = 2 ] && [ \"$0 $1\" = 'a::b --exact' ]"
            ))
            .run()
        );
        assert!(!of(format!("{prints}; exit 1")).run());
        // A command that fails once, and one that only computes.
        let mark = folder.join(format!("xtask-flaky-{}", std::process::id()));
        let once = format!(
            "rm {0} 2>/dev/null || {{ touch {0}; exit 1; }}",
            mark.display()
        );
        assert!(shell(&folder, &once).run());
        let computes = |script: &str| Job {
            is_low_priority: true,
            ..shell(&folder, script)
        };
        assert!(!computes(&once.replace("touch", "touch -c")).run());
    }

    #[test]
    fn summaries_are_added() {
        let text =
            "test result: ok. 3 passed; 0 failed\nmore\ntest result: FAILED. 40 passed; 1 failed\n";
        assert_eq!(passed(text), Some(43));
        assert_eq!(passed("no tests"), None);
    }
}
