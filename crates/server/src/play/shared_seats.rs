//! What servers tell each other about a person whose socket is at another server than the match. That
//! server, the relay, asks all servers for the seat; the owner of the match answers, and from then on
//! sends what it would send to a socket. Both sides count: what was lost on the bus ends the
//! connection, the person joins again by itself and gets everything anew. See `bus::envelope` for
//! what may change from version to version.

use std::time::Duration;

use leitai_store::TokenHash;
use serde::{Deserialize, Serialize};

use super::CloseReason;

/// Where every server is asked for a seat.
pub const JOIN: &str = "play.join";
/// The pause between two signs of life of each side.
pub const SIGN: Duration = Duration::from_secs(3);
/// A side that was not heard for this time is gone.
pub const GONE: Duration = Duration::from_secs(10);
/// The longest text in one message, in bytes: a bus takes 1 MiB at most.
pub const LONGEST: usize = 256 << 10;

/// Where the relay of a session hears.
pub fn relay_subject(session: &str) -> String {
    format!("play.relay.{session}")
}

/// Where the owner of the match of a session hears.
pub fn owner_subject(session: &str) -> String {
    format!("play.owner.{session}")
}

/// A person wants a seat.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SeatQuestion {
    /// The match.
    pub id: i64,
    /// The hash of the seat's token.
    pub token: TokenHash,
    /// A random word for what follows.
    pub session: String,
    /// Whether the person will say when it is ready.
    #[serde(default)]
    pub reads: bool,
}

/// The owner's answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SeatAnswer {
    /// The person has the seat.
    Joined,
    /// The token is for no seat of this match.
    NoSeat,
}

/// A message of the owner.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OwnerMessage {
    /// A text for the person, or a part of it.
    Text {
        /// The number of the message: one more than that of the text before.
        sequence: u64,
        /// The text.
        text: String,
        /// Whether more of it follows.
        goes_on: bool,
    },
    /// A sign of life.
    Alive {
        /// The number of the last text.
        sequence: u64,
        /// How many words of the person arrived.
        words: u64,
    },
    /// The connection ends after this many texts.
    End {
        /// The number of the last text.
        sequence: u64,
        /// Why.
        reason: CloseReason,
    },
}

/// A message of the relay.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RelayMessage {
    /// What the person says, as it came.
    Word(String),
    /// A sign of life.
    Alive,
    /// The person has left.
    Gone,
}
