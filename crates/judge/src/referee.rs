//! The referee of one leg: a pure state machine. It is told what programs said and how long they took, and gives
//! orders to whoever moves the bytes. Every judging rule can be tested without a process, a port or a sleep.

use std::time::Duration;

use leitai_game::erased::TextReplies;
use leitai_game::replay::{FaultRecord, LegRecord, Recorder};
use leitai_game::{AnyDialect, AnyLeg, AnySetup, BySeat, Fault, Framing, Reply, Seat, ToMove};

use crate::framing::Inbox;
use crate::script::{Divergence, Place, Script};

/// Messages that a program may be ahead of the questions at most, where its dialect allows it at all.
pub const MAX_EARLY: usize = 8;
/// Unused bytes of a program that are kept for its author.
const SHOWN_BYTES: usize = 256;

/// What a program may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Time a period.
    pub period: Duration,
    /// Bytes in one message.
    pub message: usize,
}

/// The same limits for both seats.
impl From<Limits> for BySeat<Limits> {
    fn from(limits: Limits) -> Self {
        BySeat::new(limits, limits)
    }
}

/// Who sits on a seat.
pub enum Chair {
    /// A program that speaks a dialect.
    Program(Box<dyn AnyDialect>),
    /// A built-in bot or a person: says actions in notation.
    Direct,
}

/// What was heard from a seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Said<'a> {
    /// Nothing so far.
    Nothing,
    /// Bytes from a program.
    Bytes(&'a [u8]),
    /// An action in notation from a direct seat.
    Action(&'a str),
    /// Nothing more will come.
    Closed(&'a Ending),
}

/// How a program, or a person, stopped talking.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ending {
    /// The fault that it is, if anything more is wanted from this seat.
    pub fault: Fault,
    /// What happened, as the end of a sentence that begins with the entrant's name.
    pub what: String,
    /// `exit code 3`, `signal 11 (SIGSEGV)`.
    pub exit: Option<String>,
}

/// What to do next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Order {
    /// Send the bytes to a program.
    Send(Seat, Vec<u8>),
    /// Listen to these seats, each for so long; then tell [`Referee::hear`].
    Listen(BySeat<Option<Duration>>),
    /// The leg is over and everything has been sent.
    Done,
}

/// The referee of one leg.
pub struct Referee {
    leg: Box<dyn AnyLeg>,
    index: usize,
    chairs: BySeat<Seated>,
    limits: BySeat<Limits>,
    period: u32,
    recorder: Recorder,
    orders: std::collections::VecDeque<Order>,
    faults: Vec<FaultRecord>,
    over: bool,
    script: Script,
}

/// A chair and what is known of who sits on it.
struct Seated {
    chair: Chair,
    inbox: Inbox,
    /// Time used in this period, and in this step.
    period: Duration,
    step: Duration,
    slowest: Duration,
    asked: bool,
    answer: Option<Answer>,
    ending: Option<Ending>,
    /// It broke a rule while it was not asked; counts when it is.
    unasked: Option<(Fault, String)>,
}

enum Answer {
    Action(String),
    Fault(Fault),
}

impl Answer {
    fn as_reply(&self) -> Reply<&str> {
        match self {
            Answer::Action(text) => Reply::Action(text),
            Answer::Fault(fault) => Reply::Fault(*fault),
        }
    }
}

impl Referee {
    /// A leg before its first message. `index` is the leg's place in the match, from 0.
    pub fn new(
        setup: &dyn AnySetup,
        index: usize,
        chairs: BySeat<Chair>,
        limits: impl Into<BySeat<Limits>>,
    ) -> Referee {
        Referee::scripted(setup, index, chairs, limits, Script::default())
    }

    /// A leg whose first replies are forced; every seat is asked all the same. Direct seats have no time while the
    /// script runs, and programs have plenty of it.
    pub fn scripted(
        setup: &dyn AnySetup,
        index: usize,
        chairs: BySeat<Chair>,
        limits: impl Into<BySeat<Limits>>,
        script: Script,
    ) -> Referee {
        let leg = setup.start();
        let mut referee = Referee {
            period: leg.period(),
            leg,
            index,
            chairs: chairs.map(Seated::new),
            limits: limits.into(),
            recorder: Recorder::default(),
            orders: Default::default(),
            faults: Vec::new(),
            over: false,
            script,
        };
        referee.send(|dialect, leg, seat| dialect.hello(leg, seat));
        referee.go_on();
        referee.step_while_answered();
        referee
    }

    /// What to do next. [`Order::Listen`] is given again until enough was heard.
    pub fn order(&mut self) -> Order {
        if let Some(order) = self.orders.pop_front() {
            return order;
        }
        if self.over {
            return Order::Done;
        }
        Order::Listen(BySeat::from_fn(|seat| self.budget(seat)))
    }

