//! A leg that a logic process leads.
//!
//! A position is what the process was told so far. A copy of a leg has no process: one is started,
//! and told the same, when the copy makes a step. If it then says something else, its legs cannot be
//! repeated, and the step fails.

use std::any::Any;
use std::fmt;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use leitai_game::erased::{AnyLeg, AnySink, TextReplies};
use leitai_game::game::{Outcome, Scope, ToMove};
use leitai_game::hash::Fnv;
use leitai_game::lang::say;
use leitai_game::render::{RenderOptions, Rendering};
use leitai_game::{BySeat, Fault, GameFault, Illegal, Perspective, Reply, Rng, Seat};
use serde_json::{Value, json};

use super::moment::{self, EventTap, FAULT, KeptEvents, LEVEL, Moments, POINTS, Shown};
use super::notation;
use super::process::{Logic, LogicProcess, Next};
use super::wire::{self, Heard};
use crate::leg::TextCheckpoint;
use crate::picture;

/// What a process says before its first bounds.
const SECONDS: f64 = 3.0;
const BYTES: usize = 2048;

/// What is known after the messages so far.
#[derive(Clone)]
struct Situation {
    listen: BySeat<bool>,
    /// `state` of the last message about a round.
    state: u32,
    /// Grows when the clock starts again.
    period: u32,
    seconds: f64,
    bytes: usize,
    /// What each player was sent since the last step.
    sent: BySeat<Vec<u8>>,
    /// The faults that were told.
    faults: BySeat<Option<Fault>>,
    outcome: Option<Outcome>,
    /// A hash of everything that was said.
    said: u64,
}

/// A leg; see the module.
pub(super) struct LogicLeg {
    logic: Arc<Logic>,
    setup: Arc<Value>,
    /// The messages of each step.
    told: Arc<Vec<Vec<Vec<u8>>>>,
    process: Option<LogicProcess>,
    now: Situation,
    moments: Moments,
    fault: OnceLock<GameFault>,
}

impl LogicLeg {
    pub(super) fn start(logic: &Arc<Logic>, setup: &Value) -> LogicLeg {
        let mut leg = LogicLeg {
            logic: logic.clone(),
            setup: Arc::new(setup.clone()),
            told: Arc::default(),
            process: None,
            now: Situation {
                listen: BySeat::from_fn(|_| false),
                state: 0,
                period: 1,
                seconds: SECONDS,
                bytes: BYTES,
                sent: BySeat::default(),
                faults: BySeat::default(),
                outcome: None,
                said: Fnv::default().0,
            },
            moments: Moments::default(),
            fault: OnceLock::new(),
        };
        let mut first = KeptEvents::default();
        let begun = leg.begin(&mut first);
        leg.keep_fault(begun, &[]);
        leg.moments.begin(leg.shown(), first.0);
        leg
    }

    /// Starts a process and hears what it says first.
    fn begin(&mut self, sink: &mut dyn AnySink) -> Result<(), String> {
        let built = self.logic.ready()?;
        let mut process = LogicProcess::start(&self.logic.sandbox, &built.program)?;
        process.send(&wire::first_message(&self.setup, &built.replay))?;
        self.process = Some(process);
        self.hear(sink)
    }

    fn shown(&self) -> Shown {
        let sent = |seat: Seat| match &self.now.sent[seat] {
            sent if sent.is_empty() => None,
            sent => Some(notation::show(sent).into()),
        };
        Shown {
            round: self.now.state,
            asked: self.to_move(),
            sent: BySeat::from_fn(sent),
            outcome: self.outcome(),
        }
    }

    /// What was sent to a player since the last step.
    pub(super) fn sent_to(&self, seat: Seat) -> &[u8] {
        &self.now.sent[seat]
    }

    fn keep_fault(&self, result: Result<(), String>, request: &[u8]) {
        if let Err(what) = result {
            // The first one is told.
            let _ = self.fault.set(GameFault {
                game: self.logic.id.clone(),
                // As game.toml names it.
                function: "logic".into(),
                what,
                request: request.to_vec(),
            });
        }
    }

