//! JSON lines for a guest game: the messages of [`leitai_game::JsonLines`], the keys of views and
//! setups in alphabetical order.

use leitai_game::erased::{AnyLeg, AnyProtocol, TextReplies};
use leitai_game::lang::Message;
use leitai_game::protocol::{read_answer, unknown_action};
use leitai_game::{Framing, Perspective, Seat};
use serde_json::{Value, json};

use crate::leg::GuestLeg;

/// A seat's side of one leg.
pub(crate) struct GuestJsonLines {
    pub(crate) game: String,
    pub(crate) rules: String,
    /// Whether players may know everything.
    pub(crate) is_open: bool,
}

impl AnyProtocol for GuestJsonLines {
    fn message_framing(&self, _: &dyn AnyLeg) -> Framing {
        Framing::Lines(1)
    }

    fn write_start(&mut self, leg: &dyn AnyLeg, seat: Seat) -> Vec<u8> {
        let leg = leg.as_any().downcast_ref::<GuestLeg>();
        let setup = leg
            .expect("protocols and legs come from the same game")
            .setup();
        let mut start = start_message(&self.game, &self.rules, seat);
        // Covered cards are a part of the setup: what a seat may know is in its view.
        if self.is_open {
            start["setup"] = setup.clone();
        }
        write_line(&start)
    }

    fn write_question(&mut self, leg: &dyn AnyLeg, seat: Seat) -> Vec<u8> {
        let view = leg.view(Perspective::Seat(seat));
        write_line(&json!({"type": "turn", "view": view, "legal": leg.legal_actions(seat)}))
    }

    fn read(&mut self, leg: &dyn AnyLeg, seat: Seat, body: &[u8]) -> Result<String, Message> {
        let legal = || leg.legal_actions(seat);
        let text = read_answer(body, legal)?;
        match leg.knows_action(&text) {
            true => Ok(text),
            false => Err(unknown_action(&text, &legal())),
        }
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

/// What every program is told first.
pub(crate) fn start_message(game: &str, rules: &str, seat: Seat) -> Value {
    json!({"type": "start", "game": game, "rules": rules, "seat": seat})
}

/// The line that tells a seat how the leg ended.
pub(crate) fn write_end(leg: &dyn AnyLeg, seat: Seat) -> Vec<u8> {
    let Some(outcome) = leg.outcome() else {
        return write_line(&json!({"type": "end"}));
    };
    let you = match outcome.winner {
        None => "draw",
        Some(winner) if winner == seat => "win",
        Some(_) => "loss",
    };
    write_line(&json!({
        "type": "end", "winner": outcome.winner, "you": you,
        "scores": outcome.scores, "reason": outcome.reason.id,
    }))
}

pub(crate) fn write_line(value: &Value) -> Vec<u8> {
    let mut line = value.to_string().into_bytes();
    line.push(b'\n');
    line
}
