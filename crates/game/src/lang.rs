//! The two languages of texts for people, and the catalogues that translate a message.
//!
//! Code writes a sentence with [`say!`](say): a [`Message`], whose English template is its id,
//! beside its values. It displays as the English sentence, and replays keep both. The resource
//! files of the crates ([`Texts`]) have the Chinese of each template; `{}` is a value.
//! [`Catalogue::tell`] says a message in the reader's language by its id.
//!
//! Where only the words are known (old replays, databases, the system, crates that write strings),
//! [`Catalogue::say`] finds the template that fits the sentence.
//!
//! [`Localizer`] is a language and a catalogue, for code that prints. It also translates labels and
//! templates, which are found by their exact English text. If the language of the reader is not
//! known yet, [`Catalogue::write_both`] writes a text in both languages.
//!
//! A test (`crates/leitai`) reads the sources and fails for a message that no catalogue contains,
//! and for a pattern that no source writes any more.

use std::borrow::Cow;
use std::fmt::Display;

use crate::text::{LocalizedText, Text, TextOf};

mod message;
mod texts;

pub use leitai_say::{Say, say};
pub use message::{Message, Say, Value};
#[doc(hidden)]
pub use message::{SaidValue, Shown, ShownValue};
pub use texts::Texts;

pub use crate::text::Lang;

/// The messages of this crate, of the judge about faults (they stand in replays), of the JSON
/// reader and of the system.
pub static MESSAGES: Texts = Texts::new(include_str!("../messages.json"));
/// Labels and templates of this crate, found by their exact English text.
pub static LABELS: Texts = Texts::new(include_str!("../labels.json"));

/// Texts longer than this are not our messages; they are not translated.
const LONGEST: usize = 16 << 10;
/// The most clauses of our messages.
const MOST_CLAUSES: usize = 64;
/// The deepest nesting of messages: a fault that quotes an error that quotes a path.
const DEEPEST: usize = 4;

/// The messages of several crates.
#[derive(Clone, Debug, Default)]
pub struct Catalogue {
    messages: Vec<&'static Texts>,
    labels: Vec<&'static Texts>,
}

impl Catalogue {
    /// The messages of these crates.
    pub fn new(messages: impl IntoIterator<Item = &'static Texts>) -> Catalogue {
        Catalogue {
            messages: messages.into_iter().collect(),
            labels: Vec::new(),
        }
    }

    /// Adds labels and templates, which are found by their exact text only: a bot whose name is the
    /// text of a label keeps its name.
    pub fn with_labels(mut self, labels: &'static Texts) -> Catalogue {
        self.labels.push(labels);
        self
    }

