//! Control groups: one group limits the memory of one program exactly and measures its processor
//! time; around those of all programs is another one. Version 2 where it has the memory controller,
//! otherwise version 1.

use crate::cpu_file::CpuFile;
use crate::proc::read_kernel_file;
use crate::setup_error::{SetupError, failed_step};
use crate::{ExceededLimit, leftovers};
use rustix::process::{Pid, Signal};
use serde::{Deserialize, Serialize};
use std::fs;
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A folder in which control groups can be created.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CgroupParent {
    version: CgroupVersion,
    memory: PathBuf,
    /// Version 1 measures processor time in a separate tree.
    cpuacct: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum CgroupVersion {
    One,
    Two,
}

/// The control group of one program.
#[derive(Debug)]
pub struct Cgroup {
    version: CgroupVersion,
    memory: PathBuf,
    cpu: Option<(PathBuf, CpuFile)>,
    folders: Vec<PathBuf>,
}

impl CgroupParent {
    /// Finds a folder for groups and tests it; the error says what is missing.
    pub fn find_parent() -> Result<CgroupParent, String> {
        let read = |path| fs::read_to_string(path).map_err(|error| format!("{path}: {error}"));
        let (mounts, own) = (read("/proc/self/mountinfo")?, read("/proc/self/cgroup")?);
        let places = list_parents(&mounts, &own);
        let mut why = "no memory control group is mounted".to_owned();
        for place in places {
            match place.try_out() {
                Ok(()) => return Ok(place),
                Err(error) => why = format!("{}: {error}", place.memory.display()),
            }
        }
        Err(why)
    }

    /// The folder in which groups are created.
    pub fn parent_folder(&self) -> &Path {
        &self.memory
    }

    /// The group around those of all programs. It stays.
    fn programs_folder(&self) -> PathBuf {
        self.memory.join(PROGRAMS)
    }

    fn try_out(&self) -> io::Result<()> {
        self.make_programs_folder()?;
        let made = self
            .make_cgroup(Some(64 << 20))
            .map_err(|step| io::Error::from_raw_os_error(step.errno))?;
        made.remove_cgroup();
        Ok(())
    }

    fn make_programs_folder(&self) -> io::Result<()> {
        let folder = self.programs_folder();
        if self.version == CgroupVersion::Two {
            CgroupParent::enable_memory(&self.memory)?;
        }
        match fs::create_dir(&folder) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
            _ => {}
        }
        match self.version {
            // Kernels from 5.11 know nothing else, and some of them not the file.
            CgroupVersion::One => {
                let _ = fs::write(folder.join("memory.use_hierarchy"), "1");
                Ok(())
            }
            CgroupVersion::Two => CgroupParent::enable_memory(&folder),
        }
    }

    /// Limits the memory of all programs together, in bytes.
    pub fn bound_programs(&self, bytes: u64) -> io::Result<()> {
        let name = match self.version {
            CgroupVersion::One => "memory.limit_in_bytes",
            CgroupVersion::Two => "memory.max",
        };
        fs::write(self.programs_folder().join(name), bytes.to_string())
    }

    /// Enables the memory controller for the children of a group.
    fn enable_memory(group: &Path) -> io::Result<()> {
        let control = group.join("cgroup.subtree_control");
        if fs::read_to_string(&control)?
            .split_ascii_whitespace()
            .any(|name| name == "memory")
        {
            return Ok(());
        }
        fs::write(control, "+memory")
    }

    /// Creates a group with this memory limit in bytes.
    pub fn make_cgroup(&self, memory: Option<u64>) -> Result<Cgroup, SetupError> {
        let name = leftovers::owner_name();
        let mut group = Cgroup {
            version: self.version,
            memory: self.programs_folder().join(&name),
            cpu: None,
            folders: Vec::new(),
        };
        match group.set_limits(self, &name, memory) {
            Ok(()) => Ok(group),
            Err(step) => {
                group.remove_cgroup();
                Err(step)
            }
        }
    }

    /// Removes the groups of dead processes here and in sibling groups, where another judge may
    /// have run, and kills what still runs in them.
    pub fn sweep_leftovers(&self) {
        let read = |folder: &Path| {
            fs::read_dir(folder)
                .into_iter()
                .flatten()
                .flatten()
                .take(MOST)
                .map(|entry| entry.path())
        };
        let beside = self
            .memory
            .parent()
            .into_iter()
            .flat_map(read)
            .filter(|path| path.is_dir());
        for folder in beside
            .chain([self.memory.clone()])
            .flat_map(|group| [group.join(PROGRAMS), group])
            .chain(self.cpuacct.clone())
        {
            let stale = |path: &PathBuf| {
                path.file_name()
                    .is_some_and(|name| leftovers::is_stale(&name.to_string_lossy()))
            };
            read(&folder)
                .filter(stale)
                .for_each(|path| remove_folder(&path));
        }
    }
}

