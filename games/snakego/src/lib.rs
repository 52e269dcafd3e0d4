//! SnakeGo: two players, 16 x 16 cells, snakes that grow, split, shoot melting rays and turn the
//! areas they enclose into walls. The rules are those of `docs/rules/snakego.md`; see `README.md`
//! beside this crate.
//!
//! | module | noun |
//! |---|---|
//! | [`board`] | a set of cells as 256 bits |
//! | [`items`] | items and how they are drawn |
//! | [`setup`] | config and setup |
//! | [`action`] | what a snake can do |
//! | [`position`] | the position and its one transition, [`Position::play_action`] |
//! | [`key`] | an incremental hash for search |
//! | [`rules`] | [`Position`] as a [`leitai_game::Game`] |
//! | [`package`] | what the game brings along beside its rules |
//! | [`view`] | what programs are shown |
//! | [`state_text`] | the canonical state text |
//! | [`saiblo`] | the official bot protocol |
//! | [`official`] | the official site's replay |
//! | [`parity`] | agreement with the corpus of the official judge |
//! | [`picture`] | the board in a terminal |
//! | [`encode`] | observations and actions as numbers |
//! | [`bots`] | built-in bots |

// Pure: clippy.toml says what that forbids.
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
pub mod view;

pub use action::{Action, Direction, IllegalAction};
pub use board::{Board, Cell};
pub use items::{Item, ItemKind};
pub use position::{Event, Position, Snake};
pub use setup::{Config, Setup};
pub use view::View;
