//! Bounded copies of files and folders.
//!
//! Sources come from outside, so sizes are counted while reading and never trusted beforehand.
//! Links are followed only to places inside the submitted folder; devices, pipes and sockets are
//! refused.

use super::BuildError;
use leitai_sandbox::UntrustedFolder;
use leitai_sandbox::untrusted_folder::{EntryKind, WalkBounds};
use std::ffi::OsStr;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

/// Limits of a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SourceBounds {
    /// Bytes of all files together.
    pub bytes: u64,
    /// Files and folders.
    pub files: u32,
    /// The nesting of folders, counting the file.
    pub depth: usize,
}

impl SourceBounds {
    /// For a folder or an archive: 64 MiB, 10,000 files and folders, 32 deep.
    pub const FOLDER: SourceBounds = SourceBounds {
        bytes: 64 << 20,
        files: 10_000,
        depth: 32,
    };
    /// For a single source file with all files that it includes or imports: 16 MiB, 1,000 files.
    pub const SOURCE: SourceBounds = SourceBounds {
        bytes: 16 << 20,
        files: 1000,
        depth: 32,
    };
    /// For a single program, with its imports if it is a script: 512 MiB.
    pub const PROGRAM: SourceBounds = SourceBounds {
        bytes: 512 << 20,
        files: 1000,
        depth: 32,
    };
}

/// Names that no build needs: version control, caches, and files that archivers add.
const LEFT_OUT: [&str; 6] = [
    ".git",
    ".hg",
    ".svn",
    "__pycache__",
    "__MACOSX",
    ".DS_Store",
];

/// Files by which tools mark a folder as a cache that can be made again
/// (<https://bford.info/cachedir/>), and by which Python marks a virtual environment.
pub(super) const CACHE_MARKS: [&str; 2] = ["CACHEDIR.TAG", "pyvenv.cfg"];

/// The most names of one folder that are looked at; more files than any source may have.
const MOST_NAMES: usize = 200_000;
/// The most of a build that is opened to all: more than a build in the sandbox may leave.
const OPENED: WalkBounds = WalkBounds {
    entries: 200_000,
    depth: 256,
};

/// Whether files and folders of this name are not copied.
pub fn is_left_out(name: &OsStr) -> bool {
    LEFT_OUT.iter().any(|left_out| name == *left_out)
}

/// Whether a folder is a cache or a virtual environment, which is not copied.
pub fn is_cache_folder(folder: &Path) -> bool {
    CACHE_MARKS
        .iter()
        .any(|mark| folder.join(mark).symlink_metadata().is_ok())
}

/// Copies the content of the folder `from` into the empty folder `to`. Returns notes for the
/// author.
///
/// Version histories, caches, virtual environments and the programs of `others` are not copied. The
/// x bit is kept, other permissions are not.
///
/// # Errors
/// [`BuildError::TooLarge`], [`BuildError::BadEntry`] for links that lead outside and special
/// files, [`BuildError::Io`].
pub fn copy_folder(
    from: &Path,
    to: &Path,
    others: &[PathBuf],
    bounds: SourceBounds,
) -> Result<Vec<String>, BuildError> {
    let root = from
        .canonicalize()
        .map_err(BuildError::from_io("find", from))?;
    let (meter, others) = (SourceMeter::new(from, bounds), &of_others(from, others)[..]);
    let folder = UntrustedFolder::open(&root).map_err(BuildError::from_io("open", from))?;
    let mut copy = FolderCopy {
        root,
        folder,
        to,
        others,
        meter,
        notes: Vec::new(),
        open: Vec::new(),
    };
    copy.open.push(PathBuf::new());
    while let Some(folder) = copy.open.pop() {
        copy.copy_folder(&folder)?;
    }
    Ok(copy.notes)
}

/// The real paths of the others' programs, except those that are, or contain, the one at `path`.
pub fn of_others(path: &Path, others: &[PathBuf]) -> Vec<PathBuf> {
    let own = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let real = others.iter().filter_map(|other| other.canonicalize().ok());
    real.filter(|other| !own.starts_with(other)).collect()
}

