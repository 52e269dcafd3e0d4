//! Watches limits that the kernel does not enforce: the memory of a program without a control
//! group, including the kernel's own for it, and the disk use of a build. Both are polled, memory
//! more often near its limit, so both can be exceeded for a moment. Also watches the memory of the
//! machine.

use crate::kernel_memory::KernelMemory;
use crate::machine_memory::MachineWatch;
use crate::messages::StartOrder;
use crate::proc::HeldMemory;
use crate::untrusted_folder::{UntrustedFolder, WalkBounds, WalkEnd};
use crate::{ExceededLimit, Tier, proc, sys};
use rustix::process::Pid;
use std::cell::Cell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Watches one program.
pub struct LimitWatch {
    /// The helper, which is the ancestor of all processes and is not counted itself.
    helper: Pid,
    memory: Option<u64>,
    disk: Option<u64>,
    folders: Vec<PathBuf>,
    /// Bytes of memory at the last measurement.
    held: Cell<u64>,
    /// The highest measurement that counted nothing twice.
    most_held: Cell<u64>,
    /// When the folders were last listed.
    listed: Cell<Option<Instant>>,
    kernel: KernelMemory,
    /// Outside of control groups, which have a ceiling of their own.
    machine: Option<MachineWatch>,
}

/// The interval of folder listings, which take long.
const LISTING: Duration = Duration::from_millis(250);
/// The same where a program writes to a folder of the machine's disk at its own speed.
const QUICK_LISTING: Duration = Duration::from_millis(100);
/// The fastest memory growth in bytes per second: a few cores that fill fresh memory.
const FASTEST: u64 = 8 << 30;
/// Files and folders that a build may leave; more take too long to count.
pub const MOST_FILES: usize = 30_000;
/// Folders inside each other; what is deeper takes too long to look at, and nobody builds there.
pub const DEEPEST_FOLDER: usize = 64;

impl LimitWatch {
    /// Starts a watch; `None` if there is nothing to watch.
    pub fn start_watch(order: &StartOrder, helper: Pid) -> Option<LimitWatch> {
        let memory = order.limits.memory.filter(|_| order.tier != Tier::A);
        let folders: Vec<PathBuf> = order.writes.iter().chain(&order.scratch).cloned().collect();
        let disk = order.limits.disk.filter(|_| !folders.is_empty());
        if memory.is_none() && disk.is_none() {
            return None;
        }
        Some(LimitWatch {
            helper,
            memory,
            disk,
            folders,
            held: Cell::new(0),
            most_held: Cell::new(0),
            listed: Cell::new(None),
            kernel: KernelMemory::new(order.limits.open_files),
            machine: (order.tier != Tier::A).then(|| MachineWatch::new(order.reserve)),
        })
    }

    /// The time until the next measurement.
    pub fn next_interval(&self) -> Duration {
        self.memory.map_or(LISTING, |most| {
            let held = if self.kernel.is_behind() {
                most
            } else {
                self.held.get()
            };
            time_to_fill(most.saturating_sub(held))
        })
    }

    /// The most memory that was held when it was counted exactly, which is done only near the
    /// limit; in bytes.
    pub fn most_held(&self) -> u64 {
        self.most_held.get()
    }

    /// The exceeded limit, if any.
    pub fn check_limits(&self) -> Option<ExceededLimit> {
        if self.memory.is_some_and(|most| self.holds_more_than(most)) {
            return Some(ExceededLimit::Memory);
        }
        let machine = self.machine.as_ref();
        if machine.is_some_and(|machine| machine.must_yield(self.helper)) {
            return Some(ExceededLimit::MachineMemory);
        }
        let every = if self.memory.is_some() {
            QUICK_LISTING
        } else {
            LISTING
        };
        let due = self.listed.get().is_none_or(|last| last.elapsed() >= every);
        let most = self.disk.filter(|_| due)?;
        let over = self.wrote_more_than(most);
        self.listed.set(Some(Instant::now()));
        over
    }

    fn list_processes(&self) -> Vec<Pid> {
        proc::list_descendants(self.helper).split_off(1)
    }

    /// A quick measurement first, which counts shared memory several times.
    fn holds_more_than(&self, most: u64) -> bool {
        let family = self.list_processes();
        let pairs: Vec<(Pid, HeldMemory)> = family
            .into_iter()
            .map(|pid| (pid, proc::read_held_memory(pid)))
            .collect();
        let pages = pairs
            .iter()
            .map(|(_, held)| held.pages + held.tables)
            .sum::<u64>();
        let kernel = self.kernel.charge(&pairs);
        self.held.set(pages + kernel);
        if pages + kernel <= most {
            return false;
        }
        // Nobody honest has so much there; and where there are many processes with many mappings,
        // finding what they share takes longer than they need for more.
        let all = if kernel > most / 4 {
            pages + kernel
        } else {
            LimitWatch::count_once(pairs, most - kernel) + kernel
        };
        self.held.set(all);
        self.most_held.set(all.max(self.most_held.get()));
        all > most
    }

