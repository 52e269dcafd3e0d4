//! The helper: one small single-threaded process per program, between the judge and the program. It
//! creates the namespaces and the control group, watches limits that the kernel does not enforce,
//! and kills everything when the program ends, when the judge asks for it, or when the judge is
//! gone for any reason.

use crate::cgroup::Cgroup;
use crate::chown::give_folders;
use crate::cpu_file::CpuFile;
use crate::identity::RunAs;
use crate::init::{self, InitMessage};
use crate::limit_watch::LimitWatch;
use crate::messages::{self, HelperReport, HelperRequest, ReceivedMessage, StartOrder};
use crate::path_rules::ScratchFolder;
use crate::setup_error::{SetupError, failed_step};
use crate::{ExceededLimit, ExitReason, Tier, proc, sys};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::net::{AddressFamily, SocketFlags, SocketType, socketpair};
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, WaitOptions};
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::time::Duration;

/// The nice value of a helper whose program runs.
const WATCHFUL: i32 = -10;

/// Serves one program; `control` is the socket to the judge.
///
/// # Errors
/// If the judge is gone.
pub fn run(control: OwnedFd) -> io::Result<()> {
    rustix::process::set_child_subreaper(Some(rustix::process::getpid()))?;
    let Some(ReceivedMessage { body, mut fds, .. }) =
        messages::receive_message::<StartOrder>(control.as_fd())?
    else {
        return Ok(());
    };
    let kept = (fds.len() > 3).then(|| fds.pop()).flatten();
    let ends: [OwnedFd; 3] = fds
        .try_into()
        .map_err(|_| io::Error::other("an order has three streams"))?;
    let mut program = HelperProgram::new(body, control);
    let end = match program.start_init(ends, kept) {
        Ok(init) => program.follow_program(init),
        Err(step) => ProgramEndCause::Failed(step),
    };
    program.close_program(end)
}

/// The helper's state of its program.
struct HelperProgram {
    order: StartOrder,
    control: OwnedFd,
    identity: RunAs,
    cgroup: Option<Cgroup>,
    scratch: Option<ScratchFolder>,
    pid: Option<Pid>,
    listener: Option<OwnedFd>,
    /// The counter of its processor time, where there is no control group.
    counter: Option<OwnedFd>,
    /// The file of its control group that tells its processor time, once it was started.
    cpu: Option<(OwnedFd, CpuFile)>,
    /// The processor time when it was killed.
    spent: Option<Duration>,
    /// The highest memory measurement in bytes.
    held: u64,
    /// Whether its start was reported to the judge.
    reported: bool,
}

/// The init process of the program, and the socket to it.
struct InitProcess {
    pid: Pid,
    init_socket: OwnedFd,
}

/// The cause of a program's end.
enum ProgramEndCause {
    /// By itself.
    Itself {
        exit: ExitReason,
        cpu_us: u64,
        memory: u64,
    },
    /// Its init died for an unknown reason.
    Silent,
    /// The helper killed it.
    Killed(Option<ExceededLimit>),
    /// It never ran.
    Failed(SetupError),
}

impl HelperProgram {
    fn new(order: StartOrder, control: OwnedFd) -> HelperProgram {
        let identity = RunAs::choose_user(order.tier.holds_strangers());
        HelperProgram {
            order,
            control,
            identity,
            cgroup: None,
            scratch: None,
            pid: None,
            listener: None,
            counter: None,
            cpu: None,
            spent: None,
            held: 0,
            reported: false,
        }
    }

    fn start_init(
        &mut self,
        ends: [OwnedFd; 3],
        kept: Option<OwnedFd>,
    ) -> Result<InitProcess, SetupError> {
        self.order.check_folders()?;
        if let Some(place) = self
            .order
            .cgroups
            .as_ref()
            .filter(|_| self.order.tier == Tier::A)
        {
            self.cgroup = Some(place.make_cgroup(self.order.limits.memory)?);
        }
        if !self.order.tier.holds_strangers() {
            self.scratch = Some(ScratchFolder::make_folder(&mut self.order, self.identity)?);
        }
        if let RunAs::Own(user) = self.identity {
            give_folders(&self.order.writes, user)?;
            give_pipes(&ends, user);
        }
        let kind = (
            AddressFamily::UNIX,
            SocketType::SEQPACKET,
            SocketFlags::CLOEXEC,
        );
        let (init_socket, its_socket) =
            socketpair(kind.0, kind.1, kind.2, None).map_err(failed_step("opening a socket"))?;
        rustix::net::sockopt::set_socket_passcred(&init_socket, true)
            .map_err(failed_step("opening a socket"))?;
        let (wait, go) = pipe_with(PipeFlags::CLOEXEC).map_err(failed_step("opening a pipe"))?;
        let Some(pid) =
            sys::fork_process(self.namespace_flags()).map_err(failed_step("making namespaces"))?
        else {
            drop((go, init_socket));
            // Nothing to read means that the helper is gone: speaking will fail, too.
            let _ = rustix::io::read(&wait, &mut [0_u8; 1]);
            init::run(&mut self.order, self.identity, (ends, kept), &its_socket)
        };
        let admitted = self
            .cgroup
            .as_ref()
            .map_or(Ok(()), |cgroup| cgroup.admit_process(pid));
        admitted.inspect_err(|_| end_process(pid))?;
        drop(go);
        Ok(InitProcess { pid, init_socket })
    }

