//! Checks that comments and documents cite only paths and rule numbers (of TankCraft) that exist in
//! the repository, and no issue trackers.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use anyhow::Context;

use crate::book::resolve;

/// Suffixes of names that are paths of this repository if they contain a slash. Other suffixes,
/// such as `.h` and `.html`, also belong to users' files in examples.
const ENDINGS: &[&str] = &["css", "md", "rs", "service", "svelte", "toml", "ts", "yml"];

/// Top-level folders: a path that begins with one of them is a path in the repository.
const FOLDERS: &[&str] = &[
    ".cargo", ".ci", ".github", "crates", "deploy", "docs", "examples", "fuzz", "games", "sdk",
    "web", "xtask",
];

/// Folders and files that builds and users make; they may be cited and are not searched.
const GENERATED: &[&str] = &[
    ".env",
    ".git",
    ".venv",
    "__pycache__",
    "artifacts",
    "dist",
    "matches",
    "node_modules",
    "openapi.d.ts",
    "paraglide",
    "target",
];

/// The document that defines the rule numbers.
const NUMBERED_RULES: &str = "docs/rules/tankcraft.md";

/// The paths and rules that may be cited.
pub struct Repository {
    /// Paths of files and folders from the root, with slashes.
    paths: BTreeSet<String>,
    /// All rule numbers with their sub-cases, such as `R5`, `R5.1`.
    rules: BTreeSet<String>,
}

/// The problems of all citations in the repository.
pub fn check(root: &Path) -> anyhow::Result<Vec<String>> {
    let repository = Repository::read(root)?;
    let mut complaints = Vec::new();
    for path in repository
        .paths
        .iter()
        .filter(|path| comment_syntax(path).is_some())
    {
        let file = root.join(path);
        if file.is_file() {
            let text = fs::read_to_string(&file).with_context(|| path.clone())?;
            complaints.extend(repository.check_text(path, &text));
        }
    }
    Ok(complaints)
}

impl Repository {
    fn read(root: &Path) -> anyhow::Result<Repository> {
        let mut paths = BTreeSet::new();
        collect_paths(root, "", &mut paths)?;
        let rules = fs::read_to_string(root.join(NUMBERED_RULES)).context(NUMBERED_RULES)?;
        Ok(Repository {
            paths,
            rules: defined_rules(&rules),
        })
    }

    /// The problems of the comments of one source file, or of a whole document.
    fn check_text(&self, path: &str, text: &str) -> Vec<String> {
        let Some(syntax) = comment_syntax(path) else {
            return Vec::new();
        };
        let mut complaints = Vec::new();
        for (index, line) in text.lines().enumerate() {
            let Some(comment) = syntax.comment(line) else {
                continue;
            };
            let mut complain = |what: String| {
                complaints.push(format!("{path}:{}: {what}", index + 1));
            };
            let links = linked_paths(comment).filter(|_| matches!(syntax, Syntax::Document));
            let missing = cited_paths(comment).filter(|cited| !self.has_path(path, cited));
            let unlinked = links.filter(|target| !self.has_target(path, target));
            for cited in missing.chain(unlinked).collect::<BTreeSet<_>>() {
                complain(format!("{cited} does not exist"));
            }
            for rule in self.unknown_rules(path, comment) {
                complain(format!("{rule} is not in {NUMBERED_RULES}"));
            }
            if let Some(issue) = cited_issue(comment) {
                complain(format!("{issue:?}: name the reason, not the issue"));
            }
        }
        complaints
    }

    /// Whether the path exists, relative to the root, relative to the citing file's folders, or as
    /// the end of a path (`arena/desk.rs` in ARCHITECTURE.md).
    fn has_path(&self, citing: &str, cited: &str) -> bool {
        if cited.split('/').any(|part| GENERATED.contains(&part)) {
            return true;
        }
        let from_folders = citing.match_indices('/').map(|(at, _)| &citing[..at]);
        let exists =
            |folder: &str| resolve(folder, cited).is_some_and(|at| self.paths.contains(&at));
        if exists("") || from_folders.into_iter().any(exists) {
            return true;
        }
        let is_relative =
            cited.starts_with("../") || FOLDERS.iter().any(|top| starts_in(cited, top));
        let end = format!("/{cited}");
        !is_relative && self.paths.iter().any(|path| path.ends_with(&end))
    }

