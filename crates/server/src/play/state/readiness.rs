//! Before a leg begins: who still reads how the game is played, and the countdown.

use std::time::Duration;

use leitai_game::Entrant;
use leitai_game::leg_frames::list_choices;
use serde_json::{Value, json};

use super::{HumanMatchState, READING, to_millis};
use crate::live::frame_buffer::FrameBuffer;
use crate::messages;
use crate::play::participant::{Participant, PendingQuestion, Presence};

impl HumanMatchState {
    /// A person who connects reads how the game is played, and will say that it is ready. Only
    /// before the first move of two people.
    pub fn note_reading(&mut self, entrant: Entrant) {
        let has_begun = (self.index, self.steps) != (0, 0)
            || self.countdown.is_some()
            || self.is_catching_up()
            || self.open_questions() > 0;
        if let Some(participant) = &mut self.participants[entrant] {
            participant.reads = self.pace.is_shared() && !has_begun;
        }
    }

    /// Lets people read before the first leg, if one of them wants to.
    pub fn begin_reading(&mut self, now: Duration) {
        let reads = self
            .connected_people()
            .any(|(_, participant)| participant.reads);
        if reads && self.index == 0 && self.steps == 0 && self.pace.is_shared() {
            self.reading = Some(now + READING);
            self.send_readiness(now);
        }
    }

    /// Whether somebody still reads; after [`READING`] nobody does.
    pub fn is_reading(&mut self, now: Duration) -> bool {
        let reads = self.connected_people().any(|(_, participant)| {
            participant.reads && participant.current_presence() != Presence::Left
        });
        if !reads || self.has_deserter() || self.reading.is_none_or(|until| now >= until) {
            self.reading = None;
        }
        self.reading.is_some()
    }

    pub(super) fn note_ready(&mut self, entrant: Entrant, now: Duration) {
        if let Some(participant) = &mut self.participants[entrant] {
            participant.reads = false;
        }
        self.send_readiness(now);
    }

    /// Tells both people who is ready, while somebody reads.
    pub(super) fn send_readiness(&mut self, now: Duration) {
        let Some(left) = self.reading.map(|until| until.saturating_sub(now)) else {
            return;
        };
        let ready = self
            .participants
            .each_ref()
            .map_values(|participant| participant.as_ref().is_some_and(|own| !own.reads));
        for entrant in Entrant::BOTH {
            let seat = entrant.seat_in_leg(self.index);
            let text = json!({
                "type": "ready", "leg": self.index + 1, "seat": seat,
                "a": ready[Entrant::A], "b": ready[Entrant::B],
                "ms": to_millis(left), "choices": self.first_choices(entrant),
            });
            if let Some(participant) = &mut self.participants[entrant] {
                participant.send_text(text.to_string().into(), now);
            }
        }
    }

    /// What this person can choose first, to be seen before the question; null if another one is
    /// asked first.
    fn first_choices(&self, entrant: Entrant) -> Value {
        let seat = entrant.seat_in_leg(self.index);
        let leg = self.participants[entrant]
            .as_ref()
            .and_then(Participant::frame_buffer)
            .map(FrameBuffer::current_leg)
            .filter(|leg| leg.to_move().asks_seat(seat));
        let catalogue = || messages::catalogue([&*self.header.game]);
        leg.map_or(Value::Null, |leg| {
            json!(list_choices(&*self.header.game, leg, seat, &catalogue()))
        })
    }

    /// Whether the first question of the match to both people stays without an answer: neither has
    /// moved, so that the match says nothing.
    pub fn is_unplayed(&self, now: Duration) -> bool {
        (self.index, self.steps) == (0, 0)
            && self.open_questions() == 2
            && self.connected_people().all(|(_, participant)| {
                let is_silent = |question: &PendingQuestion| question.chosen.is_none();
                participant.question.as_ref().is_some_and(is_silent)
                    && participant.current_presence() != Presence::Left
                    && participant.time_left(now).is_zero()
            })
    }

    /// Starts the countdown of a leg and returns its length; `None` if the leg begins at once.
    pub fn count_down(&mut self, now: Duration) -> Option<Duration> {
        let time = self
            .pace
            .countdown_before(self.index)
            .filter(|_| !self.has_deserter() && !self.is_of_programs())?;
        self.countdown = Some(now + time);
        Entrant::BOTH
            .into_iter()
            .for_each(|entrant| self.send_countdown(entrant, now));
        Some(time)
    }

    fn has_deserter(&self) -> bool {
        self.connected_people()
            .any(|(_, participant)| participant.current_presence() == Presence::Left)
    }

    pub(super) fn send_countdown(&mut self, entrant: Entrant, now: Duration) {
        let left = self
            .countdown
            .map(|until| until.saturating_sub(now))
            .filter(|left| !left.is_zero());
        let choices = self.first_choices(entrant);
        let (Some(left), Some(participant)) = (left, &mut self.participants[entrant]) else {
            return;
        };
        let seat = entrant.seat_in_leg(self.index);
        let text = json!({
            "type": "countdown", "leg": self.index + 1, "seat": seat, "ms": to_millis(left),
            "choices": choices,
        });
        participant.send_text(text.to_string().into(), now);
    }
}
