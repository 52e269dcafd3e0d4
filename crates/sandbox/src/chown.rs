//! Folders that a program may change belong to its user while it runs, where the judge is root.

use crate::helper::{SetupError, failed_step};
use std::fs;
use std::os::unix::fs::lchown;
use std::path::PathBuf;

/// Gives folders and everything in them to a user. Links are not followed. Nothing else may change
/// them meanwhile.
///
/// # Errors
/// If a folder itself cannot be given away; what is too deep inside it to be reached stays as it
/// is.
pub fn give_folders(folders: &[PathBuf], user: u32) -> Result<(), SetupError> {
    let mut open = Vec::new();
    for folder in folders {
        lchown(folder, Some(user), Some(user))
            .map_err(failed_step("giving a folder to the program"))?;
        open.push(folder.clone());
    }
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let given = lchown(entry.path(), Some(user), Some(user));
            if given.is_ok() && entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                open.push(entry.path());
            }
        }
    }
    Ok(())
}
