//! Texts for people.

use serde::{Deserialize, Serialize};

/// A language of texts for people.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Lang {
    /// English.
    #[default]
    En,
    /// 简体中文.
    Zh,
}

/// A text for people in both languages that somebody else keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextOf<'a> {
    /// English.
    pub en: &'a str,
    /// 简体中文.
    pub zh: &'a str,
}

/// A constant text for people in both languages.
pub type Text = TextOf<'static>;

impl<'a> TextOf<'a> {
    /// A text in English and 简体中文.
    pub const fn new(en: &'a str, zh: &'a str) -> TextOf<'a> {
        TextOf { en, zh }
    }

    /// The text in this language.
    pub const fn in_language(self, lang: Lang) -> &'a str {
        match lang {
            Lang::En => self.en,
            Lang::Zh => self.zh,
        }
    }
}

/// A text in both languages with its values, as data for readers whose language is not known yet:
/// [`crate::lang::Catalogue::write_both`] writes it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LocalizedText {
    /// English.
    pub en: String,
    /// 简体中文.
    pub zh: String,
}

impl LocalizedText {
    /// The same text, which stays here.
    pub fn as_text(&self) -> TextOf<'_> {
        TextOf {
            en: &self.en,
            zh: &self.zh,
        }
    }

    /// The text in this language.
    pub fn in_language(&self, lang: Lang) -> &str {
        match lang {
            Lang::En => &self.en,
            Lang::Zh => &self.zh,
        }
    }
}

impl From<TextOf<'_>> for LocalizedText {
    fn from(text: TextOf<'_>) -> LocalizedText {
        LocalizedText {
            en: text.en.to_owned(),
            zh: text.zh.to_owned(),
        }
    }
}
