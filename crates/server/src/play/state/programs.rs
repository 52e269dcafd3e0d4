//! The seats of programs at home: bytes in and out, questions and answers.

use std::time::Duration;

use leitai_game::{AnyLeg, ByEntrant, Entrant, Seat};
use leitai_judge::{HumanAnswer, RefereeLimits};

use super::HumanMatchState;
use crate::play::home_program::{HomeProgram, OutputTaken};
use crate::play::participant::{Participant, PendingQuestion, Presence};

impl HumanMatchState {
    pub(super) fn program_of(&mut self, entrant: Entrant) -> Option<&mut HomeProgram> {
        self.participants[entrant].as_mut()?.program.as_mut()
    }

    /// Takes output of a program at home. Its clock rests until the judge has read it.
    pub(super) fn take_output(&mut self, entrant: Entrant, at: usize, data: &str, now: Duration) {
        let taken = match self.program_of(entrant) {
            Some(program) => program.take_output(at, data),
            None => return,
        };
        if let Some(participant) = &mut self.participants[entrant] {
            match taken {
                OutputTaken::New => participant.stop_clock(now),
                OutputTaken::Known => {}
                OutputTaken::TooMuch => participant.cut_connection(now),
            }
        }
    }

    /// Sends bytes of the judge to the program at home on this seat.
    pub fn send_bytes(&mut self, seat: Seat, bytes: &[u8], now: Duration) {
        let (index, entrant) = (self.index, seat.entrant_in_leg(self.index));
        let Some(participant) = &mut self.participants[entrant] else {
            return;
        };
        if let Some(program) = &mut participant.program {
            let text = program.input_message(index, bytes);
            participant.send_text(text, now);
        }
    }

    /// What the program at home on this seat has sent.
    pub fn take_unasked(&mut self, seat: Seat) -> Option<Vec<u8>> {
        self.program_of(seat.entrant_in_leg(self.index))?
            .take_waiting()
    }

    /// Asks the program at home; the question itself was sent by the judge before.
    pub(super) fn ask_program(&mut self, leg: &dyn AnyLeg, seat: Seat, now: Duration) {
        let entrant = seat.entrant_in_leg(self.index);
        let (index, step) = (self.index, self.steps);
        let budget = self.pace.program_budget(leg);
        let Some(participant) = &mut self.participants[entrant] else {
            return;
        };
        let start = match participant.is_fresh() {
            true => RefereeLimits::START,
            false => Duration::ZERO,
        };
        let question = PendingQuestion {
            seat,
            step,
            budget: budget + start,
            text: format!("{{\"type\":\"asked\",\"leg\":{},\"step\":{step}", index + 1),
            chosen: None,
        };
        participant.start_clock(leg.period(), question, now);
        let ping = participant
            .program
            .as_mut()
            .and_then(|program| program.ping_when_due(now));
        if let Some(ping) = ping {
            participant.send_text(ping, now);
        }
        self.send_question(entrant, now);
    }

    /// The answer of a program at home that has been asked.
    pub(super) fn answer_of_program(
        &mut self,
        entrant: Entrant,
        now: Duration,
    ) -> Option<(Seat, HumanAnswer)> {
        let participant = self.participants[entrant].as_mut()?;
        let question = participant.question.as_ref()?;
        let (seat, budget) = (question.seat, question.budget);
        let program = participant.program.as_mut()?;
        if let Some(bytes) = program.take_waiting() {
            // It may be a part of an answer: then the clock goes on.
            participant.restart_clock(now);
            return Some((seat, HumanAnswer::Bytes(bytes)));
        }
        let answer = if let Some(what) = program.end() {
            HumanAnswer::Ended(what)
        } else if participant.current_presence() == Presence::Left {
            HumanAnswer::Leave
        } else if participant.time_left(now).is_zero() {
            HumanAnswer::TimeUp { allowed: budget }
        } else {
            return None;
        };
        participant.close_question(now);
        Some((seat, answer))
    }

    /// The median times to the programs at home and back, in microseconds.
    pub fn median_latencies(&self) -> ByEntrant<Option<i64>> {
        let median = |own: &Option<Participant>| {
            let program = own.as_ref()?.program.as_ref()?;
            program.median_latency()
        };
        self.participants.each_ref().map_values(median)
    }

    /// What the connections to programs at home were like, as a line for each.
    pub fn describe_connections(&self) -> Vec<(Entrant, String)> {
        self.connected_people()
            .filter_map(|(entrant, participant)| {
                let program = participant.program.as_ref()?;
                let (count, away) = participant.absences();
                Some((entrant, program.describe_connection(count, away)))
            })
            .collect()
    }
}
