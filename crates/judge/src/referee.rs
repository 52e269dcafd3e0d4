//! The referee of one leg: a pure state machine. It receives the output of programs with its times,
//! and returns commands for the driver. Every judging rule can be tested without a process, a port
//! or a sleep.
//!
//! | module | content |
//! |---|---|
//! | [`limits`] | the limits of a program that the referee enforces |
//! | [`input`] | the input from a seat |
//! | `seat_state` | the state of a seat |
//! | [`time`] | time budgets and descriptions of time |
//! | `judging` | from input to a reply or a fault |
//! | `stepping` | plays and records a step |

pub mod input;
mod judging;
pub mod limits;
mod seat_state;
mod stepping;
pub mod time;

use std::collections::VecDeque;
use std::time::Duration;

use leitai_game::replay::{FaultRecord, LegRecord, Recorder, RerunRecord};
use leitai_game::{AnyLeg, AnyProtocol, AnySetup, BySeat, GameFault, Reply, Seat, ToMove};

use crate::clock::Spent;
use crate::forced_replies::{Divergence, ForcedReplies};
pub use crate::referee::input::{InputEnd, SeatInput, SeatPlayer};
pub use crate::referee::limits::RefereeLimits;
use crate::referee::seat_state::{PendingReply, SeatFault, SeatState};

/// The most messages that a program may be ahead of the questions, if its protocol allows that at
/// all.
pub const MAX_EARLY: usize = 8;
/// Replies with less noise are recorded without noise.
const LEAST_NOISE: Duration = Duration::from_millis(1);

/// A command to the driver.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RefereeCommand {
    /// Send these bytes to a program.
    Send(Seat, Vec<u8>),
    /// Listen to these seats for these times; then call [`Referee::handle_input`].
    Listen(BySeat<Option<Duration>>),
    /// The leg is over and everything has been sent.
    Done,
    /// The leg cannot be judged: the machine withheld too much time, or the rules failed. See
    /// [`Referee::find_disturbance`] and [`Referee::find_game_fault`].
    Abandon,
}

/// The referee of one leg.
pub struct Referee {
    leg: Box<dyn AnyLeg>,
    index: usize,
    players: BySeat<SeatState>,
    limits: BySeat<RefereeLimits>,
    period: u32,
    recorder: Recorder,
    commands: VecDeque<RefereeCommand>,
    faults: Vec<FaultRecord>,
    disturbed: Option<RerunRecord>,
    over: bool,
    forced_replies: ForcedReplies,
}

impl Referee {
    /// A leg before its first message. `index` is the leg's place in the match, from 0.
    pub fn new(
        setup: &dyn AnySetup,
        index: usize,
        players: BySeat<SeatPlayer>,
        limits: impl Into<BySeat<RefereeLimits>>,
    ) -> Referee {
        Referee::with_forced_replies(setup, index, players, limits, ForcedReplies::default())
    }

    /// A leg whose first replies are forced; every seat is asked all the same. While replies are
    /// forced, direct seats have no time, and programs have much.
    pub fn with_forced_replies(
        setup: &dyn AnySetup,
        index: usize,
        players: BySeat<SeatPlayer>,
        limits: impl Into<BySeat<RefereeLimits>>,
        forced_replies: ForcedReplies,
    ) -> Referee {
        let leg = setup.start_leg();
        let mut referee = Referee {
            period: leg.period(),
            leg,
            index,
            players: players.map_values(SeatState::new),
            limits: limits.into(),
            recorder: Recorder::default(),
            commands: Default::default(),
            faults: Vec::new(),
            disturbed: None,
            over: false,
            forced_replies,
        };
        referee.queue_message(|protocol, leg, seat| protocol.write_start(leg, seat));
        referee.go_on();
        referee.step_while_answered();
        referee
    }

    /// Adds the time that the seats used in earlier legs of the match.
    pub fn with_spent_before(mut self, used: BySeat<Spent>) -> Referee {
        self.players
            .iter_mut()
            .for_each(|(seat, state)| state.total = used[seat]);
        self
    }

    /// Adds the time that the seats waited in earlier legs of the match.
    pub fn with_waited_before(mut self, waited: BySeat<Duration>) -> Referee {
        self.players
            .iter_mut()
            .for_each(|(seat, state)| state.waited = waited[seat]);
        self
    }

