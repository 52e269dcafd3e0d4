//! Plays one leg: moves bytes and time between the programs, built-in bots and people of a leg and
//! its referee.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use leitai_game::lang::{Message, say};
use leitai_game::replay::LegRecord;
use leitai_game::rng::mix_seed;
use leitai_game::{
    AnyBot, AnyLeg, AnyProtocol, BotClock, ByEntrant, BySeat, Entrant, Fault, InvalidSetup, Seat,
};
use leitai_sandbox::{KeptFile, Program, SandboxedChild};
use rustix::event::PollFd;

use super::spec::{JudgeError, MatchObserver, MatchProgress, MatchSpec, TimeTally};
use crate::affinity::CoreAssignment;
use crate::clock::{Spent, TimeBank, longest_wait};
use crate::forced_replies::ForcedReplies;
use crate::io_pattern::IoPattern;
use crate::noise::Noise;
use crate::player::{HumanAnswer, HumanInput, PlayerKind, Transport, ask_built_in};
use crate::program_io::{EXIT, ProgramEnd, ProgramIo, ProgramOutput, poll_until};
use crate::referee::{InputEnd, Referee, RefereeCommand, SeatInput, SeatPlayer};
use crate::stopwatch::{SeatStopwatch, thread_cpu};
use crate::traffic::{ProgramTraffic, TrafficStream};

/// The interval at which an interruption is checked while nothing else happens.
const LOOK: Duration = Duration::from_millis(100);
/// The interval at which programs elsewhere are polled, which answer often.
const PROGRAM_FRAME: Duration = Duration::from_millis(2);
/// The time after which an idle program is frozen: freezing and thawing take several times as long
/// as a short move.
const GRACE: Duration = Duration::from_micros(200);
/// The thinking time of a built-in bot whose reply is forced.
const KNOWN: Duration = Duration::from_millis(10);

/// A running leg.
pub(super) struct LegDriver {
    index: usize,
    pub(super) referee: Referee,
    seat_ios: BySeat<SeatIo>,
    /// The clocks, which run while a seat owes an answer.
    clocks: BySeat<SeatStopwatch>,
    /// What programs may keep for the next leg.
    pub(super) kept: BySeat<Option<KeptFile>>,
    /// The thinking time of built-in bots.
    thought: BySeat<Duration>,
    bot_threads: BySeat<u16>,
    /// Whether waiting programs are frozen.
    rests: bool,
    /// Whether programs that are asked at the same time answer one after the other; `held` has the
    /// bytes for the second.
    one_by_one: bool,
    held: BySeat<Vec<u8>>,
    /// Whether the last answer of a seat's built-in bot took longer than freezing a program.
    thinks_long: BySeat<bool>,
    /// The time at which a waiting program is frozen if the other seat has not answered by then.
    rest_due: Option<(Seat, Instant)>,
    buffer: Vec<u8>,
    /// The buffer of what programs write to stderr.
    logged: Vec<u8>,
    /// The built-in bot that panicked, and its panic message.
    pub(super) panicked: Option<(Seat, String)>,
}

/// The input and output of a seat.
enum SeatIo {
    Bot(Box<dyn AnyBot>),
    Program(Box<ProgramIo>),
    /// A program that never started.
    Gone(InputEnd),
    /// A person, or a program elsewhere.
    Person {
        is_program: bool,
    },
}

impl SeatIo {
    fn child_process(&self) -> Option<&SandboxedChild> {
        match self {
            SeatIo::Program(wire) => Some(wire.child_process()),
            _ => None,
        }
    }
}

