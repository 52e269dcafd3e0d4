//! A temporary folder, and the binary as a user runs it.
#![allow(dead_code, reason = "every test binary uses its part")]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

#[path = "../../../server/tests/kit/programs.rs"]
mod programs;
pub mod rows;
#[path = "../../../server/tests/kit/seen.rs"]
mod seen;
#[path = "../../../server/tests/kit/table.rs"]
mod table;
pub use programs::FIRST_LEGAL;
pub use seen::{each, has, says, says_but_not};
pub use table::{cells, table, words};

/// A temporary folder in which tests run the binary.
pub struct Place(TempDir);

impl Place {
    pub fn new() -> Place {
        Place(tempfile::tempdir().expect("a temporary folder"))
    }

    pub fn path(&self) -> &Path {
        self.0.path()
    }

    /// A path in the folder.
    pub fn join(&self, name: impl AsRef<Path>) -> PathBuf {
        self.path().join(name)
    }

    /// What a file has.
    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.join(name)).expect("it was written")
    }

    /// Makes folders.
    pub fn folders(&self, names: &[&str]) {
        for name in names {
            fs::create_dir_all(self.join(name)).expect("own folder");
        }
    }

    /// Writes a file.
    pub fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        fs::write(self.join(name), text).expect("own folder");
    }

    /// Writes the bot of `misbehave.py` under this name, with these flags behind the game.
    pub fn bot(&self, name: &str, game: &str, flags: &str) -> PathBuf {
        self.folders(&[name]);
        let (file, flags) = (format!("{name}/{name}.py"), format!("{game} {flags}"));
        let bot = include_str!("../misbehave.py");
        self.write(&file, format!("FLAGS = {flags:?}\n{bot}"));
        self.join(file)
    }

    pub fn leitai(&self, words: &[&str]) -> Command {
        leitai_in(self.path(), words)
    }

    pub fn run(&self, words: &[&str]) -> Output {
        self.leitai(words).output().expect("the binary starts")
    }

    /// A command line, whose words may be in single quotes.
    pub fn run_line(&self, line: &str) -> Output {
        self.run(&words(line))
    }

    /// What it writes to stdout and stderr.
    pub fn said(&self, line: &str) -> String {
        text(&self.run_line(line))
    }

    /// It ends well; the JSON that it writes to stdout.
    #[track_caller]
    pub fn json(&self, line: &str) -> Value {
        serde_json::from_str(&self.ends(0, line, &[])).expect("JSON alone")
    }

    /// It ends with this status and says these parts; what it wrote to stdout.
    #[track_caller]
    pub fn ends(&self, code: i32, line: &str, parts: &[&str]) -> String {
        ends(&mut self.leitai(&words(line)), code, parts)
    }

    /// The same of rows: `0 | command | part | part`.
    #[track_caller]
    pub fn check_rows(&self, rows: &str) {
        check_rows(|words| self.leitai(words), rows);
    }

    pub fn replay(&self, file: &str) -> Value {
        serde_json::from_str(&self.read(file)).expect("JSON")
    }
}

/// Makes a file executable for everybody.
pub fn allow_all(path: impl AsRef<Path>) {
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("own file");
}

/// The binary as a user runs it in a folder, in English.
pub fn leitai_in(folder: impl AsRef<Path>, words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_leitai"));
    command
        .args(words)
        .current_dir(folder)
        .env("LC_ALL", "C")
        .stdin(Stdio::null());
    command
}

/// The same without isolation.
pub fn open_leitai_in(folder: impl AsRef<Path>, words: &[&str]) -> Command {
    let mut command = leitai_in(folder, words);
    command.env("LEITAI_ISOLATION", "none");
    command
}

/// A command ends with this status and says these parts; what it wrote to stdout.
#[track_caller]
pub fn ends(command: &mut Command, code: i32, parts: &[&str]) -> String {
    let output = command.output().expect("it starts");
    let said = text(&output);
    assert_eq!(output.status.code(), Some(code), "{command:?}: {said}");
    for part in parts {
        assert!(said.contains(part), "{command:?} lacks {part:?}:\n{said}");
    }
    assert!(!said.contains("panicked"), "{said}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// The same of rows: `0 | command | part | part`.
#[track_caller]
pub fn check_rows(command: impl Fn(&[&str]) -> Command, rows: &str) {
    for row in cells(rows) {
        let [code, line, parts @ ..] = &row[..] else {
            panic!("a status and a command: {row:?}")
        };
        let code = code.parse().expect("a status");
        ends(&mut command(&words(line)), code, parts);
    }
}

/// The words of a command line.
pub fn split_words(line: &str) -> Vec<&str> {
    line.split(' ').collect()
}

/// The same with these in place of each `{}`, whatever blanks they have.
pub fn fill_words<'a>(line: &'a str, given: &[&'a str]) -> Vec<&'a str> {
    let mut given = given.iter();
    let mut fill = |word| match word {
        "{}" => *given.next().expect("a word for each {}"),
        _ => word,
    };
    let words = line.split(' ').map(&mut fill).collect();
    assert!(given.next().is_none(), "more words than {{}}: {line}");
    words
}

/// Stdout and stderr together.
pub fn text(output: &Output) -> String {
    let both = [&output.stdout[..], &output.stderr[..]].concat();
    String::from_utf8_lossy(&both).into_owned()
}

/// The running processes whose command line or environment contains this word.
pub fn processes_with(word: &str) -> Vec<String> {
    let running = fs::read_dir("/proc")
        .expect("Linux")
        .filter_map(|entry| Some(entry.ok()?.path()));
    let has = |file: PathBuf| {
        let is_it = |window: &[u8]| window == word.as_bytes();
        fs::read(file).is_ok_and(|bytes| bytes.windows(word.len()).any(is_it))
    };
    let found =
        running.filter(|process| has(process.join("cmdline")) || has(process.join("environ")));
    found.map(|process| describe(&process)).collect()
}

/// Those that are still there after a while. One that was killed is there until it gets the processor
/// to end.
pub fn processes_left(word: &str) -> Vec<String> {
    let deadline = Instant::now() + Duration::from_secs(300);
    loop {
        let left = processes_with(word);
        if left.is_empty() || Instant::now() >= deadline {
            return left;
        }
        std::thread::park_timeout(Duration::from_millis(10));
    }
}

/// `/proc/123 S leitai match …`.
fn describe(process: &Path) -> String {
    let read = |file: &str| fs::read(process.join(file)).unwrap_or_default();
    let (stat, words) = (read("stat"), read("cmdline"));
    let stat = String::from_utf8_lossy(&stat).into_owned();
    let rest = stat.rsplit(") ").next();
    let state = rest.and_then(|rest| rest.split(' ').next()).unwrap_or("?");
    let words = String::from_utf8_lossy(&words).replace('\0', " ");
    format!("{} {state} {words}", process.display())
}

/// Waits until this many processes of Python contain the word; returns the last count. A process that is
/// not yet what it shall become still has the command line of the one that makes it.
pub fn wait_for(word: &str, processes: usize) -> usize {
    let deadline = Instant::now() + Duration::from_secs(300);
    loop {
        let all = processes_with(word).into_iter();
        let running = all.filter(|one| one.contains("python")).count();
        if running >= processes || Instant::now() >= deadline {
            return running;
        }
        std::thread::park_timeout(Duration::from_millis(10));
    }
}
