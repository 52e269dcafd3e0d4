//! Pinned positions: moments of recorded matches in which a bot made a mistake that it must not
//! make again.

pub mod pinned_position;
pub mod report;
pub mod run;

pub use pinned_position::PinnedPosition;
pub use report::RegressionCount;
pub use run::{RegressionResult, RegressionVerdict, run_position};
