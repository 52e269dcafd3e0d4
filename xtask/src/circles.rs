//! Circles between files: two that use each other, or a longer way around.
//!
//! What a file uses are the paths in its code, seen through the re-exports of other files; its table of
//! contents (`mod`, `pub use`) and its unit tests do not count. The page's files name each other in
//! imports. Circles of before are in `xtask/known-circles.txt`, which only grows shorter.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use anyhow::Context;

use crate::page_imports;
use crate::rust_paths::Modules;
use crate::uses::Uses;

/// The list of the uses that close circles of before.
const KNOWN: &str = "xtask/known-circles.txt";

/// The uses between all files of the repository.
pub fn read_uses(root: &Path) -> anyhow::Result<Uses> {
    let mut uses = Uses::new();
    for folder in ["crates", "games", "examples", "xtask"] {
        for source in source_folders(&root.join(folder))? {
            Modules::read(root, &source)?.add_uses(&mut uses);
        }
    }
    page_imports::add_uses(root, &mut uses)?;
    Ok(uses)
}

/// The folders `src` of crates below a folder.
fn source_folders(folder: &Path) -> anyhow::Result<Vec<std::path::PathBuf>> {
    let mut found = Vec::new();
    if folder.join("Cargo.toml").is_file() {
        found.push(folder.join("src"));
    }
    for entry in fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let path = entry?.path();
        let is_crate = path.join("Cargo.toml").is_file() || path.join("rust/Cargo.toml").is_file();
        if path.is_dir() && is_crate {
            found.extend([path.join("src"), path.join("rust/src")]);
        }
    }
    found.retain(|source| source.is_dir());
    Ok(found)
}

/// The circles that the list does not know, and its entries that are needed no longer.
pub fn check(root: &Path, uses: &Uses) -> anyhow::Result<Vec<String>> {
    let known = fs::read_to_string(root.join(KNOWN)).context(KNOWN)?;
    Ok(check_uses(uses, &known))
}

fn check_uses(uses: &Uses, known: &str) -> Vec<String> {
    let entries = known.lines().filter(|line| !line.starts_with('#'));
    let known: Vec<(&str, &str)> = entries.filter_map(|line| line.split_once(" -> ")).collect();
    let mut rest = uses.clone();
    for (from, to) in &known {
        rest.get_mut(*from).and_then(|used| used.remove(*to));
    }
    let reach = reach_all(&rest);
    let reaches = |from: &str, to: &str| reach.get(from).is_some_and(|all| all.contains(to));
    let mut complaints = Vec::new();
    for (from, to) in known {
        let is_there = uses.get(from).is_some_and(|used| used.contains_key(to));
        if !is_there || !reaches(to, from) {
            complaints.push(format!(
                "{KNOWN}: {from} -> {to} closes no circle any more: take it off the list"
            ));
        }
    }
    let mut seen = BTreeSet::new();
    for file in rest.keys().filter(|file| reaches(file, file)) {
        let circle = reach[file.as_str()].iter().copied();
        let circle: BTreeSet<&str> = circle.filter(|other| reaches(other, file)).collect();
        if !seen.contains(file.as_str()) {
            complaints.push(describe_circle(&rest, &circle));
        }
        seen.extend(circle);
    }
    complaints
}

/// The files that each file uses, and those that these use, and so on.
fn reach_all(uses: &Uses) -> BTreeMap<&str, BTreeSet<&str>> {
    let reach = |file: &str| {
        let mut found = BTreeSet::new();
        let mut next = vec![file.to_owned()];
        while let Some(file) = next.pop() {
            for used in uses.get(&file).into_iter().flat_map(BTreeMap::keys) {
                if found.insert(used.as_str()) {
                    next.push(used.clone());
                }
            }
        }
        found
    };
    uses.keys()
        .map(|file| (file.as_str(), reach(file)))
        .collect()
}

fn describe_circle(uses: &Uses, circle: &BTreeSet<&str>) -> String {
    let mut text = format!("a circle of {} files:", circle.len());
    for from in circle {
        for (to, names) in uses.get(*from).into_iter().flatten() {
            if circle.contains(to.as_str()) {
                let names: Vec<&str> = names.iter().take(4).map(String::as_str).collect();
                text.push_str(&format!("\n  {from} -> {to} ({})", names.join(", ")));
            }
        }
    }
    text + "\n  move what both need into a file below them"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn uses_of(arrows: &[(&str, &str)]) -> Uses {
        let mut uses = Uses::new();
        for (from, to) in arrows {
            let names = uses.entry((*from).to_owned()).or_default();
            names.insert((*to).to_owned(), BTreeSet::from(["Name".to_owned()]));
        }
        uses
    }

    fn check_circles(arrows: &[(&str, &str)], known: &str, complaints: &[&str]) {
        let found = check_uses(&uses_of(arrows), known);
        assert_eq!(found.len(), complaints.len(), "{arrows:?}: {found:?}");
        for (found, expected) in found.iter().zip(complaints) {
            assert!(found.contains(expected), "{found}");
        }
    }

    #[test]
    fn circles_are_found_unless_they_are_known() {
        check_circles(&[("a", "b"), ("b", "c")], "", &[]);
        check_circles(&[("a", "b"), ("b", "a")], "", &["a -> b (Name)\n  b -> a"]);
        check_circles(&[("a", "b"), ("b", "c"), ("c", "a")], "", &["3 files"]);
        check_circles(&[("a", "b"), ("b", "a")], "# why\nb -> a\n", &[]);
        check_circles(&[("a", "b")], "b -> a\n", &["closes no circle"]);
        check_circles(&[("a", "b")], "a -> b\n", &["closes no circle"]);
        let two = [("a", "b"), ("b", "a"), ("c", "d"), ("d", "c")];
        check_circles(&two, "d -> c\n", &["a circle of 2 files"]);
    }
}
