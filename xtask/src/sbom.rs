//! The list of everything that lies in the program (SBOM), as CycloneDX 1.5: `cargo xtask sbom TARGET`.
//!
//! Crates come from `cargo metadata` for one target, without those that only tests use; packages of
//! the page from `web/package-lock.json`, those that its sources import. Each has its licence and
//! the checksum of the lock file.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use anyhow::Context;
use serde_json::{Value, json};

use crate::dependencies::read_metadata;

/// The package whose parts are listed.
const PROGRAM: &str = "leitai";

/// The document.
pub fn write(root: &Path, target: &str) -> anyhow::Result<String> {
    let metadata = read_metadata(root, &["--locked", "--filter-platform", target])?;
    let program = find_program(&metadata)?;
    let used = used_by(&metadata, &program["id"])?;
    let checksums = read_checksums(root)?;
    let packages = metadata["packages"].as_array();
    let packages = packages.context("cargo metadata lists packages")?;
    let mut components: Vec<Value> = packages
        .iter()
        .filter(|package| used.contains(text_of(&package["id"])) && package["id"] != program["id"])
        .map(|package| describe_crate(package, &checksums))
        .collect();
    components.extend(describe_page(root)?);
    components.sort_by_key(|component| text_of(&component["purl"]).to_owned());
    let document = json!({
        "bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1,
        "metadata": {"component": {
            "type": "application", "name": PROGRAM, "version": program["version"],
            "licenses": [{"expression": program["license"]}],
            "properties": [{"name": "target", "value": target}],
        }},
        "components": components,
    });
    Ok(serde_json::to_string_pretty(&document)?)
}

fn find_program(metadata: &Value) -> anyhow::Result<&Value> {
    let mut packages = metadata["packages"].as_array().into_iter().flatten();
    packages
        .find(|package| package["name"] == PROGRAM && package["source"].is_null())
        .with_context(|| format!("the workspace has no package {PROGRAM}"))
}

/// The ids of all packages that the program is built from, itself among them. What builds it
/// (procedural macros, build scripts) writes code that lies in it, so it counts.
fn used_by(metadata: &Value, program: &Value) -> anyhow::Result<BTreeSet<String>> {
    let nodes = metadata["resolve"]["nodes"].as_array();
    let nodes: BTreeMap<&str, &Value> = nodes
        .context("cargo metadata resolves")?
        .iter()
        .map(|node| (text_of(&node["id"]), node))
        .collect();
    let mut used = BTreeSet::new();
    let mut waiting = vec![text_of(program)];
    while let Some(id) = waiting.pop() {
        if !used.insert(id.to_owned()) {
            continue;
        }
        let node = nodes
            .get(id)
            .with_context(|| format!("{id} is not resolved"))?;
        let all = node["deps"].as_array().into_iter().flatten();
        let kept = all.filter(|dependency| {
            let mut kinds = dependency["dep_kinds"].as_array().into_iter().flatten();
            kinds.any(|kind| kind["kind"] != "dev")
        });
        waiting.extend(kept.map(|dependency| text_of(&dependency["pkg"])));
    }
    Ok(used)
}

/// The checksums of Cargo.lock by name and version.
fn read_checksums(root: &Path) -> anyhow::Result<BTreeMap<(String, String), String>> {
    let lock = fs::read_to_string(root.join("Cargo.lock")).context("Cargo.lock")?;
    let field = |block: &str, name: &str| {
        let start = format!("{name} = \"");
        let line = block.lines().find_map(|line| line.strip_prefix(&start))?;
        Some(line.trim_end_matches('"').to_owned())
    };
    let read = |block: &str| {
        let key = (field(block, "name")?, field(block, "version")?);
        Some((key, field(block, "checksum")?))
    };
    Ok(lock.split("[[package]]").filter_map(read).collect())
}

fn describe_crate(package: &Value, checksums: &BTreeMap<(String, String), String>) -> Value {
    let (name, version) = (text_of(&package["name"]), text_of(&package["version"]));
    let mut component = json!({
        "type": "library", "name": name, "version": version,
        "purl": format!("pkg:cargo/{name}@{version}"),
    });
    if let Some(licence) = package["license"].as_str() {
        // An older way to write "or".
        component["licenses"] = json!([{"expression": licence.replace('/', " OR ")}]);
    }
    if let Some(sum) = checksums.get(&(name.to_owned(), version.to_owned())) {
        component["hashes"] = json!([{"alg": "SHA-256", "content": sum}]);
    }
    component
}

