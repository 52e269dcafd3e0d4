//! What tests of the server and of the command line expect of texts and of JSON.

use serde_json::Value;

/// Asserts that a text has all these parts.
#[track_caller]
pub fn says(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "no {part:?} in: {text}");
    }
}

/// The same, and that it has none of those.
#[track_caller]
pub fn says_but_not(text: &str, parts: &[&str], never: &[&str]) {
    says(text, parts);
    for part in never {
        assert!(!text.contains(part), "{part:?} in: {text}");
    }
}

/// Asserts that an object has these fields, whatever else it has; a name that begins with `/` is a path.
#[track_caller]
pub fn has(object: &Value, fields: Value) {
    for (name, value) in fields.as_object().expect("fields") {
        let found = match name.starts_with('/') {
            true => object.pointer(name).unwrap_or(&Value::Null),
            false => &object[name],
        };
        assert_eq!(found, value, "{name} of {object}");
    }
}
