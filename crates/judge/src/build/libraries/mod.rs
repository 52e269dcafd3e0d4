//! Libraries for bots: a list, the packages behind it by their hashes, and the folder in which programs
//! find them. Nothing is fetched while a bot is built.
//!
//! | module | noun |
//! |---|---|
//! | [`set`] | the unpacked libraries of a list, and the environment that leads to them |
//! | [`manifests`], [`markers`], [`pom`] | what a bot asks for |
//! | [`versions`] | versions and ranges |
//! | [`demand`] | what is asked for and not there |

pub mod demand;
pub mod manifests;
pub mod markers;
pub mod pom;
pub mod set;
pub mod versions;

pub use set::{LibraryError, LibrarySet};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// The language of a library.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LibraryKind {
    /// Wheels.
    Python,
    /// Jars.
    Java,
    /// Packages of npm.
    JavaScript,
    /// Crates, as source.
    Rust,
}

impl LibraryKind {
    /// Every kind.
    pub const ALL: [LibraryKind; 4] = [
        LibraryKind::Python,
        LibraryKind::Java,
        LibraryKind::JavaScript,
        LibraryKind::Rust,
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            LibraryKind::Python => "python",
            LibraryKind::Java => "java",
            LibraryKind::JavaScript => "javascript",
            LibraryKind::Rust => "rust",
        }
    }
}

/// A library.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs, reason = "the names say it")]
pub struct Library {
    pub kind: LibraryKind,
    /// Of Java the artifact.
    pub name: String,
    pub version: String,
    /// SHA-256 of the package as it is stored: a zip archive.
    pub sha256: String,
    /// Bytes of the package as it is stored.
    pub size: u64,
    /// SHA-256 of the package as its registry has it, if it was not a zip archive there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<String>,
}

/// The libraries that bots may use: of each kind and name one version.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LibraryList {
    /// By kind and name.
    pub libraries: Vec<Library>,
}

/// The most bytes of one stored package.
pub const MOST_OF_PACKAGE: u64 = 128 << 20;
/// The most bytes of all of them.
pub const MOST_OF_LIST: u64 = 1 << 30;
/// The most libraries.
pub const MOST_LIBRARIES: usize = 500;

/// The hash by which a package or a list is named.
pub fn hash_of(bytes: &[u8]) -> String {
    hex::encode(Sha256::digest(bytes))
}

/// The name by which libraries are compared; Python's differ in case and in their hyphens.
pub fn normal_name(kind: LibraryKind, name: &str) -> String {
    if kind != LibraryKind::Python {
        return name.to_owned();
    }
    let parts = name.split(['-', '_', '.']).filter(|part| !part.is_empty());
    parts.collect::<Vec<_>>().join("-").to_ascii_lowercase()
}

impl Library {
    /// Whether its words are what their names say: they become names of folders.
    pub fn is_sound(&self) -> bool {
        let is_word = |word: &str| {
            let fine = |c: char| c.is_ascii_alphanumeric() || "._-+".contains(c);
            (1..=100).contains(&word.len()) && word.chars().all(fine) && !word.starts_with('.')
        };
        let is_hash = |hash: &str| {
            hash.len() == 64 && hash.bytes().all(|byte| b"0123456789abcdef".contains(&byte))
        };
        let name = match (
            self.kind,
            self.name
                .strip_prefix('@')
                .and_then(|name| name.split_once('/')),
        ) {
            (LibraryKind::JavaScript, Some((scope, name))) => is_word(scope) && is_word(name),
            _ => is_word(&self.name),
        };
        name && is_word(&self.version)
            && is_hash(&self.sha256)
            && self.origin.as_deref().is_none_or(is_hash)
            && self.size <= MOST_OF_PACKAGE
    }
}

impl LibraryList {
    /// A list as it is stored; whoever wrote it is not believed.
    pub fn parse(bytes: &[u8]) -> Option<LibraryList> {
        let list: LibraryList = serde_json::from_slice(bytes).ok()?;
        let sizes = list.libraries.iter().map(|one| one.size);
        let total = sizes.fold(0, u64::saturating_add);
        let mut keys: Vec<_> = list
            .libraries
            .iter()
            .map(|one| (one.kind, &one.name))
            .collect();
        keys.sort();
        keys.dedup();
        let fits = keys.len() == list.libraries.len()
            && keys.len() <= MOST_LIBRARIES
            && total <= MOST_OF_LIST;
        (fits && list.libraries.iter().all(Library::is_sound)).then_some(list)
    }

    /// The bytes by which it is stored and named.
    pub fn to_bytes(&self) -> Vec<u8> {
        serde_json::to_vec(self).expect("a list is plain data")
    }

    /// Adds a library in place of another version of it; returns that one.
    pub fn put(&mut self, library: Library) -> Option<Library> {
        let old = self.take(library.kind, &library.name);
        self.libraries.push(library);
        self.libraries
            .sort_by(|a, b| (a.kind, &a.name).cmp(&(b.kind, &b.name)));
        old
    }

    /// Removes a library.
    pub fn take(&mut self, kind: LibraryKind, name: &str) -> Option<Library> {
        let name = normal_name(kind, name);
        let at = self
            .libraries
            .iter()
            .position(|one| one.kind == kind && one.name == name)?;
        Some(self.libraries.remove(at))
    }

    /// Those of one kind.
    pub fn of_kind(&self, kind: LibraryKind) -> impl Iterator<Item = &Library> {
        self.libraries.iter().filter(move |one| one.kind == kind)
    }
}
