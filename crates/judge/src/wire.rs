//! The pipes, or the socket, of one program in one leg. Both directions are non-blocking and bounded.

use std::collections::VecDeque;
use std::net::TcpListener;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::{Duration, Instant};

use leitai_game::Fault;
use leitai_game::replay::BrokenLimit;
use leitai_sandbox::{Child, Exit, Over, Program, Sandbox, SpawnError, StdioKind};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

use crate::clock::micros;
use crate::leaving;
use crate::log::Log;
use crate::manners::Manners;
use crate::player::Connect;
use crate::referee::{Ending, show};

/// How long the judge waits for the exit status of a program that closed its output: on a busy machine a program that
/// crashes takes its time to be gone. Less than the second by which wall time may always exceed a limit, so that an
/// opponent whose answer waits meanwhile loses nothing.
const EXIT: Duration = Duration::from_millis(800);
/// Bytes read at once.
const CHUNK: usize = 64 << 10;

/// One program and its wires.
pub struct Wire {
    child: Child,
    /// What the program may use, for the words of its end.
    limits: leitai_sandbox::Limits,
    key: leaving::Key,
    frozen: bool,
    /// It closed its output.
    closed: bool,
    /// Where answers come from.
    incoming: Option<OwnedFd>,
    /// Where messages go.
    outgoing: Option<OwnedFd>,
    /// Streams that are only logged: stderr, and stdout where the answers come over TCP.
    logged: [Option<OwnedFd>; 2],
    waiting: VecDeque<u8>,
    manners: Manners,
    /// Pieces of the message that is being written.
    pieces: usize,
    /// Reads since then.
    sips: usize,
    memory_peak: Option<u64>,
    /// What was logged so far.
    pub log: Log,
}

/// What was seen of a program at its end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ProgramEnd {
    /// The most memory it used, in bytes, as far as the system tells.
    pub memory_peak: Option<u64>,
    /// How long after the end it left by itself; `None` if it had to be ended.
    pub left_after: Option<Duration>,
}

/// What came over a wire.
pub enum Heard {
    /// Nothing.
    Nothing,
    /// Bytes in the buffer, so many.
    Bytes(usize),
    /// The end.
    Closed,
}

impl Wire {
    /// Starts the program, which may take `patience` to connect if it has to, and of whose log so many bytes are kept. `Ok(Err(_))` is the program's fault,
    /// `Err` is ours.
    pub fn start(
        sandbox: &Sandbox,
        program: Program,
        connect: Connect,
        patience: Duration,
        kept: usize,
    ) -> std::io::Result<Result<Wire, Ending>> {
        let program = Program { connects: connect == Connect::Tcp, ..program };
        let mut child = match sandbox.spawn(&program, StdioKind::Separate) {
            Ok(child) => child,
            Err(error) if is_programs_fault(&error) => return Ok(Err(not_started(&error))),
            Err(error) => return Err(std::io::Error::other(error)),
        };
        let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let Some(listener) = child.listener.take() else {
            return Ok(Ok(Wire::new(child, &program, kept, [stdout, stdin], [stderr, None])));
        };
        match accept(&listener.into(), &mut child, program.limits, patience)? {
            Ok(socket) => {
                let copy = socket.try_clone()?;
                Ok(Ok(Wire::new(child, &program, kept, [Some(socket), Some(copy)], [stderr, stdout])))
            }
            Err(ending) => Ok(Err(ending)),
        }
    }

    fn new(
        child: Child,
        program: &Program,
        kept: usize,
        [incoming, outgoing]: [Option<OwnedFd>; 2],
        logged: [Option<OwnedFd>; 2],
    ) -> Wire {
        let (frozen, waiting, log) = (false, VecDeque::new(), Log::keeping(kept));
        Wire {
            child,
            limits: program.limits,
            key: leaving::key(program),
            frozen,
            closed: false,
            incoming,
            outgoing,
            logged,
            waiting,
            manners: Manners::Usual,
            pieces: 0,
            sips: 0,
            memory_peak: None,
            log,
        }
    }

    /// The same, treated in this way.
    pub fn with_manners(mut self, manners: Manners) -> Wire {
        self.manners = manners;
        self
    }

