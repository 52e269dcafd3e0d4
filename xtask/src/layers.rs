//! The allowed dependencies between the modules of `crates/server` and between the folders of
//! `crates/store`. None uses a higher one. The routes of a domain, which lie in its folder, may use
//! what `http` may.

use std::fs;
use std::path::Path;

use anyhow::Context;

use crate::sources::collect;
use crate::uses::Uses;

/// A module of the server and the other modules that it may use.
const ALLOWED: &[(&str, &[&str])] = &[
    ("sync", &[]),
    ("operator_file", &[]),
    ("libraries", &[]),
    ("ladders", &["operator_file"]),
    ("config", &["ladders"]),
    ("match_limits", &[]),
    ("messages", &[]),
    ("client_address", &[]),
    ("metrics_registry", &[]),
    ("process_metrics", &["metrics_registry"]),
    ("replay_privacy", &[]),
    ("signatures", &["accounts"]),
    ("accounts", BASE),
    ("analyses", &["messages", "replay_privacy", "sync"]),
    ("bots", BASE),
    ("bus", BASE),
    ("groups", BASE),
    (
        "live",
        &[
            "bus",
            "client_address",
            "config",
            "messages",
            "metrics_registry",
            "sync",
        ],
    ),
    ("person_ratings", &["work"]),
    ("daily", &["sync", "work"]),
    ("game_files", &["messages"]),
    ("contests", BASE),
    ("experiments", EVERYTHING),
    (
        "schedule",
        &[
            "experiments",
            "client_address",
            "config",
            "contests",
            "daily",
            "ladders",
            "messages",
            "metrics_registry",
            "sync",
        ],
    ),
    (
        "dataset",
        &["contests", "removal", "replay_privacy", "signatures"],
    ),
    ("recount", &["removal"]),
    ("removal", &["config", "replay_privacy", "sync"]),
    (
        "work",
        &[
            "client_address",
            "config",
            "game_files",
            "libraries",
            "live",
            "match_limits",
            "messages",
            "metrics_registry",
            "sync",
        ],
    ),
    (
        "play",
        &[
            "bus",
            "client_address",
            "config",
            "libraries",
            "live",
            "messages",
            "metrics_registry",
            "sync",
            "work",
        ],
    ),
    ("mcp", BASE),
    ("webhooks", BASE),
    ("mail", BASE),
    ("oidc", &["accounts", "operator_file"]),
    ("similar", BASE),
    ("http", EVERYTHING),
    ("engine", EVERYTHING),
    ("maintenance", EVERYTHING),
];

/// Modules that every module may use.
const BASE: &[&str] = &[
    "client_address",
    "config",
    "match_limits",
    "messages",
    "metrics_registry",
    "sync",
];
/// All modules except `engine` and `maintenance`, which start and keep the others.
const EVERYTHING: &[&str] = &[
    "accounts",
    "analyses",
    "bots",
    "bus",
    "client_address",
    "config",
    "contests",
    "daily",
    "dataset",
    "experiments",
    "game_files",
    "groups",
    "http",
    "ladders",
    "libraries",
    "live",
    "mail",
    "match_limits",
    "mcp",
    "messages",
    "metrics_registry",
    "oidc",
    "person_ratings",
    "play",
    "process_metrics",
    "recount",
    "removal",
    "replay_privacy",
    "signatures",
    "schedule",
    "similar",
    "sync",
    "webhooks",
    "work",
];

/// The folders of the store, the lowest first. Each may use those before it.
const STORE: [&str; 22] = [
    "values",
    "tables",
    "migrations",
    "database",
    "blobs",
    "jobs",
    "standings",
    "bots",
    "messages",
    "events",
    "game_files",
    "accounts",
    "returning",
    "matches",
    "ladders",
    "groups",
    "contests",
    "experiments",
    "work",
    "removal",
    "transfer",
    "overview",
];

/// The folders of `crates/store` that use a later one.
pub fn check_store(uses: &Uses) -> Vec<String> {
    let folder = |file: &str| {
        let inside = file.strip_prefix("crates/store/src/")?;
        Some(inside.split_once('/')?.0.to_owned())
    };
    let mut complaints = Vec::new();
    for (from, used) in uses {
        let Some(own) = folder(from) else { continue };
        let Some(place) = STORE.iter().position(|known| *known == own) else {
            complaints.push(format!(
                "{from}: folder {own} is not in xtask/src/layers.rs: say there what it may use"
            ));
            continue;
        };
        for (to, names) in used {
            let higher = folder(to).filter(|folder| STORE[place + 1..].contains(&folder.as_str()));
            if let Some(higher) = higher {
                let names: Vec<&str> = names.iter().map(String::as_str).collect();
                let names = names.join(", ");
                complaints.push(format!("{from}: {own} may not use {higher} ({names})"));
            }
        }
    }
    complaints
}

/// The problems of the sources of `crates/server`. Tests in separate files may use every module.
pub fn check(root: &Path) -> anyhow::Result<Vec<String>> {
    let source = root.join("crates/server/src");
    let mut files = Vec::new();
    collect(&source, &mut files)?;
    let mut complaints = Vec::new();
    for file in files {
        let inside = file.strip_prefix(&source).unwrap_or(&file);
        if inside.ends_with("tests.rs") || inside == Path::new("lib.rs") {
            continue;
        }
        let text =
            fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display()))?;
        complaints.extend(check_file(&inside.to_string_lossy(), &text));
    }
    Ok(complaints)
}

