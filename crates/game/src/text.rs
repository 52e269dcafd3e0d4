//! Texts for people.

use serde::{Deserialize, Serialize};

use crate::lang::Lang;

/// A constant text for people in both languages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Text {
    /// English.
    pub en: &'static str,
    /// 简体中文.
    pub zh: &'static str,
}

impl Text {
    /// The text in this language.
    pub const fn in_language(self, lang: Lang) -> &'static str {
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
    /// The text in this language.
    pub fn in_language(&self, lang: Lang) -> &str {
        match lang {
            Lang::En => &self.en,
            Lang::Zh => &self.zh,
        }
    }
}

impl From<Text> for LocalizedText {
    fn from(text: Text) -> LocalizedText {
        LocalizedText {
            en: text.en.to_owned(),
            zh: text.zh.to_owned(),
        }
    }
}
