//! Unpacks an untrusted archive.
//!
//! Names that are absolute or contain `..`, links and special files are refused; sizes, counts and
//! depth are measured on the real content, never taken from headers. Entries that share their bytes
//! are refused, too, because the judge would have to read the archive once for each of them.

use super::BuildError;
use super::folder_copy::{
    CACHE_MARKS, CopyError, SourceBounds, SourceMeter, copy_bounded, create_file, is_left_out,
};
use super::language::{PROGRAM_START, is_program_text};
use leitai_sandbox::UntrustedFolder;
use leitai_sandbox::untrusted_folder::{EntryKind, open_named_file};
use std::borrow::Cow;
use std::collections::HashMap;
use std::fs::Permissions;
use std::io::{self, Cursor, Read, Seek};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use zip::read::ZipFile;
use zip::result::ZipError;

/// Unpacks the archive `from` into the empty folder `to`. What is not copied from a folder is not
/// unpacked either (version histories, caches, virtual environments). The x bit is kept, other
/// permissions are not; programs and scripts get it in any case, because archives from Windows have
/// none.
///
/// # Errors
/// [`BuildError::BadZip`], [`BuildError::BadEntry`], [`BuildError::TooLarge`], [`BuildError::Io`].
pub fn unpack_zip(from: &Path, to: &Path, bounds: SourceBounds) -> Result<(), BuildError> {
    let (file, meta) = open_named_file(from).map_err(BuildError::from_io("open", from))?;
    let size = meta.bytes;
    if size > bounds.bytes {
        let limit = format!("{} MiB", bounds.bytes >> 20);
        return Err(BuildError::TooLarge {
            path: from.to_owned(),
            at: "the archive itself".into(),
            limit,
        });
    }
    list_entries(file, size, from, bounds, |entry, path, meter| {
        extract_entry(entry, from, to, path, meter)
    })
}

/// Whether [`unpack_zip`] would accept the archive with these bytes, without writing anything;
/// `name` is for messages.
///
/// # Errors
/// [`BuildError::BadZip`], [`BuildError::BadEntry`], [`BuildError::TooLarge`].
pub fn check_archive(bytes: &[u8], name: &Path, bounds: SourceBounds) -> Result<(), BuildError> {
    let mut seen = HashMap::new();
    list_entries(
        Cursor::new(bytes),
        bytes.len() as u64,
        name,
        bounds,
        |entry, path, meter| {
            let folders: Vec<&Path> = path
                .ancestors()
                .skip(1)
                .filter(|above| *above != Path::new(""))
                .collect();
            for folder in folders.into_iter().rev() {
                note_entry(&mut seen, folder, true, meter)?;
            }
            note_entry(&mut seen, path, entry.is_dir(), meter)?;
            copy_bounded(entry, &mut io::sink(), path, meter).map_err(|pour| match pour {
                CopyError::Read(error) | CopyError::Write(error) => bad_zip(name, error.into()),
                CopyError::Bound(error) => error,
            })
        },
    )
}

/// Hands every file of an archive to `visit` as a stream of its bytes, without writing anything, until
/// `visit` returns false. Reading no more than is needed is the visitor's duty.
///
/// # Errors
/// [`BuildError::BadZip`], [`BuildError::BadEntry`], [`BuildError::TooLarge`]; what was visited before
/// is not taken back.
pub fn visit_files(
    bytes: &[u8],
    name: &Path,
    bounds: SourceBounds,
    mut visit: impl FnMut(&Path, &mut dyn Read) -> Result<bool, ZipError>,
) -> Result<(), BuildError> {
    let (size, mut goes_on) = (bytes.len() as u64, true);
    list_entries(
        Cursor::new(bytes),
        size,
        name,
        bounds,
        |entry, path, meter| {
            meter.count_entry(path)?;
            if goes_on && !entry.is_dir() {
                goes_on = visit(path, entry).map_err(|error| bad_zip(name, error))?;
            }
            Ok(())
        },
    )
}

