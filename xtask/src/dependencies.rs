//! The allowed dependencies between crates. No crate depends on a higher one.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, ensure};
use serde_json::Value;

/// A crate and the crates that it may use. A game may use `leitai-game` and `leitai-search` alone;
/// only the list of games names games.
const ALLOWED: &[(&str, &[&str])] = &[
    ("leitai-say", &[]),
    ("leitai-game", &["leitai-say"]),
    ("leitai-search", &["leitai-game"]),
    ("leitai-analysis", &["leitai-game"]),
    ("leitai-sandbox", &[]),
    ("leitai-processor", &[]),
    ("leitai-ladder", &[]),
    ("leitai-judge", &["leitai-game", "leitai-sandbox"]),
    (
        "leitai-series",
        &[
            "leitai-game",
            "leitai-judge",
            "leitai-ladder",
            "leitai-sandbox",
        ],
    ),
    ("leitai-work", &["leitai-judge"]),
    ("leitai-bus", &[]),
    ("leitai-telemetry", &[]),
    (
        "leitai-batch",
        &[
            "leitai-bus",
            "leitai-game",
            "leitai-judge",
            "leitai-series",
            "leitai-work",
        ],
    ),
    (
        "leitai-contest",
        &["leitai-game", "leitai-ladder", "leitai-toml-reader"],
    ),
    ("leitai-toml-reader", &["leitai-game"]),
    ("leitai-module", &["leitai-game"]),
    (
        "leitai-guest",
        &[
            "leitai-game",
            "leitai-judge",
            "leitai-module",
            "leitai-sandbox",
            "leitai-search",
            "leitai-toml-reader",
        ],
    ),
    ("leitai-games", &["leitai-game", GAMES]),
    (
        "leitai-wasm",
        &[
            "leitai-analysis",
            "leitai-game",
            "leitai-games",
            "leitai-guest",
            "leitai-module",
        ],
    ),
    ("leitai-store", &["leitai-ladder", "leitai-telemetry"]),
    (
        "leitai-server",
        &[
            "leitai-analysis",
            "leitai-bus",
            "leitai-contest",
            "leitai-game",
            "leitai-guest",
            "leitai-judge",
            "leitai-ladder",
            "leitai-series",
            "leitai-store",
            "leitai-telemetry",
            "leitai-work",
        ],
    ),
    (
        "leitai",
        &[
            "leitai-analysis",
            "leitai-batch",
            "leitai-contest",
            "leitai-game",
            "leitai-games",
            "leitai-guest",
            "leitai-judge",
            "leitai-ladder",
            "leitai-processor",
            "leitai-sandbox",
            "leitai-series",
            "leitai-server",
            "leitai-store",
            "leitai-telemetry",
        ],
    ),
    (
        "leitai-python",
        &[
            "leitai-analysis",
            "leitai-game",
            "leitai-games",
            "leitai-guest",
            "leitai-judge",
            "leitai-ladder",
            "leitai-search",
            "leitai-series",
        ],
    ),
    ("xtask", &[]),
    ("leitai-benches", &["leitai-game", "leitai-search", GAMES]),
    ("leitai-instructions", &["leitai-game", GAMES]),
    (GAMES, &["leitai-game", "leitai-search"]),
    (EXAMPLES, &["leitai-game", "leitai-module"]),
];

/// All crates under `games/` except the list.
const GAMES: &str = "games/*";

/// All crates under `examples/`: games that `games/all` does not list. Their tests play whole
/// matches.
const EXAMPLES: &str = "examples/*";

/// What tests of every crate may use.
const FOR_TESTS: [&str; 2] = ["leitai-games", "leitai-guest"];

/// A dependency between two crates.
#[derive(Debug, PartialEq, Eq)]
pub struct CrateEdge {
    from: String,
    to: String,
    development: bool,
}

