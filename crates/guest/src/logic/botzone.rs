//! A leg that a judge program of Botzone leads. For each round it is started, reads the log of
//! everything that was said so far as one JSON object, answers with another one, and ends. So a
//! position is the log alone, and a copy of a leg needs no process of its own.

use std::any::Any;
use std::fmt;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use leitai_game::erased::{AnyLeg, AnySink, TextReplies};
use leitai_game::game::{Outcome, ToMove};
use leitai_game::hash::Fnv;
use leitai_game::lang::say;
use leitai_game::render::{RenderOptions, Rendering};
use leitai_game::{BySeat, Fault, GameFault, Illegal, Perspective, Rng, Seat};
use serde_json::{Map, Value, json};

use super::leg::{decide, read_reply};
use super::moment::{self, EventTap, KeptEvents, Moments, Shown};
use super::notation;
use super::process::{Logic, LogicProcess};
use super::wire;
use crate::leg::TextCheckpoint;
use crate::picture;

/// A leg; see the module.
pub(super) struct BotzoneLeg {
    logic: Arc<Logic>,
    /// What the program gets as `initdata`.
    first: Value,
    /// What the program and the players said, in turns.
    log: Arc<Vec<Value>>,
    now: Situation,
    moments: Moments,
    fault: OnceLock<GameFault>,
}

/// What is known after the last answer of the program.
#[derive(Clone)]
struct Situation {
    /// The requests to the players who are asked.
    asked: BySeat<Option<Value>>,
    round: u32,
    faults: BySeat<Option<Fault>>,
    outcome: Option<Outcome>,
    /// A hash of everything that the program said.
    said: u64,
}

impl BotzoneLeg {
    /// Asks the program for the first requests.
    pub(super) fn start(logic: &Arc<Logic>, first: Value) -> BotzoneLeg {
        let mut leg = BotzoneLeg {
            logic: logic.clone(),
            first,
            log: Arc::default(),
            now: Situation {
                asked: BySeat::default(),
                round: 0,
                faults: BySeat::default(),
                outcome: None,
                said: Fnv::default().0,
            },
            moments: Moments::default(),
            fault: OnceLock::new(),
        };
        let mut first = KeptEvents::default();
        let begun = leg.ask(&mut first);
        leg.keep_fault(begun);
        leg.moments.begin(leg.shown(), first.0);
        leg
    }

    /// What a player is asked.
    pub(super) fn request(&self, seat: Seat) -> &Value {
        self.now.asked[seat].as_ref().unwrap_or(&Value::Null)
    }

    fn shown(&self) -> Shown {
        Shown {
            round: self.now.round,
            asked: self.to_move(),
            sent: self.now.asked.clone(),
            outcome: self.outcome(),
        }
    }

    fn keep_fault(&self, result: Result<(), String>) {
        if let Err(what) = result {
            // The first one is told.
            let _ = self.fault.set(GameFault {
                game: self.logic.id.clone(),
                function: "logic".into(),
                what,
                request: self.input().into_bytes(),
            });
        }
    }

    /// What the program reads.
    fn input(&self) -> String {
        json!({"log": *self.log, "initdata": self.first}).to_string()
    }

    /// Starts the program with the log, and notes what it answers.
    fn ask(&mut self, sink: &mut dyn AnySink) -> Result<(), String> {
        let input = self.input() + "\n";
        let built = self.logic.ready()?;
        let sandbox = &self.logic.sandbox;
        let written = LogicProcess::answer_once(sandbox, &built.program, input.as_bytes())?;
        // Its first line that is one; after it a program may ask to stay.
        let mut values = serde_json::Deserializer::from_slice(&written).into_iter();
        let answer = values.next().ok_or("wrote nothing")?;
        let not_json = |_| wire::wrong(written.trim_ascii(), "which is no JSON object");
        let mut answer: Map<String, Value> = answer.map_err(not_json)?;
        // What it says of the first round is what it draws, if it draws.
        if let Some(first) = answer.remove("initdata") {
            self.first = first;
        }
        let answer = Value::Object(answer);
        self.now.note(&answer)?;
        if let Some(display) = answer.get("display").filter(|_| sink.wants_events()) {
            sink.on_event(json!({"watch": display.to_string()}));
        }
        let said = entry("OK", [("output", answer)]);
        Arc::make_mut(&mut self.log).push(said);
        Ok(())
    }

    /// What the players who were asked said, as an entry of the log.
    fn note_replies(&mut self, replies: &TextReplies<'_>) -> Value {
        let mut said = Map::new();
        for seat in Seat::BOTH
            .into_iter()
            .filter(|seat| self.now.asked[*seat].is_some())
        {
            let entry = match read_reply(&replies[seat], read_response) {
                Ok(response) => entry("OK", [("response", response)]),
                Err(fault) => {
                    self.now.faults[seat] = Some(fault);
                    entry(verdict_of(fault), [])
                }
            };
            said.insert(seat.index().to_string(), entry);
        }
        Value::Object(said)
    }
}

