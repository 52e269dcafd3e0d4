//! A running logic process: its pipes, and when it waits for the next message.

use std::fs;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::Arc;
use std::time::{Duration, Instant};

use leitai_game::host::KEEP_RUNNING;
use leitai_sandbox::{Program, Sandbox, SandboxedChild, StdioKind};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

use super::packed::{BuiltLogic, LazyProgram};
use super::patience::{PATIENCE, Patience};
use super::wire::{self, Heard};

/// The program that leads a game, and where it runs.
pub(super) struct Logic {
    pub(super) id: String,
    pub(super) sandbox: Sandbox,
    pub(super) program: LazyProgram,
    /// When all of it has to be over.
    pub(super) until: Option<Instant>,
}

impl Logic {
    /// The built program. The error is the end of a sentence.
    pub(super) fn ready(&self) -> Result<Arc<BuiltLogic>, String> {
        let is_over = self.until.is_some_and(|until| Instant::now() > until);
        match is_over {
            true => Err("takes longer than a check may".into()),
            false => self.program.ready(&self.sandbox),
        }
    }
}

/// How long its end is waited for after its output has ended.
const EXIT: Duration = Duration::from_millis(500);
/// The most bytes that it may write between two messages.
const MOST_BYTES: usize = 16 << 20;
/// The pause between two looks at whether it waits.
const LOOK: Duration = Duration::from_micros(300);
/// For how long it must be still where the system does not say for what it waits.
const STILL: Duration = Duration::from_millis(30);
/// Bytes of one read.
const CHUNK: usize = 64 << 10;
/// The bytes of its last words on stderr that a message shows.
const LAST_WORDS: usize = 300;

/// One process of a game's logic, for one leg. Dropping it ends it.
pub(super) struct LogicProcess {
    child: SandboxedChild,
    stdin: Option<OwnedFd>,
    stdout: OwnedFd,
    incoming: Vec<u8>,
    errors: Vec<u8>,
}

/// What comes next from the process.
pub(super) enum Next {
    /// A message.
    Heard(Heard),
    /// It waits for a message.
    Waits,
}

impl LogicProcess {
    /// Starts it. The error is the end of a sentence.
    pub(super) fn start(sandbox: &Sandbox, program: &Program) -> Result<LogicProcess, String> {
        let mut child = sandbox
            .spawn_program(program, StdioKind::Separate)
            .map_err(|why| format!("could not be started: {why}"))?;
        let stdin = child.stdin.take();
        let stdout = child.stdout.take().ok_or("has no output")?;
        Ok(LogicProcess {
            child,
            stdin,
            stdout,
            incoming: Vec::new(),
            errors: Vec::new(),
        })
    }

    /// What a program writes that reads this and ends, or asks to stay, which it need not.
    pub(super) fn answer_once(
        sandbox: &Sandbox,
        program: &Program,
        input: &[u8],
    ) -> Result<Vec<u8>, String> {
        let mut process = LogicProcess::start(sandbox, program)?;
        process.write(input)?;
        process.stdin = None;
        let mut patience = Patience::begin(Instant::now());
        loop {
            match process.read_output()? {
                Output::Ended if process.incoming.is_empty() => return Err(process.describe_end()),
                Output::Ended => return Ok(process.incoming),
                Output::More if !process.incoming.trim_ascii_end().ends_with(KEEP_RUNNING) => {}
                Output::More => return Ok(process.incoming),
                Output::Nothing if process.is_over(&mut patience) => {
                    let seconds = PATIENCE.as_secs();
                    return Err(format!("did not answer and end for {seconds} s"));
                }
                Output::Nothing => {
                    wait_for(&process.stdout, PollFlags::IN, LOOK)
                        .map_err(|why| why.to_string())?;
                }
            }
        }
    }

    /// Sends one message, with its length in front.
    pub(super) fn send(&mut self, body: &[u8]) -> Result<(), String> {
        self.write(&wire::frame(body))
    }

