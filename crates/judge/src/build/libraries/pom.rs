//! The little of XML that a `pom.xml` needs: elements and their texts. No entities, no declarations of
//! types.

use leitai_game::lang::{Message, say};

/// The deepest nesting.
const DEEPEST: usize = 32;

/// Calls `visit` at the end of every element, with the names from the outermost to it and its text.
///
/// # Errors
/// Why it is no such document.
pub fn visit_elements(document: &str, mut visit: impl FnMut(&[&str], &str)) -> Result<(), Message> {
    let broken = || say!("it is no plain XML");
    let mut path: Vec<&str> = Vec::new();
    let (mut text, mut rest) = ("", document);
    while let Some(at) = rest.find('<') {
        text = match rest[..at].trim() {
            "" => text,
            found => found,
        };
        rest = &rest[at + 1..];
        let end_of = |mark: &str| rest.find(mark).map(|at| at + mark.len()).ok_or_else(broken);
        if rest.starts_with("!--") {
            rest = &rest[end_of("-->")?..];
            continue;
        }
        if rest.starts_with('?') {
            rest = &rest[end_of("?>")?..];
            continue;
        }
        let end = end_of(">")?;
        let tag = &rest[..end - 1];
        rest = &rest[end..];
        let name = tag
            .trim_start_matches('/')
            .split([' ', '\t', '\r', '\n', '/'])
            .next();
        let name = name
            .filter(|name| !name.is_empty() && !name.starts_with('!'))
            .ok_or_else(broken)?;
        if !tag.starts_with('/') {
            if path.len() == DEEPEST {
                return Err(broken());
            }
            path.push(name);
            text = "";
        }
        if tag.starts_with('/') || tag.ends_with('/') {
            if path.last() != Some(&name) {
                return Err(broken());
            }
            visit(&path, text);
            path.pop();
            text = "";
        }
    }
    match path.is_empty() {
        true => Ok(()),
        false => Err(broken()),
    }
}
