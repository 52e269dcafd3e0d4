//! The program among the files after a build.

use super::language::{PROGRAM_START, is_program_text};
use leitai_sandbox::UntrustedFolder;
use leitai_sandbox::untrusted_folder::{EntryKind, EntryMeta, WalkBounds};
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
        let Ok(folder) = UntrustedFolder::open(dir) else {
            return found;
        };
        let bounds = WalkBounds {
            entries: LOOKED_AT,
            depth: DEPTH,
        };
        let mut files = Vec::new();
        folder.walk(Path::new(""), bounds, |entry| {
            if entry.meta.kind == EntryKind::File && entry.meta.is_runnable() {
                files.push((entry.path.clone(), entry.depth, entry.meta));
            }
            let name = entry.path.file_name().unwrap_or_default();
            entry.depth < DEPTH && !NOT_LOOKED_INTO.iter().any(|no| name == *no)
        });
        for (path, depth, meta) in files {
            if is_program(&folder, &path) {
                found.add_program(dir.join(path), depth, meta);
            }
        }
        found
    }

    fn add_program(&mut self, path: PathBuf, depth: usize, meta: EntryMeta) {
        let seen = SeenFile {
            changed: meta.changed,
            bytes: meta.bytes,
            depth,
        };
        self.0.insert(path, seen);
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
pub fn usual_program(folder: &UntrustedFolder) -> Option<OsString> {
    let is_usable = |name: &Path| {
        folder
            .start_of(name, PROGRAM_START)
            .is_some_and(|start| is_program_text(&start))
    };
    NAMES
        .iter()
        .find(|name| is_usable(Path::new(name)))
        .map(OsString::from)
}

fn name_rank(path: &Path) -> usize {
    NAMES
        .iter()
        .position(|name| path.file_name() == Some(name.as_ref()))
        .unwrap_or(NAMES.len())
}

fn is_program(folder: &UntrustedFolder, path: &Path) -> bool {
    let Ok(start) = folder.read_start(path, PROGRAM_START) else {
        return false;
    };
    let library = path
        .file_name()
        .is_some_and(|name| name.to_string_lossy().contains(".so"));
    let usual = name_rank(path) < NAMES.len();
    is_program_text(&start) && !library && (usual || start.starts_with(b"\x7fELF"))
}
