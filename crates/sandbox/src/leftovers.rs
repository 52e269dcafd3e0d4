//! Names that say which process made a thing, so that what a killed process left behind can be told
//! from what is in use.

use crate::remove::remove_tree;
use crate::{identity, proc};
use rustix::process::{Pid, Signal};
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::path::{Path, PathBuf};

/// With what every name begins.
const PREFIX: &str = "leitai";

/// A name for something that belongs to this process: `leitai-NAMESPACE-PID-START`.
pub fn owner_name() -> String {
    let pid = std::process::id();
    format!(
        "{PREFIX}-{}-{pid}-{}",
        pid_namespace(),
        start_of(pid).unwrap_or(0)
    )
}

/// A folder for files of this process, on disk. Removed with everything in it when dropped,
/// whatever a stranger's build has put there, or, if this process is killed, by the next one that
/// asks for one. Other users can neither look into it nor pass through it, but for the programs
/// that run in there.
#[derive(Debug)]
pub struct OwnedFolder {
    path: PathBuf,
    kept: bool,
}

impl OwnedFolder {
    /// A new one, where the system has room.
    ///
    /// # Errors
    /// If the system has no place for it.
    pub fn new() -> io::Result<OwnedFolder> {
        sweep_folders();
        let place = temporary_folders()
            .into_iter()
            .next_back()
            .unwrap_or_else(std::env::temp_dir);
        OwnedFolder::make_inside(&place, &format!("{}-", owner_name()))
    }

    /// A new one in a folder, with a name that begins like this.
    ///
    /// # Errors
    /// If it cannot be made.
    pub fn make_inside(folder: &Path, prefix: &str) -> io::Result<OwnedFolder> {
        let permissions = fs::Permissions::from_mode(0o700);
        let made = tempfile::Builder::new()
            .prefix(prefix)
            .permissions(permissions)
            .tempdir_in(folder)?;
        let room = OwnedFolder {
            path: made.keep(),
            kept: false,
        };
        if rustix::process::geteuid().is_root() {
            room.admit_programs()?;
        }
        Ok(room)
    }

    /// Where the judge is root its programs are other users. In tiers A and B they see the folder
    /// in a view of their own; in tier C they must pass through here.
    fn admit_programs(&self) -> io::Result<()> {
        let group = identity::free_group(fs::metadata(&self.path)?.ino());
        let given = chown(&self.path, None, Some(group));
        // Some containers have no such groups: then its name is all that keeps others out.
        let mode = if given.is_ok() { 0o710 } else { 0o711 };
        fs::set_permissions(&self.path, fs::Permissions::from_mode(mode))
    }

    /// Where it is.
    pub fn folder_path(&self) -> &Path {
        &self.path
    }

    /// Leaves it there for whoever removes the folder around it.
    pub fn keep_folder(mut self) {
        self.kept = true;
    }
}

impl Drop for OwnedFolder {
    fn drop(&mut self) {
        if !self.kept {
            // What cannot be removed now is tried again by the next process.
            let _ = remove_tree(&self.path);
        }
    }
}

/// Where temporary folders are made; the last is the one for large ones, which outlive no process
/// either, but are not in memory and not in the `/tmp` that programs see.
fn temporary_folders() -> Vec<PathBuf> {
    let on_disk = Path::new("/var/tmp");
    [
        Some(std::env::temp_dir()),
        on_disk.is_dir().then(|| on_disk.to_owned()),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Removes what processes that are gone have left: programs that still run, then folders.
pub fn sweep_leftovers() {
    for (pid, user) in proc::list_processes() {
        let stale = match identity::helper_of(user) {
            Some(helper) => start_of(helper).is_none(),
            None => user == rustix::process::geteuid().as_raw() && lives_in_stale_folder(pid),
        };
        if stale {
            // It may have ended meanwhile.
            let _ = rustix::process::kill_process(pid, Signal::KILL);
        }
    }
    sweep_folders();
}

/// Whether the home of a process is a folder that a helper made who is gone.
fn lives_in_stale_folder(pid: Pid) -> bool {
    let environment =
        fs::read(format!("/proc/{}/environ", pid.as_raw_nonzero())).unwrap_or_default();
    let mut homes = environment
        .split(|byte| *byte == 0)
        .filter_map(|pair| pair.strip_prefix(b"HOME="));
    homes.any(|home| {
        Path::new(OsStr::from_bytes(home))
            .file_name()
            .is_some_and(|name| is_stale(&name.to_string_lossy()))
    })
}

/// Removes folders that processes which are gone have left.
pub fn sweep_folders() {
    for entry in temporary_folders()
        .iter()
        .filter_map(|place| fs::read_dir(place).ok())
        .flatten()
        .flatten()
    {
        if is_stale(&entry.file_name().to_string_lossy()) {
            // Somebody else's cannot be removed, and another process may be removing it just now.
            let _ = remove_tree(&entry.path());
        }
    }
}

/// Whether a thing of this name belongs to a process of this machine that is gone. Names of others,
/// and of processes that cannot be seen from here, are left alone.
pub fn is_stale(name: &str) -> bool {
    let mut parts = name.split('-');
    if parts.next() != Some(PREFIX) || parts.next() != Some(&pid_namespace()) {
        return false;
    }
    let mut number = || parts.next()?.parse::<u64>().ok();
    let (Some(pid), Some(start)) = (number(), number()) else {
        return false;
    };
    u32::try_from(pid).is_ok_and(|pid| start_of(pid) != Some(start))
}

/// The process id namespace, by its number.
fn pid_namespace() -> String {
    let link = fs::read_link("/proc/self/ns/pid").unwrap_or_default();
    link.to_string_lossy()
        .chars()
        .filter(char::is_ascii_digit)
        .collect()
}

/// When a process started, in ticks since the machine did; `None` if there is no such process, or
/// only a dead one that nobody has waited for.
fn start_of(pid: u32) -> Option<u64> {
    let text = fs::read_to_string(Path::new("/proc").join(pid.to_string()).join("stat")).ok()?;
    let mut fields = text[text.rfind(')')? + 1..].split_ascii_whitespace();
    let state = fields.next()?;
    if matches!(state, "Z" | "X") {
        None
    } else {
        fields.nth(18)?.parse().ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_a_dead_process_left_is_stale() {
        let own = owner_name();
        let (head, start) = own.rsplit_once('-').expect("a name has parts");
        assert!(!is_stale(&own), "{own}");
        assert!(!is_stale(&format!("{own}-x7")), "with something behind");
        assert!(is_stale(&format!(
            "{head}-{}",
            start.parse::<u64>().expect("a number") + 1
        )));
        assert!(is_stale(&format!("{PREFIX}-{}-4194999-5", pid_namespace())));
        for other in [
            "",
            "leitai",
            "leitai-",
            "leitai-1-2-3",
            "somebody-else",
            "leitai-x-y-z",
        ] {
            assert!(!is_stale(other), "{other}");
        }
    }
}
