//! The judge's side of a program in the sandbox.

use crate::cgroup::Place;
use crate::child::SpawnError;
use crate::order::{self, CpuFile, Message, Order, Report, Request};
use crate::streams::Ends;
use crate::{Exit, Over, helper, owner, proc, sys};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::net::{AddressFamily, SocketFlags, SocketType, socketpair};
use rustix::process::{Pid, Signal};
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// How long a helper may take for a start or an end: it waits for nobody but the kernel.
const PATIENCE: Duration = Duration::from_secs(30);

/// A program in the sandbox. Dropping it ends it.
#[derive(Debug)]
pub struct Boxed {
    helper: std::process::Child,
    control: OwnedFd,
    pid: Pid,
    cpu: Option<(OwnedFd, CpuFile)>,
    ended: Option<Ended>,
    started: bool,
    cgroups: Option<Place>,
}

/// What is known at the end.
#[derive(Clone, Copy, Debug)]
struct Ended {
    exit: Exit,
    cpu: Duration,
    memory: Option<u64>,
    over: Option<Over>,
}

impl Boxed {
    /// Starts a program with these ends of its streams; also gives the socket that listens for it, if one was ordered.
    pub fn spawn(binary: &Path, order: &Order, ends: Ends) -> Result<(Boxed, Option<OwnedFd>), Refusal> {
        let kind = (AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC);
        let (control, theirs) = socketpair(kind.0, kind.1, kind.2, None).map_err(ours("opening a socket"))?;
        let mut command = Command::new(binary);
        command.arg0(helper::NAME).env_clear().process_group(0);
        command.stdin(theirs).stdout(Stdio::null()).stderr(Stdio::null());
        let helper = command.spawn().map_err(ours("starting the helper"))?;
        drop(command);
        let cgroups = order.cgroups.clone();
        let pid = rustix::process::getpid();
        let mut boxed = Boxed { helper, control, pid, cpu: None, ended: None, started: false, cgroups };
        let fds = ends.each_ref().map(AsFd::as_fd);
        order::send(boxed.control.as_fd(), order, &fds).map_err(ours("telling the helper"))?;
        drop(ends);
        let listener = boxed.await_start()?;
        Ok((boxed, listener))
    }

    fn await_start(&mut self) -> Result<Option<OwnedFd>, Refusal> {
        let silent = || ours("waiting for the helper")(io::Error::from(io::ErrorKind::TimedOut));
        let message = self.receive(PATIENCE).map_err(ours("waiting for the helper"))?.ok_or_else(silent)?;
        match message.body {
            Report::Started { pid, cpu, listener } => {
                let mut fds = message.fds.into_iter();
                self.cpu = cpu.and_then(|kind| Some((fds.next()?, kind)));
                self.pid = Pid::from_raw(pid).ok_or_else(silent)?;
                self.started = true;
                Ok(if listener { fds.next() } else { None })
            }
            Report::Failed { step, errno, program } => {
                let error = io::Error::from_raw_os_error(errno);
                Err(if program { Refusal::Program(error) } else { ours(&step)(error) })
            }
            // It ended before it was said to have started, which no order of words allows.
            Report::Ended { .. } => Err(silent()),
        }
    }

    /// A message of the helper, `None` if none comes in time; at the end of the conversation an error.
    fn receive(&self, time: Duration) -> io::Result<Option<Message<Report>>> {
        let deadline = Instant::now() + time;
        loop {
            let left = Timespec::try_from(deadline.saturating_duration_since(Instant::now())).ok();
            match poll(&mut [PollFd::new(&self.control, PollFlags::IN)], left.as_ref()) {
                Ok(0) => return Ok(None),
                Err(rustix::io::Errno::INTR) => {}
                Err(error) => return Err(error.into()),
                Ok(_) => break,
            }
        }
        let message = order::receive(self.control.as_fd())?;
        message.map(Some).ok_or_else(|| io::Error::other("the helper is gone"))
    }

    /// The program's process id and group.
    pub fn pid(&self) -> Pid {
        self.pid
    }

