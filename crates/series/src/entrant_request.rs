//! The request for an entrant: its word, its name and its settings.

use std::path::Path;
use std::time::Duration;

use leitai_game::AnyGame;
use leitai_judge::{EntrantSettings, OwnLimits, RefereeLimits, show_duration};
use leitai_sandbox::SandboxLimits;

use crate::invalid_request;
use crate::options::MatchOptions;

/// The request for an entrant.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EntrantRequest {
    /// A built-in bot or a path, perhaps with a protocol or host before it.
    pub word: String,
    /// The name, if it is not that of the file.
    pub name: Option<String>,
    /// What it alone plays with.
    pub settings: EntrantSettings,
}

impl EntrantRequest {
    /// `NAME=WORD`, or only the word, without settings.
    pub fn from_word(word: impl AsRef<str>) -> EntrantRequest {
        let (name, word) = split_name(word.as_ref());
        EntrantRequest {
            word: word.to_owned(),
            name: name.map(str::to_owned),
            settings: EntrantSettings::default(),
        }
    }

    /// Refuses settings that its kind cannot have, and limits above those of the match.
    ///
    /// # Errors
    /// Names the setting, and what to do.
    pub fn check_settings(&self, game: &dyn AnyGame, options: &MatchOptions) -> anyhow::Result<()> {
        let settings = &self.settings;
        let built_in = game.find_bot(&self.word);
        let is_built_in = built_in.is_some_and(|name| game.bot_program(name).is_none());
        if is_built_in && !suits_built_in(settings) {
            return Err(invalid_request(format!(
                "{} is a built-in bot, which takes @limit, @threads and @name only; a program of this name is ./{}",
                self.word, self.word
            )));
        }
        match find_limit_above(&settings.limits, &options.limits, &options.resources) {
            Some(LimitAbove { name, own, most }) => Err(invalid_request(format!(
                "{}: @{name}={own} is more than the match allows: {most}; give it less, or everybody more with --{name}",
                self.word
            ))),
            None => Ok(()),
        }
    }
}

/// Whether these are settings of a built-in bot, which has a time and threads, and nothing that a
/// program has.
pub fn suits_built_in(settings: &EntrantSettings) -> bool {
    let OwnLimits {
        period, threads, ..
    } = settings.limits;
    let limits = OwnLimits {
        period,
        threads,
        ..OwnLimits::default()
    };
    *settings
        == EntrantSettings {
            limits,
            ..EntrantSettings::default()
        }
}

/// A limit of an entrant's own that is above that of the match.
#[derive(Debug)]
pub struct LimitAbove {
    /// Its key.
    pub name: &'static str,
    /// Its value, as shown.
    pub own: String,
    /// That of the match.
    pub most: String,
}

/// The first limit that is above that of the match.
pub fn find_limit_above(
    limits: &OwnLimits,
    common: &RefereeLimits,
    resources: &SandboxLimits,
) -> Option<LimitAbove> {
    let times = [
        ("limit", limits.period, Some(common.period)),
        ("start-limit", limits.start, Some(common.start)),
        ("match-limit", limits.total, common.total),
        ("bank", limits.bank, common.bank.map(|bank| bank.time)),
        (
            "increment",
            limits.increment,
            common.bank.map(|bank| bank.increment),
        ),
        ("wait-limit", limits.waiting, common.waiting),
    ];
    let times = times.map(|(name, own, most)| (name, own.map(duration), most.map(duration)));
    let numbers = [
        (
            "memory",
            limits.memory.map(mebibytes),
            resources.memory.map(mebibytes),
        ),
        (
            "processes",
            limits.processes.map(plain),
            resources.processes.map(plain),
        ),
        (
            "threads",
            limits.threads.map(plain),
            Some(plain(common.bot_threads)),
        ),
    ];
    let mut all = times.into_iter().chain(numbers);
    all.find_map(|(name, own, most)| {
        let ((own, shown), (most, limit)) = (own?, most?);
        (own > most).then_some(LimitAbove {
            name,
            own: shown,
            most: limit,
        })
    })
}

/// Splits a word of the command line: `NAME=WORD`, or only the word. An existing path is a word,
/// whatever characters it contains.
pub fn split_name(word: &str) -> (Option<&str>, &str) {
    match word.split_once('=') {
        Some((name, rest))
            if !name.is_empty() && !name.contains('/') && !Path::new(word).exists() =>
        {
            (Some(name), rest)
        }
        _ => (None, word),
    }
}

/// What is compared, and how it is shown.
type Shown = (u128, String);

fn duration(time: Duration) -> Shown {
    (time.as_nanos(), show_duration(time))
}

fn mebibytes(bytes: u64) -> Shown {
    (bytes.into(), format!("{} MiB", bytes >> 20))
}

fn plain(number: impl Into<u64>) -> Shown {
    let number = number.into();
    (number.into(), number.to_string())
}