    /// The process.
    pub fn child(&self) -> &Child {
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
    pub fn freeze(&mut self) {
        if !self.frozen {
            self.child.freeze();
            self.frozen = true;
        }
    }

    /// Lets it go on.
    pub fn thaw(&mut self) {
        if self.frozen {
            self.child.thaw();
            self.frozen = false;
        }
    }

    /// Sends bytes, now or as soon as the program reads.
    pub fn send(&mut self, bytes: &[u8]) {
        self.waiting.extend(bytes);
        (self.pieces, self.sips) = (0, 0);
        self.flush();
    }

    /// Writes what the program takes. A program that closed its input is told nothing more.
    pub fn flush(&mut self) {
        while let (Some(fd), (front, _)) = (&self.outgoing, self.waiting.as_slices())
            && !front.is_empty()
        {
            match rustix::io::write(fd, &front[..self.manners.piece(self.pieces, front.len())]) {
                Ok(count) => {
                    self.waiting.drain(..count);
                    self.pieces += 1;
                    self.manners.pause();
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

    /// The descriptors to wait for. Answers are only waited for if they are welcome.
    pub fn watch<'a>(&'a self, welcome: bool, fds: &mut Vec<PollFd<'a>>) {
        let logged = self.logged.iter().flatten();
        let incoming = self.incoming.iter().filter(|_| welcome);
        fds.extend(incoming.chain(logged).map(|fd| PollFd::new(fd, PollFlags::IN)));
        if let Some(fd) = self.outgoing.as_ref().filter(|_| !self.waiting.is_empty()) {
            fds.push(PollFd::new(fd, PollFlags::OUT));
        }
    }

    /// Reads once from where answers come.
    pub fn read(&mut self, buffer: &mut Vec<u8>) -> Heard {
        let Some(fd) = &self.incoming else { return Heard::Nothing };
        match read_some(fd.as_fd(), buffer, self.manners.sip(self.sips, CHUNK)) {
            Some(0) => {
                (self.incoming, self.closed) = (None, true);
                Heard::Closed
            }
            Some(count) => {
                self.sips += 1;
                self.look_at_memory();
                Heard::Bytes(count)
            }
            None => Heard::Nothing,
        }
    }

    /// A program may be gone before its end is looked at, and then some systems do not tell any more.
    fn look_at_memory(&mut self) {
        if self.manners == Manners::Patient {
            self.memory_peak = self.memory_peak.max(self.child.memory_peak());
        }
    }

    /// Reads once from every logged stream.
    pub fn drain(&mut self, period: u32, buffer: &mut Vec<u8>) {
        for stream in &mut self.logged {
            let Some(fd) = stream else { continue };
            match read_some(fd.as_fd(), buffer, CHUNK) {
                Some(0) => *stream = None,
                Some(count) => self.log.push(period, &buffer[..count]),
                None => {}
            }
        }
    }

    /// How the program ended, after its answers did.
    pub fn ending(&mut self) -> Ending {
        self.thaw();
        match self.child.wait_for(EXIT) {
            Ok(None) | Err(_) => Ending {
                fault: Fault::Exited,
                what: "closed its output before the match was over".into(),
                limit: None,
                exit: None,
            },
            Ok(Some(exit)) => ended(exit, self.child.over(), self.child.memory_peak(), &self.limits),
        }
    }

    /// Closes the program's input, gives it until `deadline` to leave, and ends it and all its children. What it
    /// still writes to stderr is kept.
    pub fn finish(&mut self, period: u32, deadline: Instant) -> ProgramEnd {
        self.thaw();
        self.look_at_memory();
        let begun = Instant::now();
        let asked = self.manners != Manners::Usual || !leaving::stays(&self.key);
        let deadline = if asked { deadline } else { begun };
        let mut buffer = Vec::new();
        while !self.waiting.is_empty() && self.outgoing.is_some() && Instant::now() < deadline {
            let fds = self.outgoing.iter().map(|fd| PollFd::new(fd, PollFlags::OUT));
            wait(&mut fds.collect::<Vec<_>>(), left(deadline));
            self.flush();
        }
        self.outgoing = None;
        if let Some(socket) = &self.incoming {
            // A socket has no other end to close; a pipe does not know the call, which does no harm.
            let _ = rustix::net::shutdown(socket, rustix::net::Shutdown::Write);
        }
        let left_after = self.await_leave(period, begun, deadline);
        self.look_at_memory();
        // It fails only if somebody else reaped the program: then it is gone, too.
        let _ = self.child.kill();
        self.drain_rest(period, &mut buffer);
        ProgramEnd { memory_peak: self.memory_peak, left_after }
    }

    /// How long after `begun` it left by itself, if it did.
    fn await_leave(&mut self, period: u32, begun: Instant, deadline: Instant) -> Option<Duration> {
        let withheld = self.child.run_delay();
        let mut buffer = Vec::new();
        loop {
            self.drain(period, &mut buffer);
            if matches!(self.child.try_wait(), Ok(Some(_))) {
                return Some(begun.elapsed());
            }
            if Instant::now() >= deadline {
                break;
            }
            let mut fds: Vec<PollFd<'_>> =
                self.logged.iter().flatten().map(|fd| PollFd::new(fd, PollFlags::IN)).collect();
            fds.extend(self.child.end_event().map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::IN)));
            wait(&mut fds, left(deadline).min(Duration::from_millis(20)));
        }
        // On a busy machine it may not have had the core at all; then it is asked again the next time.
        let granted = deadline.saturating_duration_since(begun);
        let late = self.child.run_delay().unwrap_or_default().saturating_sub(withheld.unwrap_or_default());
        if !granted.is_zero() && late < granted / 2 {
            leaving::remember(&self.key);
        }
        None
    }

    /// Reads what is left in the logged streams. Bounded: a process that fled its group could write for ever.
    fn drain_rest(&mut self, period: u32, buffer: &mut Vec<u8>) {
        for _ in 0..256 {
            let mut fds: Vec<PollFd<'_>> =
                self.logged.iter().flatten().map(|fd| PollFd::new(fd, PollFlags::IN)).collect();
            if fds.is_empty() || !wait(&mut fds, Duration::ZERO) {
                break;
            }
            self.drain(period, buffer);
        }
    }
}

/// Waits until one of the descriptors is ready; `false` when the time is over first.
pub fn wait(fds: &mut [PollFd<'_>], time: Duration) -> bool {
    let time = Timespec { tv_sec: time.as_secs() as i64, tv_nsec: time.subsec_nanos().into() };
    // An interrupted wait is a wait that ended early: every caller loops.
    matches!(poll(fds, Some(&time)), Ok(ready) if ready > 0)
}

fn left(deadline: Instant) -> Duration {
    deadline.saturating_duration_since(Instant::now())
}

/// Bytes read into the buffer, `most` at most; 0 at the end of the stream, `None` when nothing is there.
fn read_some(fd: BorrowedFd<'_>, buffer: &mut Vec<u8>, most: usize) -> Option<usize> {
    buffer.resize(CHUNK, 0);
    loop {
        match rustix::io::read(fd, &mut buffer[..most]) {
            Ok(count) => return Some(count),
            Err(Errno::INTR) => {}
            Err(Errno::AGAIN) => return None,
            // A reset connection is an end like any other.
            Err(_) => return Some(0),
        }
    }
}

fn accept(
    listener: &TcpListener,
    child: &mut Child,
    limits: leitai_sandbox::Limits,
    patience: Duration,
) -> std::io::Result<Result<OwnedFd, Ending>> {
    let begun = Instant::now();
    let deadline = begun + patience;
    loop {
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
            return Ok(Err(ended(exit, child.over(), child.memory_peak(), &limits)));
        }
        if Instant::now() >= deadline {
            return Ok(Err(not_connected(patience, begun.elapsed())));
        }
        let mut fds = vec![PollFd::new(listener, PollFlags::IN)];
        fds.extend(child.end_event().map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::IN)));
        wait(&mut fds, left(deadline).min(Duration::from_millis(50)));
    }
}

