//! Words that source files must not contain.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;

/// A ban: the files it applies to, its words, and the reason.
struct WordBan {
    holds: fn(&str) -> bool,
    words: &'static [&'static str],
    why: &'static str,
}

const BANS: &[WordBan] = &[
    WordBan {
        holds: |path| {
            let may = [
                "crates/sandbox/",
                "crates/processor/",
                "crates/python/",
                "crates/wasm/src/abi.rs",
                "crates/module/src/abi.rs",
            ];
            !may.iter().any(|place| path.starts_with(place))
        },
        words: &["unsafe {", "unsafe fn", "unsafe impl", "unsafe extern"],
        why: "only crates/sandbox, crates/processor, PyO3's macros and the border of crates/wasm and crates/module hold unsafe code",
    },
    WordBan {
        holds: is_rules,
        words: &[
            "std::fs",
            "std::net",
            "std::io",
            "std::env",
            "std::process",
            "println!",
            "eprintln!",
            "dbg!",
        ],
        why: "games do no I/O",
    },
    WordBan {
        holds: is_rules,
        words: &["Instant::", "SystemTime", "HashMap", "HashSet"],
        why: "games read no clock and use no hash order",
    },
    WordBan {
        holds: |path| is_rules(path) && path != "crates/search/src/threads.rs",
        words: &["std::thread"],
        why: "games spawn no thread; only a bot that was given several searches on them, by crates/search/src/threads.rs",
    },
    WordBan {
        holds: |path| is_rules(path) && !is_search(path),
        words: &["f32", "f64"],
        why: "rules use no floats",
    },
    WordBan {
        holds: |path| {
            let measured = ["/tests/", "/examples/", "/benches/"]
                .iter()
                .any(|folder| path.contains(folder));
            let counted = path.starts_with("xtask/instructions/");
            !path.starts_with("games/") && !measured && !counted
        },
        words: &[
            "leitai_snakego",
            "leitai_kob",
            "leitai_tankcraft",
            "leitai_nim",
        ],
        why: "only games/all names a game",
    },
];

/// Bots, searches and the figures of a leg may weigh with floats; they decide nothing about a game.
fn is_search(path: &str) -> bool {
    path.contains("/bots/")
        || path.ends_with("/bots.rs")
        || path.starts_with("crates/search/")
        || path == "crates/game/src/assessment.rs"
        || path.ends_with("/src/figures.rs")
}

fn is_rules(path: &str) -> bool {
    let game = ["games/", "examples/", "crates/game/", "crates/search/"]
        .iter()
        .any(|folder| path.starts_with(folder));
    game && path.contains("/src/") && !path.contains("conformance")
}

/// The problems of all Rust sources of the workspace.
pub fn check(root: &Path) -> anyhow::Result<Vec<String>> {
    let mut files = Vec::new();
    for folder in ["crates", "games", "examples", "xtask"] {
        collect(&root.join(folder), &mut files)?;
    }
    let mut complaints = Vec::new();
    for file in files {
        let path = file
            .strip_prefix(root)
            .unwrap_or(&file)
            .to_string_lossy()
            .into_owned();
        let text = fs::read_to_string(&file).with_context(|| path.clone())?;
        complaints.extend(check_text(&path, &text));
        complaints.extend(check_purity(&path, &text));
        complaints.extend(check_lengths(&path, &text));
    }
    Ok(complaints)
}

/// The lint for functions that do more than one thing.
const LENGTHS: &str = "cfg_attr(not(test), warn(clippy::too_many_lines))";

/// A crate of rules must deny the lints of clippy.toml.
fn check_purity(path: &str, text: &str) -> Option<String> {
    let holds = is_rules(path) && path.ends_with("/src/lib.rs");
    let lints = [
        "clippy::disallowed_macros",
        "clippy::disallowed_methods",
        "clippy::disallowed_types",
    ];
    let missing: Vec<&str> = lints
        .into_iter()
        .filter(|lint| !text.contains(lint))
        .collect();
    let what = || format!("{path}: deny {} as the other games do", missing.join(", "));
    (holds && !missing.is_empty()).then(what)
}