/// An entry of the log. Time and memory are not told: the program would not do the same again.
fn entry<const N: usize>(verdict: &str, more: [(&str, Value); N]) -> Value {
    let mut entry = json!({"keep_running": false, "memory": 0, "time": 0, "verdict": verdict});
    for (key, value) in more {
        entry[key] = value;
    }
    entry
}

/// Botzone's word for a fault.
fn verdict_of(fault: Fault) -> &'static str {
    match fault {
        Fault::Timeout => "TLE",
        Fault::Memory => "MLE",
        Fault::Output | Fault::Illegal => "OLE",
        Fault::Malformed => "NJ",
        _ => "RE",
    }
}

/// The response that an action of a replay is.
fn read_response(action: &str) -> Option<Value> {
    serde_json::from_slice(&notation::read(action)?).ok()
}

impl Situation {
    /// Notes an answer of the program.
    fn note(&mut self, answer: &Value) -> Result<(), String> {
        let mut fnv = Fnv(self.said);
        fmt::Write::write_fmt(&mut fnv, format_args!("{answer}")).expect("hashing never fails");
        self.said = fnv.0;
        let of = |seat: Seat| answer["content"].get(seat.index().to_string());
        match answer["command"].as_str() {
            Some("request") => {
                self.asked = BySeat::from_fn(|seat| of(seat).cloned());
                self.round += 1;
                let is_anybody = Seat::BOTH.iter().any(|seat| self.asked[*seat].is_some());
                is_anybody.then_some(()).ok_or_else(|| {
                    "asks neither player; a request's content has the key \"0\" or \"1\"".into()
                })
            }
            Some("finish") => {
                let points = |seat: Seat| of(seat).and_then(Value::as_f64);
                let (Some(first), Some(second)) = (points(Seat::First), points(Seat::Second))
                else {
                    return Err(
                        "gives no points; the content of finish is {\"0\": …, \"1\": …}".into(),
                    );
                };
                self.asked = BySeat::default();
                self.outcome = Some(decide(BySeat::new(first, second), self.faults));
                Ok(())
            }
            _ => Err("wrote no command \"request\" or \"finish\"".into()),
        }
    }
}

impl AnyLeg for BotzoneLeg {
    fn to_move(&self) -> ToMove {
        let asked = |seat: Seat| self.now.asked[seat].is_some() && self.fault.get().is_none();
        match (asked(Seat::First), asked(Seat::Second)) {
            (true, true) => ToMove::Both,
            (true, false) => ToMove::One(Seat::First),
            (false, true) => ToMove::One(Seat::Second),
            (false, false) => ToMove::Nobody,
        }
    }

    fn period(&self) -> u32 {
        self.now.round
    }

    fn period_limit(&self) -> Option<Duration> {
        None
    }

    fn round(&self) -> u32 {
        self.now.round.max(1)
    }

    fn outcome(&self) -> Option<Outcome> {
        self.now.outcome.filter(|_| self.fault.get().is_none())
    }

    fn scores(&self) -> BySeat<i32> {
        let outcome = self.now.outcome;
        outcome.map(|outcome| outcome.scores).unwrap_or_default()
    }

    /// The program alone knows them.
    fn legal_actions(&self, _seat: Seat) -> Vec<String> {
        Vec::new()
    }

    fn sample_action(&self, _seat: Seat, _rng: &mut Rng) -> Option<String> {
        None
    }

    fn check_action(&self, _seat: Seat, action: &str) -> Result<(), Illegal> {
        let response = read_response(action);
        response
            .map(|_| ())
            .ok_or_else(|| Illegal(say!("is no message")))
    }

    fn knows_action(&self, action: &str) -> bool {
        read_response(action).is_some()
    }

    fn step(&mut self, replies: TextReplies<'_>, sink: &mut dyn AnySink) {
        if self.fault.get().is_some() || self.now.outcome.is_some() {
            return;
        }
        let said = self.note_replies(&replies);
        Arc::make_mut(&mut self.log).push(said);
        let mut tap = EventTap::new(sink);
        let asked = self.ask(&mut tap);
        let events = tap.events;
        self.keep_fault(asked);
        let shown = self.shown();
        self.moments.tell(shown, events, sink);
        sink.on_checkpoint(&TextCheckpoint(&self.state_text()));
    }

    fn view(&self, perspective: Perspective) -> Value {
        moment::view(self.now.round, perspective, |seat| {
            self.request(seat).clone()
        })
    }

    fn state_text(&self) -> String {
        let Situation { round, said, .. } = &self.now;
        format!("round {round}, said {said:016x}")
    }

    fn render_position(&self, look: &RenderOptions) -> Rendering {
        picture::draw(&self.view(look.perspective))
    }

    fn clone_leg(&self) -> Box<dyn AnyLeg> {
        Box::new(BotzoneLeg {
            logic: self.logic.clone(),
            first: self.first.clone(),
            log: self.log.clone(),
            now: self.now.clone(),
            moments: self.moments.clone(),
            fault: self.fault.clone(),
        })
    }

    fn fault(&self) -> Option<GameFault> {
        self.fault.get().cloned()
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}
