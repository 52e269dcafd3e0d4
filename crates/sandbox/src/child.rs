//! The running program.

use crate::exceeded_limit::ExceededLimit;
use crate::messages::StartOrder;
use crate::sandboxed::SandboxedProcess;
use crate::spawn_error::SpawnError;
use crate::streams::{self, JudgeStreams};
use crate::unisolated::UnisolatedProcess;
use crate::{ExitReason, Program, StdioKind, proc};
use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::process::{Pid, Signal};
use std::ffi::OsString;
use std::io;
use std::net::{Ipv4Addr, TcpListener};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;
use std::time::{Duration, Instant};

/// A running program and everything it started.
///
/// The judge's ends of the pipes are non-blocking and close-on-exec; take or drop them as you like.
/// Dropping the child kills it.
///
/// **The thread that spawned a child without isolation must live at least as long as the child**:
/// the kernel ties the death signal to the thread, not to the process, and kills the child when
/// that thread ends.
#[derive(Debug)]
pub struct SandboxedChild {
    /// The program's stdin. Closing it signals the end of input.
    pub stdin: Option<OwnedFd>,
    /// The program's stdout, or with [`StdioKind::Merged`] both outputs.
    pub stdout: Option<OwnedFd>,
    /// The program's stderr.
    pub stderr: Option<OwnedFd>,
    /// The listening TCP socket (non-blocking) to which the program connects if
    /// [`Program::connects`].
    pub listener: Option<OwnedFd>,
    process: Process,
}

#[derive(Debug)]
enum Process {
    Plain(UnisolatedProcess),
    Boxed(SandboxedProcess),
}

impl SandboxedChild {
    /// Starts a program without isolation.
    pub(crate) fn spawn_unisolated(
        program: &Program,
        stdio: StdioKind,
    ) -> Result<SandboxedChild, SpawnError> {
        let refused = |source| SpawnError::Refused {
            command: program.to_string(),
            source,
        };
        let mut program = program.clone();
        let listener = if program.connects {
            Some(listen_loopback().map_err(refused)?)
        } else {
            None
        };
        program.argv.extend(
            listener
                .iter()
                .flat_map(|(_, port)| address_arguments(*port)),
        );
        let listener = listener.map(|(listener, _)| listener);
        let (streams, ends) = streams::open_streams(stdio).map_err(refused)?;
        let plain = UnisolatedProcess::spawn_process(&program, ends)?;
        Ok(SandboxedChild::new(
            streams,
            listener,
            Process::Plain(plain),
        ))
    }

    /// Starts a program in the sandbox; `binary` becomes its helper.
    pub(crate) fn spawn_sandboxed(
        binary: &Path,
        mut order: StartOrder,
        program: &Program,
        stdio: StdioKind,
    ) -> Result<SandboxedChild, SpawnError> {
        if program.argv.is_empty() {
            return Err(SpawnError::NoCommand);
        }
        if !program.dir.is_dir() {
            return Err(SpawnError::NoFolder {
                command: program.to_string(),
                dir: program.dir.clone(),
            });
        }
        let refused = |source| SpawnError::Refused {
            command: program.to_string(),
            source,
        };
        let own = if program.connects && !order.tier.holds_strangers() {
            Some(listen_loopback())
        } else {
            None
        };
        let own = own.transpose().map_err(refused)?;
        if let Some((_, port)) = own {
            order.port = Some(port);
            order.argv.extend(address_arguments(port));
        }
        let (streams, ends) = streams::open_streams(stdio).map_err(refused)?;
        let kept = program.kept.as_ref().map(AsFd::as_fd);
        let started = SandboxedProcess::spawn_helper(binary, &order, ends, kept);
        let (boxed, listener) =
            started.map_err(|refusal| refusal.into_spawn_error(program.to_string()))?;
        let listener = own.map(|(listener, _)| listener).or(listener);
        Ok(SandboxedChild::new(
            streams,
            listener,
            Process::Boxed(boxed),
        ))
    }

