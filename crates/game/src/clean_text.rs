//! Makes untrusted texts safe before a person sees them: names of files and entrants, output of
//! programs and compilers, responses of other arenas.
//!
//! A terminal obeys control characters (titles, the clipboard, colours, the cursor), and
//! bidirectional marks change the order in which a text is shown. [`clean_text()`] escapes such
//! characters as `\u001b`. JSON has the same escapes, so a JSON text keeps its value.
//!
//! ```
//! use leitai_game::clean_text::{Breaks, clean_text};
//!
//! assert_eq!(clean_text("\u{1b}]0;title\u{7}", Breaks::Shown), r"\u001b]0;title\u0007");
//! assert_eq!(clean_text("one\r\ntwo", Breaks::Kept), "one\ntwo");
//! ```

use std::borrow::Cow;
use std::fmt::Write;

/// The treatment of line breaks and tabs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Breaks {
    /// They are escaped as `
    /// ` and `\t`: the text is part of a line.
    Shown,
    /// They stay, and `\r
    /// ` becomes a line break: the text has its own lines.
    Kept,
}

/// Escapes every character that a terminal would obey or that hides or reorders text. Clean text
/// stays unchanged.
pub fn clean_text(text: &str, breaks: Breaks) -> Cow<'_, str> {
    if !text.chars().any(|c| is_active(c, breaks)) {
        return Cow::Borrowed(text);
    }
    let mut cleaned = String::with_capacity(text.len() + 16);
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '\r' if breaks == Breaks::Kept && rest.peek() == Some(&'\n') => {}
            c if is_active(c, breaks) => write_out(&mut cleaned, c),
            c => cleaned.push(c),
        }
    }
    Cow::Owned(cleaned)
}

/// [`clean_text`] for text inside a line.
pub fn clean_line(text: &str) -> Cow<'_, str> {
    clean_text(text, Breaks::Shown)
}

fn is_active(c: char, breaks: Breaks) -> bool {
    match c {
        '\n' | '\t' => breaks == Breaks::Shown,
        c if c.is_ascii() => c.is_ascii_control(),
        c => c.is_control() || is_direction_mark(c) || is_invisible(c),
    }
}

/// Marks, embeddings, overrides and isolates of the bidirectional algorithm.
fn is_direction_mark(c: char) -> bool {
    matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Other line breaks, and invisible characters without meaning for spelling.
fn is_invisible(c: char) -> bool {
    matches!(
        c,
        '\u{ad}' | '\u{200b}' | '\u{2028}' | '\u{2029}' | '\u{2060}'..='\u{2064}' | '\u{206a}'..='\u{206f}'
            | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}'
    )
}

fn write_out(cleaned: &mut String, c: char) {
    match c {
        '\n' => cleaned.push_str("\\n"),
        '\r' => cleaned.push_str("\\r"),
        '\t' => cleaned.push_str("\\t"),
        c => c.encode_utf16(&mut [0; 2]).iter().for_each(|unit| {
            write!(cleaned, "\\u{unit:04x}").expect("a String takes every text");
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_that_control_a_terminal_are_escaped() {
        let check = |text: &str, line: &str, lines: &str| {
            assert_eq!(clean_line(text), line);
            assert_eq!(clean_text(text, Breaks::Kept), lines);
            // Cleaning is idempotent.
            assert_eq!(clean_line(line), line);
        };
        let same = |text: &str| check(text, text, text);
        same("mybot 擂台 naïve → 🐍 \\u001b");
        same("👩\u{200d}💻 می\u{200c}خواهم");
        check("a\tb\nc", r"a\tb\nc", "a\tb\nc");
        check("a\r\nb\rc", r"a\r\nb\rc", "a\nb\\rc");
        for (text, expected) in [
            ("\u{1b}[2J", r"\u001b[2J"),
            ("\u{1b}]52;c;cm0=\u{7}", r"\u001b]52;c;cm0=\u0007"),
            ("\u{9b}2J\u{9d}0;t\u{9c}", r"\u009b2J\u009d0;t\u009c"),
            ("\0\u{8}\u{7f}", r"\u0000\u0008\u007f"),
            ("gpj\u{202e}exe", r"gpj\u202eexe"),
            (
                "\u{2066}\u{2069}\u{200f}\u{61c}",
                r"\u2066\u2069\u200f\u061c",
            ),
            ("a\u{2028}\u{feff}\u{200b}b", r"a\u2028\ufeff\u200bb"),
            ("\u{e0041}", r"\udb40\udc41"),
        ] {
            check(text, expected, expected);
        }
    }

    #[test]
    fn a_json_text_keeps_its_value() {
        let value =
            serde_json::json!({"name": "\u{1b}[31m \u{9b} \u{202e} \u{e0041} \n\t\r\u{7f}"});
        for text in [
            value.to_string(),
            serde_json::to_string_pretty(&value).expect("plain data"),
        ] {
            let cleaned = clean_text(&text, Breaks::Kept);
            assert!(
                !cleaned.contains(['\u{9b}', '\u{202e}', '\u{e0041}']),
                "{cleaned}"
            );
            assert_eq!(
                serde_json::from_str::<serde_json::Value>(&cleaned).expect("JSON"),
                value
            );
        }
    }
}
