//! Where game files lie: a word for people becomes a path.

use std::path::{Path, PathBuf};

use super::archive::ENDING;
use super::parts::MANIFEST;

/// The variable of the folder in which games are looked for by their ids.
pub const FOLDER: &str = "LEITAI_GAMES";

/// That folder.
pub fn games_folder() -> Option<PathBuf> {
    std::env::var_os(FOLDER).map(PathBuf::from)
}

/// The path that a word names: itself, or an id in the folder of games. `None` if it names no file.
pub fn find_path(word: &str) -> Option<PathBuf> {
    let path = PathBuf::from(word);
    if word.contains('/') || is_archive(&path) || path.join(MANIFEST).exists() {
        return Some(path);
    }
    let folder = games_folder()?;
    let candidates = [folder.join(word), folder.join(format!("{word}.{ENDING}"))];
    candidates.into_iter().find(|path| path.exists())
}

/// Whether a game lies here, as a folder or as an archive.
pub fn is_game(path: &Path) -> bool {
    is_archive(path) || path.join(MANIFEST).is_file()
}

fn is_archive(path: &Path) -> bool {
    path.extension().is_some_and(|end| end == ENDING)
}
