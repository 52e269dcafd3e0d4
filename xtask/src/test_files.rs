//! A file in `tests/` that is not declared is not compiled: if `tests/main.rs` is the only test
//! binary of a crate, every file beside it is one of its modules or a test binary named in
//! `Cargo.toml`.

use std::path::Path;

use anyhow::Context;

/// The files in `tests/` that no test binary contains.
pub fn check(root: &Path) -> anyhow::Result<Vec<String>> {
    let mut complaints = Vec::new();
    for place in ["crates", "games", "examples"] {
        for entry in std::fs::read_dir(root.join(place)).with_context(|| place)? {
            let package = entry.with_context(|| place)?.path();
            let Ok(main) = std::fs::read_to_string(package.join("tests/main.rs")) else {
                continue;
            };
            let manifest = std::fs::read_to_string(package.join("Cargo.toml"))?;
            for file in std::fs::read_dir(package.join("tests"))? {
                let path = file?.path();
                let stem = path.file_stem().unwrap_or_default().to_string_lossy();
                let is_rust = path.extension().is_some_and(|extension| extension == "rs");
                if is_rust && !is_named(&stem, &main, &manifest) {
                    complaints.push(format!(
                        "{}: tests/main.rs lacks `mod {stem};`",
                        path.display()
                    ));
                }
            }
        }
    }
    complaints.sort();
    Ok(complaints)
}

fn is_named(stem: &str, main: &str, manifest: &str) -> bool {
    let is_module = main.lines().any(|line| line == format!("mod {stem};"));
    stem == "main" || is_module || manifest.contains(&format!("[[test]]\nname = \"{stem}\""))
}

#[cfg(test)]
mod tests {
    use super::is_named;

    #[test]
    fn an_undeclared_test_file_is_found() {
        let (main, manifest) = (
            "//! Text\nmod rules;\n",
            "[[test]]\nname = \"isolation\"\nharness = false\n",
        );
        assert!(is_named("rules", main, manifest) && is_named("isolation", main, manifest));
        assert!(is_named("main", main, manifest));
        assert!(!is_named("golden", main, manifest) && !is_named("rule", main, manifest));
    }
}
