//! The folder of a ladder's bots.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use anyhow::Context;

use crate::{EntrantRequest, InvalidRequest, Journal};

/// The folder of a ladder's journal, inside the folder of its bots.
const JOURNAL_FOLDER: &str = ".leitai-ladder";

/// The journal folder of a ladder.
pub fn journal_folder(folder: &Path) -> PathBuf {
    folder.join(JOURNAL_FOLDER)
}

/// The game of the ladder in a folder.
pub fn remembered_game(folder: &Path) -> anyhow::Result<Option<String>> {
    let header = Journal::read_header(&journal_folder(folder))?;
    Ok(header.and_then(|header| Some(header["terms"]["game"].as_str()?.to_owned())))
}

/// The bots of a folder, by name: executables, source files, archives and subfolders that are not
/// hidden.
pub fn list_bots(folder: &Path) -> anyhow::Result<Vec<EntrantRequest>> {
    let mut paths: Vec<PathBuf> = Vec::new();
    let entries =
        std::fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()));
    for entry in entries.map_err(InvalidRequest::wrap)? {
        let path = entry
            .with_context(|| format!("cannot read {}", folder.display()))?
            .path();
        if looks_like_a_bot(&path) {
            paths.push(path);
        }
    }
    paths.sort();
    Ok(paths
        .into_iter()
        .map(|path| EntrantRequest::from_word(path.display().to_string()))
        .collect())
}

fn looks_like_a_bot(path: &Path) -> bool {
    let name = path
        .file_name()
        .map(|name| name.to_string_lossy().into_owned())
        .unwrap_or_default();
    if name.starts_with('.') || name == "__pycache__" {
        return false;
    }
    let ending = path
        .extension()
        .map(|ending| ending.to_string_lossy().to_lowercase())
        .unwrap_or_default();
    let source = ["py", "cpp", "cc", "c", "java", "js", "rs", "zip"].contains(&ending.as_str());
    let executable =
        std::fs::metadata(path).is_ok_and(|about| about.permissions().mode() & 0o111 != 0);
    path.is_dir() || source || (path.is_file() && executable)
}
