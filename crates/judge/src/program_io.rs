//! The pipes, or the socket, of one program in one leg. Both directions are non-blocking and
//! bounded.

use std::collections::VecDeque;
use std::net::TcpListener;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::{Duration, Instant};

use leitai_game::Fault;
use leitai_game::lang::{Message, say};
use leitai_game::replay::{BrokenLimit, LimitName};
use leitai_sandbox::{
    DEEPEST_FOLDER, ExceededLimit, ExitReason, MOST_FILES, Program, Sandbox, SandboxedChild,
    SpawnError, StdioKind,
};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

use crate::clock::to_micros;
use crate::duration::show_duration;
use crate::io_pattern::IoPattern;
use crate::log::StderrLog;
use crate::player::Transport;
use crate::referee::InputEnd;
use crate::slow_exits;
use crate::traffic::{ProgramTraffic, TrafficStream};

/// How long the judge waits for the exit status of a program that closed its output: on a busy
/// machine the end of a crashed program takes time. Less than the second by which wall time may
/// always exceed a limit, so that an opponent whose answer waits meanwhile loses nothing.
pub const EXIT: Duration = Duration::from_millis(800);
/// Bytes of one read.
const CHUNK: usize = 64 << 10;
/// The reads that empty a full pipe of the sandbox (1 MiB).
const MOST_READS: usize = (1 << 20) / CHUNK;

/// One program with its streams.
pub struct ProgramIo {
    child: SandboxedChild,
    /// The program's limits, for the description of its end.
    limits: leitai_sandbox::SandboxLimits,
    key: slow_exits::ProgramKey,
    frozen: bool,
    /// Since when it has run after a thaw, and after which time it is thawed again.
    rouse_after: Option<(Instant, Duration)>,
    /// Whether it closed its output.
    closed: bool,
    /// When its input was closed.
    input_closed: Option<Instant>,
    /// The stream of answers.
    incoming: Option<OwnedFd>,
    /// The stream of messages to the program.
    outgoing: Option<OwnedFd>,
    /// Streams that are only logged: stderr, and stdout if the answers come over TCP.
    logged: [Option<OwnedFd>; 2],
    waiting: VecDeque<u8>,
    io_pattern: IoPattern,
    /// Written pieces of the current message.
    pieces: usize,
    /// Reads since the current message.
    sips: usize,
    memory_peak: Option<u64>,
    /// The log so far.
    pub log: StderrLog,
    traffic: Option<ProgramTraffic>,
}

/// Measurements at the end of a program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ProgramEnd {
    /// The peak of its memory in bytes, if the system reports it.
    pub memory_peak: Option<u64>,
    /// The time after the end at which it exited by itself; `None` if it had to be killed.
    pub left_after: Option<Duration>,
}

/// The first and the longest time after which a program that was thawed is thawed again.
const FIRST_ROUSE: Duration = Duration::from_millis(2);
const LAST_ROUSE: Duration = Duration::from_millis(200);

/// The result of a read.
#[allow(missing_docs, reason = "the names say it")]
pub enum ProgramOutput {
    Nothing,
    /// The number of bytes that were put into the buffer.
    Bytes(usize),
    /// The end of the stream.
    Closed,
}

impl ProgramIo {
    /// Starts the program, which has `patience` to connect if it must, and keeps this many bytes of
    /// its log. `Ok(Err(_))` is the program's fault, `Err` is an infrastructure error.
    pub fn start_program(
        sandbox: &Sandbox,
        program: Program,
        connect: Transport,
        patience: Duration,
        kept: usize,
    ) -> std::io::Result<Result<ProgramIo, InputEnd>> {
        let program = Program {
            connects: connect == Transport::Tcp,
            ..program
        };
        let mut child = match sandbox.spawn_program(&program, StdioKind::Separate) {
            Ok(child) => child,
            Err(error) if is_programs_fault(&error) => return Ok(Err(not_started(&error))),
            Err(error) => return Err(std::io::Error::other(error)),
        };
        let (stdin, stdout, stderr) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let Some(listener) = child.listener.take() else {
            return Ok(Ok(ProgramIo::new(
                child,
                &program,
                kept,
                [stdout, stdin],
                [stderr, None],
            )));
        };
        match accept_connection(&listener.into(), &mut child, program.limits, patience)? {
            Ok(socket) => {
                let copy = socket.try_clone()?;
                Ok(Ok(ProgramIo::new(
                    child,
                    &program,
                    kept,
                    [Some(socket), Some(copy)],
                    [stderr, stdout],
                )))
            }
            Err(ending) => Ok(Err(ending)),
        }
    }

