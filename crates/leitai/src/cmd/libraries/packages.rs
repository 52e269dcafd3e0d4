//! Packages as registries have them: wheels, jars, archives of npm and crates. All are kept as zip
//! archives, which the judge unpacks.

use std::fs;
use std::io::{Cursor, Read, Write};
use std::process::Command;

use anyhow::anyhow;
use flate2::read::GzDecoder;
use leitai_judge::build::LibraryList;
use leitai_judge::build::libraries::manifests::{read_cargo, read_package, read_requirements};
use leitai_judge::build::libraries::{
    Library, LibraryKind, LibrarySet, MOST_OF_PACKAGE, hash_of, normal_name,
};
use zip::write::SimpleFileOptions;

use crate::prelude::*;

/// The most of an unpacked archive.
const UNPACKED: u64 = 512 << 20;

/// A package that was read.
pub struct Package {
    /// As it is listed.
    pub library: Library,
    /// As it is stored.
    pub bytes: Vec<u8>,
    /// The names of the libraries that it needs.
    pub needs: Vec<String>,
}

/// Fetches named libraries with the tools of this machine into a folder; Python's with what they need.
pub fn fetch(
    lang: Localizer,
    kind: LibraryKind,
    names: &[String],
    folder: &Path,
) -> Result<Vec<PathBuf>> {
    let (tool, words): (_, &[&str]) = match kind {
        LibraryKind::Python => (
            "python3",
            &[
                "-m",
                "pip",
                "download",
                "--only-binary=:all:",
                "--dest",
                ".",
            ],
        ),
        LibraryKind::JavaScript => ("npm", &["pack", "--pack-destination", "."]),
        LibraryKind::Java | LibraryKind::Rust => {
            bail!(
                lang.label("of Java and Rust give files: NAME-VERSION.jar, NAME-VERSION.crate")
                    .to_owned()
            )
        }
    };
    ensure!(
        !names.is_empty() && names.iter().all(|name| !name.starts_with('-')),
        lang.label("name the libraries, such as numpy==2.2.0")
            .to_owned()
    );
    let names = names.iter().map(|name| match kind {
        LibraryKind::JavaScript => name.replace("==", "@"),
        _ => name.clone(),
    });
    let mut command = Command::new(tool);
    command.args(words).args(names).current_dir(folder);
    // Its words are about the fetching, not the answer.
    command.stdout(std::io::stderr());
    let failed = || lang.fill("{} could not fetch them; give the files instead", &[&tool]);
    let status = command.status().with_context(failed)?;
    ensure!(status.success(), failed());
    let files = fs::read_dir(folder)?.map(|entry| Ok(entry?.path()));
    let mut files = files.collect::<std::io::Result<Vec<_>>>()?;
    files.sort();
    Ok(files)
}

impl Package {
    /// Reads a package, and unpacks it once for trial.
    pub fn read(lang: Localizer, path: &Path) -> Result<Package> {
        let bytes = fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
        let name = path
            .file_name()
            .and_then(|name| name.to_str())
            .unwrap_or_default();
        let unknown = || {
            lang.fill(
                "{} is no package: give NAME-VERSION.whl, .jar, .tgz or .crate",
                &[&name],
            )
        };
        let stem = |ending: &str| name.strip_suffix(ending);
        let package = if let Some(stem) = stem(".whl") {
            read_wheel(stem, bytes).with_context(unknown)?
        } else if let Some(stem) = stem(".jar") {
            let (name, version) = split_version(stem).with_context(unknown)?;
            Package::new(LibraryKind::Java, name, version, bytes, Vec::new())
        } else if stem(".tgz").or_else(|| stem(".tar.gz")).is_some() {
            read_npm(&bytes).with_context(unknown)?
        } else if let Some(stem) = stem(".crate") {
            let (name, version) = split_version(stem).with_context(unknown)?;
            read_crate(name, version, &bytes).with_context(unknown)?
        } else {
            bail!(unknown());
        };
        ensure!(
            package.library.is_sound(),
            lang.fill(
                "{} is no package: a name or a version in it is odd, or it has more than {} MiB",
                &[&name, &(MOST_OF_PACKAGE >> 20)]
            )
        );
        let list = LibraryList {
            libraries: vec![package.library.clone()],
        };
        let tried = LibrarySet::unpack(list, |_| Ok::<_, String>(package.bytes.clone()));
        tried.map_err(|error| anyhow!("{}", lang.say(&error.to_string())))?;
        Ok(package)
    }

    fn new(
        kind: LibraryKind,
        name: &str,
        version: &str,
        bytes: Vec<u8>,
        needs: Vec<String>,
    ) -> Package {
        let library = Library {
            kind,
            name: normal_name(kind, name),
            version: version.to_owned(),
            sha256: hash_of(&bytes),
            size: bytes.len() as u64,
            origin: None,
        };
        Package {
            library,
            bytes,
            needs,
        }
    }
}

/// `gson-2.11.0`: the version begins at the first digit behind a hyphen.
fn split_version(stem: &str) -> Option<(&str, &str)> {
    let mut hyphens = stem.match_indices('-');
    let at = hyphens
        .find(|(at, _)| stem[at + 1..].starts_with(|c: char| c.is_ascii_digit()))?
        .0;
    Some((&stem[..at], &stem[at + 1..]))
}