    /// Time that this seat has left for the answer it owes; `None` if it owes none.
    pub fn budget(&self, seat: Seat) -> Option<Duration> {
        let seated = &self.chairs[seat];
        let limit = if self.thinks_along(seat) { Duration::ZERO } else { self.period_limit(seat) };
        (seated.asked && seated.answer.is_none()).then(|| limit.saturating_sub(seated.period))
    }

    /// Time for the period being played. A game may grant one of its periods more than the rest (TankCraft's choice
    /// of teams).
    fn period_limit(&self, seat: Seat) -> Duration {
        let limit = self.limits[seat].period;
        let limit = self.leg.period_limit().map_or(limit, |own| own.max(limit));
        if self.in_script() { Script::patience(limit) } else { limit }
    }

    /// Whether a seat only thinks along: no bytes to be compared, and its answer is known.
    fn thinks_along(&self, seat: Seat) -> bool {
        self.in_script() && matches!(self.chairs[seat].chair, Chair::Direct)
    }

    /// Whether more bytes of this seat are welcome. A program that is too far ahead is not read any more, so that
    /// a flood fills its own pipe and nothing else.
    pub fn welcomes(&self, seat: Seat) -> bool {
        let seated = &self.chairs[seat];
        seated.ending.is_none() && seated.unasked.is_none() && !self.over
    }

    /// Something was heard from a seat, or time has passed. `spent` is what the seat used since it was listened to or
    /// last heard; it is charged only if the seat owes an answer.
    pub fn hear(&mut self, seat: Seat, said: Said<'_>, spent: Duration) {
        if self.over {
            return;
        }
        let owes = self.budget(seat).is_some();
        let known = self.script.forced(seat).filter(|_| self.thinks_along(seat)).map(str::to_owned);
        let seated = &mut self.chairs[seat];
        if owes {
            seated.period += spent;
            seated.step += spent;
        }
        match said {
            Said::Nothing if owes && known.is_some() => seated.answer = known.map(Answer::Action),
            Said::Nothing => {}
            Said::Bytes(bytes) => seated.inbox.push(bytes),
            Said::Action(text) if owes => seated.answer = Some(Answer::Action(text.to_owned())),
            Said::Action(_) => {}
            Said::Closed(ending) => seated.ending = Some(ending.clone()),
        }
        if owes {
            self.judge(seat);
            self.step_while_answered();
        } else {
            self.check_unasked(seat);
        }
    }

    /// The replies so far, as they stand in a replay.
    pub fn replies(&self) -> &str {
        &self.recorder.leg.replies
    }

    /// The position now.
    pub fn leg(&self) -> &dyn AnyLeg {
        &*self.leg
    }

    /// The longest period of a seat so far.
    pub fn slowest(&self, seat: Seat) -> Duration {
        let seated = &self.chairs[seat];
        seated.slowest.max(seated.period)
    }

