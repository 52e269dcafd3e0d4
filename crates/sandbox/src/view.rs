//! What a program sees of the file system: a fresh root in memory with the system's programs and
//! libraries, its own folder, an empty `/tmp` and home, its own `/proc` without what that tells of
//! the machine, and nothing else. Everything is read-only but `/tmp` and the home.
//!
//! Called by the program's init, in a mount namespace of its own.

use crate::messages::StartOrder;
use crate::setup_error::{SetupError, failed_step};
use crate::sys;
use rustix::fs::{CWD, FileType, Mode, OFlags};
use rustix::io::Errno;
use rustix::mount::{
    FsMountFlags, FsOpenFlags, MountAttrFlags, MountFlags, MountPropagationFlags, MoveMountFlags,
    OpenTreeFlags, UnmountFlags,
};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, symlink};
use std::path::{Component, Path, PathBuf};
use std::rc::Rc;

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
/// Bytes that the root has room for at least: for its own few files and folders.
const ROOT: u64 = 1 << 20;
/// Files in `/tmp` and home together, and what the root has itself.
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
    // `/tmp` and the home are folders of it, so its bounds are theirs together.
    let bytes = order.limits.disk.unwrap_or(TMP_UNLIMITED).max(ROOT);
    let root = make_tmpfs(
        &format!("size={bytes},nr_inodes={TMP_FILES},mode=755"),
        MountAttrFlags::MOUNT_ATTR_NOSUID,
    )?;
    attach_tree(&root, place)?;
    rustix::process::chdir(place).map_err(failed_step("entering the new root"))?;
    build_view(owner)?;
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
fn build_view(owner: u32) -> Result<(), SetupError> {
    for folder in ["proc", "dev", "dev/shm", "tmp", "home", "home/bot", "etc"] {
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
    open_folders(owner)?;
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
    let (mut file, mut folder) = (Cover::new(".empty"), Cover::new(".nothing"));
    for entry in fs::read_dir("proc").map_err(failed_step(failed))? {
        let entry = entry.map_err(failed_step(failed))?;
        let name = entry.file_name();
        let is_process = name.as_bytes().iter().all(u8::is_ascii_digit);
        if is_process || PROC.iter().any(|kept| name == *kept) {
            continue;
        }
        let is_dir = entry.file_type().map_err(failed_step(failed))?.is_dir();
        let cover = if is_dir { &mut folder } else { &mut file };
        cover.put_over(Path::new("proc").join(name))?;
    }
    fs::remove_file(".empty")
        .and_then(|()| fs::remove_dir(".nothing"))
        .map_err(failed_step(failed))
}

/// Something unreadable or empty that hides what it is mounted on.
struct Cover {
    made_of: &'static str,
    /// The place where it was put first, closed to changes; further ones are copies of that mount
    /// and closed as well.
    first: Option<PathBuf>,
}

impl Cover {
    fn new(made_of: &'static str) -> Cover {
        let first = None;
        Cover { made_of, first }
    }

    fn put_over(&mut self, place: PathBuf) -> Result<(), SetupError> {
        if let Some(first) = &self.first {
            return rustix::mount::mount_bind(first, &place).map_err(mounting(&place));
        }
        let path = Path::new(self.made_of);
        let cover = clone_tree(CWD, path, path, libc::MOUNT_ATTR_RDONLY | PLAIN)?;
        attach_tree(&cover, &place)?;
        self.first = Some(place);
        Ok(())
    }
}

/// Gives `/tmp` and the home to the program: mounts of their own of two folders of the root, which
/// itself is closed to changes at the end.
fn open_folders(owner: u32) -> Result<(), SetupError> {
    for (name, mode) in [("tmp", 0o1777), ("home/bot", 0o755)] {
        let path = Path::new(name);
        fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(mode))
            .map_err(failed_step("opening /tmp"))?;
        std::os::unix::fs::chown(path, Some(owner), Some(owner))
            .map_err(failed_step("giving /tmp away"))?;
        attach_tree(&clone_tree(CWD, path, path, PLAIN)?, path)?;
    }
    Ok(())
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
    rustix::mount::move_mount(tree, "", CWD, to.as_ref(), flags).map_err(mounting(to.as_ref()))
}

/// For `map_err`: names the place of a mount.
fn mounting(to: &Path) -> impl Fn(rustix::io::Errno) -> SetupError {
    move |error| SetupError::new(format!("mounting {}", to.display()), error.raw_os_error())
}

/// Parts of the old root, open and closed to changes.
#[derive(Default)]
struct MountTrees {
    /// By the place where they belong.
    sources: BTreeMap<PathBuf, MountSource>,
    /// The folders of those that are files.
    folders: BTreeMap<PathBuf, Rc<OwnedFd>>,
}

enum MountSource {
    Tree(MountTree),
    Link(PathBuf),
}

