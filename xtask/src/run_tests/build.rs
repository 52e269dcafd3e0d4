//! One run of cargo that builds and lints every test binary, `leitai`, the Python module and the
//! programs whose instructions are counted.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::Stdio;
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

/// Builds. Gives the step; `linked` gets each test binary as soon as it is there: what it starts of this
/// workspace is linked before it.
pub fn build(root: &Path, mut linked: impl FnMut(Job)) -> anyhow::Result<Ended> {
    let begun = Instant::now();
    let cargo = PathBuf::from(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    let arguments: Vec<String> = ARGUMENTS.iter().map(|&word| word.to_owned()).collect();
    let mut count = 0;
    let (ended, cpu) = timed(&cargo, &arguments, |command| {
        let mut build = command.current_dir(root).stdout(Stdio::piped()).spawn()?;
        let output = build.stdout.take().expect("it is piped");
        for line in BufReader::new(output).lines() {
            if let Some(job) = test_binary(&line?) {
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
        passed: None,
        cpu,
        begun,
        took,
    })
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
        is_test_binary: true,
    })
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
        let name = test_binary(&message(true, "lib")).expect("it is one").name;
        assert_eq!(name, "cli (unit tests)");
        for other in [
            &message(false, "bin"),
            r#"{"reason":"build-finished","success":true}"#,
            "warning: text",
        ] {
            assert_eq!(test_binary(other), None, "{other}");
        }
    }
}
