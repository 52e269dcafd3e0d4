//! The command that plays a moment of a match again.

use std::borrow::Cow;
use std::path::Path;

use clap::ValueEnum;
use leitai_game::clean_text::clean_line;
use leitai_judge::{RefereeLimits, ReplayPoint};

use crate::cli::{ConnectArg, MatchArgs, MatchOptionArgs};
use crate::isolation::RequestedIsolation;

/// The command of the match that was just played.
pub struct RerunCommand {
    /// The words from `leitai match` to the seed, quoted for a shell.
    opening: String,
    /// Options that only a whole match needs: a replay contains them.
    choices: String,
    /// The replay from which the command continues.
    replay: Option<String>,
}

impl RerunCommand {
    /// Makes the command for these words and the written replay.
    pub fn new(args: &MatchArgs, seed: u64, replay: Option<&Path>) -> RerunCommand {
        let [game, a, b] = [&args.game, &args.a, &args.b].map(|word| quote_word(word));
        RerunCommand {
            opening: format!(
                "leitai match {game} {a} {b} --seed {seed}{}",
                condition_options(&args.options)
            ),
            choices: entrant_words(args),
            replay: replay.map(|path| path.display().to_string()),
        }
    }

    /// The command that plays this moment again. Without a replay it plays the whole match.
    pub fn from(&self, moment: ReplayPoint) -> String {
        match &self.replay {
            Some(file) => format!(
                "{} --from {}",
                self.opening,
                quote_word(&format!("{file}@{moment}"))
            ),
            None => format!("{}{}", self.opening, self.choices),
        }
    }
}

/// The options for running programs that are not defaults.
pub fn condition_options(options: &MatchOptionArgs) -> String {
    let time = |time| quote_word(&humantime::format_duration(time).to_string());
    let mebibytes = options.memory >> 20;
    let usual = leitai_sandbox::SandboxLimits::BOT;
    let size = |name: &str, bytes: u64, usual: Option<u64>| {
        (Some(bytes) != usual).then(|| format!("--{name} {bytes}"))
    };
    let flags = [
        (options.connect == ConnectArg::Tcp).then(|| "--connect tcp".to_owned()),
        (options.start_limit != RefereeLimits::START)
            .then(|| format!("--start-limit {}", time(options.start_limit))),
        options
            .match_limit
            .map(|limit| format!("--match-limit {}", time(limit))),
        options
            .grace
            .map(|grace| format!("--grace {}", time(grace))),
        options
            .strikes
            .map(|strikes| format!("--strikes {strikes}")),
        options.keep.then(|| "--keep".to_owned()),
        options.bank.map(|bank| format!("--bank {}", time(bank))),
        options
            .increment
            .map(|more| format!("--increment {}", time(more))),
        options
            .wait_limit
            .map(|limit| format!("--wait-limit {}", time(limit))),
        options
            .libraries
            .as_ref()
            .map(|folder| format!("--libraries {}", quote_word(&folder.display().to_string()))),
        options.pondering.then(|| "--pondering".to_owned()),
        (options.threads > 1).then(|| format!("--threads {}", options.threads)),
        (Some(options.memory) != usual.memory).then(|| format!("--memory {mebibytes}MiB")),
        (Some(options.processes) != usual.processes)
            .then(|| format!("--processes {}", options.processes)),
        (Some(options.open_files) != usual.open_files)
            .then(|| format!("--open-files {}", options.open_files)),
        size("file-size", options.file_size, usual.file),
        size("disk", options.disk, usual.disk),
        options.message.map(|bytes| format!("--message {bytes}")),
        size("log", options.log, Some(leitai_judge::log::KEPT as u64)),
        (options.isolation != RequestedIsolation::Auto)
            .then(|| format!("--isolation {}", word_of(&options.isolation))),
    ];
    flags
        .into_iter()
        .flatten()
        .map(|flag| format!(" {flag}"))
        .collect()
}

fn word_of(value: &impl ValueEnum) -> String {
    value
        .to_possible_value()
        .map(|value| value.get_name().to_owned())
        .unwrap_or_default()
}

fn entrant_words(args: &MatchArgs) -> String {
    let options = &args.options;
    let config = options
        .config
        .iter()
        .map(|choice| format!(" --config {}", quote_word(choice)));
    let limit = options.limit.map(|limit| {
        format!(
            " --limit {}",
            quote_word(&humantime::format_duration(limit).to_string())
        )
    });
    let legs = options.legs.map(|legs| format!(" --legs {legs}"));
    let from = args.from.as_ref().map(|from| {
        let moment = format!("{}@{}", from.file.display(), from.moment);
        format!(" --from {}", quote_word(&moment))
    });
    config.chain(limit).chain(legs).chain(from).collect()
}

/// A word quoted for a POSIX shell; a word with control characters is quoted for bash and zsh.
pub fn quote_word(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=+:,@%".contains(c);
    if matches!(clean_line(word), Cow::Owned(_)) {
        return format!(
            "$'{}'",
            clean_line(&word.replace('\\', r"\\").replace('\'', r"\'"))
        );
    }
    match !word.is_empty() && word.chars().all(plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::{Cli, Command};
    use clap::Parser;

    #[track_caller]
    fn check(words: &[&str], replay: Option<&str>, expected: &str) {
        let cli =
            Cli::try_parse_from([&["leitai", "match"][..], words].concat()).expect("sound words");
        let Command::Match(args) = cli.command else {
            panic!("the arguments are those of a match")
        };
        let again = RerunCommand::new(&args, 7, replay.map(Path::new));
        assert_eq!(again.from(ReplayPoint { leg: 2, round: 37 }), expected);
    }

    #[test]
    fn words_are_quoted_for_a_shell() {
        assert_eq!(quote_word("a b"), "'a b'");
        assert_eq!(quote_word("it's \u{1b}[2J\\"), r"$'it\'s \u001b[2J\\'");
    }

    #[test]
    fn the_command_repeats_the_users_arguments() {
        check(
            &["snakego", "./mybot", "territory"],
            Some("matches/a.json"),
            "leitai match snakego ./mybot territory --seed 7 --from matches/a.json@2:37",
        );
        check(
            &[
                "snakego",
                "my bots/it's.py",
                "territory",
                "--connect",
                "tcp",
                "--memory",
                "1G",
                "--isolation",
                "none",
                "--json",
            ],
            Some("my games/a.json"),
            r"leitai match snakego 'my bots/it'\''s.py' territory --seed 7 --connect tcp --memory 1024MiB --isolation none --from 'my games/a.json@2:37'",
        );
        check(
            &[
                "snakego",
                "a",
                "b",
                "--limit",
                "1s",
                "--config",
                "items=[]",
                "--no-replay",
            ],
            None,
            "leitai match snakego a b --seed 7 --config 'items=[]' --limit 1s",
        );
        check(
            &["snakego", "a", "b", "--no-replay", "--from", "g.json@1:3"],
            None,
            "leitai match snakego a b --seed 7 --from g.json@1:3",
        );
    }
}
