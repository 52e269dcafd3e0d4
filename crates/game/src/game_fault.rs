//! The failure of rules that somebody else wrote.

use std::fmt;

/// The bytes of a request that a [`GameFault`] shows.
const SHOWN_BYTES: usize = 200;

/// A call of a guest game's rules failed: they ran into a trap, took too long, or answered what is
/// no answer. It is an error of the game: never a fault of an entrant, and nothing is rated by it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameFault {
    /// The game's id.
    pub game: String,
    /// The function of the rules that failed.
    pub function: String,
    /// What went wrong, as the end of a sentence that begins with the function's name.
    pub what: String,
    /// The function's request. With the setup and the replies so far, which a replay has, it repeats
    /// the failure.
    pub request: Vec<u8>,
}

impl fmt::Display for GameFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let GameFault {
            game,
            function,
            what,
            request,
        } = self;
        let mut shown: String = request
            .iter()
            .take(SHOWN_BYTES)
            .map(|byte| format!("{byte:02x}"))
            .collect();
        match request.len() {
            0 => shown.push_str("empty"),
            length if length > SHOWN_BYTES => shown.push_str(&format!("… ({length} bytes)")),
            _ => {}
        }
        write!(
            f,
            "the rules of {game} failed: {function} {what}; its request was {shown}"
        )
    }
}

impl std::error::Error for GameFault {}