    /// The message in the language of the reader. Unknown messages (output of a program or a
    /// compiler) are not changed.
    ///
    /// ```
    /// use leitai_game::lang::{Catalogue, Lang, Texts};
    ///
    /// static ALL: Texts = Texts::new(r#"{"Answers": {"answer {} is over {}": "回答 {} 超过 {}"}}"#);
    /// let said = Catalogue::new([&ALL]).say(Lang::Zh, "answer 7 is over 3").into_owned();
    /// assert_eq!(said, "回答 7 超过 3");
    /// ```
    pub fn say<'t>(&self, lang: Lang, message: &'t str) -> Cow<'t, str> {
        match lang {
            Lang::En => Cow::Borrowed(message),
            Lang::Zh => self
                .translate(message, DEEPEST)
                .map_or(Cow::Borrowed(message), Cow::Owned),
        }
    }

    /// A text in both languages: what `write` writes in each of them.
    ///
    /// ```
    /// use leitai_game::lang::{Catalogue, Texts};
    ///
    /// static LABELS: Texts = Texts::new(r#"{"Legs": {"leg {}": "第 {} 局"}}"#);
    /// let catalogue = Catalogue::default().with_labels(&LABELS);
    /// let text = catalogue.write_both(|lang| lang.fill("leg {}", &[&2]));
    /// assert_eq!((text.en.as_str(), text.zh.as_str()), ("leg 2", "第 2 局"));
    /// ```
    pub fn write_both<T: Into<String>>(&self, write: impl Fn(Localizer<'_>) -> T) -> LocalizedText {
        LocalizedText {
            en: write(Localizer::new(Lang::En, self)).into(),
            zh: write(Localizer::new(Lang::Zh, self)).into(),
        }
    }

    /// These messages and those of another catalogue.
    pub fn with(mut self, other: Catalogue) -> Catalogue {
        self.messages.extend(other.messages);
        self.labels.extend(other.labels);
        self
    }

    /// All its messages.
    pub fn messages(&self) -> impl Iterator<Item = Text> {
        self.messages.iter().flat_map(|texts| texts.iter().copied())
    }

    /// All its labels and templates.
    pub fn labels(&self) -> impl Iterator<Item = Text> {
        self.labels.iter().flat_map(|texts| texts.iter().copied())
    }

    fn translate(&self, text: &str, depth: usize) -> Option<String> {
        if depth == 0 || text.len() > LONGEST || text.is_ascii() && !has_letters(text) {
            return None;
        }
        self.translate_whole(text, depth).or_else(|| {
            let cuts = [("\n", "\n"), ("; ", "；"), (": ", "：")];
            cuts.into_iter()
                .find_map(|(cut, join)| self.translate_parts(text, cut, join, depth))
        })
    }

    /// Translates the whole message by the fitting pattern with the most fixed text.
    fn translate_whole(&self, text: &str, depth: usize) -> Option<String> {
        let fitting = self.messages();
        let fitting =
            fitting.filter_map(|pattern| Some((pattern, match_values(pattern.en, text)?)));
        let fitting = fitting.filter(|(pattern, found)| {
            // A value with several clauses is the rest of the message and no value, unless it is a
            // message by itself.
            let is_name = !pattern.en.starts_with("{}") || split_clauses(found[0], ": ").len() < 2;
            is_name
                && ["; ", "\n"].into_iter().all(|cut| {
                    let is_value = |value: &&str| {
                        split_clauses(value, cut).len() < 2 || self.is_whole(value, depth - 1)
                    };
                    pattern.en.contains(cut) || found.iter().all(is_value)
                })
        });
        let (pattern, found) = fitting.max_by_key(|(pattern, _)| pattern.en.len())?;
        let said: Vec<Cow<'_, str>> = found
            .into_iter()
            .map(|value| {
                self.translate(value, depth - 1)
                    .map_or(Cow::Borrowed(value), Cow::Owned)
            })
            .collect();
        Some(fill_template(pattern.zh, &said))
    }

    fn is_whole(&self, text: &str, depth: usize) -> bool {
        depth > 0 && self.translate_whole(text, depth).is_some()
    }

    /// Translates the clauses one by one, or several at the end that form one message; `None` if
    /// none of them is known.
    fn translate_parts(&self, text: &str, cut: &str, join: &str, depth: usize) -> Option<String> {
        let parts = split_clauses(text, cut);
        if parts.len() < 2 || parts.len() > MOST_CLAUSES {
            return None;
        }
        let (mut said, mut from, mut is_known) = (Vec::new(), 0, false);
        for part in parts {
            let rest = &text[from..];
            if let Some(whole) = self.translate_whole(rest, depth).filter(|_| from > 0) {
                said.push(whole);
                return Some(said.join(join));
            }
            from += (part.len() + cut.len()).min(rest.len());
            let translated = self.translate(part, depth - 1);
            is_known |= translated.is_some();
            said.push(translated.unwrap_or_else(|| part.to_owned()));
        }
        is_known.then(|| said.join(join))
    }
}

/// Writes texts for people in one language. It is passed to all code that prints.
///
/// ```
/// use leitai_game::lang::{Catalogue, Lang, Localizer, Texts};
///
/// static LABELS: Texts = Texts::new(
///     r#"{"Legs": {
///         "round": "回合",
///         "leg {} of {}": "第 {0}/{1} 局",
///         "{} match": "{} 场比赛",
///         "{} matches": "{} 场比赛"
///     }}"#,
/// );
/// let catalogue = Catalogue::default().with_labels(&LABELS);
/// let lang = Localizer::new(Lang::Zh, &catalogue);
/// assert_eq!(lang.label("round"), "回合");
/// assert_eq!(lang.fill("leg {} of {}", &[&1, &2]), "第 1/2 局");
/// assert_eq!(lang.fill_count("{} match", "{} matches", 1), "1 场比赛");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Localizer<'c> {
    lang: Lang,
    catalogue: &'c Catalogue,
}

