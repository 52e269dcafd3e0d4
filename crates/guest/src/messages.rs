//! Sentences about modules in both languages.

use leitai_game::lang::Texts;

/// Why a module cannot be a game, and why a call of it failed.
pub static MESSAGES: Texts = Texts::new(include_str!("../messages.json"));
