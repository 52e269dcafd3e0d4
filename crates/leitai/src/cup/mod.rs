//! A tournament: its plan, its matches, and how they stand.
//!
//! | module | noun |
//! |---|---|
//! | [`plan`] | what is to be played: from a file, the command line, or both |
//! | [`course`] | the tournament while it is played; every finished match is in its journal |

pub mod course;
pub mod plan;

pub use course::Tournament;
pub use plan::TournamentPlan;
