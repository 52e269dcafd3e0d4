//! Checks the glossary: unique terms, existing types, and a Chinese version with the same rows.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use anyhow::Context;

const ENGLISH: &str = "docs/glossary.md";
const CHINESE: &str = "docs/glossary.zh.md";

/// A row of the glossary's tables.
#[derive(Debug, PartialEq, Eq)]
struct Term {
    name: String,
    twin: String,
    type_name: String,
}

/// The problems of the glossary.
pub fn check(root: &Path) -> anyhow::Result<Vec<String>> {
    let read = |path: &str| fs::read_to_string(root.join(path)).context(path.to_owned());
    let (english, chinese) = (terms(&read(ENGLISH)?), terms(&read(CHINESE)?));
    let mut sources = Vec::new();
    for folder in ["crates", "games"] {
        crate::sources::collect(&root.join(folder), &mut sources)?;
    }
    let mut defined = BTreeSet::new();
    for source in sources {
        defined.extend(defined_names(&fs::read_to_string(&source)?));
    }
    let mut complaints = twice(&english);
    complaints.extend(differences(&english, &chinese));
    complaints.extend(undefined(&english, &defined));
    Ok(complaints)
}

fn terms(text: &str) -> Vec<Term> {
    let rows = text.lines().filter(|line| line.starts_with('|'));
    let cells = rows.filter_map(|line| {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        let [name, twin, type_name, _] = cells.as_slice() else {
            return None;
        };
        let type_name = type_name.strip_prefix('`')?.strip_suffix('`')?.to_owned();
        Some(Term {
            name: name.to_string(),
            twin: twin.to_string(),
            type_name,
        })
    });
    cells.collect()
}

fn twice(terms: &[Term]) -> Vec<String> {
    let mut seen = BTreeSet::new();
    let repeated = terms
        .iter()
        .filter(|term| !seen.insert(term.name.to_lowercase()));
    repeated
        .map(|term| format!("{ENGLISH}: {} stands twice", term.name))
        .collect()
}

fn differences(english: &[Term], chinese: &[Term]) -> Vec<String> {
    let turned = |term: &Term| Term {
        name: term.twin.clone(),
        twin: term.name.clone(),
        type_name: term.type_name.clone(),
    };
    if english.len() != chinese.len() {
        return vec![format!(
            "{CHINESE} has {} terms, not {}",
            chinese.len(),
            english.len()
        )];
    }
    let pairs = english
        .iter()
        .zip(chinese)
        .filter(|(one, other)| **one != turned(other));
    pairs
        .map(|(term, _)| format!("{CHINESE}: the row of {} differs", term.name))
        .collect()
}

fn undefined(terms: &[Term], defined: &BTreeSet<String>) -> Vec<String> {
    let exists = |path: &str| {
        path.split("::")
            .next()
            .is_some_and(|name| defined.contains(name))
    };
    let missing = terms.iter().filter(|term| !exists(&term.type_name));
    missing
        .map(|term| format!("{ENGLISH}: {} is no type", term.type_name))
        .collect()
}

/// The names of types, traits, functions and aliases.
fn defined_names(text: &str) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for line in text
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"))
    {
        for word in ["struct ", "enum ", "trait ", "type ", "fn ", " as "] {
            for rest in line.split(word).skip(1) {
                let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_');
                names.insert(rest[..end.unwrap_or(rest.len())].to_owned());
            }
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = "| Term | 简体中文 | Type | Meaning |\n|---|---|---|---|\n\
        | leg | 局 | `Leg` | One play-through. |\n";

    #[test]
    fn faults_of_a_glossary_are_found() {
        let english = terms(TABLE);
        assert_eq!(english.len(), 1);
        let chinese = terms("| 局 | leg | `Leg` | 一次对局。 |\n");
        assert_eq!(differences(&english, &chinese), Vec::<String>::new());
        assert_eq!(
            differences(&english, &[]),
            ["docs/glossary.zh.md has 0 terms, not 1"]
        );
        let wrong = terms("| 局 | leg | `Round` | 一次对局。 |\n");
        assert_eq!(
            differences(&english, &wrong),
            ["docs/glossary.zh.md: the row of leg differs"]
        );
        let again = terms(&format!("{TABLE}{TABLE}"));
        assert_eq!(twice(&again), ["docs/glossary.md: leg stands twice"]);
        assert_eq!(
            undefined(&english, &defined_names("pub struct Leg;")),
            Vec::<String>::new()
        );
        assert_eq!(
            undefined(&english, &defined_names("pub use a::Model as Leg;")),
            Vec::<String>::new()
        );
        assert_eq!(
            undefined(&english, &defined_names("// struct Leg")),
            ["docs/glossary.md: Leg is no type"]
        );
    }
}
