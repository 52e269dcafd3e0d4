//! The unpacked libraries of a list, in one folder that every program may read.

use super::{Library, LibraryKind, LibraryList, hash_of};
use crate::build::{BuildError, SourceBounds, folder_copy, unzip};
use leitai_game::lang::Say;
use leitai_sandbox::{OwnedFolder, UntrustedFolder};
use std::ffi::OsString;
use std::fs::{self, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// The most of one unpacked library.
const UNPACKED: SourceBounds = SourceBounds {
    bytes: 512 << 20,
    files: 30_000,
    depth: 32,
};

/// Unpacked libraries. The folder is removed with the value.
#[derive(Debug, Default)]
pub struct LibrarySet {
    list: LibraryList,
    hash: String,
    folder: Option<OwnedFolder>,
    environment: Vec<(OsString, OsString)>,
}

/// Why libraries cannot be used.
#[derive(Debug, thiserror::Error, Say)]
pub enum LibraryError {
    /// It could not be read or fetched.
    #[error("the library {name} cannot be read: {why}")]
    Fetch {
        /// The library.
        name: String,
        /// What was said.
        why: String,
    },
    /// Its bytes are not those of the list.
    #[error(
        "the library {name} is not the one of the list: it has the hash {found}, and the list says {wanted}"
    )]
    OtherHash {
        /// The library.
        name: String,
        /// SHA-256 of what is there.
        found: String,
        /// SHA-256 in the list.
        wanted: String,
    },
    /// The package cannot be unpacked.
    #[error("the library {name} cannot be unpacked: {source}")]
    Unpack {
        /// The library.
        name: String,
        /// Why.
        source: Box<BuildError>,
    },
    /// The folder cannot be written.
    #[error("the folder of libraries cannot be written: {0}; free some disk space")]
    Folder(#[from] io::Error),
}

impl LibrarySet {
    /// Unpacks what a list names; `fetch` gives the bytes of a package.
    ///
    /// # Errors
    /// [`LibraryError`].
    pub fn unpack<E: ToString>(
        list: LibraryList,
        mut fetch: impl FnMut(&Library) -> Result<Vec<u8>, E>,
    ) -> Result<LibrarySet, LibraryError> {
        let hash = hash_of(&list.to_bytes());
        if list.libraries.is_empty() {
            return Ok(LibrarySet {
                hash,
                ..LibrarySet::default()
            });
        }
        let folder = OwnedFolder::new()?;
        for library in &list.libraries {
            let named = || format!("{} {}", library.name, library.version);
            let bytes = fetch(library).map_err(|error| LibraryError::Fetch {
                name: named(),
                why: error.to_string(),
            })?;
            let found = hash_of(&bytes);
            if found != library.sha256 {
                let (name, wanted) = (named(), library.sha256.clone());
                return Err(LibraryError::OtherHash {
                    name,
                    found,
                    wanted,
                });
            }
            unpack_library(folder.folder_path(), library, &bytes).map_err(|source| {
                LibraryError::Unpack {
                    name: named(),
                    source: Box::new(source),
                }
            })?;
        }
        folder_copy::open_to_all(folder.folder_path());
        // Libraries are no secret: programs of other users find them in every tier.
        fs::set_permissions(folder.folder_path(), Permissions::from_mode(0o755))?;
        let environment = environment(folder.folder_path(), &list)?;
        Ok(LibrarySet {
            list,
            hash,
            folder: Some(folder),
            environment,
        })
    }

    /// What there is.
    pub fn list(&self) -> &LibraryList {
        &self.list
    }

    /// The hash of the list.
    pub fn hash(&self) -> &str {
        &self.hash
    }

    /// The folder, if there is anything in it.
    pub fn folder(&self) -> Option<&Path> {
        Some(self.folder.as_ref()?.folder_path())
    }

    /// The variables by which programs and tools find libraries.
    pub fn environment(&self) -> &[(OsString, OsString)] {
        &self.environment
    }

    /// The folder of libraries of one kind, if there are any.
    pub fn folder_of(&self, kind: LibraryKind) -> Option<PathBuf> {
        self.list.of_kind(kind).next()?;
        Some(folder_of(self.folder()?, kind))
    }

