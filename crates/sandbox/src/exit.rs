//! How a process ended.

use std::fmt;

/// How a process ended: by its own exit code or by a signal.
///
/// ```
/// use leitai_sandbox::ExitReason;
/// assert_eq!(ExitReason::Code(3).to_string(), "exit code 3");
/// assert_eq!(ExitReason::Signal(11).to_string(), "signal 11 (SIGSEGV)");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub enum ExitReason {
    /// It returned from `main` or called `exit`; 0 is success by convention.
    Code(i32),
    /// A signal ended it, for instance 9 when the judge killed it.
    Signal(i32),
}

impl ExitReason {
    /// Whether the process ended with exit code 0.
    pub fn is_success(self) -> bool {
        self == ExitReason::Code(0)
    }
}

impl fmt::Display for ExitReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            ExitReason::Code(code) => write!(f, "exit code {code}"),
            ExitReason::Signal(number) => match signal_name(number) {
                Some(name) => write!(f, "signal {number} ({name})"),
                None => write!(f, "signal {number}"),
            },
        }
    }
}

/// The names of the signals that commonly end a process; real-time signals have none.
fn signal_name(number: i32) -> Option<&'static str> {
    Some(match number {
        libc::SIGHUP => "SIGHUP",
        libc::SIGINT => "SIGINT",
        libc::SIGQUIT => "SIGQUIT",
        libc::SIGILL => "SIGILL",
        libc::SIGTRAP => "SIGTRAP",
        libc::SIGABRT => "SIGABRT",
        libc::SIGBUS => "SIGBUS",
        libc::SIGFPE => "SIGFPE",
        libc::SIGKILL => "SIGKILL",
        libc::SIGUSR1 => "SIGUSR1",
        libc::SIGSEGV => "SIGSEGV",
        libc::SIGUSR2 => "SIGUSR2",
        libc::SIGPIPE => "SIGPIPE",
        libc::SIGALRM => "SIGALRM",
        libc::SIGTERM => "SIGTERM",
        libc::SIGXCPU => "SIGXCPU",
        libc::SIGXFSZ => "SIGXFSZ",
        libc::SIGVTALRM => "SIGVTALRM",
        libc::SIGPROF => "SIGPROF",
        libc::SIGSYS => "SIGSYS",
        _ => return None,
    })
}
