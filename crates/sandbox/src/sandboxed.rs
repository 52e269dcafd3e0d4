//! The judge's side of a program in the sandbox.

use crate::cgroup::CgroupParent;
use crate::cpu_file::CpuFile;
use crate::messages::{self, HelperReport, HelperRequest, ReceivedMessage, StartOrder};
use crate::spawn_error::SpawnError;
use crate::spawner::{Helper, wait_readable};
use crate::streams::ProgramStreams;
use crate::{ExceededLimit, ExitReason, leftovers, proc, sys};
use rustix::process::{Pid, Signal};
use std::cell::Cell;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;
use std::time::Duration;

/// The timeout of a helper for a start or an end: it only waits for the kernel.
const PATIENCE: Duration = Duration::from_secs(30);

/// By how much, and by a part more of what is counted, the accounts of the kernel may be ahead of
/// the counter without a doubt: other clocks, and the tick in which the counter was opened.
const COUNTER_DOUBT: Duration = Duration::from_millis(10);

/// A program in the sandbox. Dropping it ends it.
#[derive(Debug)]
pub struct SandboxedProcess {
    helper: Helper,
    pid: Pid,
    cpu: Option<(OwnedFd, CpuFile)>,
    /// What the kernel's own accounts of all its processes said when they were last looked at.
    accounts: Cell<Duration>,
    /// Whether they said more than the counter: processes have left it.
    left_counter: Cell<bool>,
    ended: Option<ProcessEnd>,
    started: bool,
    cgroups: Option<CgroupParent>,
}

/// The report at the end.
#[derive(Clone, Copy, Debug)]
struct ProcessEnd {
    exit: ExitReason,
    cpu: Duration,
    memory: Option<u64>,
    over: Option<ExceededLimit>,
}

impl SandboxedProcess {
    /// Starts a program with these ends of its streams; also gives the socket that listens for it,
    /// if one was ordered.
    pub fn spawn_helper(
        binary: &Path,
        order: &StartOrder,
        ends: ProgramStreams,
        kept: Option<BorrowedFd<'_>>,
    ) -> Result<(SandboxedProcess, Option<OwnedFd>), StartRefusal> {
        let helper = Helper::start(binary, PATIENCE).map_err(own_error("starting the helper"))?;
        let cgroups = order.cgroups.clone();
        let pid = rustix::process::getpid();
        let mut boxed = SandboxedProcess {
            helper,
            pid,
            cpu: None,
            accounts: Cell::new(Duration::ZERO),
            left_counter: Cell::new(false),
            ended: None,
            started: false,
            cgroups,
        };
        let fds: Vec<_> = ends.iter().map(AsFd::as_fd).chain(kept).collect();
        messages::send_message(boxed.helper.control.as_fd(), order, &fds)
            .map_err(own_error("telling the helper"))?;
        drop(ends);
        let listener = boxed.await_start()?;
        Ok((boxed, listener))
    }

    fn await_start(&mut self) -> Result<Option<OwnedFd>, StartRefusal> {
        let silent =
            || own_error("waiting for the helper")(io::Error::from(io::ErrorKind::TimedOut));
        let message = self
            .receive_report(PATIENCE)
            .map_err(own_error("waiting for the helper"))?
            .ok_or_else(silent)?;
        match message.body {
            HelperReport::Started { pid, cpu, listener } => {
                let mut fds = message.fds.into_iter();
                self.cpu = cpu.and_then(|kind| Some((fds.next()?, kind)));
                self.pid = Pid::from_raw(pid).ok_or_else(silent)?;
                self.started = true;
                Ok(if listener { fds.next() } else { None })
            }
            HelperReport::Failed {
                step,
                errno,
                program,
            } => {
                let error = io::Error::from_raw_os_error(errno);
                Err(if program {
                    StartRefusal::Program(error)
                } else {
                    own_error(&step)(error)
                })
            }
            // It ended before its start was reported, which violates the protocol.
            HelperReport::Ready { .. } | HelperReport::Ended { .. } => Err(silent()),
        }
    }

    /// Receives a report of the helper; `None` on a timeout, an error at the end of the stream.
    fn receive_report(&self, time: Duration) -> io::Result<Option<ReceivedMessage<HelperReport>>> {
        if !wait_readable(&self.helper.control, time)? {
            return Ok(None);
        }
        // A helper that ended without having read our last message leaves this error before its
        // report.
        let message = match messages::receive_message(self.helper.control.as_fd()) {
            Err(error) if error.kind() == io::ErrorKind::ConnectionReset => {
                messages::receive_message(self.helper.control.as_fd())?
            }
            received => received?,
        };
        message
            .map(Some)
            .ok_or_else(|| io::Error::other("the helper is gone"))
    }

    /// The program's process id and group.
    pub fn program_pid(&self) -> Pid {
        self.pid
    }