    /// Faults so far, without what only the driver knows (last words).
    pub fn faults(&self) -> &[FaultRecord] {
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
    pub fn finish(self) -> (LegRecord, Box<dyn AnyLeg>) {
        let mut record = self.recorder.finish(self.leg.outcome());
        record.faults = self.faults;
        (record, self.leg)
    }

    fn send(&mut self, say: impl Fn(&mut dyn AnyDialect, &dyn AnyLeg, Seat) -> Vec<u8>) {
        for seat in Seat::BOTH {
            let Chair::Program(dialect) = &mut self.chairs[seat].chair else { continue };
            let bytes = say(&mut **dialect, &*self.leg, seat);
            if !bytes.is_empty() {
                self.orders.push_back(Order::Send(seat, bytes));
            }
        }
    }

    /// After a step: end the leg, or ask whoever moves now.
    fn go_on(&mut self) {
        if self.leg.period() > self.period {
            self.period = self.leg.period();
            self.chairs.iter_mut().for_each(|(_, seated)| seated.new_period());
        }
        let to_move = self.leg.to_move();
        if to_move == ToMove::Nobody {
            self.send(|dialect, leg, seat| dialect.bye(leg, seat));
            self.over = true;
            return;
        }
        for seat in Seat::BOTH {
            self.chairs[seat].ask(to_move.asks(seat));
        }
        self.send(|dialect, leg, seat| if to_move.asks(seat) { dialect.ask(leg, seat) } else { Vec::new() });
        // Whoever answered early, left or broke a rule before it was asked is judged at once.
        Seat::BOTH.into_iter().filter(|seat| to_move.asks(*seat)).for_each(|seat| self.judge(seat));
    }

    /// Turns what is known of a seat that owes an answer into one, if it suffices.
    fn judge(&mut self, seat: Seat) {
        if let Some(recorded) = self.script.for_silent(seat) {
            self.chairs[seat].answer = Some(Answer::Action(recorded.to_owned()));
        } else if self.chairs[seat].period > self.period_limit(seat) {
            let (used, limit) = (self.chairs[seat].period, self.period_limit(seat));
            self.fault(seat, Fault::Timeout, format!("used {} of {} in its turn", show(used), show(limit)));
        } else if let Some((fault, what)) = self.chairs[seat].unasked.clone() {
            self.fault(seat, fault, what);
        } else if self.chairs[seat].answer.is_none() {
            self.read(seat);
        }
        self.check_legal(seat);
        if self.chairs[seat].answer.is_some() {
            self.check_unasked(seat);
        }
    }

    fn read(&mut self, seat: Seat) {
        let seated = &mut self.chairs[seat];
        let Chair::Program(dialect) = &mut seated.chair else { return self.close(seat) };
        let framing = dialect.framing(&*self.leg);
        let read = match seated.inbox.take(framing, self.limits[seat].message) {
            Err(bad) => Err((bad.fault, format!("sent an answer that {}", bad.why))),
            Ok(None) => return self.close(seat),
            Ok(Some(body)) => dialect
                .read(&*self.leg, seat, body)
                .map_err(|why| (Fault::Malformed, format!("sent the answer {}, which {why}", quote(body)))),
        };
        match read {
            Ok(action) => seated.answer = Some(Answer::Action(action)),
            Err((fault, what)) => self.fault(seat, fault, what),
        }
    }

    /// No whole message is there: if nothing more can come, that is the fault.
    fn close(&mut self, seat: Seat) {
        let Some(ending) = self.chairs[seat].ending.clone() else { return };
        let rest = self.chairs[seat].inbox.rest().len();
        let half = if rest > 0 { format!(", {rest} bytes into an unfinished answer") } else { String::new() };
        self.fault(seat, ending.fault, format!("{}{half}", ending.what));
    }

    /// An illegal action is played all the same: the rules decide what it costs. It is noted here for people.
    fn check_legal(&mut self, seat: Seat) {
        let Some(Answer::Action(action)) = &self.chairs[seat].answer else { return };
        if let Err(why) = self.leg.check(seat, action) {
            self.note(seat, Fault::Illegal, why.0);
        }
    }

    /// Looks at what a program says while it owes nothing.
    fn check_unasked(&mut self, seat: Seat) {
        let seated = &mut self.chairs[seat];
        let Chair::Program(dialect) = &seated.chair else { return };
        if seated.unasked.is_some() {
            return;
        }
        let rest = seated.inbox.rest();
        if !dialect.may_answer_early() {
            if rest.trim_ascii().is_empty() {
                seated.inbox.clear(); // An empty line behind an answer does no harm.
            } else {
                let what = format!("said {} although it was not asked: one answer a question", quote(rest));
                seated.unasked = Some((Fault::Malformed, what));
            }
        } else if let Some(what) =
            too_far_ahead(&seated.inbox, dialect.framing(&*self.leg), self.limits[seat].message)
        {
            seated.unasked = Some((Fault::Output, what));
        }
    }

    fn fault(&mut self, seat: Seat, fault: Fault, what: String) {
        self.chairs[seat].answer = Some(Answer::Fault(fault));
        self.note(seat, fault, what);
    }

    fn note(&mut self, seat: Seat, fault: Fault, what: String) {
        if !self.script.is_empty() {
            return self.script.failed(seat, fault, what);
        }
        let seated = &self.chairs[seat];
        let rest = seated.inbox.rest();
        let hex: String = rest.iter().take(SHOWN_BYTES).map(|byte| format!("{byte:02x}")).collect();
        self.faults.push(FaultRecord {
            entrant: seat.entrant(self.index),
            seat,
            code: fault.code().to_owned(),
            round: self.leg.round(),
            step: self.recorder.steps(),
            what,
            exit: seated.ending.as_ref().and_then(|ending| ending.exit.clone()),
            last_words: Vec::new(),
            received: (!hex.is_empty()).then_some(hex),
        });
    }

    fn step_while_answered(&mut self) {
        let waits = |seated: &Seated| seated.asked && seated.answer.is_none();
        while !self.over && !self.chairs.iter().any(|(_, seated)| waits(seated)) {
            let answers = BySeat::from_fn(|seat: Seat| self.chairs[seat].take_answer());
            self.step(&answers.each_ref().map(|answer| answer.as_ref().map(Answer::as_reply)));
            self.go_on();
        }
    }

    fn step(&mut self, said: &TextReplies<'_>) {
        let forced = self.forced(said);
        let forced = forced
            .as_ref()
            .map(|actions| actions.each_ref().map(|action| action.as_deref().map(Reply::Action)));
        let replies = forced.unwrap_or(*said);
        self.record(&replies);
        self.leg.step(replies, &mut self.recorder);
        self.send(|dialect, leg, seat| dialect.stepped(leg, seat, &replies));
    }

    /// What the script plays in this step, whatever was said. Only programs are compared with it.
    fn forced(&mut self, said: &TextReplies<'_>) -> Option<BySeat<Option<String>>> {
        let program = |seat: Seat| matches!(self.chairs[seat].chair, Chair::Program(_));
        let said = BySeat::from_fn(|seat| said[seat].filter(|_| program(seat)));
        let (index, round, step) = (self.index, self.leg.round(), self.recorder.steps());
        self.script.next(&said, |seat| Place { entrant: seat.entrant(index), round, step })
    }

    fn record(&mut self, replies: &TextReplies<'_>) {
        self.recorder.replies(replies);
        for (seat, _) in replies.iter().filter(|(_, reply)| reply.is_some()) {
            let spent = self.chairs[seat].step.as_micros();
            self.recorder.leg.times_us.push(u64::try_from(spent).unwrap_or(u64::MAX));
        }
    }
}

impl Seated {
    fn new(chair: Chair) -> Seated {
        Seated {
            chair,
            inbox: Inbox::default(),
            period: Duration::ZERO,
            step: Duration::ZERO,
            slowest: Duration::ZERO,
            asked: false,
            answer: None,
            ending: None,
            unasked: None,
        }
    }

