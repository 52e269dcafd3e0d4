//! Tests that would not run. A file in `tests/` that is not declared is not compiled: if
//! `tests/main.rs` is the only test binary of a crate, every file beside it is one of its modules or
//! a test binary named in `Cargo.toml`. And a crate whose sources make no test binary has no tests
//! in them.

use std::path::{Path, PathBuf};

use anyhow::Context;

/// The files in `tests/` that no test binary contains, and those in `src/` with tests that none
/// contains.
pub fn check(root: &Path) -> anyhow::Result<Vec<String>> {
    let mut complaints = Vec::new();
    for place in ["crates", "games", "examples"] {
        for entry in std::fs::read_dir(root.join(place)).with_context(|| place)? {
            let package = entry.with_context(|| place)?.path();
            complaints.extend(find_tests_of_no_binary(&package)?);
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

/// The sources with tests of a package whose manifest says that its library is not tested.
fn find_tests_of_no_binary(package: &Path) -> anyhow::Result<Vec<String>> {
    let manifest = std::fs::read_to_string(package.join("Cargo.toml")).unwrap_or_default();
    let is_tested = !manifest.contains("[lib]\ntest = false");
    let mut folders: Vec<PathBuf> = match is_tested {
        true => Vec::new(),
        false => vec![package.join("src")],
    };
    let mut complaints = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder)? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else if std::fs::read_to_string(&path)
                .unwrap_or_default()
                .contains("#[cfg(test)]")
            {
                complaints.push(format!(
                    "{}: its tests do not run, since Cargo.toml says `test = false`",
                    path.display()
                ));
            }
        }
    }
    Ok(complaints)
}

fn is_named(stem: &str, main: &str, manifest: &str) -> bool {
    let is_module = main.lines().any(|line| line == format!("mod {stem};"));
    stem == "main" || is_module || manifest.contains(&format!("[[test]]\nname = \"{stem}\""))
}

#[cfg(test)]
mod tests {
    use super::{find_tests_of_no_binary, is_named};

    #[test]
    fn tests_in_sources_without_a_test_binary_are_found() {
        let package = tempfile::tempdir().expect("a temporary folder");
        let write = |file: &str, text: &str| {
            std::fs::write(package.path().join(file), text).expect("own folder");
        };
        std::fs::create_dir_all(package.path().join("src/deep")).expect("own folder");
        write("src/lib.rs", "");
        write("src/deep/er.rs", "#[cfg(test)]\nmod tests {}\n");
        let found = || find_tests_of_no_binary(package.path()).expect("files");
        write("Cargo.toml", "[lib]\nname = \"a\"\n");
        assert!(found().is_empty());
        write("Cargo.toml", "[lib]\ntest = false\n");
        let found = found();
        assert!(found.len() == 1 && found[0].contains("er.rs"), "{found:?}");
    }

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
