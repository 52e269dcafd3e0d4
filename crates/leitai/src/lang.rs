//! The language of messages: English or 简体中文.
//!
//! Code contains English only; `messages.json`, `labels.json` and `help.json` contain the Chinese
//! of every message, label, template and help text. Code that prints gets a [`Localizer`].

use std::error::Error;
use std::sync::OnceLock;

use clap::ValueEnum;
use leitai_game::lang::{Catalogue, Message, Say, Texts};
use leitai_game::{InvalidSetup, Lang};
use leitai_judge::JudgeError;
use leitai_judge::build::BuildError;

#[cfg(test)]
mod sources;

/// Texts of commands, arguments and values.
pub static HELP: Texts = Texts::new(include_str!("../help.json"));
static MESSAGES: Texts = Texts::new(include_str!("../messages.json"));
static LABELS: Texts = Texts::new(include_str!("../labels.json"));

/// Writes texts in the language of the user.
pub type Localizer = leitai_game::lang::Localizer<'static>;

/// The value of `--lang`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LangArg {
    /// English
    En,
    /// 简体中文
    Zh,
}

/// The language of this run: `--lang`, else `LEITAI_LANG`, else the configuration's, else the
/// environment's.
pub fn choose_language() -> Localizer {
    Localizer::new(
        requested_language().unwrap_or_else(environment_language),
        catalogue(),
    )
}

/// The value of `--lang`, `LEITAI_LANG` or the configuration, read before the other arguments are parsed, so that
/// errors about them are in this language. The parser refuses an unknown value later.
fn requested_language() -> Option<Lang> {
    // A file may have any name: a word that is not UTF-8 is no option of ours.
    let words = std::env::args_os().map(|word| word.to_string_lossy().into_owned());
    let mut words = words.take_while(|word| word != "--").skip(1);
    let mut option = None;
    while let Some(word) = words.next() {
        match word.strip_prefix("--lang") {
            Some("") => option = words.next(),
            Some(rest) => option = rest.strip_prefix('=').map(str::to_owned).or(option),
            None => {}
        }
    }
    let of_file = || Some(crate::config::find("language")?.value.clone());
    let value = option.or_else(|| std::env::var("LEITAI_LANG").ok());
    let value = value.or_else(of_file)?;
    match LangArg::from_str(&value, true).ok()? {
        LangArg::En => Some(Lang::En),
        LangArg::Zh => Some(Lang::Zh),
    }
}

fn environment_language() -> Lang {
    let names = ["LC_ALL", "LC_MESSAGES", "LANG"];
    let value = names
        .iter()
        .filter_map(|name| std::env::var(name).ok())
        .find(|value| !value.is_empty());
    if value.is_some_and(|value| value.starts_with("zh")) {
        Lang::Zh
    } else {
        Lang::En
    }
}

/// Every text that a command may print, including texts of servers elsewhere.
pub fn catalogue() -> &'static Catalogue {
    static ALL: OnceLock<Catalogue> = OnceLock::new();
    ALL.get_or_init(|| {
        Catalogue::new([&MESSAGES])
            .with_labels(&LABELS)
            .with(
                Catalogue::new([&leitai_analysis::messages::MESSAGES])
                    .with_labels(&leitai_analysis::messages::LABELS),
            )
            .with(Catalogue::new([&leitai_guest::messages::MESSAGES]))
            .with(
                Catalogue::new([&leitai_batch::messages::MESSAGES])
                    .with_labels(&leitai_batch::messages::LABELS),
            )
            .with(leitai_server::messages::catalogue(
                leitai_games::ALL.iter().copied(),
            ))
    })
}

/// An error with all its causes, without those that an error before them quotes.
pub fn format_error(lang: Localizer, error: &anyhow::Error) -> String {
    let mut causes: Vec<String> = Vec::new();
    for cause in error.chain().map(ToString::to_string) {
        if !causes.iter().any(|before| before.contains(&cause)) {
            causes.push(cause);
        }
    }
    let typed = error.chain().filter_map(known_message);
    let typed: Vec<Message> = typed.collect();
    let say = |cause: &String| match typed.iter().find(|typed| typed.to_string() == *cause) {
        Some(typed) => lang.say(typed),
        None => lang.say(cause),
    };
    let causes: Vec<String> = causes.iter().map(say).collect();
    causes.join(lang.label(": "))
}

/// The message of an error whose type has one.
fn known_message(error: &(dyn Error + 'static)) -> Option<Message> {
    fn of<E: Say + Error + 'static>(error: &(dyn Error + 'static)) -> Option<Message> {
        error.downcast_ref::<E>().map(Say::to_message)
    }
    let kinds = [of::<InvalidSetup>, of::<BuildError>, of::<JudgeError>];
    kinds.iter().find_map(|of| of(error))
}

/// The key of this language in a text of the API, `{"en": …, "zh": …}`.
pub fn language_key(lang: Localizer) -> &'static str {
    match lang.lang() {
        Lang::En => "en",
        Lang::Zh => "zh",
    }
}

/// The localizer of tests.
#[cfg(test)]
pub fn english() -> Localizer {
    Localizer::new(Lang::En, catalogue())
}

#[cfg(test)]
mod tests {
    use leitai_game::lang::say;
    use leitai_game::replay::FaultRecord;
    use serde_json::json;

    use super::*;

    #[test]
    fn a_fault_is_said_by_its_id_and_an_older_one_by_its_words() {
        let zh = Localizer::new(Lang::Zh, catalogue());
        let check = |said: Option<Message>, what: &str, expected: &str| {
            let fault = json!({"entrant": "A", "seat": "first", "code": "PE", "round": 1, "step": 0, "what": what, "said": said});
            let fault: FaultRecord = serde_json::from_value(fault).expect("a fault");
            assert_eq!(zh.say(&fault), expected);
        };
        // What a program sent may read like a part of our sentence.
        let sent = say!(
            "sent the answer {:?}, which {}",
            "a, which b",
            say!("is op 9; ops are 1 to 6")
        );
        let sent = say!("{sent}; {}", say!("{} of noise are excused", "3 ms"));
        let what = sent.to_string();
        let told = "发送的回答 \"a, which b\" 有误：是操作 9；操作应为 1 到 6；已扣除机器干扰 3 ms";
        check(Some(sent), &what, told);
        check(None, "did not answer within 60 s", "60 s 内没有回答");
        // A file may say in one language what it does not say in the other.
        let other = say!("left the match");
        check(Some(other), "did not answer within 60 s", "60 s 内没有回答");
    }

    #[test]
    fn a_cause_that_is_quoted_is_not_repeated() {
        let error =
            anyhow::anyhow!("no such thread").context("cannot start: no such thread; retry");
        let error = error.context("nothing was played");
        assert_eq!(
            format_error(english(), &error),
            "nothing was played: cannot start: no such thread; retry"
        );
    }
}
