//! The file of a recorded match: its fields, its bounds, and the older format that is still read.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::erased::{AnySink, Checkpoint, TextReplies};
use crate::game::{Outcome, Scope, Verdict};
use crate::hash::{Fnv, fold16};
use crate::invalid::InvalidSetup;
use crate::lang::{Message, Say, say};
use crate::replay::signature::SignatureRecord;
use crate::replay::token::write_token;
use crate::reply::{Fault, FaultCode};
use crate::seat::{ByEntrant, BySeat, Entrant, Seat};

/// The version of the file format that is written.
pub const FORMAT: &str = "leitai-replay/2";
/// The previous version, which is read, too: it called an entrant's protocol its dialect.
pub const OLD_FORMAT: &str = "leitai-replay/1";
/// The most bytes of a file.
pub const MAX_BYTES: usize = 64 << 20;
/// The most legs of a replay.
pub const MAX_LEGS: usize = 64;
/// The most steps of a leg.
pub const MAX_STEPS: usize = 1_000_000;

/// A recorded match.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the names say it")]
pub struct Replay {
    /// [`FORMAT`]; [`Replay::parse`] also sets it for `leitai-replay/1`.
    pub format: String,
    /// The id of the game.
    pub game: String,
    /// The rule set the match was judged by.
    pub rules: String,
    /// The program that wrote the file.
    pub engine: String,
    /// The start of the match, RFC 3339 in UTC.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recorded: Option<String>,
    /// The seed of the setup, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// The config of the setup.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub config: Value,
    /// The result of all chance.
    pub setup: Value,
    pub entrants: ByEntrant<EntrantRecord>,
    /// The limits of the judge.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limits: Option<LimitsRecord>,
    /// Whether the match was played to its end.
    pub status: MatchStatus,
    /// The moment from which the last leg was played on: the replies before it were forced,
    /// whatever the entrants answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forced: Option<ForcedRecord>,
    pub legs: Vec<LegRecord>,
    /// The verdict, once there is one.
    pub verdict: Option<VerdictRecord>,
    /// The parts of an imported source that an export needs to restore the same text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<Value>,
    /// Who vouches for the replay.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signature: Option<SignatureRecord>,
}

/// Whether a match was played to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MatchStatus {
    /// It was played to its end; there is a verdict.
    Complete,
    /// It was stopped from outside; the last leg may lack its end.
    Interrupted,
    /// Repeated infrastructure errors (SE): the machine was too busy for a fair judgement. The last
    /// leg lacks its end.
    Void,
}

/// An entrant of a recorded match.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the names say it")]
pub struct EntrantRecord {
    /// The name shown to people.
    pub name: String,
    pub kind: EntrantKind,
    /// The protocol, for programs.
    #[serde(default, alias = "dialect", skip_serializing_if = "Option::is_none")]
    pub protocol: Option<String>,
    /// What it alone played with: arguments, environment, its own limits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub settings: Option<String>,
}

/// The kind of an entrant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EntrantKind {
    /// A built-in bot in the judge's process.
    BuiltIn,
    /// A program.
    Program,
    /// A person.
    Human,
    /// Known only from an imported replay.
    Imported,
}

/// The moment from which a match, or each of its legs, was played on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ForcedRecord {
    /// The leg, from 1; it is the last one, and the legs before it are copies of the recorded ones.
    pub leg: usize,
    /// The first round in which the entrants' own replies count.
    pub round: u32,
    /// Whether every leg began so, from a position of a book. Then the setup is the book's, and not what
    /// the seed deals.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub each_leg: bool,
}

/// The limits of the judge.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LimitsRecord {
    /// CPU time of a period, in milliseconds.
    pub period_ms: u64,
    /// Added to a program's first period of a leg, in milliseconds.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub start_ms: u64,
    /// Time of all periods of the match together, in milliseconds, if limited.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub match_ms: Option<u64>,
    /// How much later than the limit of a turn an answer might come for a strike, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grace_ms: Option<u64>,
    /// The strikes that a program might have in a leg.
    #[serde(default, skip_serializing_if = "u32_is_zero")]
    pub strikes: u32,
    /// Whether programs kept a file between the legs.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub keeps: bool,
    /// The time bank of a leg, in milliseconds, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bank_ms: Option<u64>,
    /// What every turn adds to the time bank, in milliseconds.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub increment_ms: u64,
    /// The waiting allowance of a program in the match, in milliseconds, if limited: the wall time
    /// that it may neither compute nor be withheld from computing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waiting_ms: Option<u64>,
    /// Whether programs ran while it was not their turn.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub pondering: bool,
    /// The threads on which a built-in bot could search at once.
    #[serde(default = "one_thread", skip_serializing_if = "is_one")]
    pub bot_threads: u16,
    /// Bytes of memory of a program, if limited.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_bytes: Option<u64>,
    /// Processes and threads of a program, if limited.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub processes: Option<u32>,
    /// Open files of each process of a program, if limited.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub open_files: Option<u32>,
    /// Bytes of a program's largest file, if limited.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file_bytes: Option<u64>,
    /// Bytes of all temporary files of a program, if limited.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disk_bytes: Option<u64>,
    /// Bytes of a message.
    pub message_bytes: usize,
    /// Bytes of stderr that are kept for each leg and entrant.
    pub log_bytes: usize,
    /// The isolation of programs: `none`, or a sandbox tier.
    pub isolation: String,
}

