//! The build cache: builds are stored in a folder of this user, so that the same source is not
//! built again.
//!
//! - **Keys.** The key of a build is the SHA-256 of everything that can change its result: the
//!   copied files, the recipe, this version of Leitai, the tools with their sizes and times, the
//!   system's packages, the processor, the tier. A build without isolation can read any file of the
//!   machine, so it is never stored.
//! - **Permissions.** The folder must belong to this user, and nobody else may write to it;
//!   otherwise nothing is stored. Programs and builds in the sandbox cannot see it: an entry is
//!   copied into the fresh folder in which the program runs.
//! - **Atomicity.** An entry is one file, written under another name and then renamed; its last
//!   bytes are the SHA-256 of the rest. A damaged entry is ignored and replaced. Several processes
//!   may read, write and remove entries at once.
//! - **Bounds.** 64 MiB for an entry, 512 MiB in total, 30 days; the least recently used entries
//!   are evicted first.
//!
//! A build whose files contain the path of its folder is not stored: it may not work elsewhere.

use super::folder_copy;
use super::program::RecipeOutput;
use super::recipe::{BuildRecipe, is_generated};
use super::tool_runner::ToolRunner;
use leitai_sandbox::UntrustedFolder;
use leitai_sandbox::untrusted_folder::{EntryKind, EntryMeta, WalkBounds, WalkEnd};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::ffi::OsString;
use std::fs::{DirBuilder, File, Metadata, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Component, Path, PathBuf};
use std::sync::OnceLock;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The most bytes of one entry.
const MOST_OF_ENTRY: u64 = 64 << 20;
/// The most files and folders of one entry.
const MOST_FILES: usize = 10_000;
/// The most bytes of all entries together.
const MOST: u64 = 512 << 20;
const MOST_ENTRIES: usize = 512;
/// The maximum age of an entry, whatever its key.
const OLDEST: Duration = Duration::from_secs(30 * 24 * 3600);
/// The age after which an unfinished file counts as abandoned.
const ABANDONED: Duration = Duration::from_secs(3600);
/// The suffix of an entry, and the prefix of a file that is being written.
const ENDING: &str = ".build";
const BEGINNING: &str = "new-";
/// Bytes of a SHA-256.
const DIGEST: usize = 32;
/// The placeholder for the build folder in the words of a command.
const FOLDER: &str = "{room}";
/// Changes when old entries can no longer be read.
const FORMAT: &str = "leitai-build/1";
/// By-products of CMake, which no program needs and which contain the path of their folder.
const BY_CMAKE: [&str; 5] = [
    "CMakeFiles",
    "CMakeCache.txt",
    "cmake_install.cmake",
    "CTestTestfile.cmake",
    "compile_commands.json",
];
/// By-products of cargo in its folder `target/release`, besides the lists of sources beside each
/// program (`.d`).
const BY_CARGO: [&str; 5] = [".fingerprint", "build", "deps", "examples", "incremental"];

/// A build cache in a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BuildCache {
    folder: PathBuf,
}

/// Why a folder cannot be used as a cache.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the names say it")]
pub enum BuildCacheError {
    /// It cannot be created or read.
    #[error("builds are not kept: cannot use {folder}: {source}", folder = folder.display())]
    Io { folder: PathBuf, source: io::Error },
    /// Another user could put a program there.
    #[error("builds are not kept: {folder} must be a folder of this user that nobody else may change; chmod 700, or \
        name another with LEITAI_CACHE", folder = folder.display())]
    NotOurs { folder: PathBuf },
}

/// A cached build, in the folder where it will run.
#[derive(Debug)]
pub struct CachedBuild {
    /// The command that starts it, and the tool that built it.
    pub made: RecipeOutput,
    /// The output of the tools.
    pub log: String,
    /// The tools that built it and run it, by name.
    pub tools: Vec<String>,
}

/// The hash of everything that a build depends on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BuildKey(String);

/// The beginning of an entry, one line of JSON. The contents of the files follow in order, then the
/// digest of everything.
#[derive(Serialize, Deserialize)]
struct EntryHeader {
    format: String,
    made: u64,
    argv: Vec<String>,
    how: String,
    log: String,
    tools: Vec<String>,
    files: Vec<EntryFile>,
}

#[derive(Serialize, Deserialize)]
struct EntryFile {
    path: PathBuf,
    kind: EntryFileKind,
}

