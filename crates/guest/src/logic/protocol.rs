//! What a player of a logic process reads and writes.

use leitai_game::erased::{AnyLeg, AnyProtocol, TextReplies};
use leitai_game::lang::Message;
use leitai_game::{Framing, Seat, Text};

use super::leg::LogicLeg;
use super::notation;

/// Its name, and what it is.
pub(super) const SAIBLO: (&str, Text) = (
    "saiblo",
    Text::new(
        "as on Saiblo: what the judge program sends as it is; each answer with its length in front, \
             4 bytes, big-endian",
        "与 Saiblo 相同：原样收到评测逻辑发来的消息；回答以 4 字节大端长度开头",
    ),
);

/// A player of a leg.
pub(super) struct SaibloPlayer;

fn sent(leg: &dyn AnyLeg, seat: Seat) -> Vec<u8> {
    let leg = leg.as_any().downcast_ref::<LogicLeg>();
    leg.expect("protocols and legs come from the same game")
        .sent_to(seat)
        .to_vec()
}

impl AnyProtocol for SaibloPlayer {
    fn message_framing(&self, _: &dyn AnyLeg) -> Framing {
        Framing::Length32
    }

    fn write_start(&mut self, leg: &dyn AnyLeg, seat: Seat) -> Vec<u8> {
        sent(leg, seat)
    }

    fn write_question(&mut self, _: &dyn AnyLeg, _: Seat) -> Vec<u8> {
        Vec::new()
    }

    fn read(&mut self, _: &dyn AnyLeg, _: Seat, body: &[u8]) -> Result<String, Message> {
        Ok(notation::write(body))
    }

    fn write_step(&mut self, leg: &dyn AnyLeg, seat: Seat, _: &TextReplies<'_>) -> Vec<u8> {
        sent(leg, seat)
    }

    /// The step has told everything.
    fn write_end(&mut self, _: &dyn AnyLeg, _: Seat) -> Vec<u8> {
        Vec::new()
    }

    fn may_answer_early(&self) -> bool {
        true
    }
}
