//! Init, the first process of a program's namespaces: builds its file system view, drops all
//! privileges, starts the program, and kills everything when the program ends or the helper is
//! gone. In tier C there are no namespaces, and it only prepares the program's process.

use crate::identity::{RunAs, groups_on_the_way};
use crate::kept_file::{KEPT_VARIABLE, path_of};
use crate::messages::{self, StartOrder};
use crate::setup_error::{SetupError, failed_step};
use crate::{ExitReason, Tier, filter, path_rules, proc, sys, view};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{DumpableBehavior, Signal, WaitOptions};
use rustix::thread::CpuSet;
use serde::{Deserialize, Serialize};
use std::ffi::{CString, OsStr, OsString};
use std::io::Read;
use std::net::{Ipv4Addr, TcpListener};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

/// Messages of init to the helper.
#[derive(Debug, Serialize, Deserialize)]
pub enum InitMessage {
    /// The sender is the program's process; its pid arrives as credentials. With it come the
    /// counter of its processor time and the listening socket, if requested.
    Here {
        /// Whether the counter is attached.
        counts: bool,
    },
    /// The program's file is running.
    Running,
    /// Something failed.
    Failed(SetupError),
    /// The program ended.
    Ended {
        exit: ExitReason,
        /// Processor time of everything that ended in here, in microseconds.
        cpu_us: u64,
        /// The most memory that one process had resident, in bytes.
        memory: u64,
    },
}

/// The program's standard streams, and the file that it keeps, if any.
type ProgramEnds = ([OwnedFd; 3], Option<OwnedFd>);

/// Runs as init.
pub fn run(order: &mut StartOrder, identity: RunAs, ends: ProgramEnds, to_helper: &OwnedFd) -> ! {
    if let Some(kept) = &ends.1 {
        order.env.push((KEPT_VARIABLE.into(), path_of(kept).into()));
    }
    let said = prepare_start(order, identity, to_helper.as_fd())
        .and_then(|prepared| start_program(order, identity, prepared, ends, to_helper.as_fd()));
    let word = said.unwrap_or_else(InitMessage::Failed);
    // If the helper is gone, nobody reads this, and everything ends with this process.
    let _ = messages::send_message(to_helper.as_fd(), &word, &[]);
    sys::exit_now(0)
}

/// The preparations before the program's process exists.
struct PreparedStart {
    filter: filter::ProgramFilter,
    listener: Option<OwnedFd>,
    /// The counter of the program's processor time.
    counter: Option<OwnedFd>,
}

fn prepare_start(
    order: &mut StartOrder,
    identity: RunAs,
    to_helper: BorrowedFd<'_>,
) -> Result<PreparedStart, SetupError> {
    let namespaces = order.tier.holds_strangers();
    let _ = rustix::process::umask(rustix::fs::Mode::from_raw_mode(0o022));
    // When the machine runs out of memory, the kernel should kill a program and not the judge.
    let _ = std::fs::write("/proc/self/oom_score_adj", "500");
    let (listener, listens) = if namespaces {
        enter_namespaces(order, identity)?
    } else {
        (None, false)
    };
    let purpose = filter::FilterPurpose {
        bot: order.writes.is_empty(),
        shared: !namespaces,
        tcp: order.port.is_some(),
        listens,
    };
    let filter = filter::compile_filter(purpose)
        .map_err(|_| SetupError::new("making the filter", libc::ENOSYS))?;
    set_limits(order, identity)?;
    if namespaces {
        identity.assume_user(&[])?;
    }
    rustix::process::set_parent_process_death_signal(Some(Signal::KILL))
        .map_err(failed_step("following the helper"))?;
    let _ = rustix::process::set_dumpable_behavior(DumpableBehavior::NotDumpable);
    // The helper may have died before that was asked. It has the other end alone.
    if is_closed(to_helper) {
        return Err(SetupError::new("following the helper", libc::ESRCH));
    }
    Ok(PreparedStart {
        filter,
        listener,
        counter: None,
    })
}

