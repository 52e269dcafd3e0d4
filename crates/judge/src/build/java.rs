//! Java: the class with the `main`, and the output of the virtual machine's warnings.
//!
//! The source is split into words and braces, without comments and string literals; that is enough
//! to see which top-level type contains a `static void main`, and in which package.

/// Options that make the virtual machine write its warnings to stderr, because stdout carries the
/// protocol of the program.
pub const WARNINGS_TO_STDERR: [&str; 4] = [
    "-XX:+IgnoreUnrecognizedVMOptions",
    "-XX:+DisplayVMOutputToStderr",
    "-Xlog:disable",
    "-Xlog:all=warning:stderr",
];

/// The fully qualified name of the first top-level type of a Java source with a `static void main`.
///
/// ```
/// use leitai_judge::build::java::main_class;
/// let text = "package a.b; class Helper {} class Bot { public static void main(String[] s) {} }";
/// assert_eq!(main_class(text), Some("a.b.Bot".into()));
/// assert_eq!(main_class("class Bot {}"), None);
/// ```
pub fn main_class(text: &str) -> Option<String> {
    let words = split_words(text);
    let (mut depth, mut top) = (0_u32, None);
    for (index, word) in words.iter().enumerate() {
        match word.as_str() {
            "{" => depth += 1,
            "}" => depth = depth.saturating_sub(1),
            "class" | "interface" | "enum" | "record" if depth == 0 => top = words.get(index + 1),
            "main" if depth == 1 && is_static_void(&words[..index]) => {
                return Some(qualify_class(&words, top?));
            }
            _ => {}
        }
    }
    None
}

/// Whether the words before a name end in `static void`, possibly with `final` and the like in
/// between.
fn is_static_void(before: &[String]) -> bool {
    let Some((last, modifiers)) = before.split_last() else {
        return false;
    };
    let of_this_member = modifiers
        .iter()
        .rev()
        .take_while(|word| !["{", "}", ";"].contains(&word.as_str()));
    last == "void" && of_this_member.into_iter().any(|word| word == "static")
}

fn qualify_class(words: &[String], name: &str) -> String {
    match words {
        [first, rest @ ..] if first == "package" => {
            let package: String = rest
                .iter()
                .take_while(|word| *word != ";")
                .map(String::as_str)
                .collect();
            format!("{package}.{name}")
        }
        _ => name.to_owned(),
    }
}

/// Splits a source into names, numbers and single significant characters.
pub(super) fn split_words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut rest = text.strip_prefix('\u{feff}').unwrap_or(text);
    while let Some(first) = rest.chars().next() {
        let (used, word) = match first {
            '/' if rest.starts_with("//") => (rest.find('\n').unwrap_or(rest.len()), false),
            '/' if rest.starts_with("/*") => {
                (rest[2..].find("*/").map_or(rest.len(), |at| at + 4), false)
            }
            '"' if rest.starts_with("\"\"\"") => (
                rest[3..].find("\"\"\"").map_or(rest.len(), |at| at + 6),
                false,
            ),
            '"' | '\'' => (quoted_length(rest, first), false),
            c if is_name(c) => (rest.find(|c| !is_name(c)).unwrap_or(rest.len()), true),
            c => (c.len_utf8(), !c.is_whitespace()),
        };
        if word {
            words.push(rest[..used].to_owned());
        }
        rest = &rest[used..];
    }
    words
}

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

/// The bytes from an opening quote to after the closing one, or to the end of the line if there is
/// none.
fn quoted_length(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            '\n' => return at,
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            c if c == quote => return at + 1,
            _ => {}
        }
    }
    text.len()
}
