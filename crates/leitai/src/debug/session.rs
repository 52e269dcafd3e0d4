//! Feeds a program the bytes of a recorded leg, compares its answers with the record, and hands over
//! to the debugger at a moment.

use std::io::BufRead;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::Context;
use leitai_game::clean_text::clean_line;
use leitai_game::replay::LegRecord;
use leitai_game::{AnyGame, AnySetup, BySeat, Fault, Seat};
use leitai_judge::referee::{InputEnd, Referee, RefereeCommand, SeatInput, SeatPlayer};
use leitai_judge::{Divergence, DivergentReply, ForcedReplies, RefereeLimits, Spent};

use super::debugger::{Debugger, ProgramCommand};
use super::each_turn::TurnProgram;
use super::process::{DebuggedOutput, DebuggedProcess};
use crate::files;
use crate::lang::Localizer;

/// More time than any debugging takes.
const FOREVER: Duration = Duration::from_secs(u32::MAX as u64);

/// What is debugged.
pub struct DebugRequest<'a> {
    /// The language of messages.
    pub lang: Localizer,
    /// The game.
    pub game: &'a dyn AnyGame,
    /// The setup of the match.
    pub setup: &'a dyn AnySetup,
    /// The recorded leg.
    pub record: &'a LegRecord,
    /// The leg, from 0.
    pub leg: usize,
    /// The round in which the debugger takes over.
    pub round: u32,
    /// The seat of the program.
    pub seat: Seat,
    /// The name of the program.
    pub name: &'a str,
    /// The protocol of the program.
    pub protocol: &'a str,
    /// The most bytes of an answer.
    pub message_limit: usize,
    /// Whether the developer attaches a debugger.
    pub wait: bool,
}

/// How a session ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionEnd {
    /// The moment was reached.
    Reached,
    /// The program was not asked in or after the round, or ended before.
    NotReached,
    /// It was interrupted before the moment.
    Interrupted,
}

/// The program of a session.
enum BotIo {
    Stream(Box<DebuggedProcess>),
    EachTurn(Box<TurnProgram>, Debugger),
}

/// A running session.
pub struct DebugSession<'a> {
    request: DebugRequest<'a>,
    referee: Referee,
    debugger: Debugger,
    io: BotIo,
    interrupted: &'a AtomicBool,
    handed_over: bool,
    /// Whether the answer at the moment was reported.
    answered: bool,
    ended: bool,
}

