//! The steps of a check and their findings.

use leitai_game::{Seat, Text};
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

/// Words in both languages.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckMessage {
    /// English.
    pub en: String,
    /// 简体中文.
    pub zh: String,
}

/// What a step found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckFinding {
    /// The step.
    pub step: CheckStep,
    /// How it ended.
    pub mark: StepResult,
    /// What was seen.
    pub seen: CheckMessage,
    /// The last lines that the program wrote to stderr, where it failed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub last_words: Vec<String>,
    /// What to do about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<CheckMessage>,
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
    pub const fn step_title(self) -> Text {
        let (en, zh) = match self {
            CheckStep::Builds => ("builds", "能构建"),
            CheckStep::Starts => ("starts", "能启动"),
            CheckStep::FirstMove => ("answers the first move in time", "按时回答第一步"),
            CheckStep::First => ("plays a whole leg, first", "先手完整下完一局"),
            CheckStep::Second => ("plays a whole leg, second", "后手完整下完一局"),
            CheckStep::SplitWrites => ("survives split writes", "能处理分段到达的消息"),
            CheckStep::SlowReader => ("survives a slow reader", "能承受缓慢的读取"),
            CheckStep::Memory => ("memory head-room", "内存余量"),
            CheckStep::Time => ("time head-room", "时间余量"),
            CheckStep::Exits => ("exits when the match ends", "比赛结束时退出"),
            CheckStep::Repeatable => ("repeatable?", "可重现？"),
        };
        Text { en, zh }
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

impl CheckMessage {
    /// In both languages.
    pub fn new(en: impl Into<String>, zh: impl Into<String>) -> CheckMessage {
        CheckMessage {
            en: en.into(),
            zh: zh.into(),
        }
    }

    /// A text that is the same in both languages: numbers, and the output of compilers and
    /// programs.
    pub fn same_in_both(text: impl Into<String>) -> CheckMessage {
        let text = text.into();
        CheckMessage {
            zh: text.clone(),
            en: text,
        }
    }
}

impl CheckFinding {
    /// A finding: a step, its result, and the observation.
    pub fn new(step: CheckStep, mark: StepResult, seen: CheckMessage) -> CheckFinding {
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
    pub fn next(mut self, en: &str, zh: &str) -> CheckFinding {
        self.next = Some(CheckMessage::new(en, zh));
        self
    }
}
