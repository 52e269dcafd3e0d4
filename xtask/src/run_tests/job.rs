//! A test binary or a shell command, with the CPU seconds that it took.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// Seconds by step.
pub type Steps = BTreeMap<String, f64>;

/// A test binary or a shell command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Job {
    pub name: String,
    pub program: PathBuf,
    pub arguments: Vec<String>,
    /// The working directory.
    pub folder: PathBuf,
    /// Whether it is a test binary, whose folder is the one of its package.
    pub is_test_binary: bool,
}

/// Test binaries that run programs as users of the machine, and count and end these users' processes:
/// one at a time.
const SANDBOXED: [&str; 6] = [
    "hostile",
    "uncounted",
    "isolation",
    "lifecycle",
    "child",
    "runtimes",
];

/// How a job ended.
#[derive(Debug)]
pub struct Ended {
    pub name: String,
    pub is_good: bool,
    /// What it says of its first failures: a log that is cut in its middle still tells them.
    pub reasons: Vec<String>,
    /// The number of passed tests, if it says so.
    pub passed: Option<usize>,
    /// CPU seconds of its processes that were waited for.
    pub cpu: f64,
    pub begun: Instant,
    pub took: Duration,
}

impl Job {
    /// A command of bash.
    pub fn shell(folder: &Path, command: &str) -> Job {
        Job {
            name: command.to_owned(),
            program: "bash".into(),
            arguments: ["-c", command].map(str::to_owned).to_vec(),
            folder: folder.to_owned(),
            is_test_binary: false,
        }
    }

    /// A command of bash that gets what the build beside it leaves of the cores. `cargo xtask` is this
    /// program: cargo would wait until the build has ended.
    pub fn beside_build(folder: &Path, command: &str) -> Job {
        let own = format!("/proc/{}/exe", std::process::id());
        let script = match command.strip_prefix("cargo xtask ") {
            Some(words) => format!("{own} {words}"),
            None => command.to_owned(),
        };
        Job {
            program: "nice".into(),
            arguments: ["-n", "10", "bash", "-c", &script]
                .map(str::to_owned)
                .to_vec(),
            ..Job::shell(folder, command)
        }
    }

    /// Whether only one such job may run at a time.
    pub fn is_sandboxed(&self) -> bool {
        SANDBOXED.contains(&self.name.as_str())
    }

    /// About how many seconds it keeps a worker: as many as in an earlier run, one of those that run one
    /// after the other as many as they all.
    pub fn expected_seconds(&self, lasted: &Steps) -> f64 {
        let seconds = |name: &str| lasted.get(name).copied().unwrap_or_default();
        match self.is_sandboxed() {
            true => SANDBOXED.into_iter().map(seconds).sum(),
            false => seconds(&self.name),
        }
    }

    /// Runs the job and says how it ended; shows its output if it failed.
    pub fn run(&self) -> Ended {
        let begun = Instant::now();
        let (output, cpu) = timed(&self.program, &self.arguments, |command| {
            if self.is_test_binary {
                // As `cargo test` sets it. A command that builds must not see it: build scripts would run again.
                command.env("CARGO_MANIFEST_DIR", &self.folder);
                // What tests build is kept among the build's output, not in the cache of whoever runs them.
                command.env("LEITAI_CACHE", self.program.with_file_name("kept-builds"));
            }
            // How the workspace is built is no matter of the bots that tests build.
            command.env_remove("RUSTC_WORKSPACE_WRAPPER");
            command.env_remove("CLIPPY_ARGS");
            command.current_dir(&self.folder).stdin(Stdio::null());
            let output = command.output()?;
            let text = [output.stdout, output.stderr].concat();
            Ok((output.status, String::from_utf8_lossy(&text).into_owned()))
        });
        let (is_good, text) = match output {
            Ok((status, text)) => (status.success(), text),
            Err(error) => (
                false,
                format!("cannot run {}: {error}", self.program.display()),
            ),
        };
        let passed = passed(&text);
        let (word, shown) = if is_good {
            ("ok    ", String::new())
        } else {
            ("FAILED", format!("{text}\n"))
        };
        let counted = passed.map_or(String::new(), |count| format!(", {count} passed"));
        let took = begun.elapsed();
        // In one write: other jobs print at the same time.
        eprintln!(
            "{shown}{word} {} ({:.1} s, CPU {cpu:.1} s{counted})",
            self.name,
            took.as_secs_f64()
        );
        Ended {
            name: self.name.clone(),
            is_good,
            reasons: reasons(&shown),
            passed,
            cpu,
            begun,
            took,
        }
    }
}

