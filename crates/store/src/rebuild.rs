//! All ratings of a ladder computed anew from its matches.

use crate::{Store, StoreError};

/// What was computed anew.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rebuilt {
    /// Rated matches read.
    pub matches: u64,
    /// Bots whose row is now another one.
    pub changed: u64,
}

impl Store {
    /// Computes ratings, counts and head-to-heads of a game anew from its matches and writes them. Nothing changes
    /// unless something was broken or the way of rating has changed.
    pub async fn rebuild(&self, game: &str) -> Result<Rebuilt, StoreError> {
        let _ = game;
        todo!()
    }
}
