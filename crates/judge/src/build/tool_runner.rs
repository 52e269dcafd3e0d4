//! The execution of compilers and interpreters.

use super::BuildError;
use super::libraries::{LibraryKind, LibrarySet};
use super::program::BuildLimits;
use super::runtime::{self, ToolRuntime};
use super::time_limit::{BuildStopwatch, BuildTimeRuling, BuildUsage, LOOK};
use super::tool::{Tool, rustup_home};
use crate::duration::show_duration;
use leitai_sandbox::{
    DEEPEST_FOLDER, ExceededLimit, ExitReason, MOST_FILES, Program, Sandbox, SandboxedChild,
    StdioKind, Tier, UntrustedFolder,
};
use rustix::event::{PollFd, PollFlags, Timespec};
use std::collections::VecDeque;
use std::ffi::OsString;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Whether every user can reach and run a file.
fn is_open_to_all(file: &Path) -> bool {
    let passable = |path: &Path| path.metadata().is_ok_and(|meta| meta.mode() & 0o001 != 0);
    file.canonicalize()
        .is_ok_and(|real| real.ancestors().all(passable))
}

/// Receives the output of tools while they run.
#[derive(Clone)]
pub struct BuildListener(std::sync::Arc<dyn Fn(&str) + Send + Sync>);

impl BuildListener {
    /// A listener that calls this function with the output.
    pub fn new(hear: impl Fn(&str) + Send + Sync + 'static) -> BuildListener {
        BuildListener(std::sync::Arc::new(hear))
    }
}

impl std::fmt::Debug for BuildListener {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("BuildListener")
    }
}

/// Runs tools one after another in a folder, with a common time limit and a common log.
pub struct ToolRunner<'a> {
    dir: PathBuf,
    tmp: PathBuf,
    limits: BuildLimits,
    sandbox: Sandbox,
    runtimes: Vec<ToolRuntime>,
    /// The requested tools, including those that run the program.
    asked: Vec<Tool>,
    watch: BuildStopwatch,
    log: BuildLog,
    debug_info: bool,
    libraries: Option<Arc<LibrarySet>>,
    stop: Option<&'a AtomicBool>,
}

impl<'a> ToolRunner<'a> {
    /// A tool runner in `dir` whose time starts now. The home and the temporary files of tools are
    /// in `tmp`.
    pub fn new(dir: PathBuf, tmp: PathBuf, limits: &BuildLimits, sandbox: Sandbox) -> Self {
        let (watch, log) = (BuildStopwatch::start_build(), BuildLog::default());
        ToolRunner {
            dir,
            tmp,
            limits: *limits,
            sandbox,
            runtimes: Vec::new(),
            asked: Vec::new(),
            watch,
            log,
            debug_info: false,
            libraries: None,
            stop: None,
        }
    }

    /// Stops the running tool, and starts no other, once this is set.
    pub fn with_stop(mut self, stop: Option<&'a AtomicBool>) -> Self {
        self.stop = stop;
        self
    }

    /// Makes the recipes compile for a debugger: with symbols and without optimisation.
    pub fn with_debug_info(mut self, debug_info: bool) -> Self {
        self.debug_info = debug_info;
        self
    }

    /// Lets tools and programs find these libraries.
    pub fn with_libraries(mut self, libraries: Option<Arc<LibrarySet>>) -> Self {
        self.libraries = libraries;
        self
    }

    /// The folder of libraries of a kind, if there are any.
    pub fn libraries(&self, kind: LibraryKind) -> Option<PathBuf> {
        self.libraries.as_ref()?.folder_of(kind)
    }

    /// The hash of their list: what a build may depend on.
    pub fn library_hash(&self) -> Option<&str> {
        let libraries = self.libraries.as_ref()?;
        libraries.folder().map(|_| libraries.hash())
    }

    /// Whether programs are compiled for a debugger.
    pub fn wants_debug_info(&self) -> bool {
        self.debug_info
    }

