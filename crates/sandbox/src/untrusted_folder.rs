//! The one way into a folder that a stranger's program could have written, or writes at this
//! moment.
//!
//! What lies there may be a pipe that nobody ever writes to, a device, or a link to a file that only
//! the judge may read, and it may be exchanged between two looks. Therefore everything is opened
//! from the descriptor of the folder, following no link in any part of the name, without waiting,
//! and only plain files are opened at all: a name is first taken hold of without opening it. Every
//! read and every walk is bounded.
//!
//! The path of the folder itself is the judge's, or was named by a person: links in it are followed.

use rustix::fs::{
    AtFlags, CWD, Dir, FileType, Gid, Mode, OFlags, RenameFlags, ResolveFlags, Stat, Uid,
};
use rustix::fs::{chownat, fstat, openat, openat2, readlinkat, renameat_with, statat, unlinkat};
use rustix::io::Errno;
use std::ffi::{CStr, OsStr, OsString};
use std::fs::{File, Permissions};
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::PermissionsExt;
use std::path::{Component, Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// An open folder whose content is not trusted. Names are relative to it; one that is absolute or
/// contains `..` is refused.
#[derive(Debug)]
pub struct UntrustedFolder {
    path: PathBuf,
    folder: OwnedFd,
}

/// What a name stands for; a link is not what it leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum EntryKind {
    File,
    Folder,
    Link,
    /// A pipe, a socket or a device.
    Special,
}

/// What the system knows about a name, without opening it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EntryMeta {
    /// What it is.
    pub kind: EntryKind,
    /// Permissions, without the kind.
    pub mode: u32,
    /// Its length in bytes.
    pub bytes: u64,
    /// The bytes that it takes on disk.
    pub disk_bytes: u64,
    /// When its content was last changed.
    pub changed: SystemTime,
}

impl EntryMeta {
    /// Whether any user may execute it.
    pub fn is_runnable(&self) -> bool {
        self.mode & 0o111 != 0
    }

    fn from_stat(stat: &Stat) -> EntryMeta {
        let kind = match FileType::from_raw_mode(stat.st_mode) {
            FileType::RegularFile => EntryKind::File,
            FileType::Directory => EntryKind::Folder,
            FileType::Symlink => EntryKind::Link,
            _ => EntryKind::Special,
        };
        let since_epoch = Duration::new(
            u64::try_from(stat.st_mtime).unwrap_or(0),
            u32::try_from(stat.st_mtime_nsec).unwrap_or(0),
        );
        EntryMeta {
            kind,
            mode: stat.st_mode & 0o7777,
            bytes: u64::try_from(stat.st_size).unwrap_or(0),
            disk_bytes: u64::try_from(stat.st_blocks).unwrap_or(0) * 512,
            changed: UNIX_EPOCH.checked_add(since_epoch).unwrap_or(UNIX_EPOCH),
        }
    }
}

/// The most that a walk looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WalkBounds {
    /// Files, folders and everything else.
    pub entries: usize,
    /// Folders inside each other; an entry of the folder itself is 1 deep.
    pub depth: usize,
}

/// How far a walk came.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum WalkEnd {
    /// Everything was seen.
    Whole,
    /// A folder could not be read; the rest was seen.
    Unreadable,
    /// There is more than the bounds allow.
    TooMuch,
}

/// One entry during a walk.
#[derive(Debug)]
pub struct WalkEntry<'a> {
    /// Its path inside the folder.
    pub path: PathBuf,
    /// How deep it lies, from 1.
    pub depth: usize,
    /// What it is.
    pub meta: EntryMeta,
    parent: BorrowedFd<'a>,
    name: &'a CStr,
}

