//! The reader of a document: a folder with a reader's files, and a shell.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;

use tempfile::TempDir;

use crate::blocks::{Block, Kind};
use crate::root;

pub const BINARY: &str = env!("CARGO_BIN_EXE_leitai");

/// The time limit of a block, in seconds.
const PATIENCE: &str = "900";

/// Shell definitions before the first line: a server is stopped once it has printed its address, a
/// login is typed, and a refusal of the arena fails the block. Where no output is compared (`quick`),
/// games, ladders and time limits are short.
const PRELUDE: &str = r#"
curl() { command curl --fail-with-body "$@"; }
leitai() {
  case "$quick $* " in
  "yes "*" --from "* | "yes "*" --help "*) leitai-binary "$@" ;;
  "yes "*"match snakego "* | "yes compare snakego "* | "yes tournament snakego "*) leitai-binary "$@" --config max_round=40 ;;
  "yes "*"match tankcraft "*) leitai-binary "$@" --config rounds=40 ;;
  "yes "*" --equal-within "*) leitai-binary "$@" --max 40 ;;
  "yes contest new "*)
    leitai-binary "$@"
    sed -i '0,/^# time-limit = .*/s//time-limit = "20ms"/' "$3.toml"
    ;;
  *" serve "*)
    local greeting server line
    exec {greeting}< <(LEITAI_SLOTS=0 HOME=$(mktemp -dp .) exec leitai-binary "$@")
    server=$!
    while read -r line <&"$greeting"; do echo "$line"; [[ $line != Leitai* ]] || break; done
    kill -TERM "$server" && wait "$server"
    ;;
  *" login "*) printf 'ada\ncorrect horse\n' | script -qec "leitai-binary $*" /dev/null ;;
  *) leitai-binary "$@" ;;
  esac
}
"#;

/// A reader of one document.
pub struct Reader {
    folder: TempDir,
    /// Assignments of the blocks so far.
    variables: String,
    /// Replacements for the values in documents: addresses, numbers of matches, a token.
    pub stands_for: Vec<(String, String)>,
}

impl Reader {
    pub fn new() -> Reader {
        let folder = tempfile::Builder::new()
            .prefix("leitai-reader")
            .tempdir()
            .expect("a folder");
        let from = format!("{}/.", belongings().display());
        let copied = Command::new("cp")
            .args(["-a", &from])
            .arg(folder.path())
            .status()
            .expect("cp runs");
        assert!(copied.success());
        // A free port, so that tests do not collide.
        let any = ("0.0.0.0:8080".to_owned(), "127.0.0.1:0".to_owned());
        Reader {
            folder,
            variables: String::new(),
            stands_for: vec![any],
        }
    }

    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// A command with an empty environment, whose home is this folder.
    pub fn command(&self, program: &str) -> Command {
        command_in(self.folder(), program)
    }

    /// Runs a block; the error says how it differs from the document.
    pub fn run(&self, block: &Block) -> Result<(), String> {
        match block.kind {
            Kind::Session => self.run_session(block),
            _ => match self.shell(&block.text, true) {
                (true, _) => Ok(()),
                (false, said) => Err(format!("failed and said\n{said}")),
            },
        }
    }

    /// Runs each command by itself and compares its output, times excepted, with the lines below
    /// it.
    fn run_session(&self, block: &Block) -> Result<(), String> {
        let (_, commands) = block
            .text
            .split_once("$ ")
            .expect("a session has a command");
        for part in format!("\n{commands}")
            .replace("\n$ ", "\n\u{0}")
            .split('\u{0}')
        {
            let (command, shown) = part
                .trim_start_matches('\n')
                .split_once('\n')
                .unwrap_or((part, ""));
            // A non-zero status can be a result; the compared output shows whether it is the right
            // one.
            let (_, said) = self.shell(command, !block.is_compared);
            let has = |line: &str| said.lines().any(|real| alike(real, line));
            let missing: Vec<&str> = shown.lines().filter(|line| !has(line)).collect();
            if block.is_compared && !missing.is_empty() {
                return Err(format!(
                    "{command}\ndid not print\n{}\nbut\n{said}",
                    missing.join("\n")
                ));
            }
            if said.contains("Usage: leitai") || said.contains("leitai: ") {
                return Err(format!("{command}\nsaid\n{said}"));
            }
        }
        Ok(())
    }