/// Makes the content of a folder readable for everybody who may enter it, because the programs of a
/// root judge run as other users. The folder's own mode stays. Links are not followed, and files
/// that cannot be opened stay closed.
pub fn open_to_all(folder: &Path) {
    let Ok(folder) = UntrustedFolder::open(folder) else {
        return;
    };
    folder.walk(Path::new(""), OPENED, |entry| {
        let mode = entry.meta.mode;
        let execute = mode & 0o100;
        let wanted = mode | 0o044 | execute >> 3 | execute >> 6;
        if mode != wanted && entry.meta.kind != EntryKind::Link {
            // A build may leave files whose mode cannot be changed; then the program fails to read
            // them and reports that.
            let _ = entry.set_mode(wanted);
        }
        true
    });
}

/// Counts the size of a source and refuses it beyond the limits.
pub(super) struct SourceMeter {
    source: PathBuf,
    bounds: SourceBounds,
    bytes: u64,
    files: u32,
}

impl SourceMeter {
    pub(super) fn new(source: &Path, bounds: SourceBounds) -> Self {
        SourceMeter {
            source: source.to_owned(),
            bounds,
            bytes: 0,
            files: 0,
        }
    }

    /// Counts one file or folder at `entry`, a path inside the source.
    pub(super) fn count_entry(&mut self, entry: &Path) -> Result<(), BuildError> {
        self.files += 1;
        if entry.components().count() > self.bounds.depth {
            return Err(self.too_large(
                entry,
                format!("{} folders inside each other", self.bounds.depth),
            ));
        }
        if self.files > self.bounds.files {
            return Err(self.too_large(entry, format!("{} files", self.bounds.files)));
        }
        Ok(())
    }

    fn count_bytes(&mut self, entry: &Path, bytes: usize) -> Result<(), BuildError> {
        self.bytes += bytes as u64;
        if self.bytes > self.bounds.bytes {
            return Err(self.too_large(entry, size_text(self.bounds.bytes)));
        }
        Ok(())
    }

    fn too_large(&self, entry: &Path, limit: String) -> BuildError {
        BuildError::TooLarge {
            path: self.source.clone(),
            at: shorten_name(&entry.to_string_lossy()),
            limit,
        }
    }

    pub(super) fn bad_entry(
        &self,
        entry: &Path,
        why: impl Into<String>,
        next: &'static str,
    ) -> BuildError {
        let entry = shorten_name(&entry.to_string_lossy());
        BuildError::BadEntry {
            path: self.source.clone(),
            entry,
            why: why.into(),
            next,
        }
    }
}

/// The side on which copying bytes failed.
pub(super) enum CopyError {
    Read(io::Error),
    Write(io::Error),
    Bound(BuildError),
}

/// Copies bytes; counts them before they are written.
pub(super) fn copy_bounded(
    from: &mut impl Read,
    to: &mut impl Write,
    entry: &Path,
    meter: &mut SourceMeter,
) -> Result<(), CopyError> {
    let mut buffer = [0_u8; 16 << 10];
    loop {
        let count = match from.read(&mut buffer) {
            Ok(0) => return Ok(()),
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(CopyError::Read(error)),
        };
        meter.count_bytes(entry, count).map_err(CopyError::Bound)?;
        to.write_all(&buffer[..count]).map_err(CopyError::Write)?;
    }
}

/// Creates a new file, executable or not.
pub(super) fn create_file(path: &Path, runnable: bool) -> io::Result<File> {
    let mode = if runnable { 0o755 } else { 0o644 };
    OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(mode)
        .open(path)
}

struct FolderCopy<'a> {
    root: PathBuf,
    folder: UntrustedFolder,
    to: &'a Path,
    others: &'a [PathBuf],
    meter: SourceMeter,
    notes: Vec<String>,
    /// Folders still to be copied, as paths inside the root.
    open: Vec<PathBuf>,
}

