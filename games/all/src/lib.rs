//! The list of all games. No other crate of the workspace names a game.

#![cfg_attr(not(test), warn(clippy::too_many_lines))]
// Pure: clippy.toml lists what that forbids.
#![cfg_attr(
    not(test),
    deny(
        clippy::disallowed_macros,
        clippy::disallowed_methods,
        clippy::disallowed_types
    )
)]

use leitai_game::encode::{AnyEncoded, Encoded};
use leitai_game::{AnyGame, Erased};

/// Every listed game, in the order of display.
pub static ALL: &[&dyn AnyGame] = &[
    &Erased::<leitai_snakego::Position>::new(),
    &Erased::<leitai_kob::Position>::new(),
    &Erased::<leitai_tankcraft::Position>::new(),
];

/// The same games as numbers, for machine learning.
pub static ENCODED: &[&dyn AnyEncoded] = &[
    &Encoded::<leitai_snakego::Position>::new(),
    &Encoded::<leitai_kob::Position>::new(),
    &Encoded::<leitai_tankcraft::Position>::new(),
];

/// The game with this id.
///
/// ```
/// assert!(leitai_games::find_game("snakego").is_some());
/// assert!(leitai_games::find_game("chess").is_none());
/// ```
pub fn find_game(id: &str) -> Option<&'static dyn AnyGame> {
    ALL.iter().copied().find(|game| game.meta().id == id)
}
