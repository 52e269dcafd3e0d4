//! The spawner: a process that stands by as a helper that has not begun, one for each judge and
//! binary. For every program it forks, and the copy is that program's helper. A helper was a start
//! of the judge's whole binary before, which cost more than all the rest of a program's start: its
//! pages are mapped and its addresses are filled in once now.
//!
//! It ends when the judge closes the socket between them, which the kernel does for one that is
//! killed. If it is gone itself, the next start makes another one; helpers do not need it.

use crate::helper_names::{NAME, PROCESS_NAME};
use crate::messages::{self, HelperReport, ReceivedMessage};
use crate::setup_error::SetupError;
use crate::{filter, helper, identity, sys};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{Mode, OFlags};
use rustix::net::{AddressFamily, SocketFlags, SocketType, socketpair};
use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::ffi::CStr;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio, exit};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The name of a helper's process.
const HELPER_NAME: &CStr = c"leitai-helper";

/// Call this first in `main` of a binary that is handed to
/// [`Sandbox::open_tier`](crate::Sandbox::open_tier): if it was started as a helper, it is one, and does
/// not return.
pub fn run_if_called() {
    if std::env::args_os().next().is_some_and(|name| name == NAME) {
        exit(match serve() {
            Ok(()) => 0,
            // The judge is gone: there is nobody to report to, and everything is killed.
            Err(_) => 1,
        });
    }
}

/// Asks for a helper. Its end of the socket to the judge is attached.
#[derive(Debug, Serialize, Deserialize)]
struct HelperOrder {
    /// The cores that the judge's thread may run on: its programs get no others.
    cores: Vec<usize>,
}

/// The judge's side of a helper.
#[derive(Debug)]
pub struct Helper {
    /// The socket to it.
    pub control: OwnedFd,
    /// Its process id.
    pub pid: Pid,
    process: OwnedFd,
}

impl Helper {
    /// Starts a helper; `patience` is for the kernel.
    ///
    /// # Errors
    /// If the binary cannot be started, or the kernel makes no process.
    pub fn start(binary: &Path, patience: Duration) -> io::Result<Helper> {
        // A spawner can be killed, like every process; then another one is started.
        let spawner = Spawner::of_binary(binary)?;
        spawner.fork_helper(patience).or_else(|error| {
            if error.kind() == io::ErrorKind::Other {
                return Err(error);
            }
            spawner.forget(binary);
            Spawner::of_binary(binary)?.fork_helper(patience)
        })
    }

    /// Waits until it has exited, at most this long; whether it has.
    pub fn wait_for_exit(&self, patience: Duration) -> bool {
        wait_readable(&self.process, patience).is_ok_and(|exited| exited)
    }

    /// Kills it.
    pub fn kill(&self) {
        // If it is gone already, nothing is to be done.
        let _ = pidfd_send_signal(&self.process, Signal::KILL);
    }
}

/// The judge's side of a spawner.
#[derive(Debug)]
struct Spawner {
    socket: OwnedFd,
    process: Mutex<Child>,
}

/// The spawners of this process by their binary.
static SPAWNERS: Mutex<BTreeMap<PathBuf, Arc<Spawner>>> = Mutex::new(BTreeMap::new());

impl Spawner {
    fn of_binary(binary: &Path) -> io::Result<Arc<Spawner>> {
        let mut spawners = SPAWNERS.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(spawner) = spawners.get(binary) {
            return Ok(Arc::clone(spawner));
        }
        let spawner = Arc::new(Spawner::start(binary)?);
        spawners.insert(binary.to_owned(), Arc::clone(&spawner));
        Ok(spawner)
    }

    fn start(binary: &Path) -> io::Result<Spawner> {
        let (socket, theirs) = socket_pair()?;
        let mut command = Command::new(binary);
        command.arg0(NAME).env_clear().process_group(0);
        command
            .stdin(theirs)
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let process = Mutex::new(command.spawn()?);
        Ok(Spawner { socket, process })
    }

    /// Reaps a spawner that does not answer; the next start makes another one.
    fn forget(self: &Arc<Spawner>, binary: &Path) {
        let mut spawners = SPAWNERS.lock().unwrap_or_else(PoisonError::into_inner);
        if spawners
            .get(binary)
            .is_some_and(|known| Arc::ptr_eq(known, self))
        {
            spawners.remove(binary);
            let mut process = self.process.lock().unwrap_or_else(PoisonError::into_inner);
            let _ = process.kill();
            let _ = process.wait();
        }
    }

