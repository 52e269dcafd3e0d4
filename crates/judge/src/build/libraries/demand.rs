//! What a bot asks for and does not find, named before it is built.

use super::manifests::{AskedLibrary, Manifest};
use super::versions::Version;
use super::{Library, LibraryKind, LibraryList};
use crate::build::{BuildError, runtime};
use std::collections::BTreeMap;

/// The most names in a message.
const NAMED: usize = 12;

/// Refuses a manifest that asks for what is not there. What Python finds in the system's own folders is
/// there, too.
///
/// # Errors
/// [`BuildError::LibraryMissing`].
pub fn check(manifest: &Manifest, list: &LibraryList) -> Result<(), BuildError> {
    let have = |one: &&AskedLibrary, name: &str, version: &str| {
        let version = Version::parse(version);
        one.name == name && version.is_none_or(|version| one.range.contains(&version))
    };
    let mut missing: Vec<&AskedLibrary> = manifest.asked.iter().collect();
    missing.retain(|one| {
        !list
            .of_kind(manifest.kind)
            .any(|there| have(one, &there.name, &there.version))
    });
    let mut of_system = BTreeMap::new();
    if manifest.kind == LibraryKind::Python && !missing.is_empty() {
        let listed = |one: &&&AskedLibrary| {
            list.of_kind(LibraryKind::Python)
                .any(|there| there.name == one.name)
        };
        let names = missing
            .iter()
            .filter(|one| !listed(one))
            .map(|one| one.name.as_str());
        of_system = runtime::python_versions(&names.collect::<Vec<_>>());
        missing.retain(|one| {
            !of_system
                .get(&one.name)
                .is_some_and(|version| have(one, &one.name, version))
        });
    }
    if missing.is_empty() {
        return Ok(());
    }
    let asked = missing
        .iter()
        .map(|one| format!("{}{}", one.name, one.wanted));
    let is_near = |one: &&Library| missing.iter().any(|asked| asked.name == one.name);
    let (near, far): (Vec<&Library>, Vec<&Library>) =
        list.of_kind(manifest.kind).partition(is_near);
    let there = near
        .iter()
        .chain(&far)
        .map(|one| format!("{} {}", one.name, one.version));
    let there = of_system
        .iter()
        .map(|(name, version)| format!("{name} {version}"))
        .chain(there);
    Err(BuildError::LibraryMissing {
        file: manifest.file.to_owned(),
        missing: join(asked),
        there: join(there),
    })
}

fn join(names: impl Iterator<Item = String>) -> String {
    let mut names: Vec<String> = names.collect();
    if names.is_empty() {
        return "-".to_owned();
    }
    if names.len() > NAMED {
        names.truncate(NAMED);
        names.push("…".to_owned());
    }
    names.join(", ")
}
