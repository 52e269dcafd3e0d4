//! Between the judge's thread and the state: both faces that the judge knows, the people who answer
//! and the observer who follows. Built-in bots are shown step by step; that is on nobody's clock.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use leitai_game::replay::{LegRecord, RerunRecord};
use leitai_game::{AnyLeg, Seat, ToMove};
use leitai_judge::{HumanAnswer, HumanInput, MatchObserver, MatchProgress};

use super::HumanMatch;
use super::recorder::Recorder;
use crate::live::LiveMatches;
use crate::sync::lock;

/// How long a step of another player stays before the next one.
const BEAT: Duration = Duration::from_millis(120);
/// The same when people have had nothing to do for so many steps.
const HURRY: (usize, Duration) = (24, Duration::from_millis(25));
/// How often a pause looks whether the match is to end.
const LOOK: Duration = Duration::from_millis(20);

/// Between the judge's thread and the state.
#[derive(Clone)]
pub struct JudgeBridge {
    table: Arc<HumanMatch>,
    hub: LiveMatches,
    /// Steps since people were asked.
    idle: std::rc::Rc<Cell<usize>>,
    /// Where moves are recorded.
    recorder: Option<Recorder>,
}

impl JudgeBridge {
    /// The bridge of this human match.
    pub fn new(
        table: Arc<HumanMatch>,
        hub: LiveMatches,
        recorder: Option<Recorder>,
    ) -> JudgeBridge {
        JudgeBridge {
            table,
            hub,
            idle: std::rc::Rc::default(),
            recorder,
        }
    }

    /// Lets time pass, unless the match is to end or everybody has left.
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
        let people = lock(&self.table.floor).take_people();
        if let Some(people) = people {
            self.hub.people(self.table.id, people);
        }
    }

    /// Shows a step for a moment if another one may follow before people can do anything.
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
            self.hub.leg(self.table.id, news.index);
        }
        self.hub
            .steps(self.table.id, news.index, news.tokens, news.times_us);
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
        self.hub.again(self.table.id, index);
    }

    fn leg_over(&mut self, index: usize, record: &LegRecord, _: &dyn AnyLeg) {
        // Cut off while recorded steps were played again, it has fewer than were recorded.
        if let (Some(recorder), false) = (&self.recorder, lock(&self.table.floor).is_catching_up())
        {
            recorder.record_leg(index, record);
        }
    }
}