impl LegDriver {
    pub(super) fn new(
        fixture: &MatchSpec,
        index: usize,
        cores: &CoreAssignment,
        tally: &TimeTally,
    ) -> Result<LegDriver, JudgeError> {
        let kept = kept_files(fixture, index, tally)?;
        let (players, seat_ios) = seat_players(fixture, index, cores, &kept)?;
        let limits = BySeat::from_fn(|seat: Seat| fixture.limits_of(seat.entrant_in_leg(index)));
        let used = BySeat::from_fn(|seat: Seat| tally.total[seat.entrant_in_leg(index)]);
        let waited = BySeat::from_fn(|seat: Seat| tally.waited[seat.entrant_in_leg(index)]);
        let clocks = BySeat::from_fn(|seat: Seat| match &seat_ios[seat] {
            SeatIo::Program(wire) => SeatStopwatch::of_program(
                cores.core_of(seat),
                wire.child_process(),
                cores.freezes_idle(),
            ),
            _ => SeatStopwatch::default(),
        });
        let referee = Referee::with_forced_replies(
            &*fixture.setup,
            index,
            players,
            limits,
            forced_replies(fixture, index),
        )
        .with_spent_before(used)
        .with_waited_before(waited);
        let common = &fixture.limits;
        let own = |seat: Seat| &fixture.settings[seat.entrant_in_leg(index)];
        let thought = BySeat::from_fn(|seat| own(seat).thinking_time(common.thought));
        let bot_threads = BySeat::from_fn(|seat| own(seat).bot_threads(common.bot_threads));
        Ok(LegDriver {
            index,
            referee,
            seat_ios,
            clocks,
            kept,
            thought,
            bot_threads,
            rests: cores.freezes_idle(),
            one_by_one: cores.one_by_one(),
            held: BySeat::from_fn(|_| Vec::new()),
            thinks_long: BySeat::new(true, true),
            rest_due: None,
            buffer: Vec::new(),
            logged: Vec::new(),
            panicked: None,
        })
    }

    pub(super) fn play_leg(
        &mut self,
        people: &mut dyn HumanInput,
        observer: &mut dyn MatchObserver,
        stop: &AtomicBool,
    ) {
        self.report_progress(observer);
        for seat in Seat::BOTH {
            if let SeatIo::Gone(ending) = &self.seat_ios[seat] {
                self.referee
                    .handle_input(seat, SeatInput::Closed(ending), Spent::default());
            }
        }
        while !stop.load(Ordering::Relaxed) && self.panicked.is_none() {
            match self.referee.next_command() {
                RefereeCommand::Done | RefereeCommand::Abandon => break,
                RefereeCommand::Send(seat, bytes) => self.send_bytes(seat, &bytes, people),
                RefereeCommand::Listen(budgets) => {
                    self.wait_for_input(&budgets, people);
                    self.report_progress(observer);
                }
            }
        }
    }

    /// Sends bytes to a program, or keeps them until the program has the core.
    fn send_bytes(&mut self, seat: Seat, bytes: &[u8], people: &mut dyn HumanInput) {
        if matches!(self.seat_ios[seat], SeatIo::Person { .. }) {
            // Its clock starts when it is asked.
            return people.send_bytes(seat, bytes);
        }
        // A program that owes an answer may start to think as soon as this is written, so its clock
        // starts now.
        if self.referee.owes_reply(seat) {
            if self.waits_for_its_slice(seat) {
                return self.held[seat].extend(bytes);
            }
            self.start_clock(seat);
        }
        self.send_held(seat);
        if let SeatIo::Program(wire) = &mut self.seat_ios[seat] {
            wire.send_bytes(bytes);
        }
    }

    fn send_held(&mut self, seat: Seat) {
        if let (SeatIo::Program(wire), false) =
            (&mut self.seat_ios[seat], self.held[seat].is_empty())
        {
            wire.send_bytes(&self.held[seat]);
            self.held[seat].clear();
        }
    }

    /// Whether this program waits because the other one has the common core.
    fn waits_for_its_slice(&self, seat: Seat) -> bool {
        self.one_by_one && self.clocks[seat.other()].is_running()
    }

    fn report_progress(&self, observer: &mut dyn MatchObserver) {
        let slowest = ByEntrant::from_fn(|entrant: Entrant| {
            self.referee.slowest_period(entrant.seat_in_leg(self.index))
        });
        let (leg, replies, times_us) = (
            self.referee.current_leg(),
            self.referee.replies_text(),
            self.referee.times_us(),
        );
        observer.on_progress(&MatchProgress {
            index: self.index,
            leg,
            replies,
            times_us,
            shown: self.referee.shown(),
            answered: BySeat::from_fn(|seat| self.referee.early_reply(seat)),
            faults: self.referee.fault_records(),
            slowest,
        });
    }

