//! What cannot be said in safe Rust: `fork`, the steps between it and `exec`, `wait4`, the
//! processor clock of another process, and the few system calls that no library wraps.
#![allow(unsafe_code)]

use crate::{ExitReason, Program, SandboxLimits};
use rustix::process::{Pid, Resource, Rlimit, Signal};
use std::ffi::{CString, c_char};
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::time::Duration;

/// Makes `command` prepare its process before `exec`: die with the judge, inherit nothing, obey
/// `limits`.
pub fn prepare_command(command: &mut Command, program: &Program) {
    let limits = program.limits;
    let builds = !program.writes.is_empty();
    let judge = rustix::process::getpid();
    let kept = program.kept.as_ref().map(|kept| kept.as_fd().as_raw_fd());
    let in_child = move || {
        follow_to_death(judge)?;
        close_on_exec_all(kept)?;
        set_limits(limits, limits.private_memory(builds))
    };
    // SAFETY: the closure runs in the forked child, where only async-signal-safe calls are allowed.
    // It makes plain system calls (prctl, getppid, close_range, fcntl, getrlimit, setrlimit), owns only
    // `Copy` data, and neither allocates, locks nor panics; an error is returned as a bare errno.
    unsafe { command.pre_exec(in_child) };
}

/// Asks for SIGKILL when the parent dies, then makes sure that it had not died before that was
/// asked.
fn follow_to_death(judge: Pid) -> io::Result<()> {
    rustix::process::set_parent_process_death_signal(Some(Signal::KILL))?;
    if rustix::process::getppid() == Some(judge) {
        Ok(())
    } else {
        Err(rustix::io::Errno::SRCH.into())
    }
}