    /// Whether the commands succeeded, and their output; `is_quick` shortens games.
    pub fn shell(&self, commands: &str, is_quick: bool) -> (bool, String) {
        let mut commands = commands.to_owned();
        for (from, to) in &self.stands_for {
            commands = commands.replace(from, to);
        }
        let quick = if is_quick { "yes" } else { "no" };
        let script = format!("quick={quick}\n{PRELUDE}\n{}\n{commands}\n", self.variables);
        let mut shell = self.command("timeout");
        let done = shell
            .args([PATIENCE, "bash", "-euo", "pipefail", "-c", &script])
            .output();
        let done = done.expect("timeout and bash run");
        (done.status.success(), said(&done))
    }

    /// Variables that later blocks use.
    pub fn remember(&mut self, block: &Block) {
        let is_assignment = |line: &&str| {
            line.split_once('=')
                .is_some_and(|(name, _)| name.chars().all(|c| c.is_ascii_alphanumeric()))
        };
        for line in block.text.lines().filter(is_assignment) {
            let known = self
                .stands_for
                .iter()
                .fold(line.to_owned(), |line, (from, to)| line.replace(from, to));
            self.variables += &format!("{known}\n");
        }
    }
}

pub fn said(output: &Output) -> String {
    String::from_utf8_lossy(&[&output.stdout[..], &output.stderr[..]].concat()).into_owned()
}

/// Whether the words are the same; column widths and durations depend on the machine.
fn alike(real: &str, shown: &str) -> bool {
    essence(real) == essence(shown)
}

fn essence(line: &str) -> Vec<String> {
    let mut words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
    for at in 0..words.len() {
        let unit = words
            .get(at + 1)
            .map_or("", |unit| unit.trim_matches([',', ';', ')']));
        let is_number = |word: &str| {
            word.trim_start_matches('(')
                .starts_with(|c: char| c.is_ascii_digit())
        };
        if is_number(&words[at]) && ["µs", "ms", "s"].contains(&unit) {
            (words[at], words[at + 1]) = ("TIME".to_owned(), String::new());
        }
        if words[at].contains("/s)") {
            words[at] = "PACE".to_owned();
        }
    }
    words
}

fn command_in(folder: &Path, program: &str) -> Command {
    let mut command = Command::new(program);
    let path = format!(
        "{}:{}",
        folder.join(".bin").display(),
        std::env::var("PATH").unwrap_or_default()
    );
    command
        .env_clear()
        .env("HOME", folder)
        .env("PATH", path)
        .env("LC_ALL", "C.UTF-8")
        .env("LEITAI_LANG", "en");
    command
        .env("LEITAI_LISTEN", "127.0.0.1:0")
        .env("LEITAI_CACHE", belongings().join(".builds"));
    command.stdin(Stdio::null()).current_dir(folder);
    command
}

/// The files of a reader: programs of every kind, replays, records. Made once.
fn belongings() -> &'static Path {
    static MADE: OnceLock<PathBuf> = OnceLock::new();
    MADE.get_or_init(|| {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("documents");
        let _ = fs::remove_dir_all(&folder); // The folder may not exist.
        fs::create_dir_all(folder.join(".bin")).expect("there is room");
        let binary = folder.join(".bin/leitai-binary");
        std::os::unix::fs::symlink(BINARY, binary).expect("there is room");
        folder
    })
}

/// Puts the files that the documents name into the folder.
pub fn equip() {
    static DONE: OnceLock<()> = OnceLock::new();
    DONE.get_or_init(|| {
        let folder = belongings();
        copy_programs(folder);
        record_matches(folder);
    });
}

