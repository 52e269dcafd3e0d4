//! The running process.

use crate::{Exit, Program, sys};
use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::process::{Pid, PidfdFlags, Signal, WaitId, WaitIdOptions};
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// What the standard streams of a child are connected to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StdioKind {
    /// Three pipes: how bots are run.
    Separate,
    /// Nothing to read, and one pipe ([`Child::stdout`]) for both outputs in the order in which they were written:
    /// how tools are run.
    Merged,
}

/// A running program and everything it started.
///
/// The parent's ends of the pipes are non-blocking and close-on-exec; take or drop them as you like. Dropping the
/// child kills it.
///
/// **The thread that spawned a child must live at least as long as the child**: the kernel ties the death signal
/// to the thread, not to the process, and kills the child when that thread ends.
#[derive(Debug)]
pub struct Child {
    /// Where the program reads from. Closing it is how the program learns that nothing more comes.
    pub stdin: Option<OwnedFd>,
    /// What the program writes, or with [`StdioKind::Merged`] both of its outputs.
    pub stdout: Option<OwnedFd>,
    /// What the program logs.
    pub stderr: Option<OwnedFd>,
    pid: Pid,
    pidfd: Option<OwnedFd>,
    ended: Option<(Exit, Duration)>,
}

/// Why a program could not be started.
#[derive(Debug, thiserror::Error)]
pub enum SpawnError {
    /// [`Program::argv`] is empty.
    #[error("there is no command to run: give at least the name of a program")]
    NoCommand,
    /// The working directory is missing.
    #[error("cannot start `{command}`: its folder {dir} does not exist any more; build it again", dir = dir.display())]
    NoFolder {
        /// The command line.
        command: String,
        /// The folder.
        dir: PathBuf,
    },
    /// The system refused.
    #[error("cannot start `{command}`: {source}; {next}", next = what_next(source))]
    Refused {
        /// The command line.
        command: String,
        /// What the system said.
        source: io::Error,
    },
}

impl Child {
    /// Starts `program` in a process group of its own.
    ///
    /// # Errors
    /// If the program cannot be started; what goes wrong inside it afterwards is seen in its [`Exit`].
    pub fn spawn(program: &Program, stdio: StdioKind) -> Result<Child, SpawnError> {
        let (name, arguments) = program.argv.split_first().ok_or(SpawnError::NoCommand)?;
        if !program.dir.is_dir() {
            return Err(SpawnError::NoFolder { command: program.to_string(), dir: program.dir.clone() });
        }
        let mut command = Command::new(name);
        command.args(arguments).current_dir(&program.dir).env_clear().envs(program.environment());
        command.process_group(0);
        sys::prepare(&mut command, program.limits);
        start(&mut command, stdio)
            .map_err(|source| SpawnError::Refused { command: program.to_string(), source })
    }

    /// The process id, which is also the id of the process group. For messages; a number is reused after the end.
    pub fn id(&self) -> u32 {
        self.pid.as_raw_nonzero().get().unsigned_abs()
    }

    /// A descriptor that polls as readable once the program has ended; `None` on kernels before 5.3.
    pub fn pidfd(&self) -> Option<BorrowedFd<'_>> {
        self.pidfd.as_ref().map(AsFd::as_fd)
    }

    /// How the program ended, or `None` while it runs. When it has ended, what it left behind in its process
    /// group is killed.
    ///
    /// # Errors
    /// If the system does not know the child, which only somebody else reaping it can cause.
    pub fn try_wait(&mut self) -> io::Result<Option<Exit>> {
        if let Some((exit, _)) = self.ended {
            return Ok(Some(exit));
        }
        // The child is looked at without reaping it, so that its number still stands for its group when that is
        // killed.
        let look = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        match rustix::process::waitid(WaitId::Pid(self.pid), look)? {
            Some(_) => self.finish().map(Some),
            None => Ok(None),
        }
    }

    /// Waits until the program ends, but not longer than `timeout`; `None` if it still runs then.
    ///
    /// # Errors
    /// As [`Child::try_wait`].
    pub fn wait_for(&mut self, timeout: Duration) -> io::Result<Option<Exit>> {
        let start = Instant::now();
        loop {
            if let Some(exit) = self.try_wait()? {
                return Ok(Some(exit));
            }
            let left = timeout.saturating_sub(start.elapsed());
            if left.is_zero() {
                return Ok(None);
            }
            self.await_event(left)?;
        }
    }

    /// Kills the whole process group with SIGKILL, reaps the program and says how it ended: if it had ended before,
    /// then as it did.
    ///
    /// # Errors
    /// As [`Child::try_wait`].
    pub fn kill(&mut self) -> io::Result<Exit> {
        match self.ended {
            Some((exit, _)) => Ok(exit),
            None => self.finish(),
        }
    }

    /// Processor time used so far: while it runs that of all its threads, after its end also that of the
    /// descendants it waited for. `None` if the system does not tell.
    pub fn cpu_time(&self) -> Option<Duration> {
        match self.ended {
            Some((_, time)) => Some(time),
            None => sys::cpu_clock(self.pid),
        }
    }

    fn finish(&mut self) -> io::Result<Exit> {
        // Both calls fail with "no such process" if the group or the program is already gone, which is the aim.
        // The program is named too, because it may have moved to another group.
        let _ = rustix::process::kill_process_group(self.pid, Signal::KILL);
        let _ = rustix::process::kill_process(self.pid, Signal::KILL);
        let ended = sys::reap(self.pid)?;
        self.ended = Some(ended);
        Ok(ended.0)
    }

    fn await_event(&self, at_most: Duration) -> io::Result<()> {
        let Some(pidfd) = &self.pidfd else {
            std::thread::sleep(at_most.min(Duration::from_millis(2)));
            return Ok(());
        };
        let timeout = Timespec::try_from(at_most).ok();
        match rustix::event::poll(&mut [PollFd::new(pidfd, PollFlags::IN)], timeout.as_ref()) {
            Ok(_) | Err(rustix::io::Errno::INTR) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        // Nobody is left to tell; the only failure is that the child is already gone.
        let _ = self.kill();
    }
}