    /// The memory of all processes in bytes; if a lower bound exceeds `enough`, that bound.
    fn count_once(pairs: Vec<(Pid, HeldMemory)>, enough: u64) -> u64 {
        let mut counted: Vec<(Pid, HeldMemory)> = Vec::new();
        for (pid, held) in pairs {
            if !counted
                .iter()
                .any(|(other, _)| sys::share_memory(*other, pid))
            {
                counted.push((pid, held));
            }
        }
        let tables = counted.iter().map(|(_, held)| held.tables).sum::<u64>();
        // The memory of one process is a lower bound, however much is shared; adding up the shares
        // takes long.
        let largest = counted
            .iter()
            .map(|(_, held)| held.pages)
            .max()
            .unwrap_or(0);
        if tables + largest > enough {
            return tables + largest;
        }
        // A process that cannot be inspected is charged with all that it may share.
        let share = |(pid, held): &(Pid, HeldMemory)| proc::own_share(*pid).unwrap_or(held.pages);
        tables + counted.iter().map(share).sum::<u64>()
    }

    /// The limit that what lies in the folders exceeds, if any.
    fn wrote_more_than(&self, most: u64) -> Option<ExceededLimit> {
        let unnamed: BTreeMap<_, _> = self
            .list_processes()
            .into_iter()
            .flat_map(proc::unnamed_files)
            .collect();
        let (mut bytes, mut files) = (unnamed.values().sum::<u64>(), 0);
        // The program writes there at this moment.
        for folder in &self.folders {
            let Ok(folder) = UntrustedFolder::open(folder) else {
                continue;
            };
            let bounds = WalkBounds {
                entries: MOST_FILES - files,
                depth: DEEPEST_FOLDER,
            };
            let end = folder.walk(Path::new(""), bounds, |entry| {
                files += 1;
                bytes += entry.meta.disk_bytes;
                bytes <= most
            });
            if bytes > most {
                break;
            }
            if end == WalkEnd::TooMuch {
                return Some(ExceededLimit::FileCount);
            }
        }
        (bytes > most).then_some(ExceededLimit::Disk)
    }
}

/// The shortest time in which this much memory can be filled, clamped to the costs of a measurement
/// and the longest interval.
fn time_to_fill(bytes: u64) -> Duration {
    const SHORTEST: Duration = Duration::from_millis(4);
    const LONGEST: Duration = Duration::from_millis(50);
    Duration::from_micros(bytes.saturating_mul(1_000_000) / FASTEST).clamp(SHORTEST, LONGEST)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn watch(memory: Option<u64>, disk: Option<u64>, folders: Vec<PathBuf>) -> LimitWatch {
        let helper = rustix::process::getpid();
        LimitWatch {
            helper,
            memory,
            disk,
            folders,
            held: Cell::new(0),
            most_held: Cell::new(0),
            listed: Cell::new(None),
            kernel: KernelMemory::new(None),
            machine: None,
        }
    }

    #[test]
    fn memory_is_measured_more_often_near_its_limit() {
        let check = |room: u64, millis: u64| {
            assert_eq!(time_to_fill(room).as_millis(), u128::from(millis), "{room}");
        };
        check(0, 4);
        check(32 << 20, 4);
        check(128 << 20, 15);
        check(512 << 20, 50);
        check(u64::MAX, 50);
    }

    #[test]
    fn memory_of_children_is_counted() {
        let mut child = std::process::Command::new("/bin/cat")
            .stdin(std::process::Stdio::piped())
            .spawn()
            .expect("it starts");
        assert_eq!(watch(Some(1 << 40), None, Vec::new()).check_limits(), None);
        assert_eq!(
            watch(Some(1 << 10), None, Vec::new()).check_limits(),
            Some(ExceededLimit::Memory)
        );
        drop(child.stdin.take());
        child.wait().expect("our own child");
    }

    #[test]
    fn files_of_a_build_are_counted() {
        let folder = tempfile::tempdir().expect("a folder");
        let inner = folder.path().join("inner");
        fs::create_dir(&inner).expect("a folder");
        fs::write(inner.join("file"), vec![1; 100_000]).expect("written");
        let look = |most| watch(None, Some(most), vec![folder.path().to_owned()]).check_limits();
        assert_eq!(look(10_000_000), None);
        assert_eq!(look(50_000), Some(ExceededLimit::Disk));
        fs::create_dir_all(inner.join("d/".repeat(DEEPEST_FOLDER + 1))).expect("folders");
        let deep = Some(ExceededLimit::FileCount);
        assert_eq!(look(10_000_000), deep);
    }
}
