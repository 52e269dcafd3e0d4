//! An entrant in words: `'./bot --depth 5 @limit=1s @name=deep'` becomes a request.

use std::path::Path;

use leitai_game::AnyGame;
use leitai_judge::EntrantSettings;

use crate::entrant::{is_built_in, locate_program};
use crate::entrant_request::EntrantRequest;
use crate::python_policy::find_policy;
use crate::{invalid_request, nearest_names, values};

/// The most arguments and variables of an entrant, and the most bytes of all of them.
const MOST_WORDS: usize = 100;
const MOST_BYTES: usize = 8192;

/// The keys behind `@`.
const KEYS: [&str; 11] = [
    "name",
    "env",
    "limit",
    "start-limit",
    "match-limit",
    "bank",
    "increment",
    "wait-limit",
    "memory",
    "processes",
    "threads",
];

impl EntrantRequest {
    /// As on the command line: `NAME=WORD`, then arguments, and settings behind `@`, split as a shell
    /// does. A text that is a path as a whole is that path, whatever characters it contains. `python:NAME` is the file of a
    /// policy.
    ///
    /// # Errors
    /// For words that cannot be split, for settings that do not exist or have no such value, and for policies that are not there.
    pub fn parse(game: &dyn AnyGame, text: &str) -> anyhow::Result<EntrantRequest> {
        find_policy(game.meta().id, EntrantRequest::split(game, text)?)
    }

    fn split(game: &dyn AnyGame, text: &str) -> anyhow::Result<EntrantRequest> {
        let whole = EntrantRequest::from_word(text);
        let is_there = |request: &EntrantRequest| {
            is_built_in(game, &request.word) || locate_program(game, &request.word).is_ok()
        };
        if Path::new(text).exists() || !text.contains(|c: char| c.is_ascii_whitespace()) {
            return Ok(whole);
        }
        let words = shlex::split(text).filter(|words| !words.is_empty());
        let Some(words) = words else {
            return match is_there(&whole) {
                true => Ok(whole),
                false => Err(invalid_request(format!(
                    "{text:?}: a quote or a backslash is not closed"
                ))),
            };
        };
        let first = EntrantRequest::from_word(&words[0]);
        if is_there(&whole) && !is_there(&first) && !text.contains(" @") {
            return Ok(whole);
        }
        let mut request = first;
        request
            .add_words(&words[1..])
            .map_err(|why| invalid_request(format!("{text:?}: {why}")))?;
        if !is_there(&request)
            && let Some(path) = path_with_spaces(text)
        {
            return Err(invalid_request(format!(
                "{text:?}: quote a path with spaces before its settings, as in \"'{path}' @limit=1s\""
            )));
        }
        Ok(request)
    }

    fn add_words(&mut self, words: &[String]) -> Result<(), String> {
        words.iter().try_for_each(|word| self.add_word(word))?;
        self.check_size()
    }

    /// Adds an argument, or a setting behind `@`. A second `@` stands for one that is meant.
    fn add_word(&mut self, word: &str) -> Result<(), String> {
        let Some(setting) = word.strip_prefix('@') else {
            self.settings.arguments.push(word.to_owned());
            return Ok(());
        };
        if setting.starts_with('@') {
            self.settings.arguments.push(setting.to_owned());
            return Ok(());
        }
        let (key, value) = setting
            .split_once('=')
            .filter(|(_, value)| !value.is_empty())
            .ok_or_else(|| {
                format!("{word}: write @KEY=VALUE, such as @limit=1s (@@ for an argument that begins with @)")
            })?;
        self.set(key, value)
            .map_err(|why| format!("@{key}={value}: {why}"))
    }

