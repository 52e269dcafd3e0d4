//! Keeps answers short: an agent pays for every line that it reads.

use leitai_game::clean_text::{Breaks, clean_line, clean_text};
use serde_json::Value;

/// The most characters of a line.
pub const LINE: usize = 300;
/// The most lines that say why a match was lost.
pub const WHY: usize = 30;
/// The most lines of a log.
const LOG: usize = 8;

/// One line for an agent: without control characters, and cut.
pub fn short_line(text: &str) -> String {
    let line = clean_line(text);
    match line.char_indices().nth(LINE) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.into_owned(),
    }
}

/// The text of a JSON member as one line, empty if it is none.
pub fn line_of(value: &Value) -> String {
    short_line(value.as_str().unwrap_or_default())
}

/// The last lines of a log.
pub fn last_lines(text: &str) -> Vec<String> {
    let text = clean_text(text, Breaks::Kept);
    let lines: Vec<&str> = text
        .lines()
        .filter(|line| !line.trim().is_empty())
        .collect();
    let from = lines.len().saturating_sub(LOG);
    lines[from..].iter().map(|line| short_line(line)).collect()
}

/// A value without its members that are null, empty lists or empty texts.
pub fn without_nothing(mut value: Value) -> Value {
    if let Value::Object(fields) = &mut value {
        fields.retain(|_, field| match field {
            Value::Null => false,
            Value::Array(all) => !all.is_empty(),
            Value::String(text) => !text.is_empty(),
            _ => true,
        });
    }
    value
}