/// Marks every descriptor above stderr as close-on-exec, except the one that the program is given. Those of Leitai already are; this catches
/// those that the judge itself inherited. They are not closed at once because the standard library
/// reports a failed `exec` through one.
pub fn close_on_exec_all(given: Option<RawFd>) -> io::Result<()> {
    let (first, last, flags) = (3_u32, u32::MAX, libc::CLOSE_RANGE_CLOEXEC);
    // SAFETY: close_range takes three integers and touches no memory of this process; with CLOEXEC
    // it closes nothing here, so no owner of a descriptor is harmed.
    let done = unsafe { libc::syscall(libc::SYS_close_range, first, last, flags) };
    if done != 0 {
        unless_unknown(io::Error::last_os_error())?;
    }
    let Some(given) = given else { return Ok(()) };
    // SAFETY: fcntl takes three integers and changes a flag of a descriptor that stays open.
    match unsafe { libc::fcntl(given, libc::F_SETFD, 0) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Kernels before 5.11 do not know the call; there the descriptors that the standard library opened
/// are still close-on-exec, so the program is started all the same.
fn unless_unknown(error: io::Error) -> io::Result<()> {
    match error.raw_os_error() {
        Some(libc::ENOSYS | libc::EINVAL) => Ok(()),
        _ => Err(error),
    }
}

/// Queued signals and timers, of all processes of a user.
const QUEUED_SIGNALS: u64 = 4096;

/// Sets the limits that the kernel enforces on this process and all that it will start, `memory`
/// for each of them.
pub fn set_limits(limits: SandboxLimits, memory: Option<u64>) -> io::Result<()> {
    set_rlimit(Resource::Core, Some(0), 0)?;
    // What some systems grant to users of sound devices.
    set_rlimit(Resource::Nice, Some(0), 0)?;
    set_rlimit(Resource::Rtprio, Some(0), 0)?;
    // Locked pages of files are no memory of the program's, and nobody gets them back.
    set_rlimit(Resource::Memlock, Some(0), 0)?;
    set_rlimit(Resource::Data, memory, 0)?;
    set_rlimit(Resource::Nofile, limits.open_files.map(u64::from), 0)?;
    set_rlimit(Resource::Fsize, limits.file, 0)?;
    // Each is memory of the kernel's, and runtimes send few that are queued.
    set_rlimit(Resource::Sigpending, Some(QUEUED_SIGNALS), 0)?;
    // At the soft limit comes SIGXCPU, which says why; at the hard one, a second later, SIGKILL for
    // who ignored it.
    set_rlimit(Resource::Cpu, limits.cpu_seconds, 1)
}

/// Sets one limit; the hard one is higher by `grace`.
pub fn set_rlimit(resource: Resource, value: Option<u64>, grace: u64) -> io::Result<()> {
    let Some(value) = value else { return Ok(()) };
    let allowed = rustix::process::getrlimit(resource)
        .maximum
        .unwrap_or(u64::MAX);
    let (current, maximum) = (value.min(allowed), value.saturating_add(grace).min(allowed));
    Ok(rustix::process::setrlimit(
        resource,
        Rlimit {
            current: Some(current),
            maximum: Some(maximum),
        },
    )?)
}

/// Reaps the child `pid`: waits for its end and returns how it ended and the processor time that it
/// and the descendants it waited for have used.
pub fn reap_child(pid: Pid) -> io::Result<(ExitReason, Duration)> {
    let mut status: libc::c_int = 0;
    // SAFETY: `rusage` is a plain structure of integers, for which all zeros is a valid value.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    loop {
        // SAFETY: both pointers are to live, writable locals of the types that wait4 fills.
        let reaped = unsafe { libc::wait4(pid.as_raw_pid(), &mut status, 0, &mut usage) };
        if reaped == pid.as_raw_pid() {
            return Ok((
                exit_of(status),
                time_of(usage.ru_utime) + time_of(usage.ru_stime),
            ));
        }
        let error = io::Error::last_os_error();
        if error.kind() != io::ErrorKind::Interrupted {
            return Err(error);
        }
    }
}

/// How a process ended, from the status that waiting for it gave.
pub fn exit_of(status: libc::c_int) -> ExitReason {
    if libc::WIFSIGNALED(status) {
        ExitReason::Signal(libc::WTERMSIG(status))
    } else {
        ExitReason::Code(libc::WEXITSTATUS(status))
    }
}

fn time_of(time: libc::timeval) -> Duration {
    let part = |n: i64| u64::try_from(n).unwrap_or(0);
    Duration::from_secs(part(time.tv_sec)) + Duration::from_micros(part(time.tv_usec))
}

/// The processor time that all threads of the live process `pid` have used, without its
/// descendants.
pub fn cpu_clock(pid: Pid) -> Option<Duration> {
    let mut clock: libc::clockid_t = 0;
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: the pointer is to a live, writable local of the type that the call fills.
    let known = unsafe { libc::clock_getcpuclockid(pid.as_raw_pid(), &mut clock) } == 0;
    // SAFETY: as above; an unknown clock makes the call fail without writing.
    let read = known && unsafe { libc::clock_gettime(clock, &mut time) } == 0;
    let part = |n: i64| u64::try_from(n).unwrap_or(0);
    read.then(|| Duration::from_secs(part(time.tv_sec)) + Duration::from_nanos(part(time.tv_nsec)))
}

/// Opens a counter of the processor time of this process, of all its threads and of all that it
/// will start: also of those processes that nobody waits for, which no other account of the kernel
/// holds after their end. Only this process can switch it off; a process leaves it, with all that it
/// starts from then on, by executing a file that it may not read.
///
/// # Errors
/// If the kernel has no such counters, or does not let this user have them
/// (`kernel.perf_event_paranoid` above 2).
pub fn open_cpu_counter() -> io::Result<OwnedFd> {
    const SOFTWARE: u32 = 1;
    const TASK_CLOCK: u64 = 1;
    const CLOSE_ON_EXEC: libc::c_ulong = 8;
    // Inherited by what it starts; without the kernel's own events, which ordinary users may not
    // count.
    const FLAGS: u64 = 1 << 1 | 1 << 5 | 1 << 6;
    let size = u32::try_from(size_of::<CounterOrder>()).expect("64 bytes");
    let order = CounterOrder {
        kind: SOFTWARE,
        size,
        event: TASK_CLOCK,
        flags: FLAGS,
        ..CounterOrder::default()
    };
    let (this_process, any_core, no_group) = (0, -1, -1);
    // SAFETY: the pointer is to a live local structure that says its own size; the other arguments
    // are integers.
    let fd = unsafe {
        libc::syscall(
            libc::SYS_perf_event_open,
            &raw const order,
            this_process,
            any_core,
            no_group,
            CLOSE_ON_EXEC,
        )
    };
    let fd = i32::try_from(fd)
        .ok()
        .filter(|fd| *fd >= 0)
        .ok_or_else(io::Error::last_os_error)?;
    // SAFETY: the kernel has just opened it for us, and nobody else knows it.
    Ok(unsafe { OwnedFd::from_raw_fd(fd) })
}

/// The first version of `perf_event_attr`, of which every kernel knows that the rest is zero.
#[repr(C)]
#[derive(Default)]
struct CounterOrder {
    kind: u32,
    size: u32,
    event: u64,
    period: u64,
    sample: u64,
    read: u64,
    flags: u64,
    wakeup: u32,
    breakpoint: u32,
    more: u64,
}

/// Forks this process, which must have a single thread, into new namespaces (`CLONE_NEW…`, or 0 for
/// none). `None` in the child.
pub fn fork_process(namespaces: libc::c_int) -> io::Result<Option<Pid>> {
    let flags = libc::c_long::from(namespaces | libc::SIGCHLD);
    // SAFETY: without CLONE_VM and with a null stack this is fork(2): the child gets a copy of
    // everything. The helper has one thread, so no lock is held by a thread that the child lacks.
    let pid = unsafe { libc::syscall(libc::SYS_clone, flags, 0, 0, 0, 0) };
    match pid {
        -1 => Err(io::Error::last_os_error()),
        0 => Ok(None),
        pid => Ok(Pid::from_raw(
            i32::try_from(pid).expect("a process id fits"),
        )),
    }
}

/// Bytes of the stack of a process that [`start_in_same_memory`] starts.
const BORROWED_STACK: usize = 256 << 10;

/// Starts a process in the memory of this one, of which nothing is copied. This process, which must
/// have a single thread, stands still until the other one has executed a program or has ended, as
/// after `vfork`. `child` does one of the two; if it returns, the process ends.
///
/// # Errors
/// If the kernel makes no process.
pub fn start_in_same_memory(mut child: &mut dyn FnMut()) -> io::Result<Pid> {
    extern "C" fn enter(child: *mut libc::c_void) -> libc::c_int {
        // SAFETY: the pointer is to the only use of `child`, which outlives this process's stay in
        // this memory, as its owner stands still.
        let child = unsafe { &mut *child.cast::<&mut dyn FnMut()>() };
        child();
        exit_now(127)
    }
    let mut stack = vec![0_u128; BORROWED_STACK / size_of::<u128>()];
    let flags = libc::CLONE_VM | libc::CLONE_VFORK | libc::SIGCHLD;
    let start = (&raw mut child).cast();
    // SAFETY: the stack is aligned, belongs to nobody else, and is freed only after the call, when
    // the child has left this memory. Descriptors, signal handlers and the working directory are
    // copied; the child's changes of them do not reach this process.
    let pid = unsafe { libc::clone(enter, stack.as_mut_ptr_range().end.cast(), flags, start) };
    match pid {
        -1 => Err(io::Error::last_os_error()),
        pid => Pid::from_raw(pid).ok_or_else(|| io::Error::from_raw_os_error(libc::ESRCH)),
    }
}

/// Moves this process into a control group namespace, whose root is the control group that it is
/// in.
pub fn hide_control_groups() -> io::Result<()> {
    // SAFETY: it takes one integer; with this flag neither memory nor descriptors are affected.
    if unsafe { libc::unshare(libc::CLONE_NEWCGROUP) } == 0 {
        Ok(())
    } else {
        Err(io::Error::last_os_error())
    }
}

/// Lets this process, and the program that it becomes, end when nobody reads what it writes, as is
/// usual. The Rust runtime ignores that signal, and what is ignored stays so in a new program.
pub fn heed_broken_pipes() {
    // SAFETY: it takes two integers and sets no handler; this process has one thread.
    unsafe { libc::signal(libc::SIGPIPE, libc::SIG_DFL) };
}

/// Whether children that end are forgotten by the kernel at once, so that nobody need wait for them
/// (nor can).
pub fn leave_children_to_kernel(leave: bool) {
    let way = if leave { libc::SIG_IGN } else { libc::SIG_DFL };
    // SAFETY: it takes two integers and sets no handler; this process has one thread.
    unsafe { libc::signal(libc::SIGCHLD, way) };
}

/// Whether two processes are one as far as memory goes, like those that `vfork` makes. `false` if
/// the system does not tell.
pub fn share_memory(one: Pid, other: Pid) -> bool {
    const KCMP_VM: libc::c_int = 1;
    // SAFETY: it takes five integers, and compares two pointers of the kernel's.
    let same = unsafe {
        libc::syscall(
            libc::SYS_kcmp,
            one.as_raw_pid(),
            other.as_raw_pid(),
            KCMP_VM,
            0,
            0,
        )
    };
    same == 0
}

/// Replaces this process by a program. Returns only if that fails.
pub fn exec_program(file: &CString, argv: &[CString], env: &[CString]) -> io::Error {
    let pointers = |strings: &[CString]| -> Vec<*const c_char> {
        strings
            .iter()
            .map(|string| string.as_ptr())
            .chain([std::ptr::null()])
            .collect()
    };
    let (argv, env) = (pointers(argv), pointers(env));
    // SAFETY: both arrays end in a null pointer, and all strings outlive the call.
    unsafe { libc::execve(file.as_ptr(), argv.as_ptr(), env.as_ptr()) };
    io::Error::last_os_error()
}

/// Ends this process at once: no destructors, no flushing of what the parent had buffered.
pub fn exit_now(code: i32) -> ! {
    // SAFETY: it does not return, and touches no memory.
    unsafe { libc::_exit(code) }
}

/// Kills everything that this process may send signals to, but not itself. For the init of a
/// process id namespace, or for a user whom nobody else is.
pub fn kill_everything() {
    // SAFETY: it takes two integers. Failing means that there was nobody.
    let _ = unsafe { libc::kill(-1, libc::SIGKILL) };
}

/// Processor time of all children that ended and were waited for, with theirs, and the most memory
/// that one of them had resident, in bytes.
pub fn usage_of_children() -> (Duration, u64) {
    // SAFETY: `rusage` is a plain structure of integers, for which all zeros is a valid value.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: the pointer is to a live, writable local of the type that the call fills.
    unsafe { libc::getrusage(libc::RUSAGE_CHILDREN, &mut usage) };
    let memory = u64::try_from(usage.ru_maxrss).unwrap_or(0) << 10;
    (time_of(usage.ru_utime) + time_of(usage.ru_stime), memory)
}

/// Closes every descriptor from this one on; nothing in this process may own one of them.
pub fn close_from(first: u32) {
    // SAFETY: it takes three integers. The spawner calls it before it has opened anything, so no
    // owner is harmed.
    unsafe { libc::syscall(libc::SYS_close_range, first, u32::MAX, 0) };
}

/// Adds attributes (`MOUNT_ATTR_…`) to a mount, or with `all` also to the mounts below it.
pub fn mount_attributes(mount: BorrowedFd<'_>, add: u64, all: bool) -> io::Result<()> {
    let recursive = if all { libc::AT_RECURSIVE } else { 0 };
    let flags = libc::AT_EMPTY_PATH | recursive;
    let attributes = libc::mount_attr {
        attr_set: add,
        attr_clr: 0,
        propagation: 0,
        userns_fd: 0,
    };
    let size = size_of::<libc::mount_attr>();
    // SAFETY: the path is an empty C string, and the structure is a live local of the size that is
    // said.
    let done = unsafe {
        libc::syscall(
            libc::SYS_mount_setattr,
            mount.as_raw_fd(),
            c"".as_ptr(),
            flags,
            &raw const attributes,
            size,
        )
    };
    if done == 0 {
        Ok(())
    } else {
        Err(io::Error::last_os_error())
    }
}

/// Switches the loopback device of this network namespace on.
pub fn loopback_up(any_socket: BorrowedFd<'_>) -> io::Result<()> {
    // SAFETY: `ifreq` is plain data, for which all zeros is a valid value.
    let mut request: libc::ifreq = unsafe { std::mem::zeroed() };
    for (to, from) in request.ifr_name.iter_mut().zip(b"lo") {
        *to = *from as c_char;
    }
    request.ifr_ifru.ifru_flags = (libc::IFF_UP | libc::IFF_RUNNING) as libc::c_short;
    // SAFETY: the pointer is to a live local of the type that this request takes; its name ends in
    // a zero.
    let done = unsafe {
        libc::ioctl(
            any_socket.as_raw_fd(),
            libc::SIOCSIFFLAGS as _,
            &raw const request,
        )
    };
    if done == 0 {
        Ok(())
    } else {
        Err(io::Error::last_os_error())
    }
}

/// Whether the processes of this machine may be given `landlock`, and in which version.
pub fn landlock_version() -> Option<u32> {
    const ASK_VERSION: u32 = 1;
    // SAFETY: with this flag the kernel wants a null pointer and a size of zero, and only returns a
    // number.
    let version = unsafe { libc::syscall(libc::SYS_landlock_create_ruleset, 0, 0, ASK_VERSION) };
    u32::try_from(version).ok().filter(|version| *version > 0)
}
