//! A command to run.

use crate::kept_file::KeptFile;
use serde::{Deserialize, Serialize};
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::path::{Path, PathBuf};

/// A command to run: its words, the folder it runs in, its environment and its limits.
///
/// The environment of the judge is not passed on. A program sees `PATH` (the judge's), `HOME` (its
/// own folder, or an empty one inside the sandbox), `LANG=C.UTF-8`, `TMPDIR` and
/// [`env`](Program::env), which wins.
///
/// ```
/// let program = leitai_sandbox::Program::new(["python3", "my bot.py"], "/tmp");
/// assert_eq!(program.to_string(), "python3 'my bot.py'");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Program {
    /// The command and its arguments. The first word is looked up in `PATH` if it has no slash; a
    /// relative path counts from [`dir`](Program::dir). In every word `{memory}` and `{memory_mb}`
    /// stand for [`SandboxLimits::memory`] in bytes and in MiB: virtual machines need them as an
    /// option, they cannot see it.
    pub argv: Vec<OsString>,
    /// The folder with the program's files, which a sandboxed program can read but not change.
    pub dir: PathBuf,
    /// Added to the environment described above; a later pair wins over an earlier one.
    pub env: Vec<(OsString, OsString)>,
    /// Folders and files outside the system's own that it needs to read: language runtimes in
    /// somebody's home.
    pub reads: Vec<PathBuf>,
    /// Folders that it may change, for builds.
    pub writes: Vec<PathBuf>,
    /// Whether it is given a port on its own loopback where the judge listens
    /// ([`SandboxedChild::listener`](crate::SandboxedChild)): its address is added to the command as two
    /// words `HOST PORT`. There is no other network.
    pub connects: bool,
    /// The processor cores it may run on; all that the judge may where it is empty.
    pub cores: Vec<usize>,
    /// What it may use.
    pub limits: SandboxLimits,
    /// The file that it may keep for its next game, if any: its path is in `LEITAI_KEPT`.
    #[serde(skip)]
    pub kept: Option<KeptFile>,
}

/// What a program may use, all its processes together unless said otherwise; `None` where there is
/// no limit. Which are enforced how exactly depends on the [tier](crate::Tier). Core dumps are
/// always off.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SandboxLimits {
    /// Bytes of memory, temporary files included.
    pub memory: Option<u64>,
    /// Processes and threads at a time.
    pub processes: Option<u32>,
    /// Open files of each process.
    pub open_files: Option<u32>,
    /// Bytes of the largest file that it may write.
    pub file: Option<u64>,
    /// Bytes of `/tmp` and of its home together, and for a build again as many of the folders it
    /// may change.
    pub disk: Option<u64>,
    /// Seconds of processor time of each process.
    pub cpu_seconds: Option<u64>,
}

impl SandboxLimits {
    /// For a bot in a match: 512 MiB, 128 processes and threads, 256 open files, 16 MiB a file, 64
    /// MiB of temporary files (`docs/sandbox.md`). Its time is the judge's business.
    pub const BOT: SandboxLimits = SandboxLimits {
        memory: Some(512 << 20),
        processes: Some(128),
        open_files: Some(256),
        file: Some(16 << 20),
        disk: Some(64 << 20),
        cpu_seconds: None,
    };
    /// For a compiler: 1 GiB, 256 processes and threads, 1,024 open files, 128 MiB a file, 512 MiB
    /// of files, 30 s of processor time.
    pub const TOOL: SandboxLimits = SandboxLimits {
        memory: Some(1 << 30),
        processes: Some(256),
        open_files: Some(1024),
        file: Some(128 << 20),
        disk: Some(512 << 20),
        cpu_seconds: Some(30),
    };

