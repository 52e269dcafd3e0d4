//! A process without a jail: a process group, an empty environment, limits, a death signal.

use crate::kept_file::{KEPT_VARIABLE, path_of};
use crate::spawn_error::SpawnError;
use crate::streams::ProgramStreams;
use crate::{ExitReason, Program, sys};
use rustix::process::{Pid, PidfdFlags, Signal, WaitId, WaitIdOptions};
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::time::Duration;

/// A running process and what stays in its process group. Dropping it kills both.
#[derive(Debug)]
pub struct UnisolatedProcess {
    pid: Pid,
    pidfd: Option<OwnedFd>,
    ended: Option<(ExitReason, Duration)>,
}

impl UnisolatedProcess {
    /// Starts `program` with these ends of its streams, in a process group of its own.
    ///
    /// # Errors
    /// If the program cannot be started; what goes wrong inside it afterwards is seen in its
    /// [`ExitReason`].
    pub fn spawn_process(
        program: &Program,
        ends: ProgramStreams,
    ) -> Result<UnisolatedProcess, SpawnError> {
        let words = program.command_words();
        let (name, arguments) = words.split_first().ok_or(SpawnError::NoCommand)?;
        if !program.dir.is_dir() {
            return Err(SpawnError::NoFolder {
                command: program.to_string(),
                dir: program.dir.clone(),
            });
        }
        let mut command = Command::new(name);
        command
            .args(arguments)
            .current_dir(&program.dir)
            .env_clear()
            .envs(program.environment_pairs());
        command.process_group(0);
        let [stdin, stdout, stderr] = ends;
        command.stdin(stdin).stdout(stdout).stderr(stderr);
        if let Some(kept) = &program.kept {
            command.env(KEPT_VARIABLE, path_of(&kept.as_fd()));
        }
        sys::prepare_command(&mut command, program);
        let started = spawn_when_free(&mut command).map_err(|source| SpawnError::Refused {
            command: program.to_string(),
            source,
        })?;
        let pid = Pid::from_child(&started);
        Ok(UnisolatedProcess {
            pid,
            pidfd: pidfd_of(pid),
            ended: None,
        })
    }

    /// The process id, which is also that of the group.
    pub fn pid(&self) -> Pid {
        self.pid
    }

    /// A descriptor that polls as readable once the program has ended; `None` on kernels before
    /// 5.3.
    pub fn pidfd(&self) -> Option<BorrowedFd<'_>> {
        self.pidfd.as_ref().map(AsFd::as_fd)
    }

    /// Whether its end has been seen.
    pub fn has_ended(&self) -> bool {
        self.ended.is_some()
    }

    /// How the program ended, or `None` while it runs. When it has ended, what it left behind in
    /// its process group is killed.
    ///
    /// # Errors
    /// If the system does not know the child, which only somebody else reaping it can cause.
    pub fn try_wait(&mut self) -> io::Result<Option<ExitReason>> {
        if let Some((exit, _)) = self.ended {
            return Ok(Some(exit));
        }
        // The child is looked at without reaping it, so that its number still stands for its group
        // when that is killed.
        let look = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        match rustix::process::waitid(WaitId::Pid(self.pid), look)? {
            Some(_) => self.wait_for_exit().map(Some),
            None => Ok(None),
        }
    }

    /// Kills the whole process group with SIGKILL, reaps the program and says how it ended: if it
    /// had ended before, then as it did.
    ///
    /// # Errors
    /// As [`UnisolatedProcess::try_wait`].
    pub fn kill_group(&mut self) -> io::Result<ExitReason> {
        match self.ended {
            Some((exit, _)) => Ok(exit),
            None => self.wait_for_exit(),
        }
    }

    /// Processor time used so far: while it runs that of all its threads, after its end also that
    /// of the descendants it waited for. `None` if the system does not tell.
    pub fn cpu_time(&self) -> Option<Duration> {
        match self.ended {
            Some((_, time)) => Some(time),
            None => sys::cpu_clock(self.pid),
        }
    }

    fn wait_for_exit(&mut self) -> io::Result<ExitReason> {
        // Both calls fail with "no such process" if the group or the program is already gone, which
        // is the aim. The program is named too, because it may have moved to another group.
        let _ = rustix::process::kill_process_group(self.pid, Signal::KILL);
        let _ = rustix::process::kill_process(self.pid, Signal::KILL);
        let ended = sys::reap_child(self.pid)?;
        self.ended = Some(ended);
        Ok(ended.0)
    }
}

impl Drop for UnisolatedProcess {
    fn drop(&mut self) {
        // Nobody is left to tell; the only failure is that the child is already gone.
        let _ = self.kill_group();
    }
}

/// How often a start is tried again while the file is still open for writing somewhere.
const BUSY_TRIES: u32 = 250;

/// A program that was written a moment ago may still be open for writing in a child that another
/// thread has forked and that has not reached its `exec` yet. The kernel calls that "text file
/// busy"; it passes by itself.
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