impl WalkEntry<'_> {
    /// Changes the permissions of a file or folder.
    ///
    /// # Errors
    /// If it is a link or something special, is gone, or belongs to somebody else.
    pub fn set_mode(&self, mode: u32) -> io::Result<()> {
        set_mode(self.parent, OsStr::from_bytes(self.name.to_bytes()), mode)
    }

    /// Gives it to a user; a link itself, not what it leads to.
    ///
    /// # Errors
    /// If it is gone, or this process may not.
    pub fn give_to(&self, user: u32) -> io::Result<()> {
        let (user, group) = (Uid::from_raw(user), Gid::from_raw(user));
        Ok(chownat(
            self.parent,
            self.name,
            Some(user),
            Some(group),
            AtFlags::SYMLINK_NOFOLLOW,
        )?)
    }
}

impl UntrustedFolder {
    /// Opens a folder.
    ///
    /// # Errors
    /// If it is missing or is not a folder.
    pub fn open(path: &Path) -> io::Result<UntrustedFolder> {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        Ok(UntrustedFolder {
            path: path.to_owned(),
            folder: openat(CWD, path, flags, Mode::empty())?,
        })
    }

    /// The path by which it was opened.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Opens a plain file, and nothing else.
    ///
    /// # Errors
    /// [`io::ErrorKind::Unsupported`] for anything but a plain file, a link too; others if it is
    /// missing or cannot be read.
    pub fn open_file(&self, name: &Path) -> io::Result<(File, EntryMeta)> {
        open_held(&open_beneath(self.folder.as_fd(), name, OFlags::PATH)?)
    }

    /// The whole content of a plain file of at most so many bytes.
    ///
    /// # Errors
    /// [`io::ErrorKind::FileTooLarge`] if there is more, and as [`UntrustedFolder::open_file`].
    pub fn read_file(&self, name: &Path, most: u64) -> io::Result<Vec<u8>> {
        let bytes = self.read_start(name, most.saturating_add(1))?;
        match bytes.len() as u64 > most {
            true => Err(io::ErrorKind::FileTooLarge.into()),
            false => Ok(bytes),
        }
    }

    /// The first bytes of a plain file, at most so many.
    ///
    /// # Errors
    /// As [`UntrustedFolder::open_file`].
    pub fn read_start(&self, name: &Path, most: u64) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        let (file, _) = self.open_file(name)?;
        file.take(most).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    /// What a name stands for.
    ///
    /// # Errors
    /// If it is missing, or its folder is reached over a link.
    pub fn look_at(&self, name: &Path) -> io::Result<EntryMeta> {
        let (folder, last) = self.open_parent(name)?;
        let stat = statat(&folder, last, AtFlags::SYMLINK_NOFOLLOW)?;
        Ok(EntryMeta::from_stat(&stat))
    }

    /// The name of the place to which links inside the folder lead from here: an author may link
    /// his own files. `None` if it does not exist or lies outside.
    pub fn follow_inside(&self, name: &Path) -> Option<PathBuf> {
        check_name(name).ok()?;
        // Only links are read on the way; what is found is opened by its own name.
        let found = self.path.join(name).canonicalize().ok()?;
        let own = self.path.canonicalize().ok()?;
        found.strip_prefix(own).ok().map(Path::to_owned)
    }

    /// Whether the name leads to a plain file of this folder, also over links inside it.
    pub fn leads_to_file(&self, name: &Path) -> bool {
        let is_file = |name: &Path| Some(self.look_at(name).ok()?.kind == EntryKind::File);
        is_file(name) == Some(true)
            || self
                .follow_inside(name)
                .is_some_and(|place| is_file(&place) == Some(true))
    }

    /// The first bytes of the plain file to which the name leads inside this folder; `None` if there
    /// is none that can be read.
    pub fn start_of(&self, name: &Path, most: u64) -> Option<Vec<u8>> {
        // Most names are no links, and then nothing has to be resolved.
        let direct = self.read_start(name, most).ok();
        direct.or_else(|| self.read_start(&self.follow_inside(name)?, most).ok())
    }

