//! The terminal user interface.
//!
//! | module | noun |
//! |---|---|
//! | [`show`] | watching a replay |
//! | [`play`] | playing a match |
//! | [`play_state`] | how a match with people stands, and what their keys mean |
//! | [`recorded_leg`] | a recorded leg that can be looked at in any moment |
//! | [`seek`] | getting about in a leg: steps, rounds, speed |
//! | [`story`] | what a step did, in words and as a mark |
//! | [`paint`] | pictures in the terminal's colours |
//! | [`panes`] | what goes where, down to 80 x 24 and below |
//! | [`window`] | the terminal itself: keys in, frames out |

mod events;
mod layout;
mod paint;
pub mod play;
mod play_state;
mod recorded_leg;
pub mod replay_viewer;
mod seek;
mod window;

pub use window::is_terminal;