    /// Forwards the output of the tools while they run.
    pub fn with_listener(mut self, listener: Option<BuildListener>) -> Self {
        self.log.listener = listener;
        self
    }

    /// A path for files that belong to the build but not to the author.
    pub fn path_beside(&self, name: &str) -> PathBuf {
        self.tmp.with_file_name(name)
    }

    /// The folder that is being built.
    pub fn work_folder(&self) -> &Path {
        &self.dir
    }

    /// The same, to look into: what tools have run here may have put anything there.
    ///
    /// # Errors
    /// [`BuildError::Io`].
    pub fn open_folder(&self) -> Result<UntrustedFolder, BuildError> {
        UntrustedFolder::open(&self.dir).map_err(BuildError::from_io("open", &self.dir))
    }

    /// The path of a tool, which the programs of this tool runner will be able to read.
    ///
    /// # Errors
    /// [`BuildError::ToolMissing`].
    pub fn need_tool(&mut self, tool: Tool) -> Result<OsString, BuildError> {
        if !self.asked.contains(&tool) {
            self.asked.push(tool);
        }
        if self.sandbox.tier() == Tier::None {
            return tool.find_command();
        }
        let runtime = self.check_reachable(tool, tool.find_usable()?)?;
        let file = runtime.file.clone().into_os_string();
        if !self.runtimes.contains(&runtime) {
            self.runtimes.push(runtime);
        }
        Ok(file)
    }

    /// The runtime if the programs of this sandbox can reach it, or else the system's own. Without
    /// namespaces the programs of a root judge run as other users, who cannot enter a home.
    fn check_reachable(&self, tool: Tool, runtime: ToolRuntime) -> Result<ToolRuntime, BuildError> {
        let others = self.sandbox.tier() == Tier::C && rustix::process::geteuid().is_root();
        if !others || is_open_to_all(&runtime.file) {
            return Ok(runtime);
        }
        if let Ok(file) = tool.find_in("/usr/local/bin:/usr/bin:/bin".as_ref()) {
            return Ok(ToolRuntime {
                file: file.into(),
                reads: Vec::new(),
            });
        }
        Err(BuildError::ToolUnusable {
            tool: tool.name,
            file: runtime.file,
            why: "in tier C the programs of root are other users, to whom a folder above it is closed",
            next: format!(
                "apt-get install {}, or run Leitai as an ordinary user",
                tool.package
            ),
        })
    }

    /// Makes the interpreter of a built program readable if it is a script. It may be anything,
    /// including a link to elsewhere.
    ///
    /// # Errors
    /// [`BuildError::Interpreter`] if it is not available to the script, [`BuildError::NoProgram`] if
    /// the program is neither a tool nor among the files of the bot or its host; `how` names the build
    /// tool.
    pub fn add_program(&mut self, program: &Path, how: &str) -> Result<(), BuildError> {
        if self.sandbox.tier() == Tier::None {
            return Ok(());
        }
        let is_tool = self.runtimes.iter().any(|runtime| runtime.file == program);
        if is_tool {
            return Ok(());
        }
        let place_in = |dir: PathBuf| {
            let folder = UntrustedFolder::open(&dir).ok()?;
            let place = folder.follow_inside(program.strip_prefix(&dir).ok()?)?;
            Some((folder, place))
        };
        let own = [self.dir.clone(), self.path_beside("host")];
        let Some((folder, place)) = own.into_iter().find_map(place_in) else {
            return Err(self.no_program(how));
        };
        self.runtimes.extend(runtime::of_script(&folder, &place)?);
        Ok(())
    }