    /// Waits for input. Programs are read before a built-in bot thinks, so that its thinking time
    /// is not on their clock.
    fn wait_for_input(&mut self, budgets: &BySeat<Option<Duration>>, people: &mut dyn HumanInput) {
        self.pass_unasked(people);
        let owes = |io: fn(&SeatIo) -> bool| {
            Seat::BOTH
                .into_iter()
                .find(|seat| budgets[*seat].is_some() && io(&self.seat_ios[*seat]))
        };
        let person = owes(|io| matches!(io, SeatIo::Person { .. }));
        let elsewhere = owes(|io| matches!(io, SeatIo::Person { is_program: true }));
        let program = owes(|io| matches!(io, SeatIo::Program(_)));
        if person.is_none() && program.is_none() {
            return self.ask_built_in(budgets);
        }
        let known = owes(|io| matches!(io, SeatIo::Person { is_program: false }));
        if let (Some(seat), true) = (known, self.referee.is_forced()) {
            // Forced replies of people are known: people are not asked.
            return self
                .referee
                .handle_input(seat, SeatInput::Nothing, Spent::default());
        }
        self.start_clocks(budgets, people);
        if self.report_closed_outputs() {
            return;
        }
        let time = match (person, elsewhere) {
            (_, Some(_)) => PROGRAM_FRAME,
            (Some(_), None) => people.poll_interval(),
            (None, None) => LOOK,
        };
        let shortest = self
            .clocks
            .iter_pairs()
            .filter_map(|(_, clock)| clock.time_left())
            .min();
        let time = shortest.map_or(time, |left| left.min(time));
        let time = self.freeze_when_due().map_or(time, |rest| rest.min(time));
        let time = self.rouse_asked().map_or(time, |rest| rest.min(time));
        self.exchange_bytes(time);
        if person.is_some() {
            self.poll_person(people);
        }
        self.report_expired_clocks();
    }

    /// Starts the clocks. A built-in bot has no clock here: [`LegDriver::ask_built_in`] measures
    /// it.
    fn start_clocks(&mut self, budgets: &BySeat<Option<Duration>>, people: &mut dyn HumanInput) {
        for (seat, budget) in budgets.iter_pairs() {
            let timed = !matches!(self.seat_ios[seat], SeatIo::Bot(_));
            if let (Some(budget), false, true) = (budget, self.clocks[seat].is_running(), timed) {
                self.start_clock(seat);
                if matches!(self.seat_ios[seat], SeatIo::Person { .. }) {
                    people.ask_person(self.referee.current_leg(), seat, *budget);
                }
            }
        }
    }

    /// Starts the clock of a seat: the waiting program is frozen before or soon after, and this one
    /// is thawed.
    fn start_clock(&mut self, seat: Seat) {
        if self.clocks[seat].is_running() || self.waits_for_its_slice(seat) {
            return;
        }
        let other = seat.other();
        self.rest_due = None;
        if self.one_by_one || !self.referee.owes_reply(other) {
            self.freeze_idle(other);
        }
        if let SeatIo::Program(wire) = &mut self.seat_ios[seat] {
            wire.thaw_program();
        }
        let budget = self.referee.time_budget(seat).unwrap_or_default();
        self.clocks[seat].start_period(budget, self.seat_ios[seat].child_process());
        self.send_held(seat);
    }

    /// Freezes a waiting program, now or soon. Its output meanwhile does not postpone that.
    fn freeze_idle(&mut self, seat: Seat) {
        let restless = self.clocks[seat].is_restless();
        let is_due = self.rest_due.is_some_and(|(due, _)| due == seat);
        if let (SeatIo::Program(wire), true) = (&mut self.seat_ios[seat], self.rests) {
            if restless {
                wire.freeze_program();
            } else if !wire.is_frozen() && !is_due {
                self.rest_due = Some((seat, Instant::now() + GRACE));
            }
        }
    }

    /// Freezes a program that is due; otherwise returns the time until then.
    fn freeze_when_due(&mut self) -> Option<Duration> {
        let (seat, due) = self.rest_due?;
        let left = due.saturating_duration_since(Instant::now());
        if !left.is_zero() {
            return Some(left);
        }
        self.rest_due = None;
        if let SeatIo::Program(wire) = &mut self.seat_ios[seat] {
            wire.freeze_program();
        }
        None
    }

