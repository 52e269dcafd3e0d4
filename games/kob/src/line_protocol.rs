//! The protocol `line` (`docs/rules/kob.md`, "Other languages"): a running program reads one input
//! string a line and answers one digit a line.
//!
//! ```text
//! to the program    1111…1111#11#1#(10)#1#12#(22)
//! from the program  3
//! ```

use leitai_game::Replies;
use leitai_game::lang::{Message, say};
use leitai_game::{Framing, Protocol, ProtocolInfo, Seat, Text};

use crate::board::Direction;
use crate::position::Position;
use crate::setup::Setup;
use crate::steps::{Steps, input_string};

/// The protocol's entry in the game's list.
pub const INFO: ProtocolInfo<Position> = ProtocolInfo {
    name: "line",
    about: Text::new(
        "the sites' input string, one line a round; the answer is one digit a line",
        "每回合一行网站格式的输入字符串，回答一行一个数字",
    ),
    make: || Box::new(LineProtocol::default()),
};

/// One seat's side; it keeps all moves, because every input string repeats them.
#[derive(Default)]
struct LineProtocol {
    steps: Steps,
}

impl Protocol<Position> for LineProtocol {
    fn message_framing(&self, _: &Position) -> Framing {
        Framing::Lines(1)
    }

    fn write_start(&mut self, _: &Setup, _: &Position, _: Seat) -> Vec<u8> {
        self.steps = Steps::default();
        Vec::new()
    }

    fn write_question(&mut self, setup: &Setup, _: &Position, seat: Seat) -> Vec<u8> {
        let mut line = input_string(setup, &self.steps, seat).into_bytes();
        line.push(b'\n');
        line
    }

    fn read(
        &mut self,
        _: &Setup,
        _: &Position,
        _: Seat,
        body: &[u8],
    ) -> Result<Direction, Message> {
        match body.trim_ascii() {
            [digit @ b'0'..=b'3'] => Ok(Direction::from_bits((digit - b'0').into())),
            _ => Err(say!("is not one digit 0 to 3")),
        }
    }

    fn write_step(
        &mut self,
        _: &Setup,
        _: &Position,
        _: Seat,
        replies: &Replies<Position>,
    ) -> Vec<u8> {
        self.steps.push_replies(replies);
        Vec::new()
    }

    fn write_end(&mut self, _: &Setup, _: &Position, _: Seat) -> Vec<u8> {
        Vec::new()
    }

    /// An answer belongs to the line before it; a surplus answer would shift every later one by a
    /// round.
    fn may_answer_early(&self) -> bool {
        false
    }
}
