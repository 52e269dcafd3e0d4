//! A recorded leg with random access. One playthrough collects rounds, marks and some positions;
//! any other position is replayed from the nearest one before it.

use std::collections::BTreeMap;
use std::time::Duration;

use leitai_game::replay::{LegRecord, ReplayWalker, parse_token};
use leitai_game::{AnyLeg, AnySetup, BySeat, Fault, Reply, Seat};
use leitai_judge::Spent;
use serde_json::Value;

use super::events::{self, StepEvents};

/// Steps between kept positions in an ordinary leg.
const STRIDE: usize = 64;
/// The most kept positions; in a longer leg they are further apart.
const KEPT: usize = 2048;

/// A recorded leg.
pub struct RecordedLeg<'a> {
    record: &'a LegRecord,
    tokens: Vec<&'a str>,
    stride: usize,
    kept: Vec<Box<dyn AnyLeg>>,
    /// The round of every moment; moment 0 is before the first step.
    pub rounds: Vec<u32>,
    periods: Vec<u32>,
    /// The number of replies before each step.
    replies_before: Vec<usize>,
    /// Marks on the timeline: the moment after the step, and its mark.
    pub marks: Vec<(usize, char)>,
    /// The error at which replaying stopped, if it did.
    pub stopped: Option<String>,
}

/// The state of a leg at one moment.
pub struct LegMoment {
    /// The position.
    pub leg: Box<dyn AnyLeg>,
    /// The replies of the step that led here with their times; `None` for a seat that was not
    /// asked.
    pub last: BySeat<Option<RecordedReply>>,
    /// The events of that step.
    pub events: Vec<Value>,
    /// The period of that step.
    pub period: u32,
}

/// A recorded reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedReply {
    /// The action's notation, or the fault.
    pub reply: Result<String, Fault>,
    /// Wall and CPU time and noise, where they were recorded.
    pub spent: Option<Spent>,
    /// What was left of the time bank, if there is one.
    pub bank: Option<Duration>,
}

