//! The standard streams of a program: the judge's ends and its own.

use rustix::fs::{Mode, OFlags};
use rustix::pipe::{PipeFlags, pipe_with};
use std::io;
use std::os::fd::OwnedFd;

/// What the standard streams of a program are connected to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StdioKind {
    /// Three pipes: how bots are run.
    Separate,
    /// Nothing to read, and one pipe ([`SandboxedChild::stdout`](crate::SandboxedChild::stdout)) for both
    /// outputs in the order in which they were written: how tools are run.
    Merged,
}

/// The judge's ends: non-blocking and close-on-exec.
#[derive(Debug)]
pub struct JudgeStreams {
    pub stdin: Option<OwnedFd>,
    pub stdout: Option<OwnedFd>,
    pub stderr: Option<OwnedFd>,
}

/// The program's ends: stdin, stdout and stderr.
pub type ProgramStreams = [OwnedFd; 3];

/// Bytes that a program can write before it has to wait for the judge; the most that the system
/// grants everybody.
const PIPE_BYTES: usize = 1 << 20;

/// Opens both ends.
///
/// # Errors
/// If the system is out of descriptors.
pub fn open_streams(kind: StdioKind) -> io::Result<(JudgeStreams, ProgramStreams)> {
    let (stdout, its_stdout) = open_output()?;
    match kind {
        StdioKind::Separate => {
            let (its_stdin, stdin) = pipe_with(PipeFlags::CLOEXEC)?;
            rustix::io::ioctl_fionbio(&stdin, true)?;
            let (stderr, its_stderr) = open_output()?;
            let streams = JudgeStreams {
                stdin: Some(stdin),
                stdout: Some(stdout),
                stderr: Some(stderr),
            };
            Ok((streams, [its_stdin, its_stdout, its_stderr]))
        }
        StdioKind::Merged => {
            let nothing =
                rustix::fs::open("/dev/null", OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty())?;
            let streams = JudgeStreams {
                stdin: None,
                stdout: Some(stdout),
                stderr: None,
            };
            let its_stderr = its_stdout.try_clone()?;
            Ok((streams, [nothing, its_stdout, its_stderr]))
        }
    }
}

/// A pipe from the program: the judge's end, then the program's.
fn open_output() -> io::Result<(OwnedFd, OwnedFd)> {
    let (read, write) = pipe_with(PipeFlags::CLOEXEC)?;
    rustix::io::ioctl_fionbio(&read, true)?;
    // A smaller pipe works as well: it only makes a talkative program wait for the judge more
    // often.
    let _ = rustix::pipe::fcntl_setpipe_size(&read, PIPE_BYTES);
    Ok((read, write))
}
