//! The meaning of the bytes between judge and program. A protocol only names its framing (the end
//! of a message); the judge splits messages, so a protocol sees whole messages only.

use serde::Serialize;
use serde_json::{Value, json};

use crate::game::{Game, Replies};
use crate::lang::{Message, say};
use crate::seat::{Perspective, Seat};
use crate::text::Text;

/// Where a program's message ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Framing {
    /// This many lines, each ending in LF (a CR before it is dropped).
    Lines(usize),
    /// A signed 32-bit big-endian length, then that many bytes.
    Length32,
}

/// A seat's side of one leg in some protocol. Methods that write return the bytes to send, or
/// nothing.
pub trait Protocol<G: Game>: Send {
    /// The framing of the program's next message.
    fn message_framing(&self, position: &G) -> Framing;
    /// Writes the opening, which is sent once when the leg starts.
    fn write_start(&mut self, setup: &G::Setup, position: &G, seat: Seat) -> Vec<u8>;
    /// Writes the message that is sent when the seat is asked.
    fn write_question(&mut self, setup: &G::Setup, position: &G, seat: Seat) -> Vec<u8>;
    /// Reads one whole message. `Err` is the mistake in it, as a part of a sentence.
    fn read(
        &mut self,
        setup: &G::Setup,
        position: &G,
        seat: Seat,
        body: &[u8],
    ) -> Result<G::Action, Message>;
    /// Writes the message that both seats get after every step. `position` is the one after the
    /// step.
    fn write_step(
        &mut self,
        setup: &G::Setup,
        position: &G,
        seat: Seat,
        replies: &Replies<G>,
    ) -> Vec<u8>;
    /// Writes the message that is sent when the leg is over; then the program's input is closed.
    fn write_end(&mut self, setup: &G::Setup, position: &G, seat: Seat) -> Vec<u8>;
    /// Whether a program may answer before it is asked; its messages wait for the question.
    fn may_answer_early(&self) -> bool {
        true
    }
}

/// An entry in a game's list of protocols.
pub struct ProtocolInfo<G: Game> {
    /// The name on the command line.
    pub name: &'static str,
    /// One sentence about the programs that speak it.
    pub about: Text,
    /// Makes a seat's side of one leg.
    pub make: fn() -> Box<dyn Protocol<G>>,
}

/// Leitai's own protocol, which every game gets from its view and its notation: one JSON object a
/// line.
///
/// ```text
/// to the program    {"type":"start","game":"snakego","rules":"snakego/1","seat":"first","setup":{…}}
///                   {"type":"turn","view":{…},"legal":["1","2"]}
///                   {"type":"end","winner":"first","you":"win","scores":[83,91],"reason":"cells"}
/// from the program  {"action":"2"}
/// ```
///
/// A turn is sent only to a seat that is asked. The answer is one line; nothing else may be sent.
pub struct JsonLines;

/// The action in a response as programs of Botzone write it (see [`BOTZONE`](crate::host::BOTZONE)): a
/// text, a number, or an object with one of these as its `action` or `direction`.
fn action_of_botzone(response: &Value) -> Option<String> {
    match response {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Object(all) => {
            let inner = all.get("action").or_else(|| all.get("direction"))?;
            (!inner.is_object()).then(|| action_of_botzone(inner))?
        }
        _ => None,
    }
}

/// How many of the legal actions a message about an unknown one shows.
const SHOWN_ACTIONS: usize = 6;

/// The action in an answer of JSON lines. `legal` lists the legal actions, for messages.
///
/// # Errors
/// What is wrong with the answer, with what to send.
pub fn read_answer(body: &[u8], legal: impl FnOnce() -> Vec<String>) -> Result<String, Message> {
    let value: Value = serde_json::from_slice(body).map_err(|e| say!("is not JSON ({e})"))?;
    match value.get("response") {
        Some(response) => action_of_botzone(response).ok_or_else(|| {
            let offered = offer_actions(&legal());
            say!("has no action as its \"response\"; send {{\"response\":\"…\"}} with one of \"legal\" of the request, such as {offered}")
        }),
        None => value.get("action").and_then(Value::as_str).map(str::to_owned).ok_or_else(|| {
            say!("has no \"action\" text; send {{\"action\":\"…\"}}")
        }),
    }
}

/// That an answer names an action that the game does not know; `legal` was offered.
pub fn unknown_action(text: &str, legal: &[String]) -> Message {
    let offered = offer_actions(legal);
    say!("names an unknown action {text:?}; \"legal\" of the turn offered {offered}")
}

/// The first legal actions of a seat, as its program read them: `"1", "2", …`.
fn offer_actions(legal: &[String]) -> String {
    let shown = legal.iter().take(SHOWN_ACTIONS);
    let mut shown: Vec<String> = shown.map(|action| format!("{action:?}")).collect();
    if legal.len() > SHOWN_ACTIONS {
        shown.push("…".into());
    }
    shown.join(", ")
}

/// The legal actions of a seat, as they are written.
fn write_legal_actions<G: Game>(setup: &G::Setup, position: &G, seat: Seat) -> Vec<String> {
    let mut legal = Vec::new();
    position.legal_actions(setup, seat, &mut legal);
    legal.into_iter().map(G::write_action).collect()
}

/// The name of [`JsonLines`] on the command line.
pub const JSON_LINES: &str = "json-lines";

impl<G: Game> Protocol<G> for JsonLines {
    fn message_framing(&self, _: &G) -> Framing {
        Framing::Lines(1)
    }

    fn write_start(&mut self, setup: &G::Setup, _: &G, seat: Seat) -> Vec<u8> {
        write_json_line(&json!({
            "type": "start", "game": G::META.id, "rules": G::META.rules, "seat": seat, "setup": setup,
        }))
    }

    fn write_question(&mut self, setup: &G::Setup, position: &G, seat: Seat) -> Vec<u8> {
        #[derive(Serialize)]
        struct Turn<V> {
            r#type: &'static str,
            view: V,
            legal: Vec<String>,
        }
        write_json_line(&Turn {
            r#type: "turn",
            view: position.view(setup, Perspective::Seat(seat)),
            legal: write_legal_actions(setup, position, seat),
        })
    }

    fn read(
        &mut self,
        setup: &G::Setup,
        position: &G,
        seat: Seat,
        body: &[u8],
    ) -> Result<G::Action, Message> {
        let legal = || write_legal_actions(setup, position, seat);
        let text = read_answer(body, legal)?;
        G::read_action(&text).ok_or_else(|| unknown_action(&text, &legal()))
    }

    fn write_step(&mut self, _: &G::Setup, _: &G, _: Seat, _: &Replies<G>) -> Vec<u8> {
        Vec::new()
    }

    fn write_end(&mut self, _: &G::Setup, position: &G, seat: Seat) -> Vec<u8> {
        let Some(outcome) = position.outcome() else {
            return write_json_line(&json!({"type": "end"}));
        };
        let you = match outcome.winner {
            None => "draw",
            Some(winner) if winner == seat => "win",
            Some(_) => "loss",
        };
        write_json_line(&json!({
            "type": "end", "winner": outcome.winner, "you": you,
            "scores": outcome.scores, "reason": outcome.reason.id,
        }))
    }

    fn may_answer_early(&self) -> bool {
        false
    }
}

fn write_json_line(value: &impl Serialize) -> Vec<u8> {
    let mut bytes =
        serde_json::to_vec(value).expect("views and setups are plain data with text keys");
    bytes.push(b'\n');
    bytes
}
