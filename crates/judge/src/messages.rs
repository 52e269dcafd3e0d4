//! The messages of judge, builds and sandbox.

use leitai_game::AnyGame;
use leitai_game::lang::{self, Catalogue, Texts};

/// The messages of the judge, of the game's interface, and of these games.
pub fn catalogue<'a>(games: impl IntoIterator<Item = &'a dyn AnyGame>) -> Catalogue {
    let own = [&lang::MESSAGES, &MESSAGES];
    Catalogue::new(
        own.into_iter()
            .chain(games.into_iter().map(AnyGame::messages)),
    )
    .with_labels(&lang::LABELS)
    .with_labels(&LABELS)
}

/// The messages; see `leitai_game::lang`.
pub static MESSAGES: Texts = Texts::new(include_str!("../messages.json"));
/// Labels and templates of the findings of a check, found by their exact English text.
pub static LABELS: Texts = Texts::new(include_str!("../labels.json"));
