//! What tests of the server and of the command line expect of texts and of JSON.

use serde_json::Value;

/// Asserts that a text has all these parts.
#[track_caller]
pub fn says(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "no {part:?} in: {text}");
    }
}

/// Asserts that an object has these fields, whatever else it has.
#[track_caller]
pub fn has(object: &Value, fields: Value) {
    for (name, value) in fields.as_object().expect("fields") {
        assert_eq!(&object[name], value, "{name} of {object}");
    }
}