struct MountTree {
    tree: OwnedFd,
    /// Where it lies, if it is a file: the path may lead elsewhere once the new root is there.
    folder: Option<Rc<OwnedFd>>,
    attributes: u64,
}

/// How often a file may be replaced before it is mounted.
const REPLACED: usize = 64;

impl MountTrees {
    fn open_trees(order: &StartOrder) -> Result<MountTrees, SetupError> {
        let mut trees = MountTrees::default();
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
            // What is below something that is already there needs no mount of its own, unless it is
            // to be changed.
            if !trees.covers(path) {
                trees.add_if_there(path, libc::MOUNT_ATTR_RDONLY | PLAIN)?;
            }
        }
        trees.add_tree(&order.dir, libc::MOUNT_ATTR_RDONLY | PLAIN)?;
        for path in &order.writes {
            trees.add_tree(path, PLAIN)?;
        }
        Ok(trees)
    }

    /// Whether something above it is there already.
    fn covers(&self, path: &Path) -> bool {
        self.sources.keys().any(|above| path.starts_with(above))
    }

    fn add_if_there(&mut self, path: &Path, attributes: u64) -> Result<(), SetupError> {
        match fs::symlink_metadata(path) {
            Err(_) => Ok(()),
            Ok(meta)
                if meta.is_symlink() && SYSTEM.iter().any(|system| Path::new(system) == path) =>
            {
                let target = fs::read_link(path).map_err(failed_step("reading a link"))?;
                self.sources
                    .insert(path.to_owned(), MountSource::Link(target));
                Ok(())
            }
            Ok(meta) if meta.is_symlink() => self.add_tree(path, attributes),
            Ok(meta) => self.add_tree_of(path, meta.is_dir(), attributes),
        }
    }

    fn add_tree(&mut self, path: &Path, attributes: u64) -> Result<(), SetupError> {
        let is_dir = fs::metadata(path).is_ok_and(|meta| meta.is_dir());
        self.add_tree_of(path, is_dir, attributes)
    }

    fn add_tree_of(
        &mut self,
        path: &Path,
        is_dir: bool,
        attributes: u64,
    ) -> Result<(), SetupError> {
        let folder = path.parent().filter(|_| !is_dir);
        let folder = folder.map(|folder| self.open_folder(folder)).transpose()?;
        let tree = MountSource::Tree(MountTree {
            tree: clone_tree(CWD, path, path, attributes)?,
            folder,
            attributes,
        });
        self.sources.insert(path.to_owned(), tree);
        Ok(())
    }

    fn open_folder(&mut self, folder: &Path) -> Result<Rc<OwnedFd>, SetupError> {
        if let Some(open) = self.folders.get(folder) {
            return Ok(Rc::clone(open));
        }
        let open = rustix::fs::open(folder, OFlags::PATH | OFlags::CLOEXEC, Mode::empty())
            .map_err(failed_step("opening the folder of a file"))?;
        let open = Rc::new(open);
        self.folders.insert(folder.to_owned(), Rc::clone(&open));
        Ok(open)
    }

    /// Mounts everything, what is above before what is below.
    fn attach_all(self) -> Result<(), SetupError> {
        for (path, source) in self.sources {
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
    let mut listed = BTreeMap::new();
    ETC.iter()
        .flat_map(|path| expand_star(path, &mut listed))
        .collect()
}

/// The paths that one with a star means. A folder is `listed` once.
fn expand_star(path: &str, listed: &mut BTreeMap<String, Vec<OsString>>) -> Vec<PathBuf> {
    let Some((folder, start)) = path
        .strip_suffix('*')
        .and_then(|path| path.rsplit_once('/'))
    else {
        return vec![path.into()];
    };
    let names = listed.entry(folder.to_owned()).or_insert_with(|| {
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        entries.map(|entry| entry.file_name()).collect()
    });
    let fits = names
        .iter()
        .filter(|name| name.as_bytes().starts_with(start.as_bytes()));
    fits.take(32)
        .map(|name| Path::new(folder).join(name))
        .collect()
}

/// Something to mount on: there already if it lies in a mount that has it.
fn make_place(place: &Path, is_dir: bool) -> Result<(), SetupError> {
    match make_last_part(place, is_dir) {
        Ok(()) | Err(Errno::EXIST) => return Ok(()),
        Err(_) if place.exists() => return Ok(()),
        Err(_) => {}
    }
    if is_dir {
        return make_folder(place);
    }
    make_folder(place.parent().unwrap_or(Path::new("")))?;
    make_last_part(place, is_dir).map_err(failed_step("making a place for a file"))
}

fn make_last_part(place: &Path, is_dir: bool) -> rustix::io::Result<()> {
    if is_dir {
        return rustix::fs::mkdir(place, Mode::from_raw_mode(0o755));
    }
    let mode = Mode::from_raw_mode(0o444);
    rustix::fs::mknodat(CWD, place, FileType::RegularFile, mode, 0)
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
