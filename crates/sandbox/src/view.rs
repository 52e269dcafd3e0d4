//! What a program sees of the file system: a fresh root in memory with the system's programs and
//! libraries, its own folder, an empty `/tmp` and home, its own `/proc` without what that tells of
//! the machine, and nothing else. Everything is read-only but `/tmp` and the home.
//!
//! Called by the program's init, in a mount namespace of its own.

use crate::messages::StartOrder;
use crate::setup_error::{SetupError, failed_step};
use crate::sys;
use rustix::fs::{CWD, Mode, OFlags};
use rustix::mount::{
    FsMountFlags, FsOpenFlags, MountAttrFlags, MountFlags, MountPropagationFlags, MoveMountFlags,
    OpenTreeFlags, UnmountFlags,
};
use std::collections::BTreeMap;
use std::fs;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, symlink};
use std::path::{Component, Path, PathBuf};

/// The home of every program in its view.
pub const HOME: &str = "/home/bot";
/// Where temporary files go in the view.
pub const TMP: &str = "/tmp";
/// Folders with the system's programs and libraries.
const SYSTEM: [&str; 8] = [
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/nix/store",
];
/// Of `/etc` only what loaders and runtimes read. A star at the end stands for the rest of a name.
const ETC: [&str; 9] = [
    "/etc/ld.so.cache",
    "/etc/ld.so.conf",
    "/etc/ld.so.conf.d",
    "/etc/alternatives",
    "/etc/java*",
    "/etc/localtime",
    "/etc/mono/config",
    "/etc/python*",
    "/etc/debian_version",
];
/// What a program may read and write of `/dev`.
pub const DEVICES: [&str; 5] = [
    "/dev/null",
    "/dev/zero",
    "/dev/full",
    "/dev/random",
    "/dev/urandom",
];
/// Files that say who and where the program is; `{id}` stands for its user and group.
const IDENTITY: [(&str, &str); 4] = [
    (
        "etc/passwd",
        "root:x:0:0:root:/:/bin/false\nbot:x:{id}:{id}:bot:/home/bot:/bin/sh\n",
    ),
    ("etc/group", "root:x:0:\nbot:x:{id}:\n"),
    ("etc/hosts", "127.0.0.1 localhost\n"),
    (
        "etc/nsswitch.conf",
        "passwd: files\ngroup: files\nhosts: files\n",
    ),
];

/// Bytes of `/dev/shm`.
const SHM: u64 = 16 << 20;
/// Bytes of `/tmp` and home where the order sets no limit.
const TMP_UNLIMITED: u64 = 1 << 30;
/// Files in `/tmp` and home together.
const TMP_FILES: u32 = 20_000;
/// A program's folder with more entries than this is not linked into its home.
const LINKED: usize = 512;

/// Builds the view for `order` and enters it. Files that it makes belong to `owner`.
pub fn enter_view(order: &StartOrder, owner: u32) -> Result<(), SetupError> {
    let private = MountPropagationFlags::PRIVATE | MountPropagationFlags::REC;
    rustix::mount::mount_change("/", private).map_err(failed_step("making mounts private"))?;
    let trees = MountTrees::open_trees(order)?;
    // The sources are open by now, so it does not matter what the new root hides.
    let place = ["/tmp", "/mnt", "/run", "/var"]
        .into_iter()
        .find(|place| Path::new(place).is_dir());
    let place =
        place.ok_or_else(|| SetupError::new("finding a place for the new root", libc::ENOENT))?;
    let root = make_tmpfs(
        "size=1m,nr_inodes=30k,mode=755",
        MountAttrFlags::MOUNT_ATTR_NOSUID,
    )?;
    attach_tree(&root, place)?;
    rustix::process::chdir(place).map_err(failed_step("entering the new root"))?;
    build_view(order, owner)?;
    trees.attach_all()?;
    let workplace = if link_files(
        order,
        &path_inside(&order.dir),
        &path_inside(Path::new(HOME)),
    )? {
        Path::new(HOME)
    } else {
        &order.dir
    };
    rustix::process::pivot_root(".", ".").map_err(failed_step("changing the root"))?;
    rustix::mount::unmount(".", UnmountFlags::DETACH)
        .map_err(failed_step("leaving the old root"))?;
    rustix::process::chdir("/").map_err(failed_step("entering the new root"))?;
    sys::mount_attributes(root.as_fd(), libc::MOUNT_ATTR_RDONLY, false)
        .map_err(failed_step("closing the new root"))?;
    rustix::process::chdir(workplace).map_err(failed_step("entering the program's folder"))
}

