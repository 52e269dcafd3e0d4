//! Experiments: sequential tests of a version against another, played beside the ladder.
//!
//! | module | content |
//! |---|---|
//! | [`count`] | the pairs of an experiment, counted in their order: pure |
//! | [`advance`] | creates the matches that are due, and ends what is decided |
//! | [`answers`] | what the API says of an experiment |
//! | [`routes`] | the HTTP routes |
//! | [`lane_routes`] | the routes of the lanes in which uploads become active |

pub mod advance;
pub mod answers;
pub mod count;
pub mod lane_routes;
pub mod routes;
