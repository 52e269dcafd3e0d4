//! The companions of a single-file program: the files that it includes or imports, and no others.
//! Programs of other authors often lie in the same folder and must stay private.

use super::BuildError;
use super::folder_copy::{SourceBounds, SourceMeter, copy_file, of_others};
use super::includes::{is_source, named_by};
use leitai_sandbox::UntrustedFolder;
use leitai_sandbox::untrusted_folder::EntryKind;
use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// The bytes of a file that are searched for names of other files.
const SEARCHED: u64 = 4 << 20;
/// The most names beside a program that are searched for a note.
const LOOKED_AT: usize = 2000;
/// The most names in a note.
const LISTED: usize = 5;

/// Copies the program at `path`, the files that it includes or imports, and the files that these
/// include, into the empty folder `to`, with the same relative paths. Returns the name of the file,
/// and notes about names that were not copied: files outside of its folder, the programs of
/// `others`, and files that it only opens.
///
/// # Errors
/// [`BuildError::TooLarge`], [`BuildError::Io`].
pub fn copy_with_includes(
    path: &Path,
    to: &Path,
    others: &[PathBuf],
    bounds: SourceBounds,
) -> Result<(OsString, Vec<String>), BuildError> {
    let path = path
        .canonicalize()
        .map_err(BuildError::from_io("find", path))?;
    let name = path.file_name().expect("a file has a name").to_owned();
    let home = path.parent().expect("a file is in a folder").to_owned();
    let open =
        |folder: &Path| UntrustedFolder::open(folder).map_err(BuildError::from_io("open", folder));
    let mut along = CompanionFiles {
        folder: open(&home)?,
        copy: open(to)?,
        home,
        others: &of_others(&path, others),
        meter: SourceMeter::new(&path, bounds),
        open: Vec::new(),
        seen: BTreeSet::new(),
        words: BTreeSet::new(),
        words_of_binaries: BTreeSet::new(),
        outside: Vec::new(),
        of_others: Vec::new(),
    };
    along.take_file(PathBuf::from(&name))?;
    while let Some(file) = along.open.pop() {
        along.copy_file(&file)?;
    }
    Ok((name, along.list_notes()))
}

struct CompanionFiles<'a> {
    home: PathBuf,
    folder: UntrustedFolder,
    copy: UntrustedFolder,
    others: &'a [PathBuf],
    meter: SourceMeter,
    /// Files still to be copied, as paths inside the program's folder.
    open: Vec<PathBuf>,
    seen: BTreeSet<PathBuf>,
    /// Words in the copied files.
    words: BTreeSet<Vec<u8>>,
    /// Words in the copied files that are compiled: among them the names of their sources.
    words_of_binaries: BTreeSet<Vec<u8>>,
    outside: Vec<String>,
    of_others: Vec<String>,
}

impl CompanionFiles<'_> {
    /// Copies a file if it exists in the program's folder, links followed.
    fn take_file(&mut self, file: PathBuf) -> Result<(), BuildError> {
        let Ok(real) = self.home.join(&file).canonicalize() else {
            return Ok(());
        };
        if !real.is_file() || !self.seen.insert(file.clone()) {
            return Ok(());
        }
        let shown = file.display().to_string();
        if self.others.iter().any(|other| real.starts_with(other)) {
            self.of_others.push(shown);
        } else if file.is_absolute() || !real.starts_with(&self.home) || file.starts_with("..") {
            self.outside.push(shown);
        } else {
            self.meter.count_entry(&file)?;
            self.open.push(file);
        }
        Ok(())
    }

    fn copy_file(&mut self, file: &Path) -> Result<(), BuildError> {
        let from = self.folder.follow_inside(file).unwrap_or(file.to_owned());
        let to = self.copy.path().join(file);
        let folder = to.parent().expect("a file is in a folder");
        std::fs::create_dir_all(folder).map_err(BuildError::from_io("create", folder))?;
        copy_file(&self.folder, &from, &to, file, &mut self.meter)?;
        let bytes = self.copy.read_start(file, SEARCHED);
        let bytes = bytes.map_err(BuildError::from_io("read", &to))?;
        match bytes.starts_with(b"\x7fELF") {
            true => collect_words(&bytes, &mut self.words_of_binaries),
            false => collect_words(&bytes, &mut self.words),
        }
        named_by(file, &String::from_utf8_lossy(&bytes))
            .into_iter()
            .try_for_each(|named| self.take_file(named))
    }

    fn list_notes(&self) -> Vec<String> {
        let why = [
            (
                &self.of_others,
                "another entrant's program, which nobody else may read",
            ),
            (
                &self.outside,
                "outside the folder of the program; put a copy beside it",
            ),
        ];
        let refused = why.iter().filter(|(names, _)| !names.is_empty());
        let notes =
            refused.map(|(names, why)| format!("left behind: {}: {why}", join_names(names)));
        notes.chain(self.note_of_neighbours()).collect()
    }

    /// A note about neighbouring files whose names occur in the program.
    fn note_of_neighbours(&self) -> Option<String> {
        let entries = self.folder.list(Path::new(""), LOOKED_AT).ok()?;
        let named = entries
            .into_iter()
            .filter(|(name, kind)| *kind == EntryKind::File && self.speaks_of(name))
            .map(|(name, _)| name);
        let mut names: Vec<String> = named
            .map(|name| name.to_string_lossy().into_owned())
            .collect();
        names.sort_unstable();
        (!names.is_empty()).then(|| {
            format!(
                "left behind: {}: only what a program of one file includes or imports comes along; for more put it \
                 into a folder of its own, called main (main.py, main.cpp, …), and give the folder",
                join_names(&names)
            )
        })
    }

    fn speaks_of(&self, name: &OsStr) -> bool {
        let bytes = name.as_encoded_bytes();
        let is_telling = bytes.len() >= 3 && bytes[1..].contains(&b'.');
        let name = Path::new(name);
        // A compiled program opens its data, and only tells what it was made from.
        let is_named = self.words.contains(bytes)
            || self.words_of_binaries.contains(bytes) && !is_source(name);
        is_telling && is_named && !self.seen.contains(name)
    }
}

/// Words as they occur in paths: separated by slashes, quotes, blanks and other characters that are
/// rare in names.
fn collect_words(bytes: &[u8], words: &mut BTreeSet<Vec<u8>>) {
    const LONGEST: usize = 255;
    let in_name =
        |byte: &u8| byte.is_ascii_alphanumeric() || b"_-.+".contains(byte) || !byte.is_ascii();
    let found = bytes
        .split(|byte| !in_name(byte))
        .filter(|word| (3..=LONGEST).contains(&word.len()));
    words.extend(
        found
            .filter(|word| word.contains(&b'.'))
            .map(<[u8]>::to_vec),
    );
}

fn join_names(names: &[String]) -> String {
    let shown = names
        .iter()
        .take(LISTED)
        .cloned()
        .collect::<Vec<_>>()
        .join(", ");
    match names.len().saturating_sub(LISTED) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}
