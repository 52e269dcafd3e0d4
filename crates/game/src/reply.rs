//! Replies: the answers of asked seats.

use std::borrow::Cow;
use std::fmt;

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::lang::{Message, Say};

/// An action, or a fault in its place. The rules define the cost of a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reply<A> {
    /// A well-formed action; the rules decide whether it is legal in this position.
    Action(A),
    /// No usable answer.
    Fault(Fault),
}

/// A fault of an entrant. Infrastructure errors are a different type and never reach the rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Fault {
    /// Well-formed, but against the rules of the game.
    Illegal,
    /// No message of the protocol.
    Malformed,
    /// Ended by a signal or with a non-zero exit code.
    Crashed,
    /// No answer within the time of the period.
    Timeout,
    /// More memory than allowed.
    Memory,
    /// More output than allowed.
    Output,
    /// Ended, or closed its output, before the match was over.
    Exited,
    /// Could not be built or started.
    Compile,
}

impl Fault {
    /// Every fault.
    pub const ALL: [Fault; 8] = [
        Fault::Illegal,
        Fault::Malformed,
        Fault::Crashed,
        Fault::Timeout,
        Fault::Memory,
        Fault::Output,
        Fault::Exited,
        Fault::Compile,
    ];

    /// The short code in results and replays: `IA PE RE TLE MLE OLE EXIT CE`.
    pub const fn code(self) -> &'static str {
        match self {
            Fault::Illegal => "IA",
            Fault::Malformed => "PE",
            Fault::Crashed => "RE",
            Fault::Timeout => "TLE",
            Fault::Memory => "MLE",
            Fault::Output => "OLE",
            Fault::Exited => "EXIT",
            Fault::Compile => "CE",
        }
    }

    /// The fault with this code.
    pub fn from_code(code: &str) -> Option<Fault> {
        Fault::ALL.into_iter().find(|fault| fault.code() == code)
    }

    /// The fault as the end of a sentence that begins with the entrant's name.
    pub const fn phrase(self) -> &'static str {
        match self {
            Fault::Illegal => "made an illegal action",
            Fault::Malformed => "sent a malformed answer",
            Fault::Crashed => "crashed",
            Fault::Timeout => "ran out of time",
            Fault::Memory => "used too much memory",
            Fault::Output => "sent too much output",
            Fault::Exited => "left before the end",
            Fault::Compile => "could not be built or started",
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code())
    }
}

/// A fault as written in results and replays: `IA PE RE TLE MLE OLE EXIT CE`.
///
/// ```
/// use leitai_game::reply::{Fault, FaultCode};
/// let code: FaultCode = serde_json::from_str("\"TLE\"").expect("a known code");
/// assert_eq!(code, Fault::Timeout);
/// assert_eq!(code.as_str(), "TLE");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FaultCode(pub Fault);

impl FaultCode {
    /// The code itself.
    pub const fn as_str(self) -> &'static str {
        self.0.code()
    }
}

impl From<Fault> for FaultCode {
    fn from(fault: Fault) -> FaultCode {
        FaultCode(fault)
    }
}

impl PartialEq<Fault> for FaultCode {
    fn eq(&self, other: &Fault) -> bool {
        self.0 == *other
    }
}

impl fmt::Display for FaultCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl Serialize for FaultCode {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for FaultCode {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<FaultCode, D::Error> {
        let code = Cow::<str>::deserialize(deserializer)?;
        let fault = Fault::from_code(&code).ok_or_else(|| unknown_code(&code))?;
        Ok(FaultCode(fault))
    }
}

fn unknown_code<E: Error>(code: &str) -> E {
    let known = Fault::ALL.map(Fault::code).join(" ");
    E::custom(format!(
        "the fault code {code:?} is unknown; known are {known}"
    ))
}

/// Why an action is illegal in this position: a part of a sentence that names the snake, tank or
/// cell ("snake 4 turned back into its own neck").
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Illegal(pub Message);

impl Say for Illegal {
    fn to_message(&self) -> Message {
        self.0.clone()
    }
}

impl fmt::Display for Illegal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