/// A recorded leg. Entrant A plays first in legs 1, 3, …; B in legs 2, 4, ….
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LegRecord {
    /// One token for each step, separated by single spaces; see [`crate::replay::ReplyTokens`].
    pub replies: String,
    /// Two hexadecimal digits for each checkpoint: [`fold8`] of its hash.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub hashes: String,
    /// Sixteen hexadecimal digits: the hash of the last checkpoint.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub final_hash: Option<String>,
    /// Wall time of every reply in microseconds, step by step, first seat before second.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub times_us: Vec<u64>,
    /// CPU time of every reply in microseconds, in the order of [`times_us`](LegRecord::times_us);
    /// null for replies without such a clock (people, built-in bots). Empty if no reply has one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cpu_us: Vec<Option<u64>>,
    /// What was left of the time bank of a seat after every reply in microseconds, in the order of
    /// [`times_us`](LegRecord::times_us); null for seats without one. Empty if no seat has one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub bank_us: Vec<Option<u64>>,
    /// The answers that came within the grace, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub strikes: Vec<StrikeRecord>,
    /// The noise of replies, in order: only of those that were disturbed by a millisecond or more.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub noise: Vec<NoiseRecord>,
    /// The reason of each time that the leg was played again.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reruns: Vec<RerunRecord>,
    /// The stderr of the programs, by period.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub logs: Vec<LogRecord>,
    /// What a judge program showed before the first step and after each one, for readers who do not run
    /// it; see [`AnyLeg::recall`](crate::AnyLeg::recall). Other games are played again instead.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shown: Vec<Value>,
    /// How the leg ended; absent if it was interrupted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<OutcomeRecord>,
    /// The faults that ended it, in detail.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub faults: Vec<FaultRecord>,
}

/// An answer that came after the limit of its turn, but within the grace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the names say it")]
pub struct StrikeRecord {
    pub entrant: Entrant,
    /// The round, from 1.
    pub round: u32,
    /// The step, from 0.
    pub step: usize,
    /// The limit that it exceeded, CPU or wall time, in microseconds.
    pub allowed_us: u64,
    pub used_us: u64,
}

/// The noise of one reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the names say it")]
pub struct NoiseRecord {
    /// The index of the reply in [`LegRecord::times_us`].
    pub reply: usize,
    #[serde(flatten)]
    pub noise: NoiseTimes,
}

/// Four kinds of noise, in microseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NoiseTimes {
    /// The program was ready to run while its core ran something else.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub delay_us: u64,
    /// The judge itself was late.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub late_us: u64,
    /// The hypervisor ran other machines on the core.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub steal_us: u64,
    /// Some process of the machine waited for a core.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub pressure_us: u64,
}

/// The reason why a leg was played again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RerunRecord {
    /// The entrant whose time could not be judged.
    pub entrant: Entrant,
    /// The round, from 1.
    pub round: u32,
    /// The measurement, as a part of a sentence.
    pub why: String,
    /// The same as a message, for readers of Chinese; older files have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub said: Option<Message>,
    /// The noise in that period.
    pub noise: NoiseTimes,
}

/// The stderr of a program in one period.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the names say it")]
pub struct LogRecord {
    pub entrant: Entrant,
    /// The period in which it was read.
    pub period: u32,
    /// The text; invalid UTF-8 is replaced.
    pub text: String,
}

/// How a leg ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutcomeRecord {
    /// The winner's seat; null is a draw.
    pub winner: Option<Seat>,
    /// First and second.
    pub scores: BySeat<i32>,
    /// The id of the rule that decided.
    pub reason: String,
    /// The codes of the faults that ended it, first and second.
    #[serde(default, skip_serializing_if = "no_faults")]
    pub faults: BySeat<Option<Fault>>,
    /// Whether the match goes on.
    pub scope: Scope,
}

/// The verdict of the match.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct VerdictRecord {
    /// Null is a draw.
    pub winner: Option<Entrant>,
    /// The id of the rule that decided.
    pub reason: String,
}

