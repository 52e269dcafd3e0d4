//! Pinned positions: moments of recorded matches in which a bot made a mistake that it shall not
//! make again.
//!
//! | module | noun |
//! |---|---|
//! | [`position`] | the moment, the mistake and why, in a file of its own with the replay up to there |
//! | [`rehearsal`] | a bot led to a pinned position and asked |

pub mod position;
pub mod rehearsal;

pub use position::PinnedPosition;
pub use rehearsal::{RegressionResult, RegressionVerdict, run_position};