    /// Wakes what a thaw has left stopped of the programs that are asked; returns the time until the
    /// next look.
    fn rouse_asked(&mut self) -> Option<Duration> {
        let mut next: Option<Duration> = None;
        for seat in Seat::BOTH {
            if let (SeatIo::Program(wire), true) =
                (&mut self.seat_ios[seat], self.clocks[seat].is_running())
                && let Some(rest) = wire.rouse_stragglers()
            {
                next = Some(next.map_or(rest, |next| next.min(rest)));
            }
        }
        next
    }

    /// Passes input and its measured time to the referee.
    fn pass_input(&mut self, seat: Seat, said: SeatInput<'_>) {
        let spent = self.clocks[seat].read_spent(self.seat_ios[seat].child_process());
        let steps = self.referee.replies_text().len();
        self.referee.handle_input(seat, said, spent);
        match self.referee.time_budget(seat) {
            Some(budget) if self.referee.replies_text().len() == steps => {
                self.clocks[seat].go_on(budget)
            }
            _ => {
                self.clocks[seat].stop_period();
                if self.clocks[seat.other()].is_running() {
                    self.freeze_idle(seat);
                }
            }
        }
    }

    /// Asks for the exit of a program that closed its output while it was not asked. That takes
    /// time, so it is done on the program's own clock, when the program is asked.
    fn report_closed_outputs(&mut self) -> bool {
        let waits = BySeat::from_fn(|seat| self.waits_for_its_slice(seat));
        for seat in Seat::BOTH {
            if let (SeatIo::Program(wire), true) =
                (&mut self.seat_ios[seat], self.referee.owes_reply(seat))
                && wire.is_closed()
                && !waits[seat]
            {
                let begun = Instant::now();
                let ending = wire.describe_end();
                let (late, other) = (begun.elapsed().saturating_sub(EXIT), seat.other());
                let child = self.seat_ios[other].child_process();
                self.clocks[other].look_at_clocks(late, child);
                self.pass_input(seat, SeatInput::Closed(&ending));
                return true;
            }
        }
        false
    }

    fn report_expired_clocks(&mut self) {
        for seat in Seat::BOTH {
            if self.clocks[seat].time_left() == Some(Duration::ZERO) {
                self.pass_input(seat, SeatInput::Nothing);
            }
        }
    }

    /// Lets the asked built-in bot answer. It computes on this thread, so its CPU time is known; it
    /// never sleeps, so all other time was withheld from it.
    fn ask_built_in(&mut self, budgets: &BySeat<Option<Duration>>) {
        for (seat, budget) in budgets.iter_pairs() {
            let Some(budget) = budget else { continue };
            self.free_core_for(seat);
            if let SeatIo::Bot(bot) = &mut self.seat_ios[seat] {
                let (begun, cpu) = (Instant::now(), thread_cpu());
                let thought = if self.referee.is_forced() {
                    KNOWN
                } else {
                    Duration::MAX
                };
                let share = self.referee.bank_share(seat).unwrap_or(Duration::MAX);
                let clock = BuiltInClock {
                    time: self.thought[seat].min(*budget).min(thought).min(share),
                    begun,
                    cpu,
                    threads: self.bot_threads[seat],
                };
                let chosen = ask_built_in(&mut **bot, self.referee.current_leg(), seat, &clock);
                let Ok(action) = chosen.map_err(|what| self.panicked = Some((seat, what))) else {
                    return;
                };
                let (wall, cpu) = (begun.elapsed(), thread_cpu().saturating_sub(cpu));
                self.thinks_long[seat] = wall > GRACE;
                let (cpu, delay) = (cpu.min(wall), wall.saturating_sub(cpu));
                let spent = Spent {
                    wall,
                    cpu: Some(cpu),
                    noise: Noise {
                        delay,
                        ..Noise::default()
                    },
                };
                self.referee
                    .handle_input(seat, SeatInput::Action(&action), spent);
            }
        }
    }

    /// Freezes the other program in advance, because this thread cannot freeze it while the
    /// built-in bot thinks.
    fn free_core_for(&mut self, seat: Seat) {
        let other = seat.other();
        let restless = self.clocks[other].is_restless();
        if let (SeatIo::Program(wire), true) = (&mut self.seat_ios[other], self.rests)
            && (restless || self.thinks_long[seat])
        {
            wire.freeze_program();
        }
    }

