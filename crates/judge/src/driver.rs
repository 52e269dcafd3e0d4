//! Plays a match: starts the programs, moves the bytes that the referee orders, measures time, writes the replay.
//! One thread a match, blocking in `poll`; nothing here decides anything about the game.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use leitai_game::replay::{FORMAT, LegRecord, LimitsRecord, Replay, Status, VerdictRecord};
use leitai_game::rng::mix;
use leitai_game::{
    AnyBot, AnyGame, AnyLeg, AnySetup, ByEntrant, BySeat, Clock, Entrant, Fault, Invalid, Outcome, Scope,
    Seat, ToMove, Verdict,
};
use leitai_sandbox::Sandbox;
use rustix::event::PollFd;
use serde_json::Value;

use crate::log::KEPT;
use crate::pin::Pinned;
use crate::player::{Answer, People, Player, PlayerKind};
use crate::referee::{Chair, Ending, Limits, Order, Referee, Said};
use crate::resume::Resume;
use crate::script::{Divergence, Script};
use crate::wire::{Heard, Wire, wait};

/// How long programs may take to leave after the end message, before they are ended without blame.
const LEAVE: Duration = Duration::from_millis(50);
/// How often an interruption is looked for while nothing happens.
const LOOK: Duration = Duration::from_millis(100);
/// How often people are looked at while they think.
const FRAME: Duration = Duration::from_millis(15);

/// A match to be played.
pub struct Match {
    /// The game.
    pub game: &'static dyn AnyGame,
    /// The config the setup was dealt with.
    pub config: Value,
    /// The seed the setup was dealt from; also the seed of all chance of built-in bots.
    pub seed: u64,
    /// Chance as it fell.
    pub setup: Arc<dyn AnySetup>,
    /// How many legs are played at most.
    pub legs: usize,
    /// Who plays.
    pub players: ByEntrant<Player>,
    /// What programs may use; the time of people stands in [`PlayerKind::Human`].
    pub limits: Limits,
    /// How programs are started.
    pub sandbox: Sandbox,
    /// When the match began, RFC 3339.
    pub recorded: Option<String>,
    /// A moment of a recorded match to play on from; its legs before are taken over, and [`Match::legs`] counts them.
    pub from: Option<Resume>,
}

impl Match {
    fn limits_of(&self, entrant: Entrant) -> Limits {
        match self.players[entrant].kind {
            PlayerKind::Human { period } => Limits { period, ..self.limits },
            _ => self.limits,
        }
    }
}

/// A match that was played, or interrupted.
pub struct Played {
    /// The replay.
    pub replay: Replay,
    /// The verdict; `None` when the match was interrupted.
    pub verdict: Option<Verdict>,
    /// How every finished leg ended.
    pub outcomes: Vec<Outcome>,
    /// The longest period of each entrant.
    pub slowest: ByEntrant<Duration>,
    /// Where programs did not answer as in the replay that the match went on from.
    pub divergences: Vec<Divergence>,
}

