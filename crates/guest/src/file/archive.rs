//! The parts as one file. The same parts give the same bytes, whoever packs them and when.

use zip::result::ZipError;

use super::parts::Parts;
use super::zipped::zip_files;

/// The ending of a packed game.
pub const ENDING: &str = "leitai-game";

/// The archive of these parts.
///
/// # Errors
/// If the archive cannot be made.
pub fn pack(parts: &Parts) -> Result<Vec<u8>, ZipError> {
    zip_files(parts.iter())
}