#[derive(Serialize, Deserialize)]
enum EntryFileKind {
    Folder,
    Link(String),
    File {
        bytes: u64,
        runnable: bool,
        changed: Duration,
    },
}

impl BuildCache {
    /// Opens the cache in this folder, which is created if it does not exist.
    ///
    /// # Errors
    /// [`BuildCacheError`].
    pub fn open_folder(folder: &Path) -> Result<BuildCache, BuildCacheError> {
        let failed = |source| BuildCacheError::Io {
            folder: folder.to_owned(),
            source,
        };
        if let Some(above) = folder.parent() {
            std::fs::create_dir_all(above).map_err(failed)?;
        }
        match DirBuilder::new().mode(0o700).create(folder) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
                return Err(failed(error));
            }
            _ => {}
        }
        let meta = std::fs::symlink_metadata(folder).map_err(failed)?;
        match meta.is_dir() && is_private(&meta) {
            true => Ok(BuildCache {
                folder: folder.to_owned(),
            }),
            false => Err(BuildCacheError::NotOurs {
                folder: folder.to_owned(),
            }),
        }
    }

    /// Puts a cached build into `folder`, in place of the source there. `None` if there is no
    /// intact one.
    pub fn restore_build(&self, key: &BuildKey, folder: &Path) -> Option<CachedBuild> {
        let (file, bytes) = read_entry(&self.entry_path(key))?;
        let (header, contents) = split_header(&bytes)?;
        let age = seconds_now()?.checked_sub(header.made)?;
        if header.format != FORMAT || age > OLDEST.as_secs() {
            return None;
        }
        // The modification time orders eviction; another process may have removed the file
        // meanwhile.
        let _ = file.set_modified(SystemTime::now());
        unpack_entry(&header, contents, folder).ok()?;
        let argv = header
            .argv
            .iter()
            .map(|word| with_folder(word, folder))
            .collect::<Option<Vec<OsString>>>()?;
        Some(CachedBuild {
            made: RecipeOutput {
                argv,
                how: header.how,
            },
            log: header.log,
            tools: header.tools,
        })
    }

    /// Stores the result of a build in `folder`. A build that cannot be stored is repeated the next
    /// time.
    pub fn keep_build(
        &self,
        key: &BuildKey,
        folder: &Path,
        made: &RecipeOutput,
        runner: &ToolRunner,
    ) {
        if let Some(bytes) = entry_of(folder, made, runner) {
            // A full disk does not prevent the match.
            let _ = self.write(key, &bytes);
            self.evict_oldest();
        }
    }

    fn entry_path(&self, key: &BuildKey) -> PathBuf {
        self.folder.join(format!("{}{ENDING}", key.0))
    }

    fn write(&self, key: &BuildKey, bytes: &[u8]) -> io::Result<()> {
        let mut new = tempfile::Builder::new()
            .prefix(BEGINNING)
            .tempfile_in(&self.folder)?;
        new.write_all(bytes)?;
        new.persist(self.entry_path(key))
            .map_err(|refused| refused.error)?;
        Ok(())
    }

    /// Evicts expired entries, and the least recently used ones until the rest is within the
    /// limits.
    fn evict_oldest(&self) {
        let now = SystemTime::now();
        let age = |meta: &Metadata| {
            now.duration_since(meta.modified().unwrap_or(now))
                .unwrap_or_default()
        };
        let mut entries: Vec<(Duration, u64, PathBuf)> = Vec::new();
        for entry in std::fs::read_dir(&self.folder)
            .into_iter()
            .flatten()
            .flatten()
        {
            let (name, path) = (
                entry.file_name().to_string_lossy().into_owned(),
                entry.path(),
            );
            let Ok(meta) = path.symlink_metadata() else {
                continue;
            };
            if name.starts_with(BEGINNING) && age(&meta) > ABANDONED {
                let _ = std::fs::remove_file(&path);
            } else if name.ends_with(ENDING) {
                entries.push((age(&meta), meta.len(), path));
            }
        }
        entries.sort_unstable();
        let mut total = 0;
        for (index, (age, bytes, path)) in entries.iter().enumerate() {
            total += bytes;
            if *age > OLDEST || total > MOST || index >= MOST_ENTRIES {
                // Another process may have removed it already.
                let _ = std::fs::remove_file(path);
            }
        }
    }
}

