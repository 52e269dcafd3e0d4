//! Reads process data from `/proc`.

use crate::sys;
use rustix::process::Pid;
use std::fs;
use std::io::{self, BufRead, BufReader, Read};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::Duration;

/// Reads a file that the kernel makes. The size that it tells is zero, and reading it whole by that
/// takes many small reads.
///
/// # Errors
/// Those of the kernel.
pub fn read_kernel_file(path: impl AsRef<Path>) -> io::Result<String> {
    let mut text = String::with_capacity(1024);
    fs::File::open(path)?
        .take(u64::MAX)
        .read_to_string(&mut text)?;
    Ok(text)
}

/// How long the main thread of a process was ready to run while the processor ran something else.
pub fn run_delay(pid: Pid) -> Option<Duration> {
    let text = read_kernel_file(format!("/proc/{}/schedstat", pid.as_raw_nonzero())).ok()?;
    text.split_ascii_whitespace()
        .nth(1)?
        .parse()
        .ok()
        .map(Duration::from_nanos)
}

/// Whether a process has ended, or the system is at its end, that is at the end of all its threads: it
/// then takes away its descriptors, and only afterwards it can be waited for.
pub fn is_ending(pid: Pid) -> bool {
    let threads = fs::read_dir(format!("/proc/{}/task", pid.as_raw_nonzero()));
    let threads = threads.into_iter().flatten().flatten();
    let mut stats = threads.filter_map(|thread| read_kernel_file(thread.path().join("stat")).ok());
    stats.all(|text| parse_stat(&text).is_none_or(|stat| stat.is_ending))
}

/// The most memory that a process had resident at a time, in bytes.
pub fn memory_peak(pid: Pid) -> Option<u64> {
    let text = read_kernel_file(format!("/proc/{}/status", pid.as_raw_nonzero())).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.split_ascii_whitespace()
        .next()?
        .parse::<u64>()
        .ok()
        .map(|kib| kib << 10)
}

/// Processor time of everything below a helper and of the dead ones that were waited for, of the
/// latter to two hundredths of a second a process. Never too much: a process is looked at before
/// its children. The helper's own and that of the init above `program` is not counted.
pub fn cpu_of_family(helper: Pid, program: Pid) -> Option<Duration> {
    let init = read_stat(program).map(|stat| stat.parent);
    let times = list_descendants(helper).into_iter().filter_map(|pid| {
        let of_dead = read_stat(pid)?.cpu_of_dead;
        let ours = pid == helper || Some(pid.as_raw_pid()) == init;
        let own = sys::cpu_clock(pid).filter(|_| !ours);
        Some(of_dead + own.unwrap_or_default())
    });
    times.reduce(|a, b| a + b)
}

fn read_stat(of: Pid) -> Option<ProcStat> {
    parse_stat(&read_kernel_file(format!("/proc/{}/stat", of.as_raw_nonzero())).ok()?)
}

/// Processor time of all live processes of a group and of the dead ones they waited for, to a
/// hundredth of a second.
pub fn cpu_of_group(group: Pid) -> Option<Duration> {
    let group = group.as_raw_nonzero().get();
    let members = read_all_stats().filter(|stat| stat.group == group);
    members.map(|stat| stat.cpu).reduce(|a, b| a + b)
}

/// The live children of a process, of all its threads.
pub fn list_children(of: Pid) -> Vec<Pid> {
    let threads = fs::read_dir(format!("/proc/{}/task", of.as_raw_nonzero()))
        .into_iter()
        .flatten()
        .flatten();
    let texts = threads.filter_map(|thread| read_kernel_file(thread.path().join("children")).ok());
    let numbers = texts.flat_map(|text| {
        text.split_ascii_whitespace()
            .filter_map(|number| number.parse().ok())
            .collect::<Vec<i32>>()
    });
    numbers.filter_map(Pid::from_raw).collect()
}

/// A process with its children, theirs, and so on.
pub fn list_descendants(of: Pid) -> Vec<Pid> {
    let mut all = vec![of];
    let mut next = 0;
    while next < all.len() && all.len() < MOST {
        all.extend(list_children(all[next]));
        next += 1;
    }
    all
}