/// The name of the group around those of all programs.
const PROGRAMS: &str = "leitai-programs";
/// The most bytes that a kernel of version 1 asks a group for at once, when it is nearly full.
const PIECE: u64 = 1 << 20;
/// The most groups that are inspected.
const MOST: usize = 4096;

impl Cgroup {
    fn set_limits(
        &mut self,
        place: &CgroupParent,
        name: &str,
        memory: Option<u64>,
    ) -> Result<(), SetupError> {
        if !place.programs_folder().is_dir() {
            place
                .make_programs_folder()
                .map_err(failed_step("making the control group of all programs"))?;
        }
        self.add_folder(self.memory.clone())?;
        if let Some(cpuacct) = place.cpuacct.as_ref().map(|path| path.join(name)) {
            self.add_folder(cpuacct.clone())?;
            self.cpu = Some((cpuacct.join("cpuacct.usage"), CpuFile::Nanos));
        } else if self.version == CgroupVersion::Two {
            self.cpu = Some((self.memory.join("cpu.stat"), CpuFile::Stat));
        }
        memory.map_or(Ok(()), |bytes| {
            self.bound_memory(bytes)
                .map_err(failed_step("limiting memory"))
        })
    }

    fn add_folder(&mut self, folder: PathBuf) -> Result<(), SetupError> {
        match fs::create_dir(&folder) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
                return Err(failed_step("making a control group")(error));
            }
            _ => self.folders.push(folder),
        }
        Ok(())
    }

    fn bound_memory(&self, bytes: u64) -> io::Result<()> {
        let write = |name: &str, value: &str| fs::write(self.memory.join(name), value);
        match self.version {
            CgroupVersion::One => {
                write("memory.limit_in_bytes", &bytes.to_string())?;
                // The file is missing without swap accounting; without swap it does not matter.
                let _ = write("memory.memsw.limit_in_bytes", &bytes.to_string());
                // Buffers of the program's own loopback are counted apart.
                let _ = write("memory.kmem.tcp.limit_in_bytes", &(bytes / 8).to_string());
            }
            CgroupVersion::Two => {
                write("memory.max", &bytes.to_string())?;
                let _ = write("memory.swap.max", "0");
                let _ = write("memory.oom.group", "1");
            }
        }
        Ok(())
    }

    /// Moves a process into the group; its later children belong to it as well.
    pub fn admit_process(&self, pid: Pid) -> Result<(), SetupError> {
        let number = pid.as_raw_nonzero().to_string();
        let admit = |folder: &PathBuf| fs::write(folder.join("cgroup.procs"), &number);
        self.folders
            .iter()
            .try_for_each(admit)
            .map_err(failed_step("entering the control group"))
    }

    /// Whether it tells the processor time.
    pub fn tells_cpu_time(&self) -> bool {
        self.cpu.is_some()
    }

    /// Opens the file that tells it.
    pub fn open_cpu_file(&self) -> Option<(OwnedFd, CpuFile)> {
        let (path, kind) = self.cpu.as_ref()?;
        Some((fs::File::open(path).ok()?.into(), *kind))
    }

    /// Processor time used so far.
    pub fn cpu_time(&self) -> Option<Duration> {
        let (path, kind) = self.cpu.as_ref()?;
        kind.parse(&read_kernel_file(path).ok()?)
    }

    /// The most memory used at a time, in bytes.
    pub fn memory_peak(&self) -> Option<u64> {
        let name = match self.version {
            CgroupVersion::One => "memory.max_usage_in_bytes",
            CgroupVersion::Two => "memory.peak",
        };
        read_kernel_file(self.memory.join(name))
            .ok()?
            .trim()
            .parse()
            .ok()
    }

    /// The limit for which a process was killed because memory ran out, if one was: the group's own
    /// if it was ever reached, otherwise that of all programs or of the machine.
    pub fn exceeded_limit(&self) -> Option<ExceededLimit> {
        let read = |name: &str| read_kernel_file(self.memory.join(name)).unwrap_or_default();
        let counts = |text: &str, name: &str| {
            let mut counts = text.lines().filter_map(|line| line.strip_prefix(name));
            counts.any(|count| count.trim() != "0")
        };
        let file = match self.version {
            CgroupVersion::One => "memory.oom_control",
            CgroupVersion::Two => "memory.events",
        };
        let events = read(file);
        if !counts(&events, "oom_kill ") {
            return None;
        }
        let reached = match self.version {
            CgroupVersion::One => {
                let number = |name: &str| read(name).trim().parse::<u64>().unwrap_or(0);
                // The second is missing where swap is not counted. Newer kernels do not count how
                // often a limit was reached.
                let most = number("memory.max_usage_in_bytes")
                    .max(number("memory.memsw.max_usage_in_bytes"));
                most + PIECE >= number("memory.limit_in_bytes")
            }
            CgroupVersion::Two => counts(&events, "max "),
        };
        Some(match reached {
            true => ExceededLimit::Memory,
            false => ExceededLimit::MachineMemory,
        })
    }

    /// Removes the group, in which no process may run any more.
    pub fn remove_cgroup(self) {
        self.folders.iter().for_each(|folder| remove_folder(folder));
    }
}

