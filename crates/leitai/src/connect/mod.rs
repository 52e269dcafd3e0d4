//! A bot that stays on this machine and plays in an arena.
//!
//! | module | content |
//! |---|---|
//! | [`mod@line`] | the WebSocket to a seat, which is opened again when it is cut |
//! | [`offer`] | waits in the arena for opponents |
//! | [`seat`] | one match: the program, and what the arena and it say to each other |

pub mod line;
pub mod offer;
pub mod seat;
