//! The parts as one file. The same parts give the same bytes, whoever packs them and when.

use std::io::{Cursor, Write};

use zip::result::ZipError;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipWriter};

use super::parts::Parts;

/// The ending of a packed game.
pub const ENDING: &str = "leitai-game";

/// The archive of these parts.
///
/// # Errors
/// If the archive cannot be made.
pub fn pack(parts: &Parts) -> Result<Vec<u8>, ZipError> {
    pack_files(parts.iter())
}

/// The archive of these files, in this order.
pub(super) fn pack_files<'a>(
    files: impl Iterator<Item = (&'a str, &'a [u8])>,
) -> Result<Vec<u8>, ZipError> {
    let options = SimpleFileOptions::default()
        .compression_method(CompressionMethod::Deflated)
        .last_modified_time(DateTime::default())
        .unix_permissions(0o644);
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in files {
        archive.start_file(name, options)?;
        archive.write_all(bytes)?;
    }
    Ok(archive.finish()?.into_inner())
}
