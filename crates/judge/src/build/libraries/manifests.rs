//! What a bot's own manifest asks for: `requirements.txt`, `package.json`, `Cargo.toml`, `pom.xml`.
//! They are read as data of strangers; nothing that they name is opened or fetched.

use super::markers;
use super::versions::VersionRange;
use super::{LibraryKind, normal_name};
use crate::build::{BuildError, BuildRecipe};
use leitai_game::lang::{Message, say};
use leitai_sandbox::UntrustedFolder;
use std::collections::BTreeMap;
use std::path::Path;

/// A library that a manifest asks for.
#[derive(Clone, Debug)]
#[allow(missing_docs, reason = "the names say it")]
pub struct AskedLibrary {
    pub name: String,
    /// As it is written.
    pub wanted: String,
    pub range: VersionRange,
}

/// The libraries that a source asks for.
#[derive(Clone, Debug)]
#[allow(missing_docs, reason = "the names say it")]
pub struct Manifest {
    pub file: &'static str,
    pub kind: LibraryKind,
    pub asked: Vec<AskedLibrary>,
}

/// The most bytes and lines of a manifest.
const MOST_BYTES: usize = 64 << 10;
const MOST_LINES: usize = 2000;

impl Manifest {
    /// The manifest that belongs to a recipe, if the folder has it.
    ///
    /// # Errors
    /// [`BuildError::BadManifest`].
    pub fn find(
        folder: &UntrustedFolder,
        recipe: &BuildRecipe,
    ) -> Result<Option<Manifest>, BuildError> {
        type Read = fn(&str) -> Result<Vec<AskedLibrary>, Message>;
        let Some(kind) = recipe.libraries() else {
            return Ok(None);
        };
        let (file, read): (_, Read) = match kind {
            LibraryKind::Python => ("requirements.txt", read_requirements),
            LibraryKind::JavaScript => ("package.json", read_package),
            LibraryKind::Rust => ("Cargo.toml", read_cargo),
            LibraryKind::Java => ("pom.xml", read_pom),
        };
        let Some(bytes) = folder.start_of(Path::new(file), MOST_BYTES as u64 + 1) else {
            return Ok(None);
        };
        let refuse = |why: Message| {
            let (file, why) = (file.to_owned(), why.to_string());
            BuildError::BadManifest { file, why }
        };
        if bytes.len() > MOST_BYTES {
            return Err(refuse(say!("it has more than {} KiB", MOST_BYTES >> 10)));
        }
        let text = String::from_utf8(bytes).map_err(|_| refuse(say!("it is not UTF-8")))?;
        let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
        if text.contains('\0') || text.lines().count() > MOST_LINES {
            return Err(refuse(say!(
                "it is no text of at most {} lines",
                MOST_LINES
            )));
        }
        let mut asked = read(text).map_err(refuse)?;
        let is_own = |one: &AskedLibrary| brought_along(folder, kind, &one.name);
        asked.retain(|one| !is_own(one));
        Ok(Some(Manifest { file, kind, asked }))
    }
}

/// Whether the bot has the library in its own folder.
fn brought_along(folder: &UntrustedFolder, kind: LibraryKind, name: &str) -> bool {
    let there = |path: String| folder.look_at(Path::new(&path)).is_ok();
    match kind {
        LibraryKind::JavaScript => there(format!("node_modules/{name}")),
        LibraryKind::Python => {
            let module = name.replace('-', "_");
            there(module.clone()) || there(format!("{module}.py"))
        }
        LibraryKind::Rust => there("vendor".to_owned()) || there(".cargo".to_owned()),
        LibraryKind::Java => false,
    }
}

/// A part of a stranger's file for a message: short, without control characters.
fn shown(text: &str) -> String {
    text.trim()
        .chars()
        .take(60)
        .flat_map(char::escape_debug)
        .collect()
}

fn unreadable(why: &str) -> Message {
    say!("it cannot be read: {}", shown(why))
}

fn asked(name: &str, wanted: &str, range: Option<VersionRange>) -> Result<AskedLibrary, Message> {
    let line = || shown(&format!("{name} {wanted}"));
    let is_name = |c: char| c.is_ascii_alphanumeric() || "@/._-:".contains(c);
    if name.is_empty() || name.len() > 100 || !name.chars().all(is_name) || name.contains("..") {
        return Err(say!("`{}` is no name of a library", line()));
    }
    let range = range.ok_or_else(|| say!("`{}` names no versions that can be compared", line()))?;
    Ok(AskedLibrary {
        name: name.to_owned(),
        wanted: shown(wanted),
        range,
    })
}

