//! What is wrong with a document.

use leitai_game::Lang;
use leitai_game::text::LocalizedText;
use serde::{Deserialize, Serialize};

/// One thing that is wrong with a document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Problem {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong, with the value.
    pub what: LocalizedText,
    /// What to write instead.
    pub cure: LocalizedText,
}

impl Problem {
    /// The problem in one line: `12: what is wrong; what to write`.
    pub fn to_line(&self, lang: Lang) -> String {
        let (what, cure) = (self.what.in_language(lang), self.cure.in_language(lang));
        match lang {
            Lang::En => format!("{}: {what}; {cure}", self.line),
            Lang::Zh => format!("{}：{what}；{cure}", self.line),
        }
    }
}

/// A text in both languages.
pub fn both(en: impl Into<String>, zh: impl Into<String>) -> LocalizedText {
    LocalizedText {
        en: en.into(),
        zh: zh.into(),
    }
}