    /// Whether the link of a document leads to a file or folder, relative to the document's folder.
    fn has_target(&self, citing: &str, target: &str) -> bool {
        let folder = citing.rsplit_once('/').map_or("", |(folder, _)| folder);
        resolve(folder, target).is_some_and(|path| self.paths.contains(&path))
    }

    /// Rule numbers in a file of TankCraft that its rules do not define.
    fn unknown_rules(&self, citing: &str, comment: &str) -> Vec<String> {
        let of_tankcraft = ["games/tankcraft/", "sdk/cpp/tankcraft/", NUMBERED_RULES];
        if !of_tankcraft.iter().any(|folder| citing.starts_with(folder)) {
            return Vec::new();
        }
        rule_numbers(comment)
            .filter(|rule| !self.rules.contains(rule))
            .collect()
    }
}

fn collect_paths(root: &Path, folder: &str, paths: &mut BTreeSet<String>) -> anyhow::Result<()> {
    for entry in fs::read_dir(root.join(folder)).with_context(|| folder.to_owned())? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if GENERATED.contains(&name.as_str()) {
            continue;
        }
        let path = if folder.is_empty() {
            name
        } else {
            format!("{folder}/{name}")
        };
        if entry.file_type()?.is_dir() {
            collect_paths(root, &path, paths)?;
        }
        paths.insert(path);
    }
    Ok(())
}

