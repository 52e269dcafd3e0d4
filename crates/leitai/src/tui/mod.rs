//! The terminal user interface.
//!
//! | module | content |
//! |---|---|
//! | [`replay_viewer`] | shows a replay |
//! | [`play`] | plays a human match |
//! | [`play_state`] | the state of a human match and the meaning of keys |
//! | [`recorded_leg`] | a recorded leg with random access |
//! | [`seek`] | seeking and playback in a leg: steps, rounds, speed |
//! | [`events`] | describes events as text and as marks |
//! | [`paint`] | draws renderings with the terminal's colours |
//! | [`layout`] | screen layout, down to 80 x 24 and below |
//! | [`window`] | terminal input and output |

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
