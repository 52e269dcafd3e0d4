//! The language of messages: English or 简体中文.

use std::sync::OnceLock;

use clap::ValueEnum;
use leitai_game::Text;
use leitai_game::lang::Catalogue;
use leitai_series::Language;

pub mod help;
mod messages;
#[cfg(test)]
mod sources;

/// A language of messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Lang {
    /// English
    En,
    /// 简体中文
    Zh,
}

static CHOSEN: OnceLock<Lang> = OnceLock::new();

/// Chooses the language for the rest of the run, from the environment if nothing is asked.
pub fn set_language(asked: Option<Lang>) {
    CHOSEN.get_or_init(|| asked.unwrap_or_else(from_environment));
}

/// What is asked before anything else is read: by `--lang` or `LEITAI_LANG`. A value that is none
/// is refused later.
pub fn asked() -> Option<Lang> {
    let mut words = std::env::args().take_while(|word| word != "--").skip(1);
    let mut option = None;
    while let Some(word) = words.next() {
        match word.strip_prefix("--lang") {
            Some("") => option = words.next(),
            Some(rest) => option = rest.strip_prefix('=').map(str::to_owned).or(option),
            None => {}
        }
    }
    let value = option.or_else(|| std::env::var("LEITAI_LANG").ok())?;
    Lang::from_str(&value, true).ok()
}

fn from_environment() -> Lang {
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

/// The text in the chosen language.
pub fn translate(en: &'static str, zh: &'static str) -> &'static str {
    match CHOSEN.get() {
        Some(Lang::Zh) => zh,
        _ => en,
    }
}

/// The chosen language, where it is passed on.
pub fn current() -> leitai_game::Lang {
    match CHOSEN.get() {
        Some(Lang::Zh) => leitai_game::Lang::Zh,
        _ => leitai_game::Lang::En,
    }
}

/// Every message that a command may print, also those of servers elsewhere.
pub fn catalogue() -> &'static Catalogue {
    static ALL: OnceLock<Catalogue> = OnceLock::new();
    ALL.get_or_init(|| {
        let own = Catalogue::new([messages::MESSAGES]);
        let own = own.with(Catalogue::new([leitai_series::messages::MESSAGES]));
        own.with(leitai_server::messages::catalogue(
            leitai_games::ALL.iter().copied(),
        ))
    })
}

/// The chosen language with every message, for reports.
pub fn language() -> Language<'static> {
    Language::new(current(), catalogue())
}

/// A message (an error, a fault, a reason) in the chosen language.
pub fn say(message: &str) -> String {
    catalogue().say(current(), message).into_owned()
}

/// An error with all its causes in the chosen language.
pub fn say_error(error: &anyhow::Error) -> String {
    let causes: Vec<String> = error.chain().map(|cause| say(&cause.to_string())).collect();
    causes.join(translate(": ", "："))
}

/// A game's text in the chosen language.
pub fn localized_text(text: Text) -> &'static str {
    translate(text.en, text.zh)
}
