//! A command to run.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::path::{Path, PathBuf};

/// A command to run: its words, the folder it runs in, its environment and its limits.
///
/// The environment of the judge is not passed on. A program sees `PATH` (the judge's), `HOME` (its own folder),
/// `LANG=C.UTF-8`, `TMPDIR` (the system's folder for temporary files) and [`env`](Program::env), which wins.
///
/// ```
/// let program = leitai_sandbox::Program::new(["python3", "my bot.py"], "/tmp");
/// assert_eq!(program.to_string(), "python3 'my bot.py'");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// The command and its arguments. The first word is looked up in `PATH` if it has no slash; a relative path
    /// counts from [`dir`](Program::dir).
    pub argv: Vec<OsString>,
    /// The working directory.
    pub dir: PathBuf,
    /// Added to the environment described above; a later pair wins over an earlier one.
    pub env: Vec<(OsString, OsString)>,
    /// What the kernel enforces on each process of the program.
    pub limits: Limits,
}

/// Resource limits of each single process (`setrlimit`), `None` where there is none.
///
/// Core dumps are always off. A limit above what the judge itself is allowed is lowered to that.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of private writable memory. Not the address space: virtual machines reserve far more than they use.
    pub memory: Option<u64>,
    /// Bytes of the largest file that it may write.
    pub file: Option<u64>,
    /// Seconds of processor time.
    pub cpu_seconds: Option<u64>,
}

impl Program {
    /// A command without further environment or limits.
    pub fn new<W: Into<OsString>>(argv: impl IntoIterator<Item = W>, dir: impl Into<PathBuf>) -> Self {
        Program {
            argv: argv.into_iter().map(Into::into).collect(),
            dir: dir.into(),
            env: Vec::new(),
            limits: Limits::default(),
        }
    }

    /// The same program with one more environment variable.
    pub fn with_env(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.env.push((name.into(), value.into()));
        self
    }

    /// The whole environment of the program, in the order in which it is set.
    pub(crate) fn environment(&self) -> Vec<(OsString, OsString)> {
        let path = std::env::var_os("PATH").unwrap_or_else(|| "/usr/local/bin:/usr/bin:/bin".into());
        let mut all: Vec<(OsString, OsString)> = vec![
            ("PATH".into(), path),
            ("HOME".into(), self.dir.clone().into()),
            ("LANG".into(), "C.UTF-8".into()),
            ("TMPDIR".into(), std::env::temp_dir().into()),
        ];
        all.extend(self.env.iter().cloned());
        all
    }
}

/// The command line as one would type it in a shell. A first word that is an absolute path to a tool keeps only
/// its name, so that messages stay readable.
impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, word) in self.argv.iter().enumerate() {
            let word = if index == 0 { tool_name(word) } else { word };
            let gap = if index == 0 { "" } else { " " };
            write!(f, "{gap}{}", quoted(&word.to_string_lossy()))?;
        }
        Ok(())
    }
}

fn tool_name(word: &OsStr) -> &OsStr {
    Path::new(word).file_name().unwrap_or(word)
}

fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./=+:,@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}
