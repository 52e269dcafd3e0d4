//! The messages between a judge and a logic process, as the documents of Saiblo define them (developers'
//! guide, "游戏逻辑"): to the process a length of 4 bytes and the text, from it a length, a target of 4
//! bytes and the text; all numbers big-endian.

use leitai_game::{BySeat, Fault, Seat};
use serde_json::{Map, Value, json};

/// The most bytes of one message from the process.
const MOST_BYTES: usize = 8 << 20;
/// The bytes before a message from the process.
const HEADER: usize = 8;

/// One message from the process.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Heard {
    /// These bytes go to a player as they are.
    Forward(Seat, Vec<u8>),
    /// How long a turn may take, in seconds, and how many bytes a message may have.
    Bounds {
        /// `time`.
        seconds: f64,
        /// `length`.
        bytes: usize,
    },
    /// Who is listened to from now on, and what is sent to whom.
    Round {
        /// `state`: the clock starts again when it grows.
        state: u32,
        /// `listen`.
        listen: BySeat<bool>,
        /// `player` and `content`.
        sent: Vec<(Seat, Vec<u8>)>,
    },
    /// What spectators see.
    Watch(String),
    /// It asks how the players have ended.
    AsksEnds,
    /// The game is over.
    Over {
        /// The points of both players.
        points: BySeat<f64>,
        /// How each player ended in the process's opinion, if it has one: `OK`, `IA` …
        ends: BySeat<Option<String>>,
    },
}

/// A message to the process, with its length in front.
pub(super) fn frame(body: &[u8]) -> Vec<u8> {
    let length = u32::try_from(body.len()).unwrap_or(u32::MAX);
    [&length.to_be_bytes(), body].concat()
}

/// Takes the first whole message from the bytes so far. The error is the end of a sentence.
pub(super) fn take_message(bytes: &mut Vec<u8>) -> Result<Option<Heard>, String> {
    let Some((header, rest)) = bytes.split_at_checked(HEADER) else {
        return Ok(None);
    };
    let number = |at: usize| {
        let four = header[at..at + 4].try_into().expect("four bytes");
        i32::from_be_bytes(four)
    };
    let (length, target) = (number(0), number(4));
    let length = usize::try_from(length)
        .ok()
        .filter(|length| *length <= MOST_BYTES)
        .ok_or_else(|| {
            format!("announced a message of {length} bytes; from 0 to {MOST_BYTES} are allowed")
        })?;
    if rest.len() < length {
        return Ok(None);
    }
    let body = rest[..length].to_vec();
    bytes.drain(..HEADER + length);
    match target {
        -1 => read_order(&body).map(Some),
        0 => Ok(Some(Heard::Forward(Seat::First, body))),
        1 => Ok(Some(Heard::Forward(Seat::Second, body))),
        other => Err(format!(
            "sent a message to player {other}; there are players 0 and 1"
        )),
    }
}

/// What is wrong with what a process sent.
pub(super) fn wrong(sent: &[u8], why: &str) -> String {
    let shown: String = String::from_utf8_lossy(sent).chars().take(100).collect();
    format!(
        "sent `{}`, {why}",
        leitai_game::clean_text::clean_line(&shown)
    )
}

/// Reads a message to the judge itself.
fn read_order(body: &[u8]) -> Result<Heard, String> {
    let wrong = |why: &str| wrong(body, why);
    let order: Map<String, Value> =
        serde_json::from_slice(body).map_err(|_| wrong("which is no JSON object"))?;
    if let Some(watch) = order.get("watch") {
        let text = watch
            .as_str()
            .map_or_else(|| watch.to_string(), str::to_owned);
        return Ok(Heard::Watch(text));
    }
    if order.get("action").and_then(Value::as_str) == Some("request_end_state") {
        return Ok(Heard::AsksEnds);
    }
    match order.get("state").and_then(Value::as_i64) {
        Some(-1) => {
            read_end(&order).ok_or_else(|| wrong("whose end_info has no points of both players"))
        }
        Some(0) => Ok(Heard::Bounds {
            seconds: order
                .get("time")
                .and_then(Value::as_f64)
                .unwrap_or(3.0)
                .clamp(0.001, 3600.0),
            bytes: order.get("length").and_then(Value::as_u64).unwrap_or(2048) as usize,
        }),
        Some(state) => {
            let state =
                u32::try_from(state).map_err(|_| wrong("whose state is no number of a round"))?;
            read_round(state, &order)
                .ok_or_else(|| wrong("whose listen, player or content is wrong"))
        }
        None => Err(wrong("which has no state")),
    }
}

