//! The language of messages: English or 简体中文.

use std::sync::OnceLock;

use clap::ValueEnum;
use leitai_game::Text;

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
pub fn set(asked: Option<Lang>) {
    CHOSEN.get_or_init(|| asked.unwrap_or_else(from_environment));
}

fn from_environment() -> Lang {
    let names = ["LC_ALL", "LC_MESSAGES", "LANG"];
    let value = names.iter().filter_map(|name| std::env::var(name).ok()).find(|value| !value.is_empty());
    if value.is_some_and(|value| value.starts_with("zh")) { Lang::Zh } else { Lang::En }
}

/// The text in the chosen language.
pub fn t(en: &'static str, zh: &'static str) -> &'static str {
    match CHOSEN.get() {
        Some(Lang::Zh) => zh,
        _ => en,
    }
}

/// A game's text in the chosen language.
pub fn text(text: Text) -> &'static str {
    t(text.en, text.zh)
}
