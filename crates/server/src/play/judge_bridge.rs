//! Connects the judge's thread with the state of a human match. It implements both traits that the
//! judge calls: the input of people, and the observer of progress. Steps of built-in bots are shown
//! one by one; the delay is not charged to any clock.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use leitai_game::replay::{LegRecord, RerunRecord};
use leitai_game::{AnyLeg, Seat, ToMove};
use leitai_judge::{HumanAnswer, HumanInput, MatchObserver, MatchProgress};

use super::HumanMatch;
use super::recorder::MoveRecorder;
use crate::live::LiveMatches;
use crate::sync::lock;

/// The time for which a step of another player is shown before the next one.
const BEAT: Duration = Duration::from_millis(120);
/// The same after people had nothing to do for this number of steps.
const HURRY: (usize, Duration) = (24, Duration::from_millis(25));
/// The interval at which a pause checks whether the match is to end.
const LOOK: Duration = Duration::from_millis(20);

/// Connects the judge's thread with the state of a human match.
#[derive(Clone)]
pub struct JudgeBridge {
    table: Arc<HumanMatch>,
    hub: LiveMatches,
    /// Steps since a person was asked.
    idle: std::rc::Rc<Cell<usize>>,
    /// The recorder of moves.
    recorder: Option<MoveRecorder>,
}

impl JudgeBridge {
    /// A bridge to this human match.
    pub fn new(
        table: Arc<HumanMatch>,
        hub: LiveMatches,
        recorder: Option<MoveRecorder>,
    ) -> JudgeBridge {
        JudgeBridge {
            table,
            hub,
            idle: std::rc::Rc::default(),
            recorder,
        }
    }

    /// Waits, unless the match is to end or everybody has left.
    fn sleep_for(&self, time: Duration) {
        let clock = &self.table.clock;
        let until = clock.elapsed() + time;
        loop {
            let now = clock.elapsed();
            let deserted = {
                let mut floor = lock(&self.table.floor);
                floor.update_clocks(now);
                floor.is_deserted()
            };
            self.tell_people();
            let left = until.saturating_sub(now);
            if left.is_zero() || deserted || self.table.stop.load(Ordering::Relaxed) {
                return;
            }
            clock.sleep_for(left.min(LOOK));
        }
    }

    fn tell_people(&self) {
        let people = lock(&self.table.floor).take_presence();
        if let Some(people) = people {
            self.hub.set_presence(self.table.id, people);
        }
    }

    /// Pauses after a step if another one may follow without an action of a person.
    fn tick_and_wait(&self, leg: &dyn AnyLeg) {
        let to_move = leg.to_move();
        if to_move == ToMove::Nobody || lock(&self.table.floor).waits_for_people(to_move) {
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
        lock(&self.table.floor).ask_person(leg, seat, self.table.clock.elapsed());
    }

    fn poll_answer(&mut self, _: &dyn AnyLeg) -> Option<(Seat, HumanAnswer)> {
        let answer = lock(&self.table.floor).take_answer(self.table.clock.elapsed());
        self.tell_people();
        answer
    }
}

impl MatchObserver for JudgeBridge {
    fn on_progress(&mut self, progress: &MatchProgress<'_>) {
        let now = self.table.clock.elapsed();
        let (news, catching_up, caught_up) = {
            let mut floor = lock(&self.table.floor);
            let before = floor.is_catching_up();
            let news = floor.follow_progress(progress, now);
            (
                news,
                floor.is_catching_up(),
                before && !floor.is_catching_up(),
            )
        };
        self.tell_people();
        let Some(news) = news else { return };
        if news.begins {
            self.hub.begin_leg(self.table.id, news.index);
        }
        self.hub
            .append_steps(self.table.id, news.index, news.tokens, news.times_us);
        if catching_up {
            return;
        }
        if let Some(recorder) = &self.recorder {
            recorder.record_progress(progress);
        }
        if news.begins || caught_up {
            let countdown = lock(&self.table.floor).count_down(self.table.clock.elapsed());
            countdown.into_iter().for_each(|time| self.sleep_for(time));
        } else {
            self.tick_and_wait(progress.leg);
        }
    }

    fn leg_again(&mut self, index: usize, _: &RerunRecord) {
        self.hub.restart_leg(self.table.id, index);
    }

    fn leg_over(&mut self, index: usize, record: &LegRecord, _: &dyn AnyLeg) {
        // A leg that is interrupted during its replay has fewer steps than were recorded, so it is
        // not recorded again.
        if let (Some(recorder), false) = (&self.recorder, lock(&self.table.floor).is_catching_up())
        {
            recorder.record_leg(index, record);
        }
    }
}
