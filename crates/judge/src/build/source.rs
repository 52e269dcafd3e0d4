//! The submitted source.

use super::language::{Language, PROGRAM_START, is_program_text};
use super::{BuildError, unsupported};
use leitai_game::Host;
use leitai_sandbox::UntrustedFolder;
use leitai_sandbox::untrusted_folder::{EntryMeta, open_named_file};
use std::io::Read;
use std::path::{Path, PathBuf};

/// A submitted source, recognised but not yet copied or built.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum ProgramSource {
    /// A program: a file with an x bit, or one that begins like an ELF file or with `#!`. It is
    /// copied without other files.
    Executable { path: PathBuf },
    /// One source file. The files that it includes or imports are copied, too, see
    /// [`copy_with_includes`](super::companions::copy_with_includes).
    File {
        path: PathBuf,
        /// The language, by the suffix of the file.
        language: Language,
    },
    /// A folder that contains a way to build or run it.
    Folder { path: PathBuf },
    /// A zip archive; its content is recognised when it is unpacked.
    Zip { path: PathBuf },
}

impl ProgramSource {
    /// Recognises the source at `path`.
    ///
    /// The suffix decides before the x bit, because on some file systems every file has an x bit. A
    /// folder may be for one of the game's `hosts`.
    ///
    /// # Errors
    /// [`BuildError::Missing`], [`BuildError::NotAProgram`], [`BuildError::Foreign`],
    /// [`BuildError::NothingUsable`], or [`BuildError::Io`] if it cannot be read.
    pub fn detect_path(path: &Path, hosts: &'static [Host]) -> Result<ProgramSource, BuildError> {
        let meta = match std::fs::metadata(path) {
            Ok(meta) => meta,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Err(explain_missing(path));
            }
            Err(error) => return Err(BuildError::from_io("look at", path)(error)),
        };
        match meta.is_dir() {
            true => detect_folder(path, hosts),
            false => detect_file(path),
        }
    }
}

fn detect_folder(path: &Path, hosts: &'static [Host]) -> Result<ProgramSource, BuildError> {
    let folder = UntrustedFolder::open(path).map_err(BuildError::from_io("open", path))?;
    match super::BuildRecipe::find_in_folder(&folder, hosts) {
        Some(_) => Ok(ProgramSource::Folder {
            path: path.to_owned(),
        }),
        None => Err(BuildError::nothing_usable(path, &folder, hosts)),
    }
}

/// What a file is, by its name and its first bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SourceKind {
    /// One source file.
    Source(Language),
    /// A zip archive.
    Zip,
    /// A program, or a script that names its interpreter.
    Program,
}

/// Recognises a file by its name and its first bytes ([`PROGRAM_START`]), wherever it comes from: the
/// command line and an arena decide by this.
///
/// # Errors
/// [`BuildError::NotAProgram`] or [`BuildError::Foreign`].
pub fn recognize_file(
    path: &Path,
    start: &[u8],
    has_x_bit: bool,
) -> Result<SourceKind, BuildError> {
    if let Some(language) = Language::from_path(path) {
        return Ok(SourceKind::Source(language));
    }
    // A jar is a zip archive, too.
    let is_zip = start.starts_with(b"PK\x03\x04") || start.starts_with(b"PK\x05\x06");
    if has_ending(path, "zip") || is_zip && !has_ending(path, "jar") {
        return Ok(SourceKind::Zip);
    }
    let path = || path.to_owned();
    if let Some(unsupported::UnsupportedFile { is, next }) =
        unsupported::advise_unsupported(&path(), start)
    {
        let path = path();
        return Err(BuildError::Foreign { path, is, next });
    }
    match has_x_bit || is_program_text(start) {
        true => Ok(SourceKind::Program),
        false => Err(BuildError::NotAProgram { path: path() }),
    }
}

fn detect_file(path: &Path) -> Result<ProgramSource, BuildError> {
    let (meta, start) = match read_named_start(path) {
        Ok(read) => read,
        Err(error) if error.kind() == std::io::ErrorKind::Unsupported => {
            return Err(BuildError::NotAProgram {
                path: path.to_owned(),
            });
        }
        Err(error) => return Err(BuildError::from_io("read", path)(error)),
    };
    let kind = recognize_file(path, &start, meta.is_runnable())?;
    let path = path.to_owned();
    Ok(match kind {
        SourceKind::Source(language) => ProgramSource::File { path, language },
        SourceKind::Zip => ProgramSource::Zip { path },
        SourceKind::Program => ProgramSource::Executable { path },
    })
}

/// The beginning of a file that a person named.
fn read_named_start(path: &Path) -> std::io::Result<(EntryMeta, Vec<u8>)> {
    let (file, meta) = open_named_file(path)?;
    let mut start = Vec::new();
    file.take(PROGRAM_START).read_to_end(&mut start)?;
    Ok((meta, start))
}

fn has_ending(path: &Path, ending: &str) -> bool {
    path.extension()
        .is_some_and(|found| found.eq_ignore_ascii_case(ending))
}

fn explain_missing(path: &Path) -> BuildError {
    BuildError::Missing {
        path: path.to_owned(),
        near: nearest_names(path),
    }
}

/// Up to three names in the same folder that are similar to the missing one.
fn nearest_names(path: &Path) -> Vec<String> {
    const LOOKED_AT: usize = 2000;
    const ALIKE: f64 = 0.6;
    let Some(name) = path
        .file_name()
        .map(|name| name.to_string_lossy().to_lowercase())
    else {
        return Vec::new();
    };
    let parent = path
        .parent()
        .filter(|parent| !parent.as_os_str().is_empty())
        .unwrap_or(Path::new("."));
    let entries = std::fs::read_dir(parent)
        .into_iter()
        .flatten()
        .flatten()
        .take(LOOKED_AT);
    let mut near: Vec<(f64, String)> = entries
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .map(|other| (compare_names(&name, &other.to_lowercase()), other))
        .filter(|(likeness, _)| *likeness >= ALIKE)
        .collect();
    near.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    near.into_iter().take(3).map(|(_, other)| other).collect()
}

/// The similarity from 0 to 1. A name that only lacks its suffix counts as the same name.
fn compare_names(name: &str, other: &str) -> f64 {
    let stem = |name: &str| name.split('.').next().unwrap_or_default().to_owned();
    let whole = strsim::normalized_damerau_levenshtein(name, other);
    if stem(name).is_empty() || stem(name) != stem(other) {
        whole
    } else {
        whole.max(0.9)
    }
}
