//! The rules' interface without type parameters, for the judge, the server and the command line.
//! Actions are passed in notation; configs, setups and views as JSON.
//!
//! [`Erased`] erases the types of a game; nothing outside `games/*` names them.
//!
//! | module | noun |
//! |---|---|
//! | [`leg`] | setups, positions, and what plays them |
//! | [`assessor`] | a judge of positions |
//! | [`game`] | a game |
//! | [`typed`] | a game of this house, its types erased |

pub mod assessor;
pub mod game;
pub mod leg;
pub mod typed;

pub use assessor::AnyAssessor;
pub use game::{AnyGame, Capabilities, PreparedRules};
pub use leg::{
    AnyActionBuilder, AnyBot, AnyLeg, AnyProtocol, AnySetup, AnySink, Checkpoint, TextReplies,
};
pub use typed::{Erased, JSON_LINES_ABOUT, typed_leg};
