//! The shared state that human matches need.

use leitai_game::{GameHandle, GameSet};
use leitai_store::{BlobStore, Store};

use super::HumanMatches;
use crate::live::LiveMatches;

/// The shared state that human matches need. Clones share it.
#[allow(missing_docs)]
#[derive(Clone)]
pub struct PlayContext {
    pub games: GameSet,
    pub store: Store,
    pub blobs: BlobStore,
    pub live: LiveMatches,
    pub human_matches: HumanMatches,
}

impl PlayContext {
    /// The game with this id.
    pub fn find_game(&self, id: &str) -> Option<GameHandle> {
        self.games.find(id)
    }
}
