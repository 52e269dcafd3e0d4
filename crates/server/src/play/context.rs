//! The shared state that human matches need.

use leitai_game::AnyGame;
use leitai_store::{BlobStore, Store};

use super::HumanMatches;
use crate::live::LiveMatches;

/// The shared state that human matches need. Clones share it.
#[allow(missing_docs)]
#[derive(Clone)]
pub struct PlayContext {
    pub games: &'static [&'static dyn AnyGame],
    pub store: Store,
    pub blobs: BlobStore,
    pub live: LiveMatches,
    pub human_matches: HumanMatches,
}

impl PlayContext {
    /// The game with this id.
    pub fn find_game(&self, id: &str) -> Option<&'static dyn AnyGame> {
        self.games.iter().copied().find(|game| game.meta().id == id)
    }
}
