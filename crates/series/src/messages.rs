//! The messages of series.

use leitai_game::AnyGame;
use leitai_game::lang::{Catalogue, Texts};

/// The messages of series, of the judge, of the game's interface, and of these games.
pub fn catalogue<'a>(games: impl IntoIterator<Item = &'a dyn AnyGame>) -> Catalogue {
    Catalogue::new([&MESSAGES])
        .with_labels(&LABELS)
        .with(leitai_judge::messages::catalogue(games))
}

/// The messages; see `leitai_game::lang`.
pub static MESSAGES: Texts = Texts::new(include_str!("../messages.json"));
/// Labels and templates of reports and notices, found by their exact English text.
pub static LABELS: Texts = Texts::new(include_str!("../labels.json"));
