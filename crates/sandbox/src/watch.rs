//! What the kernel does not bound: the memory of a program without a control group, and what a build writes. Looked at
//! a few times a second, so both can be exceeded for a moment.

use crate::order::Order;
use crate::{Over, Tier, proc, sys};
use rustix::process::Pid;
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;
use std::time::Duration;

/// Watches one program.
pub struct Watch {
    /// The process above all of it, which is not counted: the helper, to which orphans come where there are no
    /// namespaces.
    helper: Pid,
    memory: Option<u64>,
    disk: Option<u64>,
    folders: Vec<PathBuf>,
}

/// Files and folders that a build may leave; more take too long to count.
const MOST_FILES: u32 = 30_000;
/// Folders inside each other; what is deeper takes too long to look at, and nobody builds there.
const DEEPEST: usize = 64;

impl Watch {
    /// `None` if there is nothing to watch.
    pub fn of(order: &Order, helper: Pid) -> Option<Watch> {
        let memory = order.limits.memory.filter(|_| order.tier != Tier::A);
        let folders: Vec<PathBuf> = order.writes.iter().chain(&order.scratch).cloned().collect();
        let disk = order.limits.disk.filter(|_| !folders.is_empty());
        let watch = Watch { helper, memory, disk, folders };
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

    fn family(&self) -> Vec<Pid> {
        proc::family(self.helper).split_off(1)
    }

    /// A quick look first, which counts what is shared too often.
    fn holds_more_than(&self, most: u64) -> bool {
        let family = self.family();
        if family.iter().map(|pid| proc::own_memory(*pid)).sum::<u64>() <= most {
            return false;
        }
        let mut counted: Vec<Pid> = Vec::new();
        for pid in family {
            if !counted.iter().any(|other| sys::share_memory(*other, pid)) {
                counted.push(pid);
            }
        }
        // A process that hides is charged with all that it may share.
        let share = |pid: &Pid| proc::own_share(*pid).unwrap_or_else(|| proc::own_memory(*pid));
        counted.iter().map(share).sum::<u64>() > most
    }

    fn wrote_more_than(&self, most: u64) -> bool {
        let unnamed: BTreeMap<_, _> = self.family().into_iter().flat_map(proc::unnamed_files).collect();
        let (mut bytes, mut files) = (unnamed.values().sum::<u64>(), 0_u32);
        let mut open: Vec<(PathBuf, usize)> = self.folders.iter().map(|folder| (folder.clone(), 0)).collect();
        while let Some((folder, depth)) = open.pop() {
            for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
                let Ok(meta) = entry.metadata() else { continue };
                files += 1;
                bytes += meta.blocks() * 512;
                if meta.is_dir() {
                    open.push((entry.path(), depth + 1));
                }
                if bytes > most || files > MOST_FILES || depth > DEEPEST {
                    return true;
                }
            }
        }
        bytes > most
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn watch(memory: Option<u64>, disk: Option<u64>, folders: Vec<PathBuf>) -> Watch {
        Watch { helper: rustix::process::getpid(), memory, disk, folders }
    }

    #[test]
    fn memory_of_children_is_counted() {
        let mut child = std::process::Command::new("/bin/cat")
            .stdin(std::process::Stdio::piped())
            .spawn()
            .expect("it starts");
        assert_eq!(watch(Some(1 << 40), None, Vec::new()).look(), None);
        assert_eq!(watch(Some(1 << 10), None, Vec::new()).look(), Some(Over::Memory));
        drop(child.stdin.take());
        child.wait().expect("our own child");
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
        fs::create_dir_all(inner.join("d/".repeat(DEEPEST + 1))).expect("folders");
        assert_eq!(look(10_000_000), Some(Over::Disk), "too deep");
    }
}
