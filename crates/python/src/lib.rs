//! The extension module `leitai._leitai`. It names no game: it gets the games of the house from
//! `leitai_games::ENCODED`, and others from files. The package `python/leitai` documents everything that users see.
//!
//! | module | noun |
//! |---|---|
//! | `game` | a game: deals legs, describes its numbers |
//! | `game_list` | the games of the house, and those that were loaded from files |
//! | `known_game` | one of them |
//! | `guest` | games from files as numbers |
//! | `intern` | texts that stay |
//! | `leg` | one leg, step by step |
//! | `engine` | a leg's position; a panic of the engine becomes an exception |
//! | `bot` | a built-in bot |
//! | `batch` | many legs at once, without the interpreter's lock |
//! | `replays` | recorded legs as arrays, played legs as a replay |
//! | `rewards` | what a step pays either seat |
//! | `search` | tree search with an evaluator in Python |
//! | `seeds` | the random choices that follow from a seed |
//! | `series` | comparisons of built-in bots |
//! | `evaluation` | the rating of a policy on the game's scale |
//! | `picture` | a board as a picture |
//! | `rating` | the ratings of a field from its pairs |
//! | `convert` | conversion between Python's values and Rust's |
//! | `whole` | whole numbers as arguments |

#![cfg_attr(not(test), warn(clippy::too_many_lines))]

mod batch;
mod bot;
mod convert;
mod engine;
mod evaluation;
mod game;
mod game_list;
mod guest;
mod intern;
mod known_game;
mod leg;
mod observation;
mod picture;
mod rating;
mod replays;
mod rewards;
mod search;
mod seeds;
mod series;
mod whole;

use pyo3::prelude::*;

/// Leitai's engines.
#[pymodule]
mod _leitai {
    #[pymodule_export]
    use super::batch::{_restore_batch, PyBatch};
    #[pymodule_export]
    use super::bot::{_restore_bot, PyBot};
    #[pymodule_export]
    use super::evaluation::rate_policy;
    #[pymodule_export]
    use super::game::{PyGame, find_game_rules};
    #[pymodule_export]
    use super::leg::{_restore_leg, PyLeg};
    #[pymodule_export]
    use super::rating::rate_field;
    #[pymodule_export]
    use super::replays::{encode_leg, verify_replay, write_replay};
    #[pymodule_export]
    use super::rewards::PyRewards;
    #[pymodule_export]
    use super::search::{PySearchTree, playouts};
    #[pymodule_export]
    use super::seeds::{draw_member, entrant_seed, leg_seeds};
    #[pymodule_export]
    use super::series::compare;

    #[pymodule_init]
    fn init(module: &super::Bound<'_, super::PyModule>) -> super::PyResult<()> {
        super::PyModuleMethods::add(module, "__version__", env!("CARGO_PKG_VERSION"))
    }
}
