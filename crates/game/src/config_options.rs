//! The choices that a page offers before a match: the config keys that can be set by clicking.

use std::ops::RangeInclusive;

use crate::text::{LocalizedText, Text};

/// One key of a game's config that is offered to people.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConfigOption {
    /// The key.
    pub key: &'static str,
    /// The title of the choice.
    pub title: Text,
    /// The possible values.
    pub kind: ConfigOptionKind,
}

/// The possible values of a [`ConfigOption`]. The config accepts every value named here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum ConfigOptionKind {
    /// A whole number.
    Number { least: u32, most: u32 },
    /// One of these words, each with its meaning.
    Word(&'static [(&'static str, Text)]),
    /// A boolean.
    Switch,
}

/// The same key with texts of its own, for games that are loaded while a program runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigChoice {
    /// The key.
    pub key: String,
    /// The title of the choice.
    pub title: LocalizedText,
    /// The possible values.
    pub kind: ConfigChoiceKind,
}

/// The possible values of a [`ConfigChoice`]. The config accepts every value named here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ConfigChoiceKind {
    /// A whole number.
    Number(RangeInclusive<u32>),
    /// One of these words, each with its meaning.
    Word(Vec<(String, LocalizedText)>),
    /// A boolean.
    Switch,
}

impl From<&ConfigOption> for ConfigChoice {
    fn from(option: &ConfigOption) -> ConfigChoice {
        ConfigChoice {
            key: option.key.to_owned(),
            title: option.title.into(),
            kind: match option.kind {
                ConfigOptionKind::Number { least, most } => ConfigChoiceKind::Number(least..=most),
                ConfigOptionKind::Word(words) => {
                    let own = |(word, text): &(&str, Text)| ((*word).to_owned(), (*text).into());
                    ConfigChoiceKind::Word(words.iter().map(own).collect())
                }
                ConfigOptionKind::Switch => ConfigChoiceKind::Switch,
            },
        }
    }
}
