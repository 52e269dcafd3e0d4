//! The messages of batches.

use leitai_game::Text;
use leitai_game::lang::message;

/// The messages; see `leitai_game::lang`.
pub const MESSAGES: &[Text] = &[];

/// Labels and templates of notices, found by their exact English text.
pub const LABELS: &[Text] = &[message("the bus is back", "总线已恢复")];
