//! Game files that were named on the command line.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use leitai_game::GameHandle;
use leitai_guest::file::about::About;
use leitai_guest::file::parts::{MANIFEST, Parts, SCALE};
use leitai_guest::file::scale::ScaleFile;
use leitai_guest::file::{FileProblem, LogicFile, place};
use leitai_guest::{GameFile, Limits, LogicGame};
use leitai_judge::build::BuildError;
use leitai_series::invalid_request as usage_error;

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
    let file = GameFile::load(parts, limits);
    let file = file.map_err(|problems| not_yet(path, &problems))?;
    check_id(path, &file.about)?;
    Ok(file)
}

fn check_id(path: &Path, About { id, .. }: &About) -> anyhow::Result<()> {
    let name = path.display();
    match leitai_games::find_game(id) {
        None => Ok(()),
        Some(_) => Err(usage_error(format!(
            "{name}: the id {id} belongs to a game of Leitai; choose another in {MANIFEST}"
        ))),
    }
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
    /// A judge program, which is not built yet.
    Logic(Box<LogicFile>),
}

impl FoundGame {
    /// What `game.toml` says.
    pub fn about(&self) -> &About {
        match self {
            FoundGame::File(file) => &file.about,
            FoundGame::Logic(file) => &file.about,
        }
    }

    /// The game, as those have it who run nothing of it themselves.
    pub fn into_game(self) -> GameHandle {
        match self {
            FoundGame::File(file) => Arc::new(file.game).into(),
            FoundGame::Logic(file) => Arc::new(file.game).into(),
        }
    }
}

/// Reads and checks a folder or an archive, whatever leads the game.
pub fn read_any(path: &Path) -> anyhow::Result<FoundGame> {
    read_within(path, Limits::default())
}

/// The same, with these limits for rules in WebAssembly.
pub fn read_within(path: &Path, limits: Limits) -> anyhow::Result<FoundGame> {
    find_in(path, read_parts(path)?, limits)
}

/// The game of these parts.
pub fn find_in(path: &Path, parts: Parts, limits: Limits) -> anyhow::Result<FoundGame> {
    if !LogicFile::is_named_by(&parts) {
        return Ok(FoundGame::File(Box::new(load(path, parts, limits)?)));
    }
    let file = LogicFile::load(&parts).map_err(|problems| not_yet(path, &problems))?;
    check_id(path, &file.about)?;
    Ok(FoundGame::Logic(Box::new(file)))
}

/// The parts of a folder or an archive.
pub fn read_parts(path: &Path) -> anyhow::Result<Parts> {
    Parts::read(path).map_err(|why| usage_error(format!("{}: {why}", path.display())))
}

/// Builds the judge program of a game, which runs in the sandbox of this machine.
pub fn open_logic(path: &Path, game: &LogicGame) -> anyhow::Result<LogicGame> {
    let (asked, lang) = (asked_isolation(), lang::choose_language());
    let sandbox = isolation::open_sandbox(lang, asked, &mut files::print_stderr)?;
    let game = game.open(&sandbox);
    let broken = |why: BuildError| not_yet(path, &[LogicFile::no_program(&why.to_string())]);
    game.build().map_err(broken)?;
    Ok(game)
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
    let game = match read_any(&path)? {
        FoundGame::Logic(file) => Arc::new(open_logic(&path, &file.game)?).into(),
        file => file.into_game(),
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
