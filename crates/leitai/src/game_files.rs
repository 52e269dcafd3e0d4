//! Game files that were named on the command line.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use leitai_game::GameHandle;
use leitai_guest::file::parts::{MANIFEST, Parts, SCALE};
use leitai_guest::file::scale::ScaleFile;
use leitai_guest::file::{FileProblem, LogicFolder, place};
use leitai_guest::{GameFile, Limits};
use leitai_series::invalid_request as usage_error;
use tempfile::TempDir;

use crate::isolation::RequestedIsolation;
use crate::rerun_command::quote_word;
use crate::{files, isolation, lang};

/// A game, and the word that named it.
type Loaded = (String, GameHandle);

/// The isolation of judge programs, where somebody asked for one.
static ISOLATION: OnceLock<RequestedIsolation> = OnceLock::new();

/// Judge programs run under the isolation that was asked for programs.
pub fn isolate_judges(asked: RequestedIsolation) {
    let _ = ISOLATION.set(asked); // A process runs one command.
}

/// The isolation that was asked for programs, or the best of this machine.
pub fn asked_isolation() -> RequestedIsolation {
    ISOLATION.get().copied().unwrap_or(RequestedIsolation::Auto)
}

static LOADED: Mutex<Vec<Loaded>> = Mutex::new(Vec::new());

/// Reads and checks a folder or an archive with rules in WebAssembly.
pub fn read(path: &Path) -> anyhow::Result<GameFile> {
    load(path, read_parts(path)?, Limits::default())
}

/// The same without its rating scale, which may be wrong in any way: it is measured again. Beside it the
/// scale as far as it can be read.
pub fn read_unmeasured(path: &Path) -> anyhow::Result<(GameFile, Option<ScaleFile>)> {
    if !path.is_dir() {
        let name = path.display();
        return Err(usage_error(format!(
            "{name} is no folder; name the folder of the game: {SCALE} is written there"
        )));
    }
    let mut parts = read_parts(path)?;
    let before = parts.take(SCALE);
    let file = load(path, parts, Limits::default())?;
    let text = before.and_then(|bytes| String::from_utf8(bytes).ok());
    let before = text.and_then(|text| ScaleFile::read(&text, &file.about.id).ok());
    Ok((file, before))
}

fn load(path: &Path, parts: Parts, limits: Limits) -> anyhow::Result<GameFile> {
    let name = path.display();
    let file = GameFile::load(parts, limits);
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

/// What a folder or an archive holds.
pub enum FoundGame {
    /// Rules in WebAssembly.
    File(Box<GameFile>),
    /// The folder of a judge program.
    Logic(Box<LogicFolder>),
}

/// Reads and checks a folder or an archive, whatever leads the game.
pub fn read_any(path: &Path) -> anyhow::Result<FoundGame> {
    read_within(path, Limits::default())
}

/// The same, with these limits for rules in WebAssembly.
pub fn read_within(path: &Path, limits: Limits) -> anyhow::Result<FoundGame> {
    let parts = read_parts(path)?;
    match LogicFolder::is_named_by(&parts) {
        true => Ok(FoundGame::Logic(Box::new(read_logic(path, &parts)?))),
        false => Ok(FoundGame::File(Box::new(load(path, parts, limits)?))),
    }
}

fn read_parts(path: &Path) -> anyhow::Result<Parts> {
    Parts::read(path).map_err(|why| usage_error(format!("{}: {why}", path.display())))
}

/// Reads the folder of a game that a logic process leads, and builds its program, which stays until
/// this process ends.
fn read_logic(path: &Path, parts: &Parts) -> anyhow::Result<LogicFolder> {
    static BUILT: OnceLock<Mutex<Vec<TempDir>>> = OnceLock::new();
    let asked = asked_isolation();
    let lang = lang::choose_language();
    let sandbox = isolation::open_sandbox(lang, asked, &mut files::print_stderr)?;
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
pub fn find(word: &str) -> anyhow::Result<Option<GameHandle>> {
    let known = |(named, game): &&Loaded| named == word || game.meta().id == word;
    if let Some((_, game)) = loaded().iter().find(known) {
        return Ok(Some(game.clone()));
    }
    let Some(path) = place::find_path(word) else {
        return Ok(None);
    };
    let game: GameHandle = match read_any(&path)? {
        FoundGame::Logic(folder) => Arc::new(folder.game).into(),
        FoundGame::File(file) => Arc::new(file.game).into(),
    };
    loaded().push((path.display().to_string(), game.clone()));
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

/// The game files in a folder, in the order of names.
pub fn list(folder: Option<&Path>) -> anyhow::Result<Vec<PathBuf>> {
    let folder = match folder {
        Some(folder) => folder.to_owned(),
        None => place::games_folder().ok_or_else(|| {
            usage_error("name a folder with game files, or set LEITAI_GAMES to one")
        })?,
    };
    let name = folder.display();
    let entries =
        std::fs::read_dir(&folder).map_err(|why| usage_error(format!("{name}: {why}")))?;
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let mut paths: Vec<PathBuf> = paths.filter(|path| place::is_game(path)).collect();
    paths.sort();
    Ok(paths)
}
