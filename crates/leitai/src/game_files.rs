//! Game files that were named on the command line. A loaded game stays until the process ends.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};

use leitai_game::AnyGame;
use leitai_guest::file::archive::ENDING;
use leitai_guest::file::parts::{MANIFEST, Parts};
use leitai_guest::file::{FileProblem, LogicFolder};
use leitai_guest::{GameFile, Limits};
use tempfile::TempDir;

use crate::arguments::usage_error;
use crate::isolation::RequestedIsolation;
use crate::rerun_command::quote_word;
use crate::{files, isolation, lang};

/// The folder in which games are looked for by their ids.
const FOLDER: &str = "LEITAI_GAMES";

/// A game, and the word that named it.
type Loaded = (String, &'static dyn AnyGame);

static LOADED: Mutex<Vec<Loaded>> = Mutex::new(Vec::new());

/// Reads and checks a folder or an archive.
pub fn read(path: &Path) -> anyhow::Result<GameFile> {
    let name = path.display();
    let parts = Parts::read(path).map_err(|why| usage_error(format!("{name}: {why}")))?;
    let file = GameFile::load(parts, Limits::default());
    let file = file.map_err(|problems| not_yet(path, &problems))?;
    if leitai_games::find_game(&file.about.id).is_some() {
        let id = &file.about.id;
        return Err(usage_error(format!(
            "{name}: the id {id} belongs to a game of Leitai; choose another in {MANIFEST}"
        )));
    }
    Ok(file)
}

/// Everything that is wrong with a game file.
fn not_yet(path: &Path, problems: &[FileProblem]) -> anyhow::Error {
    let lang = lang::choose_language();
    let head = lang.fill("{}: this is no game file yet:", &[&path.display()]);
    let lines = problems.iter().map(|problem| problem.to_line(lang.lang()));
    let lines = lines.map(|line| format!("\n  {line}"));
    usage_error(format!("{head}{}", lines.collect::<String>()))
}

/// The game of a folder, if a logic process leads it.
pub fn find_logic(path: &Path) -> anyhow::Result<Option<LogicFolder>> {
    let name = path.display();
    let parts = Parts::read(path).map_err(|why| usage_error(format!("{name}: {why}")))?;
    let is_led = LogicFolder::is_named_by(&parts);
    is_led.then(|| read_logic(path, &parts)).transpose()
}

/// Reads the folder of a game that a logic process leads, and builds its program, which stays until
/// this process ends.
fn read_logic(path: &Path, parts: &Parts) -> anyhow::Result<LogicFolder> {
    static BUILT: OnceLock<Mutex<Vec<TempDir>>> = OnceLock::new();
    let lang = lang::choose_language();
    let sandbox =
        isolation::open_sandbox(lang, RequestedIsolation::Auto, &mut files::print_stderr)?;
    let work = TempDir::new()?;
    let loaded = LogicFolder::load(path, parts, work.path(), &sandbox);
    let loaded = loaded.map_err(|problems| not_yet(path, &problems))?;
    let built = BUILT.get_or_init(Mutex::default);
    built
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .push(work);
    Ok(loaded)
}

/// The game that a word of the command line names: a path, or an id in the folder of games. `None` if
/// the word names no file.
pub fn find(word: &str) -> anyhow::Result<Option<&'static dyn AnyGame>> {
    let known = |(named, game): &&Loaded| named == word || game.meta().id == word;
    if let Some((_, game)) = loaded().iter().find(known) {
        return Ok(Some(*game));
    }
    let Some(path) = path_of(word) else {
        return Ok(None);
    };
    let game: &'static dyn AnyGame = match find_logic(&path)? {
        Some(folder) => Box::leak(Box::new(folder.game)),
        None => Box::leak(Box::new(read(&path)?.game)),
    };
    loaded().push((path.display().to_string(), game));
    Ok(Some(game))
}

/// ` --game PATH` for a command about a replay of this game, if that needs it.
pub fn option_of(game: &str) -> String {
    let loaded = loaded();
    let found = loaded.iter().find(|(_, loaded)| loaded.meta().id == game);
    found.map_or(String::new(), |(path, _)| {
        format!(" --game {}", quote_word(path))
    })
}

fn loaded() -> std::sync::MutexGuard<'static, Vec<Loaded>> {
    LOADED.lock().unwrap_or_else(PoisonError::into_inner)
}

fn path_of(word: &str) -> Option<PathBuf> {
    let path = PathBuf::from(word);
    let is_named = word.contains('/') || path.extension().is_some_and(|end| end == ENDING);
    if is_named || path.join(MANIFEST).exists() {
        return Some(path);
    }
    let folder = PathBuf::from(std::env::var_os(FOLDER)?);
    let candidates = [folder.join(word), folder.join(format!("{word}.{ENDING}"))];
    candidates.into_iter().find(|path| path.exists())
}

/// The game files in a folder, in the order of names.
pub fn list(folder: Option<&Path>) -> anyhow::Result<Vec<PathBuf>> {
    let folder = match folder {
        Some(folder) => folder.to_owned(),
        None => PathBuf::from(std::env::var_os(FOLDER).ok_or_else(|| {
            usage_error("name a folder with game files, or set LEITAI_GAMES to one")
        })?),
    };
    let name = folder.display();
    let entries =
        std::fs::read_dir(&folder).map_err(|why| usage_error(format!("{name}: {why}")))?;
    let is_game = |path: &PathBuf| {
        path.extension().is_some_and(|end| end == ENDING) || path.join(MANIFEST).is_file()
    };
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let mut paths: Vec<PathBuf> = paths.filter(is_game).collect();
    paths.sort();
    Ok(paths)
}
