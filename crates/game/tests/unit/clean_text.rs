//! Tests of `clean_text`.

use leitai_game::clean_text::*;

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
    let value = serde_json::json!({"name": "\u{1b}[31m \u{9b} \u{202e} \u{e0041} \n\t\r\u{7f}"});
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
