//! The time account of a seat: limit, usage, and their descriptions.

use std::time::Duration;

use leitai_game::lang::{Message, say};
use leitai_game::replay::{BrokenLimit, LimitName, StrikeRecord};
use leitai_game::{Fault, Seat};

use crate::clock::{ExceededTime, Spent, TimeBank, TimeRuling, to_micros};
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
    /// All periods of the leg up to this turn, by this time bank.
    Bank(TimeBank, u32),
}

impl TimeSpan {
    const fn limit_name(self, cpu: bool) -> LimitName {
        match (self, cpu) {
            (TimeSpan::Period, true) => LimitName::PeriodCpu,
            (TimeSpan::Period, false) => LimitName::PeriodWall,
            (TimeSpan::Match, true) => LimitName::MatchCpu,
            (TimeSpan::Match, false) => LimitName::MatchWall,
            (TimeSpan::Bank(..), true) => LimitName::BankCpu,
            (TimeSpan::Bank(..), false) => LimitName::BankWall,
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

    /// What is left of a seat's time bank, with the increment of this turn.
    pub(crate) fn bank_left(&self, seat: Seat) -> Option<Duration> {
        let state = &self.players[seat];
        let started = match state.first {
            true => &state.period,
            false => &state.first_turn,
        };
        let limit = self.bank_limit(seat, started)?;
        Some(limit.saturating_sub(state.banked.used_of(limit)))
    }

    /// The thinking time of a built-in bot with a time bank.
    pub(crate) fn bank_share(&self, seat: Seat) -> Option<Duration> {
        let bank = self.limits[seat].bank?;
        Some(bank.share_of(self.bank_left(seat)?))
    }

    /// The bank and all increments so far, and of the allowance for a program's start as much as it
    /// used.
    fn bank_limit(&self, seat: Seat, started: &Spent) -> Option<Duration> {
        let (state, limits) = (&self.players[seat], &self.limits[seat]);
        let used = started.charged_time().unwrap_or(started.wall);
        let start = match state.player {
            SeatPlayer::Program(_) => limits.start.min(used),
            SeatPlayer::Direct => Duration::ZERO,
        };
        Some(limits.bank?.after_turns(state.turns).saturating_add(start))
    }

    fn bank_account(&self, seat: Seat) -> Option<TimeAccount> {
        let state = &self.players[seat];
        let bank = self.limits[seat].bank.filter(|_| !self.is_forced())?;
        let whole = Spent::from_wall(Duration::MAX);
        let started = match state.first {
            true => &whole,
            false => &state.first_turn,
        };
        Some(TimeAccount {
            spent: state.banked,
            limit: self.bank_limit(seat, started)?,
            span: TimeSpan::Bank(bank, state.turns),
            start: None,
        })
    }

    /// What a program may take beyond the limit of this period, for a strike.
    fn grace_left(&self, seat: Seat) -> Duration {
        let state = &self.players[seat];
        let is_program = matches!(state.player, SeatPlayer::Program(_));
        let grace = self.limits[seat].grace.filter(|grace| {
            is_program && !self.is_forced() && (state.is_struck || state.strikes < grace.strikes)
        });
        grace.map_or(Duration::ZERO, |grace| grace.time)
    }

    /// Counts an answer that came within the grace, once in a period.
    pub(super) fn count_strike(&mut self, seat: Seat) {
        let grace = self.grace_left(seat);
        let period = self
            .time_accounts(seat)
            .find(|own| own.span == TimeSpan::Period);
        let Some(period) = period.filter(|_| !grace.is_zero()) else {
            return;
        };
        let limit = period.limit.saturating_sub(grace);
        let TimeRuling::Over(over) = period.spent.judge_limit(limit) else {
            return;
        };
        let state = &mut self.players[seat];
        if !std::mem::replace(&mut state.is_struck, true) {
            state.strikes += 1;
            self.recorder.leg.strikes.push(StrikeRecord {
                entrant: seat.entrant_in_leg(self.index),
                round: self.leg.round(),
                step: self.recorder.step_count(),
                allowed_us: to_micros(over.allowed),
                used_us: to_micros(over.used),
            });
        }
    }

    /// A late answer's words, if there were strikes before it.
    pub(super) fn say_strikes(&self, seat: Seat, what: Message) -> Message {
        match self.players[seat].strikes {
            0 => what,
            strikes => say!("{what}; it had been late {strikes} times before in this leg"),
        }
    }

    /// The time accounts of the bank, of this period and of the match.
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
        let limit = limit.saturating_add(self.grace_left(seat));
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
        let bank = self.bank_account(seat);
        [bank, Some(period), total].into_iter().flatten()
    }
}

/// A message about the span of an account, whose words stand between these two parts.
macro_rules! say_of_span {
    ($account:ident, $before:literal, $after:literal) => {
        match ($account.span, $account.start) {
            (TimeSpan::Match, _) => say!($before "in all its turns of the match" $after),
            (TimeSpan::Bank(..), _) => say!($before "in all its turns of the leg" $after),
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
        let what = self.describe_use(over);
        let TimeSpan::Bank(bank, turn) = self.span else {
            return what;
        };
        let bank = match bank.increment.is_zero() {
            true => say!("its time bank of {}", show_duration(bank.time)),
            false => {
                let (time, more) = (show_duration(bank.time), show_duration(bank.increment));
                say!("its time bank of {time}, with {more} more for every turn,")
            }
        };
        say!(
            "used up {bank} in its turn {turn}: it {what}; spread the time over all turns of a leg"
        )
    }

    fn describe_use(&self, over: ExceededTime) -> Message {
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
