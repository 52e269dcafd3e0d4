//! The official bot protocol (`docs/rules/snakego.md`, "Official bot protocol").
//!
//! To the bot, unframed: the header, the items, then one byte for each action of either player in
//! the order of play, including its own, and at the end `0x11 type winner score0 score1`. From the
//! bot: a 32-bit big-endian length (1) and the op byte. No message marks the turns: the bot
//! computes the state.

use leitai_game::Replies;
use leitai_game::lang::{Message, say};
use leitai_game::{Fault, Framing, Game, Outcome, Protocol, ProtocolInfo, Reply, Seat, Text};

use crate::action::Action;
use crate::board::SIDE;
use crate::position::{GameEnd, Position};
use crate::setup::Setup;

/// The protocol's entry in the game's list.
pub const INFO: ProtocolInfo<Position> = ProtocolInfo {
    name: "saiblo",
    about: Text::new(
        "the official protocol: bots written for the official ADK, in C++ or Python, run unchanged",
        "官方协议：用官方 ADK 写的 C++、Python 程序无需修改",
    ),
    make: || Box::new(SaibloProtocol),
};

const ITEMS: u8 = 0x10;
const GAME_OVER: u8 = 0x11;
/// The score of the player at fault in the official protocol and in official replays.
pub const OFFENDER_SCORE: i32 = -100;

struct SaibloProtocol;

impl Protocol<Position> for SaibloProtocol {
    fn message_framing(&self, _: &Position) -> Framing {
        Framing::Length32
    }

    fn write_start(&mut self, setup: &Setup, _: &Position, seat: Seat) -> Vec<u8> {
        let mut bytes = vec![SIDE, SIDE];
        push_number(&mut bytes, setup.max_round().into());
        bytes.extend([seat.index() as u8, ITEMS]);
        push_number(&mut bytes, setup.items().len() as i32);
        for item in setup.items() {
            bytes.extend([item.cell.x(), item.cell.y(), item.kind.number()]);
            push_number(&mut bytes, item.time.into());
            push_number(&mut bytes, item.param.into());
        }
        bytes
    }

    fn write_question(&mut self, _: &Setup, _: &Position, _: Seat) -> Vec<u8> {
        Vec::new()
    }

    fn read(&mut self, _: &Setup, _: &Position, _: Seat, body: &[u8]) -> Result<Action, Message> {
        match body {
            [op] => Action::from_number(*op).ok_or_else(|| say!("is op {op}; ops are 1 to 6")),
            _ => Err(say!("has {} bytes; an op is one byte", body.len())),
        }
    }

    fn write_step(
        &mut self,
        _: &Setup,
        position: &Position,
        _: Seat,
        replies: &Replies<Position>,
    ) -> Vec<u8> {
        let acted = replies.iter_pairs().find_map(|(_, reply)| match reply {
            Some(Reply::Action(action)) => Some(action.number()),
            _ => None,
        });
        // The official judge does not echo the illegal action that ends a half.
        let fault = matches!(position.end(), Some(GameEnd::Fault(..)));
        acted.filter(|_| !fault).into_iter().collect()
    }

    fn write_end(&mut self, _: &Setup, position: &Position, _: Seat) -> Vec<u8> {
        let Some(outcome) = position.outcome() else {
            return Vec::new();
        };
        let winner = outcome.winner.unwrap_or(Seat::First);
        let mut bytes = vec![GAME_OVER, end_type(&outcome).number(), winner.index() as u8];
        official_scores(&outcome)
            .into_iter()
            .for_each(|score| push_number(&mut bytes, score));
        bytes
    }
}

/// Appends a signed 16-bit big-endian number.
fn push_number(bytes: &mut Vec<u8>, number: i32) {
    bytes.extend((number as i16).to_be_bytes());
}

/// The end of a half, in the official judge's terms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EndType {
    /// Played to its end.
    Normal,
    /// Crash, time, memory, output.
    PlayerError,
    /// An illegal action.
    IllegalAction,
    /// A malformed answer.
    InvalidFormat,
    /// An error of the judge itself.
    InternalError,
}

impl EndType {
    /// Every kind with its number in the protocol and its name in replays.
    const NAMES: [(EndType, u8, &'static str); 5] = [
        (EndType::Normal, 0, "NORMAL"),
        (EndType::PlayerError, 0x10, "PLAYER_ERROR"),
        (EndType::IllegalAction, 0x11, "ILLEGAL_ACTION"),
        (EndType::InvalidFormat, 0x12, "INVALID_FORMAT"),
        (EndType::InternalError, 0x20, "INTERNAL_ERROR"),
    ];

    /// The number in the protocol.
    pub fn number(self) -> u8 {
        EndType::NAMES[self as usize].1
    }

    /// The name in replays.
    pub fn name(self) -> &'static str {
        EndType::NAMES[self as usize].2
    }

    /// The kind with this name.
    pub fn from_name(name: &str) -> Option<EndType> {
        EndType::NAMES
            .into_iter()
            .find(|(_, _, known)| *known == name)
            .map(|(kind, ..)| kind)
    }
}

/// The official judge's kind for this end.
pub fn end_type(outcome: &Outcome) -> EndType {
    match outcome.faults.into_pair() {
        [None, None] => EndType::Normal,
        [Some(fault), _] | [None, Some(fault)] => match fault {
            Fault::Illegal => EndType::IllegalAction,
            Fault::Malformed => EndType::InvalidFormat,
            _ => EndType::PlayerError,
        },
    }
}

/// The scores as the official judge reports them: the player at fault has -100.
pub fn official_scores(outcome: &Outcome) -> [i32; 2] {
    Seat::BOTH.map(|seat| {
        if outcome.faults[seat].is_some() {
            OFFENDER_SCORE
        } else {
            outcome.scores[seat]
        }
    })
}
