//! The state of one seat in a leg: its player, its input and its time.

use std::time::Duration;

use leitai_game::lang::{Message, say};
use leitai_game::replay::{BrokenLimit, LimitName};
use leitai_game::{Fault, Reply};

use crate::clock::{Spent, to_micros};
use crate::duration::show_duration;
use crate::framing::Inbox;
use crate::referee::input::{InputEnd, SeatPlayer};

/// A seat with its player and state.
pub(super) struct SeatState {
    pub(super) player: SeatPlayer,
    pub(super) inbox: Inbox,
    /// The time used in this period, in this step, and in the match.
    pub(super) period: Spent,
    pub(super) step: Spent,
    pub(super) total: Spent,
    pub(super) slowest: Spent,
    /// The time used in this step, unless its reply is forced.
    pub(super) counted: Spent,
    /// The strikes of this leg, and whether one is of this period.
    pub(super) strikes: u32,
    pub(super) is_struck: bool,
    /// The time used of the time bank in this leg, the turns in which it was asked, and its first one.
    pub(super) banked: Spent,
    pub(super) turns: u32,
    pub(super) first_turn: Spent,
    /// The time that it waited in the match, up to the present step.
    pub(super) waited: Duration,
    /// Whether this is still the first period in which the seat is asked.
    pub(super) first: bool,
    pub(super) asked: bool,
    /// Whether the seat was asked in this period.
    pub(super) asked_in_period: bool,
    pub(super) answer: Option<PendingReply>,
    pub(super) ending: Option<InputEnd>,
    /// A fault from before the question; it counts when the seat is asked.
    pub(super) unasked: Option<SeatFault>,
}

pub(super) enum PendingReply {
    Action(String),
    Fault(Fault),
}

impl PendingReply {
    pub(super) fn as_reply(&self) -> Reply<&str> {
        match self {
            PendingReply::Action(text) => Reply::Action(text),
            PendingReply::Fault(fault) => Reply::Fault(*fault),
        }
    }
}

impl SeatState {
    pub(super) fn new(player: SeatPlayer) -> SeatState {
        SeatState {
            player,
            inbox: Inbox::default(),
            period: Spent::default(),
            step: Spent::default(),
            total: Spent::default(),
            slowest: Spent::default(),
            counted: Spent::default(),
            strikes: 0,
            is_struck: false,
            banked: Spent::default(),
            turns: 0,
            first_turn: Spent::default(),
            waited: Duration::ZERO,
            first: true,
            asked: false,
            asked_in_period: false,
            answer: None,
            ending: None,
            unasked: None,
        }
    }

    pub(super) fn new_period(&mut self) {
        self.slowest = self.slowest.slower_of(&self.period);
        if self.first && self.turns == 1 && self.asked_in_period {
            self.first_turn = self.period;
        }
        self.period = Spent::default();
        self.is_struck = false;
        self.first &= !self.asked_in_period;
        self.asked_in_period = false;
    }

    /// The time that it waited in the match, with the present step.
    pub(super) fn total_waited(&self) -> Duration {
        self.waited + self.counted.waited_time()
    }

    /// Asks it or not; a turn counts for the time bank unless its reply is forced.
    pub(super) fn set_asked(&mut self, asked: bool, counts: bool) {
        self.turns += u32::from(asked && counts && !self.asked_in_period);
        self.asked = asked;
        self.asked_in_period |= asked;
        self.waited = self.total_waited();
        self.step = Spent::default();
        self.counted = Spent::default();
        if asked {
            self.inbox.forget_taken();
        }
    }

    pub(super) fn take_answer(&mut self) -> Option<PendingReply> {
        self.asked = false;
        self.answer.take()
    }
}

/// A fault of a seat.
#[derive(Clone, Debug)]
pub(super) struct SeatFault {
    pub(super) fault: Fault,
    pub(super) what: Message,
    pub(super) limit: Option<BrokenLimit>,
}

impl SeatFault {
    pub(super) fn new(fault: Fault, what: Message) -> SeatFault {
        SeatFault {
            fault,
            what,
            limit: None,
        }
    }

    pub(super) fn time_up(allowed: Duration) -> SeatFault {
        let limit = BrokenLimit::time(
            LimitName::PeriodWall,
            to_micros(allowed),
            to_micros(allowed),
        );
        let what = say!("did not answer within {}", show_duration(allowed));
        SeatFault {
            fault: Fault::Timeout,
            what,
            limit: Some(limit),
        }
    }
}
