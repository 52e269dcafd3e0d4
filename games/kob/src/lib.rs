//! King of Bots (KOB): two snakes on 13 x 14 cells that move at the same time and grow by
//! themselves; the first snake that hits something loses. The rules are in `docs/rules/kob.md`; see
//! also `README.md` in this crate.
//!
//! | module | noun |
//! |---|---|
//! | [`board`] | a cell, a direction, a set of cells as 256 bits |
//! | [`java_random`] | the generator that draws the sites' maps |
//! | [`map`] | the obstacles, drawn or given |
//! | [`setup`] | config and setup |
//! | [`position`] | the position and its one transition, [`Position::play_round`] |
//! | [`rules`] | [`Position`] as a [`leitai_game::Game`] |
//! | [`package`] | everything of the game beside its rules |
//! | [`view`] | the view of programs |
//! | [`state_text`] | the canonical state text |
//! | [`steps`] | the moves of a leg, and the sites' input string made of them |
//! | [`line_protocol`] | the protocol with this string, one line a round |
//! | [`hosts`] | hosts for the sites' Java bots, and for programs started anew every turn |
//! | [`record`] | the sites' stored games |
//! | [`parity`] | parity with the corpus of the sites' judges |
//! | [`render`] | the board in a terminal |
//! | [`encode`] | observations and actions as numbers |
//! | [`bots`] | built-in bots |

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

pub mod board;
pub mod bots;
pub mod encode;
mod figures;
pub mod hosts;
pub mod java_random;
pub mod line_protocol;
pub mod map;
mod messages;
pub mod package;
pub mod parity;
pub mod position;
pub mod record;
pub mod render;
pub mod rules;
pub mod setup;
pub mod state_text;
pub mod steps;
pub mod view;

pub use board::{Board, Cell, Direction};
pub use map::ObstacleMap;
pub use position::{DeathCause, Event, Loss, Position};
pub use setup::{Config, Setup};
pub use steps::{Steps, input_string};
pub use view::View;