/// Bytes that a program can write before it has to wait for the judge; the most that the system grants everybody.
const PIPE_BYTES: usize = 1 << 20;

/// How often a start is tried again while the file is still open for writing somewhere.
const BUSY_TRIES: u32 = 250;

fn start(command: &mut Command, stdio: StdioKind) -> io::Result<Child> {
    let log = connect(command, stdio)?;
    let mut started = spawn_when_free(command)?;
    let pid = Pid::from_child(&started);
    // From here on dropping the child kills it, so that no later error leaves it behind.
    let mut child = Child { stdin: None, stdout: log, stderr: None, pid, pidfd: pidfd_of(pid), ended: None };
    child.stdin = started.stdin.take().map(OwnedFd::from);
    child.stdout = child.stdout.take().or(started.stdout.take().map(OwnedFd::from));
    child.stderr = started.stderr.take().map(OwnedFd::from);
    for pipe in [&child.stdin, &child.stdout, &child.stderr].into_iter().flatten() {
        rustix::io::ioctl_fionbio(pipe, true)?;
    }
    for pipe in [&child.stdout, &child.stderr].into_iter().flatten() {
        // A smaller pipe works as well: it only makes a talkative program wait for the judge more often.
        let _ = rustix::pipe::fcntl_setpipe_size(pipe, PIPE_BYTES);
    }
    Ok(child)
}

/// Connects the standard streams; returns the read end of the common pipe if there is one.
fn connect(command: &mut Command, stdio: StdioKind) -> io::Result<Option<OwnedFd>> {
    match stdio {
        StdioKind::Separate => {
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
            Ok(None)
        }
        StdioKind::Merged => {
            let (read, write) = rustix::pipe::pipe_with(rustix::pipe::PipeFlags::CLOEXEC)?;
            command.stdin(Stdio::null()).stdout(write.try_clone()?).stderr(write);
            Ok(Some(read))
        }
    }
}

/// A program that was written a moment ago may still be open for writing in a child that another thread has forked
/// and that has not reached its `exec` yet. The kernel calls that "text file busy"; it passes by itself.
fn spawn_when_free(command: &mut Command) -> io::Result<std::process::Child> {
    for _ in 0..BUSY_TRIES {
        match command.spawn() {
            Err(error) if error.kind() == io::ErrorKind::ExecutableFileBusy => {
                std::thread::sleep(Duration::from_millis(2));
            }
            other => return other,
        }
    }
    command.spawn()
}

/// Without it (an old kernel) waiting for the end falls back to looking now and then.
fn pidfd_of(pid: Pid) -> Option<OwnedFd> {
    rustix::process::pidfd_open(pid, PidfdFlags::empty()).ok()
}

fn what_next(error: &io::Error) -> &'static str {
    match (error.kind(), error.raw_os_error()) {
        (io::ErrorKind::NotFound, _) => {
            "check that the file exists and that the interpreter in its first line (#!) is installed"
        }
        (io::ErrorKind::PermissionDenied, _) => "make it executable with chmod +x",
        (_, Some(libc::ENOEXEC)) => {
            "it is no program for this machine: give its source, or add a first line like #!/bin/sh"
        }
        (io::ErrorKind::ExecutableFileBusy, _) => "somebody is still writing that file: try again",
        _ => "free some processes or memory and try again",
    }
}