    fn new_period(&mut self) {
        self.slowest = self.slowest.max(self.period);
        self.period = Duration::ZERO;
    }

    fn ask(&mut self, asked: bool) {
        self.asked = asked;
        self.step = Duration::ZERO;
    }

    fn take_answer(&mut self) -> Option<Answer> {
        self.asked = false;
        self.answer.take()
    }
}

fn too_far_ahead(inbox: &Inbox, framing: Framing, limit: usize) -> Option<String> {
    if inbox.waiting(framing, limit, MAX_EARLY + 1) > MAX_EARLY {
        return Some(format!(
            "is more than {MAX_EARLY} answers ahead of the questions: one answer a question"
        ));
    }
    let bytes = inbox.rest().len();
    let most = MAX_EARLY * (limit + 4);
    (bytes > most).then(|| format!("sent {bytes} bytes without being asked; {most} may wait"))
}

/// A duration for people: `212 ms`, `3 s`, `3.04 s`, `3.001 s`.
pub fn show(time: Duration) -> String {
    match time.as_millis() {
        0 => format!("{} µs", time.as_micros()),
        1..1000 => format!("{} ms", time.as_millis()),
        millis if millis % 1000 == 0 => format!("{} s", millis / 1000),
        millis if millis % 10 == 0 => format!("{}.{:02} s", millis / 1000, millis % 1000 / 10),
        millis => format!("{}.{:03} s", millis / 1000, millis % 1000),
    }
}

/// Bytes of a program for people: as text where they are text, else as hexadecimal; never long.
fn quote(bytes: &[u8]) -> String {
    const MOST: usize = 60;
    let shown = &bytes[..bytes.len().min(MOST)];
    let dots = if bytes.len() > MOST { "…" } else { "" };
    match std::str::from_utf8(shown) {
        Ok(text) if !text.is_empty() && !text.contains(|c: char| c.is_control() && !c.is_whitespace()) => {
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
        let setup =
            leitai_game::AnyGame::deal(&game, &serde_json::Value::Null, 1).expect("the default config");
        let limits = |seconds| Limits { period: Duration::from_secs(seconds), message: 2048 };
        let limits = BySeat::new(limits(3600), limits(3));
        let mut referee = Referee::new(&*setup, 0, BySeat::new(Chair::Direct, Chair::Direct), limits);
        let budgets =
            |referee: &Referee| BySeat::from_fn(|seat| referee.budget(seat).map(|time| time.as_secs()));
        assert_eq!(budgets(&referee), BySeat::new(Some(3600), None));
        referee.hear(Seat::First, Said::Action("1"), Duration::from_secs(60));
        assert_eq!(budgets(&referee), BySeat::new(None, Some(3)));
        assert_eq!(referee.replies(), "1");
        referee.hear(Seat::Second, Said::Nothing, Duration::from_secs(4));
        assert_eq!(referee.replies(), "1 !TLE");
    }
}
