//! Game tree search for two-sided games: what the built-in champions and the analysis of replays
//! share. A game gives its moves, its evaluation and an order of moves; this crate searches.
//!
//! It does no I/O, reads no clock but the [`BotClock`](leitai_game::BotClock) that it is handed, and
//! starts threads only where it is told to use more than one.
//!
//! | module | noun |
//! |---|---|
//! | [`budget`] | when a search stops: nodes, time, or a flag |
//! | [`alpha_beta`] | two sides that move one after the other: iterative deepening, proven results |
//! | [`calibration`] | from values to probabilities, and how far they can be trusted |
//! | [`table`] | a transposition table |
//! | [`halving`] | the best of several candidates by paired random trials |
//! | [`assessment`] | what a search says of a position: win probability, margin, best line, proof |
//! | [`mcts`] | Monte-Carlo tree search with a pool of nodes, on one thread or several |
//! | [`guided`] | tree search with an evaluator that is asked for many states at once; also for simultaneous moves |
//! | [`threads`] | threads that help a search |

#![cfg_attr(not(test), warn(clippy::too_many_lines))]
#![cfg_attr(
    not(test),
    deny(
        clippy::disallowed_macros,
        clippy::disallowed_methods,
        clippy::disallowed_types
    )
)]

pub mod alpha_beta;
pub mod calibration;
pub mod guided;
pub mod halving;
pub mod mcts;
pub mod table;
pub mod threads;

pub use leitai_game::assessment::{
    self, Assessment, Assessor, AssessorInfo, DecisionAssessment, Hindsight, Proof, ProvenResult,
};
pub use leitai_game::search_budget::{self as budget, SearchBudget};
pub use table::TranspositionTable;