/// The most descendants that are inspected.
const MOST: usize = 4096;

/// Bytes of memory that a process holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HeldMemory {
    /// Pages that no file backs.
    pub pages: u64,
    /// What the kernel needs to find the pages: a program that touches one byte in two megabytes
    /// needs as much again, and one that only reads has tables without pages.
    pub tables: u64,
    /// Of `pages`, those that are shared.
    pub shared: u64,
    /// Bytes of address space; there is no more than one mapping a page of it.
    pub space: u64,
    /// Descriptors, rounded up.
    pub files: u64,
}

/// The memory of a process from `/proc/PID/status`.
pub fn read_held_memory(of: Pid) -> HeldMemory {
    let kib = |text: &str, name: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(name));
        line.and_then(|rest| rest.split_ascii_whitespace().next()?.parse::<u64>().ok())
    };
    let held = |text: String| {
        let shared = kib(&text, "RssShmem:")? << 10;
        Some(HeldMemory {
            pages: (kib(&text, "RssAnon:")? << 10) + shared,
            tables: kib(&text, "VmPTE:")? << 10,
            shared,
            space: kib(&text, "VmSize:")? << 10,
            files: kib(&text, "FDSize:")?,
        })
    };
    of_a_thread(of, "status", held).unwrap_or_default()
}

/// The pages of a process, with a proportional part of shared ones. Slower. `None` if the process
/// cannot be inspected.
pub fn own_share(of: Pid) -> Option<u64> {
    let held = |text: String| {
        let kib = text.lines().filter_map(|line| {
            let (name, rest) = line.split_once(':')?;
            let counted = matches!(name, "Pss_Anon" | "Pss_Shmem");
            counted.then(|| rest.split_ascii_whitespace().next()?.parse::<u64>().ok())?
        });
        kib.reduce(|a, b| a + b).map(|kib| kib << 10)
    };
    let text = read_kernel_file(format!("/proc/{}/smaps_rollup", of.as_raw_nonzero()));
    text.ok().and_then(held)
}

/// The folder of a process in `/proc`, or of another of its threads if the first has ended: that one
/// has no memory and no descriptors any more.
fn living_folder(of: Pid) -> String {
    let folder = format!("/proc/{}", of.as_raw_nonzero());
    // A process without memory has no program, either.
    if fs::read_link(format!("{folder}/exe")).is_ok() {
        return folder;
    }
    let threads = fs::read_dir(format!("{folder}/task")).into_iter().flatten();
    let living = threads
        .flatten()
        .map(|thread| thread.path())
        .find(|thread| fs::read_link(thread.join("exe")).is_ok());
    living.map_or(folder, |thread| thread.display().to_string())
}

/// The open descriptors of a process; `None` if it cannot be inspected.
pub fn count_files(of: Pid) -> Option<u64> {
    let folder = format!("{}/fd", living_folder(of));
    // Kernels before 6.2 say 0.
    match fs::metadata(&folder).ok()?.len() {
        0 => fs::read_dir(folder).ok().map(|open| open.count() as u64),
        known => Some(known),
    }
}

/// The parent of a process.
pub fn parent_of(pid: Pid) -> Option<Pid> {
    Pid::from_raw(read_stat(pid)?.parent)
}

/// The mappings of a process.
#[derive(Clone, Debug, Default)]
pub struct MappingCount {
    pub mappings: u64,
    /// Bytes of the shared memory without a name that they show, by its number: what is in it stays
    /// when it is not mapped any more, as long as a page of it is.
    pub shared: Vec<(u64, u64)>,
}

