//! A bot that stays on this machine and plays in an arena.
//!
//! | module | content |
//! |---|---|
//! | [`line`] | the WebSocket to a seat, which is opened again when it is cut |
//! | [`seat`] | one match: the program, and what the arena and it say to each other |

pub mod line;
pub mod seat;
