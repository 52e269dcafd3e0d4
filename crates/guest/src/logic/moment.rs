//! What a replay keeps of a moment of a leg that a judge program leads, so that it can be shown and counted
//! where the program is not run:
//!
//! ```json
//! {"round": 7, "asks": "first", "sent": {"first": "…"}, "events": [{"watch": "…"}], "outcome": {…}}
//! ```
//!
//! Only `round` is always there.

use leitai_game::erased::AnySink;
use leitai_game::game::{Outcome, Reason, ToMove};
use leitai_game::replay::OutcomeRecord;
use leitai_game::{BySeat, Perspective, Seat};
use serde_json::{Map, Value, json};

/// How a leg may end.
pub(super) const POINTS: Reason = Reason::new("points", "by more points", "得分更高");
pub(super) const LEVEL: Reason = Reason::new("level", "with equal points", "得分相同");
pub(super) const FAULT: Reason = Reason::new("fault", "by a fault of the opponent", "对方犯规");

/// The most bytes of messages and events of a leg that are kept: a match of many legs has to fit into a
/// replay.
const MOST_BYTES: usize = 2 << 20;

/// The names of the seats in `sent` and `asks`.
const NAMES: BySeat<&str> = BySeat::new("first", "second");

/// Writes moments, and counts what they take.
#[derive(Clone, Default)]
pub(super) struct Moments {
    bytes: usize,
    /// The moment before the first step, until somebody was told of it.
    first: Option<Value>,
}

/// What a moment shows.
pub(super) struct Shown {
    pub(super) round: u32,
    pub(super) asked: ToMove,
    pub(super) sent: BySeat<Option<Value>>,
    pub(super) outcome: Option<Outcome>,
}

impl Moments {
    /// Keeps the moment before the first step.
    pub(super) fn begin(&mut self, shown: Shown, events: Vec<Value>) {
        self.first = Some(self.write(shown, events));
    }

    /// Tells of the moment after a step.
    pub(super) fn tell(&mut self, shown: Shown, events: Vec<Value>, sink: &mut dyn AnySink) {
        if !sink.wants_shown() {
            return;
        }
        if let Some(first) = self.first.take() {
            sink.on_shown(first);
        }
        sink.on_shown(self.write(shown, events));
    }

    fn write(&mut self, shown: Shown, events: Vec<Value>) -> Value {
        let mut moment = json!({"round": shown.round});
        let asks = match shown.asked {
            ToMove::Nobody => None,
            ToMove::One(seat) => Some(NAMES[seat]),
            ToMove::Both => Some("both"),
        };
        if let Some(asks) = asks {
            moment["asks"] = asks.into();
        }
        let sent: Map<String, Value> = Seat::BOTH
            .into_iter()
            .filter_map(|seat| Some((NAMES[seat].to_owned(), shown.sent[seat].clone()?)))
            .collect();
        let sent = (!sent.is_empty()).then_some(Value::Object(sent));
        let events = (!events.is_empty()).then_some(Value::Array(events));
        for (name, value) in [("sent", sent), ("events", events)] {
            let Some(value) = value else { continue };
            self.bytes = self.bytes.saturating_add(value.to_string().len());
            match self.bytes <= MOST_BYTES {
                true => moment[name] = value,
                // Whoever looks at it learns that there was more.
                false => moment["cut"] = true.into(),
            }
        }
        if let Some(outcome) = &shown.outcome {
            moment["outcome"] = json!(OutcomeRecord::from(outcome));
        }
        moment
    }
}

/// Keeps the events before the first step, which nobody else is told.
#[derive(Default)]
pub(super) struct KeptEvents(pub(super) Vec<Value>);

impl AnySink for KeptEvents {
    fn wants_events(&self) -> bool {
        true
    }

    fn on_event(&mut self, event: Value) {
        self.0.push(event);
    }
}

/// Passes on the events of a step, and keeps them.
pub(super) struct EventTap<'a> {
    sink: &'a mut dyn AnySink,
    pub(super) events: Vec<Value>,
}

impl<'a> EventTap<'a> {
    pub(super) fn new(sink: &'a mut dyn AnySink) -> EventTap<'a> {
        let events = Vec::new();
        EventTap { sink, events }
    }
}

impl AnySink for EventTap<'_> {
    fn wants_events(&self) -> bool {
        self.sink.wants_events() || self.sink.wants_shown()
    }

    fn on_event(&mut self, event: Value) {
        if self.sink.wants_events() {
            self.sink.on_event(event.clone());
        }
        self.events.push(event);
    }
}

/// The round of a moment.
pub(super) fn round(moment: &Value) -> u32 {
    let round = moment["round"].as_u64();
    round
        .and_then(|round| u32::try_from(round).ok())
        .unwrap_or(0)
}

/// Who is asked then.
pub(super) fn asked(moment: &Value) -> ToMove {
    match moment["asks"].as_str() {
        Some("first") => ToMove::One(Seat::First),
        Some("second") => ToMove::One(Seat::Second),
        Some("both") => ToMove::Both,
        _ => ToMove::Nobody,
    }
}

/// How the leg had ended.
pub(super) fn outcome(moment: &Value) -> Option<Outcome> {
    let record: OutcomeRecord = serde_json::from_value(moment.get("outcome")?.clone()).ok()?;
    let known: [Reason; 3] = [POINTS, LEVEL, FAULT];
    Some(Outcome {
        winner: record.winner,
        scores: record.scores,
        reason: known
            .into_iter()
            .find(|reason| reason.id == record.reason)?,
        faults: record.faults,
        scope: record.scope,
    })
}

/// What a player was sent before it.
pub(super) fn sent(moment: &Value, seat: Seat) -> Value {
    moment["sent"].get(NAMES[seat]).cloned().unwrap_or_default()
}

/// What a perspective sees of a round: what the players it knows of were sent.
pub(super) fn view(round: u32, perspective: Perspective, sent: impl Fn(Seat) -> Value) -> Value {
    let sent = match perspective {
        Perspective::Seat(seat) => sent(seat),
        _ => json!({"first": sent(Seat::First), "second": sent(Seat::Second)}),
    };
    json!({"round": round, "sent": sent})
}