/// Links what is in the program's folder, which is at `from` now, into its home, where it then runs
/// and may write. `false` if it is to run in its folder itself, because it builds there or has too
/// many files.
pub fn link_files(order: &StartOrder, from: &Path, home: &Path) -> Result<bool, SetupError> {
    let failed = "linking the program's files";
    if !order.writes.is_empty() {
        return Ok(false);
    }
    let names = fs::read_dir(from)
        .map_err(failed_step(failed))?
        .map(|entry| Ok(entry?.file_name()));
    let names = names
        .take(LINKED + 1)
        .collect::<std::io::Result<Vec<_>>>()
        .map_err(failed_step(failed))?;
    if names.len() > LINKED {
        return Ok(false);
    }
    names
        .iter()
        .try_for_each(|name| symlink(order.dir.join(name), home.join(name)))
        .map_err(failed_step(failed))?;
    Ok(true)
}

/// Everything of the new root that is made, not taken from the old one. Paths are relative: the new
/// root is the working directory.
fn build_view(order: &StartOrder, owner: u32) -> Result<(), SetupError> {
    for folder in [
        "proc", "dev", "dev/shm", "tmp", "home", "home/bot", "etc", ".disk",
    ] {
        make_folder(Path::new(folder))?;
    }
    for (name, text) in IDENTITY {
        fs::write(name, text.replace("{id}", &owner.to_string()))
            .map_err(failed_step("writing /etc"))?;
    }
    for (name, target) in [
        ("fd", ""),
        ("stdin", "/0"),
        ("stdout", "/1"),
        ("stderr", "/2"),
    ] {
        let target = format!("/proc/self/fd{target}");
        symlink(target, Path::new("dev").join(name)).map_err(failed_step("linking in /dev"))?;
    }
    let flags = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
    // Some containers hide parts of /proc and the kernel then refuses another one. Programs do
    // without.
    if rustix::mount::mount("proc", "proc", "proc", flags | MountFlags::RDONLY, c"").is_ok() {
        hide_host_in_proc()?;
    }
    writable_disk(order, owner)?;
    let shm = format!("size={SHM},nr_inodes=1k,mode=1777,uid={owner},gid={owner}");
    attach_tree(
        &make_tmpfs(&shm, safe_attributes() | MountAttrFlags::MOUNT_ATTR_NOEXEC)?,
        "dev/shm",
    )
}

/// What a program sees of `/proc` besides its own processes: what it could also ask with `sysinfo`
/// and `uname`, or what runtimes need to count cores and memory.
const PROC: [&str; 11] = [
    "cpuinfo",
    "filesystems",
    "loadavg",
    "meminfo",
    "mounts",
    "net",
    "self",
    "stat",
    "thread-self",
    "uptime",
    "version",
];

/// Puts an unreadable file or an empty folder over everything in `/proc` that tells of the machine
/// and of others who run on it: the kernel gives a new `/proc` the files of the whole machine, and
/// only the folders of processes are those of the program.
fn hide_host_in_proc() -> Result<(), SetupError> {
    let failed = "hiding the machine's part of /proc";
    fs::write(".empty", "").map_err(failed_step(failed))?;
    fs::set_permissions(
        ".empty",
        std::os::unix::fs::PermissionsExt::from_mode(0o000),
    )
    .map_err(failed_step(failed))?;
    fs::create_dir(".nothing").map_err(failed_step(failed))?;
    for entry in fs::read_dir("proc").map_err(failed_step(failed))? {
        let entry = entry.map_err(failed_step(failed))?;
        let name = entry.file_name();
        let is_process = name.as_bytes().iter().all(u8::is_ascii_digit);
        if is_process || PROC.iter().any(|kept| name == *kept) {
            continue;
        }
        let is_dir = entry.file_type().map_err(failed_step(failed))?.is_dir();
        let flags = OpenTreeFlags::OPEN_TREE_CLONE | OpenTreeFlags::OPEN_TREE_CLOEXEC;
        let cover =
            rustix::mount::open_tree(CWD, if is_dir { ".nothing" } else { ".empty" }, flags);
        let cover = cover.map_err(failed_step(failed))?;
        sys::mount_attributes(cover.as_fd(), libc::MOUNT_ATTR_RDONLY | PLAIN, false)
            .map_err(failed_step(failed))?;
        attach_tree(&cover, Path::new("proc").join(name))?;
    }
    fs::remove_file(".empty")
        .and_then(|()| fs::remove_dir(".nothing"))
        .map_err(failed_step(failed))
}

