//! What a seat said when it was asked.

use std::fmt;

use serde::{Deserialize, Serialize};

/// An action, or a fault in its place. The rules decide what a fault costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reply<A> {
    /// Understood; it may still be illegal in this position, which the rules decide.
    Action(A),
    /// No usable answer.
    Fault(Fault),
}

/// What an entrant did wrong. Faults of ours are a different type and never reach the rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Fault {
    /// Well-formed, but against the rules of the game.
    Illegal,
    /// Not in the dialect.
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

    /// What happened, as the end of a sentence that begins with the entrant's name.
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

/// Why an action is against the rules in this position: a sentence part that names the snake, tank
/// or cell ("snake 4 turned back into its own neck").
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Illegal(pub String);

impl fmt::Display for Illegal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_distinct_and_read_back() {
        for fault in Fault::ALL {
            assert_eq!(Fault::from_code(fault.code()), Some(fault));
        }
        assert_eq!(Fault::from_code("OK"), None);
    }
}