fn read_seat(value: &Value) -> Option<Seat> {
    match value.as_u64()? {
        0 => Some(Seat::First),
        1 => Some(Seat::Second),
        _ => None,
    }
}

fn read_round(state: u32, order: &Map<String, Value>) -> Option<Heard> {
    let list = |key: &str| match order.get(key) {
        None | Some(Value::Null) => Some(&[][..]),
        Some(value) => value.as_array().map(Vec::as_slice),
    };
    let mut listen = BySeat::from_fn(|_| false);
    for seat in list("listen")? {
        listen[read_seat(seat)?] = true;
    }
    let (players, contents) = (list("player")?, list("content")?);
    if players.len() != contents.len() {
        return None;
    }
    let sent = players.iter().zip(contents).map(|(player, content)| {
        let bytes = content
            .as_str()
            .map_or_else(|| content.to_string(), str::to_owned);
        Some((read_seat(player)?, bytes.into_bytes()))
    });
    Some(Heard::Round {
        state,
        listen,
        sent: sent.collect::<Option<_>>()?,
    })
}

/// Some processes write lists and objects as texts of JSON, as the document says; others as they are.
fn unwrap_text(value: &Value) -> Option<Value> {
    match value {
        Value::String(text) => serde_json::from_str(text).ok(),
        other => Some(other.clone()),
    }
}

fn read_end(order: &Map<String, Value>) -> Option<Heard> {
    let info = unwrap_text(order.get("end_info")?)?;
    let points = |seat: Seat| info.get(seat.index().to_string())?.as_f64();
    let both = [points(Seat::First)?, points(Seat::Second)?];
    let ends = order.get("end_state").and_then(unwrap_text);
    let end_of = |seat: Seat| Some(ends.as_ref()?.get(seat.index())?.as_str()?.to_owned());
    Some(Heard::Over {
        points: BySeat::from_fn(|seat: Seat| both[seat.index()]),
        ends: BySeat::from_fn(end_of),
    })
}

/// The first message: the players are programs; the process may write a replay into its folder.
pub(super) fn first_message(config: &Value, replay: &str) -> Vec<u8> {
    let first = json!({
        "player_list": [1, 1], "player_num": 2, "config": config, "replay": replay,
    });
    first.to_string().into_bytes()
}

/// What a player said. The time is not told: the process would not do the same again.
pub(super) fn answer_message(seat: Seat, content: &[u8]) -> Vec<u8> {
    let content = String::from_utf8_lossy(content);
    json!({"player": seat.index(), "content": content, "time": 0})
        .to_string()
        .into_bytes()
}

/// That a player has failed, in this round.
pub(super) fn fault_message(seat: Seat, round: u32, fault: Fault) -> Vec<u8> {
    let (error, log) = match fault {
        Fault::Timeout => (1, "timeOutError"),
        Fault::Output | Fault::Illegal => (2, "outputLimitError"),
        _ => (0, "runError"),
    };
    let content = json!({"player": seat.index(), "state": round, "error": error, "error_log": log});
    json!({"player": -1, "content": content.to_string()})
        .to_string()
        .into_bytes()
}

/// How the players have ended.
pub(super) fn ends_message(faults: BySeat<Option<Fault>>) -> Vec<u8> {
    let ends = [Seat::First, Seat::Second].map(|seat| faults[seat].map_or("OK", Fault::code));
    json!({"end_state": json!(ends).to_string()})
        .to_string()
        .into_bytes()
}