/// Something of ours that went wrong: the match says nothing about the entrants.
#[derive(Debug, thiserror::Error)]
pub enum JudgeError {
    /// The match cannot be set up as asked.
    #[error(transparent)]
    Invalid(#[from] Invalid),
    /// The machine did not give what was needed.
    #[error("could not start {name}: {source}; free processes, memory or files and run the match again")]
    Start {
        /// The entrant.
        name: String,
        /// What the system said.
        source: std::io::Error,
    },
}

/// Watches a match while it is played.
pub trait Observer {
    /// Before the first step of a leg, after every step, and now and then while an answer is awaited.
    fn progress(&mut self, progress: &Progress<'_>);
    /// A leg is over; its record has faults with last words.
    fn leg_over(&mut self, _index: usize, _record: &LegRecord, _leg: &dyn AnyLeg) {}
}

/// How a match stands.
pub struct Progress<'a> {
    /// The leg, from 0.
    pub index: usize,
    /// The position.
    pub leg: &'a dyn AnyLeg,
    /// The replies so far, as they stand in a replay ([`LegRecord::replies`]).
    pub replies: &'a str,
    /// The longest period of each entrant so far in this leg.
    pub slowest: ByEntrant<Duration>,
}

/// Nobody watches.
impl Observer for () {
    fn progress(&mut self, _: &Progress<'_>) {}
}

/// Plays a match to its verdict, or until `stop` is set. Programs are gone when it returns.
pub fn play(
    fixture: &Match,
    people: &mut dyn People,
    observer: &mut dyn Observer,
    stop: &AtomicBool,
) -> Result<Played, JudgeError> {
    let _pinned = turn_based(fixture).then(Pinned::here);
    let (mut records, mut ends) =
        fixture.from.as_ref().map_or_else(Default::default, |from| from.earlier(&*fixture.setup));
    let mut outcomes: Vec<Outcome> = ends.iter().filter_map(|leg| leg.outcome()).collect();
    let mut divergences = Vec::new();
    let mut slowest = ByEntrant::<Duration>::default();
    while ends.len() < fixture.legs && outcomes.last().is_none_or(|outcome| outcome.scope == Scope::Leg) {
        let mut table = Table::new(fixture, ends.len())?;
        table.play(people, observer, stop);
        for (entrant, slow) in slowest.iter_mut() {
            *slow = (*slow).max(table.referee.slowest(entrant.seat(ends.len())));
        }
        divergences.extend(table.referee.divergences().iter().filter_map(|(_, found)| found.clone()));
        let (record, leg) = table.finish();
        observer.leg_over(ends.len(), &record, &*leg);
        records.push(record);
        match leg.outcome() {
            Some(outcome) => outcomes.push(outcome),
            None => break,
        }
        ends.push(leg);
    }
    let interrupted = ends.len() < records.len() || records.is_empty();
    let verdict = (!interrupted).then(|| fixture.setup.verdict(&ends));
    Ok(Played { replay: replay(fixture, records, verdict), verdict, outcomes, slowest, divergences })
}

/// Whether programs play, and one at a time.
fn turn_based(fixture: &Match) -> bool {
    let program = |player: &Player| matches!(player.kind, PlayerKind::Program { .. });
    let programs = fixture.players.iter().any(|(_, player)| program(player));
    programs && matches!(fixture.setup.start().to_move(), ToMove::One(_))
}

fn replay(fixture: &Match, legs: Vec<LegRecord>, verdict: Option<Verdict>) -> Replay {
    let meta = fixture.game.meta();
    Replay {
        format: FORMAT.to_owned(),
        game: meta.id.to_owned(),
        rules: meta.rules.to_owned(),
        engine: concat!("leitai ", env!("CARGO_PKG_VERSION")).to_owned(),
        recorded: fixture.recorded.clone(),
        seed: Some(fixture.seed),
        config: fixture.config.clone(),
        setup: fixture.setup.to_json(),
        entrants: fixture.players.each_ref().map(Player::record),
        limits: Some(LimitsRecord {
            period_ms: u64::try_from(fixture.limits.period.as_millis()).unwrap_or(u64::MAX),
            message_bytes: fixture.limits.message,
            log_bytes: KEPT,
            isolation: fixture.sandbox.tier().to_string(),
        }),
        status: if verdict.is_some() { Status::Complete } else { Status::Interrupted },
        forced: fixture.from.as_ref().map(Resume::record),
        legs,
        verdict: verdict.as_ref().map(VerdictRecord::from),
        origin: None,
    }
}

/// One leg while it is played.
struct Table {
    index: usize,
    referee: Referee,
    hands: BySeat<Hand>,
    /// Since when a seat that owes an answer is listened to.
    since: BySeat<Option<Instant>>,
    buffer: Vec<u8>,
}

/// What moves on a seat.
enum Hand {
    Bot(Box<dyn AnyBot>),
    Program(Box<Wire>),
    /// A program that never started.
    Gone(Ending),
    Person,
}

impl Table {
    fn new(fixture: &Match, index: usize) -> Result<Table, JudgeError> {
        let seats = BySeat::from_fn(|seat: Seat| {
            let entrant = seat.entrant(index);
            sit(
                fixture,
                &fixture.players[entrant],
                mix(fixture.seed, (2 * index + entrant.index()) as u64 + 1),
            )
        });
        let [first, second] = seats.into_pair();
        let ((chair1, hand1), (chair2, hand2)) = (first?, second?);
        let chairs = BySeat::new(chair1, chair2);
        let limits = BySeat::from_fn(|seat: Seat| fixture.limits_of(seat.entrant(index)));
        Ok(Table {
            index,
            referee: Referee::scripted(&*fixture.setup, index, chairs, limits, script(fixture, index)),
            hands: BySeat::new(hand1, hand2),
            since: BySeat::default(),
            buffer: Vec::new(),
        })
    }