impl<'a> RecordedLeg<'a> {
    /// Replays a record.
    pub fn new(setup: &dyn AnySetup, record: &'a LegRecord) -> RecordedLeg<'a> {
        let tokens: Vec<&str> = record.replies.split_ascii_whitespace().collect();
        let stride = STRIDE.max(tokens.len() / KEPT);
        let mut recorded_leg = RecordedLeg {
            record,
            tokens,
            stride,
            kept: Vec::new(),
            rounds: Vec::new(),
            periods: Vec::new(),
            replies_before: Vec::new(),
            marks: Vec::new(),
            stopped: None,
        };
        recorded_leg.play_recorded(setup);
        recorded_leg
    }

    fn play_recorded(&mut self, setup: &dyn AnySetup) {
        let mut walk = ReplayWalker::new(setup, self.record);
        let (mut replies, mut notable) = (0, EventIndex::default());
        self.keep_moment(&walk);
        loop {
            let mut events = StepEvents::default();
            let said = match walk.next(&mut events) {
                Ok(Some(said)) => said,
                Ok(None) => break,
                Err(invalid) => {
                    self.stopped = Some(invalid.to_string());
                    break;
                }
            };
            self.replies_before.push(replies);
            replies += said
                .iter_pairs()
                .filter(|(_, reply)| reply.is_some())
                .count();
            notable.add_events(walk.step_number(), &events.0);
            if said
                .iter_pairs()
                .any(|(_, reply)| matches!(reply, Some(Reply::Fault(_))))
            {
                self.marks.push((walk.step_number(), events::FAULT));
            }
            self.keep_moment(&walk);
        }
        self.marks.extend(
            self.record
                .faults
                .iter()
                .map(|fault| (fault.step.saturating_add(1), events::FAULT)),
        );
        self.marks
            .extend(notable.timeline_marks(walk.step_number()));
        self.marks.retain(|(at, _)| *at <= walk.step_number());
        self.marks.sort_unstable();
        self.marks.dedup();
    }

    fn keep_moment(&mut self, walk: &ReplayWalker<'_>) {
        let leg = walk.current_leg();
        self.rounds.push(leg.round());
        self.periods.push(leg.period());
        if walk.step_number().is_multiple_of(self.stride) {
            self.kept.push(leg.clone_leg());
        }
    }

    /// The last moment: the number of steps that can be replayed.
    pub fn last_moment(&self) -> usize {
        self.rounds.len() - 1
    }

    /// The leg after this number of steps, at most all of them.
    pub fn load_moment(&self, moment: usize) -> LegMoment {
        let moment = moment.min(self.last_moment());
        let Some(before) = moment.checked_sub(1) else {
            let (leg, period) = (self.position_at(0), self.periods[0]);
            return LegMoment {
                leg,
                last: BySeat::default(),
                events: Vec::new(),
                period,
            };
        };
        let mut leg = self.position_at(before);
        let mut events = StepEvents::default();
        let last = self.play_step(&mut *leg, before, &mut events);
        LegMoment {
            leg,
            last,
            events: events.0,
            period: self.periods[before],
        }
    }

    fn position_at(&self, moment: usize) -> Box<dyn AnyLeg> {
        let mut leg = self.kept[moment / self.stride].clone_leg();
        for step in moment - moment % self.stride..moment {
            self.play_step(&mut *leg, step, &mut ());
        }
        leg
    }

    /// Replays a step whose token is known to be valid.
    fn play_step(
        &self,
        leg: &mut dyn AnyLeg,
        step: usize,
        sink: &mut dyn leitai_game::AnySink,
    ) -> BySeat<Option<RecordedReply>> {
        let replies = parse_token(self.tokens[step], leg.to_move()).unwrap_or_default();
        leg.step(replies, sink);
        let mut index = (self.replies_before[step]..).peekable();
        let mut said = BySeat::default();
        for seat in Seat::BOTH {
            said[seat] = replies[seat].map(|reply| RecordedReply {
                reply: match reply {
                    Reply::Action(text) => Ok(text.to_owned()),
                    Reply::Fault(fault) => Err(fault),
                },
                spent: None,
                bank: None,
            });
            let reply = index.next_if(|_| said[seat].is_some());
            if let (Some(said), Some(reply)) = (&mut said[seat], reply) {
                said.spent = Spent::of_reply(self.record, reply);
                let left = self.record.bank_us.get(reply).copied().flatten();
                said.bank = left.map(Duration::from_micros);
            }
        }
        said
    }
}

/// Moments of events, by name.
#[derive(Default)]
struct EventIndex(BTreeMap<String, Vec<usize>>);

impl EventIndex {
    fn add_events(&mut self, moment: usize, events: &[Value]) {
        for name in events
            .iter()
            .map(events::event_name)
            .filter(|name| events::event_mark(name).is_some())
        {
            match self.0.get_mut(name) {
                Some(moments) => moments.push(moment),
                None => drop(self.0.insert(name.to_owned(), vec![moment])),
            }
        }
    }

