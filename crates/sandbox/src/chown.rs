//! Folders that a program may change belong to its user while it runs, where the judge is root.

use crate::setup_error::{SetupError, failed_step};
use crate::untrusted_folder::{UntrustedFolder, WalkBounds};
use std::os::unix::fs::lchown;
use std::path::{Path, PathBuf};

/// The most that is given: more than a build may leave.
const GIVEN: WalkBounds = WalkBounds {
    entries: 200_000,
    depth: 256,
};

/// Gives folders and everything in them to a user. Links are not followed.
///
/// # Errors
/// If a folder itself cannot be given away; what is too deep inside it to be reached, or too much,
/// stays as it is.
pub fn give_folders(folders: &[PathBuf], user: u32) -> Result<(), SetupError> {
    for path in folders {
        let failed = failed_step("giving a folder to the program");
        let folder = UntrustedFolder::open(path).map_err(&failed)?;
        lchown(path, Some(user), Some(user)).map_err(failed)?;
        folder.walk(Path::new(""), GIVEN, |entry| entry.give_to(user).is_ok());
    }
    Ok(())
}