/// `/tmp` and the home are two folders of one file system, which bounds them together.
fn writable_disk(order: &StartOrder, owner: u32) -> Result<(), SetupError> {
    let bytes = order.limits.disk.unwrap_or(TMP_UNLIMITED);
    let disk = make_tmpfs(
        &format!("size={bytes},nr_inodes={TMP_FILES},mode=700,uid={owner},gid={owner}"),
        safe_attributes(),
    )?;
    attach_tree(&disk, ".disk")?;
    for (name, mode, to) in [("t", 0o1777, "tmp"), ("h", 0o755, "home/bot")] {
        let path = Path::new(".disk").join(name);
        fs::DirBuilder::new()
            .mode(mode)
            .create(&path)
            .map_err(failed_step("making /tmp"))?;
        fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(mode))
            .map_err(failed_step("opening /tmp"))?;
        std::os::unix::fs::chown(&path, Some(owner), Some(owner))
            .map_err(failed_step("giving /tmp away"))?;
        let tree = rustix::mount::open_tree(
            CWD,
            &path,
            OpenTreeFlags::OPEN_TREE_CLONE | OpenTreeFlags::OPEN_TREE_CLOEXEC,
        );
        attach_tree(&tree.map_err(failed_step("opening /tmp"))?, to)?;
    }
    rustix::mount::unmount(".disk", UnmountFlags::DETACH)
        .map_err(failed_step("hiding the disk"))?;
    fs::remove_dir(".disk").map_err(failed_step("hiding the disk"))
}

fn safe_attributes() -> MountAttrFlags {
    MountAttrFlags::MOUNT_ATTR_NOSUID | MountAttrFlags::MOUNT_ATTR_NODEV
}

/// A file system in memory that is not mounted anywhere yet.
fn make_tmpfs(options: &str, attributes: MountAttrFlags) -> Result<OwnedFd, SetupError> {
    let make = || -> rustix::io::Result<OwnedFd> {
        let fs = rustix::mount::fsopen("tmpfs", FsOpenFlags::FSOPEN_CLOEXEC)?;
        for option in options.split(',') {
            let (key, value) = option.split_once('=').unwrap_or((option, ""));
            rustix::mount::fsconfig_set_string(&fs, key, value)?;
        }
        rustix::mount::fsconfig_create(&fs)?;
        rustix::mount::fsmount(&fs, FsMountFlags::FSMOUNT_CLOEXEC, attributes)
    };
    make().map_err(failed_step("making a file system in memory"))
}

fn attach_tree(tree: &OwnedFd, to: impl AsRef<Path>) -> Result<(), SetupError> {
    let flags = MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH;
    rustix::mount::move_mount(tree, "", CWD, to.as_ref(), flags).map_err(|error| {
        SetupError::new(
            format!("mounting {}", to.as_ref().display()),
            error.raw_os_error(),
        )
    })
}

/// Parts of the old root, open and closed to changes, by the place where they belong.
struct MountTrees(BTreeMap<PathBuf, MountSource>);

enum MountSource {
    Tree(MountTree),
    Link(PathBuf),
}

struct MountTree {
    tree: OwnedFd,
    /// Where it lies, if it is a file: the path may lead elsewhere once the new root is there.
    folder: Option<OwnedFd>,
    attributes: u64,
}

/// How often a file may be replaced before it is mounted.
const REPLACED: usize = 64;

impl MountTrees {
    fn open_trees(order: &StartOrder) -> Result<MountTrees, SetupError> {
        let mut trees = MountTrees(BTreeMap::new());
        for path in SYSTEM.iter().map(PathBuf::from).chain(needed_settings()) {
            trees.add_if_there(&path, libc::MOUNT_ATTR_RDONLY | PLAIN)?;
        }
        for device in DEVICES {
            trees.add_if_there(
                Path::new(device),
                libc::MOUNT_ATTR_NOSUID | libc::MOUNT_ATTR_NOEXEC,
            )?;
        }
        for path in &order.reads {
            trees.add_if_there(path, libc::MOUNT_ATTR_RDONLY | PLAIN)?;
        }
        trees.add_tree(&order.dir, libc::MOUNT_ATTR_RDONLY | PLAIN)?;
        for path in &order.writes {
            trees.add_tree(path, PLAIN)?;
        }
        Ok(trees)
    }

    /// What is below something that is already there needs no mount of its own, unless it is to be
    /// changed.
    fn add_if_there(&mut self, path: &Path, attributes: u64) -> Result<(), SetupError> {
        let covered = self.0.keys().any(|above| path.starts_with(above));
        match fs::symlink_metadata(path) {
            Err(_) => Ok(()),
            Ok(_) if covered => Ok(()),
            Ok(meta)
                if meta.is_symlink() && SYSTEM.iter().any(|system| Path::new(system) == path) =>
            {
                let target = fs::read_link(path).map_err(failed_step("reading a link"))?;
                self.0.insert(path.to_owned(), MountSource::Link(target));
                Ok(())
            }
            Ok(_) => self.add_tree(path, attributes),
        }
    }

    fn add_tree(&mut self, path: &Path, attributes: u64) -> Result<(), SetupError> {
        let tree = MountSource::Tree(MountTree::open(path, attributes)?);
        self.0.insert(path.to_owned(), tree);
        Ok(())
    }