    /// Readable when the program has ended.
    pub fn end_event(&self) -> BorrowedFd<'_> {
        self.helper.control.as_fd()
    }

    pub fn has_ended(&self) -> bool {
        self.ended.is_some()
    }

    pub fn try_wait(&mut self) -> io::Result<Option<ExitReason>> {
        if self.ended.is_none() {
            match self.receive_report(Duration::ZERO) {
                Ok(None) => return Ok(None),
                Ok(Some(message)) => self.note_report(message.body),
                Err(_) => self.note_lost_helper(),
            }
        }
        Ok(self.ended.map(|ended| ended.exit))
    }

    pub fn kill_program(&mut self) -> io::Result<ExitReason> {
        if self.ended.is_none() {
            // If the helper is gone, so is the program; the next call notices it.
            let _ = messages::send_message(self.helper.control.as_fd(), &HelperRequest::Kill, &[]);
            match self.receive_report(PATIENCE) {
                Ok(Some(message)) => self.note_report(message.body),
                Ok(None) | Err(_) => self.note_lost_helper(),
            }
        }
        // Everything is removed only after the helper has exited.
        self.reap_helper();
        self.try_wait()?
            .ok_or_else(|| io::Error::other("the helper does not tell how the program ended"))
    }

    /// Waits for the helper, which exits after its report; one that does not is killed.
    fn reap_helper(&mut self) {
        if !self.helper.wait_for_exit(PATIENCE) {
            self.helper.kill();
            self.helper.wait_for_exit(PATIENCE);
        }
    }

    fn note_report(&mut self, report: HelperReport) {
        if let HelperReport::Ended {
            exit,
            cpu_us,
            memory,
            over,
        } = report
        {
            self.ended = Some(ProcessEnd {
                exit,
                cpu: Duration::from_micros(cpu_us),
                memory,
                over,
            });
        }
    }

    /// Handles a helper that was killed: init dies by its death signal and takes the program along.
    /// Without namespaces this kills the program's other processes, and removes what the helper
    /// would have removed.
    fn note_lost_helper(&mut self) {
        self.helper.kill();
        self.helper.wait_for_exit(PATIENCE);
        if self.started {
            let _ = rustix::process::kill_process_group(self.pid, Signal::KILL);
        }
        leftovers::sweep_leftovers();
        if let Some(place) = &self.cgroups {
            place.sweep_leftovers();
        }
        let exit = ExitReason::Signal(libc::SIGKILL);
        self.ended = Some(ProcessEnd {
            exit,
            cpu: Duration::ZERO,
            memory: None,
            over: None,
        });
    }

    pub fn cpu_time(&self) -> Option<Duration> {
        match (&self.ended, &self.cpu) {
            (Some(ended), _) => Some(ended.cpu.max(self.accounts.get())),
            (None, Some((file, CpuFile::Counter))) => {
                let main = sys::cpu_clock(self.pid).unwrap_or_default();
                Some(
                    CpuFile::Counter
                        .read(file)?
                        .max(main)
                        .max(self.accounts.get()),
                )
            }
            (None, Some((file, kind))) => kind.read(file),
            (None, None) => sys::cpu_clock(self.pid),
        }
    }

    /// Whether [`SandboxedProcess::cpu_time`] tells of everything.
    pub fn tells_all_cpu(&self) -> bool {
        self.cpu.is_some()
    }

    /// Whether nothing that the program does can change that.
    pub fn tells_cpu_for_certain(&self) -> bool {
        matches!(self.cpu, Some((_, CpuFile::Nanos | CpuFile::Stat)))
    }

    /// Whether processes have left the counter.
    pub fn has_left_counter(&self) -> bool {
        self.left_counter.get()
    }

    /// Of everything, slowly where there is no control group.
    pub fn cpu_time_of_all(&self) -> Option<Duration> {
        if self.ended.is_some() || self.tells_cpu_for_certain() {
            return self.cpu_time();
        }
        let accounts = proc::cpu_of_family(self.helper.pid, self.pid);
        let Some((file, kind)) = &self.cpu else {
            return self.cpu_time().max(accounts);
        };
        // Read after the accounts, the counter is ahead of them unless somebody left it.
        let (accounts, counted) = (accounts.unwrap_or_default(), kind.read(file)?);
        self.accounts.set(accounts.max(self.accounts.get()));
        if accounts > counted + counted / 64 + COUNTER_DOUBT {
            self.left_counter.set(true);
        }
        self.cpu_time()
    }

    pub fn memory_peak(&self) -> Option<u64> {
        self.ended.and_then(|ended| ended.memory)
    }

    pub fn exceeded_limit(&self) -> Option<ExceededLimit> {
        self.ended.and_then(|ended| ended.over)
    }
}

impl Drop for SandboxedProcess {
    fn drop(&mut self) {
        // An error cannot be reported here.
        let _ = self.kill_program();
    }
}

/// Why a program does not run.
pub enum StartRefusal {
    /// The system refuses to run this program.
    Program(io::Error),
    /// A step of the sandbox failed: an infrastructure error.
    Infrastructure(String, io::Error),
}

impl StartRefusal {
    /// Converts it to an error with the command line.
    pub fn into_spawn_error(self, command: String) -> SpawnError {
        match self {
            StartRefusal::Program(source) => SpawnError::Refused { command, source },
            StartRefusal::Infrastructure(step, error) => SpawnError::Sandbox {
                command,
                why: format!("{step}: {error}"),
            },
        }
    }
}

fn own_error<E: Into<io::Error>>(step: &str) -> impl Fn(E) -> StartRefusal + use<E> {
    let step = step.to_owned();
    move |error| StartRefusal::Infrastructure(step.clone(), error.into())
}
