//! The steps of a check, and what they find.

use leitai_game::{Seat, Text};
use serde::{Deserialize, Serialize};

/// A step of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Step {
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
pub enum Mark {
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
pub struct Words {
    /// English.
    pub en: String,
    /// 简体中文.
    pub zh: String,
}

/// What a step found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// The step.
    pub step: Step,
    /// How it ended.
    pub mark: Mark,
    /// What was seen.
    pub seen: Words,
    /// The last lines that the program wrote to stderr, where it failed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub last_words: Vec<String>,
    /// What to do about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<Words>,
    /// The leg in which it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub leg: Option<Leg>,
}

/// A leg of a check: with the same seed against the same bot it is played again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Leg {
    /// Where the program sat.
    pub seat: Seat,
    /// The seed.
    pub seed: u64,
    /// The opponent, a built-in bot.
    pub opponent: String,
}

impl Step {
    /// Every step, in order.
    pub const ALL: [Step; 11] = [
        Step::Builds,
        Step::Starts,
        Step::FirstMove,
        Step::First,
        Step::Second,
        Step::SplitWrites,
        Step::SlowReader,
        Step::Memory,
        Step::Time,
        Step::Exits,
        Step::Repeatable,
    ];

    /// What the program does if it passes, as the end of a sentence that begins with its name.
    pub const fn title(self) -> Text {
        let (en, zh) = match self {
            Step::Builds => ("builds", "能构建"),
            Step::Starts => ("starts", "能启动"),
            Step::FirstMove => ("answers the first move in time", "按时回答第一步"),
            Step::First => ("plays a whole leg, first", "先手完整下完一局"),
            Step::Second => ("plays a whole leg, second", "后手完整下完一局"),
            Step::SplitWrites => ("survives split writes", "能处理分段到达的消息"),
            Step::SlowReader => ("survives a slow reader", "能承受缓慢的读取"),
            Step::Memory => ("memory head-room", "内存余量"),
            Step::Time => ("time head-room", "时间余量"),
            Step::Exits => ("exits when the match ends", "比赛结束时退出"),
            Step::Repeatable => ("repeatable?", "可重现？"),
        };
        Text { en, zh }
    }

    /// Whether a program that fails it should not be sent in.
    pub const fn must_pass(self) -> bool {
        !matches!(self, Step::Memory | Step::Time | Step::Exits | Step::Repeatable)
    }
}

impl Mark {
    /// Whether nothing stands in the way.
    pub const fn is_good(self) -> bool {
        matches!(self, Mark::Passed | Mark::Warned | Mark::Noted)
    }
}

impl Words {
    /// In both languages.
    pub fn new(en: impl Into<String>, zh: impl Into<String>) -> Words {
        Words { en: en.into(), zh: zh.into() }
    }

    /// The same in both languages: numbers, and what compilers and programs say.
    pub fn same(text: impl Into<String>) -> Words {
        let text = text.into();
        Words { zh: text.clone(), en: text }
    }
}

impl Finding {
    /// A step, how it ended, and what was seen.
    pub fn new(step: Step, mark: Mark, seen: Words) -> Finding {
        Finding { step, mark, seen, last_words: Vec::new(), next: None, leg: None }
    }

    /// The same, with what to do next.
    pub fn next(mut self, en: &str, zh: &str) -> Finding {
        self.next = Some(Words::new(en, zh));
        self
    }
}