    /// Runs a tool to its end.
    ///
    /// # Errors
    /// [`BuildError::ToolMissing`], [`BuildError::Failed`], [`BuildError::TimedOut`],
    /// [`BuildError::TimedOut`] or [`BuildError::Start`].
    pub fn run(&mut self, tool: Tool, arguments: &[OsString]) -> Result<(), BuildError> {
        let words = [self.need_tool(tool)?]
            .into_iter()
            .chain(arguments.iter().cloned());
        let mut program = self.make_program(words.collect());
        program.limits = leitai_sandbox::SandboxLimits {
            cpu_seconds: self.limits.kernel_seconds(),
            ..self.limits.process
        };
        program.writes = [self.dir.clone(), self.path_beside("host")]
            .into_iter()
            .filter(|dir| dir.is_dir())
            .collect();
        program.env.extend(self.tool_environment());
        let command = program.to_string();
        if self.is_interrupted() {
            return Err(BuildError::Interrupted { command });
        }
        let mut child = self.sandbox.spawn_program(&program, StdioKind::Merged)?;
        let ended = self
            .drain_output(&mut child)
            .map_err(BuildError::from_io("follow", &self.dir))?;
        match ended {
            Ok(exit) if exit.is_success() => Ok(()),
            Ok(exit) => Err(match child.exceeded_limit() {
                Some(ExceededLimit::MachineMemory) => BuildError::OutOfMemory { command },
                Some(over) => BuildError::Over {
                    command,
                    limit: self.explain_exceeded(over),
                    log: self.log.to_text(),
                },
                None => BuildError::Failed {
                    command,
                    exit,
                    log: self.log.to_text(),
                },
            }),
            Err((ruling, used)) => Err(self.explain_stop(command, ruling, &used)),
        }
    }

    /// Follows a tool until it ends, exceeds its time or is to stop. Its output is always read, so
    /// that it never blocks on a full pipe.
    fn drain_output(
        &mut self,
        child: &mut SandboxedChild,
    ) -> io::Result<Result<ExitReason, (BuildTimeRuling, BuildUsage)>> {
        let mut pipe = child.stdout.take();
        let mut look = Instant::now() + LOOK;
        loop {
            pipe = read_available(pipe, &mut self.log)?;
            if let Some(exit) = child.try_wait()? {
                self.watch.add_ended_child(child);
                read_available(pipe, &mut self.log)?;
                return Ok(Ok(exit));
            }
            let left = look.saturating_duration_since(Instant::now());
            if left.is_zero() {
                let used = self.watch.read_usage(child);
                let ruling = self.judge_usage(&used);
                if ruling != BuildTimeRuling::Within {
                    child.kill_all()?;
                    read_available(pipe, &mut self.log)?;
                    return Ok(Err((ruling, used)));
                }
                look = Instant::now() + LOOK;
            }
            await_output_or_end(child, pipe.as_ref(), left)?;
        }
    }

    fn is_interrupted(&self) -> bool {
        self.stop.is_some_and(|stop| stop.load(Ordering::Relaxed))
    }

    fn judge_usage(&self, used: &BuildUsage) -> BuildTimeRuling {
        match self.is_interrupted() {
            true => BuildTimeRuling::Interrupted,
            false => used.judge_limits(&self.limits),
        }
    }

    /// Why a tool was stopped.
    fn explain_stop(
        &self,
        command: String,
        ruling: BuildTimeRuling,
        used: &BuildUsage,
    ) -> BuildError {
        let (cpu, wall) = (show_duration(used.cpu), show_duration(used.wall));
        let used = match ruling {
            BuildTimeRuling::Disturbed => return BuildError::Disturbed { command, cpu, wall },
            BuildTimeRuling::Interrupted => return BuildError::Interrupted { command },
            BuildTimeRuling::Slept => format!(
                "took {wall} of {}, computing {cpu} of it",
                show_duration(self.limits.wall)
            ),
            BuildTimeRuling::Computed | BuildTimeRuling::Within => {
                format!(
                    "used {cpu} of CPU time of {}",
                    show_duration(self.limits.cpu)
                )
            }
        };
        BuildError::TimedOut {
            command,
            used,
            log: self.log.to_text(),
        }
    }