impl BuildKey {
    /// The key of the source in `folder`. `None` if caching is not possible or a tool is missing.
    pub fn from_folder(
        folder: &Path,
        recipe: &BuildRecipe,
        runner: &mut ToolRunner,
    ) -> Option<BuildKey> {
        let mut hash = DigestBuilder::default();
        hash.add_part(FORMAT.as_bytes());
        hash.add_part(runner.sandbox_tier().to_string().as_bytes());
        hash.add_part(format!("{recipe:?}").as_bytes());
        if let Some(host) = recipe.bot_host() {
            hash.add_part(
                format!(
                    "{:?} {:?} {:?} {:?}",
                    host.files, host.build, host.run, host.tools
                )
                .as_bytes(),
            );
        }
        hash.add_part(runner.library_hash().unwrap_or_default().as_bytes());
        for tool in recipe.needed_tools() {
            hash.add_file(Path::new(&runner.need_tool(tool).ok()?));
        }
        static MACHINE: OnceLock<[u8; DIGEST]> = OnceLock::new();
        hash.add_part(MACHINE.get_or_init(hash_machine));
        hash.add_part(
            runner
                .work_folder()
                .strip_prefix(folder)
                .ok()?
                .as_os_str()
                .as_encoded_bytes(),
        );
        let source = UntrustedFolder::open(folder).ok()?;
        for (path, meta) in tree_of(&source, Path::new("files"), &|_| false)? {
            hash.add_part(path.as_os_str().as_encoded_bytes());
            hash.add_part(format!("{:?} {:o}", meta.kind, meta.mode).as_bytes());
            hash.add_part(&read_content(&source, &path, &meta)?);
        }
        Some(BuildKey(hex::encode(hash.0.finalize())))
    }
}

/// The content of a file or the target of a link; a link into the folder is the same in every
/// folder.
fn read_content(folder: &UntrustedFolder, path: &Path, meta: &EntryMeta) -> Option<Vec<u8>> {
    match meta.kind {
        EntryKind::Folder => Some(Vec::new()),
        EntryKind::Link => {
            let target = folder.read_link(path).ok()?;
            let inside = target.strip_prefix(folder.path()).unwrap_or(&target);
            Some(inside.as_os_str().as_encoded_bytes().to_vec())
        }
        EntryKind::File => folder.read_file(path, MOST_OF_ENTRY).ok(),
        EntryKind::Special => None,
    }
}

/// Hashes parts, each after its length, so that no two lists of parts have the same bytes.
#[derive(Default)]
struct DigestBuilder(Sha256);

impl DigestBuilder {
    fn add_part(&mut self, part: &[u8]) {
        self.0.update((part.len() as u64).to_le_bytes());
        self.0.update(part);
    }

    /// Adds the identity of a file: its real path, its size and its times.
    fn add_file(&mut self, path: &Path) {
        let real = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        self.add_part(real.as_os_str().as_encoded_bytes());
        if let Ok(meta) = real.metadata() {
            let times = [
                meta.mtime(),
                meta.mtime_nsec(),
                meta.ctime(),
                meta.ctime_nsec(),
            ];
            times
                .iter()
                .for_each(|time| self.add_part(&time.to_le_bytes()));
            self.add_part(&meta.size().to_le_bytes());
        }
    }
}

/// The hash of everything on this machine that builds depend on besides their tools: this program,
/// the compilers in the search path, the lists of installed packages, manually installed libraries,
/// and the processor (`-march=native`).
fn hash_machine() -> [u8; DIGEST] {
    const COMPILERS: [&str; 19] = [
        "cc", "c++", "gcc", "g++", "clang", "clang++", "ld", "as", "ar", "make", "cmake", "ninja",
        "python3", "go", "rustc", "cargo", "javac", "java", "node",
    ];
    const PLACES: [&str; 7] = [
        "/var/lib/dpkg/status",
        "/var/lib/rpm",
        "/usr/lib/sysimage/rpm",
        "/lib/apk/db/installed",
        "/var/lib/pacman/local",
        "/usr/local/include",
        "/usr/local/lib",
    ];
    const SHOWN: u64 = 16 << 10;
    let mut hash = DigestBuilder::default();
    hash.add_file(Path::new("/proc/self/exe"));
    let path = std::env::var_os("PATH").unwrap_or_default();
    hash.add_part(path.as_encoded_bytes());
    for name in COMPILERS {
        let found = std::env::split_paths(&path)
            .map(|folder| folder.join(name))
            .find(|file| file.is_file());
        found.into_iter().for_each(|file| hash.add_file(&file));
    }
    PLACES
        .iter()
        .for_each(|place| hash.add_file(Path::new(place)));
    let mut text = String::new();
    let read =
        File::open("/proc/cpuinfo").and_then(|file| file.take(SHOWN).read_to_string(&mut text));
    let kinds = ["model name", "flags", "Features", "CPU part"];
    let lines = read
        .iter()
        .flat_map(|_| text.lines().take_while(|line| !line.is_empty()));
    lines
        .filter(|line| kinds.iter().any(|kind| line.starts_with(kind)))
        .for_each(|line| hash.add_part(line.as_bytes()));
    hash.0.finalize().into()
}

