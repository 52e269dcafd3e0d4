//! `cargo xtask test [COMMAND …]`: builds the tests and the Python module once, then runs the test
//! binaries and these shell commands several at a time. Many tests wait for processes and leases:
//! one binary after the other, as `cargo test` runs them, leaves processors idle.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::time::Instant;

use anyhow::{Context, ensure};
use serde_json::Value;

/// Test binaries that run longest; these begin first.
const LONGEST: &[&str] = &["documents", "cli", "server", "kob", "snakego", "judge"];

/// Something that is run to its end: a test binary or a shell command.
#[derive(Debug, PartialEq, Eq)]
struct Job {
    name: String,
    program: PathBuf,
    arguments: Vec<String>,
    folder: PathBuf,
}

/// Gives the number of jobs that failed.
pub fn run(root: &Path, commands: &[&str]) -> anyhow::Result<usize> {
    let mut jobs: Vec<Job> = commands
        .iter()
        .map(|command| shell(root, command))
        .collect();
    jobs.extend(build(root)?);
    let at_once = std::thread::available_parallelism().map_or(2, usize::from) + 1;
    let (waiting, failed) = (Mutex::new(jobs.iter()), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..at_once {
            scope.spawn(|| {
                while let Some(job) = next(&waiting) {
                    if !job.run() {
                        failed
                            .lock()
                            .expect("no thread panics with it")
                            .push(&job.name);
                    }
                }
            });
        }
    });
    let failed = failed.into_inner().expect("no thread panics with it");
    failed.iter().for_each(|name| eprintln!("FAILED: {name}"));
    Ok(failed.len())
}

fn next<'a>(waiting: &Mutex<std::slice::Iter<'a, Job>>) -> Option<&'a Job> {
    waiting.lock().expect("no thread panics with it").next()
}

fn shell(root: &Path, command: &str) -> Job {
    let arguments = ["-c", command].map(str::to_owned).to_vec();
    Job {
        name: command.to_owned(),
        program: "bash".into(),
        arguments,
        folder: root.to_owned(),
    }
}

/// Builds every test binary, `leitai` and the Python module in one go, so that each dependency is
/// compiled once. Gives the test binaries, those that run longest first.
fn build(root: &Path) -> anyhow::Result<Vec<Job>> {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".into());
    let arguments = ["build", "--workspace", "--locked", "--tests", "--lib"];
    let mut build = Command::new(cargo)
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

/// The test binary of which a line of cargo's messages speaks.
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
    })
}

impl Job {
    /// Runs it and reports how it ended; what it printed is shown if it failed.
    fn run(&self) -> bool {
        let begun = Instant::now();
        let output = Command::new(&self.program)
            .args(&self.arguments)
            .current_dir(&self.folder)
            // As `cargo test` sets it; else tests would see that of this crate.
            .env("CARGO_MANIFEST_DIR", &self.folder)
            .stdin(Stdio::null())
            .output();
        let (is_good, text) = match output {
            Ok(output) => (
                output.status.success(),
                [output.stdout, output.stderr].concat(),
            ),
            Err(error) => (
                false,
                format!("cannot run {}: {error}", self.program.display()).into(),
            ),
        };
        let text = String::from_utf8_lossy(&text);
        let word = if is_good { "ok    " } else { "FAILED" };
        let passed = passed(&text).map_or(String::new(), |count| format!(", {count} passed"));
        let report = format!(
            "{word} {} ({:.1} s{passed})\n",
            self.name,
            begun.elapsed().as_secs_f64()
        );
        let shown = if is_good {
            String::new()
        } else {
            format!("{text}\n")
        };
        // In one piece: other jobs print at the same time.
        eprint!("{shown}{report}");
        is_good
    }
}

/// How many tests passed, by the summary lines of test binaries.
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
    fn only_test_binaries_are_run_each_in_the_folder_of_its_package() {
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
    fn summaries_are_added() {
        let text =
            "test result: ok. 3 passed; 0 failed\nmore\ntest result: FAILED. 40 passed; 1 failed\n";
        assert_eq!(passed(text), Some(43));
        assert_eq!(passed("no tests"), None);
    }
}