    fn new(
        child: SandboxedChild,
        program: &Program,
        kept: usize,
        [incoming, outgoing]: [Option<OwnedFd>; 2],
        logged: [Option<OwnedFd>; 2],
    ) -> ProgramIo {
        let (frozen, waiting, log) = (false, VecDeque::new(), StderrLog::with_limit(kept));
        ProgramIo {
            child,
            limits: program.limits,
            key: slow_exits::program_key(program),
            frozen,
            rouse_after: None,
            closed: false,
            input_closed: None,
            incoming,
            outgoing,
            logged,
            waiting,
            io_pattern: IoPattern::Usual,
            pieces: 0,
            sips: 0,
            memory_peak: None,
            log,
            traffic: None,
        }
    }

    /// Sets the pattern of writes and reads.
    pub fn with_io_pattern(mut self, io_pattern: IoPattern) -> ProgramIo {
        self.io_pattern = io_pattern;
        self
    }

    /// Writes down what goes to and from the program.
    pub fn write_traffic(&mut self, traffic: ProgramTraffic) {
        self.traffic = Some(traffic);
    }

    /// Writes down what was read or sent.
    pub fn record(&self, stream: TrafficStream, bytes: &[u8]) {
        if let Some(traffic) = &self.traffic {
            traffic.record(stream, bytes);
        }
    }

    /// The process.
    pub fn child_process(&self) -> &SandboxedChild {
        &self.child
    }

    /// Whether the program closed its output.
    pub fn is_closed(&self) -> bool {
        self.closed
    }

    /// Whether the program is stopped.
    pub fn is_frozen(&self) -> bool {
        self.frozen
    }

    /// Stops the program until it is thawed.
    pub fn freeze_program(&mut self) {
        if !self.frozen {
            self.child.freeze_group();
            self.frozen = true;
            self.rouse_after = None;
        }
    }

    /// Lets a stopped program continue.
    pub fn thaw_program(&mut self) {
        if self.frozen {
            self.child.thaw_group();
            self.frozen = false;
            self.rouse_after = Some((Instant::now(), FIRST_ROUSE));
        }
    }

    /// Wakes what a thaw has left stopped, if it is time for that; returns the time until the next
    /// look. A process that was made at the moment of the freeze can stay stopped when its group is
    /// continued (seen on Linux 6.18 once in about 1,300 starts of a shell script under load); the
    /// program would wait for it for ever, on its own clock.
    pub fn rouse_stragglers(&mut self) -> Option<Duration> {
        let (since, pause) = self.rouse_after?;
        let left = pause.saturating_sub(since.elapsed());
        if !left.is_zero() {
            return Some(left);
        }
        self.child.thaw_group();
        let pause = (pause * 4).min(LAST_ROUSE);
        self.rouse_after = Some((Instant::now(), pause));
        Some(pause)
    }

    /// Sends bytes, now or as soon as the program reads.
    pub fn send_bytes(&mut self, bytes: &[u8]) {
        self.record(TrafficStream::Stdin, bytes);
        self.waiting.extend(bytes);
        (self.pieces, self.sips) = (0, 0);
        self.flush_output();
    }

    /// Writes as much as the program accepts. A program that closed its input gets nothing more.
    pub fn flush_output(&mut self) {
        while let (Some(fd), (front, _)) = (&self.outgoing, self.waiting.as_slices())
            && !front.is_empty()
        {
            match rustix::io::write(
                fd,
                &front[..self.io_pattern.piece_size(self.pieces, front.len())],
            ) {
                Ok(count) => {
                    self.waiting.drain(..count);
                    self.pieces += 1;
                    self.io_pattern.pause_between();
                }
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => return,
                Err(_) => {
                    self.waiting.clear();
                    self.outgoing = None;
                }
            }
        }
    }