/// The problems of one file; its path is relative to `crates/server/src`.
fn check_file(path: &str, text: &str) -> Vec<String> {
    let module = path
        .split('/')
        .next()
        .unwrap_or(path)
        .trim_end_matches(".rs");
    let Some((_, allowed)) = ALLOWED.iter().find(|(name, _)| *name == module) else {
        return vec![format!(
            "crates/server/src/{path}: module {module} is not in xtask/src/layers.rs: say \
             there what it may use"
        )];
    };
    let code = text
        .split("\n#[cfg(test)]\nmod tests")
        .next()
        .unwrap_or(text);
    let has_routes = path
        .split('/')
        .nth(1)
        .is_some_and(|inside| inside.trim_end_matches(".rs") == "routes");
    let allowed = if has_routes { EVERYTHING } else { allowed };
    let complain = |used: String| {
        let fine = used == module || allowed.contains(&used.as_str());
        (!fine).then(|| format!("crates/server/src/{path}: {module} may not use {used}"))
    };
    let mut used = used_modules(code, "crate::");
    // In a module's main file `super` is the parent; one more leads to the root.
    let depth = path.split('/').count() - usize::from(path.ends_with("/mod.rs"));
    let to_root = "super::".repeat(depth);
    used.extend(used_modules(code, &to_root));
    used.into_iter().filter_map(complain).collect()
}

/// The modules named after a path to the crate's root, without comments.
fn used_modules(code: &str, to_root: &str) -> Vec<String> {
    let lines = code
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"));
    let text: String = lines.flat_map(|line| [line.trim(), " "]).collect();
    let members = |rest: &str| match rest.strip_prefix('{') {
        Some(group) => group_members(group),
        None => vec![first_word(rest)],
    };
    text.split(to_root).skip(1).flat_map(members).collect()
}

/// The first names in `a::{b, c}, d}`: `a` and `d`.
fn group_members(group: &str) -> Vec<String> {
    let (mut depth, mut members, mut start) = (0, Vec::new(), 0);
    for (at, letter) in group.char_indices() {
        match letter {
            '{' => depth += 1,
            '}' if depth == 0 => {
                members.push(first_word(group[start..at].trim()));
                break;
            }
            '}' => depth -= 1,
            ',' if depth == 0 => {
                members.push(first_word(group[start..at].trim()));
                start = at + 1;
            }
            _ => {}
        }
    }
    members.retain(|member| !member.is_empty());
    members
}

fn first_word(text: &str) -> String {
    let ends = |letter: char| !letter.is_alphanumeric() && letter != '_';
    text.split(ends).next().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::*;

    fn check_use(path: &str, text: &str, complaints: usize) {
        assert_eq!(check_file(path, text).len(), complaints, "{path}: {text}");
    }

    #[test]
    fn uses_of_higher_modules_are_found() {
        check_use("http/routes/live.rs", "use crate::live::LiveMatches;", 0);
        check_use("live/mod.rs", "use crate::http::app::App;", 1);
        check_use("play/run.rs", "use crate::work::{limits, queue};", 0);
        check_use("play/run.rs", "use crate::{http::app, work};", 1);
        check_use("play/run.rs", "use crate::{work::{a, b}, engine};", 1);
        check_use("work/queue.rs", "let x = crate::play::run();", 1);
        check_use("work/queue.rs", "//! See [`crate::play`].", 0);
        check_use("schedule.rs", "use crate::http::app::App;", 1);
        check_use("schedule.rs", "use super::http::app::App;", 1);
        check_use("accounts/names.rs", "use super::super::http::app::App;", 1);
        check_use("accounts/names.rs", "use super::password::Hash;", 0);
        check_use("accounts/mod.rs", "use super::http;", 1);
        check_use("live/mod.rs", "use crate::App;", 1);
        check_use("http/routes/live.rs", "use super::super::live::Message;", 0);
        check_use("http/app.rs", "use crate::engine::MatchEngine;", 1);
        check_use("contests/names.rs", "use crate::http::app::App;", 1);
        check_use(
            "contests/routes/answers.rs",
            "use crate::http::app::App;",
            0,
        );
        check_use("similar/routes.rs", "use crate::http::app::App;", 0);
        check_use("similar/routes.rs", "use crate::engine::MatchEngine;", 1);
        check_use("somewhere.rs", "", 1);
        check_use(
            "live/x.rs",
            "\n#[cfg(test)]\nmod tests { use crate::http; }",
            0,
        );
    }

    #[test]
    fn uses_of_later_folders_of_the_store_are_found() {
        let check = |from: &str, to: &str, fine: bool| {
            let file = |inside: &str| format!("crates/store/src/{inside}.rs");
            let names = BTreeSet::from(["Name".to_owned()]);
            let used = BTreeMap::from([(file(to), names)]);
            let uses = Uses::from([(file(from), used)]);
            assert_eq!(check_store(&uses).is_empty(), fine, "{from} -> {to}");
        };
        check("matches/matches", "jobs/jobs", true);
        check("jobs/jobs", "jobs/job_turns", true);
        check("jobs/jobs", "matches/matches", false);
        check("somewhere/jobs", "values/ids", false);
        check("lib", "jobs/jobs", true);
    }

    #[test]
    fn the_server_uses_no_higher_module() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"))
            .parent()
            .expect("a workspace");
        assert_eq!(check(root).expect("it is readable"), Vec::<String>::new());
    }
}
