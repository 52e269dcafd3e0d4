//! The referee of one leg: a pure state machine. It is told what programs said and how long they
//! took, and gives orders to whoever moves the bytes. Every judging rule can be tested without a
//! process, a port or a sleep.

use std::time::Duration;

use leitai_game::erased::TextReplies;
use leitai_game::replay::{
    BrokenLimit, FaultRecord, LegRecord, NoiseRecord, Recorder, RerunRecord,
};
use leitai_game::{AnyLeg, AnyProtocol, AnySetup, BySeat, Fault, Framing, Reply, Seat, ToMove};

use crate::clock::{ExceededTime, Spent, TimeRuling, to_micros};
use crate::forced_replies::{Divergence, ForcedReplies, LegPoint};
use crate::framing::Inbox;
use crate::log::KEPT;

/// Messages that a program may be ahead of the questions at most, where its dialect allows it at
/// all.
pub const MAX_EARLY: usize = 8;
/// Bytes of a program that are kept for its author.
const SHOWN_BYTES: usize = 256;
/// A reply that was disturbed by less is recorded without noise.
const LEAST_NOISE: Duration = Duration::from_millis(1);

/// What a program may use, where the referee looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RefereeLimits {
    /// CPU time a period; [`crate::clock::cap`] says what wall time goes with it. For people it is
    /// wall time.
    pub period: Duration,
    /// Added to a program's first period of every leg: virtual machines and imports take their
    /// time.
    pub start: Duration,
    /// Time of all periods of the match together, counted as a period's.
    pub total: Option<Duration>,
    /// How long built-in bots think at most, where the period is longer; they are told so and are
    /// not at fault if they need a little more.
    pub thought: Option<Duration>,
    /// Whether programs run while they are not to move, in games where one moves at a time.
    pub pondering: bool,
    /// Bytes in one message.
    pub message: usize,
    /// Bytes of stderr that are kept a leg.
    pub log: usize,
}

impl RefereeLimits {
    /// The usual allowance for the start.
    pub const START: Duration = Duration::from_secs(10);

    /// The usual limits but for these two.
    pub const fn new(period: Duration, message: usize) -> RefereeLimits {
        let (start, total, thought) = (RefereeLimits::START, None, None);
        RefereeLimits {
            period,
            start,
            total,
            thought,
            pondering: false,
            message,
            log: KEPT,
        }
    }
}

/// The same limits for both seats.
impl From<RefereeLimits> for BySeat<RefereeLimits> {
    fn from(limits: RefereeLimits) -> Self {
        BySeat::new(limits, limits)
    }
}

/// Who sits on a seat.
pub enum SeatPlayer {
    /// A program that speaks a dialect.
    Program(Box<dyn AnyProtocol>),
    /// A built-in bot or a person: says actions in notation.
    Direct,
}

/// What was heard from a seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SeatInput<'a> {
    /// Nothing so far.
    Nothing,
    /// Bytes from a program.
    Bytes(&'a [u8]),
    /// An action in notation from a direct seat.
    Action(&'a str),
    /// Nothing more will come.
    Closed(&'a InputEnd),
    /// A direct seat has used all its time, by a clock that somebody else keeps. The answer that it
    /// owes is a fault.
    TimeUp(Duration),
}

/// How a program, or a person, stopped talking.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputEnd {
    /// The fault that it is, if anything more is wanted from this seat.
    pub fault: Fault,
    /// What happened, as the end of a sentence that begins with the entrant's name.
    pub what: String,
    /// The limit for which it was ended, if it was.
    pub limit: Option<BrokenLimit>,
    /// `exit code 3`, `signal 11 (SIGSEGV)`.
    pub exit: Option<String>,
}

/// Something that a seat did wrong.
#[derive(Clone, Debug)]
struct SeatFault {
    fault: Fault,
    what: String,
    limit: Option<BrokenLimit>,
}

impl SeatFault {
    fn new(fault: Fault, what: String) -> SeatFault {
        SeatFault {
            fault,
            what,
            limit: None,
        }
    }

    fn time_up(allowed: Duration) -> SeatFault {
        let limit = BrokenLimit::new("period-wall", "us", to_micros(allowed), to_micros(allowed));
        let what = format!("did not answer within {}", show_duration(allowed));
        SeatFault {
            fault: Fault::Timeout,
            what,
            limit: Some(limit),
        }
    }
}

/// What to do next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RefereeCommand {
    /// Send the bytes to a program.
    Send(Seat, Vec<u8>),
    /// Listen to these seats, each for so long; then tell [`Referee::handle_input`].
    Listen(BySeat<Option<Duration>>),
    /// The leg is over and everything has been sent.
    Done,
    /// The leg cannot be judged: the machine withheld too much time. See
    /// [`Referee::find_disturbance`].
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
    orders: std::collections::VecDeque<RefereeCommand>,
    faults: Vec<FaultRecord>,
    disturbed: Option<RerunRecord>,
    over: bool,
    script: ForcedReplies,
}

