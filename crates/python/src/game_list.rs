//! The games that Python has: those of the house, and those that were loaded from files.

use std::path::Path;
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

use leitai_game::encode::AnyEncoded;
use leitai_game::hash::fnv1a;
use leitai_game::{AnyGame, Lang};
use leitai_guest::file::archive::pack;
use leitai_guest::file::parts::{MANIFEST, Parts};
use leitai_guest::file::place::find_path;
use leitai_guest::file::{FileProblem, LogicFile};
use leitai_guest::{GameFile, Limits};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::guest::GuestEncoded;
use crate::intern::intern;
use crate::known_game::KnownGame;

static HOUSE: LazyLock<Vec<KnownGame>> = LazyLock::new(|| {
    let known = |encoded: &'static dyn AnyEncoded| {
        let id = encoded.meta().id;
        let any = leitai_games::find_game(id)?;
        Some(KnownGame {
            encoded,
            any,
            word: id,
            is_guest: false,
        })
    };
    leitai_games::ENCODED
        .iter()
        .copied()
        .filter_map(known)
        .collect()
});

/// The newest last. A file that is loaded again is the same game unless it has changed, so this grows with different files.
static LOADED: Mutex<Vec<&'static KnownGame>> = Mutex::new(Vec::new());

fn loaded() -> MutexGuard<'static, Vec<&'static KnownGame>> {
    LOADED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The game that a word names: an id, a file or folder with a game, or the word of a [`KnownGame`].
pub fn find_game(word: &str) -> PyResult<&'static KnownGame> {
    let house: &'static [KnownGame] = &HOUSE;
    let is_named = |game: &KnownGame| game.meta().id == word || game.word == word;
    if let Some(game) = house.iter().find(|game| is_named(game)) {
        return Ok(game);
    }
    if let Some((path, hash)) = word.rsplit_once('#')
        && hash.len() == 16
        && hash.bytes().all(|digit| digit.is_ascii_hexdigit())
    {
        return find_kept(path, hash);
    }
    if let Some(path) = find_path(word) {
        return load_game(&path);
    }
    let known = loaded().iter().rev().find(|game| is_named(game)).copied();
    known.ok_or_else(|| unknown_game(word))
}

/// The version of a rule set that a replay names.
pub fn find_rules(id: &str, rules: &str) -> PyResult<&'static KnownGame> {
    let is_it = |game: &&&KnownGame| game.meta().id == id && game.meta().rules == rules;
    let found = loaded().iter().rev().find(is_it).copied();
    found.map_or_else(|| find_game(id), Ok)
}

fn unknown_game(word: &str) -> PyErr {
    let house = HOUSE.iter().map(|game| game.meta().id);
    let ids: Vec<&str> = house
        .chain(loaded().iter().map(|game| game.meta().id))
        .collect();
    PyValueError::new_err(format!(
        "there is no game {word:?}; there are {}. A game file is loaded by leitai.load(\"PATH\")",
        ids.join(", ")
    ))
}

/// The game of a file as it was when something of it was pickled.
fn find_kept(path: &str, hash: &str) -> PyResult<&'static KnownGame> {
    let is_it = |game: &&&KnownGame| game.word.ends_with(&format!("#{hash}"));
    if let Some(game) = loaded().iter().find(is_it).copied() {
        return Ok(game);
    }
    let game = load_game(Path::new(path))?;
    match game.word.ends_with(&format!("#{hash}")) {
        true => Ok(game),
        false => Err(PyValueError::new_err(format!(
            "{path}: the file is another one than when this was made ({hash}); bring that one back"
        ))),
    }
}

fn load_game(path: &Path) -> PyResult<&'static KnownGame> {
    let name = path.display();
    let failed = |why: &dyn std::fmt::Display| PyValueError::new_err(format!("{name}: {why}"));
    let parts = Parts::read(path).map_err(|why| failed(&why))?;
    let packed = pack(&parts).map_err(|why| failed(&why))?;
    let absolute = std::path::absolute(path).map_err(|why| failed(&why))?;
    let word = format!("{}#{:016x}", absolute.display(), fnv1a(&packed));
    // Who comes second waits, and gets the same game.
    let mut loaded = loaded();
    let hash = word.rsplit_once('#').map_or("", |(_, hash)| hash);
    let is_it = |game: &&'static KnownGame| game.word.ends_with(hash);
    if let Some(at) = loaded.iter().position(&is_it) {
        let game = loaded.remove(at);
        loaded.push(game);
        return Ok(game);
    }
    let game = make_game(path, parts, intern(&word))?;
    loaded.push(game);
    Ok(game)
}

fn make_game(path: &Path, parts: Parts, word: &'static str) -> PyResult<&'static KnownGame> {
    if LogicFile::is_named_by(&parts) {
        return Err(PyValueError::new_err(format!(
            "{}: a judge program leads this game. It tells no legal actions and gives no positions to copy or go back to, so \
             there are no legs, observations and environments of it here; play it with `leitai match`, and read its replays \
             with leitai.Replay(text).data",
            path.display()
        )));
    }
    let file =
        GameFile::load(parts, Limits::default()).map_err(|problems| no_game(path, &problems))?;
    if HOUSE.iter().any(|game| game.meta().id == file.about.id) {
        return Err(PyValueError::new_err(format!(
            "{}: the id {} belongs to a game of Leitai; choose another in {MANIFEST}",
            path.display(),
            file.about.id
        )));
    }
    let any: &'static dyn AnyGame = Box::leak(Box::new(file.game));
    let encoded: &'static dyn AnyEncoded = Box::leak(Box::new(GuestEncoded::new(any)));
    Ok(Box::leak(Box::new(KnownGame {
        encoded,
        any,
        word,
        is_guest: true,
    })))
}

/// Everything that is wrong with a file.
fn no_game(path: &Path, problems: &[FileProblem]) -> PyErr {
    let lines = problems
        .iter()
        .map(|problem| format!("\n  {}", problem.to_line(Lang::En)));
    PyValueError::new_err(format!(
        "{}: this is no game file yet:{}",
        path.display(),
        lines.collect::<String>()
    ))
}
