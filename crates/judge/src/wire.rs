//! The pipes, or the socket, of one program in one leg. Both directions are non-blocking and bounded.

use std::collections::VecDeque;
use std::net::TcpListener;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::{Duration, Instant};

use leitai_game::Fault;
use leitai_sandbox::{Child, Exit, Program, Sandbox, SpawnError, StdioKind};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

use crate::log::Log;
use crate::player::Connect;
use crate::referee::Ending;

/// How long a program that was started with `HOST PORT` has to connect.
const CONNECT: Duration = Duration::from_secs(10);
/// How long the judge waits for the exit status of a program that closed its output.
const EXIT: Duration = Duration::from_millis(200);
/// Bytes read at once.
const CHUNK: usize = 64 << 10;

/// One program and its wires.
pub struct Wire {
    child: Child,
    /// Where answers come from.
    incoming: Option<OwnedFd>,
    /// Where messages go.
    outgoing: Option<OwnedFd>,
    /// Streams that are only logged: stderr, and stdout where the answers come over TCP.
    logged: [Option<OwnedFd>; 2],
    waiting: VecDeque<u8>,
    /// What was logged so far.
    pub log: Log,
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
    /// Starts the program. `Ok(Err(_))` is the program's fault, `Err` is ours.
    pub fn start(
        sandbox: &Sandbox,
        program: &Program,
        connect: Connect,
    ) -> std::io::Result<Result<Wire, Ending>> {
        let program = Program { connects: connect == Connect::Tcp, ..program.clone() };
        let mut child = match sandbox.spawn(&program, StdioKind::Separate) {
            Ok(child) => child,
            Err(error) if is_programs_fault(&error) => return Ok(Err(not_started(&error))),
            Err(error) => return Err(std::io::Error::other(error)),
        };
        let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let Some(listener) = child.listener.take() else {
            return Ok(Ok(Wire::new(child, stdout, stdin, [stderr, None])));
        };
        match accept(&listener.into(), &mut child)? {
            Ok(socket) => {
                let copy = socket.try_clone()?;
                Ok(Ok(Wire::new(child, Some(socket), Some(copy), [stderr, stdout])))
            }
            Err(ending) => Ok(Err(ending)),
        }
    }

    fn new(
        child: Child,
        incoming: Option<OwnedFd>,
        outgoing: Option<OwnedFd>,
        logged: [Option<OwnedFd>; 2],
    ) -> Wire {
        Wire { child, incoming, outgoing, logged, waiting: VecDeque::new(), log: Log::default() }
    }

    /// Sends bytes, now or as soon as the program reads.
    pub fn send(&mut self, bytes: &[u8]) {
        self.waiting.extend(bytes);
        self.flush();
    }

    /// Writes what the program takes. A program that closed its input is told nothing more.
    pub fn flush(&mut self) {
        while let (Some(fd), (front, _)) = (&self.outgoing, self.waiting.as_slices())
            && !front.is_empty()
        {
            match rustix::io::write(fd, front) {
                Ok(count) => drop(self.waiting.drain(..count)),
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
        match read_some(fd.as_fd(), buffer) {
            Some(0) => {
                self.incoming = None;
                Heard::Closed
            }
            Some(count) => Heard::Bytes(count),
            None => Heard::Nothing,
        }
    }

    /// Reads once from every logged stream.
    pub fn drain(&mut self, period: u32, buffer: &mut Vec<u8>) {
        for stream in &mut self.logged {
            let Some(fd) = stream else { continue };
            match read_some(fd.as_fd(), buffer) {
                Some(0) => *stream = None,
                Some(count) => self.log.push(period, &buffer[..count]),
                None => {}
            }
        }
    }

    /// How the program ended, after its answers did.
    pub fn ending(&mut self) -> Ending {
        match self.child.wait_for(EXIT) {
            Ok(None) | Err(_) => Ending {
                fault: Fault::Exited,
                what: "closed its output before the match was over".into(),
                exit: None,
            },
            Ok(Some(exit)) => ended(exit),
        }
    }

    /// Closes the program's input, gives it until `deadline` to leave, and ends it and all its children. What it
    /// still writes to stderr is kept. Says whether it left by itself.
    pub fn finish(&mut self, period: u32, deadline: Instant) -> bool {
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
        let left_by_itself = loop {
            self.drain(period, &mut buffer);
            if matches!(self.child.try_wait(), Ok(Some(_))) {
                break true;
            }
            if Instant::now() >= deadline {
                break false;
            }
            let mut fds: Vec<PollFd<'_>> =
                self.logged.iter().flatten().map(|fd| PollFd::new(fd, PollFlags::IN)).collect();
            fds.extend(self.child.end_event().map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::IN)));
            wait(&mut fds, left(deadline).min(Duration::from_millis(20)));
        };
        // It fails only if somebody else reaped the program: then it is gone, too.
        let _ = self.child.kill();
        self.drain_rest(period, &mut buffer);
        left_by_itself
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

/// Bytes read into the buffer; 0 at the end of the stream, `None` when nothing is there.
fn read_some(fd: BorrowedFd<'_>, buffer: &mut Vec<u8>) -> Option<usize> {
    buffer.resize(CHUNK, 0);
    loop {
        match rustix::io::read(fd, &mut buffer[..]) {
            Ok(count) => return Some(count),
            Err(Errno::INTR) => {}
            Err(Errno::AGAIN) => return None,
            // A reset connection is an end like any other.
            Err(_) => return Some(0),
        }
    }
}

fn accept(listener: &TcpListener, child: &mut Child) -> std::io::Result<Result<OwnedFd, Ending>> {
    let deadline = Instant::now() + CONNECT;
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
            return Ok(Err(ended(exit)));
        }
        if Instant::now() >= deadline {
            let what = format!(
                "did not connect within {} s (it was started with HOST PORT; leave --connect tcp away for a \
                 program that talks over stdin and stdout)",
                CONNECT.as_secs()
            );
            return Ok(Err(Ending { fault: Fault::Timeout, what, exit: None }));
        }
        let mut fds = vec![PollFd::new(listener, PollFlags::IN)];
        fds.extend(child.end_event().map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::IN)));
        wait(&mut fds, left(deadline).min(Duration::from_millis(50)));
    }
}

fn ended(exit: Exit) -> Ending {
    let (fault, verb) = match exit {
        Exit::Code(0) => (Fault::Exited, "exited before the match was over"),
        Exit::Code(_) => (Fault::Crashed, "ended"),
        Exit::Signal(_) => (Fault::Crashed, "was killed"),
    };
    let what = match exit {
        Exit::Code(0) => verb.to_owned(),
        Exit::Code(_) => format!("{verb} with {exit}"),
        Exit::Signal(_) => format!("{verb} by {exit}"),
    };
    Ending { fault, what, exit: Some(exit.to_string()) }
}

fn not_started(error: &SpawnError) -> Ending {
    Ending { fault: Fault::Compile, what: format!("could not be started: {error}"), exit: None }
}

/// Whether the system refused this program rather than us.
fn is_programs_fault(error: &SpawnError) -> bool {
    use std::io::ErrorKind::{InvalidInput, NotFound, PermissionDenied};
    match error {
        SpawnError::NoCommand => true,
        SpawnError::NoFolder { .. } | SpawnError::Sandbox { .. } => false,
        SpawnError::Refused { source, .. } => {
            matches!(source.kind(), NotFound | PermissionDenied | InvalidInput)
                || source.raw_os_error() == Some(Errno::NOEXEC.raw_os_error())
        }
    }
}
