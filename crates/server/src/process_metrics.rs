//! What this process uses of its machine, for the metrics.

use std::fs;
use std::path::Path;

use metrics::{counter, gauge};
use rustix::process::{Resource, getrlimit};
use rustix::time::{ClockId, clock_gettime};

use crate::metrics_registry::{
    CPU, DISK, DISK_FREE, MEMORY, MEMORY_MOST, OPEN_FILES, OPEN_FILES_MOST,
};

/// Measures memory, open files and CPU time of this process, and the disk of its data folder. What
/// the system does not say is left out.
pub fn measure_process(data: Option<&Path>) {
    let page = rustix::param::page_size() as f64;
    if let Some(pages) = read_resident_pages() {
        gauge!(MEMORY).set(pages * page);
    }
    if let Some(most) = find_memory_limit() {
        gauge!(MEMORY_MOST).set(most);
    }
    if let Ok(files) = fs::read_dir("/proc/self/fd") {
        gauge!(OPEN_FILES).set(files.count() as f64);
    }
    if let Some(most) = getrlimit(Resource::Nofile).current {
        gauge!(OPEN_FILES_MOST).set(most as f64);
    }
    let cpu = clock_gettime(ClockId::ProcessCPUTime).tv_sec;
    counter!(CPU).absolute(cpu.unsigned_abs());
    if let Some(disk) = data.and_then(|data| rustix::fs::statvfs(data).ok()) {
        gauge!(DISK).set(disk.f_blocks as f64 * disk.f_frsize as f64);
        gauge!(DISK_FREE).set(disk.f_bavail as f64 * disk.f_frsize as f64);
    }
}

fn read_resident_pages() -> Option<f64> {
    let text = fs::read_to_string("/proc/self/statm").ok()?;
    text.split_whitespace().nth(1)?.parse().ok()
}

/// The memory that this process may use: the machine's, or less in a control group with a limit.
fn find_memory_limit() -> Option<f64> {
    let text = fs::read_to_string("/proc/meminfo").ok()?;
    let total = text
        .lines()
        .find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kibibytes: f64 = total.split_whitespace().next()?.parse().ok()?;
    let of_machine = kibibytes * 1024.0;
    let of_group = read_group_limit();
    Some(of_group.map_or(of_machine, |own| own.min(of_machine)))
}

/// The limit of the control group of this process (version 2), where it has one.
fn read_group_limit() -> Option<f64> {
    let own = fs::read_to_string("/proc/self/cgroup").ok()?;
    let own = own.lines().find_map(|line| line.strip_prefix("0::/"))?;
    let limit = Path::new("/sys/fs/cgroup").join(own).join("memory.max");
    fs::read_to_string(limit).ok()?.trim().parse().ok()
}
