//! Pinned positions: moments of recorded matches in which a bot made a mistake that it must not
//! make again, alone or in packs.

pub mod pack;
pub mod pinned_position;
pub mod report;
pub mod run;
mod verdict;

pub use pack::SituationPack;
pub use pinned_position::PinnedPosition;
pub use report::RegressionCount;
pub use run::{AskedBot, RegressionResult, run_position};
pub use verdict::RegressionVerdict;