/// A fault with all details for its author.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the names say it")]
pub struct FaultRecord {
    /// The entrant at fault.
    pub entrant: Entrant,
    /// Its seat in that leg.
    pub seat: Seat,
    pub code: FaultCode,
    /// The leg, from 1; older files have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub leg: Option<usize>,
    /// The round, from 1.
    pub round: u32,
    /// The step, from 0: the index of its token in `replies`.
    pub step: usize,
    /// What happened, with the values, as a part of a sentence.
    pub what: String,
    /// The same as a message, for readers of Chinese; older files have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub said: Option<Message>,
    /// The exceeded limit, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<BrokenLimit>,
    /// How the program ended, if it did: `exit code 3`, `signal 11 (SIGSEGV)`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit: Option<String>,
    /// The last lines of its stderr.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub last_words: Vec<String>,
    /// The bytes of the wrong or incomplete message and those after it, in hexadecimal (at most 256
    /// bytes).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub received: Option<String>,
}

impl Say for FaultRecord {
    fn to_message(&self) -> Message {
        Message::recorded(self.said.as_ref(), &self.what)
    }
}

impl Say for RerunRecord {
    fn to_message(&self) -> Message {
        Message::recorded(self.said.as_ref(), &self.why)
    }
}

/// An exceeded limit, for programs; [`FaultRecord::what`] describes it for people.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the names say it")]
pub struct BrokenLimit {
    pub name: LimitName,
    pub allowed: u64,
    /// The measured value, as far as known: a program that was killed at a limit may have needed
    /// more.
    pub used: u64,
    /// The unit of both numbers.
    pub unit: LimitUnit,
}

/// A limit that a program can break.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LimitName {
    /// CPU time of a period.
    PeriodCpu,
    /// Wall time of a period.
    PeriodWall,
    /// CPU time of all periods of the match together.
    MatchCpu,
    /// Wall time of all periods of the match together.
    MatchWall,
    /// CPU time of all turns of a leg up to this one, by the time bank.
    BankCpu,
    /// Wall time of all turns of a leg up to this one, by the time bank.
    BankWall,
    /// Wall time that a program waited rather than computed, in all periods of the match together.
    Waiting,
    /// Time until a program connects over TCP.
    Connect,
    /// Bytes of one message.
    Message,
    /// Answers or bytes that wait although no question was asked.
    Ahead,
    /// Memory.
    Memory,
    /// Temporary files.
    Disk,
}

/// The unit of a [`BrokenLimit`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum LimitUnit {
    /// Microseconds.
    #[serde(rename = "us")]
    Micros,
    /// Bytes.
    #[serde(rename = "bytes")]
    Bytes,
    /// Answers of a program.
    #[serde(rename = "answers")]
    Answers,
}

impl LimitName {
    /// The name in replays.
    pub const fn as_str(self) -> &'static str {
        match self {
            LimitName::PeriodCpu => "period-cpu",
            LimitName::PeriodWall => "period-wall",
            LimitName::MatchCpu => "match-cpu",
            LimitName::MatchWall => "match-wall",
            LimitName::BankCpu => "bank-cpu",
            LimitName::BankWall => "bank-wall",
            LimitName::Waiting => "waiting",
            LimitName::Connect => "connect",
            LimitName::Message => "message",
            LimitName::Ahead => "ahead",
            LimitName::Memory => "memory",
            LimitName::Disk => "disk",
        }
    }
}

impl fmt::Display for LimitName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl fmt::Display for LimitUnit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            LimitUnit::Micros => "us",
            LimitUnit::Bytes => "bytes",
            LimitUnit::Answers => "answers",
        })
    }
}

impl BrokenLimit {
    /// A time limit, in microseconds.
    pub const fn time(name: LimitName, allowed: u64, used: u64) -> BrokenLimit {
        BrokenLimit::new(name, LimitUnit::Micros, allowed, used)
    }

    /// A limit in bytes.
    pub const fn bytes(name: LimitName, allowed: u64, used: u64) -> BrokenLimit {
        BrokenLimit::new(name, LimitUnit::Bytes, allowed, used)
    }

    /// A limit of this name and unit.
    pub const fn new(name: LimitName, unit: LimitUnit, allowed: u64, used: u64) -> BrokenLimit {
        BrokenLimit {
            name,
            allowed,
            used,
            unit,
        }
    }
}