/// The kernel frees a group a moment after its last process ended.
fn remove_folder(folder: &Path) {
    const TRIES: u32 = 200;
    for _ in 0..TRIES {
        match fs::remove_dir(folder) {
            Err(error) if error.raw_os_error() == Some(libc::EBUSY) => {
                end_all_in(folder);
                std::thread::sleep(Duration::from_millis(2));
            }
            _ => return,
        }
    }
}

fn end_all_in(folder: &Path) {
    let text = fs::read_to_string(folder.join("cgroup.procs")).unwrap_or_default();
    for pid in text
        .lines()
        .filter_map(|line| Pid::from_raw(line.parse().ok()?))
    {
        // It may have ended meanwhile.
        let _ = rustix::process::kill_process(pid, Signal::KILL);
    }
}

/// The candidate folders, from `/proc/self/mountinfo` and `/proc/self/cgroup`: the own group and
/// its ancestors.
fn list_parents(mounts: &str, own: &str) -> Vec<CgroupParent> {
    let folder = |kind: &str, controller: &str| -> Option<(PathBuf, PathBuf)> {
        let mount = mounts
            .lines()
            .find_map(|line| parse_mount(line, kind, controller))?;
        let path = own.lines().find_map(|line| parse_own(line, controller))?;
        let below = path.strip_prefix(&mount.root).unwrap_or(Path::new(""));
        Some((mount.at.clone(), mount.at.join(below)))
    };
    let mut found = Vec::new();
    if let Some((top, own)) = folder("cgroup2", "") {
        let groups = own.ancestors().take_while(|path| path.starts_with(&top));
        found.extend(groups.map(|path| CgroupParent {
            version: CgroupVersion::Two,
            memory: path.to_owned(),
            cpuacct: None,
        }));
    }
    if let Some((_, memory)) = folder("cgroup", "memory") {
        let cpuacct = folder("cgroup", "cpuacct").map(|(_, own)| own);
        found.push(CgroupParent {
            version: CgroupVersion::One,
            memory,
            cpuacct,
        });
    }
    found
}

struct CgroupMount {
    root: PathBuf,
    at: PathBuf,
}

