//! Processes that a debugger traces, as `/proc` describes them.

use std::path::Path;
use std::time::{Duration, Instant};

/// The interval between two looks.
const LOOK: Duration = Duration::from_millis(5);
/// How long a program may compute before it is interrupted all the same.
const BUSY: Duration = Duration::from_secs(2);

/// Waits until the condition holds; `false` if the time is over first.
pub fn wait_until(time: Duration, mut holds: impl FnMut() -> bool) -> bool {
    let deadline = Instant::now() + time;
    while !holds() {
        if Instant::now() >= deadline {
            return false;
        }
        std::thread::sleep(LOOK);
    }
    true
}

/// The process that this debugger traces, once it runs the file and waits for input.
pub fn find_waiting(tracer: u32, file: &Path, time: Duration) -> Option<i32> {
    let begun = Instant::now();
    let mut found = None;
    wait_until(time, || {
        found = find_traced(tracer, file);
        let Some(pid) = found else { return false };
        let state = process_state(pid);
        state == Some('S') || (state == Some('R') && begun.elapsed() >= BUSY)
    });
    found
}

/// Waits until a program waits for input, but not for one that computes.
pub fn await_idle(pid: u32) {
    let pid = i32::try_from(pid).unwrap_or_default();
    wait_until(BUSY, || {
        process_state(pid).is_none_or(|state| "SZX".contains(state))
    });
}

fn find_traced(tracer: u32, file: &Path) -> Option<i32> {
    let tracer = format!("TracerPid:\t{tracer}\n");
    let is_it = |pid: &i32| {
        let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
        let program = std::fs::read_link(format!("/proc/{pid}/exe"));
        status.contains(&tracer) && program.is_ok_and(|program| program == file)
    };
    let entries = std::fs::read_dir("/proc").ok()?;
    let pids = entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    pids.into_iter().find(is_it)
}

/// Whether a process is stopped by its debugger, or gone.
pub fn is_stopped(pid: i32) -> bool {
    process_state(pid).is_none_or(|state| "tTZX".contains(state))
}

fn process_state(pid: i32) -> Option<char> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    stat.rsplit_once(") ")?.1.chars().next()
}

/// Whether a program of this machine listens at the port of the loopback address.
pub fn is_listening(port: u16) -> bool {
    let Ok(sockets) = std::fs::read_to_string("/proc/net/tcp") else {
        return false;
    };
    let address = format!(" 0100007F:{port:04X} 00000000:0000 0A ");
    sockets.lines().any(|line| line.contains(&address))
}