/// All dependencies inside the workspace, from `cargo metadata`.
pub fn edges(root: &Path) -> anyhow::Result<Vec<CrateEdge>> {
    let metadata = read_metadata(root, &["--no-deps"])?;
    let packages = metadata["packages"]
        .as_array()
        .context("cargo metadata lists packages")?;
    let names: Vec<String> = packages.iter().map(crate_name).collect();
    let of = |package: &Value| -> Vec<CrateEdge> {
        let from = crate_name(package);
        let all = package["dependencies"].as_array().into_iter().flatten();
        let inside = all.filter_map(|dependency| {
            let name = dependency["name"].as_str()?;
            let at = packages.iter().position(|other| other["name"] == name)?;
            Some(CrateEdge {
                from: from.clone(),
                to: names[at].clone(),
                development: dependency["kind"] == "dev",
            })
        });
        inside.collect()
    };
    Ok(packages.iter().flat_map(of).collect())
}

/// What `cargo metadata` prints with these further arguments.
pub fn read_metadata(root: &Path, arguments: &[&str]) -> anyhow::Result<Value> {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".into());
    let output = Command::new(cargo)
        .args(["metadata", "--format-version", "1"])
        .args(arguments)
        .current_dir(root)
        .output()
        .context("cannot run cargo")?;
    ensure!(
        output.status.success(),
        "cargo metadata: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    serde_json::from_slice(&output.stdout).context("cargo metadata prints JSON")
}

fn crate_name(package: &Value) -> String {
    let path = package["manifest_path"].as_str().unwrap_or_default();
    let folder = Path::new(path).parent().unwrap_or(Path::new(""));
    let lies_in = |place: &str| {
        folder
            .parent()
            .is_some_and(|parent| parent.ends_with(place))
    };
    match () {
        () if lies_in("examples/games") => EXAMPLES.to_owned(),
        () if lies_in("games") && !folder.ends_with("all") => GAMES.to_owned(),
        () if lies_in("examples") => EXAMPLES.to_owned(),
        () => package["name"].as_str().unwrap_or_default().to_owned(),
    }
}

/// The dependencies that are not allowed. Tests may use games, also those of game files; other code
/// may not.
pub fn check(edges: &[CrateEdge]) -> Vec<String> {
    let complain = |edge: &CrateEdge| {
        let Some((_, allowed)) = ALLOWED.iter().find(|(name, _)| *name == edge.from) else {
            return Some(format!(
                "crate {} is not in xtask/src/dependencies.rs: say there what it may use",
                edge.from
            ));
        };
        let in_tests = edge.to == GAMES || (edge.from == EXAMPLES && edge.to == "leitai-judge");
        let fine = allowed.contains(&edge.to.as_str())
            || (edge.development && (in_tests || FOR_TESTS.contains(&edge.to.as_str())));
        (!fine).then(|| format!("{} may not depend on {}", edge.from, edge.to))
    };
    edges.iter().filter_map(complain).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check_edge(from: &str, to: &str, development: bool, fine: bool) {
        let edge = CrateEdge {
            from: from.into(),
            to: to.into(),
            development,
        };
        assert_eq!(check(&[edge]).is_empty(), fine, "{from} -> {to}");
    }

    #[test]
    fn dependencies_on_higher_crates_are_found() {
        check_edge("leitai", "leitai-judge", false, true);
        check_edge("leitai-judge", "leitai", false, false);
        check_edge("leitai-game", "leitai-judge", false, false);
        check_edge(GAMES, "leitai-game", false, true);
        check_edge(GAMES, GAMES, false, false);
        check_edge(GAMES, "leitai-judge", false, false);
        check_edge("leitai-judge", GAMES, false, false);
        check_edge("leitai-judge", GAMES, true, true);
        check_edge("leitai-server", "leitai-guest", false, true);
        check_edge("leitai-store", "leitai-guest", false, false);
        check_edge("leitai", GAMES, false, false);
        check_edge(EXAMPLES, "leitai-game", false, true);
        check_edge(EXAMPLES, "leitai-judge", false, false);
        check_edge(EXAMPLES, "leitai-judge", true, true);
        check_edge("leitai", "leitai-series", false, true);
        check_edge("leitai-series", "leitai", false, false);
        check_edge("leitai-series", "leitai-games", false, false);
        check_edge("leitai-series", "leitai-games", true, true);
        check_edge("leitai-games", EXAMPLES, false, false);
        check_edge("leitai-judge", EXAMPLES, true, false);
        check_edge("somebody", "leitai-game", false, false);
    }
}
