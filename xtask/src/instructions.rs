//! `cargo xtask instructions`: counts the engines' instructions under valgrind, which other load of
//! the machine does not change, and compares them with `docs/instructions.json`. `./dev test` counts in
//! the build that the tests have anyway; with `--release` (`./dev long`) the release's code is counted.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, bail, ensure};

/// The increase of a count that is tolerated (compilers differ slightly).
const TOLERANCE_PERCENT: u64 = 10;
/// The file of the counts, in hundredths of an instruction per action or round.
const FILE: &str = "docs/instructions.json";

/// A game and a function of its workload, run by a binary of `xtask/instructions`.
const PARTS: &[(&str, &str)] = &[
    ("leitai-snakego", "replay"),
    ("leitai-snakego", "replay_keyed"),
    ("leitai-snakego", "playout"),
    ("leitai-kob", "replay"),
    ("leitai-tankcraft", "replay"),
    ("leitai-tankcraft", "replay_fog"),
];

/// What is built for counting.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Build {
    /// The build of the tests, by clippy's driver as `./dev` has it.
    Tests,
    /// A release.
    Release,
}

impl Build {
    /// The folder of cargo's output.
    fn folder(self) -> &'static str {
        match self {
            Build::Tests => "debug",
            Build::Release => "release",
        }
    }

    /// The name of a count in the file.
    fn key(self, package: &str, part: &str) -> String {
        match self {
            Build::Tests => format!("{package} {part} (tests)"),
            Build::Release => format!("{package} {part}"),
        }
    }
}

/// Counts; with `check` fails on a slow-down, otherwise writes the file.
pub fn run(root: &Path, build: Build, check: bool) -> anyhow::Result<usize> {
    let path = root.join(FILE);
    let kept: BTreeMap<String, u64> = match std::fs::read_to_string(&path) {
        Ok(text) => serde_json::from_str(&text).with_context(|| FILE)?,
        Err(_) => BTreeMap::new(),
    };
    make(root, build)?;
    let mut counts = kept.clone();
    let mut slower = 0;
    for (package, part) in PARTS {
        let name = build.key(package, part);
        let count = count(root, build, package, part).with_context(|| name.clone())?;
        let before = kept.get(&name).copied();
        let worse = before.is_none_or(|before| count * 100 > before * (100 + TOLERANCE_PERCENT));
        println!(
            "{name}: {} instructions a step{}",
            hundredths(count),
            compared(before)
        );
        slower += usize::from(worse);
        counts.insert(name, count);
    }
    if check && slower > 0 {
        eprintln!("{slower} counts are missing or more than {TOLERANCE_PERCENT} % above {FILE}.");
        eprintln!(
            "Mend the slow-down, or accept it with `cargo xtask instructions` and say why in the commit."
        );
        return Ok(slower);
    }
    if !check {
        std::fs::write(
            &path,
            format!("{}\n", serde_json::to_string_pretty(&counts)?),
        )
        .with_context(|| FILE)?;
    }
    Ok(0)
}

fn hundredths(count: u64) -> String {
    format!("{}.{:02}", count / 100, count % 100)
}

fn compared(before: Option<u64>) -> String {
    before.map_or(" (new)".into(), |before| {
        format!(" ({} kept)", hundredths(before))
    })
}

/// Builds the programs, unless `./dev test` has done so (`LEITAI_BUILT=1`).
fn make(root: &Path, build: Build) -> anyhow::Result<()> {
    let is_built = std::env::var_os("LEITAI_BUILT").is_some_and(|value| value == "1");
    if build == Build::Tests && is_built {
        return Ok(());
    }
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".into());
    let mut command = Command::new(&cargo);
    command.args(["build", "--quiet", "--locked"]);
    match build {
        // One package alone would be built with fewer features of its dependencies.
        Build::Tests => command.args(["--workspace", "--bins"]),
        Build::Release => command
            .args(["--release", "--package", "leitai-instructions"])
            .env_remove("RUSTC_WORKSPACE_WRAPPER"),
    };
    let status = command.current_dir(root).status()?;
    ensure!(status.success(), "cannot build leitai-instructions");
    Ok(())
}

fn count(root: &Path, build: Build, package: &str, part: &str) -> anyhow::Result<u64> {
    let target =
        std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), Into::into);
    let name = format!("{}_instructions", package.trim_start_matches("leitai-"));
    let program = target.join(build.folder()).join(name);
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(format!("--toggle-collect=*workload::{part}"))
        .arg(program)
        .output()
        .context("cannot run valgrind; install it with apt-get install valgrind")?;
    let (said, log) = (
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
    );
    let total = log
        .lines()
        .find_map(|line| line.split("Collected :").nth(1)?.trim().parse::<u64>().ok());
    let actions = said.lines().find_map(|line| {
        line.strip_prefix(part)?
            .strip_prefix(' ')?
            .parse::<u64>()
            .ok()
    });
    match (total, actions) {
        (Some(total), Some(actions)) if total > 0 && actions > 0 => Ok(total * 100 / actions),
        _ => bail!("valgrind or the example said something unexpected:\n{said}\n{log}"),
    }
}
