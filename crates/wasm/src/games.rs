//! The game and the replay that a call is about.

use std::cell::RefCell;

use leitai_game::leg_frames::refuse_unplayable;
use leitai_game::replay::recognise_replay;
use leitai_game::{AnyGame, InvalidSetup, Replay};
use leitai_games::ALL;
use leitai_guest::GuestGame;
use leitai_guest::page_rules::PageRules;
use serde_json::json;

use crate::errors::CallError;
use crate::page_module::PageModule;

thread_local! {
    /// The games from game files. They stay as long as the worker, like those of the house.
    static GUESTS: RefCell<Vec<&'static dyn AnyGame>> = const { RefCell::new(Vec::new()) };
}

/// Takes a game from a game file.
pub(crate) fn load_game(module: u32, file: &[u8]) -> Result<String, CallError> {
    let said = serde_json::from_slice(file).unwrap_or_default();
    let unreadable = || CallError::new("bad-request", "these are no rules of a game file");
    let rules = PageRules::from_json(&said).ok_or_else(unreadable)?;
    if leitai_games::find_game(&rules.meta.id).is_some() {
        return Err(CallError::new("bad-request", "this is a game of Leitai"));
    }
    let module = PageModule {
        number: module,
        rules: rules.clone(),
    };
    let loaded = GuestGame::load_prepared(&rules, Box::new(module));
    let loaded = loaded.map_err(|why| CallError::new("not-playable", why.to_string()))?;
    let game: &'static GuestGame = Box::leak(Box::new(loaded));
    GUESTS.with_borrow_mut(|guests| guests.push(game));
    Ok(json!({"game": rules.meta.id, "rules": rules.meta.rules}).to_string())
}

pub(crate) fn read_replay(file: &[u8]) -> Result<(&'static dyn AnyGame, Replay), CallError> {
    let guests = GUESTS.with_borrow(Vec::clone);
    let games = [ALL, &guests].concat();
    let (game, replay) = recognise_replay(&games, file)?;
    if !is_guest(game) {
        return Ok((game, replay));
    }
    // Each version of a game file has rules of its own.
    let exact = guests.iter().find(|guest| {
        let meta = guest.meta();
        meta.id == replay.game && meta.rules == replay.rules
    });
    let unknown = || unknown_game(&replay.rules);
    Ok((*exact.ok_or_else(unknown)?, replay))
}

/// Whether the rules are a module of a game file.
pub(crate) fn is_guest(game: &dyn AnyGame) -> bool {
    leitai_games::find_game(game.meta().id).is_none()
}

pub(crate) fn not_playable(why: InvalidSetup) -> CallError {
    refuse_unplayable(&why.to_string()).into()
}

fn unknown_game(name: &str) -> CallError {
    CallError::new("unknown-game", format!("there is no game {name:?}"))
}

/// The game with this id; of a game from a game file the version with these rules, or the last one
/// that was taken.
pub(crate) fn find_game(id: &str, rules: Option<&str>) -> Result<&'static dyn AnyGame, CallError> {
    let guest = || {
        let guests = GUESTS.with_borrow(Vec::clone);
        guests.into_iter().rfind(|guest| {
            let meta = guest.meta();
            meta.id == id && rules.is_none_or(|rules| meta.rules == rules)
        })
    };
    let found = leitai_games::find_game(id).or_else(guest);
    found.ok_or_else(|| unknown_game(id))
}
