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

/// Asserts that an object has these fields, whatever else it has; a name that begins with `/` is a path,
/// and one that ends with `/#` counts the items of a list.
#[track_caller]
pub fn has(object: &Value, fields: Value) {
    for (name, value) in fields.as_object().expect("fields") {
        let at = |name: &str| object.pointer(name).cloned().unwrap_or_default();
        let found = match name.strip_suffix("/#") {
            Some(list) => at(list).as_array().map(Vec::len).into(),
            None if name.starts_with('/') => at(name),
            None => object[name].clone(),
        };
        assert_eq!(found, *value, "{name} of {object}");
    }
}

/// A field of each item of a list; a name that begins with `/` is a path.
#[track_caller]
pub fn each(list: &Value, name: &str) -> Vec<Value> {
    let found = |item: &Value| match name.starts_with('/') {
        true => item.pointer(name).cloned().unwrap_or_default(),
        false => item[name].clone(),
    };
    list.as_array().expect("a list").iter().map(found).collect()
}
