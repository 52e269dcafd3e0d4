//! What people may choose before a match, for a page: the keys of a config that can be set by
//! clicking.

use crate::text::Text;

/// One key of a game's config that people are offered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConfigOption {
    /// The key.
    pub key: &'static str,
    /// What it chooses.
    pub title: Text,
    /// Between what.
    pub kind: ConfigOptionKind,
}

/// Between what a [`ConfigOption`] chooses. Every value that is named here is accepted by the
/// config.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConfigOptionKind {
    /// A whole number.
    Number {
        /// The least.
        least: u32,
        /// The largest.
        most: u32,
    },
    /// One of these words, with what each means.
    Word(&'static [(&'static str, Text)]),
    /// Yes or no.
    Switch,
}