/// See proc(5): `36 35 98:0 ROOT AT options - KIND source super_options`.
fn parse_mount(line: &str, kind: &str, controller: &str) -> Option<CgroupMount> {
    let (left, right) = line.split_once(" - ")?;
    let mut right = right.split(' ');
    let is_kind = right.next() == Some(kind);
    let options = right.nth(1).unwrap_or("");
    let has = controller.is_empty() || options.split(',').any(|option| option == controller);
    let fields: Vec<&str> = left.split(' ').collect();
    (is_kind && has).then_some(())?;
    Some(CgroupMount {
        root: PathBuf::from(fields.get(3)?),
        at: PathBuf::from(fields.get(4)?.replace("\\040", " ")),
    })
}

/// `9:memory:/path`, for version 2 `0::/path`.
fn parse_own(line: &str, controller: &str) -> Option<PathBuf> {
    let mut parts = line.splitn(3, ':').skip(1);
    let names = parts.next()?;
    names
        .split(',')
        .any(|name| name == controller)
        .then(|| parts.next().map(PathBuf::from))?
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(mounts: &str, own: &str, expected: &[(CgroupVersion, &str, Option<&str>)]) {
        let found = list_parents(mounts, own);
        let found: Vec<_> = found
            .iter()
            .map(|place| {
                let cpuacct = place
                    .cpuacct
                    .as_ref()
                    .map(|path| path.to_str().expect("text"));
                (place.version, place.memory.to_str().expect("text"), cpuacct)
            })
            .collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn a_host_with_version_2() {
        check(
            "30 20 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate",
            "0::/user.slice/session-1.scope\n",
            &[
                (
                    CgroupVersion::Two,
                    "/sys/fs/cgroup/user.slice/session-1.scope",
                    None,
                ),
                (CgroupVersion::Two, "/sys/fs/cgroup/user.slice", None),
                (CgroupVersion::Two, "/sys/fs/cgroup", None),
            ],
        );
    }

    #[test]
    fn version_1_with_an_empty_version_2_beside_it() {
        check(
            "31 25 0:27 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n\
             32 25 0:28 / /sys/fs/cgroup/cpuacct rw - cgroup cgroup rw,cpuacct\n\
             33 25 0:29 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n",
            "4:memory:/box/1\n2:cpuacct:/\n0::/\n",
            &[
                (CgroupVersion::Two, "/sys/fs/cgroup/unified/", None),
                (
                    CgroupVersion::One,
                    "/sys/fs/cgroup/memory/box/1",
                    Some("/sys/fs/cgroup/cpuacct/"),
                ),
            ],
        );
    }

    #[test]
    fn a_container_that_sees_its_own_group_as_the_root() {
        check(
            "31 25 0:27 /docker/abc /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n",
            "4:memory:/docker/abc\n",
            &[(CgroupVersion::One, "/sys/fs/cgroup/memory/", None)],
        );
    }

    #[test]
    fn stale_groups_are_removed_here_and_beside() {
        let folder = tempfile::tempdir().expect("a folder");
        let own = leftovers::owner_name();
        let (head, start) = own.rsplit_once('-').expect("a name has parts");
        let stale = format!("{head}-{}", start.parse::<u64>().expect("a number") + 1);
        let at = |path: &str| folder.path().join(path);
        let groups = [
            "here",
            "here/leitai-programs",
            "beside/leitai-programs",
            "beside",
            "cpu",
        ];
        for group in groups {
            fs::create_dir_all(at(group).join(&stale)).expect("made");
            fs::create_dir_all(at(group).join(&own)).expect("made");
        }
        let place = CgroupParent {
            version: CgroupVersion::One,
            memory: at("here"),
            cpuacct: Some(at("cpu")),
        };
        place.sweep_leftovers();
        for group in groups {
            assert!(
                !at(group).join(&stale).exists() && at(group).join(&own).exists(),
                "{group}"
            );
        }
    }

    #[test]
    fn without_a_mounted_hierarchy_there_is_no_group() {
        check("", "0::/\n", &[]);
        check("not a mount line\n", "garbage\n", &[]);
    }
}