fn copy_programs(folder: &Path) {
    let copies = [
        ("docs/examples/first_legal.py", "mybot"),
        ("docs/examples/first_legal.py", "first_legal.py"),
        ("docs/examples/botzone.py", "docs/examples/botzone.py"),
        ("docs/examples/botzone.cpp", "docs/examples/botzone.cpp"),
        (
            "games/kob/host/tests/Sample.java",
            "games/kob/host/tests/Sample.java",
        ),
        ("sdk/cpp/tankcraft/example_2010.cpp", "my2010.cpp"),
    ];
    for (from, to) in copies {
        let to = folder.join(to);
        fs::create_dir_all(to.parent().expect("a folder")).expect("there is room");
        fs::copy(root().join(from), to).expect(from);
    }
    // The old version gives up at once, so comparisons with it are short.
    fs::write(folder.join("v7"), "#!/bin/sh\nexit 1\n").expect("there is room");
    fs::set_permissions(folder.join("v7"), PermissionsExt::from_mode(0o755)).expect("ours");
    let text = fs::read_to_string(folder.join("mybot")).expect("it was copied");
    fs::write(
        folder.join("mybot"),
        format!("#!/usr/bin/env python3\n{text}"),
    )
    .expect("there is room");
    fs::set_permissions(folder.join("mybot"), PermissionsExt::from_mode(0o755)).expect("ours");
    fs::write(
        folder.join("v7.py"),
        "while input():\n    print(0, flush=True)\n",
    )
    .expect("there is room");
    fs::write(
        folder.join("v8.py"),
        "while input():\n    print(3, flush=True)\n",
    )
    .expect("there is room");
    fs::write(folder.join("bot.js"), SCRIPT).expect("there is room");
    fs::create_dir(folder.join("matches")).expect("there is room");
    fs::create_dir(folder.join("bots")).expect("there is room");
}

const SCRIPT: &str = "
const lines = require('readline').createInterface({ input: process.stdin });
lines.on('line', (line) => {
  const message = JSON.parse(line);
  if (message.type === 'turn') console.log(JSON.stringify({ action: message.legal[0] }));
});
";

fn record_matches(folder: &Path) {
    let script = "
        leitai-binary new snakego --folder my_folder
        leitai-binary new snakego cpp --folder .cpp
        leitai-binary new kob --folder .kob
        cp my_folder/main.py mybot.py
        cp .cpp/main.cpp mybot.cpp
        cp .kob/main.py bot.py
        install -m 755 my_folder/main.py v8
        cp my_folder/leitai_snakego.py .cpp/leitai_snakego.hpp .kob/leitai_kob.py .
        sed 's/Sample/Bot/' games/kob/host/tests/Sample.java > Bot.java
        python3 -m zipfile -c bot.zip my_folder/main.py my_folder/leitai_snakego.py
        leitai-binary match kob ./v7.py safe --seed 3 --replay lost.json
        leitai-binary match snakego greedy random --seed 1 --replay FILE
        leitai-binary match snakego territory greedy --seed 1 --replay matches/20261121-snakego-1.json
        leitai-binary match kob space safe --seed 1 --replay record.json
        leitai-binary replay export record.json --to record --leg 1 -o answer.json
        grep -oE '\"[01]{182}\"' answer.json | tr -d '\"' > map.txt
    ";
    let done = command_in(folder, "bash")
        .args(["-euo", "pipefail", "-c", script])
        .output();
    let done = done.expect("bash runs");
    assert!(done.status.success(), "{}", said(&done));
}

#[test]
fn times_are_not_compared() {
    assert!(alike(
        " safe  none  median 1 µs, p99 5 µs",
        "safe none median 12 µs, p99 1.5 ms"
    ));
    assert!(alike("60 matches (412.9/s)", "60 matches (3.0/s)"));
    assert!(!alike("60 matches (412.9/s)", "61 matches (3.0/s)"));
}