/// The syntax of texts for people in a kind of file.
#[derive(Clone, Copy)]
enum Syntax {
    /// The whole file is such a text.
    Document,
    /// From this mark to the end of the line, and lines of block comments.
    Marked(&'static str),
}

impl Syntax {
    fn comment(self, line: &str) -> Option<&str> {
        let Syntax::Marked(mark) = self else {
            return Some(line);
        };
        let trimmed = line.trim_start();
        if mark == "//" && (trimmed.starts_with("/*") || trimmed.starts_with("* ")) {
            return Some(trimmed);
        }
        // A mark inside an address (`https://`) or a word (`#[derive]`, `id#1`) starts no comment.
        let begins = |&(at, _): &(usize, &str)| {
            let (before, after) = (&line[..at], &line[at + mark.len()..]);
            (before.is_empty() || before.ends_with([' ', '\t']))
                && (mark == "//" || after.starts_with([' ', ':']))
        };
        line.match_indices(mark)
            .find(begins)
            .map(|(at, _)| &line[at..])
    }
}

/// The syntax of a file; `None` if it is not checked.
fn comment_syntax(path: &str) -> Option<Syntax> {
    // These two contain paths that do not exist.
    if path == "xtask/src/citations.rs" || path == "CHANGELOG.md" {
        return None;
    }
    let name = path.rsplit('/').next()?;
    match name.rsplit_once('.').map(|(_, ending)| ending) {
        Some("md") => Some(Syntax::Document),
        Some("rs" | "ts" | "svelte" | "java" | "c" | "cpp" | "h" | "css") => {
            Some(Syntax::Marked("//"))
        }
        Some("py" | "toml" | "yml" | "service" | "sh") => Some(Syntax::Marked("#")),
        None if ["dev", "run", "Dockerfile"].contains(&name) => Some(Syntax::Marked("#")),
        _ => None,
    }
}

/// Words that can only be paths of this repository.
fn cited_paths(text: &str) -> impl Iterator<Item = &str> {
    let in_name = |c: char| c.is_ascii_alphanumeric() || "_-./@*~$<>{}:=\\%…+".contains(c);
    let words = text.split(move |c| !in_name(c));
    words.filter_map(|word| {
        // References such as `path:12` and ends of sentences have marks that are no part of the
        // path.
        let word = word.trim_end_matches(['.', ':', '-']).trim_end_matches('/');
        is_repository_path(word).then_some(word)
    })
}

/// The targets of a document's links into the repository, without anchors.
fn linked_paths(text: &str) -> impl Iterator<Item = &str> {
    let targets = text
        .split("](")
        .skip(1)
        .filter_map(|rest| rest.split([')', ' ']).next());
    let paths = targets.map(|target| target.split('#').next().unwrap_or_default());
    paths.filter(|path| !path.is_empty() && !path.contains(':') && !path.starts_with('/'))
}

fn is_repository_path(word: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-./".contains(c);
    if !word.chars().all(plain) || word.contains("//") || word.contains("...") {
        return false;
    }
    if word.starts_with(['/', '-']) || word.starts_with("./") || is_placeholder(word) {
        return false;
    }
    let ending = word
        .rsplit('/')
        .next()
        .and_then(|name| name.rsplit_once('.'));
    let is_file =
        ending.is_some_and(|(stem, ending)| !stem.is_empty() && ENDINGS.contains(&ending));
    match word.contains('/') {
        true => is_file || FOLDERS.iter().any(|top| starts_in(word, top)),
        // Documents are cited by their names alone.
        false => is_file && word.ends_with(".md"),
    }
}

/// Whether a part of the path is a placeholder, as in `games/GAME/viewer`.
fn is_placeholder(path: &str) -> bool {
    let mut parts = path
        .split('/')
        .map(|part| part.split('.').next().unwrap_or_default());
    let is_capital = |part: &str| {
        part.len() > 1
            && part.chars().all(|c| c.is_ascii_uppercase())
            && !KNOWN_CAPITALS.contains(&part)
    };
    parts.any(is_capital)
}

/// The names of documents that are in capitals.
const KNOWN_CAPITALS: &[&str] = &[
    "ARCHITECTURE",
    "CHANGELOG",
    "CONTRIBUTING",
    "README",
    "SECURITY",
];

fn starts_in(path: &str, folder: &str) -> bool {
    path.strip_prefix(folder)
        .is_some_and(|rest| rest.starts_with('/'))
}

/// Rule numbers such as `R5.1`; the letter of a sub-case (`R5.1b`) belongs to its rule.
fn rule_numbers(text: &str) -> impl Iterator<Item = String> {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '.' && c != '_');
    words.filter_map(|word| {
        let word = word.trim_end_matches('.').strip_prefix('R')?;
        let number = word.trim_end_matches(|c: char| c.is_ascii_lowercase());
        let is_number = |part: &str| !part.is_empty() && part.chars().all(|c| c.is_ascii_digit());
        let found = word.len() - number.len() < 2 && number.split('.').all(is_number);
        (found && number.split('.').count() < 3).then(|| format!("R{number}"))
    })
}

/// The rules that are defined as a heading (`## R5 A round`) or in bold (`**R1.2**`).
fn defined_rules(text: &str) -> BTreeSet<String> {
    let marks = |line: &&str| line.starts_with('#') || line.trim_start().starts_with("- **R");
    let first = |line: &str| rule_numbers(line).next();
    text.lines().filter(marks).filter_map(first).collect()
}