    fn play(&mut self, people: &mut dyn People, observer: &mut dyn Observer, stop: &AtomicBool) {
        self.report(observer);
        for seat in Seat::BOTH {
            if let Hand::Gone(ending) = &self.hands[seat] {
                self.referee.hear(seat, Said::Closed(ending), Duration::ZERO);
            }
        }
        while !stop.load(Ordering::Relaxed) {
            match self.referee.order() {
                Order::Done => break,
                Order::Send(seat, bytes) => {
                    // Whoever owes an answer may begin to think as soon as this is written, so its clock starts now.
                    if self.referee.budget(seat).is_some() {
                        self.since[seat].get_or_insert_with(Instant::now);
                    }
                    if let Hand::Program(wire) = &mut self.hands[seat] {
                        wire.send(&bytes);
                    }
                }
                Order::Listen(budgets) => {
                    self.listen(&budgets, people);
                    self.report(observer);
                }
            }
        }
    }

    fn report(&self, observer: &mut dyn Observer) {
        let slowest = ByEntrant::from_fn(|entrant: Entrant| self.referee.slowest(entrant.seat(self.index)));
        let (leg, replies) = (self.referee.leg(), self.referee.replies());
        observer.progress(&Progress { index: self.index, leg, replies, slowest });
    }

    /// Programs are listened to before a built-in bot thinks, so that its thinking is not on their clock.
    fn listen(&mut self, budgets: &BySeat<Option<Duration>>, people: &mut dyn People) {
        let owes = |hand: fn(&Hand) -> bool| {
            Seat::BOTH.into_iter().find(|seat| budgets[*seat].is_some() && hand(&self.hands[*seat]))
        };
        let person = owes(|hand| matches!(hand, Hand::Person));
        let program = owes(|hand| matches!(hand, Hand::Program(_)));
        if person.is_none() && program.is_none() {
            return self.think(budgets);
        }
        self.start_clocks(budgets, people);
        let time = if person.is_some() { FRAME } else { LOOK };
        let shortest = Seat::BOTH.into_iter().filter_map(|seat| self.left(seat, budgets)).min();
        self.exchange(shortest.map_or(time, |left| left.min(time)));
        if person.is_some() {
            self.look_at(people);
        }
        self.end_late(budgets);
    }

    /// A built-in bot has no clock here: its time is what [`Table::think`] takes.
    fn start_clocks(&mut self, budgets: &BySeat<Option<Duration>>, people: &mut dyn People) {
        for (seat, budget) in budgets.iter() {
            let timed = !matches!(self.hands[seat], Hand::Bot(_));
            if let (Some(budget), None, true) = (budget, self.since[seat], timed) {
                self.since[seat] = Some(Instant::now());
                if matches!(self.hands[seat], Hand::Person) {
                    people.ask(self.referee.leg(), seat, *budget);
                }
            }
        }
    }

    fn left(&self, seat: Seat, budgets: &BySeat<Option<Duration>>) -> Option<Duration> {
        let spent = self.since[seat]?.elapsed();
        Some(budgets[seat]?.saturating_sub(spent))
    }

    fn hear(&mut self, seat: Seat, said: Said<'_>) {
        let spent = self.since[seat].take().map_or(Duration::ZERO, |since| since.elapsed());
        self.referee.hear(seat, said, spent);
    }

    fn end_late(&mut self, budgets: &BySeat<Option<Duration>>) {
        for seat in Seat::BOTH {
            if self.since[seat].is_some() && self.left(seat, budgets) == Some(Duration::ZERO) {
                self.hear(seat, Said::Nothing);
            }
        }
    }

    /// A built-in bot that is asked answers.
    fn think(&mut self, budgets: &BySeat<Option<Duration>>) {
        for (seat, budget) in budgets.iter() {
            if let (Some(budget), Hand::Bot(bot)) = (budget, &mut self.hands[seat]) {
                let clock = Deadline(Instant::now() + *budget);
                let begun = Instant::now();
                let action = bot.choose(self.referee.leg(), seat, &clock);
                self.referee.hear(seat, Said::Action(&action), begun.elapsed());
            }
        }
    }

