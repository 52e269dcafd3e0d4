//! Reads and writes files: bounded reads, atomic writes.

use std::fs::{self, File};
use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use anyhow::{Context, ensure};
use leitai_game::replay::MAX_BYTES;

/// The text of a regular file of at most 64 MiB.
pub fn read_text(path: &Path) -> anyhow::Result<String> {
    let name = path.display();
    let file = File::open(path).with_context(|| format!("cannot read {name}"))?;
    let about = file
        .metadata()
        .with_context(|| format!("cannot read {name}"))?;
    ensure!(about.is_file(), "{name} is not a regular file");
    ensure!(
        about.len() <= MAX_BYTES as u64,
        "{name} has {} bytes; at most {MAX_BYTES} are read",
        about.len()
    );
    let mut bytes = Vec::new();
    file.take(MAX_BYTES as u64 + 1)
        .read_to_end(&mut bytes)
        .with_context(|| format!("cannot read {name}"))?;
    ensure!(
        bytes.len() <= MAX_BYTES,
        "{name} grew beyond {MAX_BYTES} bytes while it was read"
    );
    String::from_utf8(bytes)
        .ok()
        .with_context(|| format!("{name} is not UTF-8 text"))
}

/// Writes a file completely or not at all; missing folders are created.
pub fn write_file(path: &Path, bytes: impl AsRef<[u8]>) -> anyhow::Result<()> {
    write_whole(path, bytes.as_ref()).with_context(|| format!("cannot write {}", path.display()))
}

/// [`write_file`] without the file's name in errors.
pub fn write_whole(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    write_whole_from(path, &mut &*bytes).map(drop)
}

/// Writes what a reader gives to a file, completely or not at all, as it comes; returns the number
/// of bytes.
pub fn write_whole_from(path: &Path, reader: &mut dyn Read) -> anyhow::Result<u64> {
    let mut file = tempfile::NamedTempFile::new_in(make_folder(path)?)?;
    let bytes = std::io::copy(reader, &mut file)?;
    // A temporary file is private; the result is an ordinary file.
    file.persist(path)?
        .set_permissions(fs::Permissions::from_mode(0o644))?;
    Ok(bytes)
}

/// The folder that contains a path.
pub fn parent_folder(path: &Path) -> &Path {
    path.parent()
        .filter(|folder| !folder.as_os_str().is_empty())
        .unwrap_or(Path::new("."))
}

fn make_folder(path: &Path) -> anyhow::Result<&Path> {
    let folder = parent_folder(path);
    fs::create_dir_all(folder)
        .with_context(|| format!("cannot make the folder {}", folder.display()))?;
    Ok(folder)
}