impl FolderCopy<'_> {
    fn copy_folder(&mut self, folder: &Path) -> Result<(), BuildError> {
        let from = self.root.join(folder);
        let names = self.folder.list(folder, MOST_NAMES);
        for (name, _) in names.map_err(BuildError::from_io("read", &from))? {
            if !is_left_out(&name) {
                self.copy_entry(&folder.join(name))?;
            }
        }
        Ok(())
    }

    fn copy_entry(&mut self, entry: &Path) -> Result<(), BuildError> {
        let from = self.root.join(entry);
        let meta = self.folder.look_at(entry);
        let kind = meta.map_err(BuildError::from_io("look at", &from))?.kind;
        if kind == EntryKind::Folder && self.passes_over(entry) {
            return Ok(());
        }
        if self.others.contains(&from) {
            let name = shorten_name(&entry.to_string_lossy());
            self.notes.push(format!(
                "left behind: {name}: another entrant's program, which nobody else may read"
            ));
            return Ok(());
        }
        self.meter.count_entry(entry)?;
        let to = self.to.join(entry);
        match kind {
            EntryKind::Folder => {
                std::fs::create_dir(&to).map_err(BuildError::from_io("create", &to))?;
                self.open.push(entry.to_owned());
                Ok(())
            }
            EntryKind::Link => self.copy_link(entry, &from, &to),
            EntryKind::File | EntryKind::Special => {
                copy_file(&self.folder, entry, &to, entry, &mut self.meter)
            }
        }
    }

    /// Whether a folder is not copied: a cache, or the copy itself, if it lies inside the folder.
    fn passes_over(&self, entry: &Path) -> bool {
        let is_mark = |mark: &&str| self.folder.look_at(&entry.join(mark)).is_ok();
        self.to.starts_with(self.root.join(entry)) || CACHE_MARKS.iter().any(is_mark)
    }

    /// Copies a link inside the folder as a link to the same place in the copy.
    fn copy_link(&mut self, entry: &Path, from: &Path, to: &Path) -> Result<(), BuildError> {
        let Ok(target) = from.canonicalize() else {
            self.notes.push(format!(
                "left behind: the link {} leads nowhere",
                entry.display()
            ));
            return Ok(());
        };
        let Ok(inside) = target.strip_prefix(&self.root) else {
            let why = format!("is a link that leads outside, to {}", target.display());
            return Err(self
                .meter
                .bad_entry(entry, why, "put the file itself there"));
        };
        std::os::unix::fs::symlink(self.to.join(inside), to)
            .map_err(BuildError::from_io("link", to))
    }
}

/// Copies a plain file of a folder; `entry` is its name in messages.
pub(super) fn copy_file(
    folder: &UntrustedFolder,
    name: &Path,
    to: &Path,
    entry: &Path,
    meter: &mut SourceMeter,
) -> Result<(), BuildError> {
    let from = folder.path().join(name);
    let (mut source, meta) = match folder.open_file(name) {
        Err(error) if error.kind() == io::ErrorKind::Unsupported => {
            return Err(meter.bad_entry(entry, "is not a regular file", "remove it"));
        }
        opened => opened.map_err(BuildError::from_io("open", &from))?,
    };
    let mut copy =
        create_file(to, meta.is_runnable()).map_err(BuildError::from_io("create", to))?;
    copy_bounded(&mut source, &mut copy, entry, meter).map_err(|pour| match pour {
        CopyError::Read(error) => BuildError::from_io("read", &from)(error),
        CopyError::Write(error) => BuildError::from_io("write", to)(error),
        CopyError::Bound(error) => error,
    })
}

fn size_text(bytes: u64) -> String {
    if bytes >= 1 << 20 {
        format!("{} MiB", bytes >> 20)
    } else {
        format!("{bytes} bytes")
    }
}

/// Shortens names for messages; names from outside can be thousands of characters long.
fn shorten_name(name: &str) -> String {
    const SHOWN: usize = 100;
    match name.char_indices().nth(SHOWN) {
        Some((at, _)) => format!("{}…", &name[..at]),
        None => name.to_owned(),
    }
}
