//! An arena's signature on a replay, and the text that it signs.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What is signed begins with this line, so that the key's signature under anything else is none
/// under a replay.
const PURPOSE: &str = "leitai-replay-signature/1\n";

/// An arena's signature under everything else that the replay says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SignatureRecord {
    /// The arena's address as it calls itself, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arena: Option<String>,
    /// The number of the match in that arena.
    #[serde(rename = "match")]
    pub match_id: i64,
    /// The arena's public key: 64 hexadecimal digits.
    pub key: String,
    /// The Ed25519 signature (RFC 8032) of [`signed_text`]: 128 hexadecimal digits.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub ed25519: String,
}

/// The text whose bytes are signed under a replay: see [`signed_json`].
pub fn signed_text(replay: &Value) -> String {
    signed_json(PURPOSE, replay)
}

/// The text whose bytes are signed: one line that names the purpose, then the whole as JSON without
/// `signature.ed25519`, keys sorted, without white space.
pub fn signed_json(purpose: &str, whole: &Value) -> String {
    let mut whole = whole.clone();
    if let Some(signature) = whole.get_mut("signature").and_then(Value::as_object_mut) {
        signature.remove("ed25519");
    }
    let mut text = purpose.to_owned();
    write_sorted(&whole, &mut text);
    text
}

/// Writes JSON whose keys are in order, whatever the order of the maps in memory.
fn write_sorted(value: &Value, text: &mut String) {
    match value {
        Value::Array(items) => {
            text.push('[');
            for (index, item) in items.iter().enumerate() {
                text.push_str(if index == 0 { "" } else { "," });
                write_sorted(item, text);
            }
            text.push(']');
        }
        Value::Object(fields) => {
            let mut fields: Vec<(&String, &Value)> = fields.iter().collect();
            fields.sort_by_key(|(key, _)| *key);
            text.push('{');
            for (index, (key, value)) in fields.into_iter().enumerate() {
                text.push_str(if index == 0 { "" } else { "," });
                text.push_str(&Value::from(key.as_str()).to_string());
                text.push(':');
                write_sorted(value, text);
            }
            text.push('}');
        }
        plain => text.push_str(&plain.to_string()),
    }
}