    /// Adds the descriptors to wait for; the stream of answers only if `welcome`.
    pub fn add_poll_fds<'a>(&'a self, welcome: bool, fds: &mut Vec<PollFd<'a>>) {
        let logged = self.logged.iter().flatten();
        let incoming = self.incoming.iter().filter(|_| welcome);
        fds.extend(
            incoming
                .chain(logged)
                .map(|fd| PollFd::new(fd, PollFlags::IN)),
        );
        if let Some(fd) = self.outgoing.as_ref().filter(|_| !self.waiting.is_empty()) {
            fds.push(PollFd::new(fd, PollFlags::OUT));
        }
    }

    /// Reads once from the stream of answers.
    pub fn read(&mut self, buffer: &mut Vec<u8>) -> ProgramOutput {
        let Some(fd) = &self.incoming else {
            return ProgramOutput::Nothing;
        };
        match read_some(
            fd.as_fd(),
            buffer,
            self.io_pattern.read_size(self.sips, CHUNK),
        ) {
            Some(0) => {
                (self.incoming, self.closed) = (None, true);
                ProgramOutput::Closed
            }
            Some(count) => {
                self.sips += 1;
                self.look_at_memory();
                ProgramOutput::Bytes(count)
            }
            None => ProgramOutput::Nothing,
        }
    }

    /// Measures the peak of the memory before the program may have ended, because some systems do
    /// not report it afterwards.
    fn look_at_memory(&mut self) {
        if self.io_pattern == IoPattern::Patient {
            self.memory_peak = self.memory_peak.max(self.child.memory_peak());
        }
    }

    /// Reads from every logged stream all that a pipe can hold; a program that writes without end
    /// does not keep the judge here.
    pub fn drain_stderr(&mut self, period: u32, buffer: &mut Vec<u8>) {
        for stream in &mut self.logged {
            // A read that does not fill the buffer has emptied the pipe.
            for _ in 0..MOST_READS {
                let Some(fd) = stream else { break };
                match read_some(fd.as_fd(), buffer, CHUNK) {
                    Some(0) => *stream = None,
                    Some(count) => {
                        self.log.push(period, &buffer[..count]);
                        if let Some(traffic) = &self.traffic {
                            traffic.record(TrafficStream::Stderr, &buffer[..count]);
                        }
                        if count < CHUNK {
                            break;
                        }
                    }
                    None => break,
                }
            }
        }
    }

    /// How the program ended, after its stream of answers did.
    pub fn describe_end(&mut self) -> InputEnd {
        self.thaw_program();
        match self.child.wait_after_output(EXIT) {
            Ok(None) | Err(_) => InputEnd {
                fault: Fault::Exited,
                what: say!("closed its output before the match was over"),
                limit: None,
                exit: None,
                ours: false,
            },
            Ok(Some(exit)) => explain_exit(
                exit,
                self.child.exceeded_limit(),
                self.child.memory_peak(),
                &self.limits,
            ),
        }
    }

    /// Closes the program's input if it has received everything.
    pub fn close_input(&mut self) {
        self.flush_output();
        if self.input_closed.is_some() || !self.waiting.is_empty() && self.outgoing.is_some() {
            return;
        }
        self.input_closed = Some(Instant::now());
        self.outgoing = None;
        if let Some(socket) = &self.incoming {
            // A socket has one descriptor for both directions, so this closes one of them; on a
            // pipe the call has no effect.
            let _ = rustix::net::shutdown(socket, rustix::net::Shutdown::Write);
        }
    }

    /// Closes the program's input, gives it until `deadline` to exit, and kills it and all its
    /// children. Its further output to stderr is kept.
    pub fn finish_program(&mut self, period: u32, deadline: Instant) -> ProgramEnd {
        self.thaw_program();
        self.look_at_memory();
        let asked = self.io_pattern != IoPattern::Usual || !slow_exits::is_known_to_stay(&self.key);
        let deadline = if asked { deadline } else { Instant::now() };
        self.close_input();
        while self.input_closed.is_none() && Instant::now() < deadline {
            let fds = self
                .outgoing
                .iter()
                .map(|fd| PollFd::new(fd, PollFlags::OUT));
            poll_until(&mut fds.collect::<Vec<_>>(), time_left(deadline));
            self.close_input();
        }
        // The program will not read the rest any more.
        self.waiting.clear();
        self.close_input();
        let begun = self.input_closed.unwrap_or(deadline);
        let left_after = self.await_leave(period, begun, deadline);
        self.look_at_memory();
        // This fails only if another thread has reaped the program; then it has ended, too.
        let _ = self.child.kill_all();
        self.drain_rest(period, &mut Vec::new());
        ProgramEnd {
            memory_peak: self.memory_peak,
            left_after,
        }
    }

    /// The time after `begun` at which the program exited by itself, if it did.
    fn await_leave(&mut self, period: u32, begun: Instant, deadline: Instant) -> Option<Duration> {
        let withheld = self.child.run_delay();
        let watched = Instant::now();
        let mut buffer = Vec::new();
        loop {
            self.drain_stderr(period, &mut buffer);
            if matches!(self.child.try_wait(), Ok(Some(_))) {
                return Some(begun.elapsed());
            }
            if Instant::now() >= deadline {
                break;
            }
            let mut fds: Vec<PollFd<'_>> = self
                .logged
                .iter()
                .flatten()
                .map(|fd| PollFd::new(fd, PollFlags::IN))
                .collect();
            fds.extend(
                self.child
                    .end_event()
                    .map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::IN)),
            );
            poll_until(&mut fds, time_left(deadline).min(Duration::from_millis(20)));
        }
        // On a busy machine the program may not have run at all; then it is waited for again next
        // time.
        let granted = deadline.saturating_duration_since(watched);
        let late = self
            .child
            .run_delay()
            .unwrap_or_default()
            .saturating_sub(withheld.unwrap_or_default());
        if granted > self.io_pattern.exit_grace() / 2 && late < granted / 2 {
            slow_exits::remember_staying(&self.key);
        }
        None
    }

    /// Reads the rest of the logged streams. Bounded: a process that left its group could write for
    /// ever.
    fn drain_rest(&mut self, period: u32, buffer: &mut Vec<u8>) {
        for _ in 0..256 {
            let mut fds: Vec<PollFd<'_>> = self
                .logged
                .iter()
                .flatten()
                .map(|fd| PollFd::new(fd, PollFlags::IN))
                .collect();
            if fds.is_empty() || !poll_until(&mut fds, Duration::ZERO) {
                break;
            }
            self.drain_stderr(period, buffer);
        }
    }
}

