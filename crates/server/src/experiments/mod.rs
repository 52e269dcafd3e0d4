//! Experiments: sequential tests of a version against another, played beside the ladder.
//!
//! | module | content |
//! |---|---|
//! | [`count`] | the pairs of an experiment, counted in their order: pure |
//! | [`family`] | which of several variants is accepted: pure |
//! | [`advance`] | creates the matches that are due, and ends what is decided |
//! | [`pair_match`] | the match of a place |
//! | [`benchmark`] | a version against the levels of the rating scale |
//! | [`benchmark_file`] | the result of a benchmark as a signed file |
//! | [`access`] | who may see an experiment |
//! | [`answers`] | what the API says of an experiment |
//! | [`book_upload`] | checks and keeps the position books that people send |
//! | [`export`] | an experiment as a file |
//! | [`routes`] | the HTTP routes |
//! | [`benchmark_routes`] | the routes of benchmarks |
//! | [`lane_routes`] | the routes of the lanes in which uploads become active |
//! | [`pin_routes`] | the routes of pinned moments |
//! | [`situation_routes`] | the routes of situation packs, and what versions answered |

pub mod access;
pub mod advance;
pub mod answers;
pub mod benchmark;
pub mod benchmark_file;
pub mod benchmark_routes;
pub mod book_upload;
pub mod count;
pub mod export;
pub mod family;
pub mod lane_routes;
pub mod pair_match;
pub mod pin_routes;
pub mod routes;
pub mod situation_routes;