    fn poll_person(&mut self, people: &mut dyn HumanInput) {
        let Some((seat, answer)) = people.poll_answer(self.referee.current_leg()) else {
            return;
        };
        match answer {
            HumanAnswer::Action(action) => self.pass_input(seat, SeatInput::Action(&action)),
            HumanAnswer::TimeUp { allowed } => self.pass_input(seat, SeatInput::TimeUp(allowed)),
            HumanAnswer::Bytes(bytes) => self.pass_input(seat, SeatInput::Bytes(&bytes)),
            HumanAnswer::Ended(what) => self.pass_end(seat, what),
            HumanAnswer::Leave => self.pass_end(seat, say!("left the match")),
        }
    }

    /// Passes on what programs elsewhere said although they are not asked.
    fn pass_unasked(&mut self, people: &mut dyn HumanInput) {
        for seat in Seat::BOTH {
            if matches!(self.seat_ios[seat], SeatIo::Person { is_program: true })
                && !self.referee.owes_reply(seat)
                && let Some(bytes) = people.take_unasked(seat)
            {
                self.pass_input(seat, SeatInput::Bytes(&bytes));
            }
        }
    }

    fn pass_end(&mut self, seat: Seat, what: Message) {
        let ending = InputEnd {
            fault: Fault::Exited,
            what,
            limit: None,
            exit: None,
            ours: false,
        };
        self.pass_input(seat, SeatInput::Closed(&ending));
    }