/// Counts a file or folder that would be created; `seen` records which of the two each name is.
fn note_entry(
    seen: &mut HashMap<PathBuf, bool>,
    path: &Path,
    is_dir: bool,
    meter: &mut SourceMeter,
) -> Result<(), BuildError> {
    const LONGEST_NAME: usize = 255;
    match seen.get(path) {
        Some(true) if is_dir => return Ok(()),
        Some(_) => {
            return Err(meter.bad_entry(
                path,
                "clashes with another entry",
                "make the archive again",
            ));
        }
        None => meter.count_entry(path)?,
    }
    if path
        .file_name()
        .is_some_and(|name| name.len() > LONGEST_NAME)
    {
        return Err(meter.bad_entry(path, "has too long a name", "make the archive again"));
    }
    seen.insert(path.to_owned(), is_dir);
    Ok(())
}

/// Calls `take` for every entry that is to be unpacked, with a path that stays inside.
fn list_entries<R: Read + Seek>(
    archive: R,
    size: u64,
    from: &Path,
    bounds: SourceBounds,
    mut take: impl FnMut(&mut ZipFile<'_, R>, &Path, &mut SourceMeter) -> Result<(), BuildError>,
) -> Result<(), BuildError> {
    let mut archive = zip::ZipArchive::new(archive).map_err(|error| bad_zip(from, error))?;
    let mut meter = SourceMeter::new(from, bounds);
    let mut packed = 0_u64;
    let caches = list_caches(archive.file_names().flatten());
    for index in 0..archive.len() {
        let mut entry = archive
            .by_index(index)
            .map_err(|error| bad_zip(from, error))?;
        packed = packed.saturating_add(entry.compressed_size());
        if packed > size {
            return Err(BuildError::BadZip {
                path: from.to_owned(),
                why: "its entries overlap".into(),
            });
        }
        let name = entry
            .name()
            .map_err(|error| bad_zip(from, error))?
            .into_owned();
        let path = safe_path(&name, &meter)?;
        if let Some(path) = path.filter(|path| !caches.iter().any(|cache| path.starts_with(cache)))
        {
            refuse_special(&entry, &path, &meter)?;
            take(&mut entry, &path, &mut meter)?;
        }
    }
    Ok(())
}

/// The folders of an archive that are caches or virtual environments.
fn list_caches<'a>(names: impl Iterator<Item = Cow<'a, str>>) -> Vec<PathBuf> {
    let folder = |name: Cow<'_, str>| {
        let name = name.replace('\\', "/");
        let (folder, file) = name.rsplit_once('/')?;
        let folder: PathBuf = folder.split('/').filter(|part| *part != ".").collect();
        let is_cache = CACHE_MARKS.contains(&file) && !folder.as_os_str().is_empty();
        is_cache.then_some(folder)
    };
    names.filter_map(folder).collect()
}

/// The folder to build in: an archive often contains a single folder with all files.
pub fn enter_single_folder(dir: &Path) -> PathBuf {
    let folder = UntrustedFolder::open(dir);
    let entries = folder.and_then(|folder| folder.list(Path::new(""), 2));
    match entries.unwrap_or_default().as_slice() {
        [(only, EntryKind::Folder)] => dir.join(only),
        _ => dir.to_owned(),
    }
}

/// The path of an entry inside the archive; `None` if it is not unpacked. Archivers on Windows
/// write backslashes.
fn safe_path(name: &str, meter: &SourceMeter) -> Result<Option<PathBuf>, BuildError> {
    let refuse = |why: &str| {
        Err(meter.bad_entry(
            Path::new(name),
            why,
            "make the archive from inside the bot's folder",
        ))
    };
    let slashed = name.replace('\\', "/");
    let has_drive = slashed.as_bytes().get(1) == Some(&b':');
    if slashed.starts_with('/') || has_drive {
        return refuse("is an absolute path");
    }
    let parts: Vec<&str> = slashed
        .split('/')
        .filter(|part| !part.is_empty() && *part != ".")
        .collect();
    if parts.contains(&"..") {
        return refuse("leads out of the archive");
    }
    if slashed.contains('\0') || parts.is_empty() {
        return refuse("is not a valid file name");
    }
    let left_out = parts.iter().any(|part| is_left_out(part.as_ref()));
    Ok((!left_out).then(|| parts.iter().collect()))
}

