//! Results, ratings, standings and pairings.

pub mod best_ranks;
pub mod corrections;
pub(crate) mod distinct_games;
pub mod divisions;
pub mod fetchable;
pub mod history;
pub mod ladder;
pub(crate) mod ladder_cache;
pub mod ladder_list;
pub mod pairing;
pub mod payoffs;
pub mod rank_cache;
pub mod rebuild;
pub(crate) mod rebuilt_history;
pub mod record;
pub mod recount;
pub(crate) mod recount_rows;
pub mod rests;