    fn new(streams: JudgeStreams, listener: Option<OwnedFd>, process: Process) -> SandboxedChild {
        let JudgeStreams {
            stdin,
            stdout,
            stderr,
        } = streams;
        SandboxedChild {
            stdin,
            stdout,
            stderr,
            listener,
            process,
        }
    }

    /// The process id. For messages; a number is reused after the end.
    pub fn process_id(&self) -> u32 {
        self.pid().as_raw_nonzero().get().unsigned_abs()
    }

    fn pid(&self) -> Pid {
        match &self.process {
            Process::Plain(plain) => plain.pid(),
            Process::Boxed(boxed) => boxed.program_pid(),
        }
    }

    /// A descriptor that polls as readable once the program has ended; `None` on kernels before
    /// 5.3.
    pub fn end_event(&self) -> Option<BorrowedFd<'_>> {
        match &self.process {
            Process::Plain(plain) => plain.pidfd(),
            Process::Boxed(boxed) => Some(boxed.end_event()),
        }
    }

    /// How the program ended, or `None` while it runs. When it has ended, what it left behind is
    /// killed.
    ///
    /// # Errors
    /// If the system does not know the child, which only somebody else reaping it can cause.
    pub fn try_wait(&mut self) -> io::Result<Option<ExitReason>> {
        match &mut self.process {
            Process::Plain(plain) => plain.try_wait(),
            Process::Boxed(boxed) => boxed.try_wait(),
        }
    }

    /// Waits until the program ends, but not longer than `timeout`; `None` if it still runs then.
    ///
    /// # Errors
    /// As [`SandboxedChild::try_wait`].
    pub fn wait_for(&mut self, timeout: Duration) -> io::Result<Option<ExitReason>> {
        let start = Instant::now();
        loop {
            if let Some(exit) = self.try_wait()? {
                return Ok(Some(exit));
            }
            let left = timeout.saturating_sub(start.elapsed());
            if left.is_zero() {
                return Ok(None);
            }
            await_event(self.end_event(), left)?;
        }
    }

    /// Waits for the end of a program whose output has ended: as long as `patience`, and on a busy
    /// machine longer, if the system is at its end already. `None` if it goes on without output.
    ///
    /// # Errors
    /// As [`SandboxedChild::try_wait`].
    pub fn wait_after_output(&mut self, patience: Duration) -> io::Result<Option<ExitReason>> {
        const ENDING: Duration = Duration::from_secs(30);
        match self.wait_for(patience)? {
            None if proc::is_ending(self.pid()) => self.wait_for(ENDING),
            ended => Ok(ended),
        }
    }

    /// Kills the program with everything it started and says how it ended: if it had ended before,
    /// then as it did.
    ///
    /// # Errors
    /// As [`SandboxedChild::try_wait`].
    pub fn kill_all(&mut self) -> io::Result<ExitReason> {
        match &mut self.process {
            Process::Plain(plain) => plain.kill_group(),
            Process::Boxed(boxed) => boxed.kill_program(),
        }
    }

    /// Stops all processes of the program until [`SandboxedChild::thaw_group`]. One that has ended
    /// is not disturbed.
    pub fn freeze_group(&self) {
        self.send_signal(Signal::STOP);
    }

    /// Lets the program go on.
    pub fn thaw_group(&self) {
        self.send_signal(Signal::CONT);
    }

    fn send_signal(&self, signal: Signal) {
        let ended = match &self.process {
            Process::Plain(plain) => plain.has_ended(),
            Process::Boxed(boxed) => boxed.has_ended(),
        };
        if ended {
            // Its number may be somebody else's by now.
            return;
        }
        // The only failure is that the group is gone.
        let _ = rustix::process::kill_process_group(self.pid(), signal);
    }

    /// Processor time used so far, quickly (about a microsecond): of the main process with all its
    /// threads, or where [`SandboxedChild::tells_all_cpu`] of everything; there never less than
    /// that of the main process, nor than [`SandboxedChild::cpu_time_of_all`] has said. After the
    /// end it includes the descendants it waited for. `None` if the system does not tell.
    pub fn cpu_time(&self) -> Option<Duration> {
        match &self.process {
            Process::Plain(plain) => plain.cpu_time(),
            Process::Boxed(boxed) => boxed.cpu_time(),
        }
    }

    /// Whether [`SandboxedChild::cpu_time`] tells of everything the program started, also of
    /// processes that nobody waited for: so it does in tier A, and in B and C where the kernel lets
    /// the helper count (`kernel.perf_event_paranoid` 2 or less).
    pub fn tells_all_cpu(&self) -> bool {
        match &self.process {
            Process::Plain(_) => false,
            Process::Boxed(boxed) => boxed.tells_all_cpu(),
        }
    }

    /// Whether that is beyond the program's power: the control group of tier A counts, and not a
    /// counter that a process may leave. Elsewhere [`SandboxedChild::cpu_time_of_all`] has to be
    /// asked now and then.
    pub fn tells_cpu_for_certain(&self) -> bool {
        match &self.process {
            Process::Plain(_) => false,
            Process::Boxed(boxed) => boxed.tells_cpu_for_certain(),
        }
    }

    /// Whether processor time of the program is in no account: a process of it ignores its
    /// children's exits where nothing but the accounts of processes tells of them, or processes
    /// have left the counter, as [`SandboxedChild::cpu_time_of_all`] has found. Takes milliseconds.
    pub fn hides_cpu_time(&self) -> bool {
        match &self.process {
            Process::Boxed(boxed) if boxed.tells_all_cpu() => boxed.has_left_counter(),
            _ => proc::list_descendants(self.pid())
                .into_iter()
                .any(proc::ignores_children),
        }
    }

    /// Processor time used so far by everything the program started, which takes milliseconds to
    /// find out below tier A; never less than [`SandboxedChild::cpu_time`].
    pub fn cpu_time_of_all(&self) -> Option<Duration> {
        match &self.process {
            Process::Plain(plain) => plain.cpu_time().max(proc::cpu_of_group(plain.pid())),
            Process::Boxed(boxed) => boxed.cpu_time_of_all(),
        }
    }

    /// How long the main thread of the program was ready to run while the processor ran something
    /// else, since its start. `None` if the kernel keeps no such account, or after the end.
    pub fn run_delay(&self) -> Option<Duration> {
        proc::run_delay(self.pid())
    }

    /// The most memory that was used at a time, in bytes, as far as the system tells.
    pub fn memory_peak(&self) -> Option<u64> {
        let known = match &self.process {
            Process::Plain(_) => None,
            Process::Boxed(boxed) => boxed.memory_peak(),
        };
        known.or_else(|| proc::memory_peak(self.pid()))
    }

    /// The limit for which the sandbox killed the program, if it did.
    pub fn exceeded_limit(&self) -> Option<ExceededLimit> {
        match &self.process {
            Process::Plain(_) => None,
            Process::Boxed(boxed) => boxed.exceeded_limit(),
        }
    }
}

/// Opens a port on this machine's loopback.
fn listen_loopback() -> io::Result<(OwnedFd, u16)> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    listener.set_nonblocking(true)?;
    let port = listener.local_addr()?.port();
    Ok((listener.into(), port))
}

/// The two arguments that give the program the address.
fn address_arguments(port: u16) -> [OsString; 2] {
    [
        Ipv4Addr::LOCALHOST.to_string().into(),
        port.to_string().into(),
    ]
}

fn await_event(event: Option<BorrowedFd<'_>>, at_most: Duration) -> io::Result<()> {
    let Some(event) = event else {
        std::thread::sleep(at_most.min(Duration::from_millis(2)));
        return Ok(());
    };
    let timeout = Timespec::try_from(at_most).ok();
    match rustix::event::poll(
        &mut [PollFd::from_borrowed_fd(event, PollFlags::IN)],
        timeout.as_ref(),
    ) {
        Ok(_) | Err(rustix::io::Errno::INTR) => Ok(()),
        Err(error) => Err(error.into()),
    }
}
