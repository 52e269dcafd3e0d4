//! Questions to people: what they may choose, until when, and what they answered.

use std::time::Duration;

use leitai_game::lang::say;
use leitai_game::leg_frames::list_choices;
use leitai_game::{AnyLeg, Entrant, Seat, ToMove};
use leitai_judge::{HumanAnswer, is_choice_final};
use serde_json::json;

use super::{HumanMatchState, to_millis};
use crate::live::frame_buffer::{FrameBuffer, LegFramesHeader};
use crate::messages;
use crate::play::participant::{PendingQuestion, Presence};

/// The longest action in characters.
const LONGEST_ACTION: usize = 400;

impl HumanMatchState {
    pub(super) fn open_questions(&self) -> usize {
        self.connected_people()
            .filter(|(_, participant)| participant.question.is_some())
            .count()
    }

    pub(super) fn choose_action(
        &mut self,
        entrant: Entrant,
        step: usize,
        action: String,
        now: Duration,
    ) {
        let Some(participant) = &mut self.participants[entrant] else {
            return;
        };
        let Some(seat) = participant
            .question
            .as_ref()
            .filter(|asked| asked.step == step)
            .map(|asked| asked.seat)
        else {
            return;
        };
        let Some(leg) = participant.frame_buffer().map(FrameBuffer::current_leg) else {
            return;
        };
        let checked = match action.chars().nth(LONGEST_ACTION) {
            Some(_) => Err(say!("an action has at most {LONGEST_ACTION} characters")),
            None => leg.check_action(seat, &action).map_err(|why| why.0),
        };
        match (checked, &mut participant.question) {
            (Ok(()), Some(question)) => question.chosen = Some(action),
            (Ok(()), None) => {}
            (Err(why), _) => {
                let refused = json!({"type": "refused", "leg": self.index + 1, "step": step, "why": messages::in_both(&*self.header.game, &why)});
                participant.send_text(refused.to_string().into(), now);
            }
        }
    }

    /// Whether the next step needs the action of a person who has not left.
    pub fn waits_for_people(&self, to_move: ToMove) -> bool {
        self.connected_people().any(|(entrant, participant)| {
            to_move.asks_seat(entrant.seat_in_leg(self.index))
                && participant.current_presence() != Presence::Left
        })
    }

    /// Asks a person.
    pub fn ask_person(&mut self, leg: &dyn AnyLeg, seat: Seat, now: Duration) {
        let entrant = seat.entrant_in_leg(self.index);
        if self.program_of(entrant).is_some() {
            return self.ask_program(leg, seat, now);
        }
        let (budget, step) = (self.pace.period_budget(leg, self.steps), self.steps);
        let text = question_json(&self.header, leg, self.index, step, seat, budget);
        let Some(participant) = &mut self.participants[entrant] else {
            return;
        };
        let question = PendingQuestion {
            seat,
            step,
            budget,
            text,
            chosen: None,
        };
        participant.start_clock(leg.period(), question, now);
        self.send_question(entrant, now);
    }

    pub(super) fn send_question(&mut self, entrant: Entrant, now: Duration) {
        let Some(participant) = &mut self.participants[entrant] else {
            return;
        };
        let left = to_millis(participant.time_left(now));
        let text = participant
            .question
            .as_ref()
            .map(|question| format!("{},\"left_ms\":{left}}}", question.text));
        if let Some(text) = text {
            participant.send_text(text.into(), now);
        }
    }

    /// Takes an answer, if there is one.
    pub fn take_answer(&mut self, now: Duration) -> Option<(Seat, HumanAnswer)> {
        self.update_clocks(now);
        Entrant::BOTH
            .into_iter()
            .find_map(|entrant| self.answer_of(entrant, now))
    }

    fn answer_of(&mut self, entrant: Entrant, now: Duration) -> Option<(Seat, HumanAnswer)> {
        if self.program_of(entrant).is_some() {
            return self.answer_of_program(entrant, now);
        }
        // A program at home is asked until its answer is played, which waits for this one.
        let other_thinks =
            self.program_of(entrant.other()).is_none() && self.is_thinking(entrant.other(), now);
        // Who is silent at first may not be alone in that: see `is_unplayed`.
        let is_first = (self.index, self.steps) == (0, 0);
        let participant = self.participants[entrant].as_mut()?;
        let (left, has_left) = (
            participant.time_left(now),
            participant.current_presence() == Presence::Left,
        );
        let question = participant.question.as_mut()?;
        let (seat, budget) = (question.seat, question.budget);
        let answer = if has_left {
            HumanAnswer::Leave
        } else if question.chosen.is_some() && is_choice_final(left, other_thinks) {
            HumanAnswer::Action(question.chosen.take()?)
        } else if left.is_zero() && !(is_first && other_thinks) {
            HumanAnswer::TimeUp { allowed: budget }
        } else {
            return None;
        };
        participant.close_question(now);
        Some((seat, answer))
    }

    /// The seat of a person who is asked although the other person has left, and no question to that
    /// one is open: the match can only end once the seat has acted.
    pub fn seat_without_opponent(&self) -> Option<Seat> {
        Entrant::BOTH.into_iter().find_map(|entrant| {
            let other = self.participants[entrant.other()].as_ref()?;
            let alone = other.current_presence() == Presence::Left && other.question.is_none();
            let question = self.participants[entrant].as_ref()?.question.as_ref()?;
            alone.then_some(question.seat)
        })
    }

    /// Closes the open question to this seat, which is answered for the person.
    pub fn close_question(&mut self, seat: Seat, now: Duration) {
        let entrant = seat.entrant_in_leg(self.index);
        if let Some(participant) = &mut self.participants[entrant] {
            participant.close_question(now);
        }
    }

    /// Whether this person has an open question and may still choose.
    fn is_thinking(&self, entrant: Entrant, now: Duration) -> bool {
        let Some(participant) = &self.participants[entrant] else {
            return false;
        };
        let open = participant
            .question
            .as_ref()
            .is_some_and(|question| question.chosen.is_none());
        open && participant.current_presence() != Presence::Left
            && !participant.time_left(now).is_zero()
    }
}

/// The question as a JSON message, without the remaining time and the closing brace.
fn question_json(
    header: &LegFramesHeader,
    leg: &dyn AnyLeg,
    index: usize,
    step: usize,
    seat: Seat,
    budget: Duration,
) -> String {
    let choices = list_choices(
        &*header.game,
        leg,
        seat,
        &messages::catalogue([&*header.game]),
    );
    let mut text = json!({
        "type": "question",
        "leg": index + 1,
        "step": step,
        "seat": seat,
        "budget_ms": to_millis(budget),
        "choices": choices,
        "options": leg.list_options(seat),
    })
    .to_string();
    text.pop();
    text
}
