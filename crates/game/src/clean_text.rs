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