impl<'a> DebugSession<'a> {
    /// Starts the program.
    pub fn start(
        request: DebugRequest<'a>,
        command: &ProgramCommand,
        interrupted: &'a AtomicBool,
    ) -> anyhow::Result<DebugSession<'a>> {
        let turns = TurnProgram::unwrap_command(command);
        let program = turns.as_ref().map_or(command, |turns| &turns.command);
        let found = Debugger::find(program);
        // Without a debugger of ours, one that attaches to a process is the developer's own.
        let debugger = match request.wait {
            true => found.unwrap_or(Debugger::Gdb),
            false => found?,
        };
        if !request.wait {
            debugger.check_installed()?;
        }
        let referee = open_leg(&request)?;
        let io = match turns {
            Some(turns) => BotIo::EachTurn(Box::new(turns), debugger),
            None => BotIo::Stream(Box::new(DebuggedProcess::start(
                command,
                debugger,
                request.wait,
            )?)),
        };
        Ok(DebugSession {
            request,
            referee,
            debugger,
            io,
            interrupted,
            handed_over: false,
            answered: false,
            ended: false,
        })
    }

    /// Feeds the leg; returns when the developer leaves the debugger or the leg is over.
    pub fn run(mut self) -> anyhow::Result<SessionEnd> {
        while !self.ended {
            match self.referee.next_command() {
                RefereeCommand::Done | RefereeCommand::Abandon => break,
                RefereeCommand::Send(seat, bytes) if seat == self.request.seat => {
                    self.send_bytes(&bytes)?
                }
                RefereeCommand::Send(..) => {}
                RefereeCommand::Listen(budgets) => self.listen(&budgets)?,
            }
        }
        if self.is_interrupted() {
            return Ok(SessionEnd::Interrupted);
        }
        self.finish();
        Ok(match self.handed_over {
            true => SessionEnd::Reached,
            false => SessionEnd::NotReached,
        })
    }

    fn is_interrupted(&self) -> bool {
        stop_check(self.interrupted, self.debugger, self.handed_over)()
    }

    fn is_moment(&self) -> bool {
        !self.handed_over
            && self.referee.owes_reply(self.request.seat)
            && self.referee.current_leg().round() >= self.request.round
    }

    fn send_bytes(&mut self, bytes: &[u8]) -> anyhow::Result<()> {
        let moment = self.is_moment();
        if moment && matches!(self.io, BotIo::Stream(_)) {
            self.hand_over()?;
        }
        let stop = stop_check(self.interrupted, self.debugger, self.handed_over);
        match &mut self.io {
            BotIo::Stream(process) => {
                process.write_bytes(bytes, &stop);
                match moment && !self.request.wait {
                    true => process.follow_question(),
                    false => Ok(()),
                }
            }
            BotIo::EachTurn(..) => self.play_turn(bytes, moment),
        }
    }

    /// Gives a program that is started anew its question.
    fn play_turn(&mut self, bytes: &[u8], moment: bool) -> anyhow::Result<()> {
        let has_line = bytes.contains(&b'\n');
        if moment && has_line {
            self.announce();
            self.handed_over = true;
        }
        let (lang, wait) = (self.request.lang, self.request.wait);
        let BotIo::EachTurn(turns, debugger) = &mut self.io else {
            return Ok(());
        };
        let debugger = *debugger;
        let mut play = |turns: &TurnProgram| match wait {
            false => turns.debug_turn(debugger),
            true => {
                wait_for_turn(lang, turns);
                turns.play_turn()
            }
        };
        match turns.write_bytes(bytes, (moment && has_line).then_some(&mut play)) {
            Ok(()) => Ok(()),
            Err(why) => {
                say(&lang.say(&why.to_string()));
                self.ended = true;
                Ok(())
            }
        }
    }

    /// Waits for the answer of the program. The other seat's recorded reply is known.
    fn listen(&mut self, budgets: &BySeat<Option<Duration>>) -> anyhow::Result<()> {
        let (bot, other) = (self.request.seat, self.request.seat.other());
        if budgets[other].is_some() && self.referee.is_forced() {
            self.referee
                .handle_input(other, SeatInput::Nothing, Spent::default());
            return Ok(());
        }
        if budgets[bot].is_none() {
            // The record is over, and the other seat's reply is not known.
            self.ended = true;
            return Ok(());
        }
        if self.is_moment() && matches!(self.io, BotIo::Stream(_)) {
            self.hand_over()?;
        }
        self.read_answer();
        Ok(())
    }

    fn read_answer(&mut self) {
        let (bot, mut buffer) = (self.request.seat, [0; 4096]);
        let stop = stop_check(self.interrupted, self.debugger, self.handed_over);
        let bytes = match &mut self.io {
            BotIo::Stream(process) => match process.read_output(&mut buffer, &stop) {
                DebuggedOutput::Bytes(count) => buffer[..count].to_vec(),
                DebuggedOutput::Closed => {
                    self.note_end();
                    return;
                }
                DebuggedOutput::Left => {
                    self.ended = true;
                    return;
                }
            },
            BotIo::EachTurn(turns, _) => turns.take_answers(),
        };
        if bytes.is_empty() {
            self.ended = true;
            return;
        }
        let (round, steps) = self.place();
        let forced = self.referee.is_forced();
        self.referee
            .handle_input(bot, SeatInput::Bytes(&bytes), Spent::default());
        if !self.referee.owes_reply(bot) || self.place().1 != steps {
            self.report_answer(round, forced);
        }
    }

    fn place(&self) -> (u32, usize) {
        let leg = self.referee.current_leg();
        (leg.round(), self.referee.replies_text().len())
    }

    /// Says how the program answered, where that is of interest.
    fn report_answer(&mut self, round: u32, forced: bool) {
        let (lang, name) = (self.request.lang, self.request.name);
        // Both seats may answer at the same time: then the step comes when the other has answered.
        while self.referee.is_forced() && !self.referee.owes_reply(self.request.seat) {
            let RefereeCommand::Listen(budgets) = self.referee.next_command() else {
                break;
            };
            let other = self.request.seat.other();
            if budgets[other].is_none() {
                break;
            }
            self.referee
                .handle_input(other, SeatInput::Nothing, Spent::default());
        }
        let first = self.handed_over && !self.answered;
        self.answered |= self.handed_over;
        if !forced {
            self.ended = true;
            return self.report_live(round);
        }
        match &self.referee.last_divergences()[self.request.seat] {
            Some(found) => say(&divergence_line(lang, name, found)),
            None if first => say(&lang.fill("round {}: {} answered as recorded", &[&round, &name])),
            None => {}
        }
        if first && matches!(self.io, BotIo::EachTurn(..)) {
            self.ended = true;
        }
    }

    /// Reports an answer after the end of the record: the recorded reply was a fault.
    fn report_live(&self, round: u32) {
        let (lang, name) = (self.request.lang, self.request.name);
        let fault = self.referee.fault_records().iter().rev();
        let fault = fault
            .into_iter()
            .find(|fault| fault.seat == self.request.seat);
        say(&match fault {
            Some(fault) => lang.fill(
                "round {}: {} {} [{}]; the record ends here",
                &[&round, &name, &lang.say(fault), &fault.code],
            ),
            None => lang.fill(
                "round {}: {} answered; the record ends here, with a fault",
                &[&round, &name],
            ),
        });
    }

    /// The program closed its output.
    fn note_end(&mut self) {
        let ending = InputEnd {
            fault: Fault::Exited,
            what: "exited".into(),
            limit: None,
            exit: None,
            ours: false,
        };
        let round = self.referee.current_leg().round();
        self.referee.handle_input(
            self.request.seat,
            SeatInput::Closed(&ending),
            Spent::default(),
        );
        let (lang, name) = (self.request.lang, self.request.name);
        say(&lang.fill(
            "round {}: {} exited or closed its stdout before it answered",
            &[&round, &name],
        ));
        self.ended = true;
    }

    /// Stops the program and starts the debugger, or waits for the developer's own.
    fn hand_over(&mut self) -> anyhow::Result<()> {
        self.announce();
        self.handed_over = true;
        let BotIo::Stream(process) = &mut self.io else {
            return Ok(());
        };
        if self.request.wait {
            wait_for_attachment(self.request.lang, process);
            return Ok(());
        }
        process
            .hand_over()
            .with_context(|| self.debugger.name().to_owned())
    }

    fn announce(&self) {
        let request = &self.request;
        let (leg, round) = (request.leg + 1, self.referee.current_leg().round());
        if request.wait {
            return say(&request.lang.fill(
                "leg {}, round {}: {} is about to be asked",
                &[&leg, &round, &request.name],
            ));
        }
        say(&request.lang.fill(
            "leg {}, round {}: {} takes over before {} reads the question",
            &[&leg, &round, &self.debugger.name(), &request.name],
        ));
        say(&request.lang.say(self.debugger.first_steps()));
    }

    /// Tells the program and the developer that nothing more comes.
    fn finish(&mut self) {
        let lang = self.request.lang;
        if !self.handed_over {
            say(&lang.fill(
                "{} was not asked in round {} or later",
                &[&self.request.name, &self.request.round],
            ));
        }
        if let BotIo::Stream(process) = &mut self.io {
            if process.has_front() && self.referee.next_command() == RefereeCommand::Done {
                say(&lang.say("the leg is over; leave the debugger when you are done"));
            }
            process.finish();
        }
    }
}

