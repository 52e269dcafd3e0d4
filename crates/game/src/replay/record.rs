use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::erased::{AnySink, Checkpoint, TextReplies};
use crate::game::{Outcome, Scope, Verdict};
use crate::hash::fold16;
use crate::invalid::InvalidSetup;
use crate::replay::walk::write_token;
use crate::reply::{Fault, FaultCode};
use crate::seat::{ByEntrant, BySeat, Entrant, Seat};

/// The version of the file format that is written.
pub const FORMAT: &str = "leitai-replay/2";
/// The version before it, which is read, too: an entrant's protocol was called its dialect.
pub const OLD_FORMAT: &str = "leitai-replay/1";
/// Longest file that is read, in bytes.
pub const MAX_BYTES: usize = 64 << 20;
/// Most legs in a replay.
pub const MAX_LEGS: usize = 64;
/// Most steps in a leg.
pub const MAX_STEPS: usize = 1_000_000;

/// A recorded match.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Replay {
    /// [`FORMAT`]; [`Replay::parse`] reads `leitai-replay/1` as if it were this one.
    pub format: String,
    /// The game's id.
    pub game: String,
    /// The rule set the match was judged by.
    pub rules: String,
    /// The program that wrote the file.
    pub engine: String,
    /// When the match began, RFC 3339 in UTC.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recorded: Option<String>,
    /// The seed the setup was drawn from, where it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// The config the setup was drawn with.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub config: Value,
    /// Chance as it fell.
    pub setup: Value,
    /// Who played.
    pub entrants: ByEntrant<EntrantRecord>,
    /// What the judge allowed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limits: Option<LimitsRecord>,
    /// Whether the match was played to its end.
    pub status: MatchStatus,
    /// The last leg was played on from here: the replies before were forced, whatever the entrants
    /// said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forced: Option<ForcedRecord>,
    /// The legs, in order.
    pub legs: Vec<LegRecord>,
    /// The verdict, once there is one.
    pub verdict: Option<VerdictRecord>,
    /// What an import keeps of its source, so that an export gives the same text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<Value>,
}

/// Whether a match was played to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MatchStatus {
    /// It was; there is a verdict.
    Complete,
    /// It was stopped from outside; the last leg may lack its end.
    Interrupted,
    /// The machine was too busy to judge fairly, again and again: an infrastructure error (SE).
    /// The last leg lacks its end.
    Void,
}

/// Who an entrant was.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EntrantRecord {
    /// The name shown to people.
    pub name: String,
    /// What it was.
    pub kind: EntrantKind,
    /// The protocol it spoke, for programs.
    #[serde(default, alias = "dialect", skip_serializing_if = "Option::is_none")]
    pub protocol: Option<String>,
}

/// What an entrant was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EntrantKind {
    /// A built-in bot, in process.
    BuiltIn,
    /// A program.
    Program,
    /// A person.
    Human,
    /// Known only from an imported replay.
    Imported,
}

/// From where a match was played on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ForcedRecord {
    /// The leg, from 1; it is the last one, and those before are as they were recorded.
    pub leg: usize,
    /// The first round in which the entrants' own replies count.
    pub round: u32,
}

/// What the judge allowed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LimitsRecord {
    /// CPU time a period, in milliseconds.
    pub period_ms: u64,
    /// Added to a program's first period of a leg, in milliseconds.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub start_ms: u64,
    /// Time of all periods of the match together, in milliseconds, where it was limited.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub match_ms: Option<u64>,
    /// Whether programs ran while they were not to move.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub pondering: bool,
    /// Bytes of memory a program, where it was limited.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_bytes: Option<u64>,
    /// Processes and threads a program, where they were limited.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub processes: Option<u32>,
    /// Open files of each process of a program, where they were limited.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub open_files: Option<u32>,
    /// Bytes of a program's largest file, where they were limited.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file_bytes: Option<u64>,
    /// Bytes of a program's temporary files together, where they were limited.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disk_bytes: Option<u64>,
    /// Bytes a message.
    pub message_bytes: usize,
    /// Bytes of stderr kept a leg and entrant.
    pub log_bytes: usize,
    /// How programs were kept apart from the machine: `none`, or a sandbox tier.
    pub isolation: String,
}

/// A recorded leg. Entrant A plays first in legs 1, 3, …; B in legs 2, 4, ….
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LegRecord {
    /// One token a step, separated by single spaces; see [`crate::replay::ReplyTokens`].
    pub replies: String,
    /// Two hexadecimal digits a checkpoint: [`fold8`] of its hash.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub hashes: String,
    /// Sixteen hexadecimal digits: the hash of the last checkpoint.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub final_hash: Option<String>,
    /// Wall time of every reply in microseconds, step by step, first seat before second.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub times_us: Vec<u64>,
    /// CPU time of every reply in microseconds, in the order of [`times_us`](LegRecord::times_us);
    /// null where there is no such clock (people, built-in bots). Empty where there is none at all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cpu_us: Vec<Option<u64>>,
    /// What disturbed the replies: only those that were disturbed by a millisecond or more, in
    /// order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub noise: Vec<NoiseRecord>,
    /// Why the leg was played again, once for every time.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reruns: Vec<RerunRecord>,
    /// What the programs wrote to stderr, by period.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub logs: Vec<LogRecord>,
    /// How the leg ended; absent when it was interrupted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<OutcomeRecord>,
    /// The faults that ended it, in detail.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub faults: Vec<FaultRecord>,
}

/// What disturbed one reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NoiseRecord {
    /// Which reply: its index in [`LegRecord::times_us`].
    pub reply: usize,
    /// How much.
    #[serde(flatten)]
    pub noise: NoiseTimes,
}

