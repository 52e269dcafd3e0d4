//! The language of a report.

use leitai_game::lang::{Catalogue, Lang};

/// The language that a reader has chosen, with the catalogue that translates messages into it.
#[derive(Clone, Copy, Debug)]
pub struct Language<'a> {
    lang: Lang,
    catalogue: &'a Catalogue,
}

impl<'a> Language<'a> {
    /// A language and the catalogue of every message that a report may quote: reasons of the rules,
    /// errors of the judge, see [`crate::messages::catalogue`].
    pub fn new(lang: Lang, catalogue: &'a Catalogue) -> Language<'a> {
        Language { lang, catalogue }
    }

    /// The language.
    pub fn lang(self) -> Lang {
        self.lang
    }

    /// The text in this language.
    pub fn text<T>(self, en: T, zh: T) -> T {
        match self.lang {
            Lang::En => en,
            Lang::Zh => zh,
        }
    }

    /// A message of the catalogue (an error, a fault, a reason) in this language.
    pub fn say(self, message: &str) -> String {
        self.catalogue.say(self.lang, message).into_owned()
    }
}
