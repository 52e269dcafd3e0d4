//! A leg of a game whose judge program is not run here: it goes by what a machine that plays recorded of
//! the program ([`LegRecord::shown`](leitai_game::replay::LegRecord)). A server shows matches by it, and
//! computes results; it starts nothing.

use std::any::Any;
use std::time::Duration;

use leitai_game::erased::{AnyLeg, AnySink, TextReplies};
use leitai_game::game::{Outcome, ToMove};
use leitai_game::lang::say;
use leitai_game::render::{RenderOptions, Rendering};
use leitai_game::{BySeat, GameFault, Illegal, Perspective, Rng, Seat};
use serde_json::Value;

use super::moment;
use super::notation;
use crate::picture;

/// A leg; see the module.
#[derive(Clone)]
pub(super) struct RecordedLeg {
    /// The id of the game.
    id: String,
    /// What is known of the leg.
    moments: Vec<Value>,
    /// Steps that were made.
    step: usize,
    /// Whether a step was made of which nothing is known.
    is_lost: bool,
}

impl RecordedLeg {
    /// A leg of which nothing is known yet.
    pub(super) fn new(id: &str) -> RecordedLeg {
        RecordedLeg {
            id: id.to_owned(),
            moments: Vec::new(),
            step: 0,
            is_lost: false,
        }
    }

    fn now(&self) -> &Value {
        self.moments.get(self.step).unwrap_or(&Value::Null)
    }
}

impl AnyLeg for RecordedLeg {
    fn to_move(&self) -> ToMove {
        moment::asked(self.now())
    }

    fn period(&self) -> u32 {
        self.round()
    }

    fn period_limit(&self) -> Option<Duration> {
        None
    }

    fn round(&self) -> u32 {
        moment::round(self.now()).max(1)
    }

    fn outcome(&self) -> Option<Outcome> {
        moment::outcome(self.now())
    }

    fn scores(&self) -> BySeat<i32> {
        let outcome = self.outcome();
        outcome.map(|outcome| outcome.scores).unwrap_or_default()
    }

    fn legal_actions(&self, _seat: Seat) -> Vec<String> {
        Vec::new()
    }

    fn sample_action(&self, _seat: Seat, _rng: &mut Rng) -> Option<String> {
        None
    }

    fn check_action(&self, _seat: Seat, action: &str) -> Result<(), Illegal> {
        let known = notation::read(action);
        known
            .map(|_| ())
            .ok_or_else(|| Illegal(say!("is no message")))
    }

    fn knows_action(&self, action: &str) -> bool {
        notation::read(action).is_some()
    }

    fn step(&mut self, _replies: TextReplies<'_>, sink: &mut dyn AnySink) {
        self.step += 1;
        self.is_lost |= self.step >= self.moments.len();
        if sink.wants_events() {
            // What was said before the first step is told with it.
            let from = if self.step == 1 { 0 } else { self.step };
            let told = self.moments.iter().take(self.step + 1).skip(from);
            let events = told.filter_map(|moment| moment["events"].as_array());
            events
                .flatten()
                .for_each(|event| sink.on_event(event.clone()));
        }
        if sink.wants_shown() {
            if self.step == 1 {
                let first = self.moments.first().cloned();
                sink.on_shown(first.unwrap_or_default());
            }
            sink.on_shown(self.now().clone());
        }
    }

    fn recall(&mut self, moments: &[Value]) {
        self.moments.extend_from_slice(moments);
    }

    fn view(&self, perspective: Perspective) -> Value {
        let sent = |seat: Seat| moment::sent(self.now(), seat);
        moment::view(moment::round(self.now()), perspective, sent)
    }

    /// Nothing is proven by it.
    fn state_text(&self) -> String {
        String::new()
    }

    fn render_position(&self, look: &RenderOptions) -> Rendering {
        picture::draw(&self.view(look.perspective))
    }

    fn clone_leg(&self) -> Box<dyn AnyLeg> {
        Box::new(self.clone())
    }

    fn fault(&self) -> Option<GameFault> {
        let is_unknown = self.is_lost || self.moments.is_empty();
        is_unknown.then(|| GameFault {
            game: self.id.clone(),
            function: "logic".into(),
            what: "is not run here, and this replay does not tell what it showed".into(),
            request: Vec::new(),
        })
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}