fn read_wheel(stem: &str, bytes: Vec<u8>) -> Option<Package> {
    let parts: Vec<&str> = stem.split('-').collect();
    let [name, version, _, _, _] = parts.as_slice() else {
        // A sixth part is the number of a build.
        return match parts.as_slice() {
            [name, version, _, python, abi, platform] => read_wheel(
                &[*name, *version, *python, *abi, *platform].join("-"),
                bytes,
            ),
            _ => None,
        };
    };
    let mut archive = zip::ZipArchive::new(Cursor::new(&bytes[..])).ok()?;
    let about = archive
        .by_name(&format!("{name}-{version}.dist-info/METADATA"))
        .ok()?;
    let mut text = String::new();
    about.take(1 << 20).read_to_string(&mut text).ok()?;
    let needs = text
        .lines()
        .filter_map(|line| line.strip_prefix("Requires-Dist:"));
    let needs = needs
        .filter_map(|line| read_requirements(line).ok())
        .flatten();
    let needs = needs.map(|one| one.name).collect();
    drop(archive);
    Some(Package::new(
        LibraryKind::Python,
        name,
        version,
        bytes,
        needs,
    ))
}

fn read_npm(bytes: &[u8]) -> Result<Package> {
    #[derive(serde::Deserialize)]
    struct About {
        name: String,
        version: String,
    }
    let (packed, about) = repack(bytes, "package.json")?;
    let named: About = serde_json::from_str(&about)?;
    let needs = read_package(&about).map_err(|why| anyhow!("{why}"))?;
    let needs = needs.into_iter().map(|one| one.name).collect();
    let mut package = Package::new(
        LibraryKind::JavaScript,
        &named.name,
        &named.version,
        packed,
        needs,
    );
    package.library.origin = Some(hash_of(bytes));
    Ok(package)
}

fn read_crate(name: &str, version: &str, bytes: &[u8]) -> Result<Package> {
    let (packed, about) = repack(bytes, "Cargo.toml")?;
    let needs = read_cargo(&about).map_err(|why| anyhow!("{why}"))?;
    let needs = needs.into_iter().map(|one| one.name).collect();
    let mut package = Package::new(LibraryKind::Rust, name, version, packed, needs);
    package.library.origin = Some(hash_of(bytes));
    Ok(package)
}

/// Packs the files of a compressed tar anew, without the folder around them; and the text of one.
fn repack(bytes: &[u8], wanted: &str) -> Result<(Vec<u8>, String)> {
    let mut tar = Vec::new();
    GzDecoder::new(bytes)
        .take(UNPACKED + 1)
        .read_to_end(&mut tar)?;
    ensure!(
        tar.len() as u64 <= UNPACKED,
        "it unpacks to more than {UNPACKED} bytes"
    );
    let (mut zip, mut text) = (zip::ZipWriter::new(Cursor::new(Vec::new())), None);
    for (name, bytes) in tar_files(&tar).context("it is no tar archive")? {
        let Some((_, name)) = name.split_once('/') else {
            continue;
        };
        if name == wanted {
            text = String::from_utf8(bytes.to_vec()).ok();
        }
        zip.start_file(name, SimpleFileOptions::default())?;
        zip.write_all(bytes)?;
    }
    let text = text.with_context(|| format!("the archive has no {wanted}"))?;
    Ok((zip.finish()?.into_inner(), text))
}

/// The plain files of a tar archive; links and the like are left out.
fn tar_files(tar: &[u8]) -> Option<Vec<(String, &[u8])>> {
    const BLOCK: usize = 512;
    let word = |field: &[u8]| {
        let end = field
            .iter()
            .position(|byte| *byte == 0)
            .unwrap_or(field.len());
        String::from_utf8_lossy(&field[..end]).into_owned()
    };
    let (mut files, mut at, mut long) = (Vec::new(), 0, None);
    while let Some(head) = tar.get(at..at + BLOCK).filter(|head| head[0] != 0) {
        let size = usize::from_str_radix(word(&head[124..136]).trim(), 8).ok()?;
        let content = tar.get(at + BLOCK..)?.get(..size)?;
        let short = match (&head[257..262] == b"ustar", word(&head[345..500])) {
            (true, folder) if !folder.is_empty() => format!("{folder}/{}", word(&head[..100])),
            _ => word(&head[..100]),
        };
        match head[156] {
            b'L' => long = Some(word(content)),
            b'x' => long = pax_path(content).or(long),
            b'0' | 0 => files.push((long.take().unwrap_or(short), content)),
            b'g' => {}
            _ => long = None,
        }
        at += BLOCK + size.next_multiple_of(BLOCK);
    }
    Some(files)
}

/// The path among extended headers: `LENGTH path=VALUE`.
fn pax_path(content: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(content);
    let line = text.lines().find_map(|line| line.split_once(" path="));
    line.map(|(_, path)| path.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_versions_of_files() {
        assert_eq!(split_version("gson-2.11.0"), Some(("gson", "2.11.0")));
        assert_eq!(
            split_version("commons-lang3-3.14.0"),
            Some(("commons-lang3", "3.14.0"))
        );
        assert_eq!(split_version("nothing"), None);
    }
}
