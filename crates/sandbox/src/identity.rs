//! The user id of a program. Never root; if the judge is root, every program has a different user
//! id, because process limits are counted by user, and programs of one user could send signals to
//! each other.

use crate::setup_error::{SetupError, failed_step};
use rustix::process::{Gid, Uid};
use rustix::thread::{CapabilitySet, CapabilitySets};
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::OnceLock;

/// The user of a program inside a user namespace.
const INSIDE: u32 = 1000;
/// The ranges of user ids without accounts: first id and count.
const FREE: [(u32, u32); 2] = [(1_900_000_000, 4_194_304), (20_000, 40_000)];

/// The ranges of group ids for folders that only some programs may enter. No program's own group is
/// among them.
const FREE_GROUPS: [(u32, u32); 2] = [(1_905_000_000, 4_194_304), (60_000, 5_000)];

/// The user id of a program and the way to assume it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunAs {
    /// The judge is root: a user id of its own.
    Own(u32),
    /// The judge is not root: the judge's user, mapped in a user namespace.
    Mapped {
        /// The judge's user and group.
        user: u32,
        group: u32,
    },
    /// The judge is not root and there are no namespaces.
    Same(u32),
}

impl RunAs {
    /// Chooses the user id for this helper's program.
    pub fn choose_user(namespaces: bool) -> RunAs {
        let (user, group) = (rustix::process::geteuid(), rustix::process::getegid());
        if user.is_root() {
            RunAs::Own(free_user())
        } else if namespaces {
            RunAs::Mapped {
                user: user.as_raw(),
                group: group.as_raw(),
            }
        } else {
            RunAs::Same(user.as_raw())
        }
    }

    /// Its number as the program sees it.
    pub fn inside_uid(self) -> u32 {
        match self {
            RunAs::Own(user) | RunAs::Same(user) => user,
            RunAs::Mapped { .. } => INSIDE,
        }
    }

    /// Writes the id maps of a new user namespace; must be done first in it.
    pub fn write_id_maps(self) -> Result<(), SetupError> {
        let RunAs::Mapped { user, group } = self else {
            return Ok(());
        };
        let failed = "mapping the user";
        fs::write("/proc/self/setgroups", "deny").map_err(failed_step(failed))?;
        fs::write("/proc/self/uid_map", format!("{INSIDE} {user} 1"))
            .map_err(failed_step(failed))?;
        fs::write("/proc/self/gid_map", format!("{INSIDE} {group} 1")).map_err(failed_step(failed))
    }

    /// Assumes the user id irrevocably, without any privileges except access to the folders of
    /// these groups.
    pub fn assume_user(self, groups: &[u32]) -> Result<(), SetupError> {
        let failed = "giving up privileges";
        if let RunAs::Own(user) = self {
            drop_bounding_set();
            let (uid, gid) = (Uid::from_raw(user), Gid::from_raw(user));
            let groups: Vec<Gid> = groups.iter().map(|group| Gid::from_raw(*group)).collect();
            rustix::thread::set_thread_groups(&groups).map_err(failed_step(failed))?;
            rustix::thread::set_thread_res_gid(gid, gid, gid).map_err(failed_step(failed))?;
            rustix::thread::set_thread_res_uid(uid, uid, uid).map_err(failed_step(failed))?;
        } else {
            drop_bounding_set();
        }
        let none = CapabilitySets {
            effective: CapabilitySet::empty(),
            permitted: CapabilitySet::empty(),
            inheritable: CapabilitySet::empty(),
        };
        rustix::thread::set_capabilities(None, none).map_err(failed_step(failed))?;
        rustix::thread::set_no_new_privs(true).map_err(failed_step(failed))
    }
}

/// Drops what is left of the capability bounding set: what no program that this process or its
/// children execute can gain. A process without that right has no capabilities to lose. A new user
/// namespace begins with a full set.
pub fn drop_bounding_set() {
    for capability in CapabilitySet::all().iter() {
        let there = rustix::thread::capability_is_in_bounding_set(capability);
        if there.is_ok_and(|there| there) {
            let _ = rustix::thread::remove_capability_from_bounding_set(capability);
        }
    }
}

/// A user id derived from this process id, which is unique while it lives.
fn free_user() -> u32 {
    let own = rustix::process::getpid()
        .as_raw_nonzero()
        .get()
        .unsigned_abs();
    let (first, count) = free_users();
    first + own % count
}

/// The range of user ids without accounts here. A process and its copies look once: none of them
/// changes its user namespace after it.
pub fn free_users() -> (u32, u32) {
    static USERS: OnceLock<(u32, u32)> = OnceLock::new();
    *USERS.get_or_init(|| {
        let known = fs::read_to_string("/proc/self/uid_map").unwrap_or_default();
        let [high, low] = FREE;
        if is_mapped(&known, high) { high } else { low }
    })
}

/// The helper of the program with this user id, if no account can have the id.
pub fn helper_of(user: u32) -> Option<u32> {
    let (first, count) = FREE[0];
    let helper = user.checked_sub(first)?;
    (helper < count).then_some(helper)
}

/// A group id without members for a folder with this number; existing folders have different ones.
pub fn free_group(folder: u64) -> u32 {
    let known = fs::read_to_string("/proc/self/gid_map").unwrap_or_default();
    let [high, low] = FREE_GROUPS;
    let (first, count) = if is_mapped(&known, high) { high } else { low };
    first + u32::try_from(folder % u64::from(count)).expect("it is below the count")
}

/// The groups from [`free_group`] that are needed to reach a folder.
pub fn groups_on_the_way(folder: &Path) -> Vec<u32> {
    let is_free = |group: &u32| {
        FREE_GROUPS
            .iter()
            .any(|(first, count)| (*first..first + count).contains(group))
    };
    let groups = folder
        .ancestors()
        .filter_map(|above| fs::metadata(above).ok())
        .map(|meta| meta.gid());
    groups.filter(is_free).collect()
}

/// Whether a whole range of users exists in this namespace, by its `uid_map`.
fn is_mapped(map: &str, (first, count): (u32, u32)) -> bool {
    map.lines().any(|line| {
        let mut numbers = line
            .split_ascii_whitespace()
            .map(|number| number.parse::<u64>().unwrap_or(0));
        let (start, _, length) = (numbers.next(), numbers.next(), numbers.next());
        let (start, length) = (start.unwrap_or(0), length.unwrap_or(0));
        start <= first.into() && start + length >= u64::from(first) + u64::from(count)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_existing_users_are_chosen() {
        let check = |map: &str, expected: [bool; 2]| {
            assert_eq!(FREE.map(|range| is_mapped(map, range)), expected, "{map:?}");
        };
        check("         0          0 4294967295\n", [true, true]);
        check("         0     100000      65536\n", [false, true]);
        check(
            "         0       1000          1\n         1     100000      65536\n",
            [false, true],
        );
        check("      1000       1000          1\n", [false, false]);
        check("", [false, false]);
    }
}