/// The npm packages whose code lies in the page: those that its sources import, and what these need.
fn describe_page(root: &Path) -> anyhow::Result<Vec<Value>> {
    let lock = fs::read(root.join("web/package-lock.json")).context("web/package-lock.json")?;
    let lock: Value = serde_json::from_slice(&lock).context("web/package-lock.json is JSON")?;
    let packages = lock["packages"].as_object();
    let packages = packages.context("web/package-lock.json lists packages")?;
    let mut sources = String::new();
    read_sources(&root.join("web/src"), &mut sources)?;
    let is_imported = |name: &&str| {
        let mut forms = [
            format!("'{name}'"),
            format!("'{name}/"),
            format!("\"{name}\""),
        ]
        .into_iter();
        forms.any(|form| sources.contains(&form))
    };
    let mut used = BTreeSet::new();
    let roots = packages
        .get("")
        .and_then(|own| own["devDependencies"].as_object());
    let roots = roots.context("web/package-lock.json names the page's packages")?;
    let mut waiting: Vec<&str> = roots
        .keys()
        .map(String::as_str)
        .filter(is_imported)
        .collect();
    while let Some(name) = waiting.pop() {
        if used.insert(name) {
            let needs = packages.get(&format!("node_modules/{name}"));
            let needs = needs.and_then(|package| package["dependencies"].as_object());
            waiting.extend(needs.into_iter().flatten().map(|(name, _)| name.as_str()));
        }
    }
    let describe = |name: &&str| {
        Some(describe_npm(
            name,
            packages.get(&format!("node_modules/{name}"))?,
        ))
    };
    Ok(used.iter().filter_map(describe).collect())
}

fn describe_npm(name: &str, package: &Value) -> Value {
    let version = text_of(&package["version"]);
    let mut component = json!({
        "type": "library", "name": name, "version": version,
        "purl": format!("pkg:npm/{}@{version}", name.replace('@', "%40")),
    });
    if let Some(licence) = package["license"].as_str() {
        component["licenses"] = json!([{"expression": licence}]);
    }
    component
}

/// The texts of all sources below this folder.
fn read_sources(folder: &Path, all: &mut String) -> anyhow::Result<()> {
    for entry in fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let path = entry?.path();
        let kind = path.extension().and_then(|kind| kind.to_str());
        if path.is_dir() {
            read_sources(&path, all)?;
        } else if matches!(kind, Some("ts" | "js" | "svelte")) && !is_test(&path) {
            all.push_str(&fs::read_to_string(&path).with_context(|| path.display().to_string())?);
        }
    }
    Ok(())
}

fn is_test(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default();
    name.to_string_lossy().contains(".test.")
}

fn text_of(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A package that lies in the program, what only tests use, and the page's.
    #[test]
    fn the_list_names_what_lies_in_the_program_and_nothing_else() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let root = root.parent().expect("xtask lies in the workspace");
        let text = write(root, "x86_64-unknown-linux-gnu").expect("the list can be written");
        let list: Value = serde_json::from_str(&text).expect("it is JSON");
        let components = list["components"].as_array().expect("there are components");
        let find = |purl: &str| {
            let mut all = components.iter();
            all.find(|one| text_of(&one["purl"]).starts_with(purl))
        };
        for (purl, is_there) in [
            ("pkg:cargo/ring@", true),
            ("pkg:cargo/libsqlite3-sys@", true),
            ("pkg:cargo/leitai-judge@", true),
            ("pkg:npm/svelte@", true),
            ("pkg:npm/%40codemirror/lang-cpp@", true),
            ("pkg:npm/%40lezer/common@", true),
            ("pkg:npm/eslint@", false),
            ("pkg:npm/vitest@", false),
            ("pkg:npm/playwright-core@", false),
            ("pkg:cargo/wat@", false),
            ("pkg:cargo/criterion@", false),
            ("pkg:cargo/pyo3@", false),
            ("pkg:cargo/windows-sys@", false),
        ] {
            assert_eq!(find(purl).is_some(), is_there, "{purl}");
        }
        for component in components {
            let licence = text_of(&component["licenses"][0]["expression"]);
            assert!(!licence.is_empty(), "{component} has no licence");
        }
        let ring = find("pkg:cargo/ring@").expect("ring is there");
        assert_eq!(text_of(&ring["hashes"][0]["content"]).len(), 64, "{ring}");
    }
}