    /// Where a link leads, as it says.
    ///
    /// # Errors
    /// If it is not a link.
    pub fn read_link(&self, name: &Path) -> io::Result<PathBuf> {
        let (folder, last) = self.open_parent(name)?;
        let target = readlinkat(&folder, last, Vec::new())?;
        Ok(PathBuf::from(OsString::from_vec(target.into_bytes())))
    }

    /// The entries of a folder inside, at most so many, in no order. The empty name is the folder
    /// itself.
    ///
    /// # Errors
    /// If it is not a folder or cannot be read.
    pub fn list(&self, name: &Path, most: usize) -> io::Result<Vec<(OsString, EntryKind)>> {
        let folder = self.open_listed(name)?;
        let mut found = Vec::new();
        for entry in Dir::read_from(&folder)? {
            let entry = entry?;
            let bytes = entry.file_name().to_bytes();
            if matches!(bytes, b"." | b"..") {
                continue;
            }
            if found.len() >= most {
                break;
            }
            // An entry that vanished meanwhile is not there.
            if let Ok(stat) = statat(&folder, entry.file_name(), AtFlags::SYMLINK_NOFOLLOW) {
                let kind = EntryMeta::from_stat(&stat).kind;
                found.push((OsString::from_vec(bytes.to_vec()), kind));
            }
        }
        Ok(found)
    }

    /// Shows everything in the folder `name` inside, and in the folders inside that for which `visit` is
    /// true.
    pub fn walk(
        &self,
        name: &Path,
        bounds: WalkBounds,
        mut visit: impl FnMut(&WalkEntry<'_>) -> bool,
    ) -> WalkEnd {
        let (mut end, mut seen) = (WalkEnd::Whole, 0);
        let mut open = vec![(name.to_owned(), 1)];
        while let Some((folder, depth)) = open.pop() {
            let read = self.walk_one(&folder, depth, bounds, &mut seen, &mut visit);
            let Ok((below, all)) = read else {
                end = end.max(WalkEnd::Unreadable);
                continue;
            };
            if !all || !below.is_empty() && depth >= bounds.depth {
                return WalkEnd::TooMuch;
            }
            open.extend(below.into_iter().map(|below| (below, depth + 1)));
        }
        end
    }

    /// The folders to be walked next; false if there is more than the bounds allow.
    fn walk_one(
        &self,
        folder: &Path,
        depth: usize,
        bounds: WalkBounds,
        seen: &mut usize,
        visit: &mut impl FnMut(&WalkEntry<'_>) -> bool,
    ) -> io::Result<(Vec<PathBuf>, bool)> {
        let (open, mut below) = (self.open_listed(folder)?, Vec::new());
        for entry in Dir::read_from(&open)? {
            let entry = entry?;
            let name = entry.file_name();
            if matches!(name.to_bytes(), b"." | b"..") {
                continue;
            }
            *seen += 1;
            if *seen > bounds.entries {
                return Ok((below, false));
            }
            let Ok(stat) = statat(&open, name, AtFlags::SYMLINK_NOFOLLOW) else {
                continue;
            };
            let entry = WalkEntry {
                path: folder.join(OsStr::from_bytes(name.to_bytes())),
                depth,
                meta: EntryMeta::from_stat(&stat),
                parent: open.as_fd(),
                name,
            };
            if visit(&entry) && entry.meta.kind == EntryKind::Folder {
                below.push(entry.path);
            }
        }
        Ok((below, true))
    }

    /// Changes the permissions of a file or folder.
    ///
    /// # Errors
    /// If it is a link or something special, is missing, or belongs to somebody else.
    pub fn set_mode(&self, name: &Path, mode: u32) -> io::Result<()> {
        let (folder, last) = self.open_parent(name)?;
        set_mode(folder.as_fd(), last, mode)
    }

    /// Renames an entry, unless the new name is taken.
    ///
    /// # Errors
    /// [`io::ErrorKind::AlreadyExists`] if it is taken, or if the entry is missing.
    pub fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        let ((old, from), (new, to)) = (self.open_parent(from)?, self.open_parent(to)?);
        Ok(renameat_with(&old, from, &new, to, RenameFlags::NOREPLACE)?)
    }

    /// Writes a new file, in place of whatever but a folder has the name.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn replace_file(&self, name: &Path, bytes: &[u8]) -> io::Result<()> {
        let (folder, last) = self.open_parent(name)?;
        match unlinkat(&folder, last, AtFlags::empty()) {
            Ok(()) | Err(Errno::NOENT) => {}
            Err(error) => return Err(error.into()),
        }
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
        let file = openat(&folder, last, flags, Mode::from_raw_mode(0o644))?;
        File::from(file).write_all(bytes)
    }