/// Whether only this user can change the file.
fn is_private(meta: &Metadata) -> bool {
    meta.uid() == rustix::process::geteuid().as_raw() && meta.mode() & 0o022 == 0
}

/// An intact entry of this user: its bytes without the digest.
fn read_entry(path: &Path) -> Option<(File, Vec<u8>)> {
    let mut file = open_entry(path).ok()?;
    let meta = file.metadata().ok()?;
    if !meta.is_file() || !is_private(&meta) || meta.len() > MOST_OF_ENTRY {
        return None;
    }
    let mut bytes = Vec::new();
    (&mut file)
        .take(MOST_OF_ENTRY)
        .read_to_end(&mut bytes)
        .ok()?;
    let (rest, digest) = bytes.split_last_chunk::<DIGEST>()?;
    if Sha256::digest(rest).as_slice() != digest {
        return None;
    }
    bytes.truncate(bytes.len() - DIGEST);
    Some((file, bytes))
}

fn split_header(bytes: &[u8]) -> Option<(EntryHeader, &[u8])> {
    let end = bytes.iter().position(|byte| *byte == b'\n')?;
    Some((
        serde_json::from_slice(&bytes[..end]).ok()?,
        &bytes[end + 1..],
    ))
}

/// Opens a file without following a link and without blocking on a pipe.
fn open_entry(path: &Path) -> io::Result<File> {
    let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
    OpenOptions::new()
        .read(true)
        .custom_flags(flags.bits().cast_signed())
        .open(path)
}

/// Everything in the folder `top` inside, in order, itself first; links are not followed. `None` if it
/// is too much or cannot be read.
fn tree_of(
    folder: &UntrustedFolder,
    top: &Path,
    leave_out: &dyn Fn(&Path) -> bool,
) -> Option<Vec<(PathBuf, EntryMeta)>> {
    const BOUNDS: WalkBounds = WalkBounds {
        entries: MOST_FILES,
        depth: 64,
    };
    let mut found = vec![(top.to_owned(), folder.look_at(top).ok()?)];
    let (mut bytes, mut is_fit) = (0_u64, true);
    let end = folder.walk(top, BOUNDS, |entry| {
        if leave_out(&entry.path) {
            return false;
        }
        is_fit &= entry.meta.kind != EntryKind::Special;
        if entry.meta.kind != EntryKind::Folder {
            bytes = bytes.saturating_add(entry.meta.bytes);
        }
        found.push((entry.path.clone(), entry.meta));
        true
    });
    found.sort_unstable_by(|one, other| one.0.cmp(&other.0));
    (is_fit && end == WalkEnd::Whole && bytes <= MOST_OF_ENTRY).then_some(found)
}

/// Whether the file is a by-product that only a build tool needs.
fn is_by_product(folder: &UntrustedFolder, path: &Path) -> bool {
    let is_one_of = |names: &[&str]| {
        path.file_name()
            .is_some_and(|name| names.iter().any(|one| name == *one))
    };
    let by_cargo = || {
        path.parent()
            .is_some_and(|folder| folder.ends_with("target/release"))
    };
    is_one_of(&BY_CMAKE)
        || is_one_of(&["Makefile"]) && is_generated(folder, path)
        || by_cargo()
            && (is_one_of(&BY_CARGO) || path.extension().is_some_and(|ending| ending == "d"))
}