    /// The versions of one kind, for the log of a build.
    pub fn log_line(&self, kind: LibraryKind) -> Option<String> {
        let each = self
            .list
            .of_kind(kind)
            .map(|one| format!("{} {}", one.name, one.version));
        let each: Vec<String> = each.collect();
        (!each.is_empty()).then(|| format!("libraries {}: {}\n", &self.hash[..12], each.join(", ")))
    }
}

fn folder_of(root: &Path, kind: LibraryKind) -> PathBuf {
    match kind {
        LibraryKind::JavaScript => root.join("node_modules"),
        kind => root.join(kind.name()),
    }
}

/// The place of a library in the folder.
fn place_of(root: &Path, library: &Library) -> PathBuf {
    let (folder, name, version) = (
        folder_of(root, library.kind),
        &library.name,
        &library.version,
    );
    match library.kind {
        LibraryKind::Python | LibraryKind::JavaScript => folder.join(name),
        LibraryKind::Rust => folder.join(format!("{name}-{version}")),
        LibraryKind::Java => folder.join(format!("{name}-{version}.jar")),
    }
}

fn unpack_library(root: &Path, library: &Library, bytes: &[u8]) -> Result<(), BuildError> {
    let place = place_of(root, library);
    let above = place.parent().unwrap_or(root);
    fs::create_dir_all(above).map_err(BuildError::from_io("create", above))?;
    let put = |path: &Path, bytes: &[u8]| {
        let file = folder_copy::create_file(path, false);
        let written = file.and_then(|mut file| file.write_all(bytes));
        written.map_err(BuildError::from_io("write", path))
    };
    if library.kind == LibraryKind::Java {
        return put(&place, bytes);
    }
    fs::create_dir(&place).map_err(BuildError::from_io("create", &place))?;
    let packed = tempfile::NamedTempFile::new_in(root);
    let packed = packed.map_err(BuildError::from_io("create", root))?;
    let written = packed.as_file().write_all(bytes);
    written.map_err(BuildError::from_io("write", packed.path()))?;
    unzip::unpack_zip(packed.path(), &place, UNPACKED)?;
    if library.kind == LibraryKind::Rust {
        // Cargo looks at this file before it believes a folder of sources.
        let origin = library.origin.as_deref().unwrap_or_default();
        let sums = serde_json::json!({"files": {}, "package": origin}).to_string();
        put(&place.join(".cargo-checksum.json"), sums.as_bytes())?;
    }
    Ok(())
}

fn environment(root: &Path, list: &LibraryList) -> io::Result<Vec<(OsString, OsString)>> {
    let places = |kind| {
        list.of_kind(kind)
            .map(|one| place_of(root, one))
            .collect::<Vec<_>>()
    };
    let mut python = Vec::new();
    for place in places(LibraryKind::Python) {
        // A wheel may keep its modules in `NAME.data/purelib` or `…/platlib`.
        let folder = UntrustedFolder::open(&place)?;
        let data = folder.list(Path::new(""), UNPACKED.files as usize)?;
        let data = data.into_iter().map(|(name, _)| name);
        let data: Vec<OsString> = data
            .filter(|name| name.to_string_lossy().ends_with(".data"))
            .collect();
        for (data, part) in data
            .iter()
            .flat_map(|data| ["purelib", "platlib"].map(|part| (data, part)))
        {
            let inside = Path::new(data).join(part);
            python.extend(folder.look_at(&inside).is_ok().then(|| place.join(inside)));
        }
        python.push(place);
    }
    let mut jars = places(LibraryKind::Java);
    if !jars.is_empty() {
        jars.insert(0, PathBuf::from("."));
    }
    let scripts = match list.of_kind(LibraryKind::JavaScript).next() {
        Some(_) => vec![folder_of(root, LibraryKind::JavaScript)],
        None => Vec::new(),
    };
    let variables = [
        ("PYTHONPATH", python),
        ("CLASSPATH", jars),
        ("NODE_PATH", scripts),
    ];
    let some = variables
        .into_iter()
        .filter(|(_, places)| !places.is_empty());
    let joined = some.map(|(name, places)| {
        Ok((
            name.into(),
            std::env::join_paths(places).map_err(io::Error::other)?,
        ))
    });
    joined.collect()
}
