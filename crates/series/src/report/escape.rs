//! Texts within HTML.

use leitai_game::clean_text::clean_line;

/// A foreign text in one line as it stands in HTML.
pub(crate) fn escape_line(text: &str) -> String {
    escape_html(&clean_line(text))
}

/// The text as it stands in HTML, also within an attribute.
pub fn escape_html(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for sign in text.chars() {
        match sign {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            sign => escaped.push(sign),
        }
    }
    escaped
}
