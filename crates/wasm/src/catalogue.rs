//! The sentences of everything that the engine does.

use std::sync::OnceLock;

use leitai_game::lang::{self, Catalogue};
use leitai_games::ALL;

use crate::messages;

/// The messages of everything that the engine does.
pub(crate) fn catalogue() -> &'static Catalogue {
    static CATALOGUE: OnceLock<Catalogue> = OnceLock::new();
    CATALOGUE.get_or_init(|| {
        let own = [
            &lang::MESSAGES,
            &leitai_analysis::messages::MESSAGES,
            &leitai_guest::messages::MESSAGES,
            &messages::MESSAGES,
        ];
        let games = ALL.iter().map(|game| game.messages());
        Catalogue::new(own.into_iter().chain(games))
            .with_labels(&lang::LABELS)
            .with_labels(&leitai_analysis::messages::LABELS)
    })
}