    /// Readable when the program has ended.
    pub fn end_event(&self) -> BorrowedFd<'_> {
        self.control.as_fd()
    }

    pub fn has_ended(&self) -> bool {
        self.ended.is_some()
    }

    pub fn try_wait(&mut self) -> io::Result<Option<Exit>> {
        if self.ended.is_none() {
            match self.receive(Duration::ZERO) {
                Ok(None) => return Ok(None),
                Ok(Some(message)) => self.note(message.body),
                Err(_) => self.note_lost_helper(),
            }
        }
        Ok(self.ended.map(|ended| ended.exit))
    }

    pub fn kill(&mut self) -> io::Result<Exit> {
        if self.ended.is_none() {
            // If the helper is gone, so is the program, and the next call finds out.
            let _ = order::send(self.control.as_fd(), &Request::Kill, &[]);
            match self.receive(PATIENCE) {
                Ok(Some(message)) => self.note(message.body),
                Ok(None) | Err(_) => self.note_lost_helper(),
            }
        }
        // Only after it has left is everything removed.
        let _ = self.helper.wait();
        self.try_wait()?.ok_or_else(|| io::Error::other("the helper does not tell how the program ended"))
    }

    fn note(&mut self, report: Report) {
        if let Report::Ended { exit, cpu_us, memory, over } = report {
            self.ended = Some(Ended { exit, cpu: Duration::from_micros(cpu_us), memory, over });
        }
    }

    /// Somebody killed the helper: init dies with it by its death signal and takes the program along. Where there are no
    /// namespaces this ends the others of the program, and what the helper would have removed is removed.
    fn note_lost_helper(&mut self) {
        let _ = self.helper.kill();
        let _ = self.helper.wait();
        if self.started {
            let _ = rustix::process::kill_process_group(self.pid, Signal::KILL);
        }
        owner::sweep();
        if let Some(place) = &self.cgroups {
            place.sweep();
        }
        let exit = Exit::Signal(libc::SIGKILL);
        self.ended = Some(Ended { exit, cpu: Duration::ZERO, memory: None, over: None });
    }

    pub fn cpu_time(&self) -> Option<Duration> {
        match (&self.ended, &self.cpu) {
            (Some(ended), _) => Some(ended.cpu),
            (None, Some((file, kind))) => kind.read(file),
            (None, None) => sys::cpu_clock(self.pid),
        }
    }

    /// Whether [`Boxed::cpu_time`] tells of everything.
    pub fn tells_all_cpu(&self) -> bool {
        self.cpu.is_some()
    }

    /// Of everything, slowly where there is neither a control group nor a counter.
    pub fn cpu_time_of_all(&self) -> Option<Duration> {
        if self.ended.is_some() || self.cpu.is_some() {
            return self.cpu_time();
        }
        self.cpu_time().max(proc::cpu_of_family(Pid::from_child(&self.helper), self.pid))
    }

    pub fn memory_peak(&self) -> Option<u64> {
        self.ended.and_then(|ended| ended.memory)
    }

    pub fn over(&self) -> Option<Over> {
        self.ended.and_then(|ended| ended.over)
    }
}

impl Drop for Boxed {
    fn drop(&mut self) {
        // Nobody is left to tell.
        let _ = self.kill();
    }
}

/// Why a program does not run.
pub enum Refusal {
    /// The system refuses to run this program.
    Program(io::Error),
    /// A step of ours failed.
    Ours(String, io::Error),
}

impl Refusal {
    /// The same with the command line, for people.
    pub fn of(self, command: String) -> SpawnError {
        match self {
            Refusal::Program(source) => SpawnError::Refused { command, source },
            Refusal::Ours(step, error) => SpawnError::Sandbox { command, why: format!("{step}: {error}") },
        }
    }
}

fn ours<E: Into<io::Error>>(step: &str) -> impl Fn(E) -> Refusal + use<E> {
    let step = step.to_owned();
    move |error| Refusal::Ours(step.clone(), error.into())
}