/// Counts the mappings of a process, `most` at most.
pub fn count_mappings(of: Pid, most: u64) -> MappingCount {
    let folder = format!("/proc/{}", of.as_raw_nonzero());
    let mut count = MappingCount::default();
    let Ok(file) = fs::File::open(format!("{}/maps", living_folder(of))) else {
        return count;
    };
    let (mut file, mut line) = (BufReader::new(file), Vec::new());
    while count.mappings < most && file.read_until(b'\n', &mut line).is_ok_and(|read| read > 0) {
        count.mappings += 1;
        let is_shared = line.ends_with(b"/dev/zero (deleted)\n");
        let text = String::from_utf8_lossy(if is_shared { &line } else { b"" }).into_owned();
        line.clear();
        let Some((range, number)) = parse_shared_mapping(text.trim_end()) else {
            continue;
        };
        // Only root may ask how much is in it. Others are told how much is shown.
        let held = fs::metadata(format!("{folder}/map_files/{range}"));
        let bytes = held.map_or(size_of_range(range), |meta| meta.blocks() * 512);
        let known = count.shared.iter().position(|(known, _)| *known == number);
        match known {
            Some(at) => count.shared[at].1 = bytes.max(count.shared[at].1),
            None if count.shared.len() < MOST => count.shared.push((number, bytes)),
            None => count.mappings = most,
        }
    }
    count
}

/// The range and the number of a mapping of shared memory without a name:
/// `7f00-7f01 rw-s 00000000 00:01 2050 /dev/zero (deleted)`.
fn parse_shared_mapping(line: &str) -> Option<(&str, u64)> {
    let head = line.strip_suffix("/dev/zero (deleted)")?;
    let mut fields = head.split_ascii_whitespace();
    let range = fields.next()?;
    let number = fields.nth(3)?.parse().ok()?;
    Some((range, number))
}

fn size_of_range(range: &str) -> u64 {
    let ends = range.split_once('-').map(|(from, to)| {
        let parse = |text| u64::from_str_radix(text, 16).unwrap_or(0);
        parse(to).saturating_sub(parse(from))
    });
    ends.unwrap_or(0)
}

/// Reads a file of a process. If the first thread has ended but others run, the file of another
/// thread is read.
fn of_a_thread<T>(of: Pid, name: &str, tell: impl Fn(String) -> Option<T>) -> Option<T> {
    let folder = format!("/proc/{}", of.as_raw_nonzero());
    let own = read_kernel_file(format!("{folder}/{name}"))
        .ok()
        .and_then(&tell);
    own.or_else(|| {
        let threads = fs::read_dir(format!("{folder}/task")).ok()?.flatten();
        let mut answers =
            threads.filter_map(|thread| tell(read_kernel_file(thread.path().join(name)).ok()?));
        answers.next()
    })
}

/// Bytes on disk of files that have no name any more and are held open by a process, each by its
/// number.
pub fn unnamed_files(of: Pid) -> Vec<((u64, u64), u64)> {
    let open = fs::read_dir(format!("{}/fd", living_folder(of)))
        .into_iter()
        .flatten()
        .flatten();
    let files = open.filter_map(|entry| fs::metadata(entry.path()).ok());
    let unnamed = files.filter(|meta| meta.is_file() && meta.nlink() == 0);
    unnamed
        .map(|meta| ((meta.dev(), meta.ino()), meta.blocks() * 512))
        .collect()
}

/// All processes: their numbers, and their users.
pub fn list_processes() -> impl Iterator<Item = (Pid, u32)> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = entries.filter_map(|entry| Pid::from_raw(entry.file_name().to_str()?.parse().ok()?));
    pids.filter_map(|pid| Some((pid, parse_field(&read_status(pid), "Uid:")?)))
}

/// Processes and threads of a user.
pub fn threads_of(user: u32) -> u64 {
    let own = list_processes().filter(|(_, owner)| *owner == user);
    own.filter_map(|(pid, _)| parse_field(&read_status(pid), "Threads:"))
        .map(u64::from)
        .sum()
}

/// Whether a process ignores the exits of its children, whose processor time is then not accounted.
pub fn ignores_children(of: Pid) -> bool {
    let status = read_status(of);
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask
        .and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok())
        .unwrap_or(0);
    mask >> (libc::SIGCHLD - 1) & 1 == 1
}

fn read_status(of: Pid) -> String {
    read_kernel_file(format!("/proc/{}/status", of.as_raw_nonzero())).unwrap_or_default()
}