    /// Tells a process of a copy what the one of the original was told.
    fn revive(&mut self) -> Result<(), String> {
        let mut other = LogicLeg::start(&self.logic, &self.setup);
        for messages in &*self.told {
            other.tell(messages, &mut ())?;
        }
        if let Some(fault) = other.fault.get() {
            return Err(fault.what.clone());
        }
        if other.now.said != self.now.said {
            return Err(
                "said something else when it was told the same: its legs cannot be repeated".into(),
            );
        }
        self.process = other.process.take();
        Ok(())
    }

    fn tell(&mut self, messages: &[Vec<u8>], sink: &mut dyn AnySink) -> Result<(), String> {
        self.now.sent = BySeat::default();
        for message in messages {
            let Some(process) = &mut self.process else {
                break;
            };
            process.send(message)?;
        }
        self.hear(sink)
    }

    /// Hears the process until it waits or the leg is over.
    fn hear(&mut self, sink: &mut dyn AnySink) -> Result<(), String> {
        while let Some(process) = &mut self.process {
            let heard = match process.next()? {
                Next::Heard(Heard::AsksEnds) => {
                    process.send(&wire::ends_message(self.now.faults))?;
                    continue;
                }
                Next::Heard(heard) => heard,
                Next::Waits if Seat::BOTH.iter().any(|seat| self.now.listen[*seat]) => {
                    return Ok(());
                }
                Next::Waits => {
                    return Err("waits for a message although it listens to nobody".into());
                }
            };
            self.now.note(heard, sink);
            if self.now.outcome.is_some() {
                self.process = None;
            }
        }
        Ok(())
    }

    /// The messages about the replies of the seats that are listened to.
    fn messages_of(&mut self, replies: &TextReplies<'_>) -> Vec<Vec<u8>> {
        let mut messages = Vec::new();
        for seat in Seat::BOTH.into_iter().filter(|seat| self.now.listen[*seat]) {
            messages.push(match read_reply(&replies[seat], notation::read) {
                Ok(content) => wire::answer_message(seat, &content),
                Err(fault) => {
                    self.now.faults[seat] = Some(fault);
                    wire::fault_message(seat, self.now.state, fault)
                }
            });
        }
        messages
    }

    fn try_step(&mut self, messages: &[Vec<u8>], sink: &mut dyn AnySink) -> Result<(), String> {
        self.logic.ready()?;
        if self.process.is_none() {
            self.revive()?;
        }
        self.tell(messages, sink)
    }
}

impl Situation {
    fn note(&mut self, heard: Heard, sink: &mut dyn AnySink) {
        let mut fnv = Fnv(self.said);
        fmt::Write::write_fmt(&mut fnv, format_args!("{heard:?}")).expect("hashing never fails");
        self.said = fnv.0;
        match heard {
            Heard::Forward(seat, bytes) => self.sent[seat].extend(bytes),
            Heard::Bounds { seconds, bytes } => (self.seconds, self.bytes) = (seconds, bytes),
            Heard::Round {
                state,
                listen,
                sent,
            } => {
                if state > self.state {
                    self.period += 1;
                }
                (self.state, self.listen) = (state, listen);
                for (seat, bytes) in sent {
                    self.sent[seat].extend(bytes);
                }
            }
            Heard::Watch(text) if sink.wants_events() => sink.on_event(json!({"watch": text})),
            Heard::Watch(_) | Heard::AsksEnds => {}
            Heard::Over { points, ends } => self.end(points, ends),
        }
    }

    fn end(&mut self, points: BySeat<f64>, ends: BySeat<Option<String>>) {
        let told = |end: &str| Fault::ALL.into_iter().find(|fault| fault.code() == end);
        let faults = BySeat::from_fn(|seat: Seat| {
            let own = self.faults[seat];
            own.or_else(|| told(ends[seat].as_deref()?))
        });
        self.listen = BySeat::from_fn(|_| false);
        self.outcome = Some(decide(points, faults));
    }
}