/// A chair and what is known of who sits on it.
struct SeatState {
    player: SeatPlayer,
    inbox: Inbox,
    /// Used in this period, in this step, and in the match.
    period: Spent,
    step: Spent,
    total: Spent,
    slowest: Spent,
    /// Whether this is still the first period in which it is asked.
    first: bool,
    asked: bool,
    /// Whether it was asked in this period.
    asked_in_period: bool,
    answer: Option<PendingReply>,
    ending: Option<InputEnd>,
    /// It broke a rule while it was not asked; counts when it is.
    unasked: Option<SeatFault>,
}

enum PendingReply {
    Action(String),
    Fault(Fault),
}

impl PendingReply {
    fn as_reply(&self) -> Reply<&str> {
        match self {
            PendingReply::Action(text) => Reply::Action(text),
            PendingReply::Fault(fault) => Reply::Fault(*fault),
        }
    }
}

/// Time that was used, and what of it is allowed.
struct TimeAccount {
    spent: Spent,
    limit: Duration,
    /// `period` or `match`, as in the name of a limit.
    name: &'static str,
    /// The allowance for the start that is in the limit.
    start: Option<Duration>,
}

impl Referee {
    /// A leg before its first message. `index` is the leg's place in the match, from 0.
    pub fn new(
        setup: &dyn AnySetup,
        index: usize,
        chairs: BySeat<SeatPlayer>,
        limits: impl Into<BySeat<RefereeLimits>>,
    ) -> Referee {
        Referee::with_forced_replies(setup, index, chairs, limits, ForcedReplies::default())
    }

    /// A leg whose first replies are forced; every seat is asked all the same. Direct seats have no
    /// time while the script runs, and programs have plenty of it.
    pub fn with_forced_replies(
        setup: &dyn AnySetup,
        index: usize,
        chairs: BySeat<SeatPlayer>,
        limits: impl Into<BySeat<RefereeLimits>>,
        script: ForcedReplies,
    ) -> Referee {
        let leg = setup.start_leg();
        let mut referee = Referee {
            period: leg.period(),
            leg,
            index,
            players: chairs.map_values(SeatState::new),
            limits: limits.into(),
            recorder: Recorder::default(),
            orders: Default::default(),
            faults: Vec::new(),
            disturbed: None,
            over: false,
            script,
        };
        referee.queue_message(|dialect, leg, seat| dialect.write_start(leg, seat));
        referee.go_on();
        referee.step_while_answered();
        referee
    }

    /// The same, for seats that have used so much in earlier legs of the match.
    pub fn with_spent_before(mut self, used: BySeat<Spent>) -> Referee {
        self.players
            .iter_mut()
            .for_each(|(seat, seated)| seated.total = used[seat]);
        self
    }