    /// Mounts everything, what is above before what is below.
    fn attach_all(self) -> Result<(), SetupError> {
        for (path, source) in self.0 {
            let place = path_inside(&path);
            match source {
                MountSource::Link(target) => {
                    symlink(target, &place).map_err(failed_step("linking a system folder"))?
                }
                MountSource::Tree(tree) => {
                    make_place(&place, tree.folder.is_none())?;
                    tree.attach(&path, &place)?;
                }
            }
        }
        Ok(())
    }
}

impl MountTree {
    fn open(path: &Path, attributes: u64) -> Result<MountTree, SetupError> {
        let is_dir = fs::metadata(path).is_ok_and(|meta| meta.is_dir());
        let folder = path.parent().filter(|_| !is_dir);
        let open = |folder| {
            rustix::fs::open(folder, OFlags::PATH | OFlags::CLOEXEC, Mode::empty())
                .map_err(failed_step("opening the folder of a file"))
        };
        Ok(MountTree {
            tree: clone_tree(CWD, path, path, attributes)?,
            folder: folder.map(open).transpose()?,
            attributes,
        })
    }

    /// Mounts it at a place. The kernel refuses a file that was replaced after it was opened, as package
    /// managers do with `/etc/ld.so.cache`; then the one that is there now is mounted.
    fn attach(self, path: &Path, place: &Path) -> Result<(), SetupError> {
        let mut attached = attach_tree(&self.tree, place);
        let (Some(folder), Some(name)) = (self.folder, path.file_name()) else {
            return attached;
        };
        for _ in 0..REPLACED {
            match &attached {
                Err(error) if error.errno == libc::ENOENT => {
                    let again = clone_tree(folder.as_fd(), name.as_ref(), path, self.attributes)?;
                    attached = attach_tree(&again, place);
                }
                _ => break,
            }
        }
        attached
    }
}

/// A copy of what is mounted at `name` in a folder, with these attributes. Errors name `path`.
fn clone_tree(
    folder: BorrowedFd<'_>,
    name: &Path,
    path: &Path,
    attributes: u64,
) -> Result<OwnedFd, SetupError> {
    let flags = OpenTreeFlags::OPEN_TREE_CLONE
        | OpenTreeFlags::AT_RECURSIVE
        | OpenTreeFlags::OPEN_TREE_CLOEXEC;
    let failed = |step: &str, error: &std::io::Error| {
        SetupError::new(
            format!("{step} {}", path.display()),
            error.raw_os_error().unwrap_or(libc::EIO),
        )
    };
    let tree = rustix::mount::open_tree(folder, name, flags)
        .map_err(|error| failed("opening", &error.into()))?;
    sys::mount_attributes(tree.as_fd(), attributes, true)
        .map_err(|error| failed("protecting", &error))?;
    Ok(tree)
}

/// No set-user-id programs, no devices.
const PLAIN: u64 = libc::MOUNT_ATTR_NOSUID | libc::MOUNT_ATTR_NODEV;

/// The path as seen from the working directory, which is the new root.
fn path_inside(path: &Path) -> PathBuf {
    path.components()
        .filter(|part| matches!(part, Component::Normal(_)))
        .collect()
}

/// What is there of [`ETC`].
pub fn needed_settings() -> Vec<PathBuf> {
    ETC.iter()
        .flat_map(|path| expand_links(Path::new(path)))
        .collect()
}

fn expand_links(path: &Path) -> Vec<PathBuf> {
    let Some((folder, start)) = path
        .to_str()
        .and_then(|text| text.strip_suffix('*'))
        .and_then(|t| t.rsplit_once('/'))
    else {
        return vec![path.to_owned()];
    };
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let fits = entries.filter(|entry| entry.file_name().to_string_lossy().starts_with(start));
    fits.map(|entry| entry.path()).take(32).collect()
}

/// Something to mount on: there already if it lies in a mount that has it.
fn make_place(place: &Path, is_dir: bool) -> Result<(), SetupError> {
    if place.exists() {
        return Ok(());
    }
    if is_dir {
        return make_folder(place);
    }
    make_folder(place.parent().unwrap_or(Path::new("")))?;
    let flags = OFlags::CREATE | OFlags::WRONLY | OFlags::CLOEXEC;
    rustix::fs::open(place, flags, Mode::from_raw_mode(0o444))
        .map(drop)
        .map_err(failed_step("making a place for a file"))
}

fn make_folder(path: &Path) -> Result<(), SetupError> {
    let made = fs::DirBuilder::new()
        .recursive(true)
        .mode(0o755)
        .create(path);
    made.map_err(|error| {
        SetupError::new(
            format!("making /{}", path.display()),
            error.raw_os_error().unwrap_or(libc::EIO),
        )
    })
}
