//! SnakeGo: two players, 16 x 16 cells, snakes that grow, split, shoot melting rays and turn the
//! areas they enclose into walls. The rules are in `docs/rules/snakego.md`; see also `README.md` in
//! this crate.
//!
//! | module | noun |
//! |---|---|
//! | [`board`] | a set of cells as 256 bits |
//! | [`items`] | items and their generation |
//! | [`setup`] | config and setup |
//! | [`action`] | the actions of a snake |
//! | [`position`] | the position and its transition, [`Position::play_action`] |
//! | [`key`] | an incremental hash for search |
//! | [`rules`] | [`Position`] as a [`leitai_game::Game`] |
//! | [`package`] | everything of the game beside its rules |
//! | [`view`] | the view of programs |
//! | [`state_text`] | the canonical state text |
//! | [`saiblo`] | the official bot protocol |
//! | [`official`] | the official site's replay |
//! | [`parity`] | parity with the corpus of the official judge |
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

pub mod action;
pub mod board;
pub mod bots;
pub mod encode;
mod figures;
pub mod items;
pub mod key;
mod messages;
pub mod official;
pub mod package;
pub mod parity;
pub mod position;
pub mod render;
pub mod rules;
pub mod saiblo;
pub mod setup;
pub mod state_text;
mod twister;
pub mod view;

pub use action::{Action, Direction, IllegalAction};
pub use board::{Board, Cell};
pub use items::{Item, ItemKind};
pub use position::{Event, Position, Snake};
pub use setup::{Config, Setup};
pub use view::View;
