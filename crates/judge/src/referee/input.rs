//! The referee's input from a seat.

use std::time::Duration;

use leitai_game::lang::Message;
use leitai_game::replay::BrokenLimit;
use leitai_game::{AnyProtocol, Fault};

/// The kind of player on a seat.
pub enum SeatPlayer {
    /// A program that speaks a protocol.
    Program(Box<dyn AnyProtocol>),
    /// A built-in bot or a person, whose actions come in notation.
    Direct,
}

/// One input from a seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SeatInput<'a> {
    /// No input so far.
    Nothing,
    /// Bytes from a program.
    Bytes(&'a [u8]),
    /// An action in notation from a direct seat.
    Action(&'a str),
    /// The end of all input.
    Closed(&'a InputEnd),
    /// A direct seat has used all its time, by a clock outside of the referee. Its missing answer
    /// is a fault.
    TimeUp(Duration),
}

/// How the input of a program or a person ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputEnd {
    /// The fault, if this seat must still answer.
    pub fault: Fault,
    /// The description, as the end of a sentence that begins with the entrant's name.
    pub what: Message,
    /// The limit for which the program was killed, if there was one.
    pub limit: Option<BrokenLimit>,
    /// `exit code 3`, `signal 11 (SIGSEGV)`.
    pub exit: Option<String>,
    /// Whether it is an infrastructure error and not the program's fault.
    pub ours: bool,
}
