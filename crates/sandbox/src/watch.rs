//! What the kernel does not bound: the memory of a program without a control group, and what a build writes. Looked at
//! a few times a second, so both can be exceeded for a moment.

use crate::order::Order;
use crate::{Over, Tier, proc};
use rustix::process::Pid;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;
use std::time::Duration;

/// Watches one program.
pub struct Watch {
    init: Pid,
    memory: Option<u64>,
    disk: Option<u64>,
    folders: Vec<PathBuf>,
}

/// Files and folders that a build may leave; more take too long to count.
const MOST_FILES: u32 = 30_000;

impl Watch {
    /// `None` if there is nothing to watch.
    pub fn of(order: &Order, init: Pid) -> Option<Watch> {
        let memory = order.limits.memory.filter(|_| order.tier != Tier::A);
        let disk = order.limits.disk.filter(|_| !order.writes.is_empty());
        let watch = Watch { init, memory, disk, folders: order.writes.clone() };
        (memory.is_some() || disk.is_some()).then_some(watch)
    }

    /// How often to look.
    pub fn interval(&self) -> Duration {
        Duration::from_millis(if self.memory.is_some() { 100 } else { 250 })
    }

    /// What is exceeded, if anything.
    pub fn look(&self) -> Option<Over> {
        if self.memory.is_some_and(|most| self.holds_more_than(most)) {
            return Some(Over::Memory);
        }
        self.disk.filter(|most| self.wrote_more_than(*most)).map(|_| Over::Disk)
    }

    /// A quick look first, which counts what is shared too often.
    fn holds_more_than(&self, most: u64) -> bool {
        let family = proc::family(self.init);
        let sum = |count: fn(Pid) -> u64| family.iter().map(|pid| count(*pid)).sum::<u64>();
        sum(proc::own_memory) > most && sum(proc::own_share) > most
    }

    fn wrote_more_than(&self, most: u64) -> bool {
        let mut open = self.folders.clone();
        let (mut bytes, mut files) = (0_u64, 0_u32);
        while let Some(folder) = open.pop() {
            for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
                let Ok(meta) = entry.metadata() else { continue };
                files += 1;
                bytes += meta.blocks() * 512;
                if meta.is_dir() {
                    open.push(entry.path());
                }
                if bytes > most || files > MOST_FILES {
                    return true;
                }
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn watch(memory: Option<u64>, disk: Option<u64>, folders: Vec<PathBuf>) -> Watch {
        Watch { init: rustix::process::getpid(), memory, disk, folders }
    }

    #[test]
    fn memory_is_counted() {
        assert_eq!(watch(Some(1 << 40), None, Vec::new()).look(), None);
        assert_eq!(watch(Some(1 << 10), None, Vec::new()).look(), Some(Over::Memory));
    }

    #[test]
    fn what_a_build_writes_is_counted() {
        let folder = tempfile::tempdir().expect("a folder");
        let inner = folder.path().join("inner");
        fs::create_dir(&inner).expect("a folder");
        fs::write(inner.join("file"), vec![1; 100_000]).expect("written");
        let look = |most| watch(None, Some(most), vec![folder.path().to_owned()]).look();
        assert_eq!(look(10_000_000), None);
        assert_eq!(look(50_000), Some(Over::Disk));
    }
}
