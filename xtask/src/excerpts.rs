//! Checks that `docs/adding-a-game.md` shows code as it stands: its blocks are excerpts of sources that
//! tests compile, and the methods in its tables exist.

use std::fs;
use std::path::Path;

use anyhow::Context;

use crate::sources;

const DOCUMENTS: [&str; 2] = ["docs/adding-a-game.md", "docs/adding-a-game.zh.md"];

/// Where the blocks come from.
const SHOWN: [&str; 2] = ["examples/nim", "games/all"];

/// The traits whose methods the tables list.
const TRAITS: [&str; 2] = ["crates/game/src/game.rs", "crates/game/src/package.rs"];

/// The blocks and methods that the code does not have.
pub fn check(root: &Path) -> anyhow::Result<Vec<String>> {
    let mut files = Vec::new();
    for folder in SHOWN {
        sources::collect(&root.join(folder), &mut files)?;
    }
    let read = |path: &Path| fs::read_to_string(path).with_context(|| path.display().to_string());
    let shown = files
        .iter()
        .map(|file| read(file))
        .collect::<Result<Vec<_>, _>>()?;
    let traits = TRAITS
        .map(|path| read(&root.join(path)))
        .into_iter()
        .collect::<Result<Vec<_>, _>>()?;
    let mut complaints = Vec::new();
    for document in DOCUMENTS {
        let text = read(&root.join(document))?;
        let unknown = unknown_blocks(&text, &shown).into_iter();
        complaints.extend(
            unknown.map(|block| {
                format!("{document}: no source in {SHOWN:?} has these lines:\n{block}")
            }),
        );
        let missing = missing_methods(&text, &traits.concat()).into_iter();
        complaints.extend(missing.map(|name| format!("{document}: {TRAITS:?} have no `{name}`")));
    }
    Ok(complaints)
}

/// The lines that count: comments and blank lines of a source may be left out in a document.
fn code_lines(text: &str) -> Vec<&str> {
    let is_code = |line: &&str| !line.is_empty() && !line.starts_with("//");
    text.lines().map(str::trim).filter(is_code).collect()
}

fn unknown_blocks(document: &str, shown: &[String]) -> Vec<String> {
    let blocks = document.split("```rust\n").skip(1);
    let blocks = blocks.filter_map(|rest| rest.split("```").next());
    let is_unknown = |block: &&str| {
        let lines = code_lines(block);
        !shown.iter().any(|source| {
            code_lines(source)
                .windows(lines.len().max(1))
                .any(|found| found == lines)
        })
    };
    blocks.filter(is_unknown).map(str::to_owned).collect()
}

/// Names in the first column of a table that are no method.
fn missing_methods(document: &str, traits: &str) -> Vec<String> {
    let cells = document
        .lines()
        .filter_map(|line| line.strip_prefix("| `")?.split(" | ").next());
    let names = cells.flat_map(|cell| cell.split('`').step_by(2));
    let is_missing = |name: &&str| {
        let mut starts = ["(", "<"].iter().map(|next| format!("fn {name}{next}"));
        !starts.any(|start| traits.contains(&start))
    };
    names
        .filter(|name| !name.is_empty())
        .filter(is_missing)
        .map(str::to_owned)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_excerpts_of_sources() {
        let source = ["fn a() {\n    /// Why.\n    b();\n\n    c();\n}\n".to_owned()];
        let check = |block: &str, known: bool| {
            let found = unknown_blocks(&format!("Text\n```rust\n{block}\n```\n"), &source);
            assert_eq!(found.is_empty(), known, "{block}");
        };
        check("b();\nc();", true);
        check("    c();", true);
        check("b();\nd();", false);
        check("c();\nb();", false);
    }

    #[test]
    fn methods_in_tables_exist() {
        let table = "| `step` | one |\n| `round`, `rounds` | two |\n| text | `none` |\n";
        let traits = "fn step(&self);\nfn round(&self);\nfn max_rounds(&self);";
        assert_eq!(missing_methods(table, traits), ["rounds"]);
    }
}
