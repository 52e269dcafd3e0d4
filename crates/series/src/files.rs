//! Reads and writes files: bounded reads, atomic writes.

use std::fs::{self, File};
use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use anyhow::{Context, ensure};
use leitai_game::replay::MAX_BYTES;

use crate::InvalidRequest;

/// The text of a file of at most 64 MiB, or that of stdin where the path is `-`: plain, or
/// compressed with gzip, with or without the mark of UTF-8 in front.
///
/// # Errors
/// An [`InvalidRequest`] if there is no such file or it holds no text: somebody named it.
pub fn read_text(path: &Path) -> anyhow::Result<String> {
    read_bounded_text(path).map_err(InvalidRequest::wrap)
}

fn read_bounded_text(path: &Path) -> anyhow::Result<String> {
    let name = path.display();
    let bytes = match path == Path::new("-") {
        true => read_bounded(std::io::stdin().lock()),
        false => {
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
            read_bounded(file)
        }
    };
    let bytes = bytes.with_context(|| format!("cannot read {name}"))?;
    ensure!(
        bytes.len() <= MAX_BYTES,
        "{name} has more than {MAX_BYTES} bytes, the most that are read"
    );
    let text = String::from_utf8(bytes).ok();
    let text = text.with_context(|| format!("{name} is not UTF-8 text"))?;
    Ok(match text.strip_prefix('\u{feff}') {
        Some(rest) => rest.to_owned(),
        None => text,
    })
}

/// What a reader gives, unpacked; at most one byte more than [`MAX_BYTES`].
fn read_bounded(reader: impl Read) -> std::io::Result<Vec<u8>> {
    let most = MAX_BYTES as u64 + 1;
    let mut bytes = Vec::new();
    reader.take(most).read_to_end(&mut bytes)?;
    if !bytes.starts_with(GZIP) {
        return Ok(bytes);
    }
    let mut unpacked = Vec::new();
    flate2::read::MultiGzDecoder::new(bytes.as_slice())
        .take(most)
        .read_to_end(&mut unpacked)?;
    Ok(unpacked)
}

/// The first bytes of a file that gzip has compressed.
const GZIP: &[u8] = b"\x1f\x8b";

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