    /// The next command. [`RefereeCommand::Listen`] is repeated until the input is sufficient.
    pub fn next_command(&mut self) -> RefereeCommand {
        if self.find_game_fault().is_some() {
            return RefereeCommand::Abandon;
        }
        if let Some(command) = self.commands.pop_front() {
            return command;
        }
        match (self.over, &self.disturbed) {
            (true, _) => RefereeCommand::Done,
            (false, Some(_)) => RefereeCommand::Abandon,
            (false, None) => RefereeCommand::Listen(BySeat::from_fn(|seat| self.time_budget(seat))),
        }
    }

    /// Whether this seat owes an answer.
    pub fn owes_reply(&self, seat: Seat) -> bool {
        let state = &self.players[seat];
        state.asked && state.answer.is_none() && self.disturbed.is_none()
    }

    /// The reply of this seat, while the step waits for the other one's.
    pub fn early_reply(&self, seat: Seat) -> Option<Reply<&str>> {
        let answer = self.players[seat].answer.as_ref();
        answer.map(PendingReply::as_reply)
    }

    /// Whether the seat's answer is forced and not compared.
    fn thinks_along(&self, seat: Seat) -> bool {
        self.is_forced() && matches!(self.players[seat].player, SeatPlayer::Direct)
    }

    /// Whether more bytes of this seat may be read. A program that is too far ahead is not read, so
    /// that its output fills only its own pipe.
    pub fn accepts_input(&self, seat: Seat) -> bool {
        let state = &self.players[seat];
        state.ending.is_none() && state.unasked.is_none() && !self.over
    }

    /// Handles input of a seat, or the passing of time. `spent` is the time that the seat used
    /// since the last input; it is charged only if the seat owes an answer.
    pub fn handle_input(&mut self, seat: Seat, said: SeatInput<'_>, spent: Spent) {
        if self.over {
            return;
        }
        let owes = self.owes_reply(seat);
        let counts = !self.is_forced();
        let known = self
            .forced_replies
            .forced_reply(seat)
            .filter(|_| self.thinks_along(seat))
            .map(str::to_owned);
        let state = &mut self.players[seat];
        if owes {
            let counted = [&mut state.total, &mut state.counted, &mut state.banked];
            [&mut state.period, &mut state.step]
                .into_iter()
                .chain(counted.into_iter().filter(|_| counts))
                .for_each(|sum| *sum += spent);
        }
        match said {
            SeatInput::Nothing if owes && known.is_some() => {
                state.answer = known.map(PendingReply::Action)
            }
            SeatInput::Nothing => {}
            SeatInput::Bytes(bytes) => state.inbox.push(bytes),
            SeatInput::Action(text) if owes => {
                state.answer = Some(PendingReply::Action(text.to_owned()))
            }
            SeatInput::Action(_) => {}
            SeatInput::Closed(ending) => state.ending = Some(ending.clone()),
            SeatInput::TimeUp(allowed) if owes => {
                self.record_fault(seat, SeatFault::time_up(allowed))
            }
            SeatInput::TimeUp(_) => {}
        }
        if owes {
            self.judge_message(seat);
            self.step_while_answered();
        } else {
            self.check_unasked(seat);
        }
    }

    /// The replies so far, as in a replay.
    pub fn replies_text(&self) -> &str {
        &self.recorder.leg.replies
    }

    /// Wall time of every reply so far, as in a replay.
    pub fn times_us(&self) -> &[u64] {
        &self.recorder.leg.times_us
    }

    /// What a judge program has shown so far, as in a replay.
    pub fn shown(&self) -> &[serde_json::Value] {
        &self.recorder.leg.shown
    }

    /// The current position.
    pub fn current_leg(&self) -> &dyn AnyLeg {
        &*self.leg
    }

    /// The longest period of a seat so far, by both clocks.
    pub fn slowest_period(&self, seat: Seat) -> Spent {
        let state = &self.players[seat];
        state.slowest.slower_of(&state.period)
    }

    /// The time that a seat has used in the match so far.
    pub fn total_spent(&self, seat: Seat) -> Spent {
        self.players[seat].total
    }