/// What a player said, or the fault that it committed.
pub(super) fn read_reply<T>(
    reply: &Option<Reply<&str>>,
    read: impl FnOnce(&str) -> Option<T>,
) -> Result<T, Fault> {
    match reply {
        Some(Reply::Action(action)) => read(action).ok_or(Fault::Malformed),
        Some(Reply::Fault(fault)) => Err(*fault),
        None => Err(Fault::Timeout),
    }
}

/// The end of a leg by the points of the program; who committed a fault is told.
pub(super) fn decide(points: BySeat<f64>, faults: BySeat<Option<Fault>>) -> Outcome {
    let winner = match points[Seat::First].partial_cmp(&points[Seat::Second]) {
        Some(std::cmp::Ordering::Greater) => Some(Seat::First),
        Some(std::cmp::Ordering::Less) => Some(Seat::Second),
        _ => None,
    };
    let reason = match winner {
        None => LEVEL,
        Some(winner) if faults[winner.other()].is_some() => FAULT,
        Some(_) => POINTS,
    };
    Outcome {
        winner,
        scores: points.map_values(|points| points.round() as i32),
        reason,
        faults,
        scope: Scope::Leg,
    }
}

impl AnyLeg for LogicLeg {
    fn to_move(&self) -> ToMove {
        if self.fault.get().is_some() {
            return ToMove::Nobody;
        }
        match (self.now.listen[Seat::First], self.now.listen[Seat::Second]) {
            (true, true) => ToMove::Both,
            (true, false) => ToMove::One(Seat::First),
            (false, true) => ToMove::One(Seat::Second),
            (false, false) => ToMove::Nobody,
        }
    }

    fn period(&self) -> u32 {
        self.now.period
    }

    fn period_limit(&self) -> Option<Duration> {
        Some(Duration::from_secs_f64(self.now.seconds))
    }

    fn round(&self) -> u32 {
        self.now.state.max(1)
    }

    fn outcome(&self) -> Option<Outcome> {
        self.now.outcome.filter(|_| self.fault.get().is_none())
    }

    fn scores(&self) -> BySeat<i32> {
        self.now
            .outcome
            .map(|outcome| outcome.scores)
            .unwrap_or_default()
    }

    /// The process alone knows them.
    fn legal_actions(&self, _seat: Seat) -> Vec<String> {
        Vec::new()
    }

    fn sample_action(&self, _seat: Seat, _rng: &mut Rng) -> Option<String> {
        None
    }

    fn check_action(&self, _seat: Seat, action: &str) -> Result<(), Illegal> {
        let content = notation::read(action).ok_or_else(|| Illegal(say!("is no message")))?;
        let (length, most) = (content.len(), self.now.bytes);
        if length > most {
            return Err(Illegal(say!(
                "has {length} bytes; the game takes at most {most}"
            )));
        }
        Ok(())
    }

    fn knows_action(&self, action: &str) -> bool {
        notation::read(action).is_some()
    }

    fn step(&mut self, replies: TextReplies<'_>, sink: &mut dyn AnySink) {
        if self.fault.get().is_some() || self.now.outcome.is_some() {
            return;
        }
        let messages = self.messages_of(&replies);
        let mut tap = EventTap::new(sink);
        let stepped = self.try_step(&messages, &mut tap);
        let events = tap.events;
        self.keep_fault(stepped, &messages.concat());
        Arc::make_mut(&mut self.told).push(messages);
        let shown = self.shown();
        self.moments.tell(shown, events, sink);
        sink.on_checkpoint(&TextCheckpoint(&self.state_text()));
    }

    fn view(&self, perspective: Perspective) -> Value {
        let sent = |seat: Seat| notation::show(&self.now.sent[seat]).into();
        moment::view(self.now.state, perspective, sent)
    }

    fn state_text(&self) -> String {
        let Situation { state, said, .. } = &self.now;
        format!("round {state}, said {said:016x}")
    }

    fn render_position(&self, look: &RenderOptions) -> Rendering {
        picture::draw(&self.view(look.perspective))
    }

    fn clone_leg(&self) -> Box<dyn AnyLeg> {
        Box::new(LogicLeg {
            logic: self.logic.clone(),
            setup: self.setup.clone(),
            told: self.told.clone(),
            process: None,
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
