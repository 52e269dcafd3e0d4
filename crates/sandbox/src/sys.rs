//! What cannot be said in safe Rust: the steps between `fork` and `exec`, `wait4`, and the processor clock of
//! another process.
#![allow(unsafe_code)]

use crate::{Exit, Limits, Program};
use rustix::process::{Pid, Resource, Rlimit, Signal};
use std::io;
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::time::Duration;

/// Makes `command` prepare its process before `exec`: die with the judge, inherit nothing, obey `limits`.
pub fn prepare(command: &mut Command, program: &Program) {
    let limits = program.limits;
    let judge = rustix::process::getpid();
    let in_child = move || {
        follow_to_death(judge)?;
        close_on_exec_all()?;
        limit(limits)
    };
    // SAFETY: the closure runs in the forked child, where only async-signal-safe calls are allowed. It makes plain
    // system calls (prctl, getppid, close_range, getrlimit, setrlimit), owns only `Copy` data, and neither allocates,
    // locks nor panics; an error is returned as a bare errno.
    unsafe { command.pre_exec(in_child) };
}

/// Asks for SIGKILL when the parent dies, then makes sure that it had not died before that was asked.
fn follow_to_death(judge: Pid) -> io::Result<()> {
    rustix::process::set_parent_process_death_signal(Some(Signal::KILL))?;
    if rustix::process::getppid() == Some(judge) { Ok(()) } else { Err(rustix::io::Errno::SRCH.into()) }
}

/// Marks every descriptor above stderr as close-on-exec. Ours already are; this catches those that the judge itself
/// inherited. They are not closed at once because the standard library reports a failed `exec` through one.
fn close_on_exec_all() -> io::Result<()> {
    let (first, last, flags) = (3_u32, u32::MAX, libc::CLOSE_RANGE_CLOEXEC);
    // SAFETY: close_range takes three integers and touches no memory of this process; with CLOEXEC it closes nothing
    // here, so no owner of a descriptor is harmed.
    let done = unsafe { libc::syscall(libc::SYS_close_range, first, last, flags) };
    if done == 0 { Ok(()) } else { unless_unknown(io::Error::last_os_error()) }
}

/// Kernels before 5.11 do not know the call; there the descriptors that the standard library opened are still
/// close-on-exec, so the program is started all the same.
fn unless_unknown(error: io::Error) -> io::Result<()> {
    match error.raw_os_error() {
        Some(libc::ENOSYS | libc::EINVAL) => Ok(()),
        _ => Err(error),
    }
}

fn limit(limits: Limits) -> io::Result<()> {
    set(Resource::Core, Some(0), 0)?;
    set(Resource::Data, limits.memory, 0)?;
    set(Resource::Nofile, limits.open_files.map(u64::from), 0)?;
    set(Resource::Fsize, limits.file, 0)?;
    // At the soft limit comes SIGXCPU, which says why; at the hard one, a second later, SIGKILL for who ignored it.
    set(Resource::Cpu, limits.cpu_seconds, 1)
}

fn set(resource: Resource, value: Option<u64>, grace: u64) -> io::Result<()> {
    let Some(value) = value else { return Ok(()) };
    let allowed = rustix::process::getrlimit(resource).maximum.unwrap_or(u64::MAX);
    let (current, maximum) = (value.min(allowed), value.saturating_add(grace).min(allowed));
    Ok(rustix::process::setrlimit(resource, Rlimit { current: Some(current), maximum: Some(maximum) })?)
}

/// Reaps the child `pid`: waits for its end and returns how it ended and the processor time that it and the
/// descendants it waited for have used.
pub fn reap(pid: Pid) -> io::Result<(Exit, Duration)> {
    let mut status: libc::c_int = 0;
    // SAFETY: `rusage` is a plain structure of integers, for which all zeros is a valid value.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    loop {
        // SAFETY: both pointers are to live, writable locals of the types that wait4 fills.
        let reaped = unsafe { libc::wait4(pid.as_raw_pid(), &mut status, 0, &mut usage) };
        if reaped == pid.as_raw_pid() {
            return Ok((exit_of(status), time_of(usage.ru_utime) + time_of(usage.ru_stime)));
        }
        let error = io::Error::last_os_error();
        if error.kind() != io::ErrorKind::Interrupted {
            return Err(error);
        }
    }
}

fn exit_of(status: libc::c_int) -> Exit {
    if libc::WIFSIGNALED(status) {
        Exit::Signal(libc::WTERMSIG(status))
    } else {
        Exit::Code(libc::WEXITSTATUS(status))
    }
}

fn time_of(time: libc::timeval) -> Duration {
    let part = |n: i64| u64::try_from(n).unwrap_or(0);
    Duration::from_secs(part(time.tv_sec)) + Duration::from_micros(part(time.tv_usec))
}

/// The processor time that all threads of the live process `pid` have used, without its descendants.
pub fn cpu_clock(pid: Pid) -> Option<Duration> {
    let mut clock: libc::clockid_t = 0;
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the pointer is to a live, writable local of the type that the call fills.
    let known = unsafe { libc::clock_getcpuclockid(pid.as_raw_pid(), &mut clock) } == 0;
    // SAFETY: as above; an unknown clock makes the call fail without writing.
    let read = known && unsafe { libc::clock_gettime(clock, &mut time) } == 0;
    let part = |n: i64| u64::try_from(n).unwrap_or(0);
    read.then(|| Duration::from_secs(part(time.tv_sec)) + Duration::from_nanos(part(time.tv_nsec)))
}
