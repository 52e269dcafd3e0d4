//! The messages of King of Bots in both languages.

use leitai_game::lang::Texts;

/// The messages; see `leitai_game::lang`.
pub static MESSAGES: Texts = Texts::new(include_str!("../messages.json"));