impl<'c> Localizer<'c> {
    /// Texts of this catalogue in this language.
    pub fn new(lang: Lang, catalogue: &'c Catalogue) -> Localizer<'c> {
        Localizer { lang, catalogue }
    }

    /// The language.
    pub fn lang(self) -> Lang {
        self.lang
    }

    /// The variant of a text in this language.
    pub fn pick<'t>(self, text: TextOf<'t>) -> &'t str {
        text.in_language(self.lang)
    }

    /// The translation of a label, found by its English text; the English text if there is none.
    pub fn label(self, en: &'static str) -> &'static str {
        match self.lang {
            Lang::En => en,
            Lang::Zh => self.find_label(en).map_or(en, |text| text.zh),
        }
    }

    /// The translation of a template, found by its English text, with these values for `{}`.
    pub fn fill(self, template: &'static str, values: &[&dyn Display]) -> String {
        let values: Vec<Cow<'_, str>> = values
            .iter()
            .map(|value| Cow::Owned(value.to_string()))
            .collect();
        fill_template(self.label(template), &values)
    }

    /// The template for a count of one or for any other count, with the count inserted.
    pub fn fill_count(self, one: &'static str, many: &'static str, count: usize) -> String {
        self.fill(if count == 1 { one } else { many }, &[&count])
    }

    /// A message (an error, a fault, a reason) in this language. Of words alone, the catalogue
    /// recognises the sentence.
    pub fn say(self, message: &(impl Say + ?Sized)) -> String {
        self.catalogue.tell(self.lang, message)
    }

    fn find_label(self, en: &str) -> Option<Text> {
        self.catalogue.labels().find(|text| text.en == en)
    }
}

fn has_letters(text: &str) -> bool {
    text.bytes().any(|byte| byte.is_ascii_alphabetic())
}

/// The parts between the separators outside of quotation marks.
fn split_clauses<'t>(text: &'t str, cut: &str) -> Vec<&'t str> {
    let (mut parts, mut from) = (Vec::new(), 0);
    for (at, _) in text.match_indices(cut) {
        let is_quoted = text[from..at].matches('"').count() % 2 == 1;
        if !is_quoted {
            parts.push(&text[from..at]);
            from = at + cut.len();
        }
    }
    parts.push(&text[from..]);
    parts
}

/// The values of a message that has this pattern.
fn match_values<'t>(pattern: &str, text: &'t str) -> Option<Vec<&'t str>> {
    let mut pieces = pattern.split("{}");
    let mut rest = text.strip_prefix(pieces.next()?)?;
    let mut values = Vec::new();
    let mut pieces = pieces.peekable();
    while let Some(piece) = pieces.next() {
        let end = match (pieces.peek(), piece) {
            (None, "") => rest.len(),
            (None, last) => rest.strip_suffix(last)?.len(),
            (Some(_), piece) => rest.find(piece)?,
        };
        values.push(&rest[..end]);
        rest = &rest[end + piece.len()..];
    }
    rest.is_empty().then_some(values)
}

/// The text with the values inserted.
#[doc(hidden)] // For tests.
pub fn fill_template(zh: &str, values: &[Cow<'_, str>]) -> String {
    let (mut out, mut rest, mut next) = (String::new(), zh, 0);
    while let Some(open) = rest.find('{') {
        let (before, from) = rest.split_at(open);
        out.push_str(before);
        let number: &str = from[1..].split('}').next().unwrap_or_default();
        let is_slot = from[1 + number.len()..].starts_with('}');
        let at = if number.is_empty() {
            Some(next)
        } else {
            number.parse().ok()
        };
        match at
            .filter(|_| is_slot)
            .and_then(|at: usize| Some((at, values.get(at)?)))
        {
            Some((at, value)) => {
                out.push_str(value);
                next = at + 1;
                rest = &from[number.len() + 2..];
            }
            // A brace that is no placeholder.
            None => {
                out.push('{');
                rest = &from[1..];
            }
        }
    }
    out + rest
}
