//! Writes `docs/code-map.md`, what each source file is for, from the first sentence of each file.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::Context;

use crate::sources;

const MAP: &str = "docs/code-map.md";

const HEAD: &str = "# Code map\n\nWhat each source file is for: its first sentence. Written by `cargo xtask map`; \
    do not change it here. [ARCHITECTURE.md](../ARCHITECTURE.md) says how the crates fit together.\n";

/// Writes the map; returns the number of files that do not say what they are for.
pub fn write(root: &Path) -> anyhow::Result<usize> {
    let (map, complaints) = make_map(root)?;
    fs::write(root.join(MAP), map).context(MAP)?;
    complaints
        .iter()
        .for_each(|complaint| eprintln!("{complaint}"));
    Ok(complaints.len())
}

/// The files that do not say what they are for, and whether the map is of today.
pub fn check(root: &Path) -> anyhow::Result<Vec<String>> {
    let (map, mut complaints) = make_map(root)?;
    if fs::read_to_string(root.join(MAP)).unwrap_or_default() != map {
        complaints.push(format!(
            "{MAP} is not of today; write it with `cargo xtask map`"
        ));
    }
    Ok(complaints)
}

/// The document, and the files that do not say what they are for.
fn make_map(root: &Path) -> anyhow::Result<(String, Vec<String>)> {
    let mut files = Vec::new();
    for folder in ["crates", "games", "examples", "xtask"] {
        sources::collect(&root.join(folder), &mut files)?;
    }
    let mut paths: Vec<String> = files
        .iter()
        .filter_map(|file| Some(file.strip_prefix(root).ok()?.to_str()?.to_owned()))
        .filter(|path| is_listed(path))
        .collect();
    // A crate's root comes first, and a module before the files in its folder.
    paths.sort_by_key(|path| {
        let roots = ["/src/lib.rs", "/src/main.rs"];
        let is_root = roots.iter().any(|root| path.ends_with(root));
        let name = path.trim_end_matches(".rs").trim_end_matches("/mod");
        (crate_of(path).to_owned(), !is_root, name.to_owned())
    });
    let (mut map, mut complaints, mut section) = (HEAD.to_owned(), Vec::new(), "");
    for path in &paths {
        let text = fs::read_to_string(root.join(path)).with_context(|| path.clone())?;
        let Some(sentence) = first_sentence(&text) else {
            complaints.push(format!(
                "{path} does not say in its first line (`//! …`) what it is for"
            ));
            continue;
        };
        if section != crate_of(path) {
            section = crate_of(path);
            write!(
                map,
                "\n## {section}\n| file | what it is for |\n|---|---|\n"
            )?;
        }
        let (_, file) = path.split_once("/src/").unwrap_or(("", path));
        writeln!(map, "| `{file}` | {sentence} |")?;
    }
    Ok((map, complaints))
}

/// Sources, but not tests.
fn is_listed(path: &str) -> bool {
    let is_test = path.ends_with("/tests.rs") || path.contains("/tests/");
    path.contains("/src/") && !is_test
}

fn crate_of(path: &str) -> &str {
    path.split_once("/src/").map_or(path, |(name, _)| name)
}

/// The first sentence of a module's documentation, fit for a row of a table.
fn first_sentence(text: &str) -> Option<String> {
    let lines = text.lines().map_while(|line| line.strip_prefix("//!"));
    let paragraph: Vec<&str> = lines
        .map(str::trim)
        .take_while(|line| !line.is_empty())
        .collect();
    let paragraph = without_links(&paragraph.join(" "));
    let end = paragraph
        .match_indices(". ")
        .map(|(at, _)| at)
        .find(|at| paragraph[at + 2..].starts_with(|c: char| !c.is_lowercase()));
    let sentence = paragraph[..end.unwrap_or(paragraph.len())].trim_end_matches(['.', ':']);
    (!sentence.is_empty()).then(|| sentence.replace('|', "\\|"))
}

/// The text with rustdoc's links to items replaced by their names.
fn without_links(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('[') {
        plain.push_str(before);
        let Some((name, behind)) = after.split_once(']') else {
            plain.push('[');
            rest = after;
            continue;
        };
        plain.push_str(name);
        let target = behind
            .strip_prefix('(')
            .and_then(|link| link.split_once(')'));
        rest = target.map_or(behind, |(_, behind)| behind);
    }
    plain + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_sentence_of_a_file_is_its_row() {
        let check = |text: &str, row: Option<&str>| {
            assert_eq!(first_sentence(text).as_deref(), row, "{text}");
        };
        check(
            "//! Bots: programs\n//! on ladders.\n",
            Some("Bots: programs on ladders"),
        );
        check("//! One. Two.\n", Some("One"));
        check(
            "//! Either a | b, e.g. c.\n//!\n//! More.\n",
            Some("Either a \\| b, e.g. c"),
        );
        check(
            "//! As [`Game`] and [the rest](crate::rest).\n",
            Some("As `Game` and the rest"),
        );
        check("use std::fmt;\n//! Late.\n", None);
        check("//!\n//! Late.\n", None);
    }

    #[test]
    fn tests_are_not_listed() {
        for (path, listed) in [
            ("crates/store/src/bots.rs", true),
            ("crates/server/tests/bots.rs", false),
            ("crates/ladder/src/tournament/tests.rs", false),
            ("crates/judge/examples/one.rs", false),
        ] {
            assert_eq!(is_listed(path), listed, "{path}");
        }
    }
}