    /// What to do next. [`RefereeCommand::Listen`] is given again until enough was heard.
    pub fn next_command(&mut self) -> RefereeCommand {
        if let Some(order) = self.orders.pop_front() {
            return order;
        }
        match (self.over, &self.disturbed) {
            (true, _) => RefereeCommand::Done,
            (false, Some(_)) => RefereeCommand::Abandon,
            (false, None) => RefereeCommand::Listen(BySeat::from_fn(|seat| self.time_budget(seat))),
        }
    }

    /// Whether this seat owes an answer.
    pub fn owes_reply(&self, seat: Seat) -> bool {
        let seated = &self.players[seat];
        seated.asked && seated.answer.is_none() && self.disturbed.is_none()
    }

    /// How long one may listen to this seat before [`Referee::handle_input`] must be told what it
    /// used, if it owes an answer. While it is within its limit by wall time, that is the time it
    /// has left.
    pub fn time_budget(&self, seat: Seat) -> Option<Duration> {
        if self.thinks_along(seat) {
            return self.owes_reply(seat).then_some(Duration::ZERO);
        }
        let looks = self
            .time_accounts(seat)
            .map(|account| account.spent.next_look(account.limit));
        self.owes_reply(seat)
            .then(|| looks.min().expect("there is always the period's"))
    }

    /// The time of this period and of the match.
    fn time_accounts(&self, seat: Seat) -> impl Iterator<Item = TimeAccount> + use<> {
        let (seated, limits) = (&self.players[seat], &self.limits[seat]);
        let is_program = matches!(seated.player, SeatPlayer::Program(_));
        let start =
            Some(limits.start).filter(|start| seated.first && is_program && !start.is_zero());
        // A game may grant one of its periods more than the rest (TankCraft's choice of teams).
        let limit = self
            .leg
            .period_limit()
            .map_or(limits.period, |own| own.max(limits.period));
        let limit = limit.saturating_add(start.unwrap_or_default());
        let limit = if self.in_script() {
            ForcedReplies::wait_limit(limit)
        } else {
            limit
        };
        let period = TimeAccount {
            spent: seated.period,
            limit,
            name: "period",
            start,
        };
        let total = limits.total.filter(|_| is_program && !self.in_script());
        let total = total.map(|limit| TimeAccount {
            spent: seated.total,
            limit,
            name: "match",
            start: None,
        });
        [Some(period), total].into_iter().flatten()
    }

    /// Whether a seat only thinks along: its answer is known and not compared.
    fn thinks_along(&self, seat: Seat) -> bool {
        self.in_script() && matches!(self.players[seat].player, SeatPlayer::Direct)
    }

    /// Whether more bytes of this seat are welcome. A program that is too far ahead is not read any
    /// more, so that a flood fills its own pipe and nothing else.
    pub fn accepts_input(&self, seat: Seat) -> bool {
        let seated = &self.players[seat];
        seated.ending.is_none() && seated.unasked.is_none() && !self.over
    }