/// A crate's root warns of long functions (clippy.toml says how long); journeys in tests may be longer.
fn check_lengths(path: &str, text: &str) -> Option<String> {
    let is_root = ["/src/lib.rs", "/src/main.rs"]
        .iter()
        .any(|root| path.ends_with(root));
    let what = || format!("{path}: begin with `#![{LENGTHS}]` as the other crates do");
    (is_root && !text.contains(LENGTHS)).then(what)
}

/// All Rust sources in a folder.
pub fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> anyhow::Result<()> {
    for entry in fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let path = entry?.path();
        if path.is_dir() && path.file_name().is_none_or(|name| name != "target") {
            collect(&path, files)?;
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            files.push(path);
        }
    }
    Ok(())
}

fn check_text(path: &str, text: &str) -> Vec<String> {
    // This file contains the banned words; unit tests at the end of a file may use them.
    if path.ends_with("xtask/src/sources.rs") {
        return Vec::new();
    }
    let code = text.split("#[cfg(test)]").next().unwrap_or_default();
    let lines = code
        .lines()
        .enumerate()
        .filter(|(_, line)| !line.trim_start().starts_with("//"));
    let complain = |(index, line): (usize, &str)| {
        let ban = BANS
            .iter()
            .find(|ban| (ban.holds)(path) && ban.words.iter().any(|word| has_word(line, word)))?;
        Some(format!(
            "{path}:{}: {} ({})",
            index + 1,
            line.trim(),
            ban.why
        ))
    };
    let allowed = path.starts_with("games/all/");
    lines.filter_map(complain).filter(|_| !allowed).collect()
}

/// Whether the line contains the word, and not only as a part of a longer one.
fn has_word(line: &str, word: &str) -> bool {
    let part_of_name = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    line.match_indices(word).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        let after = line[at + word.len()..].chars().next();
        !(part_of_name(before) || part_of_name(after) && word.ends_with(char::is_alphanumeric))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn games_deny_the_lints_for_purity() {
        let lints =
            "deny(clippy::disallowed_macros, clippy::disallowed_methods, clippy::disallowed_types)";
        assert_eq!(check_purity("games/kob/src/lib.rs", lints), None);
        assert_eq!(check_purity("crates/judge/src/lib.rs", ""), None);
        assert_eq!(check_purity("games/kob/src/map.rs", ""), None);
        let found = check_purity("games/new/src/lib.rs", "deny(clippy::disallowed_methods)");
        assert!(found.is_some_and(|found| found.contains("clippy::disallowed_types")));
    }

    #[test]
    fn roots_of_crates_warn_of_long_functions() {
        let root = format!("#![{LENGTHS}]");
        assert_eq!(check_lengths("crates/judge/src/lib.rs", &root), None);
        assert_eq!(check_lengths("crates/judge/src/map.rs", ""), None);
        assert!(check_lengths("games/new/src/lib.rs", "").is_some());
    }

    #[test]
    fn banned_words_are_found_in_their_files() {
        let check = |path: &str, line: &str, fine: bool| {
            assert_eq!(check_text(path, line).is_empty(), fine, "{path}: {line}");
        };
        check("crates/judge/src/a.rs", "unsafe { call() }", false);
        check("crates/sandbox/src/sys.rs", "unsafe { call() }", true);
        check(
            "games/kob/src/map.rs",
            "let text = std::fs::read(path);",
            false,
        );
        check("games/kob/src/map.rs", "// not with std::fs", true);
        check(
            "games/kob/tests/golden.rs",
            "let text = std::fs::read(path);",
            true,
        );
        check("games/kob/src/rules.rs", "let x: f64 = 1.0;", false);
        check("games/kob/src/bots/space.rs", "let x: f64 = 1.0;", true);
        check("games/kob/src/rules.rs", "let half64 = 1;", true);
        check("examples/nim/src/lib.rs", "use std::io;", false);
        check(
            "crates/judge/src/a.rs",
            "use leitai_snakego::Position;",
            false,
        );
        check(
            "crates/judge/tests/a.rs",
            "use leitai_snakego::Position;",
            true,
        );
        check(
            "crates/judge/examples/a.rs",
            "use leitai_snakego::Position;",
            true,
        );
        check(
            "games/all/src/lib.rs",
            "use leitai_snakego::Position;",
            true,
        );
    }
}