/// Whether nobody holds the other end of a socket any more.
fn is_closed(socket: BorrowedFd<'_>) -> bool {
    let mut fds = [PollFd::from_borrowed_fd(socket, PollFlags::empty())];
    let looked = poll(&mut fds, Some(&Timespec::default()));
    looked.is_err() || fds[0].revents().contains(PollFlags::HUP)
}

/// Also says whether the program may listen: where the control group counts what is sent to a
/// listener, or little can be.
fn enter_namespaces(
    order: &mut StartOrder,
    identity: RunAs,
) -> Result<(Option<OwnedFd>, bool), SetupError> {
    identity.write_id_maps()?;
    let listens = order.tier == Tier::A || bound_queues(order.connects).is_ok();
    // Only now, as the root of its tree is the control group that this process is in, and the
    // helper has put it into the program's: the names above it are the judge's.
    sys::hide_control_groups().map_err(failed_step("hiding the control groups"))?;
    view::enter_view(order, identity.inside_uid())?;
    order.prepend_env([("HOME", view::HOME.into()), ("TMPDIR", view::TMP.into())]);
    // The host name is hidden if possible.
    let _ = rustix::system::sethostname(b"leitai");
    let listener = if order.connects {
        Some(listen_port(&mut order.argv)?)
    } else {
        None
    };
    Ok((listener, listens))
}

/// Bounds what is queued in this network namespace at sockets that no descriptor stands for any
/// more: one connection or datagram that nobody takes, as much as is charged for the socket that it
/// waits for, and with `internet` the buffers of TCP, which otherwise grow with what is sent.
fn bound_queues(internet: bool) -> std::io::Result<()> {
    // One more than this may wait. TCP needs one that is only half made.
    let waiting = if internet { "1" } else { "0" };
    std::fs::write("/proc/sys/net/core/somaxconn", waiting)?;
    std::fs::write("/proc/sys/net/unix/max_dgram_qlen", "0")?;
    if internet {
        for name in ["tcp_rmem", "tcp_wmem"] {
            std::fs::write(
                Path::new("/proc/sys/net/ipv4").join(name),
                "4096 65536 212992",
            )?;
        }
    }
    Ok(())
}

/// A port on the loopback of this network namespace, which has nothing else; the command learns it
/// as two more words.
fn listen_port(argv: &mut Vec<OsString>) -> Result<OwnedFd, SetupError> {
    let open = || -> std::io::Result<(OwnedFd, u16)> {
        let any = std::net::UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0))?;
        sys::loopback_up(any.as_fd())?;
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        listener.set_nonblocking(true)?;
        let port = listener.local_addr()?.port();
        Ok((listener.into(), port))
    };
    let (listener, port) = open().map_err(failed_step("opening a port for the program"))?;
    argv.extend([OsString::from("127.0.0.1"), port.to_string().into()]);
    Ok(listener)
}

/// Additional processes of the same user. A program that shares its user with the judge must not
/// fail to start because others started processes, so the limit is loose there.
const MAY_COME: u64 = 192;

/// Limits of each process, of the user, and the cores.
fn set_limits(order: &StartOrder, identity: RunAs) -> Result<(), SetupError> {
    // The control group or the watch limits the memory.
    let memory = order
        .limits
        .private_memory(!order.writes.is_empty())
        .filter(|_| order.tier != Tier::A);
    sys::set_limits(order.limits, memory).map_err(failed_step("setting limits"))?;
    // The kernel counts by user. A program that runs as the judge's shares the count with all that
    // the user runs.
    let others = if let RunAs::Same(user) = identity {
        proc::threads_of(user) + MAY_COME
    } else {
        0
    };
    let processes = order.limits.processes.map(|most| u64::from(most) + others);
    sys::set_rlimit(rustix::process::Resource::Nproc, processes, 0)
        .map_err(failed_step("limiting processes"))?;
    let mut cores = CpuSet::new();
    order
        .cores
        .iter()
        .filter(|core| **core < CpuSet::MAX_CPU)
        .for_each(|core| cores.set(*core));
    if cores.count() > 0 {
        rustix::thread::sched_setaffinity(None, &cores).map_err(failed_step("choosing a core"))?;
    }
    Ok(())
}

