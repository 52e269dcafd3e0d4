//! What a player of a logic process reads and writes.

use leitai_game::erased::{AnyLeg, AnyProtocol, TextReplies};
use leitai_game::lang::{Message, say};
use leitai_game::protocol::JSON_LINES;
use leitai_game::{Framing, Seat, Text};
use serde_json::{Value, json};

use super::botzone::BotzoneLeg;
use super::leg::LogicLeg;
use super::notation;
use crate::json_lines::{start_message, write_end, write_line};

/// Its name, and what it is.
pub(super) const SAIBLO: (&str, Text) = (
    "saiblo",
    Text::new(
        "as on Saiblo: what the judge program sends as it is; each answer with its length in front, \
             4 bytes, big-endian",
        "与 Saiblo 相同：原样收到评测逻辑发来的消息；回答以 4 字节大端长度开头",
    ),
);

/// JSON lines with the requests of a judge program of Botzone.
pub(super) const REQUESTS: (&str, Text) = (
    JSON_LINES,
    Text::new(
        "one JSON object a line: a turn has the judge program's \"request\", an answer the \"response\"; \
             botzone:PATH for programs that speak Botzone's JSON",
        "每行一个 JSON 对象：turn 带有裁判程序的 \"request\"，回答为 \"response\"；使用 Botzone JSON 的程序请写 botzone:路径",
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

/// A player of a leg that a judge program of Botzone leads.
pub(super) struct BotzonePlayer {
    pub(super) game: String,
    pub(super) rules: String,
}

impl AnyProtocol for BotzonePlayer {
    fn message_framing(&self, _: &dyn AnyLeg) -> Framing {
        Framing::Lines(1)
    }

    fn write_start(&mut self, _: &dyn AnyLeg, seat: Seat) -> Vec<u8> {
        write_line(&start_message(&self.game, &self.rules, seat))
    }

    fn write_question(&mut self, leg: &dyn AnyLeg, seat: Seat) -> Vec<u8> {
        let leg = leg.as_any().downcast_ref::<BotzoneLeg>();
        let leg = leg.expect("protocols and legs come from the same game");
        write_line(&json!({"type": "turn", "request": leg.request(seat)}))
    }

    fn read(&mut self, _: &dyn AnyLeg, _: Seat, body: &[u8]) -> Result<String, Message> {
        let value: Value = serde_json::from_slice(body).map_err(|e| say!("is not JSON ({e})"))?;
        let response = value.get("response");
        let response =
            response.ok_or_else(|| say!("has no \"response\"; send {{\"response\":…}}"))?;
        Ok(notation::write(response.to_string().as_bytes()))
    }

    fn write_step(&mut self, _: &dyn AnyLeg, _: Seat, _: &TextReplies<'_>) -> Vec<u8> {
        Vec::new()
    }

    fn write_end(&mut self, leg: &dyn AnyLeg, seat: Seat) -> Vec<u8> {
        write_end(leg, seat)
    }

    fn may_answer_early(&self) -> bool {
        false
    }
}