    /// How much private memory a process may reserve where the kernel cannot bound what is used.
    /// Virtual machines reserve much that they never touch, above all a stack for each thread: a
    /// limit below that breaks them and protects nobody. Compilers do not.
    pub(crate) fn private_memory(&self, builds: bool) -> Option<u64> {
        const STACK: u64 = 64 << 20;
        if builds {
            return self.memory.map(|bytes| bytes.saturating_add(bytes / 4));
        }
        let threads = u64::from(
            self.processes
                .unwrap_or(SandboxLimits::TOOL.processes.unwrap_or(0)),
        );
        Some(
            self.memory?
                .saturating_mul(2)
                .saturating_add(threads * STACK),
        )
    }
}

impl Program {
    /// A command without further environment or limits.
    pub fn new<W: Into<OsString>>(
        argv: impl IntoIterator<Item = W>,
        dir: impl Into<PathBuf>,
    ) -> Self {
        Program {
            argv: argv.into_iter().map(Into::into).collect(),
            dir: dir.into(),
            env: Vec::new(),
            reads: Vec::new(),
            writes: Vec::new(),
            connects: false,
            cores: Vec::new(),
            limits: SandboxLimits::default(),
            kept: None,
        }
    }

    /// The same program with one more environment variable.
    pub fn with_env(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.env.push((name.into(), value.into()));
        self
    }

    /// The same program within these limits.
    pub fn with_limits(mut self, limits: SandboxLimits) -> Self {
        self.limits = limits;
        self
    }

    /// The words of the command with `{memory}` and `{memory_mb}` filled in.
    pub fn command_words(&self) -> Vec<OsString> {
        let bytes = self.limits.memory.unwrap_or(UNLIMITED_MEMORY);
        let fill = |word: &OsString| match word.to_str() {
            Some(text) if text.contains("{memory") => {
                let text = text.replace("{memory}", &bytes.to_string());
                text.replace("{memory_mb}", &(bytes >> 20).to_string())
                    .into()
            }
            _ => word.clone(),
        };
        self.argv.iter().map(fill).collect()
    }

    /// The whole environment of the program without isolation, in the order in which it is set.
    pub fn environment_pairs(&self) -> Vec<(OsString, OsString)> {
        let here = [
            ("HOME".into(), self.dir.clone().into()),
            ("TMPDIR".into(), std::env::temp_dir().into()),
        ];
        here.into_iter()
            .chain(self.common_environment(&[Path::new("/")]))
            .collect()
    }

    /// The environment without `HOME` and `TMPDIR`, which the sandbox chooses.
    pub(crate) fn sandboxed_environment(&self) -> Vec<(OsString, OsString)> {
        self.common_environment(&self.reads.iter().map(PathBuf::as_path).collect::<Vec<_>>())
    }

    /// Of the judge's `PATH`, what is in the system's folders or in those that are `visible`.
    fn common_environment(&self, visible: &[&Path]) -> Vec<(OsString, OsString)> {
        let path =
            std::env::var_os("PATH").unwrap_or_else(|| "/usr/local/bin:/usr/bin:/bin".into());
        let system = ["/usr", "/bin", "/sbin", "/nix/store"].map(Path::new);
        let seen = |dir: &PathBuf| {
            system
                .iter()
                .chain(visible)
                .any(|above| dir.starts_with(above))
        };
        let path = std::env::join_paths(std::env::split_paths(&path).filter(seen));
        let path = path.expect("parts of a search path make a search path");
        let common = [("PATH".into(), path), ("LANG".into(), "C.UTF-8".into())];
        common.into_iter().chain(self.env.iter().cloned()).collect()
    }
}

/// What `{memory}` says where there is no limit: a virtual machine needs some number.
const UNLIMITED_MEMORY: u64 = 2 << 30;

/// The command line as one would type it in a shell. A first word that is an absolute path to a
/// tool keeps only its name, so that messages stay readable.
impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, word) in self.argv.iter().enumerate() {
            let word = if index == 0 { tool_name(word) } else { word };
            let gap = if index == 0 { "" } else { " " };
            write!(f, "{gap}{}", quote_word(&word.to_string_lossy()))?;
        }
        Ok(())
    }
}

fn tool_name(word: &OsStr) -> &OsStr {
    Path::new(word).file_name().unwrap_or(word)
}

fn quote_word(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./=+:,@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}
