//! Connects the judge's thread with the state of a human match. It implements both traits that the
//! judge calls: the input of people, and the observer of progress. Steps of built-in bots are shown
//! one by one; the delay is not charged to any clock.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use leitai_game::replay::{LegRecord, RerunRecord};
use leitai_game::{AnyLeg, GameHandle, Seat, ToMove, Untimed};
use leitai_judge::{HumanAnswer, HumanInput, MatchObserver, MatchProgress};

use super::HumanMatch;
use super::recorder::MoveRecorder;
use crate::live::LiveMatches;
use crate::sync::lock;

/// The time for which a step of another player is shown before the next one.
const BEAT: Duration = Duration::from_millis(120);
/// The same after people had nothing to do for this number of steps.
const HURRY: (usize, Duration) = (24, Duration::from_millis(25));
/// The built-in bot that acts for a person whose opponent has left, if the game has it.
const STAND_IN: &str = "level3";
/// The interval at which a pause checks whether the match is to end.
const LOOK: Duration = Duration::from_millis(20);

/// Connects the judge's thread with the state of a human match.
#[derive(Clone)]
pub struct JudgeBridge {
    human_match: Arc<HumanMatch>,
    live: LiveMatches,
    /// Steps since a person was asked.
    idle: std::rc::Rc<Cell<usize>>,
    /// The recorder of moves.
    recorder: Option<MoveRecorder>,
    game: GameHandle,
}

impl JudgeBridge {
    /// A bridge to this human match.
    pub fn new(
        human_match: Arc<HumanMatch>,
        live: LiveMatches,
        game: GameHandle,
        recorder: Option<MoveRecorder>,
    ) -> JudgeBridge {
        JudgeBridge {
            human_match,
            live,
            idle: std::rc::Rc::default(),
            recorder,
            game,
        }
    }

    /// The action of a person whose opponent has left. A fault counts when its seat is asked, so the
    /// match would otherwise go on until this person has acted.
    fn act_for_winner(&self, leg: &dyn AnyLeg) -> Option<(Seat, HumanAnswer)> {
        let seat = lock(&self.human_match.state).seat_without_opponent()?;
        let bots = self.game.list_own_bots();
        let mut stand_in = [STAND_IN]
            .into_iter()
            .chain(bots)
            .find_map(|name| self.game.make_bot(name, 0))?;
        let action = stand_in.choose_action(leg, seat, &Untimed);
        lock(&self.human_match.state).close_question(seat, self.human_match.clock.elapsed());
        Some((seat, HumanAnswer::Action(action)))
    }

    /// Waits, unless the match is to end or everybody has left.
    fn sleep_for(&self, time: Duration) {
        let clock = &self.human_match.clock;
        let until = clock.elapsed() + time;
        loop {
            let now = clock.elapsed();
            let deserted = {
                let mut state = lock(&self.human_match.state);
                state.update_clocks(now);
                state.is_deserted()
            };
            self.send_presence();
            let left = until.saturating_sub(now);
            if left.is_zero() || deserted || self.human_match.stop.load(Ordering::Relaxed) {
                return;
            }
            clock.sleep_for(left.min(LOOK));
        }
    }

    /// Waits until both people have read how the game is played.
    fn wait_for_readers(&self) {
        let clock = &self.human_match.clock;
        lock(&self.human_match.state).begin_reading(clock.elapsed());
        while lock(&self.human_match.state).is_reading(clock.elapsed())
            && !self.human_match.stop.load(Ordering::Relaxed)
        {
            self.sleep_for(LOOK);
        }
    }

    /// Ends a match in which neither person has moved.
    fn end_unplayed(&self) -> bool {
        let now = self.human_match.clock.elapsed();
        let is_unplayed = lock(&self.human_match.state).is_unplayed(now);
        if is_unplayed {
            self.human_match.unplayed.store(true, Ordering::Relaxed);
            self.human_match.stop.store(true, Ordering::Relaxed);
        }
        is_unplayed
    }

    fn send_presence(&self) {
        let people = lock(&self.human_match.state).take_presence();
        if let Some(people) = people {
            self.live.set_presence(self.human_match.id, people);
        }
    }

    /// Pauses after a step if another one may follow without an action of a person.
    fn tick_and_wait(&self, leg: &dyn AnyLeg) {
        if lock(&self.human_match.state).is_of_programs() {
            return;
        }
        let to_move = leg.to_move();
        if to_move == ToMove::Nobody || lock(&self.human_match.state).waits_for_people(to_move) {
            return;
        }
        self.idle.set(self.idle.get() + 1);
        let (many, short) = HURRY;
        self.sleep_for(if self.idle.get() > many { short } else { BEAT });
    }
}

impl HumanInput for JudgeBridge {
    fn ask_person(&mut self, leg: &dyn AnyLeg, seat: Seat, _: Duration) {
        self.idle.set(0);
        lock(&self.human_match.state).ask_person(leg, seat, self.human_match.clock.elapsed());
    }

    fn send_bytes(&mut self, seat: Seat, bytes: &[u8]) {
        let now = self.human_match.clock.elapsed();
        lock(&self.human_match.state).send_bytes(seat, bytes, now);
    }

    fn take_unasked(&mut self, seat: Seat) -> Option<Vec<u8>> {
        lock(&self.human_match.state).take_unasked(seat)
    }

    fn poll_answer(&mut self, leg: &dyn AnyLeg) -> Option<(Seat, HumanAnswer)> {
        if self.end_unplayed() {
            return None;
        }
        let answer = lock(&self.human_match.state).take_answer(self.human_match.clock.elapsed());
        let answer = answer.or_else(|| self.act_for_winner(leg));
        self.send_presence();
        answer
    }
}

impl MatchObserver for JudgeBridge {
    fn on_progress(&mut self, progress: &MatchProgress<'_>) {
        let now = self.human_match.clock.elapsed();
        let (new_moves, catching_up, caught_up) = {
            let mut state = lock(&self.human_match.state);
            let before = state.is_catching_up();
            let new_moves = state.follow_progress(progress, now);
            (
                new_moves,
                state.is_catching_up(),
                before && !state.is_catching_up(),
            )
        };
        self.send_presence();
        let Some(new_moves) = new_moves else { return };
        if new_moves.begins {
            self.live.begin_leg(self.human_match.id, new_moves.index);
        }
        self.live.append_steps(
            self.human_match.id,
            new_moves.index,
            new_moves.tokens,
            new_moves.times_us,
        );
        if catching_up {
            return;
        }
        if let Some(recorder) = &self.recorder {
            recorder.record_progress(progress);
        }
        if new_moves.begins || caught_up {
            self.wait_for_readers();
            let countdown =
                lock(&self.human_match.state).count_down(self.human_match.clock.elapsed());
            countdown.into_iter().for_each(|time| self.sleep_for(time));
        } else {
            self.tick_and_wait(progress.leg);
        }
    }

    fn leg_again(&mut self, index: usize, _: &RerunRecord) {
        self.live.restart_leg(self.human_match.id, index);
    }

    fn leg_over(&mut self, index: usize, record: &LegRecord, _: &dyn AnyLeg) {
        // A leg that is interrupted during its replay has fewer steps than were recorded, so it is
        // not recorded again.
        if let (Some(recorder), false) = (
            &self.recorder,
            lock(&self.human_match.state).is_catching_up(),
        ) {
            recorder.record_leg(index, record);
        }
    }
}