fn start_program(
    order: &StartOrder,
    identity: RunAs,
    prepared: PreparedStart,
    ends: ProgramEnds,
    to_helper: BorrowedFd<'_>,
) -> Result<InitMessage, SetupError> {
    let exec = ExecCommand::new(order)?;
    // In tier A the control group counts. Opened by this process, which the program inherits it
    // from and has no power over.
    let counter = if order.tier == Tier::A {
        None
    } else {
        sys::open_cpu_counter().ok()
    };
    let prepared = PreparedStart {
        counter,
        ..prepared
    };
    let (failure, its_failure) = rustix::pipe::pipe_with(rustix::pipe::PipeFlags::CLOEXEC)
        .map_err(failed_step("opening a pipe"))?;
    // The program's process and this one have the filter in common, and it is loaded once.
    if order.tier.holds_strangers() {
        load_filter(&prepared.filter.early)?;
    }
    let program = sys::start_in_same_memory(&mut || {
        let step = become_program(order, identity, &exec, &prepared, &ends, to_helper);
        let _ = rustix::io::write(&its_failure, &serde_json::to_vec(&step).unwrap_or_default());
    })
    .map_err(failed_step("starting a process"))?;
    drop((its_failure, ends, prepared.listener, prepared.counter));
    if order.tier.holds_strangers() {
        load_last_filter(&prepared.filter)?;
    }
    let mut failed = Vec::new();
    let _ = std::fs::File::from(failure).read_to_end(&mut failed);
    if let Ok(step) = serde_json::from_slice(&failed) {
        return Err(step);
    }
    messages::send_message(to_helper, &InitMessage::Running, &[])
        .map_err(failed_step("telling the helper"))?;
    let exit = reap_until(program)?;
    if order.tier.holds_strangers() {
        sys::kill_everything();
    } else {
        // The helper ends those who have left the group; here others of the same user may live.
        let _ = rustix::process::kill_process_group(program, Signal::KILL);
    }
    while rustix::process::wait(WaitOptions::empty()).is_ok() {}
    let (cpu, memory) = sys::usage_of_children();
    Ok(InitMessage::Ended {
        exit,
        cpu_us: u64::try_from(cpu.as_micros()).unwrap_or(u64::MAX),
        memory,
    })
}

/// Reaps whoever ends until the program itself does.
fn reap_until(program: rustix::process::Pid) -> Result<ExitReason, SetupError> {
    loop {
        match rustix::process::wait(WaitOptions::empty()) {
            Ok(Some((pid, status))) if pid == program => return Ok(sys::exit_of(status.as_raw())),
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(failed_step("waiting for the program")(error)),
        }
    }
}

/// The last steps in the program's process before `exec`. Returns only on errors.
fn become_program(
    order: &StartOrder,
    identity: RunAs,
    exec: &ExecCommand,
    prepared: &PreparedStart,
    (ends, kept): &ProgramEnds,
    to_helper: BorrowedFd<'_>,
) -> SetupError {
    let last_steps = || -> Result<(), SetupError> {
        rustix::process::setpgid(None, None).map_err(failed_step("making a process group"))?;
        let fds: Vec<BorrowedFd<'_>> = prepared
            .counter
            .iter()
            .chain(&prepared.listener)
            .map(AsFd::as_fd)
            .collect();
        let here = InitMessage::Here {
            counts: prepared.counter.is_some(),
        };
        messages::send_message(to_helper, &here, &fds)
            .map_err(failed_step("telling the helper"))?;
        if !order.tier.holds_strangers() {
            become_fenced(order, identity)?;
        }
        connect_streams(ends).map_err(failed_step("connecting its streams"))?;
        // SIGPIPE is ignored in this process, and `exec` would pass that on.
        sys::heed_broken_pipes();
        sys::close_on_exec_all(kept.as_ref().map(AsRawFd::as_raw_fd))
            .map_err(failed_step("closing descriptors"))?;
        if !order.tier.holds_strangers() {
            load_filter(&prepared.filter.early)?;
        }
        load_last_filter(&prepared.filter)
    };
    match last_steps() {
        Err(step) => step,
        Ok(()) => SetupError {
            program: true,
            ..failed_step("starting the program")(exec.run())
        },
    }
}

