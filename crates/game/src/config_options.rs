//! The choices that a page offers before a match: the config keys that can be set by clicking.

use crate::text::Text;

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
