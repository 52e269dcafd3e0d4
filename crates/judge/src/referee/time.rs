//! The time account of a seat: limit, usage, and their descriptions.

use std::time::Duration;

use leitai_game::lang::{Message, say};
use leitai_game::replay::{BrokenLimit, LimitName};
use leitai_game::{Fault, Seat};

use crate::clock::{ExceededTime, Spent, TimeRuling, to_micros};
use crate::duration::show_duration;
use crate::forced_replies::ForcedReplies;
use crate::referee::input::SeatPlayer;
use crate::referee::seat_state::SeatFault;
use crate::referee::{LEAST_NOISE, Referee};

/// While little is left of the waiting allowance, a program is looked at this often.
const WAITING_LOOK: Duration = Duration::from_millis(20);

/// The used time and its limit.
pub(super) struct TimeAccount {
    pub(super) spent: Spent,
    pub(super) limit: Duration,
    pub(super) span: TimeSpan,
    /// The extra time of the first period, which is included in the limit.
    pub(super) start: Option<Duration>,
}

/// The span over which time is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TimeSpan {
    /// One period.
    Period,
    /// All periods of the match together.
    Match,
}

impl TimeSpan {
    const fn limit_name(self, cpu: bool) -> LimitName {
        match (self, cpu) {
            (TimeSpan::Period, true) => LimitName::PeriodCpu,
            (TimeSpan::Period, false) => LimitName::PeriodWall,
            (TimeSpan::Match, true) => LimitName::MatchCpu,
            (TimeSpan::Match, false) => LimitName::MatchWall,
        }
    }
}

impl Referee {
    /// How long the judge may listen to this seat before it must call [`Referee::handle_input`]
    /// with the used time, if the seat owes an answer. Within the limit of wall time, it is the
    /// time left.
    pub fn time_budget(&self, seat: Seat) -> Option<Duration> {
        if self.thinks_along(seat) {
            return self.owes_reply(seat).then_some(Duration::ZERO);
        }
        let looks = self
            .time_accounts(seat)
            .map(|account| account.spent.next_look(account.limit));
        let looks = looks.chain(self.waiting_left(seat));
        self.owes_reply(seat)
            .then(|| looks.min().expect("there is always the period's"))
    }

    /// What is left of the waiting allowance of a program, if it has one; never so little that the
    /// judge would look all the time.
    fn waiting_left(&self, seat: Seat) -> Option<Duration> {
        let allowed = self.waiting_allowance(seat)?;
        let left = allowed.saturating_sub(self.players[seat].total_waited());
        Some(left.max(WAITING_LOOK))
    }

    fn waiting_allowance(&self, seat: Seat) -> Option<Duration> {
        let is_program = matches!(self.players[seat].player, SeatPlayer::Program(_));
        self.limits[seat]
            .waiting
            .filter(|_| is_program && !self.is_forced())
    }

    /// The fault, if a program has waited for longer than it may.
    pub(super) fn exceeded_waiting(&self, seat: Seat) -> Option<SeatFault> {
        let allowed = self.waiting_allowance(seat)?;
        let waited = self.players[seat].total_waited();
        (waited > allowed).then(|| SeatFault {
            fault: Fault::Timeout,
            what: say!(
                "waited {} rather than computed in all its turns together, of {} that a program \
                may: leave out sleeping and waiting for files",
                show_duration(waited),
                show_duration(allowed)
            ),
            limit: Some(BrokenLimit::time(
                LimitName::Waiting,
                to_micros(allowed),
                to_micros(waited),
            )),
        })
    }

    /// The time accounts of this period and of the match.
    pub(super) fn time_accounts(&self, seat: Seat) -> impl Iterator<Item = TimeAccount> + use<> {
        let (state, limits) = (&self.players[seat], &self.limits[seat]);
        let is_program = matches!(state.player, SeatPlayer::Program(_));
        let start =
            Some(limits.start).filter(|start| state.first && is_program && !start.is_zero());
        // A game may give one of its periods more time than the others (TankCraft's choice of
        // teams).
        let limit = self
            .leg
            .period_limit()
            .map_or(limits.period, |own| own.max(limits.period));
        let limit = limit.saturating_add(start.unwrap_or_default());
        let limit = if self.is_forced() {
            ForcedReplies::wait_limit(limit)
        } else {
            limit
        };
        let period = TimeAccount {
            spent: state.period,
            limit,
            span: TimeSpan::Period,
            start,
        };
        let total = limits.total.filter(|_| is_program && !self.is_forced());
        let total = total.map(|limit| TimeAccount {
            spent: state.total,
            limit,
            span: TimeSpan::Match,
            start: None,
        });
        [Some(period), total].into_iter().flatten()
    }
}

/// A message about the span of an account, whose words stand between these two parts.
macro_rules! say_of_span {
    ($account:ident, $before:literal, $after:literal) => {
        match ($account.span, $account.start) {
            (TimeSpan::Match, _) => say!($before "in all its turns of the match" $after),
            (_, Some(_)) => say!($before "in its first turn" $after),
            (_, None) => say!($before "in its turn" $after),
        }
    };
}

impl TimeAccount {
    /// The fault, if the limit is exceeded.
    pub(super) fn exceeded_limit(&self) -> Option<SeatFault> {
        let TimeRuling::Over(over) = self.spent.judge_limit(self.limit) else {
            return None;
        };
        let name = self.span.limit_name(over.cpu);
        let limit = BrokenLimit::time(name, to_micros(over.allowed), to_micros(over.used));
        Some(SeatFault {
            fault: Fault::Timeout,
            what: self.describe_limit(over),
            limit: Some(limit),
        })
    }

    fn describe_limit(&self, over: ExceededTime) -> Message {
        let (used, allowed) = (show_duration(over.used), show_duration(over.allowed));
        let unasked = self.spent.unasked_time();
        let mut what = match (over.cpu, self.spent.cpu) {
            (true, _) if unasked >= LEAST_NOISE => {
                let unasked = show_duration(unasked);
                say_of_span!(
                    self,
                    "used {used} of CPU time of {allowed} ",
                    ", at least {unasked} of it before it was asked"
                )
            }
            (true, _) => say_of_span!(self, "used {used} of CPU time of {allowed} ", ""),
            (false, None) => say_of_span!(self, "used {used} of {allowed} ", ""),
            (false, Some(cpu)) => {
                let (cpu, limit) = (show_duration(cpu), show_duration(self.limit));
                say_of_span!(
                    self,
                    "took {used} of {allowed} ",
                    ", waiting rather than computing: it used {cpu} of {limit} of CPU time"
                )
            }
        };
        let excused = self.spent.excused_time();
        if !over.cpu && excused >= LEAST_NOISE {
            let excused = say!("{} of noise are excused", show_duration(excused));
            what = say!("{what}; {excused}");
        }
        if let Some(start) = self.start.map(show_duration) {
            let start = say!("{start} of the limit are for its start (--start-limit)");
            what = say!("{what}; {start}");
        }
        what
    }

    /// The description of the noise that makes a ruling impossible.
    pub(super) fn describe_noise(&self) -> Message {
        let noise = &self.spent.noise;
        let wall = show_duration(self.spent.wall);
        let used = show_duration(self.spent.charged_time().unwrap_or_default());
        let limit = show_duration(self.limit);
        let [delay, late, steal] = [noise.delay, noise.late, noise.steal].map(show_duration);
        say_of_span!(
            self,
            "after {wall} ",
            " it had used only {used} of {limit} of CPU time, because the machine withheld it: it \
             waited {delay} for its core, the judge was late by {late}, the hypervisor stole {steal}"
        )
    }
}