/// Citations such as `issue 12`.
fn cited_issue(text: &str) -> Option<&str> {
    let lower = text.to_ascii_lowercase();
    ["issue ", "issue #", "issues "].iter().find_map(|word| {
        let (at, _) = lower.match_indices(word).find(|(at, _)| {
            let starts = !lower[..*at].ends_with(|c: char| c.is_alphanumeric());
            starts && lower[at + word.len()..].starts_with(|c: char| c.is_ascii_digit())
        })?;
        let rest = &text[at + word.len()..];
        let end = rest
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(rest.len());
        Some(&text[at..at + word.len() + end])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn repository() -> Repository {
        let paths = [
            "docs/rules/kob.md",
            "docs/clocks.md",
            "docs/rules",
            "crates/server",
            "crates/server/src/arena/desk.rs",
            "games/kob",
            "games/kob/README.md",
            "games/kob/src/map.rs",
            "ARCHITECTURE.md",
        ];
        let rules = "## R5 A round\n### R5.1 Fire\n- **R1.2** Map file\n";
        let paths = paths.iter().map(ToString::to_string).collect();
        Repository {
            paths,
            rules: defined_rules(rules),
        }
    }

    fn check(path: &str, line: &str, complaint: Option<&str>) {
        let found = repository().check_text(path, line);
        let expected: Vec<String> = complaint
            .iter()
            .map(|complaint| format!("{path}:1: {complaint}"))
            .collect();
        assert_eq!(found, expected, "{line}");
    }

    #[test]
    fn paths_that_exist_may_be_cited() {
        let check = |path, line| check(path, line, None);
        check(
            "games/kob/src/a.rs",
            "/// The rules are those of `docs/rules/kob.md`, \"A round\".",
        );
        check(
            "games/kob/src/a.rs",
            "//! See `README.md` beside this crate, and games/kob.",
        );
        check(
            "games/kob/README.md",
            "[clocks](../../docs/clocks.md#noise), `src/map.rs`.",
        );
        check(
            "games/kob/README.zh.md",
            "见[规则](../../docs/rules/kob.md)。",
        );
        check("ARCHITECTURE.md", "| `arena/desk.rs` | `desk.rs:12` |");
        check(
            "docs/clocks.md",
            "target/debug/leitai, `web/node_modules`, web/dist",
        );
    }

    #[test]
    fn paths_that_do_not_exist_are_found() {
        let planted =
            |path, line, cited| check(path, line, Some(&format!("{cited} does not exist")));
        planted(
            "games/kob/src/a.rs",
            "/// See `spec/kob.md`.",
            "spec/kob.md",
        );
        planted(
            "games/kob/src/a.rs",
            "let a = 1; // docs/rules/kob.rs has it",
            "docs/rules/kob.rs",
        );
        planted("docs/clocks.md", "The plan is design.md.", "design.md");
        planted("docs/clocks.md", "[rules](kob.md)", "kob.md");
        planted(
            "docs/clocks.md",
            "[rules](rules/kob.pdf#a)",
            "rules/kob.pdf",
        );
        planted(
            "docs/rules/kob.md",
            "[see](docs/clocks.md)",
            "docs/clocks.md",
        );
        planted(
            "games/kob/README.md",
            "`../shared/spec/kob.md`",
            "../shared/spec/kob.md",
        );
        planted("xtask/a.py", "# as in crates/serve", "crates/serve");
        planted(
            "docs/clocks.md",
            "crates/server/src/desk.rs",
            "crates/server/src/desk.rs",
        );
    }

    #[test]
    fn paths_outside_the_repository_are_ignored() {
        let check = |path, line| check(path, line, None);
        check(
            "docs/clocks.md",
            "`leitai match kob ./mybot.py bots/mine` and /usr/lib/x.py",
        );
        check(
            "docs/clocks.md",
            "https://example.org/docs/none.md, POST /api/games/none",
        );
        check(
            "docs/clocks.md",
            "games/GAME/viewer/index.ts, games/<id>/none.rs, docs/*.md",
        );
        check(
            "docs/clocks.md",
            "main.py, bot.cpp, lib/x.h, report/a.html, 3 matches/s, a/b",
        );
        check("crates/a.rs", "let path = \"docs/none.md\";");
        check("crates/a.rs", "let url = \"https://docs/none.md\";");
        check("deploy/a.toml", "path = \"docs/none.md\"");
    }

    #[test]
    fn rule_numbers_resolve() {
        let file = "games/tankcraft/src/a.rs";
        check(
            file,
            "/// Fire (R5.1b), a map file (R1.2), a round: R5.",
            None,
        );
        check(
            file,
            "/// As R5.9 says.",
            Some("R5.9 is not in docs/rules/tankcraft.md"),
        );
        check(
            "crates/game/src/a.rs",
            "/// The register R9 of a processor.",
            None,
        );
    }

    #[test]
    fn issues_are_not_cited() {
        let complaint = "\"issue 12\": name the reason, not the issue";
        check(
            "crates/a.rs",
            "// asked for by issue 12, and more",
            Some(complaint),
        );
        check("crates/a.rs", "// an issue of 2010, a tissue 5", None);
    }
}