    fn look_at(&mut self, people: &mut dyn People) {
        let Some((seat, answer)) = people.poll(self.referee.leg()) else { return };
        match answer {
            Answer::Action(action) => self.hear(seat, Said::Action(&action)),
            Answer::Leave => {
                let ending = Ending { fault: Fault::Exited, what: "left the match".into(), exit: None };
                self.hear(seat, Said::Closed(&ending));
            }
        }
    }

    /// Waits until a program writes, takes what we send, or the time is over; passes on what it said.
    fn exchange(&mut self, time: Duration) {
        let mut fds: Vec<PollFd<'_>> = Vec::with_capacity(8);
        for (seat, hand) in self.hands.iter() {
            if let Hand::Program(wire) = hand {
                wire.watch(self.referee.welcomes(seat), &mut fds);
            }
        }
        if !wait(&mut fds, time) {
            return;
        }
        let mut buffer = std::mem::take(&mut self.buffer);
        for seat in Seat::BOTH {
            self.exchange_with(seat, &mut buffer);
        }
        self.buffer = buffer;
    }

    fn exchange_with(&mut self, seat: Seat, buffer: &mut Vec<u8>) {
        let period = self.referee.leg().period();
        let welcome = self.referee.welcomes(seat);
        let Hand::Program(wire) = &mut self.hands[seat] else { return };
        wire.flush();
        wire.drain(period, buffer);
        if !welcome {
            return;
        }
        match wire.read(buffer) {
            Heard::Nothing => {}
            Heard::Bytes(count) => self.hear(seat, Said::Bytes(&buffer[..count])),
            Heard::Closed => {
                let ending = wire.ending();
                self.hear(seat, Said::Closed(&ending));
            }
        }
    }

    /// Ends the programs and closes the record.
    fn finish(mut self) -> (LegRecord, Box<dyn AnyLeg>) {
        let period = self.referee.leg().period();
        let deadline = Instant::now() + LEAVE;
        for (_, hand) in self.hands.iter_mut() {
            if let Hand::Program(wire) = hand {
                wire.finish(period, deadline);
            }
        }
        let (mut record, leg) = self.referee.finish();
        for (seat, hand) in self.hands.iter() {
            let Hand::Program(wire) = hand else { continue };
            let entrant = seat.entrant(self.index);
            record.logs.extend(wire.log.records(entrant));
            let faults = record.faults.iter_mut().filter(|fault| fault.entrant == entrant);
            faults.for_each(|fault| fault.last_words = wire.log.last_words());
        }
        (record, leg)
    }
}

/// What is forced in this leg.
fn script(fixture: &Match, index: usize) -> Script {
    let from = fixture.from.as_ref().filter(|from| from.leg() == index);
    from.map(|from| from.script.clone()).unwrap_or_default()
}

fn sit(fixture: &Match, player: &Player, seed: u64) -> Result<(Chair, Hand), JudgeError> {
    match &player.kind {
        PlayerKind::Human { .. } => Ok((Chair::Direct, Hand::Person)),
        PlayerKind::BuiltIn(name) => {
            let bot = fixture.game.bot(name, seed);
            let bot = bot.ok_or_else(|| Invalid(format!("there is no built-in bot {name:?}")))?;
            Ok((Chair::Direct, Hand::Bot(bot)))
        }
        PlayerKind::Broken(why) => {
            let ending = Ending { fault: Fault::Compile, what: why.clone(), exit: None };
            Ok((Chair::Direct, Hand::Gone(ending)))
        }
        PlayerKind::Program { program, dialect, connect } => {
            let spoken = fixture.game.dialect(dialect);
            let spoken = spoken.ok_or_else(|| Invalid(format!("there is no dialect {dialect:?}")))?;
            let started = Wire::start(&fixture.sandbox, program, *connect)
                .map_err(|source| JudgeError::Start { name: player.name.clone(), source })?;
            let hand = started.map_or_else(Hand::Gone, |wire| Hand::Program(Box::new(wire)));
            Ok((Chair::Program(spoken), hand))
        }
    }
}

struct Deadline(Instant);

impl Clock for Deadline {
    fn left(&self) -> Option<Duration> {
        Some(self.0.saturating_duration_since(Instant::now()))
    }
}
