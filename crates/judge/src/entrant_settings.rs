//! What one entrant alone plays with: arguments, environment, limits within those of the match.

use std::fmt;
use std::time::Duration;

use leitai_sandbox::{Program, SandboxLimits};
use serde::{Deserialize, Serialize};

use crate::clock::TimeBank;
use crate::referee::RefereeLimits;

/// What one entrant alone plays with; empty for most.
///
/// ```
/// # use leitai_judge::EntrantSettings;
/// # use std::time::Duration;
/// let mut settings = EntrantSettings::default();
/// settings.arguments = vec!["--depth".into(), "5".into()];
/// settings.limits.period = Some(Duration::from_millis(20));
/// assert_eq!(settings.to_string(), "--depth 5 @limit=20ms");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct EntrantSettings {
    /// Added to the command of a program.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub arguments: Vec<String>,
    /// Added to the environment of a program: names and values.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub environment: Vec<(String, String)>,
    /// Its own limits.
    #[serde(default, skip_serializing_if = "OwnLimits::is_empty")]
    pub limits: OwnLimits,
}

/// Limits of one entrant, each below or equal to that of the match; `None` for that of the match.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(default)]
pub struct OwnLimits {
    /// Time of a period. A built-in bot thinks so long, and is not at fault for a little more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub period: Option<Duration>,
    /// Added to its first period of every leg.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start: Option<Duration>,
    /// Time of all periods of the match.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total: Option<Duration>,
    /// The time bank of a leg.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bank: Option<Duration>,
    /// What every turn adds to the time bank.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub increment: Option<Duration>,
    /// The waiting allowance.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waiting: Option<Duration>,
    /// Bytes of memory of a program.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory: Option<u64>,
    /// Processes and threads of a program.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub processes: Option<u32>,
    /// Threads on which a built-in bot may search.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub threads: Option<u16>,
}

impl OwnLimits {
    /// Whether all are those of the match.
    pub fn is_empty(&self) -> bool {
        *self == OwnLimits::default()
    }

    /// The limits of a program that the referee enforces.
    pub fn narrow_referee(&self, common: RefereeLimits) -> RefereeLimits {
        RefereeLimits {
            period: narrow(self.period, common.period),
            start: narrow(self.start, common.start),
            total: narrow_option(self.total, common.total),
            bank: self.narrow_bank(common.bank),
            waiting: narrow_option(self.waiting, common.waiting),
            ..common
        }
    }

    /// Its own bank where the match has none; a part of it alone is that of the match.
    fn narrow_bank(&self, common: Option<TimeBank>) -> Option<TimeBank> {
        let time = narrow_option(self.bank, common.map(|bank| bank.time))?;
        let increment = narrow_option(self.increment, common.map(|bank| bank.increment));
        Some(TimeBank {
            time,
            increment: increment.unwrap_or_default(),
        })
    }

    /// The limits of a program that the sandbox enforces.
    pub fn narrow_sandbox(&self, common: SandboxLimits) -> SandboxLimits {
        SandboxLimits {
            memory: narrow_option(self.memory, common.memory),
            processes: narrow_option(self.processes, common.processes),
            ..common
        }
    }
}

/// The smaller one: what came from elsewhere is never above the limit of the match.
fn narrow<T: Ord + Copy>(own: Option<T>, common: T) -> T {
    own.map_or(common, |own| own.min(common))
}

fn narrow_option<T: Ord + Copy>(own: Option<T>, common: Option<T>) -> Option<T> {
    own.into_iter().chain(common).min()
}

impl EntrantSettings {
    /// Whether there is nothing that the other entrant does not have.
    pub fn is_empty(&self) -> bool {
        *self == EntrantSettings::default()
    }

    /// The settings as text, as a replay has it; `None` if there are none.
    pub fn to_text(&self) -> Option<String> {
        (!self.is_empty()).then(|| self.to_string())
    }

    /// The thinking time of a built-in bot with these settings.
    pub(crate) fn thinking_time(&self, common: Option<Duration>) -> Duration {
        narrow_option(self.limits.period, common).unwrap_or(Duration::MAX)
    }

    /// The threads of a built-in bot with these settings.
    pub(crate) fn bot_threads(&self, common: u16) -> u16 {
        narrow(self.limits.threads, common)
    }

    /// The program with its arguments, environment and limits.
    pub fn apply_to(&self, program: &Program, common: SandboxLimits) -> Program {
        let mut program = program.clone();
        program
            .argv
            .extend(self.arguments.iter().map(std::ffi::OsString::from));
        let pairs = self.environment.iter();
        program
            .env
            .extend(pairs.map(|(name, value)| (name.into(), value.into())));
        program.limits = self.limits.narrow_sandbox(common);
        program
    }
}

/// The settings in words that are read again: arguments first, each quoted for a shell where that is
/// needed.
impl fmt::Display for EntrantSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let limits = &self.limits;
        let arguments = self.arguments.iter().map(|word| match word.as_bytes() {
            [b'@', ..] => format!("@{word}"),
            _ => word.clone(),
        });
        let environment = self.environment.iter();
        let environment = environment.map(|(name, value)| format!("@env={name}={value}"));
        let times = [
            ("limit", limits.period),
            ("start-limit", limits.start),
            ("match-limit", limits.total),
            ("bank", limits.bank),
            ("increment", limits.increment),
            ("wait-limit", limits.waiting),
        ];
        let times = times.into_iter().filter_map(|(name, time)| {
            let time = show_exactly(time?);
            Some(format!("@{name}={time}"))
        });
        let memory = limits.memory.map(|bytes| match bytes % (1 << 20) {
            0 => format!("@memory={}MiB", bytes >> 20),
            _ => format!("@memory={bytes}"),
        });
        let processes = limits
            .processes
            .map(|number| format!("@processes={number}"));
        let threads = limits.threads.map(|number| format!("@threads={number}"));
        let words: Vec<String> = arguments
            .chain(environment)
            .chain(times)
            .chain(memory)
            .chain(processes)
            .chain(threads)
            .collect();
        let is_plain = |word: &String| {
            shlex::split(word).is_some_and(|words| words == std::slice::from_ref(word))
        };
        let quoted = words.iter().map(|word| match is_plain(word) {
            true => word.clone(),
            // A word with a zero byte comes from no command line and from no file.
            false => shlex::try_quote(word).map_or(word.clone(), |quoted| quoted.into_owned()),
        });
        f.write_str(&quoted.collect::<Vec<_>>().join(" "))
    }
}

/// A time that is read as the same one.
fn show_exactly(time: Duration) -> String {
    match (time.as_secs(), time.subsec_nanos()) {
        (seconds, 0) => format!("{seconds}s"),
        (_, nanos) if nanos % 1_000_000 == 0 => format!("{}ms", time.as_millis()),
        _ => format!("{}us", time.as_micros()),
    }
}
