//! Names that contain the creating process, so that leftovers of a killed process can be
//! recognised.

use crate::remove::remove_tree;
use crate::{identity, proc};
use rustix::process::{Pid, Signal};
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::path::{Path, PathBuf};

/// The prefix of every name.
const PREFIX: &str = "leitai";

/// A name for something that belongs to this process: `leitai-NAMESPACE-PID-START`.
pub fn owner_name() -> String {
    let pid = std::process::id();
    format!(
        "{PREFIX}-{}-{pid}-{}",
        pid_namespace("self"),
        start_of(pid).unwrap_or(0)
    )
}

/// A folder on disk for files of this process. It is removed with its content when dropped,
/// whatever an untrusted build has put there; if this process is killed, the next process that
/// creates such a folder removes it. Other users can neither read nor traverse it, except for the
/// programs that run in it.
#[derive(Debug)]
pub struct OwnedFolder {
    path: PathBuf,
    kept: bool,
}

impl OwnedFolder {
    /// Creates a folder on a file system with enough space.
    ///
    /// # Errors
    /// If no temporary folder is usable.
    pub fn new() -> io::Result<OwnedFolder> {
        sweep_folders();
        let place = temporary_folders()
            .into_iter()
            .next_back()
            .unwrap_or_else(std::env::temp_dir);
        OwnedFolder::make_inside(&place, &format!("{}-", owner_name()))
    }

    /// Creates a folder inside another one, with this prefix.
    ///
    /// # Errors
    /// If it cannot be created.
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

    /// Lets the programs of a root judge, which have other user ids, traverse the folder. In tiers
    /// A and B they see it in a view of their own; in tier C they must traverse it here.
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

    /// Keeps the folder; the owner of the parent folder removes it.
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

/// Removes leftovers of dead processes: first running programs, then folders.
///
/// A user id tells the helper's number in its own process id namespace. So programs in another one are left alone: those of a
/// container, whose helpers have other numbers here. Of our own none in a namespace can be left, because it ends with its init.
pub fn sweep_leftovers() {
    let own = pid_namespace("self");
    for (pid, user) in proc::list_processes() {
        let is_here = || pid_namespace(&pid.as_raw_nonzero().to_string()) == own;
        let stale = match identity::helper_of(user) {
            Some(helper) => is_here() && start_of(helper).is_none(),
            None => user == rustix::process::geteuid().as_raw() && lives_in_stale_folder(pid),
        };
        if stale {
            // It may have ended meanwhile.
            let _ = rustix::process::kill_process(pid, Signal::KILL);
        }
    }
    sweep_folders();
}

/// Whether the home of a process is a folder of a dead helper.
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

/// Removes the folders of dead processes.
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

/// Whether the name belongs to a dead process of this machine. Names of other origin, and of
/// processes that are invisible from here, are left alone.
pub fn is_stale(name: &str) -> bool {
    let mut parts = name.split('-');
    if parts.next() != Some(PREFIX) || parts.next() != Some(&pid_namespace("self")) {
        return false;
    }
    let mut number = || parts.next()?.parse::<u64>().ok();
    let (Some(pid), Some(start)) = (number(), number()) else {
        return false;
    };
    u32::try_from(pid).is_ok_and(|pid| start_of(pid) != Some(start))
}

/// The process id namespace of a process, by its number; empty if it is gone.
fn pid_namespace(process: &str) -> String {
    let link = fs::read_link(format!("/proc/{process}/ns/pid")).unwrap_or_default();
    link.to_string_lossy()
        .chars()
        .filter(char::is_ascii_digit)
        .collect()
}

/// When a process started, in ticks since the machine did; `None` if there is no such process, or
/// only a dead one that nobody has waited for.
fn start_of(pid: u32) -> Option<u64> {
    let text =
        proc::read_kernel_file(Path::new("/proc").join(pid.to_string()).join("stat")).ok()?;
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
    fn only_leftovers_of_dead_processes_are_stale() {
        let own = owner_name();
        let (head, start) = own.rsplit_once('-').expect("a name has parts");
        assert!(!is_stale(&own), "{own}");
        assert!(!is_stale(&format!("{own}-x7")), "with something behind");
        assert!(is_stale(&format!(
            "{head}-{}",
            start.parse::<u64>().expect("a number") + 1
        )));
        assert!(is_stale(&format!(
            "{PREFIX}-{}-4194999-5",
            pid_namespace("self")
        )));
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