fn u32_is_zero(number: &u32) -> bool {
    *number == 0
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

const fn one_thread() -> u16 {
    1
}

fn is_one(number: &u16) -> bool {
    *number == 1
}

fn no_faults(faults: &BySeat<Option<Fault>>) -> bool {
    faults.iter_pairs().all(|(_, fault)| fault.is_none())
}

impl Replay {
    /// What each leg was, in 16 hexadecimal digits: equal for the same config, setup and replies,
    /// whoever played.
    pub fn list_games(&self) -> Vec<String> {
        let setup = format!("{}\n{}\n", self.config, self.setup);
        let leg = |leg: &LegRecord| {
            let mut hash = Fnv::default();
            hash.write(setup.as_bytes());
            hash.write(leg.replies.as_bytes());
            format!("{:016x}", hash.0)
        };
        self.legs.iter().map(leg).collect()
    }

    /// Reads a replay and checks everything that needs no rules: format, sizes and counts.
    pub fn parse(text: &str) -> Result<Replay, InvalidSetup> {
        if text.len() > MAX_BYTES {
            return Err(InvalidSetup(say!(
                "the replay has {} bytes; at most {MAX_BYTES} are read",
                text.len()
            )));
        }
        // Some editors on Windows put a mark in front of UTF-8.
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let mut replay: Replay =
            serde_json::from_str(text).map_err(|e| InvalidSetup(say!("not a replay: {e}")))?;
        if replay.format == OLD_FORMAT {
            replay.format = FORMAT.to_owned();
        }
        replay.check_bounds()?;
        Ok(replay)
    }

    fn check_bounds(&self) -> Result<(), InvalidSetup> {
        if self.format != FORMAT {
            let found = &self.format;
            return Err(InvalidSetup(say!(
                "the format is {found:?}; this version reads {FORMAT:?} and {OLD_FORMAT:?}"
            )));
        }
        if self.legs.len() > MAX_LEGS {
            return Err(InvalidSetup(say!(
                "{} legs; at most {MAX_LEGS} are read",
                self.legs.len()
            )));
        }
        match self
            .legs
            .iter()
            .position(|leg| leg.replies.split_ascii_whitespace().count() > MAX_STEPS)
        {
            Some(leg) => Err(InvalidSetup(say!(
                "leg {} has more than {MAX_STEPS} steps",
                leg + 1
            ))),
            None => Ok(()),
        }
    }

    /// One JSON object with a final newline; legs and long lists have lines of their own.
    pub fn to_text(&self) -> String {
        let mut text = serde_json::to_string(self).expect("a replay is plain data");
        text.push('\n');
        text
    }
}

impl From<&Outcome> for OutcomeRecord {
    fn from(outcome: &Outcome) -> Self {
        OutcomeRecord {
            winner: outcome.winner,
            scores: outcome.scores,
            reason: outcome.reason.id.to_owned(),
            faults: outcome.faults,
            scope: outcome.scope,
        }
    }
}

impl From<&Verdict> for VerdictRecord {
    fn from(verdict: &Verdict) -> Self {
        VerdictRecord {
            winner: verdict.winner,
            reason: verdict.reason.id.to_owned(),
        }
    }
}

/// Eight bits of a state hash: they find a difference at once in 255 of 256 cases, and soon in the
/// others.
pub fn fold8(hash: u64) -> u8 {
    let folded = fold16(hash);
    (folded ^ (folded >> 8)) as u8
}

/// Records a leg while it is played: pass it to [`crate::AnyLeg::step`] as the sink, and give it
/// the replies.
#[derive(Clone, Debug, Default)]
pub struct Recorder {
    /// The record so far.
    pub leg: LegRecord,
    steps: usize,
    last_hash: Option<u64>,
}

impl Recorder {
    /// Adds the replies of a step.
    pub fn record_replies(&mut self, replies: &TextReplies<'_>) {
        if self.steps > 0 {
            self.leg.replies.push(' ');
        }
        write_token(replies, &mut self.leg.replies);
        self.steps += 1;
    }

    /// Steps recorded so far.
    pub fn step_count(&self) -> usize {
        self.steps
    }

    /// The leg, completed with its outcome if it has one.
    pub fn finish_leg(mut self, outcome: Option<Outcome>) -> LegRecord {
        self.leg.final_hash = self.last_hash.map(|hash| format!("{hash:016x}"));
        self.leg.outcome = outcome.as_ref().map(OutcomeRecord::from);
        self.leg
    }
}

impl AnySink for Recorder {
    fn wants_shown(&self) -> bool {
        true
    }

    fn on_shown(&mut self, moment: Value) {
        self.leg.shown.push(moment);
    }

    fn on_checkpoint(&mut self, at: &dyn Checkpoint) {
        let hash = at.hash();
        self.last_hash = Some(hash);
        let byte = fold8(hash);
        for nibble in [byte >> 4, byte & 15] {
            self.leg
                .hashes
                .push(char::from_digit(nibble.into(), 16).expect("a nibble is a digit"));
        }
    }
}
