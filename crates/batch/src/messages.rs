//! The messages of batches.

use leitai_game::lang::Texts;

/// The messages; see `leitai_game::lang`.
pub static MESSAGES: Texts = Texts::new(include_str!("../messages.json"));
/// Labels and templates of notices, found by their exact English text.
pub static LABELS: Texts = Texts::new(include_str!("../labels.json"));
