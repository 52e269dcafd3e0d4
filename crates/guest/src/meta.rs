//! What a game's file says of it, beside its rules.

use std::ops::RangeInclusive;
use std::time::Duration;

use leitai_game::lang::say;
use leitai_game::{ConfigChoice, ConfigChoiceKind, InvalidSetup, LocalizedText, MetaOf};
use leitai_toml_reader::problem::both;
use serde_json::{Value, json};

/// What a game's file says of it, beside its rules.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "as in leitai_game::Meta")]
pub struct GuestMeta {
    pub id: String,
    pub title: LocalizedText,
    pub about: LocalizedText,
    pub rules: String,
    pub legs: usize,
    pub period_limit: Duration,
    pub message_limit: usize,
    /// Whether players may know everything.
    pub is_open: bool,
    /// The choices of a config.
    pub choices: Vec<Choice>,
    /// The most rounds of a leg, where a logic process leads the game.
    pub rounds: u32,
    /// For players and authors of bots, in Markdown.
    pub guide: LocalizedText,
}

impl GuestMeta {
    /// The part that every game has.
    pub(crate) fn as_meta(&self) -> MetaOf<'_> {
        MetaOf {
            id: &self.id,
            title: self.title.as_text(),
            about: self.about.as_text(),
            rules: &self.rules,
            legs: self.legs,
            period_limit: self.period_limit,
            message_limit: self.message_limit,
        }
    }

    /// For a module of which nothing is known yet.
    pub(crate) fn unknown() -> GuestMeta {
        GuestMeta {
            id: "game".into(),
            title: LocalizedText::default(),
            about: LocalizedText::default(),
            rules: String::new(),
            legs: 1,
            period_limit: Duration::from_secs(1),
            message_limit: 1 << 10,
            is_open: false,
            choices: Vec::new(),
            rounds: 0,
            guide: LocalizedText::default(),
        }
    }
}

/// One key of a game's config.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The key.
    pub key: String,
    /// For people.
    pub title: LocalizedText,
    /// What it may be, and what it is by default.
    pub kind: ChoiceKind,
}

/// What a choice may be, and what it is by default.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum ChoiceKind {
    Number {
        within: RangeInclusive<u32>,
        default: u32,
    },
    /// The default by its place.
    Word {
        words: Vec<String>,
        default: usize,
    },
    Switch {
        default: bool,
    },
}

impl Choice {
    /// What it is by default.
    pub fn default(&self) -> Value {
        match &self.kind {
            ChoiceKind::Number { default, .. } => json!(default),
            ChoiceKind::Word { words, default } => json!(words[*default]),
            ChoiceKind::Switch { default } => json!(default),
        }
    }

    /// The word `"10"` for the number 10, and `"true"` for true: where words are meant, so is what a
    /// command line takes for a number.
    fn as_word(&self, value: Value) -> Value {
        match (&self.kind, &value) {
            (ChoiceKind::Word { .. }, Value::Number(_) | Value::Bool(_)) => {
                Value::String(value.to_string())
            }
            _ => value,
        }
    }

    fn check(&self, value: &Value) -> Result<(), InvalidSetup> {
        let (key, must) = (
            &self.key,
            match &self.kind {
                ChoiceKind::Number { within, .. } => {
                    let number = value.as_u64().and_then(|number| u32::try_from(number).ok());
                    if number.is_some_and(|number| within.contains(&number)) {
                        return Ok(());
                    }
                    format!("a whole number from {} to {}", within.start(), within.end())
                }
                ChoiceKind::Word { words, .. } => {
                    if words.iter().any(|word| value == word) {
                        return Ok(());
                    }
                    words.join(", ")
                }
                ChoiceKind::Switch { .. } if value.is_boolean() => return Ok(()),
                ChoiceKind::Switch { .. } => "true, false".to_owned(),
            },
        );
        Err(InvalidSetup(say!("{key} is {value}; it may be {must}")))
    }

    /// The same for lists of games.
    pub(crate) fn shown(&self) -> ConfigChoice {
        ConfigChoice {
            key: self.key.clone(),
            title: self.title.clone(),
            kind: match &self.kind {
                ChoiceKind::Number { within, .. } => ConfigChoiceKind::Number(within.clone()),
                ChoiceKind::Word { words, .. } => {
                    let word = |word: &String| (word.clone(), both(&**word, &**word));
                    ConfigChoiceKind::Word(words.iter().map(word).collect())
                }
                ChoiceKind::Switch { .. } => ConfigChoiceKind::Switch,
            },
        }
    }
}

/// The config of a game whose module does not read it: the choices of its file.
pub(crate) fn read_choices(choices: &[Choice], given: &Value) -> Result<Value, InvalidSetup> {
    let given = match given {
        Value::Null => &serde_json::Map::new(),
        Value::Object(given) => given,
        other => {
            return Err(InvalidSetup(say!(
                "the config is {other}; it may be an object"
            )));
        }
    };
    let known = |key: &str| choices.iter().any(|choice| choice.key == key);
    if let Some(key) = given.keys().find(|key| !known(key)) {
        let keys: Vec<&str> = choices.iter().map(|choice| &*choice.key).collect();
        return Err(InvalidSetup(match keys.is_empty() {
            true => say!("there is no choice {key:?}; the game has none"),
            false => say!("there is no choice {key:?}; there is {}", keys.join(", ")),
        }));
    }
    let mut config = serde_json::Map::new();
    for choice in choices {
        let value = given
            .get(&choice.key)
            .cloned()
            .unwrap_or_else(|| choice.default());
        let value = choice.as_word(value);
        choice.check(&value)?;
        config.insert(choice.key.clone(), value);
    }
    Ok(Value::Object(config))
}

/// What the judge program of a game speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogicProtocol {
    /// The logic of Saiblo: messages with their length, one process a leg.
    Saiblo,
    /// A judge program of Botzone: started for every round, one JSON object each way.
    Botzone,
}
