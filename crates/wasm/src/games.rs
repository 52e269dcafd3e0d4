//! The game and the replay that a call is about.

use leitai_game::leg_frames::refuse_unplayable;
use leitai_game::replay::recognise_replay;
use leitai_game::{AnyGame, InvalidSetup, Replay};
use leitai_games::ALL;

use crate::errors::CallError;

pub(crate) fn read_replay(file: &[u8]) -> Result<(&'static dyn AnyGame, Replay), CallError> {
    Ok(recognise_replay(ALL, file)?)
}

pub(crate) fn not_playable(why: InvalidSetup) -> CallError {
    refuse_unplayable(&why.to_string()).into()
}

/// The game with this id.
pub(crate) fn find_game(id: &str) -> Result<&'static dyn AnyGame, CallError> {
    let unknown = || CallError::new("unknown-game", format!("there is no game {id:?}"));
    leitai_games::find_game(id).ok_or_else(unknown)
}