/// Runs a program below bash, which measures the CPU time of its processes. `run` gets the command
/// and starts it. Gives what `run` gave, and the CPU seconds.
pub fn timed<T>(
    program: &Path,
    arguments: &[String],
    run: impl FnOnce(&mut Command) -> std::io::Result<(ExitStatus, T)>,
) -> (std::io::Result<(ExitStatus, T)>, f64) {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let file = std::env::temp_dir().join(format!("xtask-cpu-{}-{number}", std::process::id()));
    let mut command = outside_package(Command::new("bash"));
    let script = r#"TIMEFORMAT='%U %S'; { time "$@" 2>&3; } 3>&2 2>"$0""#;
    command
        .args(["-c", script])
        .arg(&file)
        .arg(program)
        .args(arguments);
    let ended = run(&mut command);
    let text = std::fs::read_to_string(&file).unwrap_or_default();
    let _ = std::fs::remove_file(&file); // Without bash it is not there.
    (ended, seconds(&text))
}

/// The sum of the last line's numbers.
fn seconds(text: &str) -> f64 {
    let line = text.lines().next_back().unwrap_or_default();
    line.split(' ')
        .filter_map(|number| number.parse::<f64>().ok())
        .sum()
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

/// The first lines that say why something failed: of Rust's panics with the line below, of pytest, of
/// Node's runner, of cargo.
fn reasons(text: &str) -> Vec<String> {
    let begin = ["E   ", "not ok ", "error"];
    let lines: Vec<&str> = text.lines().collect();
    let told = lines.iter().enumerate().filter_map(|(at, line)| {
        if line.contains("' panicked at ") || line.contains(") panicked at ") {
            return Some([line, *lines.get(at + 1).unwrap_or(&"")].join(" "));
        }
        let is_told = begin.iter().any(|start| line.starts_with(start));
        is_told.then(|| (*line).to_owned())
    });
    let short = |line: String| line.chars().take(400).collect();
    told.map(short).take(6).collect()
}

/// The number of passed tests, from the summary lines of test binaries, pytest and Node's runner.
fn passed(text: &str) -> Option<usize> {
    let rust = text.lines().filter_map(|line| {
        let (start, _) = line.strip_prefix("test result: ")?.split_once(" passed")?;
        start.rsplit(' ').next()?.parse::<usize>().ok()
    });
    let node = text
        .lines()
        .filter_map(|line| line.strip_prefix("# pass ")?.trim().parse().ok());
    let python = text.lines().filter_map(|line| {
        let (start, _) = line
            .split_once(" passed in ")
            .or_else(|| line.split_once(" passed, "))?;
        start.trim_start_matches('=').trim().parse().ok()
    });
    rust.chain(node)
        .chain(python)
        .reduce(|all, more| all + more)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_job_that_fails_has_no_second_try() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let run = |script: &str| Job::shell(folder.path(), script).run().is_good;
        assert!(run("exit 0"));
        assert!(!run("echo seen by whoever reads the log; exit 3"));
        assert!(
            !run("[ -e once ] || { touch once; exit 1; }"),
            "it would pass now"
        );
        let missing = Job {
            program: "/nowhere/program".into(),
            ..Job::shell(folder.path(), "")
        };
        assert!(!missing.run().is_good);
        let beside = |script: &str| Job::beside_build(folder.path(), script).run().is_good;
        assert!(beside("[ $(nice) -ge 10 ]") && !beside("exit 3"));
        // This is the program of the tests, which lists them.
        let own = "cargo xtask --list | grep -q a_job_that_fails";
        assert!(beside(own));
    }

    #[test]
    fn the_time_of_all_processes_is_counted() {
        let burn = "for n in 1 2; do (i=0; while ((i < 100000)); do ((i += 1)); done); done";
        let cpu = Job::shell(&std::env::temp_dir(), burn).run().cpu;
        assert!(cpu > 0.01, "{cpu}");
        let text = "a program said 7 8\n0.250 0.125\n";
        assert_eq!((seconds(text), seconds("")), (0.375, 0.0));
    }

    #[test]
    fn the_first_reasons_are_told() {
        let rust = "running\n\nthread 'a::b' (7) panicked at src/a.rs:1:2:\nno disk\nnote: more\n";
        let others = "ok 1\nnot ok 2 - plays\nE   assert 1 == 2\nerror[E0433]: no such\n";
        let found = reasons(&[rust, others].concat());
        let expected = [
            "thread 'a::b' (7) panicked at src/a.rs:1:2: no disk",
            "not ok 2 - plays",
            "E   assert 1 == 2",
            "error[E0433]: no such",
        ];
        assert_eq!(found, expected);
        assert_eq!(reasons(&rust.repeat(9)).len(), 6);
    }

    #[test]
    fn summaries_are_added() {
        let rust =
            "test result: ok. 3 passed; 0 failed\nmore\ntest result: FAILED. 40 passed; 1 failed\n";
        let rows = [
            (rust, Some(43)),
            ("# tests 9\n# pass 8\n# fail 1\n", Some(8)),
            ("===== 71 passed, 2 skipped in 3.2s =====", Some(71)),
            ("12 passed in 0.5s", Some(12)),
            ("no tests", None),
        ];
        for (text, count) in rows {
            assert_eq!(passed(text), count, "{text}");
        }
    }
}
