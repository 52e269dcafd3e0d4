//! Memory of the kernel's that a program holds and no account of its processes shows: what lies in
//! sockets and pipes, mappings, and shared memory that is not mapped. What cannot be read is counted
//! by what may be behind it (docs/sandbox.md).

use crate::proc::{self, HeldMemory, MappingCount};
use rustix::process::Pid;
use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::time::{Duration, Instant};

/// Bytes of a mapping and of what may hang on it: its place in the tree, a policy, a name, a file.
const MAPPING: u64 = 512;
/// The least interval of countings of the mappings, which take long where there are many.
const COUNTING: Duration = Duration::from_millis(250);
/// Mappings that are read at once; the next look goes on.
const MOST_AT_ONCE: u64 = 16_384;
/// More than a process may have.
const MOST: u64 = 1 << 20;
const PAGE: u64 = 4096;

/// Counts the kernel's memory of one program.
#[derive(Debug)]
pub struct KernelMemory {
    /// Descriptors of all processes together that are taken for small things.
    free_files: u64,
    /// Bytes that may be behind each of the others.
    file: u64,
    counted: RefCell<CountedMappings>,
}

#[derive(Debug, Default)]
struct CountedMappings {
    of: HashMap<Pid, MappingCount>,
    /// Who was read last, while not everybody is.
    last: Option<Pid>,
    since: Option<Instant>,
}

impl KernelMemory {
    /// For a program with this limit of descriptors a process.
    pub fn new(open_files: Option<u32>) -> KernelMemory {
        KernelMemory {
            free_files: open_files.map_or(u64::MAX, |most| u64::from(most) * 2),
            file: socket_buffer(),
            counted: RefCell::default(),
        }
    }

    /// Bytes of all processes together.
    pub fn charge(&self, held: &[(Pid, HeldMemory)]) -> u64 {
        let mapped: u64 = held.iter().map(|(_, held)| held.shared).sum();
        self.charge_files(held) + self.counted.borrow_mut().charge(held, mapped)
    }

    /// Whether some processes wait to be looked at, because others have so many mappings.
    pub fn is_behind(&self) -> bool {
        self.counted.borrow().last.is_some()
    }

    fn charge_files(&self, held: &[(Pid, HeldMemory)]) -> u64 {
        let at_most: u64 = held.iter().map(|(_, held)| held.files).sum();
        if at_most <= self.free_files {
            return 0;
        }
        let files = held
            .iter()
            .map(|(pid, held)| proc::count_files(*pid).unwrap_or(held.files));
        let files: u64 = files.sum();
        files.saturating_sub(self.free_files) * self.file
    }
}

/// Bytes that may be behind the descriptors of these processes of a usual program.
pub fn usual_charge(family: &[Pid]) -> u64 {
    let usual = KernelMemory::new(crate::SandboxLimits::BOT.open_files);
    let files: u64 = family
        .iter()
        .filter_map(|pid| proc::count_files(*pid))
        .sum();
    files.saturating_sub(usual.free_files) * usual.file
}

impl CountedMappings {
    fn charge(&mut self, held: &[(Pid, HeldMemory)], mapped: u64) -> u64 {
        self.of
            .retain(|pid, _| held.iter().any(|(alive, _)| alive == pid));
        self.count_next(held);
        let mappings: u64 = self.of.values().map(|count| count.mappings).sum();
        // The same memory in several processes counts once, and not again what is mapped.
        let mut shared = BTreeMap::new();
        for (number, bytes) in self.of.values().flat_map(|count| &count.shared) {
            let known = shared.entry(*number).or_insert(0);
            *known = (*bytes).max(*known);
        }
        let shared: u64 = shared.values().sum();
        mappings * MAPPING + shared.saturating_sub(mapped)
    }

    /// Counts those of some processes, and all again after a while.
    fn count_next(&mut self, held: &[(Pid, HeldMemory)]) {
        let rests = |since: &Instant| since.elapsed() < COUNTING;
        if self.last.is_none() && self.since.as_ref().is_some_and(rests) {
            return;
        }
        let done = self
            .last
            .and_then(|last| held.iter().position(|(pid, _)| *pid == last));
        let mut read = 0;
        for (pid, held) in held.iter().skip(done.map_or(0, |at| at + 1)) {
            if read >= MOST_AT_ONCE {
                return;
            }
            self.last = Some(*pid);
            let most = (held.space / PAGE).min(MOST);
            let count = proc::count_mappings(*pid, most);
            read += count.mappings;
            self.of.insert(*pid, count);
        }
        self.last = None;
        self.since = Some(Instant::now());
    }
}

/// Bytes that may lie in a socket: the sender's buffer, which programs cannot make larger, and the
/// piece that exceeds it.
fn socket_buffer() -> u64 {
    const USUAL: u64 = 212_992;
    const PIECE: u64 = 64 << 10;
    let of = |name: &str| -> u64 {
        let text = fs::read_to_string(format!("/proc/sys/net/core/{name}"));
        text.ok()
            .and_then(|text| text.trim().parse().ok())
            .unwrap_or(USUAL)
    };
    of("wmem_default").max(of("rmem_default")) + PIECE
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptors_and_mappings_are_charged_beyond_what_is_usual() {
        let me = rustix::process::getpid();
        let held = |files, space| {
            let held = HeldMemory {
                files,
                space,
                ..HeldMemory::default()
            };
            [(me, held)]
        };
        let kernel = KernelMemory::new(Some(1));
        assert_eq!(kernel.charge(&held(2, 0)), 0);
        // This process has its three streams at least.
        assert!(kernel.charge(&held(64, 0)) >= kernel.file);
        let charged = KernelMemory::new(None).charge(&held(64, 1 << 40));
        let likely = 8 * MAPPING..1 << 30;
        assert!(likely.contains(&charged), "{charged}");
    }
}