/// The leg with all its recorded replies.
fn open_leg(request: &DebugRequest<'_>) -> anyhow::Result<Referee> {
    let forced = ForcedReplies::until_fault(request.setup, request.record)?;
    let protocol = request
        .game
        .make_protocol(request.protocol)
        .with_context(|| format!("there is no protocol {:?}", request.protocol))?;
    let mut protocol = Some(protocol);
    let players = BySeat::from_fn(|seat| match protocol.take_if(|_| seat == request.seat) {
        Some(protocol) => SeatPlayer::Program(protocol),
        None => SeatPlayer::Direct,
    });
    let limits = RefereeLimits {
        start: FOREVER,
        ..RefereeLimits::new(FOREVER, request.message_limit)
    };
    let limits = BySeat::new(limits, limits);
    let (setup, leg) = (request.setup, request.leg);
    Ok(Referee::with_forced_replies(
        setup, leg, players, limits, forced,
    ))
}

/// Whether Ctrl-C ends the session: before the debugger takes over, unless the debugger that runs
/// already makes a prompt of it.
fn stop_check(
    interrupted: &AtomicBool,
    debugger: Debugger,
    handed_over: bool,
) -> impl Fn() -> bool + '_ {
    let counts = !handed_over && matches!(debugger, Debugger::Jdb | Debugger::Node);
    move || counts && interrupted.load(Ordering::Relaxed)
}

/// Prints how to attach a debugger and waits for Enter.
fn wait_for_attachment(lang: Localizer, process: &DebuggedProcess) {
    say(&lang.fill("attach your debugger: {}", &[&process.attach_hint()]));
    if std::fs::read_to_string("/proc/sys/kernel/yama/ptrace_scope")
        .is_ok_and(|scope| scope.trim() != "0")
    {
        say(lang
            .label("this system lets only root attach to running programs: put sudo before gdb"));
    }
    wait_for_enter(lang);
}

fn wait_for_turn(lang: Localizer, turns: &TurnProgram) {
    let words = turns
        .command
        .words
        .iter()
        .map(|word| crate::rerun_command::quote_word(&word.to_string_lossy()));
    let words: Vec<String> = words.collect();
    say(&lang.fill(
        "{} has the question; start the program there with your debugger: cd {} && {}",
        &[
            &turns.input.display(),
            &turns.command.dir.display(),
            &words.join(" "),
        ],
    ));
    wait_for_enter(lang);
}

fn wait_for_enter(lang: Localizer) {
    say(lang.label("press Enter to send the question"));
    // Without an input the question is sent at once.
    let _ = std::io::stdin().lock().read_line(&mut String::new());
}

fn divergence_line(lang: Localizer, name: &str, found: &Divergence) -> String {
    let (round, step) = (found.round, found.step + 1);
    match &found.instead {
        DivergentReply::Action(action) => lang.fill(
            "round {}, move {}: {} answered {}; the replay has {}: it goes on as recorded",
            &[&round, &step, &name, action, &found.recorded],
        ),
        DivergentReply::Fault { code, what } => lang.fill(
            "round {}, move {}: {} {} [{}]; the replay has {}: it goes on as recorded",
            &[&round, &step, &name, &lang.say(what), code, &found.recorded],
        ),
    }
}

/// Prints a line that is told apart from those of the program and the debugger.
fn say(text: &str) {
    files::print_stderr(&format!("leitai: {}", clean_line(text)));
}