/// Waits until one of the descriptors is ready; `false` if the time is over first.
pub fn poll_until(fds: &mut [PollFd<'_>], time: Duration) -> bool {
    let time = Timespec {
        tv_sec: time.as_secs() as i64,
        tv_nsec: time.subsec_nanos().into(),
    };
    // An interrupted wait ends early; every caller loops.
    matches!(poll(fds, Some(&time)), Ok(ready) if ready > 0)
}

fn time_left(deadline: Instant) -> Duration {
    deadline.saturating_duration_since(Instant::now())
}

/// The number of bytes read into the buffer, at most `most`; 0 at the end of the stream, `None` if
/// nothing is available.
fn read_some(fd: BorrowedFd<'_>, buffer: &mut Vec<u8>, most: usize) -> Option<usize> {
    buffer.resize(CHUNK, 0);
    loop {
        match rustix::io::read(fd, &mut buffer[..most]) {
            Ok(count) => return Some(count),
            Err(Errno::INTR) => {}
            Err(Errno::AGAIN) => return None,
            // A reset connection counts as an end.
            Err(_) => return Some(0),
        }
    }
}

fn accept_connection(
    listener: &TcpListener,
    child: &mut SandboxedChild,
    limits: leitai_sandbox::SandboxLimits,
    patience: Duration,
) -> std::io::Result<Result<OwnedFd, InputEnd>> {
    let begun = Instant::now();
    loop {
        // Without the time in which it was ready and the machine did something else. Looked at before the
        // connection, so that one that is there counts, even if this thread stood still until now.
        let withheld = child.run_delay().unwrap_or_default();
        let waited = begun.elapsed().saturating_sub(withheld);
        match listener.accept() {
            Ok((socket, _)) => {
                socket.set_nonblocking(true)?;
                socket.set_nodelay(true)?;
                return Ok(Ok(socket.into()));
            }
            Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => {}
            Err(error) => return Err(error),
        }
        if let Some(exit) = child.try_wait()? {
            return Ok(Err(explain_exit(
                exit,
                child.exceeded_limit(),
                child.memory_peak(),
                &limits,
            )));
        }
        if waited >= patience {
            return Ok(Err(not_connected(patience, waited)));
        }
        let mut fds = vec![PollFd::new(listener, PollFlags::IN)];
        fds.extend(
            child
                .end_event()
                .map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::IN)),
        );
        poll_until(&mut fds, (patience - waited).min(Duration::from_millis(50)));
    }
}

