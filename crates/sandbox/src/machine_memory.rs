//! The ceiling around all programs of a machine together: a part of its memory stays free of them.
//! In tier A a control group around those of all programs sees to it; in B and C every helper looks
//! how much is available, and the one whose program holds most ends it (docs/sandbox.md).

use crate::kernel_memory::usual_charge;
use crate::{helper_names, proc};
use rustix::process::Pid;
use std::cell::Cell;
use std::fs;
use std::time::{Duration, Instant};

/// The least interval of looks.
const EVERY: Duration = Duration::from_millis(50);

/// Bytes that programs leave free if nothing else is said: a sixteenth of the machine's memory.
pub fn usual_reserve() -> u64 {
    const LEAST: u64 = 64 << 20;
    const MOST: u64 = 1 << 30;
    read_meminfo("MemTotal:").map_or(0, |all| (all / 16).clamp(LEAST, MOST))
}

/// Bytes that all programs together may use, if this many stay free.
pub fn ceiling(reserve: u64) -> Option<u64> {
    read_meminfo("MemTotal:").map(|all| all.saturating_sub(reserve))
}

/// Watches the machine's memory for one program.
#[derive(Debug)]
pub struct MachineWatch {
    reserve: u64,
    looked: Cell<Option<Instant>>,
}

impl MachineWatch {
    /// A watch that keeps this many bytes free.
    pub fn new(reserve: u64) -> MachineWatch {
        MachineWatch {
            reserve,
            looked: Cell::new(None),
        }
    }

    /// Whether memory is short, and the program of this helper holds the most of all.
    pub fn must_yield(&self, helper: Pid) -> bool {
        if self.looked.get().is_some_and(|last| last.elapsed() < EVERY) {
            return false;
        }
        self.looked.set(Some(Instant::now()));
        let available = read_meminfo("MemAvailable:");
        available.is_some_and(|bytes| bytes < self.reserve)
            && holds_most(helper, &list_helpers().map(held_by).collect::<Vec<_>>())
    }
}

/// Whether nobody holds more than this one; of equals one.
fn holds_most(one: Pid, all: &[(u64, Pid)]) -> bool {
    let most = all
        .iter()
        .max_by_key(|(bytes, pid)| (*bytes, pid.as_raw_pid()));
    most.is_some_and(|(_, most)| *most == one)
}

/// The helpers of this machine. They are copies of a spawner, and an init is a copy of its helper:
/// of the processes that are called so, a helper is one below the spawner, or the topmost if that is
/// gone. Programs are below an init and can be neither, whatever they call themselves.
fn list_helpers() -> impl Iterator<Item = Pid> {
    let is_called_so = |pid: Pid| {
        let words = fs::read(format!("/proc/{}/cmdline", pid.as_raw_nonzero()));
        words.is_ok_and(|words| {
            words.split(|byte| *byte == 0).next() == Some(helper_names::NAME.as_bytes())
        })
    };
    let is_topmost =
        move |pid: Pid| is_called_so(pid) && !proc::parent_of(pid).is_some_and(is_called_so);
    let is_spawner = |pid: Pid| {
        let name = fs::read(format!("/proc/{}/comm", pid.as_raw_nonzero()));
        name.is_ok_and(|name| name.trim_ascii_end() == helper_names::PROCESS_NAME.to_bytes())
    };
    proc::list_processes()
        .map(|(pid, _)| pid)
        .filter(move |pid| is_called_so(*pid))
        .filter(move |pid| match proc::parent_of(*pid) {
            Some(parent) if is_called_so(parent) => is_topmost(parent) && is_spawner(parent),
            _ => !is_spawner(*pid),
        })
}

/// What the processes below a helper hold.
fn held_by(helper: Pid) -> (u64, Pid) {
    let family = proc::list_descendants(helper).split_off(1);
    let pages = family.iter().map(|pid| {
        let held = proc::read_held_memory(*pid);
        held.pages + held.tables
    });
    (pages.sum::<u64>() + usual_charge(&family), helper)
}

/// A line of `/proc/meminfo`, in bytes.
fn read_meminfo(name: &str) -> Option<u64> {
    let text = fs::read_to_string("/proc/meminfo").ok()?;
    parse_meminfo(&text, name)
}

fn parse_meminfo(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    line.split_ascii_whitespace()
        .next()?
        .parse::<u64>()
        .ok()?
        .checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_of_the_machine_is_read() {
        let text = "MemTotal:       24683904 kB\nMemFree:        17725440 kB\nMemAvailable:   23500800 kB\n";
        assert_eq!(parse_meminfo(text, "MemAvailable:"), Some(23_500_800 << 10));
        for bad in [
            "",
            "MemAvailable:",
            "MemAvailable: x kB",
            "MemAvailable: 99999999999999999999 kB",
        ] {
            assert_eq!(parse_meminfo(bad, "MemAvailable:"), None, "{bad}");
        }
        let (reserve, all) = (usual_reserve(), ceiling(0).expect("Linux tells"));
        assert!(reserve >= 64 << 20 && ceiling(reserve).is_some_and(|most| most < all));
    }

    #[test]
    fn who_holds_most_yields() {
        let pid = |number| Pid::from_raw(number).expect("not zero");
        let check = |held: &[(u64, i32)], yields: Option<i32>| {
            let all: Vec<(u64, Pid)> = held
                .iter()
                .map(|(bytes, one)| (*bytes, pid(*one)))
                .collect();
            for (_, one) in &all {
                assert_eq!(
                    holds_most(*one, &all),
                    yields.map(pid) == Some(*one),
                    "{held:?}"
                );
            }
        };
        check(&[(5, 7)], Some(7));
        check(&[(5, 7), (9, 3), (8, 9)], Some(3));
        check(&[(5, 7), (5, 8)], Some(8));
        assert!(!holds_most(pid(1), &[]), "a helper that nobody finds");
    }
}
