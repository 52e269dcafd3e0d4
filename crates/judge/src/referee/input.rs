//! What the referee hears from a seat.

use std::time::Duration;

use leitai_game::replay::BrokenLimit;
use leitai_game::{AnyProtocol, Fault};

/// Who plays on a seat.
pub enum SeatPlayer {
    /// A program that speaks a protocol.
    Program(Box<dyn AnyProtocol>),
    /// A built-in bot or a person: says actions in notation.
    Direct,
}

/// What was heard from a seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SeatInput<'a> {
    /// Nothing so far.
    Nothing,
    /// Bytes from a program.
    Bytes(&'a [u8]),
    /// An action in notation from a direct seat.
    Action(&'a str),
    /// Nothing more will come.
    Closed(&'a InputEnd),
    /// A direct seat has used all its time, by a clock that somebody else keeps. The answer that it
    /// owes is a fault.
    TimeUp(Duration),
}

/// How a program, or a person, stopped talking.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputEnd {
    /// The fault that it is, if anything more is wanted from this seat.
    pub fault: Fault,
    /// What happened, as the end of a sentence that begins with the entrant's name.
    pub what: String,
    /// The limit for which it was ended, if it was.
    pub limit: Option<BrokenLimit>,
    /// `exit code 3`, `signal 11 (SIGSEGV)`.
    pub exit: Option<String>,
}
