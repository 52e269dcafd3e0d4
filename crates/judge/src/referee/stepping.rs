//! Plays and records a step when every asked seat has answered.

use leitai_game::erased::TextReplies;
use leitai_game::replay::NoiseRecord;
use leitai_game::{BySeat, Reply, Seat};

use crate::clock::{Spent, to_micros};
use crate::forced_replies::LegPoint;
use crate::referee::input::SeatPlayer;
use crate::referee::seat_state::{PendingReply, SeatState};
use crate::referee::{LEAST_NOISE, Referee};

impl Referee {
    pub(super) fn step_while_answered(&mut self) {
        let waits = |state: &SeatState| state.asked && state.answer.is_none();
        let ready = |referee: &Referee| {
            let waiting = referee.players.iter_pairs().any(|(_, state)| waits(state));
            let judged = referee.disturbed.is_none() && referee.find_game_fault().is_none();
            !waiting && !referee.over && judged
        };
        while ready(self) {
            let answers = BySeat::from_fn(|seat: Seat| self.players[seat].take_answer());
            self.play_step(
                &answers
                    .each_ref()
                    .map_values(|answer| answer.as_ref().map(PendingReply::as_reply)),
            );
            self.go_on();
        }
    }

    fn play_step(&mut self, said: &TextReplies<'_>) {
        let forced = self.forced_step(said);
        let forced = forced.as_ref().map(|actions| {
            actions
                .each_ref()
                .map_values(|action| action.as_deref().map(Reply::Action))
        });
        let replies = forced.unwrap_or(*said);
        self.record_step(&replies);
        self.leg.step(replies, &mut self.recorder);
        self.queue_message(|protocol, leg, seat| protocol.write_step(leg, seat, &replies));
    }

    /// The forced replies of this step, whatever the answers are. Only answers of programs are
    /// compared with them.
    fn forced_step(&mut self, said: &TextReplies<'_>) -> Option<BySeat<Option<String>>> {
        let program = |seat: Seat| matches!(self.players[seat].player, SeatPlayer::Program(_));
        let said = BySeat::from_fn(|seat| said[seat].filter(|_| program(seat)));
        let (index, round, step) = (self.index, self.leg.round(), self.recorder.step_count());
        self.forced_replies.next(&said, |seat| LegPoint {
            entrant: seat.entrant_in_leg(index),
            round,
            step,
        })
    }

    fn record_step(&mut self, replies: &TextReplies<'_>) {
        self.recorder.record_replies(replies);
        // Between built-in bots and people neither CPU time nor noise is of interest.
        let programs = self
            .players
            .iter_pairs()
            .any(|(_, state)| matches!(state.player, SeatPlayer::Program(_)));
        if self.limits.iter_pairs().any(|(_, own)| own.bank.is_some()) {
            let asked = replies.iter_pairs().filter(|(_, reply)| reply.is_some());
            let left = asked.map(|(seat, _)| self.bank_left(seat).map(to_micros));
            let left: Vec<_> = left.collect();
            self.recorder.leg.bank_us.extend(left);
        }
        let leg = &mut self.recorder.leg;
        for (seat, _) in replies.iter_pairs().filter(|(_, reply)| reply.is_some()) {
            let Spent { wall, cpu, noise } = self.players[seat].step;
            if programs && noise.largest_kind() >= LEAST_NOISE {
                leg.noise.push(NoiseRecord {
                    reply: leg.times_us.len(),
                    noise: noise.into(),
                });
            }
            leg.times_us.push(to_micros(wall));
            if programs {
                leg.cpu_us.push(cpu.map(to_micros));
            }
        }
    }
}