    fn fork_helper(&self, patience: Duration) -> io::Result<Helper> {
        let (control, theirs) = socket_pair()?;
        let allowed = sched_getaffinity(None)?;
        let cores = (0..CpuSet::MAX_CPU).filter(|core| allowed.is_set(*core));
        let order = HelperOrder {
            cores: cores.collect(),
        };
        messages::send_message(self.socket.as_fd(), &order, &[theirs.as_fd()])?;
        drop(theirs);
        let lost = || io::Error::from(io::ErrorKind::ConnectionReset);
        if !wait_readable(&control, patience)? {
            return Err(io::ErrorKind::TimedOut.into());
        }
        let report = messages::receive_message(control.as_fd())?.ok_or_else(lost)?;
        match report.body {
            HelperReport::Ready { pid } => {
                let pid = Pid::from_raw(pid).ok_or_else(lost)?;
                let process = report.fds.into_iter().next().ok_or_else(lost)?;
                Ok(Helper {
                    control,
                    pid,
                    process,
                })
            }
            HelperReport::Failed { step, errno, .. } => {
                let why = io::Error::from_raw_os_error(errno);
                Err(io::Error::other(format!("{step}: {why}")))
            }
            HelperReport::Started { .. } | HelperReport::Ended { .. } => Err(lost()),
        }
    }
}

/// Serves as a spawner until the judge is gone; in each copy of it, as a helper.
///
/// # Errors
/// Those of the socket to the judge: there is nobody to report to.
fn serve() -> io::Result<()> {
    sys::close_from(3);
    let socket = rustix::io::fcntl_dupfd_cloexec(rustix::stdio::stdin(), 3)?;
    let nothing = rustix::fs::open("/dev/null", OFlags::RDWR | OFlags::CLOEXEC, Mode::empty())?;
    rustix::stdio::dup2_stdin(&nothing)?;
    drop(nothing);
    // It keeps no folder from being unmounted.
    rustix::process::chdir("/")?;
    rustix::thread::set_name(PROCESS_NAME)?;
    sys::leave_children_to_kernel(true);
    prepare_copies();
    while let Some(ReceivedMessage { body, fds, .. }) =
        messages::receive_message::<HelperOrder>(socket.as_fd())?
    {
        let Some(control) = fds.into_iter().next() else {
            continue;
        };
        match sys::fork_process(0) {
            Ok(Some(_)) => {}
            Ok(None) => {
                drop(socket);
                sys::leave_children_to_kernel(false);
                become_helper(&body, &control)?;
                return helper::run(control);
            }
            Err(error) => {
                let errno = error.raw_os_error().unwrap_or(libc::EIO);
                let failed = HelperReport::from(SetupError::new("starting the helper", errno));
                // A judge that is gone is noticed at the next message.
                let _ = messages::send_message(control.as_fd(), &failed, &[]);
            }
        }
    }
    Ok(())
}

/// What every program needs in the same way is done once, before the copies are made.
fn prepare_copies() {
    filter::compile_ahead();
    identity::free_users();
    identity::drop_bounding_set();
}

/// What a process of its own would have by its start.
fn become_helper(order: &HelperOrder, control: &OwnedFd) -> io::Result<()> {
    rustix::thread::set_name(HELPER_NAME)?;
    rustix::process::setpgid(None, None)?;
    let mut cores = CpuSet::new();
    order.cores.iter().for_each(|core| cores.set(*core));
    // If a core was taken away meanwhile, the kernel has chosen others already.
    let _ = sched_setaffinity(None, &cores);
    let own = rustix::process::getpid();
    let process = pidfd_open(own, PidfdFlags::empty())?;
    let ready = HelperReport::Ready {
        pid: own.as_raw_pid(),
    };
    messages::send_message(control.as_fd(), &ready, &[process.as_fd()])
}

fn socket_pair() -> io::Result<(OwnedFd, OwnedFd)> {
    Ok(socketpair(
        AddressFamily::UNIX,
        SocketType::SEQPACKET,
        SocketFlags::CLOEXEC,
        None,
    )?)
}

/// Waits until there is something to read, or the other end is closed; `false` on a timeout.
///
/// # Errors
/// Those of the kernel.
pub fn wait_readable(fd: &OwnedFd, patience: Duration) -> io::Result<bool> {
    let deadline = Instant::now() + patience;
    loop {
        let left = Timespec::try_from(deadline.saturating_duration_since(Instant::now())).ok();
        match poll(&mut [PollFd::new(fd, PollFlags::IN)], left.as_ref()) {
            Ok(0) => return Ok(false),
            Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
            Ok(_) => return Ok(true),
        }
    }
}