fn not_connected(patience: Duration, waited: Duration) -> Ending {
    let what = format!(
        "did not connect within {} (it was started with HOST PORT; leave --connect tcp away for a program that \
         talks over stdin and stdout)",
        show(patience)
    );
    let limit = BrokenLimit::new("connect", "us", micros(patience), micros(waited));
    Ending { fault: Fault::Timeout, what, limit: Some(limit), exit: None }
}

/// A program's end in words. `over` says for what the sandbox ended it.
fn ended(exit: Exit, over: Option<Over>, peak: Option<u64>, limits: &leitai_sandbox::Limits) -> Ending {
    let (fault, what, limit) = match over {
        Some(Over::Memory) => memory(peak, limits),
        Some(Over::Disk) => disk(limits),
        None => (plain_fault(exit), plain_words(exit), None),
    };
    Ending { fault, what, limit, exit: Some(exit.to_string()) }
}

fn memory(peak: Option<u64>, limits: &leitai_sandbox::Limits) -> (Fault, String, Option<BrokenLimit>) {
    let allowed = limits.memory.unwrap_or(u64::MAX);
    // It was ended for wanting more than it got, so the peak is the limit or a little more.
    let used = peak.unwrap_or(allowed).max(allowed);
    let what = format!(
        "used more memory than the {} that it may, all its processes and temporary files together (its peak was {}); \
         make it smaller, or allow more with --memory",
        show_bytes(allowed),
        show_bytes(used)
    );
    (Fault::Memory, what, Some(BrokenLimit::new("memory", "bytes", allowed, used)))
}

