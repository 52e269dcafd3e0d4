//! The rules of a game file as the engine in a page needs them: what the file says, and the module,
//! changed so that a browser plays it as the interpreter does.
//!
//! A browser may grow a memory as far as the module says, and the signs of a NaN are its own: so the
//! memory gets the bound of the interpreter, and each result that may be a NaN is made the canonical
//! one. A module whose globals a page could not put back is not prepared.

use std::time::Duration;

use leitai_game::text::LocalizedText;
use leitai_module::wire::{Call, PREFIX};
use serde_json::{Value, json};

use crate::bots::{BotKind, GuestBot};
use crate::meta::{Choice, ChoiceKind, GuestMeta};

/// The most bytes of a module's memory in a page: those of the interpreter.
pub const MEMORY_BYTES: usize = 16 << 20;

/// What a page needs to know beside the module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageRules {
    /// What the file says of the game. The guide is left out.
    pub meta: GuestMeta,
    /// Its bots that are functions of the module: names and what they are.
    pub bots: Vec<(String, LocalizedText)>,
    /// The functions that the module has.
    pub calls: Vec<String>,
    /// The mutable globals: the names by which they are exported.
    pub globals: Vec<String>,
}

impl PageRules {
    /// Whether the module has this function.
    pub fn has(&self, call: Call) -> bool {
        self.calls.iter().any(|name| name == call.name())
    }

    pub(crate) fn list_bots(&self) -> Vec<GuestBot> {
        let bot = |(name, about): &(String, LocalizedText)| GuestBot {
            name: name.clone(),
            about: about.clone(),
            kind: BotKind::Export,
        };
        self.bots.iter().map(bot).collect()
    }

    /// The exported name of a function.
    pub fn export_name(call: Call) -> String {
        format!("{PREFIX}{}", call.name())
    }
}

// Read and written by hand: what serde makes of it would be a tenth of what the page loads for it.
impl PageRules {
    /// As JSON.
    pub fn to_json(&self) -> Value {
        let meta = &self.meta;
        json!({
            "id": meta.id,
            "title": meta.title,
            "about": meta.about,
            "rules": meta.rules,
            "legs": meta.legs,
            "period_ms": meta.period_limit.as_millis() as u64,
            "message": meta.message_limit,
            "open": meta.is_open,
            "choices": meta.choices.iter().map(write_choice).collect::<Vec<_>>(),
            "bots": self.bots,
            "calls": self.calls,
            "globals": self.globals,
        })
    }

    /// From JSON; `None` if it is something else.
    pub fn from_json(value: &Value) -> Option<PageRules> {
        let number = |name: &str| value[name].as_u64();
        let texts = |name: &str| -> Option<Vec<String>> {
            let texts = value[name].as_array()?.iter();
            texts.map(read_word).collect()
        };
        let bots = value["bots"].as_array()?.iter();
        let bots = bots.map(|bot| Some((read_word(&bot[0])?, read_text(&bot[1])?)));
        let choices = value["choices"].as_array()?.iter();
        Some(PageRules {
            meta: GuestMeta {
                id: read_word(&value["id"])?,
                title: read_text(&value["title"])?,
                about: read_text(&value["about"])?,
                rules: read_word(&value["rules"])?,
                legs: number("legs")? as usize,
                period_limit: Duration::from_millis(number("period_ms")?),
                message_limit: number("message")? as usize,
                is_open: value["open"].as_bool()?,
                choices: choices.map(read_choice).collect::<Option<_>>()?,
                rounds: 0,
                guide: LocalizedText::default(),
            },
            bots: bots.collect::<Option<_>>()?,
            calls: texts("calls")?,
            globals: texts("globals")?,
        })
    }
}

fn read_word(value: &Value) -> Option<String> {
    value.as_str().map(str::to_owned)
}

fn read_text(value: &Value) -> Option<LocalizedText> {
    Some(LocalizedText {
        en: read_word(&value["en"])?,
        zh: read_word(&value["zh"])?,
    })
}

fn write_choice(choice: &Choice) -> Value {
    let mut value = json!({"key": choice.key, "title": choice.title, "default": choice.default()});
    match &choice.kind {
        ChoiceKind::Number { within, .. } => {
            value["least"] = json!(within.start());
            value["most"] = json!(within.end());
        }
        ChoiceKind::Word { words, .. } => value["words"] = json!(words),
        ChoiceKind::Switch { .. } => {}
    }
    value
}

fn read_choice(value: &Value) -> Option<Choice> {
    let number = |name: &str| u32::try_from(value[name].as_u64()?).ok();
    let kind = match (&value["default"], value["words"].as_array()) {
        (Value::Bool(default), _) => ChoiceKind::Switch { default: *default },
        (default, Some(words)) => ChoiceKind::Word {
            default: words.iter().position(|word| word == default)?,
            words: words.iter().map(read_word).collect::<Option<_>>()?,
        },
        _ => ChoiceKind::Number {
            within: number("least")?..=number("most")?,
            default: number("default")?,
        },
    };
    Some(Choice {
        key: read_word(&value["key"])?,
        title: read_text(&value["title"])?,
        kind,
    })
}
