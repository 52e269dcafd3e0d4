//! Many matches: entrants are built once, matches are played in parallel, and what is finished is
//! written down.
//!
//! | module | noun |
//! |---|---|
//! | [`hall`] | who plays and with what: makes a match from two entrants and a seed |
//! | [`game`] | what remains of a finished match: result, faults, times |
//! | [`pair`] | two legs of a comparison with seats swapped |
//! | [`times`] | how long moves took, as a histogram |
//! | [`void`] | a match that could not be judged |
//! | [`workers`] | several matches at once |
//! | [`journal`] | finished matches on disk, so that a killed run goes on |
//! | [`fingerprint`] | whether a program is still the same |

pub mod fingerprint;
pub mod game;
pub mod hall;
pub mod journal;
pub mod pair;
pub mod times;
pub mod void;
pub mod workers;

pub use game::GameRecord;
pub use hall::Roster;
pub use journal::Journal;
pub use pair::PlayedPair;
pub use times::TimeHistogram;
pub use void::VoidMatch;

/// Exit status of an interrupted run, as shells give it for Ctrl-C.
pub const INTERRUPTED: u8 = 130;