fn not_connected(patience: Duration, waited: Duration) -> InputEnd {
    let what = say!(
        "did not connect within {} (it was started with HOST PORT; leave out --connect tcp for a program that \
         talks over stdin and stdout)",
        show_duration(patience)
    );
    let limit = BrokenLimit::time(LimitName::Connect, to_micros(patience), to_micros(waited));
    InputEnd {
        fault: Fault::Timeout,
        what,
        limit: Some(limit),
        exit: None,
        ours: false,
    }
}

/// Describes a program's end. `over` is the limit for which the sandbox killed it.
fn explain_exit(
    exit: ExitReason,
    over: Option<ExceededLimit>,
    peak: Option<u64>,
    limits: &leitai_sandbox::SandboxLimits,
) -> InputEnd {
    let (fault, what, limit) = match over {
        Some(ExceededLimit::Memory) => explain_memory(peak, limits),
        Some(ExceededLimit::Disk) => explain_disk(limits),
        Some(ExceededLimit::FileCount) => (Fault::Output, explain_file_count(), None),
        Some(ExceededLimit::MachineMemory) => (plain_fault(exit), explain_machine_memory(), None),
        None => (plain_fault(exit), plain_words(exit), None),
    };
    InputEnd {
        fault,
        what,
        limit,
        exit: Some(exit.to_string()),
        ours: over == Some(ExceededLimit::MachineMemory),
    }
}

/// As the end of a sentence that begins with the entrant's name.
fn explain_machine_memory() -> Message {
    say!(
        "was ended although it kept within its limits: the memory of this machine ran short, and \
    of all programs it held the most; play fewer matches at a time, or give the machine more memory"
    )
}

fn explain_memory(
    peak: Option<u64>,
    limits: &leitai_sandbox::SandboxLimits,
) -> (Fault, Message, Option<BrokenLimit>) {
    let allowed = limits.memory.unwrap_or(u64::MAX);
    // The program was killed for exceeding the limit, so its peak is the limit or slightly more.
    let used = peak.unwrap_or(allowed).max(allowed);
    let what = say!(
        "used more memory than the {} that it may, all its processes and temporary files together (its peak was {}); \
         make it smaller, or allow more with --memory",
        show_bytes(allowed),
        show_bytes(used)
    );
    (
        Fault::Memory,
        what,
        Some(BrokenLimit::bytes(LimitName::Memory, allowed, used)),
    )
}

fn explain_disk(limits: &leitai_sandbox::SandboxLimits) -> (Fault, Message, Option<BrokenLimit>) {
    let allowed = limits.disk.unwrap_or(u64::MAX);
    let what = say!(
        "wrote more than the {} of files that it may; it should delete what it does not need any more",
        show_bytes(allowed)
    );
    (
        Fault::Output,
        what,
        Some(BrokenLimit::bytes(LimitName::Disk, allowed, allowed)),
    )
}

fn explain_file_count() -> Message {
    say!(
        "made more than {MOST_FILES} files and folders, or {DEEPEST_FOLDER} folders inside each other; it should delete what it does not need any more"
    )
}

fn plain_fault(exit: ExitReason) -> Fault {
    if exit.is_success() {
        Fault::Exited
    } else {
        Fault::Crashed
    }
}

fn plain_words(exit: ExitReason) -> Message {
    let shown = exit.to_string();
    let signal = match exit {
        ExitReason::Code(0) => return say!("exited before the match was over"),
        ExitReason::Code(code) => return say!("ended with exit code {code}"),
        ExitReason::Signal(signal) => signal,
    };
    let name = shown.strip_prefix("signal ").unwrap_or(&shown);
    let killed = say!("was killed by signal {name}");
    match explain_signal(signal) {
        Some(why) => say!("{killed}; {why}"),
        None => killed,
    }
}

/// The usual cause of a signal that few people know, and the cure.
fn explain_signal(signal: i32) -> Option<Message> {
    match signal {
        SIGILL if cfg!(target_arch = "x86_64") => Some(say!(
            "most often it was built for another processor: build it without -march=native, or for -march=x86-64-v2"
        )),
        SIGILL => Some(say!(
            "most often it was built for another processor: build it without -mcpu=native and -march=native"
        )),
        SIGSYS => Some(say!(
            "the sandbox does not know a system call of it: a 32-bit program is built for 64 bits, without -m32"
        )),
        _ => None,
    }
}

const SIGILL: i32 = 4;
const SIGSYS: i32 = 31;

