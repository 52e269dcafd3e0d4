//! Who signed a replay, for `leitai replay verify`.

use leitai_game::replay::{SignatureRecord, list_unproven};
use leitai_server::signatures::check_signature;
use serde::Deserialize;

use crate::arguments;
use crate::cli::VerifyArgs;
use crate::prelude::*;
use crate::remote::account::normalize_address;

/// The keys that an arena publishes.
pub struct PublishedKeys {
    /// Where they are from: the arena's address, or the file's name.
    source: String,
    items: Vec<PublishedKey>,
}

/// A key as `/api/signing-keys` shows it.
#[derive(Deserialize)]
struct PublishedKey {
    key: String,
    revoked: Option<String>,
    why: Option<String>,
}

#[derive(Deserialize)]
struct KeyList {
    items: Vec<PublishedKey>,
}

impl PublishedKeys {
    /// The keys that the arguments name, if any.
    pub fn load(lang: Localizer, args: &VerifyArgs) -> Result<Option<PublishedKeys>> {
        match (&args.arena, &args.keys) {
            (Some(arena), _) => PublishedKeys::of_arena(lang, arena).map(Some),
            (None, Some(file)) => {
                let text = arguments::read_named_file("--keys", file)?;
                PublishedKeys::read(file.display().to_string(), &text).map(Some)
            }
            (None, None) => Ok(None),
        }
    }

    /// Those that an arena publishes.
    pub fn of_arena(lang: Localizer, arena: &str) -> Result<PublishedKeys> {
        let arena = normalize_address(arena)?;
        let client = ArenaClient::without_login(lang, &arena);
        let text = client.get("/api/signing-keys")?.to_string();
        PublishedKeys::read(arena, &text)
    }

    /// One key, which was named.
    pub fn only(key: &str) -> PublishedKeys {
        let item = PublishedKey {
            key: key.to_lowercase(),
            revoked: None,
            why: None,
        };
        PublishedKeys {
            source: item.key.clone(),
            items: vec![item],
        }
    }

    fn read(source: String, text: &str) -> Result<PublishedKeys> {
        let list = serde_json::from_str(text).with_context(|| {
            format!("{source} is not the answer of /api/signing-keys of an arena")
        });
        let KeyList { items } = list.map_err(UsageError::wrap)?;
        Ok(PublishedKeys { source, items })
    }

    /// Where they are from.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// How a key stands among them.
    pub fn find(&self, key: &str) -> KeyStanding {
        match self.items.iter().find(|known| known.key == key) {
            None => KeyStanding::Unknown,
            Some(PublishedKey {
                revoked: Some(day),
                why,
                ..
            }) => KeyStanding::Revoked {
                day: clean_line(day).into_owned(),
                why: clean_line(why.as_deref().unwrap_or_default()).into_owned(),
            },
            Some(_) => KeyStanding::Known,
        }
    }
}

/// How a key stands among those of an arena.
pub enum KeyStanding {
    /// It is none of them.
    Unknown,
    /// It is one.
    Known,
    /// Its signatures are not to be trusted.
    Revoked {
        /// Since when.
        day: String,
        /// Why.
        why: String,
    },
}

/// Who vouches for what the rules cannot prove, in words, and whether that is enough: with keys only
/// a signature by one of them is.
pub fn describe_proof(
    lang: Localizer,
    replay: &Value,
    keys: Option<&PublishedKeys>,
) -> (String, bool) {
    match (check_signature(replay), keys) {
        (Err(why), _) => {
            let why = lang.say(&why.to_string());
            let colon = lang.label(": ");
            (format!("{}{colon}{why}", lang.label("CHANGED")), false)
        }
        (Ok(None), keys) => (list_unproven(lang).to_owned(), keys.is_none()),
        (Ok(Some(record)), None) => (describe_claim(lang, &record), true),
        (Ok(Some(record)), Some(keys)) => compare_key(lang, &record, keys),
    }
}

/// A signature whose key was not compared with anything.
fn describe_claim(lang: Localizer, record: &SignatureRecord) -> String {
    let number = record.match_id;
    match record.arena.as_deref().map(clean_line) {
        Some(arena) => lang.fill(
            "signed as match {} of {}; whether the key is that arena's, --arena {} asks",
            &[&number, &arena, &arena],
        ),
        None => lang.fill(
            "signed as match {} with the key {}; whose key it is, --arena URL asks",
            &[&number, &record.key],
        ),
    }
}

fn compare_key(lang: Localizer, record: &SignatureRecord, keys: &PublishedKeys) -> (String, bool) {
    let source = &keys.source;
    match keys.find(&record.key) {
        KeyStanding::Unknown => {
            let text = lang.fill(
                "NOT SIGNED BY {}: it has not published the key {}",
                &[source, &record.key],
            );
            (text, false)
        }
        KeyStanding::Revoked { day, why } => {
            let text = lang.fill(
                "NOT TRUSTED: {} revoked the key on {} ({}); download the replay again",
                &[source, &day, &why],
            );
            (text, false)
        }
        KeyStanding::Known => {
            let text = lang.fill("signed by {} as match {}", &[source, &record.match_id]);
            (text, true)
        }
    }
}