    /// Waits until a program writes, accepts input, or the time is over; passes its output on.
    fn exchange_bytes(&mut self, time: Duration) {
        let mut fds: Vec<PollFd<'_>> = Vec::with_capacity(8);
        let mut of_first = 0;
        for (seat, io) in self.seat_ios.iter_pairs() {
            if let SeatIo::Program(wire) = io {
                wire.add_poll_fds(self.referee.accepts_input(seat), &mut fds);
            }
            if seat == Seat::First {
                of_first = fds.len();
            }
        }
        let begun = Instant::now();
        let ready = poll_until(&mut fds, time);
        let overslept = begun.elapsed().saturating_sub(time);
        for (seat, clock) in self.clocks.iter_mut() {
            clock.look_at_clocks(overslept, self.seat_ios[seat].child_process());
        }
        if !ready {
            return;
        }
        // A seat of which nothing is ready has nothing to read, and is not asked in vain. Of one that
        // has, all is read.
        let (first, second) = fds.split_at(of_first);
        let is_ready = |fds: &[PollFd<'_>]| fds.iter().any(|fd| !fd.revents().is_empty());
        let ready = BySeat::new(is_ready(first), is_ready(second));
        let mut buffer = std::mem::take(&mut self.buffer);
        for seat in Seat::BOTH.into_iter().filter(|seat| ready[*seat]) {
            self.exchange_with(seat, &mut buffer);
        }
        self.buffer = buffer;
    }

    fn exchange_with(&mut self, seat: Seat, buffer: &mut Vec<u8>) {
        let period = self.referee.current_leg().period();
        let welcome = self.referee.accepts_input(seat);
        let SeatIo::Program(wire) = &mut self.seat_ios[seat] else {
            return;
        };
        wire.flush_output();
        let output = match welcome {
            true => wire.read(buffer),
            false => ProgramOutput::Nothing,
        };
        // After the answer, so that what the program said before it is there, and before the answer
        // is passed on, because that may begin the next period.
        wire.drain_stderr(period, &mut self.logged);
        match output {
            ProgramOutput::Nothing => {}
            ProgramOutput::Bytes(count) => {
                wire.record(TrafficStream::Stdout, &buffer[..count]);
                self.pass_input(seat, SeatInput::Bytes(&buffer[..count]))
            }
            ProgramOutput::Closed => {
                self.report_closed_outputs();
            }
        }
    }

    /// Ends the programs and completes the record.
    pub(super) fn finish_leg(
        mut self,
        io_pattern: IoPattern,
    ) -> (LegRecord, Box<dyn AnyLeg>, Vec<(Entrant, ProgramEnd)>) {
        let period = self.referee.current_leg().period();
        let deadline = Instant::now() + io_pattern.exit_grace();
        let wires = |seat_ios: &mut BySeat<SeatIo>, each: &mut dyn FnMut(Seat, &mut ProgramIo)| {
            for (seat, io) in seat_ios.iter_mut() {
                if let SeatIo::Program(wire) = io {
                    each(seat, wire);
                }
            }
        };
        let mut ends = Vec::new();
        Seat::BOTH.into_iter().for_each(|seat| self.send_held(seat));
        wires(&mut self.seat_ios, &mut |_, wire| wire.thaw_program());
        // Both programs are told at the same time that no more messages come, so that waiting for
        // one gives no time to the other.
        wires(&mut self.seat_ios, &mut |_, wire| wire.close_input());
        wires(&mut self.seat_ios, &mut |seat, wire| {
            ends.push((
                seat.entrant_in_leg(self.index),
                wire.finish_program(period, deadline),
            ));
        });
        let (mut record, leg) = self.referee.finish_leg();
        for (seat, io) in self.seat_ios.iter_pairs() {
            let SeatIo::Program(wire) = io else {
                continue;
            };
            let entrant = seat.entrant_in_leg(self.index);
            record.logs.extend(wire.log.log_records(entrant));
            let faults = record
                .faults
                .iter_mut()
                .filter(|fault| fault.entrant == entrant);
            faults.for_each(|fault| fault.last_words = wire.log.last_words());
        }
        (record, leg, ends)
    }
}

/// The files of this leg's programs, with what their entrants kept.
fn kept_files(
    fixture: &MatchSpec,
    index: usize,
    tally: &TimeTally,
) -> Result<BySeat<Option<KeptFile>>, JudgeError> {
    let [first, second] = Seat::BOTH.map(|seat| {
        let entrant = seat.entrant_in_leg(index);
        let is_program = matches!(fixture.players[entrant].kind, PlayerKind::Program { .. });
        let kept = &tally.kept[entrant];
        (fixture.limits.keeps && is_program)
            .then(|| KeptFile::with_content(kept))
            .transpose()
    });
    Ok(BySeat::new(
        first.map_err(JudgeError::Kept)?,
        second.map_err(JudgeError::Kept)?,
    ))
}

/// The forced replies of this leg.
fn forced_replies(fixture: &MatchSpec, index: usize) -> ForcedReplies {
    let from = fixture.from.as_ref().filter(|from| from.begins(index));
    from.map(|from| from.forced_replies.clone())
        .unwrap_or_default()
}

/// Seats both players of a leg.
fn seat_players(
    fixture: &MatchSpec,
    index: usize,
    cores: &CoreAssignment,
    kept: &BySeat<Option<KeptFile>>,
) -> Result<(BySeat<SeatPlayer>, BySeat<SeatIo>), JudgeError> {
    let [first, second] = Seat::BOTH.map(|seat| {
        let entrant = seat.entrant_in_leg(index);
        let seed = mix_seed(fixture.seed, (2 * index + entrant.index()) as u64 + 1);
        let (player, mut io) = seat_player(fixture, entrant, seed, cores, (seat, &kept[seat]))?;
        if let (SeatIo::Program(wire), Some(log)) = (&mut io, &fixture.traffic) {
            wire.write_traffic(ProgramTraffic::new(log, index, entrant));
        }
        Ok::<_, JudgeError>((player, io))
    });
    let ((player1, io1), (player2, io2)) = (first?, second?);
    Ok((BySeat::new(player1, player2), BySeat::new(io1, io2)))
}

fn seat_player(
    fixture: &MatchSpec,
    entrant: Entrant,
    seed: u64,
    cores: &CoreAssignment,
    (seat, kept): (Seat, &Option<KeptFile>),
) -> Result<(SeatPlayer, SeatIo), JudgeError> {
    let player = &fixture.players[entrant];
    match &player.kind {
        PlayerKind::Human { protocol: None, .. } => {
            Ok((SeatPlayer::Direct, SeatIo::Person { is_program: false }))
        }
        PlayerKind::Human {
            protocol: Some(protocol),
            ..
        } => {
            let spoken = find_protocol(fixture, protocol)?;
            let io = SeatIo::Person { is_program: true };
            Ok((SeatPlayer::Program(spoken), io))
        }
        PlayerKind::BuiltIn(name) => {
            let bot = fixture.game.make_bot(name, seed);
            let bot = bot.ok_or_else(|| InvalidSetup(say!("there is no built-in bot {name:?}")))?;
            Ok((SeatPlayer::Direct, SeatIo::Bot(bot)))
        }
        PlayerKind::Broken(why) => {
            let ending = InputEnd {
                fault: Fault::Compile,
                what: why.as_str().into(),
                limit: None,
                exit: None,
                ours: false,
            };
            Ok((SeatPlayer::Direct, SeatIo::Gone(ending)))
        }
        PlayerKind::Program {
            program,
            protocol,
            connect,
        } => {
            let spoken = find_protocol(fixture, protocol)?;
            let program = Program {
                cores: cores.core_of(seat).into_iter().collect(),
                ..settle_program(fixture, entrant, program, kept)
            };
            let io = start_program(fixture, program, *connect, cores.freezes_idle()).map_err(
                |source| JudgeError::Start {
                    name: player.name.clone(),
                    source,
                },
            )?;
            Ok((SeatPlayer::Program(spoken), io))
        }
    }
}

/// The program with the limits and settings of the match.
fn settle_program(
    fixture: &MatchSpec,
    entrant: Entrant,
    program: &Program,
    kept: &Option<KeptFile>,
) -> Program {
    let mut resources = fixture.resources;
    if kept.is_some() {
        // What it keeps lies in memory and is bounded while it runs, with one byte more to see that it
        // wanted more.
        let most = KeptFile::MOST as u64 + 1;
        resources.file = Some(resources.file.map_or(most, |file| file.min(most)));
    }
    let program = Program {
        kept: kept.clone(),
        ..fixture.settings[entrant].apply_to(program, resources)
    };
    tell_bank(program, fixture.limits_of(entrant).bank)
}

/// The protocols say nothing of a time bank: a program may read it here.
fn tell_bank(program: Program, bank: Option<TimeBank>) -> Program {
    let Some(bank) = bank else { return program };
    let millis = |time: Duration| time.as_millis().to_string();
    program
        .with_env("LEITAI_BANK_MS", millis(bank.time))
        .with_env("LEITAI_INCREMENT_MS", millis(bank.increment))
}

fn find_protocol(
    fixture: &MatchSpec,
    protocol: &str,
) -> Result<Box<dyn AnyProtocol>, InvalidSetup> {
    let spoken = fixture.game.make_protocol(protocol);
    spoken.ok_or_else(|| InvalidSetup(say!("there is no protocol {protocol:?}")))
}

fn start_program(
    fixture: &MatchSpec,
    program: Program,
    connect: Transport,
    freezes_idle: bool,
) -> std::io::Result<SeatIo> {
    let patience = fixture.limits.start + fixture.limits.period;
    let started = ProgramIo::start_program(
        &fixture.sandbox,
        program,
        connect,
        patience,
        fixture.limits.log,
    )?;
    Ok(started.map_or_else(SeatIo::Gone, |wire| {
        let mut wire = wire.with_io_pattern(fixture.io_pattern);
        if freezes_idle {
            // It starts when it is asked first, on its own clock, and takes nothing from who starts
            // before.
            wire.freeze_program();
        }
        SeatIo::Program(Box::new(wire))
    }))
}

/// The time of a built-in bot: CPU time, as for programs; by wall time only where nothing could be
/// said any more.
struct BuiltInClock {
    time: Duration,
    begun: Instant,
    cpu: Duration,
    threads: u16,
}

impl BotClock for BuiltInClock {
    fn time_left(&self) -> Option<Duration> {
        let cpu = self
            .time
            .saturating_sub(thread_cpu().saturating_sub(self.cpu));
        Some(cpu.min(longest_wait(self.time).saturating_sub(self.begun.elapsed())))
    }

    fn threads(&self) -> usize {
        self.threads.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_built_in_bot_gets_the_remaining_cpu_time() {
        // The wall time so far, in which the bot did not compute, and the time that it has left, in
        // seconds.
        let check = |waited: u64, left: u64| {
            let time = Duration::from_secs(100);
            let begun = Instant::now().checked_sub(Duration::from_secs(waited));
            let Some(begun) = begun else { return };
            let clock = BuiltInClock {
                time,
                begun,
                cpu: thread_cpu(),
                threads: 1,
            };
            let told = clock.time_left().expect("somebody counts");
            assert_eq!(told.as_secs_f64().round() as u64, left, "{waited}");
        };
        check(0, 100);
        check(150, 100);
        check(790, 10);
        check(900, 0);
    }
}
