//! TankCraft: two sides of five tanks on a 21 x 21 map with thirteen mines. Both sides give their
//! orders at once and see only the surroundings of their tanks and of the mines. The rules are in
//! `docs/rules/tankcraft.md` and cited by their numbers (R5.1b); see also `README.md` in this
//! crate.
//!
//! | module | noun |
//! |---|---|
//! | [`cell`] | cells, directions and sets of cells |
//! | [`map`] | a map: read, checked, written (R1) |
//! | [`generate`] | the map generator (R1.8) |
//! | [`setup`] | config and setup |
//! | [`tank`] | types of tanks and a tank (R2) |
//! | [`orders`] | the orders of a tank and of a side (R4), and its notation |
//! | [`position`] | the position and its transitions |
//! | [`round`] | the phases of a round (R5, R6, R8) |
//! | [`event`] | the events of a round, for viewers and logs |
//! | [`view`] | the knowledge of a side (R7) |
//! | [`choices`] | the actions of a side: one of each kind, or random ones |
//! | [`options`] | the options of a person on the game's page |
//! | [`rules`] | [`Position`] as a [`leitai_game::Game`] |
//! | [`package`] | everything of the game beside its rules |
//! | [`text_protocol`] | the text protocol (R9) |
//! | [`hosts`] | the host of programs of 2010 |
//! | [`state_text`] | the canonical state text (R10) |
//! | [`parity`] | parity with the corpus |
//! | [`render`] | the map in a terminal |
//! | [`order_builder`] | builds a person's five orders from keys |
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

pub mod bots;
pub mod cell;
pub mod choices;
pub mod encode;
pub mod event;
mod figures;
pub mod generate;
pub mod hosts;
pub mod map;
#[doc(hidden)] // For tests.
pub mod messages;
pub mod options;
pub mod order_builder;
pub mod orders;
pub mod package;
pub mod parity;
pub mod position;
pub mod render;
pub mod round;
pub mod rules;
pub mod setup;
pub mod state_text;
pub mod tank;
pub mod text_protocol;
pub mod view;

pub use cell::{Cell, Direction, Grid};
pub use event::{Event, StepObserver};
pub use map::TankMap;
pub use orders::{Action, TankOrder};
pub use position::Position;
pub use setup::{Config, Fog, Setup};
pub use tank::{Tank, TankType};
pub use view::View;
