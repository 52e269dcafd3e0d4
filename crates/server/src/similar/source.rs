//! The text files of an upload. Everything is bounded: a stranger made it.

use std::io::Read;
use std::path::Path;

use leitai_judge::build::{SourceBounds, unzip};
use zip::result::ZipError;

use super::tokens::Family;

/// Bytes of text of one upload that are looked at.
const TEXT: usize = 2 << 20;
/// Bytes of one file that are looked at.
const FILE: usize = 1 << 20;
/// Files of one upload that are looked at.
const FILES: usize = 200;

/// A text file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceFile {
    /// Its path in the upload.
    pub name: String,
    /// Its text.
    pub text: String,
}

/// The text files of an upload, by name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SourceText {
    /// The files in known languages.
    pub files: Vec<SourceFile>,
    /// Whether there is more than is looked at.
    pub is_cut: bool,
}

impl SourceText {
    /// Adds a file; false if nothing more is taken.
    fn add_file(&mut self, name: &str, mut bytes: Vec<u8>) -> bool {
        // A NUL is in no source, but in most other files.
        if bytes.contains(&0) {
            return true;
        }
        let known: usize = self.files.iter().map(|file| file.text.len()).sum();
        let room = FILE.min(TEXT - known.min(TEXT));
        if bytes.len() > room {
            bytes.truncate(room);
            self.is_cut = true;
        }
        self.files.push(SourceFile {
            name: name.to_owned(),
            text: String::from_utf8_lossy(&bytes).into_owned(),
        });
        let is_full = self.files.len() >= FILES || known + room >= TEXT && room < FILE;
        self.is_cut |= is_full;
        !is_full
    }
}

/// The text files of an upload. What cannot be read has none.
pub fn read_source(file_name: &str, bytes: &[u8]) -> SourceText {
    let mut source = SourceText::default();
    if Family::of_file(file_name).is_some() {
        let short = &bytes[..bytes.len().min(FILE + 1)];
        source.add_file(file_name, short.to_vec());
        return source;
    }
    let visited = unzip::visit_files(
        bytes,
        Path::new(file_name),
        SourceBounds::FOLDER,
        |path, file| {
            let name = path.to_string_lossy();
            if Family::of_file(&name).is_none() {
                return Ok(true);
            }
            let mut own = Vec::new();
            file.take(FILE as u64 + 1)
                .read_to_end(&mut own)
                .map_err(ZipError::from)?;
            Ok(source.add_file(&name, own))
        },
    );
    source.is_cut |= visited.is_err();
    source.files.sort_by(|one, other| one.name.cmp(&other.name));
    source
}
