//! The parts of a game file that are folders of programs: `bots/` and `templates/`. Their files have
//! plain names and are bounded in number, size and depth.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use leitai_sandbox::UntrustedFolder;
use leitai_sandbox::untrusted_folder::{EntryKind, WalkBounds, WalkEnd};
use leitai_toml_reader::problem::both;

use super::problem::FileProblem;

/// A folder of programs.
#[derive(Debug)]
pub struct Tree {
    /// Its name.
    pub name: &'static str,
    /// The most files in it.
    pub files: usize,
    /// The most bytes of all together.
    pub bytes: u64,
    /// The folders inside one another: `bots/minimax/src/main.cpp` has two.
    depth: usize,
}

/// The programs that are bots of the game: `bots/NAME.py`, `bots/NAME/…`.
pub const BOTS: Tree = Tree {
    name: "bots",
    files: 64,
    bytes: 1 << 20,
    depth: 3,
};
/// What authors of bots begin with: `templates/LANGUAGE/FILE`.
pub const TEMPLATES: Tree = Tree {
    name: "templates",
    files: 64,
    bytes: 512 << 10,
    depth: 1,
};
/// Both.
pub const ALL: [&Tree; 2] = [&BOTS, &TEMPLATES];

/// The entries of an author's folder that are looked at: there may be caches beside the sources.
const MOST_SEEN: usize = 4_000;

impl Tree {
    /// The tree of a part's name, if its path is one of plain names and not too deep.
    pub fn of_part(part: &str) -> Option<&'static Tree> {
        let (root, rest) = part.split_once('/')?;
        let tree = ALL.into_iter().find(|tree| tree.name == root)?;
        let names: Vec<&str> = rest.split('/').collect();
        // A template lies in the folder of its language.
        let enough = tree.name != TEMPLATES.name || names.len() == 2;
        let is_plain = names.iter().all(|name| is_plain(name));
        (enough && is_plain && names.len() <= tree.depth + 1).then_some(tree)
    }

    /// The names of its files in an author's folder, without caches, hidden files and what `wanted`
    /// refuses; the second list has what is no plain file or has no plain name.
    pub(super) fn list(
        &self,
        folder: &UntrustedFolder,
        wanted: &dyn Fn(&str) -> bool,
    ) -> io::Result<(Vec<String>, Vec<String>)> {
        let (mut files, mut strange) = (Vec::new(), Vec::new());
        if let Err(error) = folder.look_at(Path::new(self.name)) {
            return match error.kind() {
                io::ErrorKind::NotFound => Ok((files, strange)),
                _ => Err(error),
            };
        }
        let bounds = WalkBounds {
            entries: MOST_SEEN,
            depth: 16,
        };
        let end = folder.walk(Path::new(self.name), bounds, |entry| {
            let path = entry.path.to_string_lossy().into_owned();
            let name = path.rsplit('/').next().unwrap_or_default();
            if name.starts_with('.') || name == "__pycache__" || !wanted(&path) {
                return false;
            }
            match entry.meta.kind {
                EntryKind::Folder => return true,
                EntryKind::File if Tree::of_part(&path).is_some() => files.push(path),
                _ => strange.push(path),
            }
            false
        });
        if end != WalkEnd::Whole {
            strange.push(self.name.to_owned());
        }
        Ok((files, strange))
    }

    /// Whether there are too many files, or too many bytes.
    pub(super) fn check(&self, files: &BTreeMap<String, Vec<u8>>, problems: &mut Vec<FileProblem>) {
        let own = files.iter().filter(|(name, _)| self.has(name));
        let sizes: Vec<u64> = own.map(|(_, bytes)| bytes.len() as u64).collect();
        let (most, kibibytes) = (self.files, self.bytes >> 10);
        if sizes.len() > most || sizes.iter().sum::<u64>() > self.bytes {
            problems.push(FileProblem::new(
                self.name,
                both("there is too much in this folder", "此文件夹内容过多"),
                both(
                    format!("keep at most {most} files and {kibibytes} KiB together"),
                    format!("最多 {most} 个文件，合计不超过 {kibibytes} KiB"),
                ),
            ));
        }
    }

    /// Whether a part belongs to it.
    pub(super) fn has(&self, part: &str) -> bool {
        let rest = part.strip_prefix(self.name);
        rest.is_some_and(|rest| rest.starts_with('/'))
    }
}

/// A name of a file or a folder that means the same everywhere and nothing to any shell.
fn is_plain(name: &str) -> bool {
    let of = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
    let first = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    name.len() <= 64 && name.bytes().all(of) && name.as_bytes().first().is_some_and(first)
}

/// The bot that a part belongs to: `bots/minimax.py` and `bots/minimax/main.cpp` to `minimax`.
pub(super) fn owner_of(part: &str) -> Option<&str> {
    let rest = part.strip_prefix("bots/")?;
    match rest.split_once('/') {
        Some((folder, _)) => Some(folder),
        None => Some(rest.rsplit_once('.').map_or(rest, |(stem, _)| stem)),
    }
}