/// Noise of four kinds, in microseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NoiseTimes {
    /// The program was ready to run while its core ran something else.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub delay_us: u64,
    /// The judge was late itself.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub late_us: u64,
    /// The hypervisor ran other machines on the core.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub steal_us: u64,
    /// Something on the machine waited for a core.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub pressure_us: u64,
}

/// Why a leg was played again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RerunRecord {
    /// Whose time could not be judged.
    pub entrant: Entrant,
    /// The round, from 1.
    pub round: u32,
    /// What was measured, as a sentence part.
    pub why: String,
    /// What disturbed that period.
    pub noise: NoiseTimes,
}

/// What a program wrote to stderr in one period.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogRecord {
    /// Who wrote it.
    pub entrant: Entrant,
    /// The period in which it was read.
    pub period: u32,
    /// The text; bytes that are not UTF-8 are replaced.
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
    /// Codes of the faults that ended it, first and second.
    #[serde(default, skip_serializing_if = "no_faults")]
    pub faults: BySeat<Option<Fault>>,
    /// What it decides.
    pub scope: Scope,
}

/// The match's verdict.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct VerdictRecord {
    /// Null is a draw.
    pub winner: Option<Entrant>,
    /// The id of the rule that decided.
    pub reason: String,
}

/// A fault with everything its author needs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FaultRecord {
    /// Whose fault.
    pub entrant: Entrant,
    /// Its seat in that leg.
    pub seat: Seat,
    /// What it did wrong.
    pub code: FaultCode,
    /// The leg, from 1; older files do not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub leg: Option<usize>,
    /// The round, from 1.
    pub round: u32,
    /// The step, from 0: the index of its token in `replies`.
    pub step: usize,
    /// What happened, with the values, as a sentence part.
    pub what: String,
    /// The limit that was broken, where it was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<BrokenLimit>,
    /// How the program ended, where it did: `exit code 3`, `signal 11 (SIGSEGV)`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit: Option<String>,
    /// The last lines of its stderr.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub last_words: Vec<String>,
    /// The bytes it sent: the message that was wrong and what came after it, or what came of one
    /// that never was whole, in hexadecimal (at most 256 bytes).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub received: Option<String>,
}

/// A limit that was broken, for machines; [`FaultRecord::what`] says it for people.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BrokenLimit {
    /// Which one.
    pub name: LimitName,
    /// What is allowed.
    pub allowed: u64,
    /// What was measured, as far as it is known: a program that is ended at a limit may have wanted
    /// more.
    pub used: u64,
    /// What both numbers count.
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
    /// Time until a program connects over TCP.
    Connect,
    /// Bytes of one message.
    Message,
    /// Answers, or bytes, that wait although nothing was asked.
    Ahead,
    /// Memory.
    Memory,
    /// Temporary files.
    Disk,
}

/// What the numbers of a [`BrokenLimit`] count.
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
    /// As in replays.
    pub const fn as_str(self) -> &'static str {
        match self {
            LimitName::PeriodCpu => "period-cpu",
            LimitName::PeriodWall => "period-wall",
            LimitName::MatchCpu => "match-cpu",
            LimitName::MatchWall => "match-wall",
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

fn is_zero(number: &u64) -> bool {
    *number == 0
}

fn no_faults(faults: &BySeat<Option<Fault>>) -> bool {
    faults.iter_pairs().all(|(_, fault)| fault.is_none())
}

impl Replay {
    /// Reads a replay and checks everything that does not need the game: format, sizes and counts.
    pub fn parse(text: &str) -> Result<Replay, InvalidSetup> {
        if text.len() > MAX_BYTES {
            return Err(InvalidSetup(format!(
                "the replay has {} bytes; at most {MAX_BYTES} are read",
                text.len()
            )));
        }
        let mut replay: Replay =
            serde_json::from_str(text).map_err(|e| InvalidSetup(format!("not a replay: {e}")))?;
        if replay.format == OLD_FORMAT {
            replay.format = FORMAT.to_owned();
        }
        replay.check_bounds()?;
        Ok(replay)
    }

    fn check_bounds(&self) -> Result<(), InvalidSetup> {
        if self.format != FORMAT {
            let found = &self.format;
            return Err(InvalidSetup(format!(
                "the format is {found:?}; this version reads {FORMAT:?} and {OLD_FORMAT:?}"
            )));
        }
        if self.legs.len() > MAX_LEGS {
            return Err(InvalidSetup(format!(
                "{} legs; at most {MAX_LEGS} are read",
                self.legs.len()
            )));
        }
        match self
            .legs
            .iter()
            .position(|leg| leg.replies.split_ascii_whitespace().count() > MAX_STEPS)
        {
            Some(leg) => Err(InvalidSetup(format!(
                "leg {} has more than {MAX_STEPS} steps",
                leg + 1
            ))),
            None => Ok(()),
        }
    }

    /// One JSON object with a final newline; legs and long lists stand on lines of their own.
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

/// Eight bits of a state hash: enough to catch a difference at once in 255 of 256 cases, and soon
/// in all.
pub fn fold8(hash: u64) -> u8 {
    let folded = fold16(hash);
    (folded ^ (folded >> 8)) as u8
}

/// Writes a leg while it is played: hand it to [`crate::AnyLeg::step`] as the sink, and tell it the
/// replies.
#[derive(Clone, Debug, Default)]
pub struct Recorder {
    /// What has been recorded so far.
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

    /// The leg, closed with its outcome if it has one.
    pub fn finish_leg(mut self, outcome: Option<Outcome>) -> LegRecord {
        self.leg.final_hash = self.last_hash.map(|hash| format!("{hash:016x}"));
        self.leg.outcome = outcome.as_ref().map(OutcomeRecord::from);
        self.leg
    }
}

impl AnySink for Recorder {
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
