//! Compares recorded values with the engine's.

use serde::Serialize;
use serde_json::Value;

/// Compares an object of the file with the engine's; `Err` names the first key that differs.
pub fn check_agreement(recorded: &Value, ours: &impl Serialize) -> Result<(), String> {
    let ours = to_plain_json(ours);
    if *recorded == ours {
        return Ok(());
    }
    let (Some(left), Some(right)) = (recorded.as_object(), ours.as_object()) else {
        return Err(format!(
            "is recorded as {}, the engine gives {}",
            show_value(Some(recorded)),
            show_value(Some(&ours))
        ));
    };
    let key = right
        .keys()
        .chain(left.keys())
        .find(|key| left.get(*key) != right.get(*key));
    let key = key.map_or("", String::as_str);
    let (left, right) = (show_value(left.get(key)), show_value(right.get(key)));
    Err(format!(
        "{key} is recorded as {left}, the engine gives {right}"
    ))
}

/// A part of the file for an error message.
pub fn show_value(value: Option<&Value>) -> String {
    value.map_or("missing".into(), |value| shorten(&value.to_string()))
}

/// Shortens a text of the file for error messages and records.
pub fn shorten(text: &str) -> String {
    const MOST: usize = 200;
    match text.char_indices().nth(MOST) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", &text[..end]),
    }
}

/// The value as JSON.
pub fn to_plain_json(value: &impl Serialize) -> Value {
    serde_json::to_value(value).expect("plain data with text keys")
}
