//! Diagnoses what this machine offers for a sandbox, and how to enable more.

use crate::cgroup::CgroupParent;
use crate::sys;
use std::fs;
use std::path::Path;

/// A fact about this machine, and the remedy for a problem.
#[derive(Clone, Debug)]
pub struct MachineFact {
    /// The name of the check.
    pub name: &'static str,
    /// The result; the error is the problem.
    pub found: Result<String, String>,
    /// The command that solves the problem.
    pub remedy: Option<String>,
}

/// Checks everything that the tiers depend on. `binary` is the program that will create namespaces.
pub fn list_facts(binary: &Path) -> Vec<MachineFact> {
    vec![
        kernel_fact(),
        user_fact(),
        container_fact(),
        namespaces_fact(binary),
        proc_fact(),
        control_groups(),
        landlock_fact(),
        system_call_filter(),
    ]
}

fn make_fact(
    name: &'static str,
    found: Result<String, String>,
    remedy: Option<String>,
) -> MachineFact {
    MachineFact {
        name,
        found,
        remedy,
    }
}

fn kernel_fact() -> MachineFact {
    let about = rustix::system::uname();
    let text = format!(
        "{} {}",
        about.release().to_string_lossy(),
        about.machine().to_string_lossy()
    );
    make_fact("kernel", Ok(text), None)
}

fn user_fact() -> MachineFact {
    let found = match rustix::process::geteuid().as_raw() {
        0 => "root: every program runs as a user of its own".to_owned(),
        user => {
            format!("user {user}: programs run as this user, under another number in a namespace")
        }
    };
    make_fact("user", Ok(found), None)
}

fn container_fact() -> MachineFact {
    let marks = ["/.dockerenv", "/run/.containerenv"];
    let found = if marks.iter().any(|mark| Path::new(mark).exists()) {
        "yes; if namespaces are refused: docker run --security-opt seccomp=unconfined --security-opt \
         apparmor=unconfined --security-opt systempaths=unconfined --cap-add SYS_ADMIN --cgroupns private …"
    } else {
        "no sign of one"
    };
    make_fact("container", Ok(found.to_owned()), None)
}

/// The settings with which distributions deny namespaces to ordinary users.
fn namespaces_fact(binary: &Path) -> MachineFact {
    let is =
        |path: &str, value: &str| fs::read_to_string(path).is_ok_and(|text| text.trim() == value);
    let name = "namespaces for users";
    let closed = |what: &str, remedy: String| make_fact(name, Err(what.to_owned()), Some(remedy));
    if is("/proc/sys/user/max_user_namespaces", "0") {
        return closed(
            "user.max_user_namespaces is 0",
            "sudo sysctl -w user.max_user_namespaces=15000".into(),
        );
    }
    if is("/proc/sys/kernel/unprivileged_userns_clone", "0") {
        let remedy = "sudo sysctl -w kernel.unprivileged_userns_clone=1";
        return closed("kernel.unprivileged_userns_clone is 0", remedy.into());
    }
    if is(
        "/proc/sys/kernel/apparmor_restrict_unprivileged_userns",
        "1",
    ) {
        let remedy = format!(
            "printf 'abi <abi/4.0>,\\nprofile leitai {} flags=(unconfined) {{\\n  userns,\\n}}\\n' | sudo tee \
             /etc/apparmor.d/leitai && sudo apparmor_parser -r /etc/apparmor.d/leitai",
            binary.display()
        );
        return closed(
            "AppArmor keeps them to programs with a profile (Ubuntu 23.10 and newer)",
            remedy,
        );
    }
    make_fact(name, Ok("open".to_owned()), None)
}

/// Whether programs get a `/proc`: the kernel refuses a user's namespace a new one where something
/// covers a part of the old one. Containers do that.
fn proc_fact() -> MachineFact {
    let name = "/proc for programs";
    let mounts = fs::read_to_string("/proc/self/mountinfo").unwrap_or_default();
    match find_cover(&mounts) {
        Some(cover) if !rustix::process::geteuid().is_root() => make_fact(
            name,
            Err(format!(
                "none, because {cover} is covered: Java does not start"
            )),
            Some("docker run --security-opt systempaths=unconfined …".to_owned()),
        ),
        _ => make_fact(name, Ok("there".to_owned()), None),
    }
}

/// The first mount on a part of `/proc`.
fn find_cover(mounts: &str) -> Option<&str> {
    // Most machines have this one, over an empty folder, which the kernel allows.
    const USUAL: &str = "/proc/sys/fs/binfmt_misc";
    let mut places = mounts.lines().filter_map(|line| line.split(' ').nth(4));
    places.find(|place| place.starts_with("/proc/") && *place != USUAL)
}

fn control_groups() -> MachineFact {
    let found = CgroupParent::find_parent()
        .map(|place| format!("memory bounded in {}", place.parent_folder().display()));
    let own = rustix::process::geteuid().is_root();
    let remedy = match (&found, own) {
        (Ok(_), _) => None,
        (Err(_), true) => Some(
            "mount -t cgroup2 none /sys/fs/cgroup   (in Docker: --cgroupns private)".to_owned(),
        ),
        (Err(_), false) => Some(
            "systemd-run --user --scope -p Delegate=yes leitai …   (or run it as root)".to_owned(),
        ),
    };
    make_fact("control groups", found, remedy)
}

fn landlock_fact() -> MachineFact {
    let found = match sys::landlock_version() {
        Some(version) => Ok(format!("version {version}")),
        None => Err("not in this kernel".to_owned()),
    };
    let remedy = found
        .is_err()
        .then(|| "use a kernel from 5.13, booted with landlock in its lsm= list".to_owned());
    make_fact("Landlock", found, remedy)
}

fn system_call_filter() -> MachineFact {
    let there = Path::new("/proc/sys/kernel/seccomp/actions_avail").exists();
    let found = if there {
        Ok("there".to_owned())
    } else {
        Err("the kernel does not tell of one".to_owned())
    };
    make_fact("system-call filter", found, None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_covered_part_of_proc_is_found() {
        let usual = "22 28 0:21 / /proc rw shared:13 - proc proc rw\n\
                     35 22 0:32 / /proc/sys/fs/binfmt_misc rw shared:16 - autofs systemd-1 rw\n";
        assert_eq!(find_cover(usual), None);
        let covered = format!("{usual}99 22 0:5 / /proc/kcore rw - devtmpfs udev rw\n");
        assert_eq!(find_cover(&covered), Some("/proc/kcore"));
        assert_eq!(find_cover(""), None);
    }
}