    /// Removes a file, a link or something special.
    ///
    /// # Errors
    /// If it is missing or is a folder.
    pub fn remove_file(&self, name: &Path) -> io::Result<()> {
        let (folder, last) = self.open_parent(name)?;
        Ok(unlinkat(&folder, last, AtFlags::empty())?)
    }

    fn open_listed(&self, name: &Path) -> io::Result<OwnedFd> {
        open_beneath(
            self.folder.as_fd(),
            name,
            OFlags::RDONLY | OFlags::DIRECTORY,
        )
    }

    fn open_parent<'a>(&self, name: &'a Path) -> io::Result<(OwnedFd, &'a OsStr)> {
        check_name(name)?;
        let last = name.file_name().ok_or(Errno::INVAL)?;
        let above = name.parent().unwrap_or(Path::new(""));
        let flags = OFlags::PATH | OFlags::DIRECTORY;
        Ok((open_beneath(self.folder.as_fd(), above, flags)?, last))
    }
}

/// A file that a person or the judge names: links are followed, but only a plain file is opened, and
/// nothing is waited for.
///
/// # Errors
/// [`io::ErrorKind::Unsupported`] for anything but a plain file; others if it is missing or cannot be
/// read.
pub fn open_named_file(path: &Path) -> io::Result<(File, EntryMeta)> {
    let flags = OFlags::PATH | OFlags::CLOEXEC;
    open_held(&openat(CWD, path, flags, Mode::empty())?)
}

/// Opens the plain file that a handle holds; nobody can exchange it any more.
fn open_held(handle: &OwnedFd) -> io::Result<(File, EntryMeta)> {
    if EntryMeta::from_stat(&fstat(handle)?).kind != EntryKind::File {
        return Err(io::Error::new(
            io::ErrorKind::Unsupported,
            "it is not a plain file",
        ));
    }
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let file = openat(CWD, held_path(handle), flags, Mode::empty())?;
    let meta = EntryMeta::from_stat(&fstat(&file)?);
    Ok((File::from(file), meta))
}

/// A path that leads to what a handle holds.
fn held_path(handle: &OwnedFd) -> String {
    format!("/proc/self/fd/{}", handle.as_raw_fd())
}

fn set_mode(parent: BorrowedFd<'_>, name: &OsStr, mode: u32) -> io::Result<()> {
    let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let handle = openat(parent, name, flags, Mode::empty())?;
    match EntryMeta::from_stat(&fstat(&handle)?).kind {
        EntryKind::File | EntryKind::Folder => {
            std::fs::set_permissions(held_path(&handle), Permissions::from_mode(mode))
        }
        EntryKind::Link | EntryKind::Special => Err(io::ErrorKind::Unsupported.into()),
    }
}

/// Refuses names that lead out of a folder.
fn check_name(name: &Path) -> io::Result<()> {
    let leads_inside = name
        .components()
        .all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
    match leads_inside {
        true => Ok(()),
        false => Err(Errno::XDEV.into()),
    }
}

/// Opens a name beneath a folder without following a link in any part of it. A link itself is only
/// held, never opened.
fn open_beneath(folder: BorrowedFd<'_>, name: &Path, flags: OFlags) -> io::Result<OwnedFd> {
    check_name(name)?;
    let flags = flags | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let whole = match name.as_os_str().is_empty() {
        true => Path::new("."),
        false => name,
    };
    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    match openat2(folder, whole, flags, Mode::empty(), resolve) {
        // A kernel before 5.6, or a container whose filter does not know the call.
        Err(Errno::NOSYS | Errno::PERM) => open_by_steps(folder, whole, flags),
        opened => Ok(opened?),
    }
}