fn disk(limits: &leitai_sandbox::Limits) -> (Fault, String, Option<BrokenLimit>) {
    let allowed = limits.disk.unwrap_or(u64::MAX);
    let what = format!(
        "wrote more than the {} of files that it may; it should delete what it does not need any more",
        show_bytes(allowed)
    );
    (Fault::Output, what, Some(BrokenLimit::new("disk", "bytes", allowed, allowed)))
}

fn plain_fault(exit: Exit) -> Fault {
    if exit.success() { Fault::Exited } else { Fault::Crashed }
}

fn plain_words(exit: Exit) -> String {
    match exit {
        Exit::Code(0) => "exited before the match was over".to_owned(),
        Exit::Code(_) => format!("ended with {exit}"),
        Exit::Signal(_) => format!("was killed by {exit}"),
    }
}

/// A number of bytes for people: `512 MiB`, `1.5 GiB`, `700 B`.
pub fn show_bytes(bytes: u64) -> String {
    let unit = [("GiB", 30), ("MiB", 20), ("KiB", 10)].into_iter().find(|(_, bits)| bytes >> bits > 0);
    let Some((unit, bits)) = unit else { return format!("{bytes} B") };
    let tenths = bytes / ((1 << bits) / 10);
    if bytes.is_multiple_of(1 << bits) || tenths >= 1000 {
        format!("{} {unit}", bytes >> bits)
    } else {
        format!("{}.{} {unit}", tenths / 10, tenths % 10)
    }
}

fn not_started(error: &SpawnError) -> Ending {
    Ending { fault: Fault::Compile, what: format!("could not be started: {error}"), limit: None, exit: None }
}

/// Whether the system refused this program rather than us: what it says of a file that is no program, or of a script whose
/// interpreter is none.
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
                NotFound | PermissionDenied | InvalidInput | InvalidFilename | IsADirectory | NotADirectory
            ) || NO_PROGRAM.iter().any(|errno| source.raw_os_error() == Some(errno.raw_os_error()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_end_is_blamed_on_what_caused_it() {
        let check = |exit: Exit, over: Option<Over>, code: &str, words: &str, limit: &str| {
            let ending = ended(exit, over, Some(515 << 20), &leitai_sandbox::Limits::BOT);
            assert_eq!(ending.fault.code(), code, "{ending:?}");
            assert!(ending.what.contains(words), "{}", ending.what);
            let seen = ending.limit.map(|limit| format!("{} {}/{}", limit.name, limit.used, limit.allowed));
            assert_eq!(seen.unwrap_or_default(), limit);
            assert_eq!(ending.exit, Some(exit.to_string()));
        };
        check(Exit::Code(0), None, "EXIT", "exited before", "");
        check(Exit::Code(3), None, "RE", "ended with exit code 3", "");
        check(Exit::Signal(11), None, "RE", "was killed by signal 11 (SIGSEGV)", "");
        let memory = "memory 540016640/536870912";
        check(Exit::Signal(9), Some(Over::Memory), "MLE", "the 512 MiB that it may", memory);
        check(Exit::Code(1), Some(Over::Memory), "MLE", "its peak was 515 MiB", memory);
        check(Exit::Signal(9), Some(Over::Disk), "OLE", "the 64 MiB of files", "disk 67108864/67108864");
    }

    #[test]
    fn bytes_are_shown_short() {
        let check = |bytes: u64, shown: &str| assert_eq!(show_bytes(bytes), shown);
        check(700, "700 B");
        check(1 << 10, "1 KiB");
        check(3 << 29, "1.5 GiB");
        check(512 << 20, "512 MiB");
        check((515 << 20) + 5, "515 MiB");
        check(u64::MAX, "17179869183 GiB");
    }
}