/// Restricts the process without namespaces. Init stays outside, else the program could send it
/// signals.
fn become_fenced(order: &StartOrder, identity: RunAs) -> Result<(), SetupError> {
    identity.assume_user(&groups_on_the_way(&order.dir))?;
    path_rules::restrict_files(order)?;
    rustix::process::set_parent_process_death_signal(Some(Signal::KILL))
        .map_err(failed_step("following init"))
}

fn load_filter(filter: &seccompiler::BpfProgram) -> Result<(), SetupError> {
    seccompiler::apply_filter(filter)
        .map_err(|_| SetupError::new("loading the filter", libc::EINVAL))
}

fn load_last_filter(filter: &filter::ProgramFilter) -> Result<(), SetupError> {
    filter.last.as_ref().map_or(Ok(()), load_filter)
}

/// Makes the three ends descriptors 0, 1 and 2.
pub fn connect_streams(ends: &[OwnedFd; 3]) -> std::io::Result<()> {
    rustix::stdio::dup2_stdin(&ends[0])?;
    rustix::stdio::dup2_stdout(&ends[1])?;
    rustix::stdio::dup2_stderr(&ends[2])?;
    Ok(())
}

/// A command ready to be run.
pub struct ExecCommand {
    files: Vec<CString>,
    argv: Vec<CString>,
    env: Vec<CString>,
}

impl ExecCommand {
    pub fn new(order: &StartOrder) -> Result<ExecCommand, SetupError> {
        let bad = |_| SetupError {
            program: true,
            ..SetupError::new("reading the command", libc::EINVAL)
        };
        let text = |word: &OsStr| CString::new(word.as_bytes()).map_err(bad);
        let argv = order
            .argv
            .iter()
            .map(|word| text(word))
            .collect::<Result<Vec<_>, _>>()?;
        let pair = |(name, value): &(OsString, OsString)| {
            let bytes = [name.as_bytes(), b"=", value.as_bytes()].concat();
            text(&OsString::from_vec(bytes))
        };
        let env = order.final_env().map(pair).collect::<Result<Vec<_>, _>>()?;
        let files = path_candidates(order)
            .iter()
            .map(|path| text(path.as_os_str()))
            .collect::<Result<Vec<_>, _>>()?;
        Ok(ExecCommand { files, argv, env })
    }

    /// Runs the first file that can be run.
    pub fn run(&self) -> std::io::Error {
        let mut last = std::io::Error::from_raw_os_error(libc::ENOENT);
        for file in &self.files {
            let error = self.run_when_free(file);
            // A file that is there but cannot be run says more than one that is not there.
            if error.raw_os_error() != Some(libc::ENOENT) {
                last = error;
            }
        }
        last
    }

    fn run_when_free(&self, file: &CString) -> std::io::Error {
        for _ in 0..BUSY_TRIES {
            let error = sys::exec_program(file, &self.argv, &self.env);
            if error.raw_os_error() != Some(libc::ETXTBSY) {
                return error;
            }
            std::thread::sleep(std::time::Duration::from_millis(2));
        }
        std::io::Error::from_raw_os_error(libc::ETXTBSY)
    }
}

/// Attempts at a start while another process still has the file open for writing.
const BUSY_TRIES: u32 = 250;

/// The files that the first word may mean.
fn path_candidates(order: &StartOrder) -> Vec<PathBuf> {
    let Some(name) = order.argv.first() else {
        return Vec::new();
    };
    if name.as_bytes().contains(&b'/') {
        return vec![order.dir.join(name)];
    }
    let path = order.final_env().find(|(name, _)| name == "PATH");
    let path = path.map_or(OsStr::new("/usr/local/bin:/usr/bin:/bin"), |(_, value)| {
        value
    });
    std::env::split_paths(path)
        .filter(|dir| dir.is_absolute())
        .map(|dir| Path::new(&dir).join(name))
        .collect()
}