    /// Something was heard from a seat, or time has passed. `spent` is what the seat used since it
    /// was listened to or last heard; it is charged only if the seat owes an answer.
    pub fn handle_input(&mut self, seat: Seat, said: SeatInput<'_>, spent: Spent) {
        if self.over {
            return;
        }
        let owes = self.owes_reply(seat);
        let counts = !self.in_script();
        let known = self
            .script
            .forced_reply(seat)
            .filter(|_| self.thinks_along(seat))
            .map(str::to_owned);
        let seated = &mut self.players[seat];
        if owes {
            let total = Some(&mut seated.total).filter(|_| counts);
            [&mut seated.period, &mut seated.step]
                .into_iter()
                .chain(total)
                .for_each(|sum| *sum += spent);
        }
        match said {
            SeatInput::Nothing if owes && known.is_some() => {
                seated.answer = known.map(PendingReply::Action)
            }
            SeatInput::Nothing => {}
            SeatInput::Bytes(bytes) => seated.inbox.push(bytes),
            SeatInput::Action(text) if owes => {
                seated.answer = Some(PendingReply::Action(text.to_owned()))
            }
            SeatInput::Action(_) => {}
            SeatInput::Closed(ending) => seated.ending = Some(ending.clone()),
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

    /// The replies so far, as they stand in a replay.
    pub fn replies_text(&self) -> &str {
        &self.recorder.leg.replies
    }

    /// Wall time of every reply so far, as it stands in a replay.
    pub fn times_us(&self) -> &[u64] {
        &self.recorder.leg.times_us
    }

    /// The position now.
    pub fn current_leg(&self) -> &dyn AnyLeg {
        &*self.leg
    }

    /// The longest period of a seat so far, by both clocks.
    pub fn slowest_period(&self, seat: Seat) -> Spent {
        let seated = &self.players[seat];
        seated.slowest.slower_of(&seated.period)
    }

    /// What a seat has used in the match so far.
    pub fn total_spent(&self, seat: Seat) -> Spent {
        self.players[seat].total
    }

    /// Why the leg cannot be judged, if so.
    pub fn find_disturbance(&self) -> Option<&RerunRecord> {
        self.disturbed.as_ref()
    }

    /// Faults so far, without what only the driver knows (last words).
    pub fn fault_records(&self) -> &[FaultRecord] {
        &self.faults
    }

    /// Whether recorded replies are still being played.
    pub fn in_script(&self) -> bool {
        !self.script.is_empty()
    }

    /// Where programs first answered otherwise than the script.
    pub fn divergences(&self) -> &BySeat<Option<Divergence>> {
        self.script.divergences()
    }

    /// The record of the leg, and its last position.
    pub fn finish_leg(self) -> (LegRecord, Box<dyn AnyLeg>) {
        let mut record = self.recorder.finish_leg(self.leg.outcome());
        record.faults = self.faults;
        (record, self.leg)
    }

    fn queue_message(&mut self, say: impl Fn(&mut dyn AnyProtocol, &dyn AnyLeg, Seat) -> Vec<u8>) {
        for seat in Seat::BOTH {
            let SeatPlayer::Program(dialect) = &mut self.players[seat].player else {
                continue;
            };
            let bytes = say(&mut **dialect, &*self.leg, seat);
            if !bytes.is_empty() {
                self.orders.push_back(RefereeCommand::Send(seat, bytes));
            }
        }
    }

    /// After a step: end the leg, or ask whoever moves now.
    fn go_on(&mut self) {
        if self.leg.period() > self.period {
            self.period = self.leg.period();
            self.players
                .iter_mut()
                .for_each(|(_, seated)| seated.new_period());
        }
        let to_move = self.leg.to_move();
        if to_move == ToMove::Nobody {
            self.queue_message(|dialect, leg, seat| dialect.write_end(leg, seat));
            self.over = true;
            return;
        }
        for seat in Seat::BOTH {
            self.players[seat].set_asked(to_move.asks_seat(seat));
        }
        self.queue_message(|dialect, leg, seat| {
            if to_move.asks_seat(seat) {
                dialect.write_question(leg, seat)
            } else {
                Vec::new()
            }
        });
        // Whoever answered early, left or broke a rule before it was asked is judged at once.
        Seat::BOTH
            .into_iter()
            .filter(|seat| to_move.asks_seat(*seat))
            .for_each(|seat| self.judge_message(seat));
    }

    /// Turns what is known of a seat that owes an answer into one, if it suffices.
    fn judge_message(&mut self, seat: Seat) {
        if let Some(recorded) = self.script.for_silent(seat) {
            self.players[seat].answer = Some(PendingReply::Action(recorded.to_owned()));
        } else if let Some(wrong) = self
            .time_accounts(seat)
            .find_map(|account| account.exceeded_limit())
        {
            self.record_fault(seat, wrong);
        } else if let Some(wrong) = self.players[seat].unasked.clone() {
            self.record_fault(seat, wrong);
        } else if self.players[seat].answer.is_none() {
            self.read(seat);
        }
        self.check_legal(seat);
        match self.players[seat].answer {
            Some(_) => self.check_unasked(seat),
            None => self.disturbed = self.describe_disturbance(seat),
        }
    }

    /// Why the time of a seat that still owes its answer cannot be judged, if so.
    fn describe_disturbance(&self, seat: Seat) -> Option<RerunRecord> {
        let disturbed = |account: &TimeAccount| {
            account.spent.judge_limit(account.limit) == TimeRuling::Disturbed
        };
        let account = self.time_accounts(seat).find(disturbed)?;
        Some(RerunRecord {
            entrant: seat.entrant_in_leg(self.index),
            round: self.leg.round(),
            why: account.describe_noise(),
            noise: account.spent.noise.into(),
        })
    }

    fn read(&mut self, seat: Seat) {
        let seated = &mut self.players[seat];
        let SeatPlayer::Program(dialect) = &mut seated.player else {
            return self.close_input(seat);
        };
        let framing = dialect.message_framing(&*self.leg);
        let read = match seated
            .inbox
            .take_message(framing, self.limits[seat].message)
        {
            Err(bad) => {
                let what = format!("sent an answer that {}", bad.why);
                Err(SeatFault {
                    fault: bad.fault,
                    what,
                    limit: bad.limit,
                })
            }
            Ok(None) => return self.close_input(seat),
            Ok(Some(body)) => dialect.read(&*self.leg, seat, body).map_err(|why| {
                SeatFault::new(
                    Fault::Malformed,
                    format!("sent the answer {}, which {why}", quote_bytes(body)),
                )
            }),
        };
        match read {
            Ok(action) => seated.answer = Some(PendingReply::Action(action)),
            Err(wrong) => self.record_fault(seat, wrong),
        }
    }

    /// No whole message is there: if nothing more can come, that is the fault.
    fn close_input(&mut self, seat: Seat) {
        let Some(ending) = self.players[seat].ending.clone() else {
            return;
        };
        let rest = self.players[seat].inbox.unread_bytes().len();
        let half = if rest > 0 {
            format!(", {rest} bytes into an unfinished answer")
        } else {
            String::new()
        };
        let what = format!("{}{half}", ending.what);
        self.record_fault(
            seat,
            SeatFault {
                fault: ending.fault,
                what,
                limit: ending.limit,
            },
        );
    }

    /// An illegal action is played all the same: the rules decide what it costs. It is noted here
    /// for people.
    fn check_legal(&mut self, seat: Seat) {
        let Some(PendingReply::Action(action)) = &self.players[seat].answer else {
            return;
        };
        if let Err(why) = self.leg.check_action(seat, action) {
            self.note_fault(seat, SeatFault::new(Fault::Illegal, why.0));
        }
    }

    /// Looks at what a program says while it owes nothing.
    fn check_unasked(&mut self, seat: Seat) {
        let seated = &mut self.players[seat];
        let SeatPlayer::Program(dialect) = &seated.player else {
            return;
        };
        if seated.unasked.is_some() {
            return;
        }
        let rest = seated.inbox.unread_bytes();
        if !dialect.may_answer_early() {
            if rest.trim_ascii().is_empty() {
                seated.inbox.clear_bytes(); // An empty line behind an answer does no harm.
            } else {
                let what = format!(
                    "said {} although it was not asked: one answer a question",
                    quote_bytes(rest)
                );
                seated.unasked = Some(SeatFault::new(Fault::Malformed, what));
            }
        } else {
            let framing = dialect.message_framing(&*self.leg);
            seated.unasked = too_far_ahead(&seated.inbox, framing, self.limits[seat].message);
        }
    }

    fn record_fault(&mut self, seat: Seat, wrong: SeatFault) {
        self.players[seat].answer = Some(PendingReply::Fault(wrong.fault));
        self.note_fault(seat, wrong);
    }

    fn note_fault(&mut self, seat: Seat, wrong: SeatFault) {
        if self.in_script() {
            return self.script.note_fault(seat, wrong.fault, wrong.what);
        }
        let seated = &self.players[seat];
        let sent = seated.inbox.recent_bytes().iter().take(SHOWN_BYTES);
        let hex: String = sent.map(|byte| format!("{byte:02x}")).collect();
        self.faults.push(FaultRecord {
            entrant: seat.entrant_in_leg(self.index),
            seat,
            code: wrong.fault.code().to_owned(),
            leg: Some(self.index + 1),
            round: self.leg.round(),
            step: self.recorder.step_count(),
            what: wrong.what,
            limit: wrong.limit,
            exit: seated
                .ending
                .as_ref()
                .and_then(|ending| ending.exit.clone()),
            last_words: Vec::new(),
            received: (!hex.is_empty()).then_some(hex),
        });
    }

    fn step_while_answered(&mut self) {
        let waits = |seated: &SeatState| seated.asked && seated.answer.is_none();
        let ready = |referee: &Referee| {
            let waiting = referee
                .players
                .iter_pairs()
                .any(|(_, seated)| waits(seated));
            !waiting && !referee.over && referee.disturbed.is_none()
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
        self.queue_message(|dialect, leg, seat| dialect.write_step(leg, seat, &replies));
    }

    /// What the script plays in this step, whatever was said. Only programs are compared with it.
    fn forced_step(&mut self, said: &TextReplies<'_>) -> Option<BySeat<Option<String>>> {
        let program = |seat: Seat| matches!(self.players[seat].player, SeatPlayer::Program(_));
        let said = BySeat::from_fn(|seat| said[seat].filter(|_| program(seat)));
        let (index, round, step) = (self.index, self.leg.round(), self.recorder.step_count());
        self.script.next(&said, |seat| LegPoint {
            entrant: seat.entrant_in_leg(index),
            round,
            step,
        })
    }

    fn record_step(&mut self, replies: &TextReplies<'_>) {
        self.recorder.record_replies(replies);
        // Between built-in bots and people neither CPU time nor noise tells anybody anything.
        let programs = self
            .players
            .iter_pairs()
            .any(|(_, seated)| matches!(seated.player, SeatPlayer::Program(_)));
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

impl TimeAccount {
    /// What is wrong if too much was used.
    fn exceeded_limit(&self) -> Option<SeatFault> {
        let TimeRuling::Over(over) = self.spent.judge_limit(self.limit) else {
            return None;
        };
        let clock = if over.cpu { "cpu" } else { "wall" };
        let name = format!("{}-{clock}", self.name);
        let limit = BrokenLimit::new(&name, "us", to_micros(over.allowed), to_micros(over.used));
        Some(SeatFault {
            fault: Fault::Timeout,
            what: self.describe_limit(over),
            limit: Some(limit),
        })
    }

    fn describe_limit(&self, over: ExceededTime) -> String {
        let (used, allowed) = (show_duration(over.used), show_duration(over.allowed));
        let told = match (over.cpu, self.spent.cpu) {
            (true, _) => format!(
                "used {used} of CPU time of {allowed} {}{}",
                self.limit_name(),
                self.describe_unasked()
            ),
            (false, None) => format!("used {used} of {allowed} {}", self.limit_name()),
            (false, Some(cpu)) => format!(
                "took {used} of {allowed} {}, waiting rather than computing: it used {} of {} of CPU time",
                self.limit_name(),
                show_duration(cpu),
                show_duration(self.limit)
            ),
        };
        let excused = self.spent.excused_time();
        let excused = if over.cpu || excused < LEAST_NOISE {
            String::new()
        } else {
            format!("; {} of noise are excused", show_duration(excused))
        };
        let start = self.start.map_or(String::new(), |start| {
            format!(
                "; {} of the limit are for its start (--start-limit)",
                show_duration(start)
            )
        });
        format!("{told}{excused}{start}")
    }

    /// What of the time was used too early, in words.
    fn describe_unasked(&self) -> String {
        let unasked = self.spent.unasked_time();
        if unasked < LEAST_NOISE {
            return String::new();
        }
        format!(
            ", at least {} of it before it was asked",
            show_duration(unasked)
        )
    }

    fn limit_name(&self) -> &'static str {
        match (self.name, self.start) {
            ("match", _) => "in all its turns of the match",
            (_, Some(_)) => "in its first turn",
            (_, None) => "in its turn",
        }
    }

    /// Why nothing can be said, in words.
    fn describe_noise(&self) -> String {
        let noise = &self.spent.noise;
        format!(
            "after {} {} it had used only {} of {} of CPU time, because the machine withheld it: it waited {} for \
             its core, the judge was late by {}, the hypervisor stole {}",
            show_duration(self.spent.wall),
            self.limit_name(),
            show_duration(self.spent.charged_time().unwrap_or_default()),
            show_duration(self.limit),
            show_duration(noise.delay),
            show_duration(noise.late),
            show_duration(noise.steal)
        )
    }
}

impl SeatState {
    fn new(player: SeatPlayer) -> SeatState {
        SeatState {
            player,
            inbox: Inbox::default(),
            period: Spent::default(),
            step: Spent::default(),
            total: Spent::default(),
            slowest: Spent::default(),
            first: true,
            asked: false,
            asked_in_period: false,
            answer: None,
            ending: None,
            unasked: None,
        }
    }

    fn new_period(&mut self) {
        self.slowest = self.slowest.slower_of(&self.period);
        self.period = Spent::default();
        self.first &= !self.asked_in_period;
        self.asked_in_period = false;
    }

    fn set_asked(&mut self, asked: bool) {
        self.asked = asked;
        self.asked_in_period |= asked;
        self.step = Spent::default();
        if asked {
            self.inbox.forget_taken();
        }
    }

    fn take_answer(&mut self) -> Option<PendingReply> {
        self.asked = false;
        self.answer.take()
    }
}

fn too_far_ahead(inbox: &Inbox, framing: Framing, limit: usize) -> Option<SeatFault> {
    let waiting = inbox.count_waiting(framing, limit, MAX_EARLY + 1);
    if waiting > MAX_EARLY {
        let what = format!(
            "is more than {MAX_EARLY} answers ahead of the questions: one answer a question"
        );
        let limit = BrokenLimit::new("ahead", "answers", MAX_EARLY as u64, waiting as u64);
        return Some(SeatFault {
            fault: Fault::Output,
            what,
            limit: Some(limit),
        });
    }
    let bytes = inbox.unread_bytes().len();
    let most = MAX_EARLY * (limit + 4);
    let what = || format!("sent {bytes} bytes without being asked; {most} may wait");
    let limit = || {
        Some(BrokenLimit::new(
            "ahead",
            "bytes",
            most as u64,
            bytes as u64,
        ))
    };
    (bytes > most).then(|| SeatFault {
        fault: Fault::Output,
        what: what(),
        limit: limit(),
    })
}

/// A duration for people: `212 ms`, `3 s`, `3.04 s`, `3.001 s`.
pub fn show_duration(time: Duration) -> String {
    match time.as_millis() {
        0 => format!("{} µs", time.as_micros()),
        1..1000 => format!("{} ms", time.as_millis()),
        millis if millis % 1000 == 0 => format!("{} s", millis / 1000),
        millis if millis % 10 == 0 => format!("{}.{:02} s", millis / 1000, millis % 1000 / 10),
        millis => format!("{}.{:03} s", millis / 1000, millis % 1000),
    }
}

/// Bytes of a program for people: as text where they are text, else as hexadecimal; never long.
fn quote_bytes(bytes: &[u8]) -> String {
    const MOST: usize = 60;
    let shown = &bytes[..bytes.len().min(MOST)];
    let dots = if bytes.len() > MOST { "…" } else { "" };
    match std::str::from_utf8(shown) {
        Ok(text)
            if !text.is_empty()
                && !text.contains(|c: char| c.is_control() && !c.is_whitespace()) =>
        {
            format!("{text:?}{dots}")
        }
        _ => {
            let hex: Vec<String> = shown.iter().map(|byte| format!("{byte:02x}")).collect();
            format!("[{}{dots}]", hex.join(" "))
        }
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