    /// The isolation of the tools.
    pub fn sandbox_tier(&self) -> Tier {
        self.sandbox.tier()
    }

    /// The tools requested so far.
    pub fn asked_tools(&self) -> &[Tool] {
        &self.asked
    }

    /// The output of the tools so far.
    pub fn log_text(&self) -> String {
        self.log.to_text()
    }

    /// Adds the stored output of an earlier build of the same source.
    pub fn append_log(&mut self, log: &str) {
        self.log.push(log.as_bytes());
    }

    /// A program that runs in the folder of this tool runner.
    pub fn make_program(&self, argv: Vec<OsString>) -> Program {
        let mut program = Program::new(argv, &self.dir);
        if let Some(libraries) = &self.libraries {
            program.env.extend_from_slice(libraries.environment());
        }
        if self.sandbox.tier() == Tier::None {
            return program.with_env("TMPDIR", &self.tmp);
        }
        program.reads = self
            .runtimes
            .iter()
            .flat_map(|runtime| runtime.reads.clone())
            .collect();
        program.reads.extend(
            [self.path_beside("host")]
                .into_iter()
                .filter(|dir| dir.is_dir()),
        );
        let libraries = self.libraries.as_ref().and_then(|set| set.folder());
        program.reads.extend(libraries.map(Path::to_owned));
        program.with_env("PATH", runtime::search_path(&self.runtimes))
    }

    fn explain_exceeded(&self, over: ExceededLimit) -> String {
        let (what, most) = match over {
            ExceededLimit::Memory | ExceededLimit::MachineMemory => {
                ("memory", self.limits.process.memory)
            }
            ExceededLimit::Disk => ("files", self.limits.process.disk),
            ExceededLimit::FileCount => {
                return format!(
                    "{MOST_FILES} files and folders, or {DEEPEST_FOLDER} folders inside each other"
                );
            }
        };
        format!("{} MiB of {what}", most.unwrap_or(0) >> 20)
    }

    /// The environment of a tool. Without isolation a tool has a home of its own and needs the path
    /// of its toolchain.
    fn tool_environment(&self) -> Vec<(OsString, OsString)> {
        let mut all: Vec<(OsString, OsString)> =
            GO.map(|(name, value)| (name.into(), value.into())).into();
        match self.sandbox.tier() {
            Tier::None => {
                all.push(("HOME".into(), self.tmp.clone().into_os_string()));
                all.extend(toolchain_environment());
            }
            tier => {
                all.push(("CARGO_HOME".into(), "/tmp/cargo".into()));
                // Where the home is the bot's folder, what a compiler keeps for later is no part of it.
                let own = (tier != Tier::C).then_some(("GOCACHE".into(), "/tmp/go-cache".into()));
                all.extend(own);
            }
        }
        all
    }

    /// The error for a build that succeeded without making anything.
    pub fn no_program(&self, how: &str) -> BuildError {
        BuildError::NoProgram {
            how: how.to_owned(),
            log: self.log.to_text(),
        }
    }

    /// Clears the output before the next attempt with another tool.
    pub fn forget_log(&mut self) {
        self.log = BuildLog {
            listener: self.log.listener.take(),
            ..BuildLog::default()
        };
    }

    /// The output of all tools.
    pub fn into_log(self) -> String {
        self.log.to_text()
    }
}

/// Go builds what is there: it fetches neither modules nor toolchains, asks no git, and needs no C.
const GO: [(&str, &str); 5] = [
    ("GOPROXY", "off"),
    ("GOTOOLCHAIN", "local"),
    ("GOFLAGS", "-buildvcs=false"),
    ("CGO_ENABLED", "0"),
    ("GOENV", "off"),
];

