//! The steps of a check and their findings.

use leitai_game::lang::Localizer;
use leitai_game::{LocalizedText, Seat};
use serde::{Deserialize, Serialize};

/// A step of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CheckStep {
    /// It was built.
    Builds,
    /// It starts and does not end before its first answer.
    Starts,
    /// Its first answer is one, and comes in time.
    FirstMove,
    /// It plays a whole leg on the first seat without a fault.
    First,
    /// And on the second.
    Second,
    /// It understands messages that arrive in pieces.
    SplitWrites,
    /// Nothing goes wrong when its answers are read late and in pieces.
    SlowReader,
    /// How much of its memory it needs.
    Memory,
    /// How much of its time it needs.
    Time,
    /// It leaves when the match is over.
    Exits,
    /// It answers the same when it is asked the same.
    Repeatable,
}

/// How a step ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum StepResult {
    /// All is well.
    Passed,
    /// The program is at fault.
    Failed,
    /// It works, but barely, or with help.
    Warned,
    /// Something to know.
    Noted,
    /// Not tried, or not to be judged.
    Skipped,
}

/// What a step found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckFinding {
    /// The step.
    pub step: CheckStep,
    /// How it ended.
    pub mark: StepResult,
    /// What was seen.
    pub seen: LocalizedText,
    /// The last lines that the program wrote to stderr, where it failed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub last_words: Vec<String>,
    /// What to do about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<LocalizedText>,
    /// The leg in which it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub leg: Option<CheckLeg>,
}

/// A leg of a check: with the same seed against the same bot it is played again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckLeg {
    /// The seat of the program.
    pub seat: Seat,
    /// The seed.
    pub seed: u64,
    /// The opponent, a built-in bot.
    pub opponent: String,
}

impl CheckStep {
    /// Every step, in order.
    pub const ALL: [CheckStep; 11] = [
        CheckStep::Builds,
        CheckStep::Starts,
        CheckStep::FirstMove,
        CheckStep::First,
        CheckStep::Second,
        CheckStep::SplitWrites,
        CheckStep::SlowReader,
        CheckStep::Memory,
        CheckStep::Time,
        CheckStep::Exits,
        CheckStep::Repeatable,
    ];

    /// What the program does if it passes, as the end of a sentence that begins with its name.
    pub fn step_title(self, lang: Localizer<'_>) -> &'static str {
        match self {
            CheckStep::Builds => lang.label("builds"),
            CheckStep::Starts => lang.label("starts"),
            CheckStep::FirstMove => lang.label("answers the first move in time"),
            CheckStep::First => lang.label("plays a whole leg, first"),
            CheckStep::Second => lang.label("plays a whole leg, second"),
            CheckStep::SplitWrites => lang.label("survives split writes"),
            CheckStep::SlowReader => lang.label("survives a slow reader"),
            CheckStep::Memory => lang.label("memory head-room"),
            CheckStep::Time => lang.label("time head-room"),
            CheckStep::Exits => lang.label("exits when the match ends"),
            CheckStep::Repeatable => lang.label("repeatable?"),
        }
    }

    /// Whether a program that fails it should not be sent in.
    pub const fn must_pass(self) -> bool {
        !matches!(
            self,
            CheckStep::Memory | CheckStep::Time | CheckStep::Exits | CheckStep::Repeatable
        )
    }
}

impl StepResult {
    /// Whether nothing stands in the way.
    pub const fn is_good(self) -> bool {
        matches!(
            self,
            StepResult::Passed | StepResult::Warned | StepResult::Noted
        )
    }
}

impl CheckFinding {
    /// A finding: a step, its result, and the observation.
    pub fn new(step: CheckStep, mark: StepResult, seen: LocalizedText) -> CheckFinding {
        CheckFinding {
            step,
            mark,
            seen,
            last_words: Vec::new(),
            next: None,
            leg: None,
        }
    }

    /// Adds the next step for the author.
    pub fn advise(mut self, advice: LocalizedText) -> CheckFinding {
        self.next = Some(advice);
        self
    }
}
