//! The mathematics of ratings: strength, its uncertainty, and the choice of the most informative
//! game. Pure functions of game results: no I/O, no clock, no randomness of their own.
//!
//! | module | noun |
//! |---|---|
//! | [`result`] | how one game, or one pair of games, ended |
//! | [`elo`] | rating differences and the scores they stand for |
//! | [`normal`] | the normal distribution |
//! | [`pair_spread`] | how far the points of pairs can be trusted, also where all are alike |
//! | [`sprt`] | is the new version better? A sequential test over pairs of games |
//! | [`stopped_estimate`] | an honest estimate after a test that stopped because it looked good |
//! | [`bradley_terry`] | ratings of a whole field by its points, with intervals |
//! | [`exact_test`] | are two players of a field equally strong, for any number of games? |
//! | [`known_opponents`] | the rating of one player against opponents whose ratings are known |
//! | [`payoff`] | who beats whom: intervals by pair, cycles |
//! | [`nash`] | the mixture of a field that nobody beats |
//! | [`weng_lin`] | ratings game by game, with their uncertainty |
//! | [`divisions`] | promotion and relegation on a large ladder |
//! | [`pairing`] | whom to play next on a ladder that never ends |
//! | [`most_informative`] | which game tells most about an order that shall be settled |
//! | [`tournament`] | round robin, gauntlet, Swiss, single and double elimination |

#![cfg_attr(not(test), warn(clippy::too_many_lines))]

pub mod bradley_terry;
pub mod divisions;
pub mod elo;
pub mod exact_test;
pub mod known_opponents;
pub mod most_informative;
pub mod nash;
pub mod normal;
pub mod pair_spread;
pub mod pairing;
pub mod payoff;
pub mod result;
pub mod sprt;
pub mod stopped_estimate;
pub mod tournament;
pub mod weng_lin;

pub use bradley_terry::{Fit, Results};
pub use result::{GameScore, PairTally, ScoreTally};
pub use sprt::{Decision, Sprt};
