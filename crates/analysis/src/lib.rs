//! What the decisions of a recorded match were worth.
//!
//! A replay is verified and played again; before every reply the game's assessor
//! ([`leitai_game::Assessor`]) says what the best action was worth and what the played one was. The
//! same replay and budget give the same analysis on every run: nothing depends on time.
//!
//! | module | noun |
//! |---|---|
//! | [`analysis`] | [`analyze_replay`]: a whole match |
//! | [`decision`] | one decision: probabilities, loss, proofs, grade |
//! | [`grade`] | grades and accuracy, and their published constants |
//! | [`leg`] | one leg, and what can be said of a side in it |
//! | [`time_use`] | where time was spent, and where in vain |
//! | [`figures`] | what the sides did, in the figures of the game, beside a strong bot |
//! | [`slip`] | where a leg slipped away by many small steps |
//! | [`way_of_losing`] | why a leg was lost, in one word and one sentence |
//! | [`digest`] | at most 30 lines in words |
//! | [`typical`] | many matches of one entrant: typical ways of losing |
//! | [`messages`] | the texts in both languages |
//!
//! The crate does no I/O, reads no clock and starts no thread.

#![cfg_attr(not(test), warn(clippy::too_many_lines))]
#![cfg_attr(
    not(test),
    deny(
        clippy::disallowed_macros,
        clippy::disallowed_methods,
        clippy::disallowed_types
    )
)]

pub mod analysis;
pub mod decision;
pub mod digest;
pub mod figures;
pub mod grade;
pub mod leg;
pub mod messages;
pub mod slip;
pub mod time_use;
pub mod typical;
pub mod way_of_losing;

pub use analysis::{
    AnalysisError, AnalysisOptions, AnalysisProgress, MatchAnalysis, analyze_replay,
};
pub use decision::Decision;
pub use grade::Grade;
pub use leg::{LegAnalysis, SideAnalysis};
pub use typical::{ManyMatches, TypicalWay};
pub use way_of_losing::{Phase, WayOfLosing};