    fn set(&mut self, key: &str, value: &str) -> Result<(), String> {
        let limits = &mut self.settings.limits;
        match key {
            "name" => self.name = Some(value.to_owned()),
            "env" => {
                let pair = value.split_once('=').filter(|(name, _)| !name.is_empty());
                let (name, value) = pair.ok_or("write @env=NAME=VALUE")?;
                let pair = (name.to_owned(), value.to_owned());
                self.settings.environment.push(pair);
            }
            "limit" => limits.period = Some(values::parse_limit(value)?),
            "start-limit" => limits.start = Some(values::parse_limit_or_none(value)?),
            "match-limit" => limits.total = Some(values::parse_limit(value)?),
            "bank" => limits.bank = Some(values::parse_limit(value)?),
            "increment" => limits.increment = Some(values::parse_limit(value)?),
            "wait-limit" => limits.waiting = Some(values::parse_limit(value)?),
            "memory" => limits.memory = Some(values::parse_size(value)?),
            "processes" => limits.processes = Some(parse_number(value, 4096)?),
            "threads" => limits.threads = Some(parse_number(value, 256)?),
            _ => return Err(unknown_key(key)),
        }
        Ok(())
    }

    fn check_size(&self) -> Result<(), String> {
        let settings = &self.settings;
        let words = settings
            .arguments
            .iter()
            .chain((settings.environment.iter()).flat_map(|(name, value)| [name, value]));
        let (count, bytes) = words.fold((0, 0), |(count, bytes), word| {
            (count + 1, bytes + word.len())
        });
        if count > MOST_WORDS || bytes > MOST_BYTES {
            return Err(format!(
                "{count} words of {bytes} bytes; at most {MOST_WORDS} of {MOST_BYTES} bytes can be given"
            ));
        }
        Ok(())
    }
}

/// The settings of an entrant that is named elsewhere, such as `--depth 5 @limit=1s`. No file is
/// looked at, so the text may come from a stranger.
///
/// # Errors
/// For words that cannot be split, for a name, and for settings that do not exist or have no such value.
pub fn parse_settings(text: &str) -> Result<EntrantSettings, String> {
    if text.len() > 2 * MOST_BYTES || text.contains(char::is_control) {
        return Err(format!("write at most {MOST_BYTES} bytes in one line"));
    }
    let words =
        shlex::split(text).ok_or_else(|| "a quote or a backslash is not closed".to_owned())?;
    let mut request = EntrantRequest::default();
    request.add_words(&words)?;
    match request.name {
        Some(_) => Err("@name is for the command line; an entrant has its name here".to_owned()),
        None => Ok(request.settings),
    }
}

fn parse_number<T: TryFrom<u32>>(text: &str, most: u32) -> Result<T, String> {
    let number = text
        .parse()
        .ok()
        .filter(|number| (1..=most).contains(number));
    number
        .and_then(|number| T::try_from(number).ok())
        .ok_or_else(|| format!("a whole number from 1 to {most} is expected"))
}

fn unknown_key(key: &str) -> String {
    match nearest_names(key, KEYS.into_iter()) {
        Some(near) => format!("there is no such setting; did you mean @{near}?"),
        None => format!("there is no such setting; there are @{}", KEYS.join(", @")),
    }
}

