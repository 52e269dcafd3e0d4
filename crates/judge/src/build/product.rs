//! The program among the files after a build.

use super::source::{first_bytes, is_program_text, is_runnable};
use std::cmp::Reverse;
use std::collections::HashMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// The usual names of a program; scripts count only under one of them.
const NAMES: [&str; 3] = ["main", "bot", "a.out"];

/// Folders in which build tools store their own programs.
const NOT_LOOKED_INTO: [&str; 4] = ["CMakeFiles", "deps", "node_modules", ".git"];

/// The most files that are searched for the program, and the deepest nesting of folders.
const LOOKED_AT: usize = 50_000;
const DEPTH: usize = 32;

/// The programs in a folder at one moment.
#[derive(Debug, Default)]
pub struct ProgramSnapshot(HashMap<PathBuf, SeenFile>);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct SeenFile {
    changed: SystemTime,
    bytes: u64,
    depth: usize,
}

impl ProgramSnapshot {
    /// Finds the programs in `dir` and the folders inside it, without following links.
    pub fn take_snapshot(dir: &Path) -> ProgramSnapshot {
        let mut found = ProgramSnapshot::default();
        let (mut open, mut looked_at) = (vec![(dir.to_owned(), 1)], 0);
        while let Some((folder, depth)) = open.pop() {
            for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
                looked_at += 1;
                let Ok(kind) = entry.file_type() else {
                    continue;
                };
                if kind.is_dir()
                    && depth < DEPTH
                    && !NOT_LOOKED_INTO.iter().any(|no| entry.file_name() == *no)
                {
                    open.push((entry.path(), depth + 1));
                } else if kind.is_file() {
                    found.add_file(entry.path(), depth);
                }
                if looked_at >= LOOKED_AT {
                    return found;
                }
            }
        }
        found
    }

    fn add_file(&mut self, path: PathBuf, depth: usize) {
        let Ok(meta) = path.symlink_metadata() else {
            return;
        };
        let Ok(changed) = meta.modified() else { return };
        if is_runnable(&meta) && is_program(&path) {
            self.0.insert(
                path,
                SeenFile {
                    changed,
                    bytes: meta.len(),
                    depth,
                },
            );
        }
    }

    /// The program that a build has created, by the snapshots before it (`before`) and after it
    /// (`self`).
    ///
    /// A new program is preferred to one that existed before (then the build had nothing to do), a
    /// usual name to others, then the newest, then the least deeply nested.
    pub fn made_since(&self, before: &ProgramSnapshot) -> Option<&Path> {
        let rank = |path: &PathBuf, seen: &SeenFile| {
            let old = before.0.get(path) == Some(seen);
            (
                old,
                name_rank(path),
                Reverse(seen.changed),
                seen.depth,
                path.clone(),
            )
        };
        self.0
            .iter()
            .min_by_key(|(path, seen)| rank(path, seen))
            .map(|(path, _)| path.as_path())
    }
}

/// The program with a usual name directly in a folder that the kernel can run.
pub fn usual_program(dir: &Path) -> Option<OsString> {
    let is_usable = |path: &Path| {
        path.is_file() && first_bytes(path).is_ok_and(|start| is_program_text(&start))
    };
    NAMES
        .iter()
        .find(|name| is_usable(&dir.join(name)))
        .map(OsString::from)
}

fn name_rank(path: &Path) -> usize {
    NAMES
        .iter()
        .position(|name| path.file_name() == Some(name.as_ref()))
        .unwrap_or(NAMES.len())
}

fn is_program(path: &Path) -> bool {
    let Ok(start) = first_bytes(path) else {
        return false;
    };
    let library = path
        .file_name()
        .is_some_and(|name| name.to_string_lossy().contains(".so"));
    let usual = name_rank(path) < NAMES.len();
    is_program_text(&start) && !library && (usual || start.starts_with(b"\x7fELF"))
}
