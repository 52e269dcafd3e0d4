//! A game that Python has.

use std::ops::Deref;

use leitai_game::AnyGame;
use leitai_game::encode::AnyEncoded;

/// A game of the house, or one that was loaded; it stays until the process ends.
pub struct KnownGame {
    pub encoded: &'static dyn AnyEncoded,
    /// The same with its texts.
    pub any: &'static dyn AnyGame,
    /// What finds it in another process, too: the id, or of a file the path, `#` and the hash of its parts.
    pub word: &'static str,
    pub is_guest: bool,
}

impl Deref for KnownGame {
    type Target = dyn AnyEncoded;

    fn deref(&self) -> &Self::Target {
        self.encoded
    }
}
