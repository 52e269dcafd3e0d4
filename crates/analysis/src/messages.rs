//! The texts of the analysis in both languages; see `leitai_game::lang`.

use leitai_game::lang::Texts;

/// Errors.
pub static MESSAGES: Texts = Texts::new(include_str!("../messages.json"));
/// Labels and templates.
pub static LABELS: Texts = Texts::new(include_str!("../labels.json"));