/// The variables by which version managers find their toolchains; without them `rustc` from rustup
/// does not start in a home of its own.
fn toolchain_environment() -> Vec<(OsString, OsString)> {
    let home = std::env::var_os("HOME").map(PathBuf::from);
    let in_home = |name: &str| {
        home.as_ref()
            .map(|home| home.join(name))
            .filter(|path| path.is_dir())
    };
    let rustup = rustup_home().map(PathBuf::into_os_string);
    let cargo = std::env::var_os("CARGO_HOME").or(in_home(".cargo").map(PathBuf::into_os_string));
    let pairs = [
        ("RUSTUP_HOME", rustup),
        ("CARGO_HOME", cargo),
        ("RUSTUP_TOOLCHAIN", std::env::var_os("RUSTUP_TOOLCHAIN")),
        ("JAVA_HOME", std::env::var_os("JAVA_HOME")),
    ];
    pairs
        .into_iter()
        .filter_map(|(name, value)| Some((name.into(), value?)))
        .collect()
}

/// Reads the available output, bounded, and returns the pipe while it is open.
fn read_available(pipe: Option<OwnedFd>, log: &mut BuildLog) -> io::Result<Option<OwnedFd>> {
    const AT_ONCE: usize = 256;
    let Some(pipe) = pipe else { return Ok(None) };
    let mut buffer = [0_u8; 16 << 10];
    for _ in 0..AT_ONCE {
        match rustix::io::read(&pipe, &mut buffer) {
            Ok(0) => return Ok(None),
            Ok(count) => log.push(&buffer[..count]),
            Err(rustix::io::Errno::INTR) => {}
            Err(rustix::io::Errno::AGAIN) => break,
            Err(error) => return Err(error.into()),
        }
    }
    Ok(Some(pipe))
}

fn await_output_or_end(
    child: &SandboxedChild,
    pipe: Option<&OwnedFd>,
    left: Duration,
) -> io::Result<()> {
    /// The interval at which the end is polled where no event reports it.
    const LOOK: Duration = Duration::from_millis(20);
    let event = child.end_event();
    let wait = if event.is_some() {
        left
    } else {
        left.min(LOOK)
    };
    let watch = |fd| PollFd::from_borrowed_fd(fd, PollFlags::IN);
    let mut fds: Vec<PollFd<'_>> = event
        .into_iter()
        .chain(pipe.map(std::os::fd::AsFd::as_fd))
        .map(watch)
        .collect();
    match rustix::event::poll(&mut fds, Timespec::try_from(wait).ok().as_ref()) {
        Ok(_) | Err(rustix::io::Errno::INTR) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// The bytes kept from the beginning of a log, and as many from its end.
const KEPT: usize = 32 << 10;

/// The output of tools: the first and the last 32 KiB.
#[derive(Debug, Default)]
struct BuildLog {
    listener: Option<BuildListener>,
    head: Vec<u8>,
    tail: VecDeque<u8>,
    left_out: u64,
}

impl BuildLog {
    fn push(&mut self, bytes: &[u8]) {
        if let Some(listener) = &self.listener {
            (listener.0)(&String::from_utf8_lossy(bytes));
        }
        let (first, rest) = bytes.split_at(bytes.len().min(KEPT - self.head.len()));
        self.head.extend(first);
        self.tail.extend(rest);
        let too_many = self.tail.len().saturating_sub(KEPT);
        self.tail.drain(..too_many);
        self.left_out += too_many as u64;
    }

    fn to_text(&self) -> String {
        let tail: Vec<u8> = self.tail.iter().copied().collect();
        let gap = if self.left_out == 0 {
            String::new()
        } else {
            format!("\n[{} bytes left out]\n", self.left_out)
        };
        if gap.is_empty() {
            return String::from_utf8_lossy(&[&self.head[..], &tail[..]].concat()).into_owned();
        }
        [
            String::from_utf8_lossy(&self.head),
            gap.into(),
            String::from_utf8_lossy(&tail),
        ]
        .concat()
    }
}