    fn namespace_flags(&self) -> i32 {
        let all = libc::CLONE_NEWNS
            | libc::CLONE_NEWPID
            | libc::CLONE_NEWNET
            | libc::CLONE_NEWIPC
            | libc::CLONE_NEWUTS;
        match self.identity {
            _ if !self.order.tier.holds_strangers() => 0,
            RunAs::Mapped { .. } => all | libc::CLONE_NEWUSER,
            RunAs::Own(_) | RunAs::Same(_) => all,
        }
    }

    /// Waits for the end, and kills the program when a limit or the judge demands it.
    fn follow_program(&mut self, init: InitProcess) -> ProgramEndCause {
        // A program of a hundred busy processes must not keep its watch from looking. Only root may.
        let _ = rustix::process::setpriority_process(None, WATCHFUL);
        let watch = LimitWatch::start_watch(&self.order, rustix::process::getpid());
        let ended = loop {
            if let Some(ended) =
                self.wait_for_event(&init, watch.as_ref().map(LimitWatch::next_interval))
            {
                break ended;
            }
            // Until init's message arrives, the program may have run for a while: that message is
            // handled first.
            let watch = watch.as_ref().filter(|_| self.pid.is_some());
            if let Some(over) = watch.and_then(LimitWatch::check_limits) {
                break ProgramEndCause::Killed(Some(over));
            }
        };
        self.held = watch.as_ref().map_or(0, LimitWatch::most_held);
        let counts = self.cgroup.as_ref().is_some_and(Cgroup::tells_cpu_time);
        if !counts && !matches!(ended, ProgramEndCause::Itself { .. }) {
            // A killed init does not report the processor time of its processes.
            self.spent = self
                .pid
                .and_then(|pid| proc::cpu_of_family(rustix::process::getpid(), pid));
        }
        if let Some(pid) = self.pid {
            // The group is gone already if init did its work.
            let _ = rustix::process::kill_process_group(pid, Signal::KILL);
        }
        end_process(init.pid);
        end_all_children();
        ended
    }

    /// Waits for a message of init or of the judge; `None` if none of them ends the program.
    fn wait_for_event(
        &mut self,
        init: &InitProcess,
        time: Option<Duration>,
    ) -> Option<ProgramEndCause> {
        let time = time.and_then(|time| Timespec::try_from(time).ok());
        let watched = |fd| PollFd::from_borrowed_fd(fd, PollFlags::IN);
        let mut fds = [
            watched(init.init_socket.as_fd()),
            watched(self.control.as_fd()),
        ];
        match poll(&mut fds, time.as_ref()) {
            Ok(0) | Err(rustix::io::Errno::INTR) => return None,
            Ok(_) => {}
            Err(error) => return Some(ProgramEndCause::Failed(failed_step("waiting")(error))),
        }
        let [spoken, asked] = fds.each_ref().map(|fd| !fd.revents().is_empty());
        if spoken {
            return self.read_init_message(init);
        }
        // Any message of the judge, or its end, means that the program is to be killed.
        asked.then(|| {
            let _ = messages::receive_message::<HelperRequest>(self.control.as_fd());
            ProgramEndCause::Killed(None)
        })
    }

    fn read_init_message(&mut self, init: &InitProcess) -> Option<ProgramEndCause> {
        let Ok(Some(ReceivedMessage { body, fds, sender })) =
            messages::receive_message::<InitMessage>(init.init_socket.as_fd())
        else {
            return Some(ProgramEndCause::Silent);
        };
        match body {
            InitMessage::Here { counts } => {
                let mut fds = fds.into_iter();
                self.pid = sender;
                self.counter = if counts { fds.next() } else { None };
                self.listener = fds.next();
            }
            InitMessage::Running => {
                return self
                    .report_start()
                    .err()
                    .map(|_| ProgramEndCause::Killed(None));
            }
            InitMessage::Failed(step) => return Some(ProgramEndCause::Failed(step)),
            InitMessage::Ended {
                exit,
                cpu_us,
                memory,
            } => {
                return Some(ProgramEndCause::Itself {
                    exit,
                    cpu_us,
                    memory,
                });
            }
        }
        None
    }

    /// Fails only if the judge is gone.
    fn report_start(&mut self) -> io::Result<()> {
        self.reported = true;
        self.cpu = self.cgroup.as_ref().and_then(Cgroup::open_cpu_file);
        let counter = || Some((self.counter.as_ref()?, CpuFile::Counter));
        let cpu = self.cpu.as_ref().map(|(file, kind)| (file, *kind));
        let cpu = cpu.or_else(counter);
        let report = HelperReport::Started {
            pid: self.pid.map_or(0, Pid::as_raw_pid),
            cpu: cpu.as_ref().map(|(_, kind)| *kind),
            listener: self.listener.is_some(),
        };
        let fds = cpu
            .iter()
            .map(|(file, _)| file.as_fd())
            .chain(self.listener.iter().map(AsFd::as_fd));
        messages::send_message(self.control.as_fd(), &report, &fds.collect::<Vec<_>>())
    }

