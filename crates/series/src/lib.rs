//! Series of matches: comparisons, tournaments, ladders and regressions.
//!
//! Entrants are found and built once, matches are played in parallel, and every finished match is
//! written to a journal before anything else happens, so that a killed run can continue. The crate
//! prints nothing: a listener gets the progress, results are values, and reports are texts in the
//! [`Language`] of the reader.
//!
//! | module | content |
//! |---|---|
//! | [`options`] | the options of every match of a series |
//! | [`entrant`] | ready players from names of built-in bots or paths |
//! | [`entrant_request`] | the request for an entrant |
//! | [`entrant_words`] | an entrant in words: name, program, arguments, settings |
//! | [`naming`] | names of entrants |
//! | [`roster`] | the entrants of a series; makes a match from two of them and a seed |
//! | [`book`] | positions from which matches start |
//! | [`run`] | plays the matches of a [`Series`], several at once |
//! | [`comparison`] | is a new version better than the old one? |
//! | [`tournament`] | round robin, gauntlet, Swiss and elimination |
//! | [`ladder`] | a ranking of the bots in a folder |
//! | [`tuning`] | which values of a bot's parameters are strongest? |
//! | [`rating`] | how strong is a bot on the game's rating scale? |
//! | [`scale`] | how strong are the levels of a game? |
//! | [`regression`] | pinned positions that a bot must not lose again |
//! | [`report`] | standings as CSV, JSON and HTML |
//! | [`distinct`] | which games are new, and which are copies |
//! | [`elo_unit`] | what an Elo difference is about |
//! | [`pool_pair`] | two versions against the same opponents |
//! | [`game_record`], [`pair`], [`times`], [`void_match`] | summaries of matches |
//! | [`values`] | times and sizes as people write them |
//! | [`journal`], [`fingerprint`], [`files`] | files on disk |

#![cfg_attr(not(test), warn(clippy::too_many_lines))]

pub mod book;
pub mod columns;
pub mod comparison;
pub mod distinct;
pub mod elo_unit;
pub mod entrant;
pub mod entrant_request;
pub mod entrant_words;
mod error;
pub mod files;
pub mod fingerprint;
pub mod game_record;
pub mod journal;
pub mod ladder;
mod language;
pub mod messages;
pub mod naming;
pub mod options;
pub mod pair;
mod pair_series;
pub mod pool_pair;
mod python_policy;
pub mod rating;
pub mod regression;
pub mod report;
pub mod roster;
pub mod run;
pub mod scale;
mod series_job;
mod suggestion;
pub mod times;
pub mod tournament;
pub mod tuning;
pub mod values;
pub mod void_match;

pub use distinct::DistinctGames;
pub use elo_unit::EloUnit;
pub use entrant_request::EntrantRequest;
pub use error::{InvalidRequest, invalid_request};
pub use game_record::GameRecord;
pub use journal::Journal;
pub use language::Language;
pub use options::MatchOptions;
pub use pair::PlayedPair;
pub use roster::Roster;
pub use run::{MatchPlayer, Series, play_series, play_series_with, worker_count};
pub use suggestion::{nearest_names, suggest_names};
pub use times::TimeHistogram;
pub use void_match::VoidMatch;
