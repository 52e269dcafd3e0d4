//! One run of cargo that builds and lints every test binary, `leitai`, the Python module and the
//! programs whose instructions are counted.

use std::collections::HashSet;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::Context;
use serde_json::Value;

use super::job::{Ended, Job, timed};

/// Each dependency is compiled once for all of them. With `RUSTC_WORKSPACE_WRAPPER` set to
/// clippy-driver, as `./dev` does, the same run of cargo also lints.
const ARGUMENTS: &[&str] = &[
    "build",
    "--workspace",
    "--locked",
    "--tests",
    "--lib",
    "--bins",
    "--message-format=json-render-diagnostics",
];

/// Builds. Gives the step; `linked` gets each test binary as soon as it and the programs of its package,
/// which it may start, are there.
pub fn build(root: &Path, mut linked: impl FnMut(Job)) -> anyhow::Result<Ended> {
    let begun = Instant::now();
    let cargo = PathBuf::from(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    let mut held = Held::of_workspace(root, &cargo)?;
    let arguments: Vec<String> = ARGUMENTS.iter().map(|&word| word.to_owned()).collect();
    let mut count = 0;
    let (ended, cpu) = timed(&cargo, &arguments, |command| {
        let mut build = command.current_dir(root).stdout(Stdio::piped()).spawn()?;
        let output = build.stdout.take().expect("it is piped");
        for line in BufReader::new(output).lines() {
            for job in held.take(&line?) {
                count += 1;
                linked(job);
            }
        }
        Ok((build.wait()?, ()))
    });
    let (status, ()) = ended.context("cannot run cargo")?;
    let (is_good, took) = (status.success() && count > 0, begun.elapsed());
    let word = if is_good { "ok    " } else { "FAILED" };
    let name = "building".to_owned();
    eprintln!(
        "{word} {name} ({:.1} s, CPU {cpu:.1} s)",
        took.as_secs_f64()
    );
    if !is_good {
        eprintln!("the tests cannot be built, or a lint complains: {count} test binaries");
    }
    Ok(Ended {
        name,
        is_good,
        reasons: Vec::new(),
        passed: None,
        cpu,
        begun,
        took,
    })
}

/// Test binaries that wait for the programs of their packages: cargo links those later, although a test
/// may start them.
#[derive(Debug, Default)]
struct Held {
    /// The programs that are not linked yet, each with the folder of its package.
    programs: HashSet<(PathBuf, String)>,
    jobs: Vec<Job>,
}

impl Held {
    /// Nothing, and all programs are still to be linked.
    fn of_workspace(root: &Path, cargo: &Path) -> anyhow::Result<Held> {
        let words = ["metadata", "--no-deps", "--locked", "--format-version=1"];
        let told = Command::new(cargo).args(words).current_dir(root).output();
        let told = told.context("cannot run cargo")?.stdout;
        let told: Value = serde_json::from_slice(&told).context("cargo metadata")?;
        let packages = told["packages"].as_array().into_iter().flatten();
        let programs = packages.flat_map(|package| {
            let targets = package["targets"].as_array().into_iter().flatten();
            targets.filter_map(|target| program(package, target))
        });
        Ok(Held {
            programs: programs.collect(),
            jobs: Vec::new(),
        })
    }

    /// Reads a line of cargo's messages. Gives the test binaries that can run now and could not before.
    fn take(&mut self, line: &str) -> Vec<Job> {
        let Ok(message) = serde_json::from_str::<Value>(line) else {
            return Vec::new();
        };
        if message["reason"] != "compiler-artifact" {
            return Vec::new();
        }
        self.jobs.extend(test_binary(&message));
        if message["profile"]["test"] == false
            && let Some(linked) = program(&message, &message["target"])
        {
            self.programs.remove(&linked);
        }
        let programs = &self.programs;
        let waits = |job: &Job| programs.iter().any(|(folder, _)| *folder == job.folder);
        self.jobs.extract_if(.., |job| !waits(job)).collect()
    }
}

/// The program that this target of a package is: the package's folder, and its name.
fn program(package: &Value, target: &Value) -> Option<(PathBuf, String)> {
    let folder = Path::new(package["manifest_path"].as_str()?).parent()?;
    let name = target["name"].as_str()?.to_owned();
    (target["kind"][0] == "bin").then(|| (folder.to_owned(), name))
}

/// The test binary in one of cargo's messages of what it has made.
fn test_binary(message: &Value) -> Option<Job> {
    let is_test = message["profile"]["test"] == true;
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
        is_test_binary: true,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Cargo's message: this target of the package in this folder is made.
    fn made(folder: &str, is_test: bool, kind: &str) -> String {
        format!(
            r#"{{"reason":"compiler-artifact","manifest_path":"{folder}/Cargo.toml","profile":{{"test":{is_test}}},
            "target":{{"name":"cli","kind":["{kind}"]}},"executable":"/t/cli-1"}}"#
        )
    }

    #[test]
    fn test_binaries_run_in_the_folders_of_their_packages() {
        let one = |line: &str| Held::default().take(line).pop();
        let job = one(&made("/a/b", true, "test")).expect("it is one");
        assert_eq!(
            (&*job.name, &*job.folder, &*job.program),
            ("cli", Path::new("/a/b"), Path::new("/t/cli-1"))
        );
        let name = one(&made("/a/b", true, "lib")).expect("it is one").name;
        assert_eq!(name, "cli (unit tests)");
        for other in [
            &made("/a/b", false, "bin"),
            r#"{"reason":"build-finished","success":true}"#,
            "warning: text",
        ] {
            assert_eq!(one(other), None, "{other}");
        }
    }

    #[test]
    fn a_test_binary_waits_for_the_programs_of_its_package() {
        let mut held = Held {
            programs: HashSet::from([("/a".into(), "cli".into())]),
            ..Held::default()
        };
        let rows = [
            ("/b", true, "test", 1),
            ("/a", true, "test", 0),
            ("/a", true, "bin", 0),
            ("/b", false, "bin", 0),
            ("/a", false, "bin", 2),
            ("/a", true, "test", 1),
        ];
        for (folder, is_test, kind, free) in rows {
            let taken = held.take(&made(folder, is_test, kind)).len();
            assert_eq!(taken, free, "{folder} {is_test} {kind}");
        }
    }

    #[test]
    fn the_programs_of_this_workspace_are_known() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let held = Held::of_workspace(&root, Path::new(env!("CARGO"))).expect("cargo tells them");
        let has = |name: &str| held.programs.iter().any(|(_, program)| program == name);
        assert!(has("leitai") && has("leitai-sandbox-helper"), "{held:?}");
    }
}