/// A file of pip: names, extras, ranges and markers; options, files and addresses are refused.
///
/// # Errors
/// What is refused, and why.
pub fn read_requirements(text: &str) -> Result<Vec<AskedLibrary>, Message> {
    let joined = text.replace("\\\r\n", " ").replace("\\\n", " ");
    let mut found = Vec::new();
    for line in joined.lines() {
        let comment = line.find(" #").or_else(|| line.find("\t#"));
        let line = line[..comment.unwrap_or(line.len())].trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        if line.starts_with('-') {
            return Err(say!(
                "`{}` is an option of pip; only names and versions are read",
                shown(line)
            ));
        }
        let line = line.split(" --hash").next().unwrap_or_default().trim();
        let (wanted, marker) = line.split_once(';').unwrap_or((line, ""));
        if wanted.contains('@') || wanted.contains("://") || wanted.starts_with(['.', '/']) {
            return Err(say!(
                "`{}` is a file or an address; only names and versions are read",
                shown(line)
            ));
        }
        if !markers::may_hold(marker) {
            continue;
        }
        let end = wanted.find(|c: char| !(c.is_ascii_alphanumeric() || "._-".contains(c)));
        let (name, rest) = wanted.split_at(end.unwrap_or(wanted.len()));
        let rest = rest.trim();
        // What an extra adds are libraries of their own.
        let rest = match rest.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
            Some((_, after)) => after.trim(),
            None => rest,
        };
        let rest = rest
            .strip_prefix('(')
            .and_then(|rest| rest.strip_suffix(')'))
            .unwrap_or(rest);
        let name = normal_name(LibraryKind::Python, name);
        found.push(asked(&name, rest, VersionRange::of_python(rest))?);
    }
    Ok(found)
}

/// `dependencies` of npm; those of development are not needed to run.
///
/// # Errors
/// What is refused, and why.
pub fn read_package(text: &str) -> Result<Vec<AskedLibrary>, Message> {
    #[derive(serde::Deserialize)]
    struct Package {
        #[serde(default)]
        dependencies: BTreeMap<String, String>,
    }
    let read: Package =
        serde_json::from_str(text).map_err(|error| unreadable(&error.to_string()))?;
    let each = read.dependencies.iter();
    each.map(|(name, wanted)| asked(name, wanted, VersionRange::of_npm(wanted)))
        .collect()
}

/// `dependencies` and `build-dependencies` of Cargo, also those of targets; what has a path is the
/// bot's own.
///
/// # Errors
/// What is refused, and why.
pub fn read_cargo(text: &str) -> Result<Vec<AskedLibrary>, Message> {
    let read: toml::Table = text
        .parse()
        .map_err(|error: toml::de::Error| unreadable(error.message()))?;
    let targets = read.get("target").and_then(toml::Value::as_table);
    let targets = targets.into_iter().flat_map(|all| all.values());
    let tables = [&read]
        .into_iter()
        .chain(targets.filter_map(toml::Value::as_table));
    let mut found = Vec::new();
    for table in tables {
        for part in ["dependencies", "build-dependencies"] {
            let each = table.get(part).and_then(toml::Value::as_table);
            for (name, value) in each.into_iter().flatten() {
                let text = |key: &str| value.get(key).and_then(toml::Value::as_str);
                if text("path").is_some() {
                    continue;
                }
                let name = text("package").unwrap_or(name);
                if text("git").is_some() {
                    return Err(say!(
                        "`{}` comes from a repository, which is not fetched",
                        shown(name)
                    ));
                }
                let wanted = value.as_str().or_else(|| text("version")).unwrap_or("*");
                found.push(asked(name, wanted, VersionRange::of_cargo(wanted))?);
            }
        }
    }
    Ok(found)
}

/// The dependencies of a Maven project that are needed to compile or run it.
///
/// # Errors
/// What is refused, and why.
pub fn read_pom(text: &str) -> Result<Vec<AskedLibrary>, Message> {
    let (mut properties, mut found) = (BTreeMap::new(), Vec::new());
    let mut fields = BTreeMap::new();
    super::pom::visit_elements(text, |path, text| match path {
        ["project", "properties", name] => {
            properties.insert(format!("${{{name}}}"), text.to_owned());
        }
        ["project", "dependencies", "dependency", field] => {
            fields.insert((*field).to_owned(), text.to_owned());
        }
        ["project", "dependencies", "dependency"] => found.push(std::mem::take(&mut fields)),
        _ => {}
    })?;
    let get = |one: &BTreeMap<String, String>, key: &str| {
        let text = one.get(key).cloned().unwrap_or_default();
        properties.get(&text).cloned().unwrap_or(text)
    };
    let needed = found.iter().filter(|one| {
        !["test", "provided", "system"].contains(&&*get(one, "scope"))
            && get(one, "optional") != "true"
    });
    let each = needed.map(|one| {
        let wanted = get(one, "version");
        let range = match wanted.is_empty() {
            true => Some(VersionRange::any()),
            false => VersionRange::of_maven(&wanted),
        };
        asked(&get(one, "artifactId"), &wanted, range)
    });
    each.collect()
}