    /// Handles a program that ended before its init's start message was read. Both are reported to
    /// the judge in order.
    fn late_start(&mut self, end: ProgramEndCause) -> ProgramEndCause {
        if self.reported || matches!(end, ProgramEndCause::Failed(_)) {
            return end;
        }
        if self.pid.is_none() {
            return ProgramEndCause::Failed(SetupError::new(
                "starting its first process, which is gone",
                libc::ESRCH,
            ));
        }
        // Failing means that the judge is gone, and hears nothing of the end either.
        let _ = self.report_start();
        end
    }

    /// Reports the end and removes what is left.
    fn close_program(mut self, end: ProgramEndCause) -> io::Result<()> {
        let end = self.late_start(end);
        let peak = self.cgroup.as_ref().and_then(Cgroup::memory_peak);
        let ran_out = self.cgroup.as_ref().and_then(Cgroup::exceeded_limit);
        let mut used = sys::usage_of_children();
        used.0 = used.0.max(self.spent.unwrap_or_default());
        let exact = match &self.cpu {
            Some((file, kind)) => kind.read(file),
            None => self.cgroup.as_ref().and_then(Cgroup::cpu_time),
        };
        let counted = self
            .counter
            .as_ref()
            .and_then(|fd| CpuFile::Counter.read(fd));
        if let Some(cgroup) = self.cgroup.take() {
            cgroup.remove_cgroup();
        }
        drop(self.scratch.take());
        if let RunAs::Own(_) = self.identity {
            // The folders were given to the program's user; if this fails they stay with a user
            // that does not exist.
            let _ = give_folders(&self.order.writes, 0);
        }
        let killed = ExitReason::Signal(libc::SIGKILL);
        let (exit, cpu_us, memory, over) = match end {
            ProgramEndCause::Failed(step) => {
                return messages::send_message(
                    self.control.as_fd(),
                    &HelperReport::from(step),
                    &[],
                );
            }
            ProgramEndCause::Itself {
                exit,
                cpu_us,
                memory,
            } => (exit, cpu_us, memory, None),
            ProgramEndCause::Silent => (killed, to_micros(used.0), used.1, None),
            ProgramEndCause::Killed(over) => (killed, to_micros(used.0), used.1, over),
        };
        let over = over.or(ran_out);
        // A process can leave the counter.
        let counted = counted.map(|counted| {
            let accounts = self.spent.unwrap_or(Duration::from_micros(cpu_us));
            to_micros(counted.max(accounts))
        });
        let cpu_us = exact.map(to_micros).or(counted).unwrap_or(cpu_us);
        let report = HelperReport::Ended {
            exit,
            cpu_us,
            memory: peak.or(Some(memory.max(self.held))),
            over,
        };
        messages::send_message(self.control.as_fd(), &report, &[])
    }
}

/// Gives the pipes to the program's user, because only the owner can reopen a stream by name
/// (`/dev/stderr`).
fn give_pipes(ends: &[OwnedFd; 3], user: u32) {
    use rustix::fs::{FileType, Gid, Uid, fchown, fstat};
    for end in ends {
        if fstat(end).is_ok_and(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::Fifo) {
            // Without it only those names do not work.
            let _ = fchown(end, Some(Uid::from_raw(user)), Some(Gid::from_raw(user)));
        }
    }
}

fn to_micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}

/// Ends a child; if it is an init, everything in its namespace ends with it.
fn end_process(pid: Pid) {
    // It may have ended by itself.
    let _ = rustix::process::kill_process(pid, Signal::KILL);
    while let Err(rustix::io::Errno::INTR) =
        rustix::process::waitpid(Some(pid), WaitOptions::empty())
    {}
}

/// Kills all orphans of a program without namespaces. They become children of this process, which
/// is a subreaper, and each that ends may leave others. The kernel's list of children can miss one
/// that is being reparented; therefore nobody is waited for before it was killed, and the list is
/// read again until it is empty.
fn end_all_children() {
    const PAUSE: Duration = Duration::from_millis(1);
    let own = rustix::process::getpid();
    while has_children() {
        for one in proc::list_descendants(own)
            .into_iter()
            .filter(|one| *one != own)
        {
            let _ = rustix::process::kill_process(one, Signal::KILL);
        }
        loop {
            match rustix::process::wait(WaitOptions::NOHANG) {
                Ok(Some(_)) | Err(rustix::io::Errno::INTR) => {}
                Ok(None) => break,
                Err(_) => return,
            }
        }
        std::thread::sleep(PAUSE);
    }
}

/// Whether there are children, also such as have ended, whom nobody has waited for.
fn has_children() -> bool {
    let look = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    loop {
        match rustix::process::waitid(WaitId::All, look) {
            Err(rustix::io::Errno::INTR) => {}
            Err(_) => return false,
            Ok(_) => return true,
        }
    }
}