    /// The time that a seat has waited rather than computed in the match so far.
    pub fn total_waited(&self, seat: Seat) -> Duration {
        self.players[seat].total_waited()
    }

    /// Why the leg cannot be judged, if it cannot.
    pub fn find_disturbance(&self) -> Option<&RerunRecord> {
        self.disturbed.as_ref()
    }

    /// The failure of the game's rules, if they failed: whatever the seats did since is no fault of
    /// theirs.
    pub fn find_game_fault(&self) -> Option<GameFault> {
        self.leg.fault()
    }

    /// The faults so far, without last words, which only the driver knows.
    pub fn fault_records(&self) -> &[FaultRecord] {
        &self.faults
    }

    /// Whether replies are still forced.
    pub fn is_forced(&self) -> bool {
        !self.forced_replies.is_empty()
    }

    /// The first divergence of each seat from the forced replies.
    pub fn divergences(&self) -> &BySeat<Option<Divergence>> {
        self.forced_replies.divergences()
    }

    /// The divergence of each seat in its last forced reply, if that was one.
    pub fn last_divergences(&self) -> &BySeat<Option<Divergence>> {
        self.forced_replies.last_divergences()
    }

    /// The record of the leg, and its last position.
    pub fn finish_leg(self) -> (LegRecord, Box<dyn AnyLeg>) {
        let mut record = self.recorder.finish_leg(self.leg.outcome());
        record.faults = self.faults;
        (record, self.leg)
    }

    fn queue_message(&mut self, say: impl Fn(&mut dyn AnyProtocol, &dyn AnyLeg, Seat) -> Vec<u8>) {
        for seat in Seat::BOTH {
            let SeatPlayer::Program(protocol) = &mut self.players[seat].player else {
                continue;
            };
            let bytes = say(&mut **protocol, &*self.leg, seat);
            if !bytes.is_empty() {
                self.commands.push_back(RefereeCommand::Send(seat, bytes));
            }
        }
    }

    /// Continues after a step: ends the leg or asks the next seats.
    fn go_on(&mut self) {
        if self.leg.period() > self.period {
            self.period = self.leg.period();
            self.players
                .iter_mut()
                .for_each(|(_, state)| state.new_period());
        }
        let to_move = self.leg.to_move();
        if to_move == ToMove::Nobody {
            self.queue_message(|protocol, leg, seat| protocol.write_end(leg, seat));
            self.over = true;
            return;
        }
        let counts = !self.is_forced();
        for seat in Seat::BOTH {
            self.players[seat].set_asked(to_move.asks_seat(seat), counts);
        }
        self.queue_message(|protocol, leg, seat| {
            if to_move.asks_seat(seat) {
                protocol.write_question(leg, seat)
            } else {
                Vec::new()
            }
        });
        // A program that answered early, exited or broke a rule before the question is judged at
        // once.
        Seat::BOTH
            .into_iter()
            .filter(|seat| to_move.asks_seat(*seat))
            .for_each(|seat| self.judge_message(seat));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_seat_has_its_own_time() {
        let game = leitai_game::Erased::<leitai_snakego::Position>::new();
        let setup = leitai_game::AnyGame::deal_setup(&game, &serde_json::Value::Null, 1)
            .expect("the default config");
        let limits = |seconds| RefereeLimits::new(Duration::from_secs(seconds), 2048);
        let limits = BySeat::new(limits(3600), limits(3));
        let mut referee = Referee::new(
            &*setup,
            0,
            BySeat::new(SeatPlayer::Direct, SeatPlayer::Direct),
            limits,
        );
        let spent = |seconds| Spent::from_wall(Duration::from_secs(seconds));
        let budgets = |referee: &Referee| {
            BySeat::from_fn(|seat| referee.time_budget(seat).map(|time| time.as_secs()))
        };
        assert_eq!(budgets(&referee), BySeat::new(Some(3600), None));
        referee.handle_input(Seat::First, SeatInput::Action("1"), spent(60));
        assert_eq!(budgets(&referee), BySeat::new(None, Some(3)));
        assert_eq!(referee.replies_text(), "1");
        referee.handle_input(Seat::Second, SeatInput::Nothing, spent(4));
        assert_eq!(referee.replies_text(), "1 !TLE");
    }
}