/// The bytes of an entry; `None` if the build cannot be stored.
fn entry_of(folder: &Path, made: &RecipeOutput, runner: &ToolRunner) -> Option<Vec<u8>> {
    let (mut files, mut contents) = (Vec::new(), Vec::new());
    let built = UntrustedFolder::open(folder).ok()?;
    for top in ["files", "host"].map(Path::new) {
        if built.look_at(top).is_err() {
            continue;
        }
        for (path, meta) in tree_of(&built, top, &|path| is_by_product(&built, path))? {
            let kind = kind_of(&built, &path, &meta, &mut contents)?;
            files.push(EntryFile { path, kind });
        }
    }
    let tools = runner
        .asked_tools()
        .iter()
        .map(|tool| tool.name.to_owned())
        .collect();
    let header = EntryHeader {
        format: FORMAT.to_owned(),
        made: seconds_now()?,
        argv: made
            .argv
            .iter()
            .map(|word| without_folder(word.to_str()?, folder))
            .collect::<Option<_>>()?,
        how: made.how.clone(),
        log: runner.log_text(),
        tools,
        files,
    };
    let mut bytes = serde_json::to_vec(&header).ok()?;
    bytes.push(b'\n');
    bytes.append(&mut contents);
    let digest = Sha256::digest(&bytes);
    bytes.extend(digest);
    (bytes.len() as u64 <= MOST_OF_ENTRY).then_some(bytes)
}

fn kind_of(
    folder: &UntrustedFolder,
    path: &Path,
    meta: &EntryMeta,
    contents: &mut Vec<u8>,
) -> Option<EntryFileKind> {
    match meta.kind {
        EntryKind::Folder => return Some(EntryFileKind::Folder),
        EntryKind::Special => return None,
        EntryKind::Link => {
            let target = folder.read_link(path).ok()?;
            let kept = without_folder(target.to_str()?, folder.path())?;
            return Some(EntryFileKind::Link(kept));
        }
        EntryKind::File => {}
    }
    let bytes = folder.read_file(path, MOST_OF_ENTRY).ok()?;
    let name = folder.path().as_os_str().as_encoded_bytes();
    if bytes.windows(name.len()).any(|window| window == name) {
        return None;
    }
    let changed = meta.changed.duration_since(UNIX_EPOCH).unwrap_or_default();
    contents.extend_from_slice(&bytes);
    Some(EntryFileKind::File {
        bytes: bytes.len() as u64,
        runnable: meta.is_runnable(),
        changed,
    })
}

/// The word with the folder replaced by its placeholder.
fn without_folder(word: &str, folder: &Path) -> Option<String> {
    (!word.contains(FOLDER)).then(|| word.replace(folder.to_str().unwrap_or(FOLDER), FOLDER))
}

fn with_folder(word: &str, folder: &Path) -> Option<OsString> {
    Some(word.replace(FOLDER, folder.to_str()?).into())
}

/// Writes the files of an entry beside the source, and when all are written, moves them into its
/// place.
fn unpack_entry(header: &EntryHeader, contents: &[u8], folder: &Path) -> io::Result<()> {
    let kept = folder.join("kept");
    std::fs::create_dir(&kept)?;
    let written = write_items(&header.files, contents, folder, &kept).and_then(|()| {
        std::fs::remove_dir_all(folder.join("files"))?;
        let tops = ["files", "host"]
            .into_iter()
            .filter(|top| kept.join(top).is_dir());
        tops.into_iter()
            .try_for_each(|top| std::fs::rename(kept.join(top), folder.join(top)))
    });
    let removed = std::fs::remove_dir_all(&kept);
    written.and(removed)
}

fn write_items(
    items: &[EntryFile],
    mut contents: &[u8],
    folder: &Path,
    to: &Path,
) -> io::Result<()> {
    let invalid = || io::Error::from(io::ErrorKind::InvalidData);
    for EntryFile { path, kind } in items {
        let inside = path
            .components()
            .all(|part| matches!(part, Component::Normal(_)));
        let path = to.join(Some(path).filter(|_| inside).ok_or_else(invalid)?);
        match kind {
            EntryFileKind::Folder => std::fs::create_dir(&path)?,
            EntryFileKind::Link(target) => {
                std::os::unix::fs::symlink(
                    with_folder(target, folder).ok_or_else(invalid)?,
                    &path,
                )?;
            }
            EntryFileKind::File {
                bytes,
                runnable,
                changed,
            } => {
                let length = usize::try_from(*bytes).map_err(|_| invalid())?;
                let (own, rest) = contents.split_at_checked(length).ok_or_else(invalid)?;
                contents = rest;
                let mut file = folder_copy::create_file(&path, *runnable)?;
                file.write_all(own)?;
                file.set_modified(UNIX_EPOCH.checked_add(*changed).ok_or_else(invalid)?)?;
            }
        }
    }
    Ok(())
}

fn seconds_now() -> Option<u64> {
    Some(SystemTime::now().duration_since(UNIX_EPOCH).ok()?.as_secs())
}