    fn write(&mut self, message: &[u8]) -> Result<(), String> {
        let mut rest = message;
        let mut patience = Patience::begin(Instant::now());
        while !rest.is_empty() {
            let Some(stdin) = &self.stdin else {
                return Err("has ended".into());
            };
            match rustix::io::write(stdin, rest) {
                Ok(written) => rest = &rest[written..],
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) if !self.is_over(&mut patience) => {
                    wait_for(stdin, PollFlags::OUT, LOOK).map_err(|why| why.to_string())?;
                }
                Err(Errno::AGAIN) => return Err("does not read its messages".into()),
                Err(_) => return Err(self.describe_end()),
            }
        }
        Ok(())
    }

    /// The next message, or that it waits for one.
    pub(super) fn next(&mut self) -> Result<Next, String> {
        let mut patience = Patience::begin(Instant::now());
        let mut still_since: Option<Instant> = None;
        loop {
            if let Some(heard) = wire::take_message(&mut self.incoming)? {
                return Ok(Next::Heard(heard));
            }
            if self.read()? {
                still_since = None;
                continue;
            }
            let now = Instant::now();
            let waits = match self.is_waiting() {
                Waiting::Yes => true,
                Waiting::Perhaps => now - *still_since.get_or_insert(now) >= STILL,
                Waiting::No => {
                    still_since = None;
                    false
                }
            };
            // It may have written since the last read, and begun to wait only then.
            if self.read()? {
                still_since = None;
                continue;
            }
            if waits {
                return Ok(Next::Waits);
            }
            if self.is_over(&mut patience) {
                let seconds = PATIENCE.as_secs();
                return Err(format!(
                    "neither wrote a message nor waited for one for {seconds} s"
                ));
            }
            wait_for(&self.stdout, PollFlags::IN, LOOK).map_err(|why| why.to_string())?;
        }
    }

    /// Whether it has kept this thread waiting for too long.
    fn is_over(&self, patience: &mut Patience) -> bool {
        let withheld = || self.child.run_delay().unwrap_or_default();
        patience.is_over(Instant::now(), withheld)
    }

    /// Reads what is there; whether that was something.
    fn read(&mut self) -> Result<bool, String> {
        match self.read_output()? {
            Output::More => Ok(true),
            Output::Nothing => Ok(false),
            Output::Ended => Err(self.describe_end()),
        }
    }

    /// Reads what is there.
    fn read_output(&mut self) -> Result<Output, String> {
        self.read_errors();
        let mut buffer = [0; CHUNK];
        match rustix::io::read(&self.stdout, &mut buffer) {
            Ok(0) => Ok(Output::Ended),
            Ok(count) => {
                self.incoming.extend_from_slice(&buffer[..count]);
                if self.incoming.len() > MOST_BYTES {
                    return Err(format!("wrote more than {} MiB at once", MOST_BYTES >> 20));
                }
                Ok(Output::More)
            }
            Err(Errno::AGAIN | Errno::INTR) => Ok(Output::Nothing),
            Err(why) => Err(format!("cannot be read: {why}")),
        }
    }

    /// Keeps the end of what it writes to stderr, so that it never waits for somebody to read it.
    fn read_errors(&mut self) {
        let mut buffer = [0; CHUNK];
        while let Some(stderr) = &self.child.stderr {
            match rustix::io::read(stderr, &mut buffer) {
                Ok(count) if count > 0 => {
                    self.errors.extend_from_slice(&buffer[..count]);
                    let over = self.errors.len().saturating_sub(LAST_WORDS);
                    self.errors.drain(..over);
                }
                _ => break,
            }
        }
    }

    fn describe_end(&mut self) -> String {
        self.stdin = None;
        let end = self.child.wait_after_output(EXIT);
        self.read_errors();
        let how = match end {
            Ok(Some(reason)) => format!("ended before the game was over ({reason})"),
            _ => "closed its output before the game was over".to_owned(),
        };
        let words = String::from_utf8_lossy(&self.errors);
        let words = words.trim().lines().next_back().unwrap_or_default();
        match words {
            "" => how,
            words => format!(
                "{how}; its last words: {}",
                leitai_game::clean_text::clean_line(words)
            ),
        }
    }

    fn is_waiting(&self) -> Waiting {
        let Some(stdin) = &self.stdin else {
            return Waiting::No;
        };
        // What it has not read yet is its next message.
        if rustix::io::ioctl_fionread(stdin).is_ok_and(|unread| unread > 0) {
            return Waiting::No;
        }
        waits_for_input(self.child.process_id())
    }
}

/// What a read of its output found.
enum Output {
    More,
    /// Nothing yet.
    Nothing,
    Ended,
}

/// Whether a process waits for input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Waiting {
    Yes,
    /// It sleeps; for what is not known.
    Perhaps,
    No,
}

/// Looks at all threads of a process.
fn waits_for_input(process: u32) -> Waiting {
    let Ok(tasks) = fs::read_dir(format!("/proc/{process}/task")) else {
        return Waiting::No;
    };
    let mut found = Waiting::No;
    for task in tasks.flatten() {
        let stat = fs::read_to_string(task.path().join("stat")).unwrap_or_default();
        let state = stat
            .rsplit(") ")
            .next()
            .and_then(|rest| rest.chars().next());
        if state != Some('S') {
            return Waiting::No;
        }
        let call = fs::read_to_string(task.path().join("syscall")).unwrap_or_default();
        match is_reading(&call) {
            Some(true) => found = Waiting::Yes,
            Some(false) => {}
            None if found == Waiting::No => found = Waiting::Perhaps,
            None => {}
        }
    }
    found
}

/// Whether a line of `/proc/PID/syscall` is a read of standard input, or a wait for descriptors; `None`
/// where the system does not say.
fn is_reading(line: &str) -> Option<bool> {
    let mut words = line.split_whitespace();
    let number: i64 = words.next()?.parse().ok()?;
    let first = words.next()?;
    Some((number == libc::SYS_read && first == "0x0") || WAITS.contains(&number))
}

/// The system calls that wait for descriptors.
#[cfg(target_arch = "x86_64")]
const WAITS: [i64; 6] = [
    libc::SYS_poll,
    libc::SYS_ppoll,
    libc::SYS_select,
    libc::SYS_pselect6,
    libc::SYS_epoll_wait,
    libc::SYS_epoll_pwait,
];
#[cfg(not(target_arch = "x86_64"))]
const WAITS: [i64; 3] = [libc::SYS_ppoll, libc::SYS_pselect6, libc::SYS_epoll_pwait];

fn wait_for(stream: &impl AsFd, flags: PollFlags, most: Duration) -> io::Result<()> {
    let most = Timespec {
        tv_sec: 0,
        tv_nsec: most.subsec_nanos().into(),
    };
    match poll(&mut [PollFd::new(stream, flags)], Some(&most)) {
        Ok(_) | Err(Errno::INTR) => Ok(()),
        Err(why) => Err(why.into()),
    }
}
