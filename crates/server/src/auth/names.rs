//! Which names accounts and bots may have: letters that no other letter looks like, none that turns the text around.

use crate::error::ApiError;

/// Characters in a name.
const LENGTH: std::ops::RangeInclusive<usize> = 2..=24;

/// The name without white space around it, or why it is none.
pub fn checked(name: &str) -> Result<&str, ApiError> {
    let name = name.trim();
    let length = name.chars().count();
    let refuse = |why: String| Err(ApiError::field("bad-name", "name", why));
    if !LENGTH.contains(&length) {
        let (least, most) = (LENGTH.start(), LENGTH.end());
        return refuse(format!("the name has {length} characters; it must have {least} to {most}"));
    }
    if let Some(bad) = name.chars().find(|c| !is_allowed(*c)) {
        return refuse(format!(
            "the name has {bad:?} in it; use letters, digits, - _ . and Chinese characters"
        ));
    }
    if !name.chars().any(char::is_alphanumeric) {
        return refuse("the name has neither a letter nor a digit; add one".to_owned());
    }
    Ok(name)
}

fn is_allowed(c: char) -> bool {
    let is_chinese = matches!(c, '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}');
    c.is_ascii_alphanumeric() || "-_.".contains(c) || is_chinese
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        for (name, expected) in [
            ("ada", Some("ada")),
            ("  ada ", Some("ada")),
            ("擂台", Some("擂台")),
            ("a-b_c.9", Some("a-b_c.9")),
            ("a", None),
            ("", None),
            ("--", None),
            ("a b", None),
            ("аda", None), // a Cyrillic letter
            ("a\u{202e}b", None),
            ("a\0b", None),
            ("../x", None),
            ("a234567890123456789012345", None),
        ] {
            assert_eq!(checked(name).ok(), expected, "{name:?}");
        }
    }
}