fn parse_field(status: &str, name: &str) -> Option<u32> {
    let line = status.lines().find_map(|line| line.strip_prefix(name))?;
    line.split_ascii_whitespace().next()?.parse().ok()
}

/// The part of `/proc/PID/stat` that is used here.
pub struct ProcStat {
    /// The parent's number.
    pub parent: i32,
    /// The process group.
    pub group: i32,
    /// Whether it has ended, or is at its end.
    pub is_ending: bool,
    /// Processor time, with that of the children it waited for.
    pub cpu: Duration,
    /// That of the children it waited for.
    pub cpu_of_dead: Duration,
}

/// All processes that can be seen.
fn read_all_stats() -> impl Iterator<Item = ProcStat> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries
        .filter(|entry| entry.file_name().as_encoded_bytes()[0].is_ascii_digit())
        .filter_map(|entry| parse_stat(&read_kernel_file(entry.path().join("stat")).ok()?))
}

/// The flag of a process in `exit(2)`: `PF_EXITING` of Linux.
const EXITING: i64 = 0x4;

/// See proc(5). The name is in parentheses and may hold anything, so the fields are counted from
/// the last one.
fn parse_stat(text: &str) -> Option<ProcStat> {
    let fields: Vec<&str> = text[text.rfind(')')? + 1..]
        .split_ascii_whitespace()
        .collect();
    let number = |at: usize| fields.get(at)?.parse::<i64>().ok();
    let per_second = rustix::param::clock_ticks_per_second().max(1);
    let time = |fields: std::ops::Range<usize>| -> Option<Duration> {
        let ticks: i64 = fields.map(number).sum::<Option<i64>>()?;
        Some(Duration::from_millis(
            u64::try_from(ticks).ok()? * 1000 / per_second,
        ))
    };
    let pid = |at| i32::try_from(number(at)?).ok();
    let is_dead = matches!(*fields.first()?, "Z" | "X");
    Some(ProcStat {
        parent: pid(1)?,
        group: pid(2)?,
        is_ending: is_dead || number(6)? & EXITING != 0,
        cpu: time(11..15)?,
        cpu_of_dead: time(13..15)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stat_line_is_read_whatever_the_name() {
        let line = "42 (a) b (c)) S 1 77 77 0 -1 0 0 0 0 0 100 50 25 5 20 0 1 0 0 0 0";
        let stat = parse_stat(line).expect("a stat line");
        assert_eq!((stat.group, stat.cpu), (77, Duration::from_millis(1800)));
        assert_eq!(stat.parent, 1);
        assert_eq!(stat.cpu_of_dead, Duration::from_millis(300));
        for (state, flags, is_ending) in [("R", "4", true), ("Z", "0", true), ("D", "64", false)] {
            let line = line.replace(
                ") S 1 77 77 0 -1 0",
                &format!(") {state} 1 77 77 0 -1 {flags}"),
            );
            let stat = parse_stat(&line).expect("a stat line");
            assert_eq!(stat.is_ending, is_ending, "{line}");
        }
        assert!(parse_stat("").is_none());
        assert!(parse_stat("1 (x) S 1").is_none());
    }

    #[test]
    fn shared_memory_without_a_name_is_recognised() {
        let line = "7f0a00000000-7f0a00200000 rw-s 00001000 00:01 2050      /dev/zero (deleted)";
        let range = "7f0a00000000-7f0a00200000";
        assert_eq!(parse_shared_mapping(line), Some((range, 2050)));
        assert_eq!(size_of_range(range), 2 << 20);
        for other in [
            "",
            "7f0a0000-7f0b0000 rw-p 00000000 00:00 0",
            "/dev/zero (deleted)",
        ] {
            assert_eq!(parse_shared_mapping(other), None, "{other}");
        }
        assert_eq!(size_of_range("x-y"), 0);
    }

    #[test]
    fn this_process_has_used_time_and_memory() {
        let me = rustix::process::getpid();
        assert!(memory_peak(me).is_some_and(|bytes| bytes > 1 << 20));
        assert!(read_all_stats().count() > 0);
    }
}