/// As [`open_beneath`] where the kernel does not know its call: part by part.
fn open_by_steps(folder: BorrowedFd<'_>, name: &Path, flags: OFlags) -> io::Result<OwnedFd> {
    let step = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let mut at = openat(folder, ".", step, Mode::empty())?;
    let mut parts = name.components().peekable();
    while let Some(part) = parts.next() {
        let flags = if parts.peek().is_some() { step } else { flags };
        let strict = flags | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        at = openat(&at, part.as_os_str(), strict, Mode::empty())?;
    }
    Ok(at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::symlink;

    /// A folder with everything that a program may leave, and a file outside of it.
    fn hostile_folder() -> (tempfile::TempDir, PathBuf) {
        let place = tempfile::tempdir().expect("a folder");
        let (top, secret) = (place.path().join("top"), place.path().join("secret"));
        fs::create_dir_all(top.join("sub")).expect("made");
        fs::write(&secret, "secret").expect("written");
        fs::write(top.join("sub/plain"), "plain").expect("written");
        symlink("sub/plain", top.join("inside")).expect("made");
        symlink(&secret, top.join("outside")).expect("made");
        symlink("sub", top.join("to-sub")).expect("made");
        symlink(place.path(), top.join("to-place")).expect("made");
        symlink("nowhere", top.join("dangling")).expect("made");
        symlink("/dev/zero", top.join("zero")).expect("made");
        let fifo = FileType::Fifo;
        rustix::fs::mknodat(CWD, top.join("fifo"), fifo, Mode::from_raw_mode(0o666), 0)
            .expect("made");
        // The listener may go: the socket's name stays.
        std::os::unix::net::UnixListener::bind(top.join("socket")).expect("made");
        (place, top)
    }

    #[test]
    fn only_plain_files_are_opened_whatever_the_kernel_knows() {
        let (_place, top) = hostile_folder();
        let folder = UntrustedFolder::open(&top).expect("it is there");
        let by_steps = |name: &str| {
            check_name(Path::new(name))?;
            let handle = open_by_steps(folder.folder.as_fd(), Path::new(name), OFlags::PATH)?;
            let mut text = String::new();
            open_held(&handle)?.0.read_to_string(&mut text)?;
            io::Result::Ok(text.into_bytes())
        };
        let refused = [
            "fifo",
            "socket",
            "inside",
            "outside",
            "to-sub/plain",
            "to-place/secret",
            "dangling",
            "zero",
            "sub",
            "missing",
            "../secret",
            "sub/../../secret",
            "/etc/passwd",
            "to-place/top/sub/plain",
            ".",
            "",
        ];
        for name in refused {
            let read = folder.read_file(Path::new(name), 100);
            assert!(read.is_err(), "{name}: {read:?}");
            assert!(
                name.is_empty() || by_steps(name).is_err(),
                "{name} by steps"
            );
        }
        for name in ["sub/plain", "./sub/plain"] {
            let read = folder.read_file(Path::new(name), 5).expect(name);
            assert_eq!(
                (read.as_slice(), by_steps(name).expect(name).as_slice()),
                (&b"plain"[..], &b"plain"[..])
            );
        }
        let devices = UntrustedFolder::open(Path::new("/dev")).expect("it is there");
        let opened = devices.open_file(Path::new("null")).expect_err("a device");
        assert_eq!(opened.kind(), io::ErrorKind::Unsupported);
        assert!(open_named_file(&top.join("fifo")).is_err());
        assert!(
            open_named_file(&top.join("inside")).is_ok(),
            "as a person named it"
        );
    }

    #[test]
    fn reading_is_bounded() {
        let (_place, top) = hostile_folder();
        let folder = UntrustedFolder::open(&top).expect("it is there");
        let plain = Path::new("sub/plain");
        assert_eq!(folder.read_start(plain, 2).expect("read"), b"pl");
        let refused = folder.read_file(plain, 4).expect_err("five bytes");
        assert_eq!(refused.kind(), io::ErrorKind::FileTooLarge);
        assert_eq!(folder.list(Path::new(""), 3).expect("read").len(), 3);
    }

    #[test]
    fn an_authors_own_links_lead_to_his_own_files_only() {
        let (_place, top) = hostile_folder();
        let folder = UntrustedFolder::open(&top).expect("it is there");
        let check = |name: &str, expected: Option<&str>| {
            let found = folder.follow_inside(Path::new(name));
            assert_eq!(found.as_deref(), expected.map(Path::new), "{name}");
        };
        check("inside", Some("sub/plain"));
        check("to-sub/plain", Some("sub/plain"));
        check("to-place/top/fifo", Some("fifo"));
        for name in [
            "outside",
            "to-place/secret",
            "dangling",
            "zero",
            "../secret",
            "/etc",
        ] {
            check(name, None);
        }
        assert!(folder.leads_to_file(Path::new("inside")));
        assert!(
            !folder.leads_to_file(Path::new("fifo")) && !folder.leads_to_file(Path::new("to-sub"))
        );
        assert_eq!(
            folder.start_of(Path::new("inside"), 9),
            Some(b"plain".to_vec())
        );
        assert_eq!(folder.start_of(Path::new("outside"), 9), None);
    }

    #[test]
    fn a_walk_stays_inside_and_is_bounded() {
        let (_place, top) = hostile_folder();
        let folder = UntrustedFolder::open(&top).expect("it is there");
        let walk = |entries, depth| {
            let mut paths = Vec::new();
            let end = folder.walk(Path::new(""), WalkBounds { entries, depth }, |entry| {
                paths.push(entry.path.clone());
                true
            });
            (end, paths)
        };
        let (end, paths) = walk(100, 2);
        assert_eq!((end, paths.len()), (WalkEnd::Whole, 10));
        assert!(paths.contains(&PathBuf::from("sub/plain")), "{paths:?}");
        assert_eq!(walk(9, 2).0, WalkEnd::TooMuch);
        assert_eq!(walk(100, 1).0, WalkEnd::TooMuch);
    }

    #[test]
    fn only_what_lies_inside_is_changed() {
        let (place, top) = hostile_folder();
        let folder = UntrustedFolder::open(&top).expect("it is there");
        let mode = |path: &Path| fs::metadata(path).expect("there").permissions().mode() & 0o777;
        folder
            .set_mode(Path::new("sub/plain"), 0o751)
            .expect("ours");
        assert_eq!(mode(&top.join("sub/plain")), 0o751);
        let before = mode(&place.path().join("secret"));
        for name in ["outside", "to-place/secret", "fifo"] {
            assert!(folder.set_mode(Path::new(name), 0o777).is_err(), "{name}");
        }
        assert_eq!(mode(&place.path().join("secret")), before);
        assert!(folder.remove_file(Path::new("to-place/secret")).is_err());
        assert!(
            folder
                .rename(Path::new("fifo"), Path::new("inside"))
                .is_err(),
            "taken"
        );
        folder
            .rename(Path::new("fifo"), Path::new("pipe"))
            .expect("free");
        folder
            .remove_file(Path::new("outside"))
            .expect("the link itself");
        for name in ["to-sub", "pipe", "sub/plain", "new"] {
            folder.replace_file(Path::new(name), b"mine").expect(name);
            assert_eq!(fs::read(top.join(name)).expect("there"), b"mine", "{name}");
        }
        assert!(
            folder
                .replace_file(Path::new("to-place/secret"), b"mine")
                .is_err()
        );
        assert_eq!(
            fs::read(place.path().join("secret")).expect("there"),
            b"secret"
        );
    }
}