fn refuse_special<R: Read>(
    entry: &ZipFile<'_, R>,
    path: &Path,
    meter: &SourceMeter,
) -> Result<(), BuildError> {
    const KIND: u32 = 0o170_000;
    const PLAIN: [u32; 3] = [0, 0o100_000, 0o040_000];
    if entry.is_symlink() || !PLAIN.contains(&(entry.unix_mode().unwrap_or(0) & KIND)) {
        return Err(meter.bad_entry(
            path,
            "is a link or a special file",
            "put the file itself there",
        ));
    }
    Ok(())
}

fn extract_entry<R: Read>(
    entry: &mut ZipFile<'_, R>,
    from: &Path,
    to: &Path,
    path: &Path,
    meter: &mut SourceMeter,
) -> Result<(), BuildError> {
    if entry.is_dir() {
        return make_folders(to, path, meter);
    }
    make_folders(to, path.parent().unwrap_or(Path::new("")), meter)?;
    meter.count_entry(path)?;
    let runnable = entry.unix_mode().unwrap_or(0) & 0o111 != 0;
    let target = to.join(path);
    let mut file =
        create_file(&target, runnable).map_err(|error| not_created(error, path, &target, meter))?;
    copy_bounded(entry, &mut file, path, meter).map_err(|pour| match pour {
        CopyError::Read(error) => bad_zip(from, error.into()),
        CopyError::Write(error) => BuildError::from_io("write", &target)(error),
        CopyError::Bound(error) => error,
    })?;
    if runnable {
        return Ok(());
    }
    make_program_runnable(&target).map_err(BuildError::from_io("look at", &target))
}

/// Sets the x bit of a file that the kernel can run.
fn make_program_runnable(file: &Path) -> io::Result<()> {
    let mut start = Vec::new();
    let opened = std::fs::File::open(file)?;
    (&opened).take(PROGRAM_START).read_to_end(&mut start)?;
    match is_program_text(&start) {
        true => opened.set_permissions(Permissions::from_mode(0o755)),
        false => Ok(()),
    }
}

/// Creates a folder and its parents, counting each new one.
fn make_folders(to: &Path, path: &Path, meter: &mut SourceMeter) -> Result<(), BuildError> {
    let mut so_far = PathBuf::new();
    for part in path.components() {
        so_far.push(part);
        let target = to.join(&so_far);
        if !target.is_dir() {
            meter.count_entry(&so_far)?;
            std::fs::create_dir(&target)
                .map_err(|error| not_created(error, &so_far, &target, meter))?;
        }
    }
    Ok(())
}

/// Clashing and overlong names are the archive's fault, all other failures are infrastructure
/// errors.
fn not_created(error: io::Error, entry: &Path, target: &Path, meter: &SourceMeter) -> BuildError {
    let why = match error.kind() {
        io::ErrorKind::AlreadyExists | io::ErrorKind::NotADirectory => "clashes with another entry",
        io::ErrorKind::InvalidFilename => "has too long a name",
        _ => return BuildError::from_io("create", target)(error),
    };
    meter.bad_entry(entry, why, "make the archive again")
}

fn bad_zip(path: &Path, error: ZipError) -> BuildError {
    BuildError::BadZip {
        path: path.to_owned(),
        why: match unsupported_method(&error) {
            Some(number) => format!(
                "its files are packed by the method {number}{}; only deflate, the usual one, is read",
                METHODS
                    .iter()
                    .find(|(known, _)| *known == number)
                    .map_or("", |(_, name)| name)
            ),
            None => error.to_string(),
        },
    }
}

/// The number of a method that is not read; an error while reading hides it in one of input.
fn unsupported_method(error: &ZipError) -> Option<u16> {
    match error {
        ZipError::CompressionMethodNotSupported(number) => Some(*number),
        ZipError::Io(error) => unsupported_method(error.get_ref()?.downcast_ref()?),
        _ => None,
    }
}

/// Methods that archivers offer beside the usual one.
const METHODS: [(u16, &str); 6] = [
    (9, " (deflate64)"),
    (12, " (bzip2)"),
    (14, " (LZMA)"),
    (93, " (zstd)"),
    (95, " (xz)"),
    (98, " (PPMd)"),
];
