//! A tournament: its plan, its matches, and how they stand.
//!
//! | module | noun |
//! |---|---|
//! | [`plan`] | what is to be played: from a file, the command line, or both |
//! | [`cup`] | the tournament while it is played; every finished match is in its journal |

pub mod cup;
pub mod plan;

pub use cup::Cup;
pub use plan::Plan;