/// A number of bytes for people: `512 MiB`, `1.5 GiB`, `700 B`.
pub fn show_bytes(bytes: u64) -> String {
    let unit = [("GiB", 30), ("MiB", 20), ("KiB", 10)]
        .into_iter()
        .find(|(_, bits)| bytes >> bits > 0);
    let Some((unit, bits)) = unit else {
        return format!("{bytes} B");
    };
    let tenths = bytes / ((1 << bits) / 10);
    if bytes.is_multiple_of(1 << bits) || tenths >= 1000 {
        format!("{} {unit}", bytes >> bits)
    } else {
        format!("{}.{} {unit}", tenths / 10, tenths % 10)
    }
}

fn not_started(error: &SpawnError) -> InputEnd {
    InputEnd {
        fault: Fault::Compile,
        what: say!("could not be started: {error}"),
        limit: None,
        exit: None,
        ours: false,
    }
}

/// Whether the system refused this program rather than our command: the errors for a file that is
/// no program, and for a script with an invalid interpreter.
fn is_programs_fault(error: &SpawnError) -> bool {
    use std::io::ErrorKind::{
        InvalidFilename, InvalidInput, IsADirectory, NotADirectory, NotFound, PermissionDenied,
    };
    const NO_PROGRAM: [Errno; 4] = [Errno::NOEXEC, Errno::LOOP, Errno::LIBBAD, Errno::TOOBIG];
    match error {
        SpawnError::NoCommand => true,
        SpawnError::NoFolder { .. } | SpawnError::Sandbox { .. } => false,
        SpawnError::Refused { source, .. } => {
            let kind = source.kind();
            matches!(
                kind,
                NotFound
                    | PermissionDenied
                    | InvalidInput
                    | InvalidFilename
                    | IsADirectory
                    | NotADirectory
            ) || NO_PROGRAM
                .iter()
                .any(|errno| source.raw_os_error() == Some(errno.raw_os_error()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cause_of_a_programs_end_is_found() {
        let check = |exit: ExitReason,
                     over: Option<ExceededLimit>,
                     code: &str,
                     words: &str,
                     limit: &str| {
            let ending = explain_exit(
                exit,
                over,
                Some(515 << 20),
                &leitai_sandbox::SandboxLimits::BOT,
            );
            assert_eq!(ending.fault.code(), code, "{ending:?}");
            assert!(ending.what.to_string().contains(words), "{}", ending.what);
            let seen = ending
                .limit
                .map(|limit| format!("{} {}/{}", limit.name, limit.used, limit.allowed));
            assert_eq!(seen.unwrap_or_default(), limit);
            assert_eq!(ending.exit, Some(exit.to_string()));
        };
        check(ExitReason::Code(0), None, "EXIT", "exited before", "");
        check(
            ExitReason::Code(3),
            None,
            "RE",
            "ended with exit code 3",
            "",
        );
        check(
            ExitReason::Signal(11),
            None,
            "RE",
            "was killed by signal 11 (SIGSEGV)",
            "",
        );
        for (signal, words) in [(4, "(SIGILL); most often"), (31, "without -m32")] {
            check(ExitReason::Signal(signal), None, "RE", words, "");
        }
        let memory = "memory 540016640/536870912";
        check(
            ExitReason::Signal(9),
            Some(ExceededLimit::Memory),
            "MLE",
            "the 512 MiB that it may",
            memory,
        );
        check(
            ExitReason::Code(1),
            Some(ExceededLimit::Memory),
            "MLE",
            "its peak was 515 MiB",
            memory,
        );
        check(
            ExitReason::Signal(9),
            Some(ExceededLimit::Disk),
            "OLE",
            "the 64 MiB of files",
            "disk 67108864/67108864",
        );
        check(
            ExitReason::Signal(9),
            Some(ExceededLimit::FileCount),
            "OLE",
            "30000 files and folders, or 64 folders",
            "",
        );
        check(
            ExitReason::Signal(9),
            Some(ExceededLimit::MachineMemory),
            "RE",
            "the memory of this machine ran short",
            "",
        );
    }

    #[test]
    fn numbers_of_bytes_have_short_units() {
        let check = |bytes: u64, shown: &str| assert_eq!(show_bytes(bytes), shown);
        check(700, "700 B");
        check(1 << 10, "1 KiB");
        check(3 << 29, "1.5 GiB");
        check(512 << 20, "512 MiB");
        check((515 << 20) + 5, "515 MiB");
        check(u64::MAX, "17179869183 GiB");
    }
}