    /// Marks on the timeline. An unknown event in more than a third of the steps is not marked.
    fn timeline_marks(self, steps: usize) -> impl Iterator<Item = (usize, char)> {
        let rare = self
            .0
            .into_iter()
            .filter(move |(_, moments)| steps < 12 || moments.len() <= steps / 3);
        rare.flat_map(|(name, moments)| {
            let mark = events::event_mark(&name);
            moments
                .into_iter()
                .filter_map(move |moment| Some((moment, mark?)))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use leitai_game::conformance::random_leg_tokens;

    fn snakego(rounds: u32) -> std::sync::Arc<dyn AnySetup> {
        let game = leitai_games::find_game("snakego").expect("it is in the list");
        game.deal_setup(&serde_json::json!({"max_round": rounds}), 7)
            .expect("a sound config")
    }

    /// A leg of random play, without illegal actions.
    fn random_leg(setup: &dyn AnySetup) -> LegRecord {
        let tokens = random_leg_tokens(setup, 3).expect("the game is sound");
        LegRecord {
            replies: tokens.join(" "),
            times_us: (1001..).take(tokens.len()).collect(),
            ..LegRecord::default()
        }
    }

    #[test]
    fn every_moment_is_the_position_that_a_walk_passes() {
        let setup = snakego(120);
        let mut record = random_leg(&*setup);
        if record.replies.len() < 300 {
            // Random snakes die early; turning in circles of four cells keeps them alive.
            record.replies = "1 3 2 4 3 1 4 2 ".repeat(40).trim().to_owned();
        }
        let recorded_leg = RecordedLeg::new(&*setup, &record);
        let mut walk = ReplayWalker::new(&*setup, &record);
        for moment in 0..=recorded_leg.last_moment() {
            assert_eq!(
                recorded_leg.load_moment(moment).leg.state_text(),
                walk.current_leg().state_text(),
                "moment {moment}"
            );
            assert_eq!(recorded_leg.rounds[moment], walk.current_leg().round());
            let _ = walk.next(&mut ());
        }
        assert_eq!(
            recorded_leg.load_moment(usize::MAX).leg.state_text(),
            recorded_leg
                .load_moment(recorded_leg.last_moment())
                .leg
                .state_text()
        );
    }

    #[test]
    fn a_moment_has_the_replies_and_events_before_it() {
        let setup = snakego(120);
        let record = LegRecord {
            replies: "1 3 1".into(),
            times_us: vec![11, 22, 33],
            ..LegRecord::default()
        };
        let recorded_leg = RecordedLeg::new(&*setup, &record);
        let moment = recorded_leg.load_moment(2);
        assert_eq!(moment.last[Seat::First], None);
        let spent = Some(Spent::from_wall(Duration::from_micros(22)));
        let said = RecordedReply {
            reply: Ok("3".into()),
            spent,
            bank: None,
        };
        assert_eq!(moment.last[Seat::Second], Some(said));
        assert!(
            moment
                .events
                .iter()
                .any(|event| events::event_name(event) == "moved"),
            "{:?}",
            moment.events
        );
        assert_eq!(
            (
                recorded_leg.load_moment(0).period,
                recorded_leg.load_moment(1).period,
                recorded_leg.load_moment(2).period
            ),
            (1, 1, 2)
        );
    }

    #[test]
    fn an_unreadable_reply_ends_the_recorded_leg() {
        let setup = snakego(120);
        let check = |replies: &str, last: usize, why: &str| {
            let record = LegRecord {
                replies: replies.into(),
                ..LegRecord::default()
            };
            let recorded_leg = RecordedLeg::new(&*setup, &record);
            assert_eq!(recorded_leg.last_moment(), last, "{replies}");
            assert!(
                recorded_leg
                    .stopped
                    .as_deref()
                    .is_some_and(|stopped| stopped.contains(why)),
                "{:?}",
                recorded_leg.stopped
            );
        };
        check("1 3 x 1", 2, "step 2: there is no action \"x\"");
        check("1 3 !WHAT", 2, "unknown fault");
        check("1 !TLE 1", 2, "after the end");
        check("1/1", 0, "no action");
    }

    #[test]
    fn faults_and_notable_events_are_marked() {
        let setup = snakego(120);
        let check = |replies: &str, mark: (usize, char)| {
            let record = LegRecord {
                replies: replies.into(),
                ..LegRecord::default()
            };
            let recorded_leg = RecordedLeg::new(&*setup, &record);
            assert!(
                recorded_leg.marks.contains(&mark),
                "{replies}: {:?}",
                recorded_leg.marks
            );
        };
        check("1 3 1 !TLE", (4, '!'));
        check("1 3 6 3", (3, 's'));
        check("2", (1, '✕'));
    }
}
