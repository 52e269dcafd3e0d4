//! The games that a contest may name.

use std::sync::Arc;

use leitai_game::lang::Catalogue;
use leitai_game::{GameHandle, GameSet};

/// The games that a contest may name, and their messages.
pub struct Games {
    games: GameSet,
    pub(crate) catalogue: Catalogue,
}

impl Games {
    /// These games.
    pub fn new(games: impl Into<GameSet>, catalogue: Catalogue) -> Games {
        Games {
            games: games.into(),
            catalogue,
        }
    }

    /// No game.
    pub fn none() -> Games {
        Games::new(GameSet::default(), Catalogue::default())
    }

    pub(crate) fn list(&self) -> Arc<[GameHandle]> {
        self.games.list()
    }

    pub(crate) fn find(&self, id: &str) -> Option<GameHandle> {
        self.games.find(id)
    }
}