/// The longest part before a space that is a path with spaces.
fn path_with_spaces(text: &str) -> Option<&str> {
    let ends = text.match_indices(' ').map(|(at, _)| at);
    let parts = ends.map(|at| &text[..at]);
    let mut existing = parts.filter(|part| part.contains(' ') && Path::new(part).exists());
    existing.next_back()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MatchOptions;

    fn kob() -> &'static dyn AnyGame {
        leitai_games::find_game("kob").expect("it is listed")
    }

    #[test]
    fn words_become_settings() {
        // The text, the word, the name, and the settings as a replay has them.
        let check = |text: &str, word: &str, name: Option<&str>, settings: Option<&str>| {
            let request = EntrantRequest::parse(kob(), text).expect(text);
            let read = (request.word.as_str(), request.name.as_deref());
            assert_eq!(read, (word, name), "{text}");
            assert_eq!(request.settings.to_text().as_deref(), settings, "{text}");
            let quoted = shlex::try_quote(word).expect("no null");
            let again = format!("{quoted} {}", settings.unwrap_or_default());
            let again = EntrantRequest::parse(kob(), &again).expect("its own words");
            assert_eq!(again.settings, request.settings, "{text}");
        };
        check("space", "space", None, None);
        check("v7=space", "space", Some("v7"), None);
        check("space @limit=20ms", "space", None, Some("@limit=20ms"));
        check(
            "v8=./bot --depth 5 @limit=1s @memory=256MiB",
            "./bot",
            Some("v8"),
            Some("--depth 5 @limit=1s @memory=256MiB"),
        );
        check(
            "line:./bot 'a b' @@x @env=K=V=1 @name=deep",
            "line:./bot",
            Some("deep"),
            Some("'a b' @@x @env=K=V=1"),
        );
        check("'my bots/b.py' -x", "my bots/b.py", None, Some("-x"));
        check(
            "v9=python:a/b.npz @limit=1s",
            "a/b.npz",
            Some("v9"),
            Some("@limit=1s"),
        );
    }

    #[test]
    fn settings_alone_are_read() {
        let read = |text: &str| parse_settings(text).map(|settings| settings.to_text());
        assert_eq!(read(" "), Ok(None));
        let words = "--depth 5 @env=K=V @limit=1s";
        assert_eq!(read(words), Ok(Some(words.to_owned())));
        for (text, part) in [
            ("@limti=1s", "did you mean @limit?"),
            ("@name=x", "has its name here"),
            ("'x", "is not closed"),
            ("a\nb", "in one line"),
            (&"x ".repeat(101), "101 words"),
            (&"x".repeat(20_000), "at most 8192 bytes"),
        ] {
            let why = read(text).expect_err(part);
            assert!(why.contains(part), "{why}");
        }
    }

    #[test]
    fn what_cannot_be_read_gets_the_nearest_word() {
        let check = |text: &str, part: &str| {
            let why = EntrantRequest::parse(kob(), text);
            let why = why.expect_err(text).to_string();
            assert!(why.contains(part), "{text}: {why}");
        };
        check("space @limt=1s", "did you mean @limit?");
        check("space @colour=red", "there are @name, @env");
        check("space @limit", "write @KEY=VALUE");
        check(
            "space @limit=soon",
            "@limit=soon: \"soon\" is not a duration",
        );
        check("./bot @env=x", "write @env=NAME=VALUE");
        check("./bot @processes=0", "a whole number from 1 to 4096");
        check("./bot 'x", "is not closed");
    }

    #[test]
    fn limits_above_those_of_the_match_are_refused() {
        let options = MatchOptions::new(kob()).expect("defaults");
        let check = |text: &str, part: &str| {
            let request = EntrantRequest::parse(kob(), text).expect(text);
            let why = request.check_settings(kob(), &options);
            let why = why.map_or_else(|why| why.to_string(), |()| "fine".to_owned());
            assert!(why.contains(part), "{text}: {why}");
        };
        check("space @limit=20ms", "fine");
        check("./bot x @memory=64MiB @limit=1s @match-limit=2h", "fine");
        check("./bot @limit=1h", "@limit=3600 s is more than");
        check("./bot @memory=999GiB", "with --memory");
        check(
            "./bot @threads=2",
            "@threads=2 is more than the match allows: 1",
        );
        check("space fast", "space is a built-in bot");
        check("space @memory=64MiB", "@limit, @threads and @name only");
    }

    #[test]
    fn a_path_with_strange_characters_is_a_path() {
        let place = tempfile::tempdir().expect("a temporary folder");
        let strange = place.path().join("my bot @limit=1s.py");
        std::fs::write(&strange, "").expect("own folder");
        let strange = strange.display().to_string();
        let read = |text: &str| EntrantRequest::parse(kob(), text).map_err(|why| why.to_string());
        assert_eq!(read(&strange), Ok(EntrantRequest::from_word(&strange)));
        let spaced = place.path().join("my bot.py");
        std::fs::write(&spaced, "").expect("own folder");
        let spaced = spaced.display().to_string();
        let named = read(&format!("old one={spaced}")).expect("as before");
        assert_eq!(
            (named.word, named.name),
            (spaced.clone(), Some("old one".into()))
        );
        let why = read(&format!("{spaced} --fast")).expect_err("it is not quoted");
        assert!(why.contains("quote a path with spaces"), "{why}");
        let quoted = read(&format!("'{spaced}' --fast")).expect("it is quoted");
        assert_eq!(
            (quoted.word, quoted.settings.arguments),
            (spaced, vec!["--fast".to_owned()])
        );
    }
}
